"""Frames, styles of series and legends of all figures of studies."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from flexmb.postproc.study.columns import quoted, shown
from flexmb.postproc.study.spec import Asked, Series
from flexmb.postproc.style import BLUE, GREEN, INK, ORANGE, PURPLE, SKY, VERMILLION

WIDTH = 7.0
"""Width of a figure, inches: two columns of a journal."""
COLOURS = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY, INK)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", "p", ">", "h", "*", "d")
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.6)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)))
ROOM: dict[str, Any] = {"handlelength": 2.4, "borderaxespad": 0.5}
"""Spacing of legends."""
LONG = 34
"""Labels of series longer than this are placed below the frames."""
TITLE = "title"
"""Identifier of the title of a figure."""


@dataclass
class Drawing:
    """A figure, its numbers, and its notes.

    Parameters
    ----------
    figure : Figure
    head : list of str
        Columns of the CSV file.
    rows : list of lists
        Its rows.
    """

    figure: Figure
    head: list[str] = field(default_factory=list)
    rows: list[list[Any]] = field(default_factory=list)

    def to_csv(self) -> str:
        """Return the data of the figure as CSV, with all digits."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.head)
        writer.writerows([[_cell(value) for value in row] for row in self.rows])
        return out.getvalue()


def _cell(value: Any) -> str:
    if isinstance(value, (float, np.floating)):
        return "" if math.isnan(value) else repr(float(value))
    return shown(value)


def look(place: int) -> dict[str, Any]:
    """Return colour, marker and dashes of a series; no two of the first 91 have the same colour and marker."""
    return {
        "color": COLOURS[place % len(COLOURS)],
        "marker": MARKERS[place % len(MARKERS)],
        "linestyle": DASHES[(place // len(COLOURS)) % len(DASHES)],
        "fillstyle": "none",
        "markersize": 5.5,
        "markeredgewidth": 1.1,
        "linewidth": 1.2,
    }


def frames(
    count: int, legend: int, height: float = 3.1, across: int = 0, share_y: bool = False
) -> tuple[Figure, list[Axes]]:
    """Return a figure with a number of frames and with space for a legend.

    Parameters
    ----------
    count : int
    legend : int
        Number of lines of the legend below.
    height : float
        Of a frame, inch.
    across : int
        Number of frames in a row; 0: chosen automatically.
    share_y : bool
        Whether frames in a row have one y axis.
    """
    across = across if 1 < across <= 3 else {1: 1, 2: 2, 3: 3, 4: 2}.get(count, 3)
    down = -(-count // across)
    height = height if across < 3 else 0.8 * height
    figure = Figure(figsize=(WIDTH, 0.3 + height * down + 0.17 * legend), layout="constrained")
    grid = figure.subplots(down, across, squeeze=False, sharey="row" if share_y else False)
    axes = list(grid.ravel())
    for spare in axes[count:]:
        spare.remove()
    return figure, axes[:count]


def panel_frames(asked: Asked, names: Sequence[Any], legend: int, height: float = 3.1) -> tuple[Figure, list[Axes]]:
    """Return a figure with a frame per name and panel; panels of one name are in a row and share the y axis."""
    panels = len(asked.panels)
    return frames(len(names) * panels, legend, height, across=panels, share_y=1 < panels <= 3 or len(names) == 1)


class Legend:
    """The legend of a figure, always outside of its frames: right of a single one, below several.

    Parameters
    ----------
    entries : mapping of str to int
        Indices of the styles by label.
    extra : sequence of Line2D
        More entries.
    beside : bool
        Whether it may be placed on the right.
    """

    def __init__(self, entries: Mapping[str, int], extra: Sequence[Any] = (), beside: bool = True) -> None:
        self.labels = [label for label in entries if label]
        self.handles = [Line2D([], [], label=quoted(label), **look(entries[label])) for label in self.labels]
        self.handles += list(extra)
        longest = max((len(str(handle.get_label())) for handle in self.handles), default=0)
        self.right = beside and len(self.handles) > 3 and longest <= LONG
        most = max(1, min(4, len(self.handles), int(WIDTH * 14.5 / (longest + 6))))
        rows = -(-len(self.handles) // most)
        self.across = -(-len(self.handles) // max(1, rows))
        self.lines = 0 if self.right else rows
        """Number of lines it occupies below the frames."""

    def draw(self, figure: Figure) -> None:
        """Draw it beside or below the frames."""
        if not self.handles:
            return
        if self.right:
            figure.legend(handles=self.handles, loc="outside right upper", labelspacing=0.55, **ROOM)
        else:
            figure.legend(handles=self.handles, loc="outside lower center", ncols=self.across, **ROOM)


def entries_of(asked: Asked) -> dict[str, int]:
    """Return the labels of all series with the indices of their styles."""
    return {one.label: one.place for panel in asked.panels for one in panel.series}


def head_figure(figure: Figure, title: str) -> None:
    """Write the title above all frames, if there is one."""
    if title:
        figure.suptitle(quoted(title), fontsize=10.5, x=0.01, ha="left", gid=TITLE)


def behead_figure(figure: Figure) -> None:
    """Remove the title and update the layout, for a page that prints the title itself."""
    for text in figure.texts:
        if text.get_gid() == TITLE:
            text.set(visible=False, in_layout=False)
    figure.set_layout_engine("constrained")


def label_frame(axes: Axes, x: str, y: str, title: str) -> None:
    """Write labels and title; in a row with one y axis only the first frame has its label."""
    first = axes.get_subplotspec()
    shared = len(axes.get_shared_y_axes().get_siblings(axes)) > 1 and first is not None and not first.is_first_col()
    axes.set(xlabel=x, ylabel="" if shared else y)
    axes.set_title(quoted(title), fontsize=9)


def set_scales(axes: Axes, log: str) -> None:
    """Make axes logarithmic, with lines at the minor ticks only for few decades."""
    for key, axis, scale in (("x", axes.xaxis, axes.set_xscale), ("y", axes.yaxis, axes.set_yscale)):
        if key in log:
            scale("log")
            axis.set_minor_locator(LogLocator(subs=tuple(range(2, 10)), numticks=99))
    axes.tick_params(which="minor", length=2.0, pad=5.0)  # labels of minor and major ticks on one line


def tidy_log(axes: Axes, log: str) -> None:
    """Label 1, 2 and 5 on a logarithmic axis of few decades, else powers of ten only."""
    for key, axis, (low, high) in (("x", axes.xaxis, axes.get_xlim()), ("y", axes.yaxis, axes.get_ylim())):
        if key not in log:
            continue
        decades = math.log10(high) - math.log10(low)
        digits = "235" if decades < 0.9 else "25"
        few = FuncFormatter(lambda x, _, digits=digits: log_word(x, digits))
        axis.set_minor_formatter(few if decades < 1.7 else NullFormatter())
        axis.set_major_formatter(FuncFormatter(lambda x, _: log_word(x, "1")))
        axis.set_tick_params(which="minor", labelsize=8.0)


def log_word(x: float, digits: str) -> str:
    """Return the label of a number of one digit, or a power of ten; empty if its digit is not labelled."""
    power = math.floor(math.log10(x) + 1e-9)
    digit = round(x / 10.0**power)
    if str(digit) not in digits:
        return ""
    if -3 <= power <= 4:
        return f"{x:g}"
    return f"$10^{{{power}}}$" if digit == 1 else rf"${digit}\!\cdot\!10^{{{power}}}$"


def numbers(series: Series, name: str) -> list[float]:
    """Return a column of a series as numbers."""
    return [float(row.value(name)) for row in series.rows]
