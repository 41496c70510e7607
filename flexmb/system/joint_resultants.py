"""Resultant forces of joints and contacts on every body, from the multipliers of the rows."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np
from scipy import sparse

from flexmb.kernels.geometry.tables import FLOATING, FRAME, NODE, PLANAR
from flexmb.state import Array
from flexmb.system.layout import Carriers, Layout
from flexmb.system.multibody_system import MultibodySystem

NOISE = 1e-12


def joint_resultants(system: MultibodySystem, t: float, q: Array, lam: Array) -> tuple[list[str], Array]:
    """Return names ("joint on body") and forces in space, (k, 3), N, of all joints on all their bodies.

    Parameters
    ----------
    system : MultibodySystem
    t : float
        s.
    q : (nq,) array
    lam : (nj,) array
        Forces of the rows of the joints.
    """
    start = system.joints.start.tolist()
    rows = [slice(a, b) for a, b in itertools.pairwise(start)]
    return _resultants(
        system.layout, system.G(t, q)[:, : system.nj], lam, dict(zip(system.joints.names, rows, strict=True))
    )


def contact_resultants(system: MultibodySystem, t: float, q: Array, normal: Array) -> tuple[list[str], Array]:
    """Return the same for closed contacts, from their normal forces (nc,)."""
    G = system.G(t, q)[:, system.nj : system.nj + normal.size]
    least = NOISE * float(normal.max(initial=0.0))
    closed = np.flatnonzero(normal > least).tolist()
    return _resultants(system.layout, G, normal, {f"contact {system.gaps.labels[k]}": slice(k, k + 1) for k in closed})


def _resultants(layout: Layout, G: sparse.csc_array, lam: Array, parts: Mapping[str, slice]) -> tuple[list[str], Array]:
    names, forces = [], []
    for joint, rows in parts.items():
        columns = G[:, rows]
        touched = np.asarray(abs(columns).sum(axis=1)).ravel()
        pull = np.asarray(columns @ lam[rows]).ravel()
        for k, body in enumerate(layout.bodies):
            own = _unknowns(layout, k)
            if np.any(touched[own] > NOISE):
                names.append(f"{joint} on {body}")
                forces.append(_resultant(layout, k, pull))
    return names, np.array(forces).reshape(-1, 3)


def _points(layout: Layout, body: int) -> tuple[Carriers, np.ndarray]:
    assert layout.carriers is not None
    return layout.carriers, np.flatnonzero(layout.body_of_point == body)


def _unknowns(layout: Layout, body: int) -> np.ndarray:
    """Return the numbers of all velocities of a body."""
    carriers, own = _points(layout, body)
    found = []
    for kind, count in ((FRAME, 6), (FLOATING, 6), (PLANAR, 3)):
        first = np.unique(carriers.iv[own][carriers.kind[own] == kind])
        found.append((first[:, None] + np.arange(count)).ravel())
    rows = (6 * own[:, None] + np.arange(6)).ravel()
    found.append(np.unique(carriers.Dv[rows].indices))
    return np.unique(np.concatenate(found)).astype(np.int64)


def _resultant(layout: Layout, body: int, pull: Array) -> Array:
    """Return the force of generalized forces on a body: their power in a translation."""
    carriers, own = _points(layout, body)
    force = np.zeros(3)
    for kind, count in ((FRAME, 3), (FLOATING, 3), (PLANAR, 2)):
        for first in np.unique(carriers.iv[own][carriers.kind[own] == kind]).tolist():
            force[:count] += pull[first : first + count]
    nodes = own[carriers.kind[own] == NODE]
    if nodes.size:
        rows = (6 * nodes[:, None] + np.arange(3)).ravel()
        force += np.asarray(carriers.Dv[rows] @ pull).reshape(-1, 3).sum(axis=0)
    return force
