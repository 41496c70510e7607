"""Bending moments or axial forces of a frame, drawn across its members."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.postproc.arrays import Array, IntArray
from flexmb.postproc.clear_labels import place_labels
from flexmb.postproc.style import INK, NEGATIVE, POSITIVE
from flexmb.postproc.ticks import prefixed
from flexmb.record.io.frames import Layout

TALLEST = 0.22
"""Largest drawn ordinate, over the size of a frame."""
SMALLEST = 1e-6
"""Ordinates below this part of the largest are round-off: their sign is not drawn."""


def draw_on_frame(axes: Any, layout: Layout, cells: IntArray, curves: list[Array], axis: str) -> None:
    """Draw ordinates across the lines of a frame, of moments on the tension side, in the plane that it fills most.

    The largest value of each sign is marked. ``curves`` and ``axis`` are as for ``draw_on_lines``.
    """
    assert layout.sections is not None
    ends = layout.points[layout.cells[cells]]
    flat, names = _plane(ends.reshape(-1, 3))
    place = ends @ flat.T
    column = 2 if axis == "y" else 1
    side = (1.0 if axis == "y" else -1.0) * layout.sections.axes[cells][:, :, column] @ flat.T
    most = max(float(np.nan_to_num(np.abs(values)).max()) for values in curves) or 1.0
    height = TALLEST * float(np.ptp(place.reshape(-1, 2), axis=0).max()) / most
    drawn = [line for values in curves for line in _ordinates(axes, place, side * height, values)]
    for a in place:
        axes.plot(*a.T, color=INK, linewidth=2.0, solid_capstyle="round")
    labels = []
    for value, k, end in _extremes(curves, SMALLEST * most):
        tip = place[k, end] + height * value * side[k]
        axes.plot(*tip, "o", color=INK, markersize=3.0)
        factor, unit = prefixed("[N m]" if axis else "[N]", abs(value))
        labels.append((f"{value / factor:.4g} {unit[1:-1]}".replace("-", "−"), tip))
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_xlabel(f"{names[0]} [m]")
    axes.set_ylabel(f"{names[1]} [m]")
    _legend(axes, curves, SMALLEST * most, axis)
    place_labels(axes, labels, place, np.array(drawn).reshape(-1, 2, 2))


def _ordinates(axes: Any, place: Array, side: Array, values: Array) -> list[Array]:
    """Draw one value along each line, its parts above and below zero in two colours; return what is drawn."""
    drawn = []
    for a, normal, m in zip(place, side, values, strict=True):
        for ends, part in split_at_zero(a, m):
            tips = ends + part[:, None] * normal
            colour = POSITIVE if part.sum() >= 0.0 else NEGATIVE
            axes.fill(*np.concatenate([ends, tips[::-1]]).T, color=colour, alpha=0.25, linewidth=0.0)
            axes.plot(*tips.T, color=colour, linewidth=1.1)
            drawn.append(tips)
    return drawn


def split_at_zero(ends: Array, values: Array) -> list[tuple[Array, Array]]:
    """Return a line (2, n) with the values (2,) at its ends, in two where the linear course of the values is zero."""
    if not values[0] * values[1] < 0.0:
        return [(ends, values)]
    s = values[0] / (values[0] - values[1])
    zero = (1.0 - s) * ends[0] + s * ends[1]
    return [
        (np.array([ends[0], zero]), np.array([values[0], 0.0])),
        (np.array([zero, ends[1]]), np.array([0.0, values[1]])),
    ]


def _extremes(curves: list[Array], least: float) -> list[tuple[float, int, int]]:
    """Return the largest positive and the largest negative value beyond ``least``, with line and end of each."""
    found = []
    for sign in (1.0, -1.0):
        signed = [sign * np.nan_to_num(values) for values in curves]
        best = max(signed, key=lambda values: float(values.max()))
        k, end = np.unravel_index(int(np.argmax(best)), best.shape)
        if best[k, end] > least:
            found.append((sign * float(best[k, end]), int(k), int(end)))
    return sorted(found, key=lambda one: -abs(one[0]))


def _legend(axes: Any, curves: list[Array], least: float, axis: str) -> None:
    """Name the signs that occur, and the side on which moments are drawn."""
    signs = [("positive", POSITIVE, max(float(np.nanmax(v)) for v in curves))]
    signs += [("negative", NEGATIVE, -min(float(np.nanmin(v)) for v in curves))]
    for word, colour, size in signs:
        if size > least:
            axes.plot([], [], color=colour, label=word)
    title = "drawn on the tension side" if axis else None
    axes.legend(loc="upper right", bbox_to_anchor=(1.0, -0.14), ncols=2, title=title, title_fontsize=8)


def _plane(points: Array) -> tuple[Array, tuple[str, str]]:
    """Return the two directions of space that points fill most, (2, 3), and their names."""
    spread = np.ptp(points, axis=0)
    first, second = sorted(np.argsort(-spread)[:2].tolist())
    return np.eye(3)[[first, second]], ("xyz"[first], "xyz"[second])
