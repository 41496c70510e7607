"""Campbell diagram: frequencies and damping over the speed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke

from flexmb.analysis.rotors.campbell import Campbell
from flexmb.postproc.arrays import Array
from flexmb.postproc.rotor_style import RPM, WHIRL, shortened, speed_axes
from flexmb.postproc.style import INK, STYLE

CLOSE = 0.09
"""Critical speeds closer than this fraction of the figure have labels on different sides."""

REACH = 4.0
"""Ratio of a frequency to the highest multiple of the speed above which its line is not shown."""
UNDAMPED = 1e-7
"""Logarithmic decrements below this are round-off."""


def plot_campbell(found: Campbell, title: str = "") -> Figure:
    """Return a figure: frequencies with critical speeds above, logarithmic decrements (if there are any) below.

    Colour and dashes of a line show the sense of whirl; crosses mark unstable modes.
    """
    with matplotlib.rc_context(STYLE):
        damped = bool(np.nanmax(np.abs(found.log_decrement), initial=0.0) > UNDAMPED)
        figure = Figure(figsize=(7.6, 7.0 if damped else 5.4), layout="constrained")
        panels = figure.subplots(1 + damped, 1, sharex=True, squeeze=False, height_ratios=(2.2, 1.0)[: 1 + damped])
        draw_frequencies(panels[0, 0], found)
        if damped:
            draw_decrements(panels[1, 0], found)
        speed_axes(panels[0, 0], shortened(title or "Campbell diagram"))
        panels[-1, 0].set_xlabel("speed [rpm]")
        figure.legend(handles=_handles(found), loc="outside lower center", ncols=5)
    return figure


def draw_frequencies(axes: Axes, found: Campbell) -> None:
    """Draw the frequencies, the multiples of the speed, and the critical speeds on them."""
    _draw_lines(axes, found, found.frequency)
    highest = 1.08 * _highest(found)
    lowest = min(0.0, float(found.speeds[0]))
    ends = np.array([lowest, found.speeds[-1]])
    left, right = float(found.speeds[0]) * RPM, float(found.speeds[-1]) * RPM
    for order in found.orders:
        axes.plot(ends * RPM, order * np.abs(ends) / (2 * np.pi), color=INK, linewidth=0.9)
        speeds = np.array([c.speed for c in found.critical if c.order == order])
        points = list(zip(speeds * RPM, order * np.abs(speeds) / (2 * np.pi), strict=True))
        for point, place in zip(points, label_places(points, (right - left, highest)), strict=True):
            axes.plot(*point, "o", color=INK, markersize=5, markerfacecolor="white", zorder=4)
            words = axes.annotate(f"{point[0]:.5g}", point, textcoords="offset points", fontsize=7.5, zorder=5, **place)
            words.set_path_effects([withStroke(linewidth=2.5, foreground="white")])
    axes.set_ylim(0.0, highest)
    axes.set_xlim(left, right)
    axes.set_ylabel("frequency [Hz]")


def _highest(found: Campbell) -> float:
    """Return the highest frequency shown; lines far above the multiples of the speed would flatten the others."""
    least = np.nanmin(found.frequency, axis=0, initial=np.inf)
    near = least <= max(REACH * max(found.orders) * float(np.abs(found.speeds).max()) / (2 * np.pi), least.min())
    return float(np.nanmax(found.frequency[:, near], initial=0.0))


def label_places(points: Sequence[tuple[float, float]], size: tuple[float, float]) -> list[dict[str, Any]]:
    """Return the positions of the labels of points on a rising line: above on the left, if that place is free.

    Labels of points with another one close above are below on the right, one below the other, connected by
    lines.

    Parameters
    ----------
    points : sequence of (float, float)
    size : (float, float)
        Of the picture, in the units of the points.
    """
    out = []
    for x, y in points:
        above = [
            other
            for other in points
            if other > (x, y) and other[0] - x < CLOSE * size[0] and abs(other[1] - y) < CLOSE * size[1]
        ]
        if above:
            line = {"arrowstyle": "-", "linewidth": 0.6, "color": INK, "shrinkA": 0.0, "shrinkB": 2.5}
            out.append({"xytext": (10, -4 - 11 * len(above)), "ha": "left", "arrowprops": line})
        else:
            out.append({"xytext": (-6, 5), "ha": "right"})
    return out


def draw_decrements(axes: Axes, found: Campbell) -> None:
    """Draw the logarithmic decrements; below zero a mode grows."""
    _draw_lines(axes, found, found.log_decrement)
    axes.axhline(0.0, color=INK, linewidth=0.7)
    axes.set_ylabel("log decrement")


def _draw_lines(axes: Axes, found: Campbell, values: Array) -> None:
    x = found.speeds * RPM
    words = np.array(found.whirl, dtype=object)
    for j in range(values.shape[1]):
        for word, look in WHIRL.items():
            # each line segment has the style of its right end
            here = words[:, j] == word
            shown = here | np.append(here[1:], False)
            if here[min(1, here.size - 1) :].any():  # the first point begins a segment, and has no style of its own
                axes.plot(x, np.where(shown, values[:, j], np.nan), linewidth=1.3, **look)
        grows = found.unstable[:, j]
        axes.plot(x[grows], values[grows, j], "x", color=INK, markersize=4.5, zorder=3)


def _handles(found: Campbell) -> list[Line2D]:
    """Return the legend: kinds of whirl, multiples of the speed, critical speeds, instability."""
    there = {word for words in found.whirl[min(1, len(found.whirl) - 1) :] for word in words}
    out = [Line2D([], [], label=word, **look) for word, look in WHIRL.items() if word in there]
    orders = ", ".join(f"{order:g}" for order in found.orders)
    out.append(Line2D([], [], color=INK, linewidth=0.9, label=f"{orders} x speed"))
    if found.critical:
        out.append(Line2D([], [], color=INK, marker="o", markerfacecolor="white", linestyle="", label="critical, rpm"))
    if found.unstable.any():
        out.append(Line2D([], [], color=INK, marker="x", linestyle="", label="unstable"))
    return out
