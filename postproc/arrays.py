"""Types of this package."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
IntArray = NDArray[np.int64]
Plotter = Any
"""A pyvista.Plotter; its type hints do not stand a strict check."""
