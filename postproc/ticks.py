"""Powers of ten go into the label of an axis, with its unit, not above the frame where titles and legends stand."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.ticker import FuncFormatter

LARGE, SMALL = 4, -3
"""From these powers of ten on they are taken out of the numbers."""
_HIGH = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def power_of(low: float, high: float) -> int:
    """Return the power of ten, a multiple of three, to be taken out of numbers between two ends."""
    most = max(abs(low), abs(high))
    if not np.isfinite(most) or most == 0.0:
        return 0
    power = int(np.floor(np.log10(most) + 1e-9))
    return 3 * (power // 3) if power >= LARGE or power <= SMALL else 0


def with_power(label: str, power: int) -> str:
    """Return a label such as ``force [N]`` for numbers without their power of ten: ``force [10³ N]``."""
    if not power:
        return label
    factor = "10" + str(power).translate(_HIGH)
    return label.replace("[", f"[{factor} ", 1) if "[" in label else f"{label} [{factor}]"


def take_out_power(axis: Any, ends: tuple[float, float], label: str) -> None:
    """Label a matplotlib axis between two ends, its power of ten in the label."""
    power = power_of(*ends)
    axis.set_label_text(with_power(label, power))
    if power:
        axis.set_major_formatter(FuncFormatter(lambda x, _: f"{x / 10.0**power:.6g}".replace("-", "−")))
