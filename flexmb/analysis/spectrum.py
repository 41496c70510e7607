"""Spectral analysis of the schemes: the map of a step for a linear oscillator, without a run.

For q'' + 2 zeta omega q' + omega^2 q = 0 and a step h, every scheme of the project is a linear map of a few numbers,
x_{n+1} = A(omega h, zeta) x_n (velocities times h, accelerations times h^2, so that only omega h enters). The pair of
eigenvalues that tends to exp(+-i omega h) as h -> 0 is the oscillation, lam = exp(-xi w +- i w sqrt(1 - xi^2))
(where damping has made it two real ones, the slower of them); from it come

    spectral radius           max |eigenvalue|              at most 1 where the scheme is stable
    period error              omega h / arg(lam) - 1        for zeta = 0
    algorithmic damping       xi = -ln|lam| / |ln lam|      the damping ratio of the discrete oscillation.

A third eigenvalue of the alpha family, if there is one, is spurious: it starts at a number inside the unit circle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from flexmb.errors import InputError
from flexmb.schemes.scheme import Scheme
from flexmb.state import Array

ComplexArray = NDArray[np.complex128]


@dataclass(frozen=True)
class Spectrum:
    """Properties of one scheme over omega h, each (n,).

    Parameters
    ----------
    omega_h : (n,) array
    radius : (n,) array
        Largest modulus of an eigenvalue.
    oscillation : (n,) complex array
        The eigenvalue of the oscillation, with imaginary part >= 0.
    period_error : (n,) array
        Relative; nan where the oscillation has become real.
    damping : (n,) array
        Damping ratio of the discrete oscillation, the physical one included.
    """

    omega_h: Array
    radius: Array
    oscillation: ComplexArray
    period_error: Array
    damping: Array


def amplification(scheme: Scheme, omega_h: float, zeta: float = 0.0) -> Array:
    """Return A, over (q, h v) and, for the alpha family, h^2 a; the matrix is defined with the scheme.

    Parameters
    ----------
    scheme : Scheme
        One with an ``amplification``.
    omega_h : float
        omega h > 0.
    zeta : float
        Damping ratio of the oscillator.
    """
    return scheme.amplification(omega_h * omega_h, 2.0 * zeta * omega_h)


def spectrum(scheme: Scheme, omega_h: Sequence[float] | Array, zeta: float = 0.0) -> Spectrum:
    """Return spectral radius, period error and algorithmic damping of a scheme.

    Parameters
    ----------
    scheme : Scheme
    omega_h : (n,) array_like
        Positive.
    zeta : float
        Damping ratio of the oscillator, 0 <= zeta < 1.
    """
    x = np.asarray(omega_h, dtype=np.float64)
    if x.ndim != 1 or not (x > 0.0).all():
        raise InputError("must be positive numbers", where="spectrum", key="omega_h", value=omega_h)
    if not 0.0 <= zeta < 1.0:
        raise InputError("must lie in [0, 1)", where="spectrum", key="zeta", value=zeta)
    values = _eigenvalues(scheme, x, zeta)
    radius = np.abs(values).max(axis=1)
    lam = values[np.arange(x.size), np.argmax(values.imag, axis=1)]
    met = lam.imag <= 1e-12 * np.abs(lam)
    if met.any():
        lam[met] = _after_meeting(scheme, x[met], zeta)
    angle = np.angle(lam)
    with np.errstate(divide="ignore", invalid="ignore"):
        period = np.where((angle > 0.0) & (angle < np.pi), x * np.sqrt(1.0 - zeta * zeta) / angle - 1.0, np.nan)
    return Spectrum(x, radius, lam, period, damping_ratio(lam))


def damping_ratio(lam: ComplexArray) -> Array:
    """Return xi = -ln|lam| / |ln lam|, the damping ratio of the oscillation lam^n."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(-np.log(np.abs(lam)) / np.abs(np.log(lam)))


def _eigenvalues(scheme: Scheme, omega_h: Array, zeta: float) -> ComplexArray:
    """Return the eigenvalues of A for each omega h, (n, rows of A)."""
    return np.linalg.eigvals(np.stack([amplification(scheme, float(x), zeta) for x in omega_h])).astype(np.complex128)


def _after_meeting(scheme: Scheme, omega_h: Array, zeta: float) -> ComplexArray:
    """Return the eigenvalue of the oscillation after the pair has met on the real axis: the slower of the two.

    The third, spurious one is distinguished from them by tracking it from small h.
    """
    values = _eigenvalues(scheme, omega_h, zeta)
    if values.shape[1] == 3:
        start = min(float(omega_h.min()), 0.1)
        path = np.unique(np.concatenate([omega_h, np.geomspace(start, float(omega_h.max()), 120)]))
        along = _eigenvalues(scheme, path, zeta)
        pair = np.exp(-zeta * start) * np.cos(np.sqrt(1.0 - zeta * zeta) * start)
        last = along[0][np.argmax(np.abs(along[0] - pair))]
        for found in along:
            k = int(np.argmin(np.abs(found - last)))
            last, found[k] = found[k], 0.0
        values = along[np.searchsorted(path, omega_h)]
    return np.asarray(values[np.arange(omega_h.size), np.argmax(np.abs(values), axis=1)])
