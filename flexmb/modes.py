"""Natural frequencies and shapes of an assembled system: K x = omega^2 M x, without damping and contact."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse

from flexmb.errors import InputError
from flexmb.multibody_system import MultibodySystem
from flexmb.state import Array
from flexmb.system import LinearSystem

DENSE_LIMIT = 1200
"""Up to so many unknowns all eigenvalues are computed densely; above, the lowest by shift and invert."""
NOISE = 64 * np.finfo(np.float64).eps
"""A mode whose elastic energy is below this part of the sum of its terms' sizes has none: a rigid motion."""


@dataclass(frozen=True)
class Modes:
    """Modes in order of frequency, rigid motions first.

    Parameters
    ----------
    omega : (k,) array
        Circular frequencies, rad/s; exactly 0 for rigid motions.
    shapes : (nv, k) array
        Shapes with unit modal mass.
    """

    omega: Array
    shapes: Array

    @property
    def frequency(self) -> Array:
        """Frequencies, Hz."""
        return self.omega / (2.0 * np.pi)


def modes(system: LinearSystem | MultibodySystem, count: int | None = None) -> Modes:
    """Return the lowest modes.

    Parameters
    ----------
    system : LinearSystem
    count : int, optional
        How many; by default 10, or all when there are fewer.
    """
    if not isinstance(system, LinearSystem):
        message = "modes belong to systems of small motion; this one has joints or bodies that turn"
        raise InputError(message, where="bodies")
    nv = system.nv
    if count is not None and not 1 <= count <= nv:
        raise InputError(f"must lie between 1 and the number of unknowns, {nv}", key="count", value=count)
    k = min(10, nv) if count is None else count
    if nv <= DENSE_LIMIT or k >= nv - 1:
        _, X = linalg.eigh(system.K.toarray(), system.M.toarray(), subset_by_index=[0, k - 1])
    else:
        X = _lowest(system, k)
    return _sorted(system, np.asarray(X))


def _lowest(system: LinearSystem, k: int) -> Array:
    """Return the k lowest shapes; the shift below zero makes K + s M definite when there are rigid motions."""
    from scipy.sparse.linalg import eigsh

    shift = -1e-12 * float(np.max(system.K.diagonal() / system.M.diagonal()))
    start = np.cos(np.arange(system.nv))  # a fixed start: the same bits in every run
    _, X = eigsh(sparse.csc_array(system.K), k, sparse.csc_array(system.M), sigma=shift, v0=start)
    return np.asarray(X)


def _sorted(system: LinearSystem, X: Array) -> Modes:
    X = X / np.sqrt(np.einsum("ij,ij->j", X, system.M @ X))
    squares = np.einsum("ij,ij->j", X, system.K @ X)
    sizes = np.einsum("ij,ij->j", np.abs(X), abs(system.K) @ np.abs(X))
    squares = np.where(squares > NOISE * sizes, squares, 0.0)
    order = np.argsort(squares, kind="stable")
    return Modes(np.sqrt(squares[order]), X[:, order])
