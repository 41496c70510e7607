"""Orders: errors over the step on logarithmic axes, with the slope fitted by least squares."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from flexmb.analysis.measures import fitted_order
from flexmb.postproc.arrays import Array
from flexmb.postproc.study.canvas import Drawing, Legend, head_figure, look, panel_frames, set_scales
from flexmb.postproc.study.lines import head_of, name_frame, points
from flexmb.postproc.study.spec import Asked, Panel, Series
from flexmb.postproc.style import INK

LOG = "xy"
MOST = 5
"""Maximum number of lines with their slopes written beside them."""


def draw_order(asked: Asked) -> Drawing:
    """Draw ``y`` over ``x``: markers are runs, lines are the fits, with their slopes beside them."""
    spec = asked.spec
    if not spec.x or not spec.y:
        raise asked.error("needs x (the step) and y (the errors)")
    asked.numeric(spec.x, *spec.y)
    plan = [(y, panel) for y in spec.y for panel in asked.panels]
    fits = [{series.place: _fit(asked, series, y) for series in panel.series} for y, panel in plan]
    series = {one.label: one.place for panel in asked.panels for one in panel.series}
    written = len(series) > MOST  # too many slopes to write beside the lines: they are in the legend
    words = {place: ", ".join(_slope(own[place]) for own in fits if place in own) for place in series.values()}
    entries = {f"{label}: {words[place]}" if written else label: place for label, place in series.items()}
    legend = Legend(entries, beside=len(plan) == 1)
    figure, axes = panel_frames(asked, spec.y, legend.lines, height=3.6)
    for one, (y, panel), own in zip(axes, plan, fits, strict=True):
        _frame(one, asked, panel, y, own)
        if not written:
            _write_slopes(one, own)
    head_figure(figure, spec.title)
    legend.draw(figure)
    if written:
        asked.notes.append("numbers in the legend are the fitted orders")
    return _with_orders(asked, Drawing(figure), plan, fits)


def _with_orders(asked: Asked, drawing: Drawing, plan: list[tuple[str, Panel]], fits: list[dict[int, Fit]]) -> Drawing:
    """Write the data: a row per run and error, with the order of its series."""
    x = asked.spec.x
    drawing.head = [*head_of(asked, (x,)), "measure", "value", "unit", "order"]
    for (y, panel), own in zip(plan, fits, strict=True):
        for series in panel.series:
            for row in series.rows:
                place = [row.value(name) for name in (*asked.spec.by, x)]
                drawing.rows.append([*place, y, row.value(y), asked.columns.unit(y), own[series.place].order])
    return drawing


@dataclass(frozen=True)
class Fit:
    """Runs of one series, the fitted line and its slope (nan if there are too few)."""

    h: Array
    error: Array
    line: Array
    order: float


def _slope(fit: Fit) -> str:
    return "too few runs" if math.isnan(fit.order) else f"{fit.order:.2f}".replace("-", "−")


def _fit(asked: Asked, series: Series, y: str) -> Fit:
    asked.one_per_place(series, asked.spec.x)
    h, error = points(series, asked.spec.x, y, [])
    good = (h > 0.0) & (error > 0.0)
    h, error = h[good], error[good]
    if np.unique(h).size < 2:
        return Fit(h, error, error, math.nan)
    order = fitted_order(h, error)
    return Fit(h, error, np.exp(np.log(error).mean() + order * (np.log(h) - np.log(h).mean())), order)


def _frame(axes: Axes, asked: Asked, panel: Panel, y: str, fits: dict[int, Fit]) -> None:
    set_scales(axes, LOG)
    for place, fit in fits.items():
        style = look(place)
        axes.plot(fit.h, fit.error, **(style | {"linestyle": ""}))
        axes.plot(fit.h, fit.line, color=style["color"], linestyle=style["linestyle"], linewidth=1.0)
    good = {place: fit for place, fit in fits.items() if not math.isnan(fit.order)}
    if good:
        slopes = sorted({round(2.0 * fit.order) / 2.0 for fit in good.values() if fit.order >= 0.25})
        _triangles(axes, [(fit.h, np.minimum(fit.line, fit.error)) for fit in good.values()], slopes)
    name_frame(axes, asked, panel, y, LOG)


def _write_slopes(axes: Axes, fits: dict[int, Fit]) -> None:
    """Write each slope at the right end of its line, moved apart if they would overlap."""
    ends = [(float(f.h[-1]), float(f.line[-1]), place) for place, f in fits.items() if not math.isnan(f.order)]
    if not ends:
        return
    low, high = (math.log10(limit) for limit in axes.get_ylim())
    room = 0.052 * (high - low)
    left, right = (math.log10(limit) for limit in axes.get_xlim())
    axes.set_xlim(10**left, 10 ** (right + 0.16 * (right - left)))
    at = max(h for h, _, _ in ends)
    taken = -math.inf
    for _, value, place in sorted(ends, key=lambda end: end[1]):
        taken = max(math.log10(value), taken + room)
        spot: dict[str, Any] = {"textcoords": "offset points", "xytext": (7, 0), "va": "center", "fontsize": 7.5}
        words, colour = _slope(fits[place]), look(place)["color"]
        axes.annotate(words, (at, 10**taken), color=colour, annotation_clip=False, **spot)


def _triangles(axes: Axes, every: list[tuple[Array, Array]], slopes: list[float]) -> None:
    """Draw the largest and the smallest of the slopes, rounded to halves, as triangles below all lines."""
    low = min(math.log10(float(fit.min())) for _, fit in every)
    high = max(math.log10(float(fit.max())) for _, fit in every)
    first = min(math.log10(float(h.min())) for h, _ in every)
    last = max(math.log10(float(h.max())) for h, _ in every)
    chosen = slopes if len(slopes) < 3 else [slopes[0], slopes[-1]]
    width = 0.22 * (last - first)
    for k, slope in enumerate(chosen):
        right = last - 1.35 * k * width
        left = right - width
        # its upper edge is below the lowest line and point over the triangle
        inside = np.unique(np.concatenate([[left, right], *(np.log10(h) for h, _ in every)]).clip(left, right))
        lines = [np.interp(inside, np.log10(h), np.log10(fit)) for h, fit in every]
        room = 0.05 * (high - low + slope * width)
        foot = float(min((line - slope * (inside - left)).min() for line in lines)) - room
        x, y = 10.0 ** np.array([left, right, right, left]), 10.0 ** (foot + np.array([0, 0, slope * width, 0]))
        axes.plot(x, y, color=INK, linewidth=0.8)
        style: dict[str, Any] = {"textcoords": "offset points", "fontsize": 7.5, "color": INK}
        axes.annotate(f"{slope:g}", (10**right, 10 ** (foot + 0.5 * slope * width)), xytext=(3, -2), **style)
