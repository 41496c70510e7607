"""Work-precision diagrams: errors over costs, as processor time and as steps."""

from __future__ import annotations

from matplotlib.axes import Axes

from flexmb.postproc.study.canvas import (
    Drawing,
    Legend,
    entries_of,
    frames,
    head_figure,
    label_frame,
    look,
    numbers,
    set_scales,
    tidy_log,
)
from flexmb.postproc.study.lines import head_of, rows_of
from flexmb.postproc.study.spec import Asked, Panel

COSTS = (
    "summary.wall_time_s",
    "summary.steps",
    "summary.steps_taken",
    "summary.newton_iterations",
    "summary.iterations",
)
"""Signals that are a cost: measures of them are the default x axes."""


def draw_work_precision(asked: Asked) -> Drawing:
    """Draw each error ``y`` over each cost: ``x``, or all measures that are costs."""
    spec = asked.spec
    costs = (spec.x,) if spec.x else costs_of(asked)
    if not costs or not spec.y:
        raise asked.error("needs y (errors), and x or a measure of summary.wall_time_s or summary.steps")
    asked.numeric(*spec.y, *costs)
    plan = [(y, x, panel) for y in spec.y for panel in asked.panels for x in costs]
    legend = Legend(entries_of(asked), beside=len(plan) == 1)
    figure, axes = frames(len(plan), legend.lines, height=3.4, across=len(costs), share_y=1 < len(costs) <= 3)
    for one, (y, x, panel) in zip(axes, plan, strict=True):
        _frame(one, asked, panel, x, y)
    head_figure(figure, spec.title)
    legend.draw(figure)
    return Drawing(figure, head_of(asked, (*costs, *spec.y)), rows_of(asked, (*costs, *spec.y)))


def costs_of(asked: Asked) -> tuple[str, ...]:
    """Return the measures that are costs."""
    measures = asked.columns.measures
    return tuple(name for name, own in measures.items() if own.get("signal") in COSTS and name in asked.whole.numbers)


def _frame(axes: Axes, asked: Asked, panel: Panel, x: str, y: str) -> None:
    log = "xy" if asked.spec.log is None else asked.spec.log
    set_scales(axes, log)
    for series in panel.series:
        axes.plot(numbers(series, x), numbers(series, y), **look(series.place))
    label_frame(axes, asked.columns.label(x), asked.columns.label(y), panel.title)
    for key, name in (("x", x), ("y", y)):
        asked.missing(name, panel.series)
        if key in log:
            asked.positive(name, panel.series)
    tidy_log(axes, log)
