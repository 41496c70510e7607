"""Initial states other than the undeformed one: static response to loads, steady response to all loads."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy import sparse

from flexmb.errors import InputError
from flexmb.parts.time_functions import Constant, Harmonic
from flexmb.state import Array
from flexmb.system.linear_system import Load

Raise = Callable[[], None]
"""Raises InputError if a body is not supported, so that it has no static response."""


def static_response(K: sparse.csr_array, force: Array, check_held: Raise) -> Array:
    """Return q with K q = force; K need not be symmetric."""
    if not force.any():
        return np.zeros(force.size)
    check_held()
    return np.asarray(_solve(K, force), dtype=np.float64)


def steady_response(
    M: sparse.csr_array,
    C: sparse.csr_array,
    K: sparse.csr_array,
    F0: Array,
    loads: Sequence[Load],
    t: float,
    check_held: Raise,
) -> tuple[Array, Array]:
    """Return q and v at time t of the periodic motion M q'' + C q' + K q = F0 + loads.

    It is q_0 + sum over the frequencies w of Re(X exp(i w t)) with K q_0 the constant forces and
    (K + i w C - w^2 M) X the complex amplitudes of the others; the matrices need not be symmetric.
    """
    constant = F0.copy()
    rotating: dict[float, np.ndarray] = {}
    for load in loads:
        phi = load.phi
        if isinstance(phi, Constant):
            constant += load.B * phi.level
        elif isinstance(phi, Harmonic):
            constant += load.B * phi.offset
            column = load.B * (-1j * phi.amplitude * np.exp(1j * phi.phase))
            rotating[phi.angular] = rotating.get(phi.angular, 0.0) + column
        else:
            message = f"load '{load.name}' is neither constant nor harmonic, so there is no steady motion to start from"
            raise InputError(message, where="initial", key="steady", value=True)
    q, v = static_response(K, constant, check_held), np.zeros(constant.size)
    for w, column in rotating.items():
        X = _solve(sparse.csr_array(K + 1j * w * C - w**2 * M), column) * np.exp(1j * w * t)
        q, v = q + X.real, v + (1j * w * X).real
    return q, v


def _solve(A: sparse.csr_array, b: np.ndarray) -> np.ndarray:
    """Return A^-1 b."""
    from scipy.sparse.linalg import splu  # imported here, since few runs need it and the import is slow

    try:
        x = np.asarray(splu(A.tocsc()).solve(b))
    except RuntimeError:
        x = np.full(b.size, np.nan)
    if not np.isfinite(x).all():
        message = (
            "the system has no response: without damping it is excited at a natural frequency, or it is not supported"
        )
        raise InputError(message, where="initial")
    return x
