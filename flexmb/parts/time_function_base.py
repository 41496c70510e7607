"""Base class of functions of time."""

from __future__ import annotations

import numpy as np

from flexmb.state import Array

Code = tuple[int, Array]
"""Kind and parameters of a function in the compiled loops."""


class TimeFunction:
    """A function of time: by default defined everywhere and with zero derivatives."""

    def check_span(self, start: float, end: float, where: str = "") -> None:
        """Raise if the function is not defined on [start, end]."""

    def rate(self, t: Array | float) -> Array:
        """Return the right-sided derivative at ``t``."""
        return np.zeros(np.shape(t))

    def second(self, t: Array | float) -> Array:
        """Return the right-sided second derivative at ``t``."""
        return np.zeros(np.shape(t))
