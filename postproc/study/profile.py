"""Performance profiles (Dolan and More 2002): how often a scheme is within a factor of the best."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator, PercentFormatter

from flexmb.analysis.measures import PerformanceProfile, performance_profile
from flexmb.postproc.study.canvas import Drawing, Legend, frames, head_figure, look
from flexmb.postproc.study.columns import quoted
from flexmb.postproc.study.spec import Asked
from flexmb.study.table import Row, Value


def draw_profile(asked: Asked) -> Drawing:
    """Draw the profile of each cost ``y``: ``by`` distinguishes solvers, all other axes are the problems."""
    spec = asked.spec
    if len(spec.by) != 1 or not spec.y:
        raise asked.error("needs y (costs) and one by (the solvers)")
    asked.numeric(*spec.y)
    solvers = asked.table.values(spec.by[0])
    places = asked.whole.values(spec.by[0])
    legend = Legend({asked.columns.value(spec.by[0], s): places.index(s) for s in solvers}, beside=len(spec.y) == 1)
    figure, axes = frames(len(spec.y), legend.lines, height=3.4)
    drawing = Drawing(figure, ["cost", spec.by[0], "ratio to the best", "share of problems"])
    for one, y in zip(axes, spec.y, strict=True):
        found = performance_profile(np.array(_costs(asked, y, solvers)))
        _frame(one, asked, found, [places.index(s) for s in solvers])
        one.set_title(quoted(asked.columns.word(y)), fontsize=9)
        for k, solver in enumerate(solvers):
            drawing.rows += [[y, solver, *step] for step in zip(*found.steps(k), strict=True)]
    head_figure(figure, spec.title)
    legend.draw(figure)
    # the note for the reader on failures, which are not left out here
    asked.notes[:] = [note.replace("left out", "counted as an infinite ratio") for note in asked.notes]
    return drawing


def _costs(asked: Asked, y: str, solvers: list[Value]) -> list[list[float]]:
    """Return the costs by problem and solver; nan for failed or missing runs."""
    solver = asked.spec.by[0]
    others = [name for name in asked.table.axes if name != solver]
    problems: dict[tuple[Value, ...], dict[Value, Row]] = {}
    for row in asked.table.rows:
        own = problems.setdefault(tuple(row.value(name) for name in others), {})
        own[row.value(solver)] = row
    single = sum(len(own) < len(solvers) for own in problems.values())
    if len(solvers) > 1 and all(len(own) < 2 for own in problems.values()):
        raise asked.error(f"no problem has two solvers: does another axis vary together with '{solver}'?")
    if single:
        asked.notes.append(f"{single} of {len(problems)} problems lack a run of a solver, which counts as a failure")
    return [
        [float(own[s].value(y)) if s in own and own[s].done else math.nan for s in solvers] for own in problems.values()
    ]


def _frame(axes: Axes, asked: Asked, found: PerformanceProfile, places: list[int]) -> None:
    finite = found.ratios[np.isfinite(found.ratios)]
    last = 1.15 * max(float(finite.max(initial=1.0)), 1.7)
    axes.set_xscale("log")
    for k, place in enumerate(places):
        tau, rho = found.steps(k)
        style = look(place) | {"drawstyle": "steps-post", "markevery": slice(0, len(tau))}
        axes.plot(np.append(tau, last), np.append(rho, rho[-1]), clip_on=False, zorder=3, **style)
    powers = [2.0**k for k in range(31) if 2.0**k <= last] if last <= 64 else None
    if powers:
        axes.xaxis.set_major_locator(FixedLocator(powers))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
        axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    axes.set(xlabel="ratio to the best, τ", ylabel="problems solved within τ", xlim=(1.0, last), ylim=(0.0, 1.0))
