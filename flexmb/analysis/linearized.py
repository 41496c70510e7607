"""A system in large motion, linearized at its start: M x'' + K x = 0 over the motions x that its joints allow.

With the multipliers lam at the start, K = -d(f + G lam)/dq, G^T x = 0, and a basis Z of these motions, x = Z y:

    (Z^T M Z) y'' + (Z^T K Z) y = 0

The start is taken at rest. Where it is no equilibrium, f + G lam = M a, the frequencies are those of its stiffness.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from flexmb.state import Array
from flexmb.system.bordered_factor import factored
from flexmb.system.multibody_system import MultibodySystem

RANK = 1e-10
"""Singular value of G, over the largest, below which a row is redundant."""
AT_REST = 1e-6
"""Acceleration, over that caused by the forces alone, that counts as zero."""


@dataclass(frozen=True)
class Linearized:
    """Mass and stiffness at the start.

    Parameters
    ----------
    M, K : (nv, nv) arrays
        K is its symmetric part: at an equilibrium there is no other.
    Z : (nv, m) array
        The motions that the joints allow.
    acceleration : float
        Largest of the start at rest, m/s^2 or rad/s^2; zero at an equilibrium.
    """

    M: Array
    K: Array
    Z: Array
    acceleration: float


def linearize(system: MultibodySystem, t: float = 0.0) -> Linearized:
    """Return mass and stiffness of a system at its start, taken at rest at time t, s."""
    q, rest = system.q0, np.zeros(system.nv)
    sparse_M = system.tangents(t, q, rest)[0]
    G = system.G(t, q).toarray()[:, : system.nj]
    f = system.f(t, q, rest)
    lu = factored(system, sparse_M, sparse_M)
    by_force, by_joints = lu.solve(f), lu.solve(G) if system.nj else G
    lam = np.linalg.lstsq(G.T @ by_joints, -G.T @ by_force, rcond=RANK)[0] if system.nj else np.zeros(0)
    a = by_force + by_joints @ lam
    K = system.tangents(t, q, rest, lam)[2].toarray()
    Z = linalg.null_space(G.T, rcond=RANK) if system.nj else np.eye(system.nv)
    size = float(np.abs(by_force).max(initial=0.0))
    largest = float(np.abs(a).max(initial=0.0))
    return Linearized(sparse_M.toarray(), 0.5 * (K + K.T), Z, largest if largest > AT_REST * size else 0.0)
