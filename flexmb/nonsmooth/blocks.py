"""Checks of the blocks of a contact problem: numbers, sizes and radii."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from flexmb.errors import InputError
from flexmb.state import Array, IntArray, frozen

WHERE = "ContactProblem"
SHAPES = {1: (0, 0, 0), 2: (1, 0, 0), 3: (2, 0, 0), 4: (2, 0, 1), 5: (2, 2, 0), 6: (2, 2, 1)}
"""Numbers of sliding, rolling and spinning rows for each ``dim``."""
MOST = (3, 2, 1)
"""Maximum numbers of sliding, rolling and spinning rows of a contact."""
ROWS = ("slide", "roll", "spin")
REAL = "biufO"
"""Kinds of arrays converted to float64: without texts, and complex numbers, of which the real part would be taken."""


def finite(key: str, value: ArrayLike) -> Array:
    """Return a read-only float64 copy, or raise for an entry that is not a finite number."""
    words = "must be an array of real numbers"
    try:
        given = np.asarray(value)
        out = np.array(given, dtype=np.float64, order="C") if given.dtype.kind in REAL else None
    except (TypeError, ValueError):
        raise InputError(words, where=WHERE, key=key) from None
    if out is None:
        raise InputError(f"{words}, not {given.dtype}", where=WHERE, key=key)
    bad = np.argwhere(~np.isfinite(out))
    if bad.size:
        place = tuple(int(i) for i in bad[0])
        raise InputError(f"entry {place} must be finite", where=WHERE, key=key, value=float(out[place]))
    return frozen(out)


def block_shapes(dim: Any, shape: Any, n: int) -> IntArray:
    """Return the numbers of sliding, rolling and spinning rows of each contact, (nc, 3), checked against n.

    Parameters
    ----------
    dim : int or (nc,) int array
    shape : (nc, 3) int array or None
        Replaces ``dim``.
    n : int
    """
    if shape is not None:
        out = _whole("shape", shape)
        if out.ndim != 2 or out.shape[1] != 3:
            raise InputError("must have shape (nc, 3)", where=WHERE, key="shape", value=out.shape)
        for k, most in enumerate(MOST):
            bad = np.flatnonzero((out[:, k] < 0) | (out[:, k] > most))
            if bad.size:
                words = f"rows that {ROWS[k]} of contact {bad[0]} must be 0 to {most}"
                raise InputError(words, where=WHERE, key="shape", value=int(out[bad[0], k]))
    else:
        rows = _whole("dim", dim)
        if rows.ndim > 1:
            raise InputError("must be an integer or have shape (nc,)", where=WHERE, key="dim", value=rows.shape)
        for d in rows.ravel():
            if int(d) not in SHAPES:
                raise InputError(f"allowed: {', '.join(map(str, SHAPES))}", where=WHERE, key="dim", value=int(d))
        if rows.ndim == 0:
            if n % int(rows):
                raise InputError(f"the {n} rows of b are not a multiple", where=WHERE, key="dim", value=int(rows))
            rows = np.full(n // int(rows), int(rows))
        out = np.array([SHAPES[int(d)] for d in rows], dtype=np.int64).reshape(-1, 3)
    total = out.shape[0] + int(out.sum())
    if total != n:
        key = "dim" if shape is None else "shape"
        raise InputError(f"contacts of {total} rows do not match the {n} of b", where=WHERE, key=key)
    out.flags.writeable = False
    return out


def _whole(key: str, value: Any) -> IntArray:
    """Return an array of integers."""
    out = np.asarray(value)
    if out.dtype.kind not in "iu" and not (out.size == 0 and out.dtype.kind == "f"):
        raise InputError("must be integers", where=WHERE, key=key, value=value)
    return np.array(out, dtype=np.int64, order="C")


def law_of(key: str, value: Any, rows: IntArray) -> Array:
    """Return the radius of a disc of all contacts, (nc,); a single number applies to all contacts with its rows."""
    nc = rows.size
    out = finite(key, 0.0 if value is None else value)
    if out.ndim == 0:
        out = frozen(np.where(rows > 0, out, 0.0) if rows.any() else np.full(nc, out))
    if out.shape != (nc,):
        raise InputError(f"must have shape ({nc},)", where=WHERE, key=key, value=out.shape)
    if (out < 0.0).any():
        raise InputError("must be >= 0", where=WHERE, key=key, value=float(out[out < 0.0][0]))
    bad = np.flatnonzero((out > 0.0) & (rows == 0))
    if bad.size:
        words = f"contact {bad[0]} has no rows for it: choose a dim or shape with such rows"
        raise InputError(words, where=WHERE, key=key, value=float(out[bad[0]]))
    return out
