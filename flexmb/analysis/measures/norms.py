"""Norms of errors on the grid (Acary 2019, eqs 62-63; Acary 2010, eq 21) and orders fitted to them."""

from __future__ import annotations

import numpy as np

from flexmb.errors import InputError
from flexmb.state import Array


def grid_norm(error: Array, h: float, p: float = 1.0) -> float:
    """Return (h sum_i |e_i|^p)^(1/p); p = inf is the largest error.

    Parameters
    ----------
    error : (n,) or (n, k) array
        e_i = f_i - f(t_i); of vectors the Euclidean length is taken.
    h : float
        Distance of the samples, s.
    p : float
        1, 2, ... or inf.
    """
    e = np.abs(error) if error.ndim == 1 else np.linalg.norm(error, axis=1)
    if np.isinf(p):
        return float(e.max(initial=0.0))
    if not p >= 1.0:
        raise InputError("must be at least 1", where="grid_norm", key="p", value=p)
    return float((h * np.sum(e**p)) ** (1.0 / p))


def fitted_order(h: Array, error: Array) -> float:
    """Return the slope of log(error) over log(h) by least squares: the empirical order.

    Parameters
    ----------
    h, error : (n,) arrays
        Positive; at least two different h.
    """
    h, error = np.asarray(h, dtype=np.float64), np.asarray(error, dtype=np.float64)
    if h.size < 2 or h.shape != error.shape or np.unique(h).size < 2:
        raise InputError("an order requires errors at two or more step sizes", where="fitted_order", value=h.size)
    if not ((h > 0.0).all() and (error > 0.0).all()):
        raise InputError("step sizes and errors must be positive", where="fitted_order", value=error.min())
    x, y = np.log(h) - np.log(h).mean(), np.log(error)
    return float(x @ y / (x @ x))
