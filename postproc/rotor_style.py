"""Styles of rotor pictures for senses of whirl, and speeds in two units."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from flexmb.analysis.rotors.speeds import RPM as RPM
from flexmb.postproc.style import BLUE, FAINT, GREEN, ORANGE, PURPLE, VERMILLION

WHIRL: dict[str, dict[str, Any]] = {
    "forward": {"color": BLUE, "linestyle": "-"},
    "backward": {"color": VERMILLION, "linestyle": (0, (5, 2)), "zorder": 2.5},
    "mixed": {"color": PURPLE, "linestyle": (0, (5, 1.5, 1, 1.5))},
    "planar": {"color": GREEN, "linestyle": (0, (1.2, 1.4))},
    "axial": {"color": ORANGE, "linestyle": (0, (8, 2))},
    "torsion": {"color": FAINT, "linestyle": (0, (3, 1, 1, 1, 1, 1))},
}
"""Color and dashes of each kind of motion, distinguishable without color as well."""


def speed_axes(axes: Axes, title: str) -> None:
    """Name an axis of speeds in rpm, with rad/s along the top (not on axes that share it below)."""
    top: Any = axes.secondary_xaxis("top", functions=(_to_speed, _to_rpm))
    for one in (top, axes):  # speeds are printed without a power of ten
        one.ticklabel_format(axis="x", style="plain")
    top.set_xlabel("speed [rad/s]", fontsize=8)
    top.spines["top"].set_visible(False)
    top.tick_params(labelsize=8)
    axes.set_title(title, pad=8)


def _to_speed(rpm: Any) -> Any:
    return np.asarray(rpm) / RPM


def _to_rpm(speed: Any) -> Any:
    return np.asarray(speed) * RPM


def shortened(words: str, most: int = 90) -> str:
    """Return text on one line, cut if too long for a title; a $ does not start a formula."""
    words = " ".join(words.split()).replace("$", r"\$")
    return words if len(words) <= most else words[: most - 1] + "…"


def wrapped(words: str, most: int) -> str:
    """Return text for a title on one or two lines with at most the given number of characters."""
    return "\n".join(textwrap.wrap(shortened(words, 2 * most - 8), most))
