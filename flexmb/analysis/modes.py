"""Natural frequencies and shapes of an assembled system: K x = omega^2 M x, without damping and contact.

Systems in large motion are linearized at their start (``linearized``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import linalg, sparse

from flexmb.analysis.linearized import Linearized, linearize
from flexmb.errors import InputError
from flexmb.state import Array
from flexmb.system.linear_system import LinearSystem
from flexmb.system.multibody_system import MultibodySystem

DENSE_LIMIT = 1200
"""Number of unknowns up to which all eigenvalues are computed densely; above, the lowest by shift and invert."""
NOISE = 64 * np.finfo(np.float64).eps
"""Elastic energy of a mode, relative to the sum of the magnitudes of its terms, below which it is a rigid-body mode."""


@dataclass(frozen=True)
class Modes:
    """Modes in order of frequency, rigid-body motions first.

    Parameters
    ----------
    omega : (k,) array
        Circular frequencies, rad/s; exactly 0 for rigid-body motions.
    shapes : (nv, k) array
        Shapes with unit modal mass.
    growth : (k,) array
        Growth rates of unstable motions, 1/s (with omega = 0); 0 for all others.
    acceleration : float
        Largest initial acceleration, m/s^2 or rad/s^2: 0 at an equilibrium, and in small motion.
    """

    omega: Array
    shapes: Array
    growth: Array
    acceleration: float = 0.0

    @property
    def frequency(self) -> Array:
        """Natural frequencies, (k,), Hz."""
        return self.omega / (2.0 * np.pi)


def modes(system: LinearSystem | MultibodySystem, count: int | None = None, *, time: float = 0.0) -> Modes:
    """Return the lowest modes.

    Parameters
    ----------
    system : LinearSystem or MultibodySystem
        A system of large motion is linearized at its initial position, at rest, with its joints closed.
    count : int, optional
        Number of modes; by default 10, or all if there are fewer.
    time : float
        Start time of a system of large motion, s.
    """
    if isinstance(system, MultibodySystem):
        return _at_start(linearize(system, time), count)
    nv = system.nv
    k = _checked(count, nv, "unknowns")
    if nv <= DENSE_LIMIT or k >= nv - 1:
        _, X = linalg.eigh(system.K.toarray(), system.M.toarray(), subset_by_index=[0, k - 1])
    else:
        X = _lowest(system, k)
    return _sorted(system.M, system.K, np.asarray(X))


def highest_frequency(system: LinearSystem) -> float:
    """Return the largest circular frequency of a system in small motion, rad/s."""
    if system.nv <= DENSE_LIMIT:
        squares = linalg.eigh(system.K.toarray(), system.M.toarray(), eigvals_only=True)
        return float(np.sqrt(max(squares[-1], 0.0)))
    from scipy.sparse.linalg import eigsh

    K, M = sparse.csc_array(system.K), sparse.csc_array(system.M)
    squares = eigsh(K, 1, M, which="LM", v0=_start(system.nv), tol=1e-10, return_eigenvectors=False)
    return float(np.sqrt(squares[0]))


def _start(nv: int) -> Array:
    """Return a fixed start vector for iterations, so that runs are reproducible."""
    return np.cos(np.arange(nv))


def _checked(count: int | None, most: int, what: str) -> int:
    if count is not None and not 1 <= count <= most:
        raise InputError(f"must lie between 1 and the number of {what}, {most}", key="count", value=count)
    return min(10, most) if count is None else count


def _at_start(system: Linearized, count: int | None) -> Modes:
    Z, free = system.Z, system.Z.shape[1]
    if not free:
        raise InputError("the joints leave no degree of freedom", where="joints")
    k = _checked(count, free, "motions that the joints allow")
    _, Y = linalg.eigh(Z.T @ system.K @ Z, Z.T @ system.M @ Z, subset_by_index=[0, k - 1])
    return replace(_sorted(system.M, system.K, np.asarray(Z @ Y), True), acceleration=system.acceleration)


def _lowest(system: LinearSystem, k: int) -> Array:
    """Return the k lowest shapes; the negative shift makes K + s M definite if there are rigid motions."""
    from scipy.sparse.linalg import eigsh

    shift = -1e-12 * float(np.max(system.K.diagonal() / system.M.diagonal()))
    _, X = eigsh(sparse.csc_array(system.K), k, sparse.csc_array(system.M), sigma=shift, v0=_start(system.nv))
    return np.asarray(X)


def _sorted(M: Array | sparse.csr_array, K: Array | sparse.csr_array, X: Array, may_grow: bool = False) -> Modes:
    """Return shapes in order; in small motion K is semidefinite, so negative values are round-off."""
    X = X / np.sqrt(np.einsum("ij,ij->j", X, M @ X))
    squares = np.einsum("ij,ij->j", X, K @ X)
    sizes = np.einsum("ij,ij->j", np.abs(X), abs(K) @ np.abs(X))
    squares = np.where(np.abs(squares) > NOISE * sizes, squares, 0.0)
    order = np.argsort(squares, kind="stable")
    squares = squares[order]
    growth = np.sqrt(np.maximum(-squares, 0.0)) if may_grow else np.zeros_like(squares)
    return Modes(np.sqrt(np.maximum(squares, 0.0)), X[:, order], growth)
