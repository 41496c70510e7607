"""Stacked bars: dissipated energy by cause; parts of the energy ledger add up to a mark."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from flexmb.postproc.study.canvas import ROOM, WIDTH, Drawing, head_figure
from flexmb.postproc.study.columns import quoted, shown
from flexmb.postproc.study.spec import Asked, is_missing
from flexmb.postproc.style import BLUE, FAINT, GREEN, INK, ORANGE, PURPLE, SKY, VERMILLION
from flexmb.study.study_schema import OPTIONAL_WORKS
from flexmb.study.table import Row

TAKEN = {
    "contact": "contacts",
    "damping": "damping",
    "friction": "friction",
    "closing": "closings",
    "projection": "projections",
    "numerical": "the scheme",
}
"""Works of the ledger that dissipate energy, with their names: a bar shows the negative work."""
LOOKS = {
    "contact": (VERMILLION, ""),
    "damping": (GREEN, "...."),
    "friction": (ORANGE, "xxxx"),
    "closing": (PURPLE, "----"),
    "projection": (SKY, "||||"),
    "numerical": (BLUE, "////"),
}
OTHERS = ((BLUE, ""), (ORANGE, "////"), (GREEN, "...."), (PURPLE, "xxxx"), (SKY, "----"), (FAINT, "||||"))
BAR, MOST = 0.235, 20.0
"""Height of a bar and the maximum height of a figure, inches."""


def draw_bars(asked: Asked) -> Drawing:
    """Draw a horizontal bar per run, stacked of ``y``."""
    spec = asked.spec
    there = asked.whole.numbers_without_zeros(OPTIONAL_WORKS)
    works = tuple(part for part in TAKEN if part in there or part not in OPTIONAL_WORKS)
    parts = spec.y or works
    asked.numeric(*parts)
    ledger = set(parts) <= set(TAKEN) and {"initial", "final"} <= set(asked.whole.numbers)
    groups = _groups(asked)
    tall = sum(len(rows) + (0.9 if title else 0.25) for title, rows in groups)
    figure = Figure(figsize=(WIDTH, min(MOST, 1.15 + BAR * tall)), layout="constrained")
    heights = [len(rows) + 0.3 for _, rows in groups]
    frames = figure.subplots(len(groups), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    drawing = Drawing(figure, _head(asked, parts, ledger))
    for axes, (title, rows) in zip(frames, groups, strict=True):
        _frame(axes, asked, parts, rows, ledger)
        axes.set_title(quoted(title), fontsize=9)
        drawing.rows += [_cells(asked, row, parts, ledger) for row in rows]
    words = "dissipated energy [J]" if ledger else _common(asked, parts)
    frames[-1].set_xlabel(words)
    head_figure(figure, spec.title)
    _legend(figure, asked, parts, ledger)
    if ledger and set(parts) >= set(works):
        off = max(abs(_mark(row) - sum(_sizes(row, parts, True))) for row in asked.table.rows if row.done)
        asked.notes.append(f"the parts add up to the mark within {shown(off, 2)} J in all runs")
    return drawing


def _groups(asked: Asked) -> list[tuple[str, list[Row]]]:
    """Return the rows of each panel, also failed ones, since a missing bar must be visible."""
    second = asked.spec.by[1:2]
    if not second:
        return [("", list(asked.table.rows))]
    name = second[0]
    values = asked.table.values(name)
    return [(asked.columns.value(name, v), [r for r in asked.table.rows if r.value(name) == v]) for v in values]


def _frame(axes: Axes, asked: Asked, parts: tuple[str, ...], rows: list[Row], ledger: bool) -> None:
    at = np.arange(len(rows), dtype=np.float64)
    right, left = np.zeros(len(rows)), np.zeros(len(rows))
    for k, part in enumerate(parts):
        size = np.nan_to_num([_sizes(row, (part,), ledger)[0] for row in rows])
        colour, hatch = _look(part, k)
        start = np.where(size >= 0.0, right, left)
        style: dict[str, Any] = {"color": colour, "hatch": hatch, "edgecolor": "white", "linewidth": 0.0}
        axes.barh(at, size, left=start, height=0.72, **style)
        right += np.maximum(size, 0.0)
        left += np.minimum(size, 0.0)
    for k, row in enumerate(rows):
        if not row.done:
            axes.annotate("failed", (0.0, k), xytext=(4, 0), textcoords="offset points", va="center", fontsize=8)
        elif ledger:
            axes.plot([_mark(row)] * 2, [k - 0.46, k + 0.46], color=INK, linewidth=1.6, solid_capstyle="butt")
    axes.axvline(0.0, color=INK, linewidth=0.7)
    axes.set_yticks(at, [quoted(_name(asked, row)) for row in rows])
    axes.set_ylim(len(rows) - 0.45, -0.55)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)
    axes.margins(x=0.04)


def _name(asked: Asked, row: Row) -> str:
    """Return the name that distinguishes a bar from the others of its panel."""
    rows, spec = asked.table.rows, asked.spec
    varied = [name for name in asked.table.axes if len({other.value(name) for other in rows}) > 1]
    names = [name for name in (*spec.by[:1], *((spec.x,) if spec.x else ()), *varied) if name not in spec.by[1:2]]
    words = [asked.columns.value(name, row.value(name)) for name in dict.fromkeys(names)]
    return ", ".join(words) or asked.words_of(row)


def _sizes(row: Row, parts: tuple[str, ...], ledger: bool) -> list[float]:
    return [float(row.value(part)) * (-1.0 if ledger else 1.0) for part in parts]


def _mark(row: Row) -> float:
    """Return the total loss: initial energy and work of loads, minus the final energy."""
    external = row.value("external")
    given = 0.0 if is_missing(external) else float(external)
    return float(row.value("initial")) + given - float(row.value("final"))


def _look(part: str, k: int) -> tuple[str, str]:
    return LOOKS.get(part) or OTHERS[k % len(OTHERS)]


def _common(asked: Asked, parts: tuple[str, ...]) -> str:
    units = {asked.columns.unit(part) for part in parts}
    unit = units.pop() if len(units) == 1 else ""
    if len(parts) == 1:
        return asked.columns.label(parts[0])
    return f"sum [{quoted(unit)}]" if unit else "sum"


def _legend(figure: Figure, asked: Asked, parts: tuple[str, ...], ledger: bool) -> None:
    handles: list[Any] = []
    for k, part in enumerate(parts):
        colour, hatch = _look(part, k)
        words = f"dissipated by {TAKEN[part]}" if ledger else asked.columns.word(part)
        handles.append(Patch(facecolor=colour, hatch=hatch, edgecolor="white", linewidth=0.0, label=quoted(words)))
    if ledger:
        loads = any(float(np.nan_to_num(float(row.value("external")))) != 0.0 for row in asked.table.rows if row.done)
        words = "initial + work of loads − final" if loads else "initial − final"
        mark: dict[str, Any] = {"color": INK, "marker": "|", "markersize": 11, "markeredgewidth": 1.6, "linestyle": ""}
        handles.append(Line2D([], [], label=words, **mark))
    figure.legend(handles=handles, loc="outside lower center", ncols=min(4, len(handles)), **ROOM)


def _head(asked: Asked, parts: tuple[str, ...], ledger: bool) -> list[str]:
    units = [asked.columns.unit(part) for part in parts]
    words = [f"dissipated by {part}" if ledger else part for part in parts]
    shown_ = [f"{word} [{unit}]" if unit else word for word, unit in zip(words, units, strict=True)]
    return [*asked.whole.axes, "status", *shown_, *(["initial - final [J]", "sum [J]"] if ledger else [])]


def _cells(asked: Asked, row: Row, parts: tuple[str, ...], ledger: bool) -> list[Any]:
    sizes = _sizes(row, parts, ledger)
    ends = [_mark(row), sum(sizes)] if ledger else []
    return [*(row.axes.get(name, "") for name in asked.whole.axes), row.status, *sizes, *ends]
