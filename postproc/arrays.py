"""Types of this package, and the largest finite number of an array."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
IntArray = NDArray[np.int64]
Plotter = Any
"""A pyvista.Plotter, whose type hints do not pass a strict check."""


def largest(values: Array) -> float:
    """Return the largest finite number, zero if there is none."""
    return float(np.max(values, initial=-np.inf, where=np.isfinite(values))) if np.isfinite(values).any() else 0.0
