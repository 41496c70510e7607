"""Stiffness and damping of bearings and seals: numbers, matrices, or tables of them over the speed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexmb.errors import InputError
from flexmb.parts.time_functions import increasing, number_list
from flexmb.state import Array

WORDS = "a number, a 2 x 2 matrix over (v, w) or a 4 x 4 matrix over (v, w, theta_y, theta_z)"


@dataclass(frozen=True)
class BearingLaw:
    """Force -K x - C x' on the relative motion x = (v, w) or (v, w, theta_y, theta_z).

    Parameters
    ----------
    speed : (ns,) array or None
        Increasing, rad/s; None where K and C do not depend on it (then ns = 1).
    K, C : (ns, m, m) arrays
        m is 2 or 4; not symmetric in general.
    """

    speed: Array | None
    K: Array
    C: Array

    @property
    def size(self) -> int:
        """Number of motions, m."""
        return int(self.K.shape[1])

    def at(self, speeds: Array) -> tuple[Array, Array]:
        """Return K and C at speeds (n,), each (n, m, m); linear between the speeds of a table, constant outside."""
        shape = (speeds.size, self.size, self.size)
        if self.speed is None:
            return np.broadcast_to(self.K, shape), np.broadcast_to(self.C, shape)
        k = np.interp(speeds, self.speed, np.arange(float(self.speed.size)))
        i = np.minimum(k.astype(np.int64), self.speed.size - 2)
        s = (k - i)[:, None, None]
        return (1.0 - s) * self.K[i] + s * self.K[i + 1], (1.0 - s) * self.C[i] + s * self.C[i + 1]


def bearing_law(stiffness: object, damping: object, speed: object, where: str) -> BearingLaw:
    """Return the law from user input.

    Without ``speed``, stiffness and damping are a number (the same along y and z), a 2 x 2 or a 4 x 4 matrix; with
    it, either may also be a list of these, one per speed.
    """
    speeds = None
    if speed is not None:
        speeds = number_list(speed, "speed", where)
        if speeds.size < 2:
            raise InputError("needs at least two speeds", where=where, key="speed", value=speed)
        increasing(speeds, "speed", where)
    K = _matrices(stiffness, "stiffness", speeds, where)
    C = _matrices(damping, "damping", speeds, where)
    m = max(K.shape[1], C.shape[1])
    return BearingLaw(speeds, _grown(K, m), _grown(C, m))


def _matrices(given: object, key: str, speeds: Array | None, where: str) -> Array:
    """Return (ns, m, m) matrices."""
    try:
        plain = np.asarray(given)
        x = plain.astype(np.float64) if plain.dtype.kind in "iuf" else None
    except (TypeError, ValueError, OverflowError):
        x = None  # ragged lists, and entries that are not numbers
    if x is None:
        if isinstance(given, Sequence) and not isinstance(given, str):
            raise InputError(f"is not a matrix of numbers; must be {_allowed(speeds)}", where=where, key=key)
        raise InputError(f"must be {_allowed(speeds)}", where=where, key=key, value=given)
    if not np.all(np.isfinite(x)):
        raise InputError("must be finite", where=where, key=key, value=given)
    table = x.ndim in (1, 3)
    if table and speeds is None and x.ndim == 3:
        raise InputError("is a table over the speed, but speed is missing", where=where, key=key)
    if table and speeds is not None and len(x) != speeds.size:
        message = f"has {len(x)} entries where speed has {speeds.size}"
        raise InputError(message, where=where, key=key)
    if (table and speeds is None) or x.ndim > 3 or (x.ndim > 1 and x.shape[-2:] not in ((2, 2), (4, 4))):
        raise InputError(f"{_size(x)}; must be {_allowed(speeds)}", where=where, key=key)
    x = x if table else x[None]
    matrices = x if x.ndim == 3 else x[:, None, None] * np.eye(2)
    ns = 1 if speeds is None else speeds.size
    return np.array(np.broadcast_to(matrices, (ns, *matrices.shape[1:])))


def _size(x: Array) -> str:
    """Return the size of a matrix as text."""
    if x.ndim == 1:
        return f"is a list of {x.size} numbers"
    rows, columns = x.shape[-2:]
    return f"is {rows} x {columns}" if x.ndim < 4 else f"is {x.ndim} lists deep"


def _allowed(speeds: Array | None) -> str:
    return WORDS if speeds is None else f"{WORDS}, or a list of {speeds.size} of them, one per speed"


def _grown(matrices: Array, m: int) -> Array:
    """Return the matrices extended by zeros for the missing motions."""
    more = m - matrices.shape[1]
    return np.pad(matrices, ((0, 0), (0, more), (0, more)))
