"""Short labels at points of a figure, placed where they cover as little as possible of what is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.transforms import Bbox

from flexmb.postproc.arrays import Array

DISTANCES = (7.0, 14.0, 24.0, 36.0)
"""Distances of a label from its point, points."""
DIRECTIONS = tuple(np.deg2rad(angle) for angle in (45, 135, -45, -135, 0, 180, 90, -90))
MEMBER, FAINT_LINE, OTHER_LABEL, OUTSIDE = 100.0, 10.0, 300.0, 300.0
"""Costs of crossing a member or a drawn curve, of overlapping another label, and of leaving the frame."""


def place_labels(axes: Any, labels: Sequence[tuple[str, Array]], members: Array, curves: Array) -> None:
    """Write labels beside points, clear of members, of each other and, where possible, of curves.

    Parameters
    ----------
    axes : Axes
        Its limits are final; nothing is added to its figure afterwards that changes the arrangement.
    labels : sequence of (text, (2,) array)
        Texts and their points in data coordinates.
    members, curves : (n, 2, 2) arrays
        Ends of line segments, in data coordinates.
    """
    figure = axes.figure
    figure.draw_without_rendering()
    solid, faint = (axes.transData.transform(lines.reshape(-1, 2)).reshape(-1, 2, 2) for lines in (members, curves))
    points = figure.dpi / 72.0
    taken: list[Bbox] = []
    for text, point in labels:
        note = axes.annotate(text, point, xytext=(0, 0), textcoords="offset points", fontsize=8)
        best: tuple[float, Any, Any, Bbox] | None = None
        for distance in DISTANCES:
            for angle in DIRECTIONS:
                offset = distance * np.array([np.cos(angle), np.sin(angle)])
                _aligned(note, offset)
                box = note.get_window_extent().padded(1.5 * points)
                cost = distance / 10.0 + MEMBER * _crossed(box, solid) + FAINT_LINE * _crossed(box, faint)
                cost += OTHER_LABEL * sum(box.overlaps(other) for other in taken)
                cost += OUTSIDE * (not _inside(box, axes.get_window_extent()))
                if best is None or cost < best[0]:
                    best = (cost, offset, angle, box)
        assert best is not None
        _aligned(note, best[1])
        taken.append(best[3])


def _aligned(note: Any, offset: Array) -> None:
    """Move a label so that the side towards its point is at the offset."""
    across, up = np.sign(np.round(offset, 6))
    note.set_position(tuple(offset))
    note.set_horizontalalignment({1.0: "left", 0.0: "center", -1.0: "right"}[float(across)])
    note.set_verticalalignment({1.0: "bottom", 0.0: "center", -1.0: "top"}[float(up)])


def _crossed(box: Bbox, segments: Array) -> int:
    """Return how many segments pass through a box: clipped by its four sides (Liang and Barsky)."""
    start, way = segments[:, 0], segments[:, 1] - segments[:, 0]
    low, high = np.zeros(len(segments)), np.ones(len(segments))
    for axis, (least, most) in enumerate(((box.x0, box.x1), (box.y0, box.y1))):
        rate, from_least, to_most = way[:, axis], least - start[:, axis], most - start[:, axis]
        moving = rate != 0.0
        safe = np.where(moving, rate, 1.0)
        first, second = from_least / safe, to_most / safe
        between = (from_least <= 0.0) & (to_most >= 0.0)
        low = np.where(moving, np.maximum(low, np.minimum(first, second)), np.where(between, low, 2.0))
        high = np.where(moving, np.minimum(high, np.maximum(first, second)), high)
    return int(np.sum(low <= high))


def _inside(box: Bbox, frame: Bbox) -> bool:
    return bool(box.x0 >= frame.x0 and box.x1 <= frame.x1 and box.y0 >= frame.y0 and box.y1 <= frame.y1)
