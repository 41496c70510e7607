"""Lines: measures over an axis or over another measure, one line per scheme; one frame per measure and panel."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

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
from flexmb.postproc.study.columns import quoted, shown
from flexmb.postproc.study.spec import Asked, Panel, Series
from flexmb.postproc.style import FAINT


def draw_lines(asked: Asked) -> Drawing:
    """Draw ``y`` over ``x``, a line per series."""
    spec = asked.spec
    if not spec.x or not spec.y:
        raise asked.error("needs x and y")
    asked.numeric(*spec.y)
    legend = Legend(entries_of(asked), beside=len(spec.y) * len(asked.panels) == 1)
    figure, axes = panel_frames(asked, spec.y, legend.lines)
    words = categories(asked)
    for one, (y, panel) in zip(axes, ((y, panel) for y in spec.y for panel in asked.panels), strict=True):
        _frame(one, asked, panel, y, words)
    head_figure(figure, spec.title)
    legend.draw(figure)
    return Drawing(figure, head_of(asked, (spec.x, *spec.y)), rows_of(asked, (spec.x, *spec.y)))


def categories(asked: Asked) -> list[str]:
    """Return the categories of an x axis of texts, in order; empty for numbers."""
    values = asked.table.column(asked.spec.x)
    if not any(isinstance(value, str) for value in values):
        return []
    return list(dict.fromkeys(shown(value) for value in values))


def _frame(axes: Axes, asked: Asked, panel: Panel, y: str, words: list[str]) -> None:
    spec, log = asked.spec, asked.spec.log or ""
    log = log.replace("x", "") if words else log
    set_scales(axes, log)
    for series in panel.series:
        asked.one_per_place(series, spec.x)
        style = look(series.place) | ({"linestyle": ""} if words else {})  # there is nothing between two categories
        axes.plot(*points(series, spec.x, y, words), **style)
    name_frame(axes, asked, panel, y, log)
    if words:
        turned = max(len(word) for word in words) * len(words) > 60
        axes.set_xticks(range(len(words)), [quoted(word) for word in words], rotation=30 if turned else 0)
        for label in axes.get_xticklabels() if turned else []:
            label.set(ha="right", rotation_mode="anchor")
    if "y" not in log and axes.get_ylim()[0] < 0.0 < axes.get_ylim()[1]:
        axes.axhline(0.0, color=FAINT, linewidth=0.8, zorder=1)


def name_frame(axes: Axes, asked: Asked, panel: Panel, y: str, log: str) -> None:
    """Write labels and the title of the panel, and a note on missing values."""
    label_frame(axes, asked.columns.label(asked.spec.x), asked.columns.label(y), panel.title)
    asked.missing(y, panel.series)
    for key, name in (("x", asked.spec.x), ("y", y)):
        if key in log:
            asked.positive(name, panel.series)
    tidy_log(axes, log)


def points(series: Series, x: str, y: str, words: list[str]) -> tuple[Array, Array]:
    """Return the points of a series from left to right."""
    at = [words.index(shown(row.value(x))) if words else float(row.value(x)) for row in series.rows]
    values = np.array([float(row.value(y)) for row in series.rows])
    order = np.argsort(at, kind="stable")
    return np.array(at, dtype=np.float64)[order], values[order]


def head_of(asked: Asked, names: tuple[str, ...]) -> list[str]:
    """Return the header of the CSV file: ``by``, then columns with their units."""
    units = [asked.columns.unit(name) for name in names]
    return [*asked.spec.by, *(f"{name} [{unit}]" if unit else name for name, unit in zip(names, units, strict=True))]


def rows_of(asked: Asked, names: tuple[str, ...]) -> list[list[object]]:
    """Return the rows of the CSV file."""
    rows = [row for panel in asked.panels for series in panel.series for row in series.rows]
    return [[row.value(name) for name in (*asked.spec.by, *names)] for row in rows]
