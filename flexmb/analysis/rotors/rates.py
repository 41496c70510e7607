"""Frequency, damping and growth from the eigenvalues of modes."""

from __future__ import annotations

import numpy as np

from flexmb.analysis.rotors.eigenpairs import ComplexArray
from flexmb.state import Array

GROWS = 1e-8
"""Ratio of Re lam to |lam| above which a mode is unstable: larger than the round-off of undamped systems."""

ROUND_OFF = 1e-12
"""Damping ratio that counts as zero, given the accuracy of eigenvalues."""


class Rates:
    """Arrays in the shape of ``eigenvalues``, lam in 1/s: of a mode Re(x exp(lam t))."""

    eigenvalues: ComplexArray

    @property
    def omega(self) -> Array:
        """Circular frequencies of the damped motions, |Im lam|, rad/s."""
        return np.abs(self.eigenvalues.imag)

    @property
    def frequency(self) -> Array:
        """Frequencies of the damped motions, Hz."""
        return self.omega / (2.0 * np.pi)

    @property
    def damping_ratio(self) -> Array:
        """Damping ratios -Re lam / |lam|; 0 for rigid motions."""
        return damping_ratio(self.eigenvalues)

    @property
    def log_decrement(self) -> Array:
        """Logarithmic decrements -2 pi Re lam / Im lam; infinite where nothing oscillates."""
        return log_decrement(self.eigenvalues)

    @property
    def unstable(self) -> np.ndarray:
        """Whether modes grow."""
        return grows(self.eigenvalues)


def damping_ratio(lam: ComplexArray) -> Array:
    """Return -Re lam / |lam|, 0 for lam = 0 and for round-off of undamped motions."""
    size = np.abs(lam)
    ratio = -np.divide(lam.real, size, out=np.zeros_like(size), where=size > 0.0)
    return np.where(np.abs(ratio) <= ROUND_OFF, 0.0, ratio)


def log_decrement(lam: ComplexArray) -> Array:
    """Return -2 pi Re lam / |Im lam|, 0 for lam = 0 and for round-off of undamped motions."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(damping_ratio(lam) == 0.0, 0.0, -2.0 * np.pi * lam.real / np.abs(lam.imag))


def grows(lam: ComplexArray) -> np.ndarray:
    """Return which eigenvalues belong to growing motions."""
    return np.asarray(lam.real > GROWS * np.abs(lam))
