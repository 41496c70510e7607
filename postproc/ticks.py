"""Tick labels of an axis: short, and all different.

Powers of ten, and what all numbers of a narrow range have in common, go into the label of the axis, with its unit, not
above the frame where titles and legends stand.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.ticker import Formatter

LARGE, SMALL = 4, -3
"""Powers of ten beyond which they are factored out of the tick labels."""
NARROW = 1e-4
"""Range over magnitude below which an offset is factored out of the tick labels."""
MOST_DIGITS = 12
"""Maximum number of decimals; more are round-off."""
LONG = 26
"""Number of characters of a label that fit beside a low frame; a longer one has two lines."""
SI_PREFIXES = {-12: "p", -9: "n", -6: "µ", -3: "m", 3: "k", 6: "M", 9: "G"}
PREFIXED = ("m", "N", "J", "Pa", "s", "Hz", "W", "m/s", "N m", "N s")
"""Units with a prefix, e.g. micrometers instead of 10⁻⁶ m. Large lengths and times have powers of ten."""
_HIGH = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def power_of(low: float, high: float) -> int:
    """Return the power of ten, a multiple of three, to be taken out of numbers between two ends."""
    most = max(abs(low), abs(high))
    if not np.isfinite(most) or most == 0.0:
        return 0
    power = int(np.floor(np.log10(most) + 1e-9))
    return 3 * (power // 3) if power >= LARGE or power <= SMALL else 0


def offset_of(low: float, high: float) -> float:
    """Return the offset of numbers between two ends: the roundest one for a narrow range, else zero."""
    most, span = max(abs(low), abs(high)), high - low
    if not np.isfinite(most) or not 0.0 < span < NARROW * most:
        return 0.0
    for power in range(int(np.floor(np.log10(most))), int(np.floor(np.log10(span))) - 1, -1):
        # multiples of powers below one as fractions, since 3 * 0.1 is not 0.3
        whole = 10.0**-power if power < 0 else 1.0 / 10.0**power
        number = float(np.ceil(low * whole - 1e-9) / whole)
        if number <= high:
            return number
    return low


def with_power(label: str, power: int) -> str:
    """Return a label such as ``force [N]`` for numbers without their power of ten: ``force [kN]``, ``[10³ rad]``."""
    if not power:
        return label
    words, _, unit = label.rpartition("[")
    if unit[:-1] in PREFIXED and power in SI_PREFIXES and not (power > 0 and unit[:-1] in ("m", "s", "m/s")):
        return f"{words}[{SI_PREFIXES[power]}{unit}"
    factor = "10" + str(power).translate(_HIGH)
    return label.replace("[", f"[{factor} ", 1) if "[" in label else f"{label} [{factor}]"


def prefixed(label: str, most: float) -> tuple[float, str]:
    """Return the divisor of numbers up to ``most``, and the label with the corresponding prefix."""
    power = power_of(-most, most)
    return 10.0**power, with_power(label, power)


def with_offset(label: str, offset: float) -> str:
    """Return a label such as ``energy [J]`` for differences from an offset: ``energy − 500 J [J]``."""
    if not offset:
        return label
    words, _, unit = label.partition(" [")
    number = f"{'−' if offset > 0.0 else '+'} {_written(abs(offset))}"
    return f"{words} {number} {unit[:-1]} [{unit}" if unit else f"{words} {number}"


def take_out_power(axis: Any, ends: tuple[float, float], label: str) -> None:
    """Label a matplotlib axis between two ends; powers of ten and common offsets go into the label."""
    low, high = ends
    offset = offset_of(low, high)
    power = power_of(low - offset, high - offset)
    words = with_power(with_offset(label, offset), power)
    axis.set_label_text(words.replace(" [", "\n[", 1) if offset and len(words) > LONG else words)
    axis.set_major_formatter(Ticks(offset, power, label))


def words_of(axis: Any) -> str:
    """Return the label that ``take_out_power`` was given for an axis."""
    return str(axis.get_major_formatter().label)


def move_ends(axis: Any, ends: tuple[float, float]) -> None:
    """Set other ends of an axis labelled by ``take_out_power``, and update its label."""
    (axis.axes.set_xlim if axis.axis_name == "x" else axis.axes.set_ylim)(*ends)
    take_out_power(axis, ends, words_of(axis))


class Ticks(Formatter):
    """Writes tick labels with as many digits as distinguish them, without an offset and a power of ten.

    Parameters
    ----------
    offset : float
    power : int
    label : str
        What stands at the axis, for numbers as they are.
    """

    def __init__(self, offset: float, power: int, label: str = "") -> None:
        self.offset, self.power, self.label = offset, power, label

    def format_ticks(self, values: Any) -> list[str]:
        """Return the tick labels, with the fewest digits at which every number is close to its tick."""
        shown = self._shown(np.asarray(values, dtype=np.float64))
        if len(shown) < 2:
            return [self(x) for x in values]
        room = 0.05 * float(np.diff(np.sort(shown)).min())
        near = (d for d in range(MOST_DIGITS) if np.abs(np.round(shown, d) - shown).max() <= room)
        digits = next(near, MOST_DIGITS)
        return [_minus(f"{x:.{digits}f}") for x in shown]

    def __call__(self, x: float, pos: int | None = None) -> str:
        """Return the label of a single tick."""
        return _minus(f"{self._shown(x):.6g}")

    def _shown(self, x: Any) -> Any:
        return (x - self.offset) / 10.0**self.power


def _minus(number: str) -> str:
    """Return a number with a typographic minus sign; zero has none."""
    return number.replace("-", "−" if float(number) else "", 1)


def _written(number: float) -> str:
    """Return a positive number with all its digits, a large or small one with its power of ten."""
    power = int(np.floor(np.log10(number) + 1e-9))
    if -5 <= power < 7:
        return f"{number:.15g}"
    digits = f"{number / 10.0**power:.15g}"
    high = "10" + str(power).translate(_HIGH)
    return high if digits == "1" else f"{digits}·{high}"
