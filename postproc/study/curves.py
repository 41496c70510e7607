"""Curves over time, one per scheme, with the exact one if available."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from flexmb.postproc.arrays import Array
from flexmb.postproc.study.canvas import (
    Drawing,
    Legend,
    entries_of,
    head_figure,
    label_frame,
    look,
    panel_frames,
    set_scales,
    tidy_log,
)
from flexmb.postproc.study.spec import Asked, Panel
from flexmb.postproc.style import INK
from flexmb.study.table import Row

EXACT: dict[str, Any] = {"color": INK, "linestyle": (0, (4, 2)), "linewidth": 1.1}
MARKS = 7
"""Number of markers on a curve; those of different curves are at different times."""


def draw_curves(asked: Asked) -> Drawing:
    """Draw the curves ``y``, one frame each and per panel."""
    spec = asked.spec
    names = spec.y
    known = list(dict.fromkeys(name for row in asked.whole.rows for name, own in row.arrays.items() if "t" in own))
    if wrong := [name for name in names if name not in known]:
        raise asked.error(f"no run has this curve; recorded: {', '.join(known) or 'none'}", value=wrong[0])
    if not names:
        raise asked.error("needs y, the curves to draw")
    rows = [row for panel in asked.panels for series in panel.series for row in series.rows]
    exact = any("exact" in row.arrays.get(name, {}) for row in rows for name in names)
    extra = [Line2D([], [], label="exact", **EXACT)] if exact else []
    count = len(names) * len(asked.panels)
    legend = Legend(entries_of(asked), extra, beside=count == 1)
    figure, axes = panel_frames(asked, names, legend.lines)
    for (name, panel), one in zip(((n, p) for n in names for p in asked.panels), axes, strict=True):
        _frame(one, asked, panel, name)
    head_figure(figure, spec.title)
    legend.draw(figure)
    return Drawing(figure, ["curve", *asked.whole.axes, "time [s]", "value", "exact"], _rows(asked, rows))


def _frame(axes: Axes, asked: Asked, panel: Panel, name: str) -> None:
    log = asked.spec.log or ""
    set_scales(axes, log)
    exacts: list[tuple[Array, Array]] = []
    many = sum(len(series.rows) for series in panel.series)
    span, k = [np.inf, -np.inf], 0
    for series in panel.series:
        asked.one_run(series)
        for row in series.rows:
            t, y, exact = _curve(row, name)
            if not t.size:
                asked.notes.append(f"{asked.words_of(row)} has no curve '{name}'")
                continue
            if exact is not None and not any(_alike(t, exact, *other) for other in exacts):
                axes.plot(t, exact, zorder=4, **EXACT)
                exacts.append((t, exact))
            axes.plot(t, y, **(look(series.place) | {"markersize": 4.5, "markevery": _marks(t, k, many)}))
            span = [min(span[0], t[0]), max(span[1], t[-1])]
            k += 1
    label_frame(axes, "time [s]", asked.columns.label(name), panel.title)
    if span[1] > span[0] and "x" not in log:
        axes.set_xlim(*span)
    tidy_log(axes, log)


def _marks(t: Array, k: int, many: int) -> list[int]:
    """Return the markers of the k-th curve: evenly distributed in time, different for each curve."""
    times = t[0] + (t[-1] - t[0]) * (np.arange(MARKS) + (k + 0.5) / max(1, many)) / MARKS
    return [int(x) for x in np.unique(np.searchsorted(t, times).clip(0, len(t) - 1))]


def _alike(t: Array, y: Array, t_other: Array, other: Array) -> bool:
    """Return whether two curves with other samples are equal; around jumps samples are on either side."""
    off = np.abs(y - np.interp(t, t_other, other))
    return bool(np.quantile(off, 0.9) <= 0.01 * max(np.ptp(y), np.ptp(other)))


def _curve(row: Row, name: str) -> tuple[Array, Array, Array | None]:
    own = row.arrays.get(name, {})
    exact = np.array(own["exact"]) if "exact" in own else None
    return np.array(own.get("t", [])), np.array(own.get("y", [])), exact


def _rows(asked: Asked, rows: list[Row]) -> list[list[Any]]:
    out: list[list[Any]] = []
    for name in asked.spec.y:
        for row in rows:
            t, y, exact = _curve(row, name)
            place = [name, *(row.axes.get(axis, "") for axis in asked.whole.axes)]
            known = exact if exact is not None else np.full(t.size, np.nan)
            out += [[*place, *point] for point in zip(t, y, known, strict=True)]
    return out
