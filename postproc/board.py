"""The surroundings of the scene: title, colour bar and charts, drawn by matplotlib as one background picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from numpy.typing import NDArray

from flexmb.postproc.chart_ends import ChartEnds, draws_of
from flexmb.postproc.open_folder import Opened
from flexmb.postproc.style import FIELD_MAP, SIGNED_MAP, STYLE, VERMILLION
from flexmb.postproc.ticks import take_out_power
from flexmb.record.result import Result

Box = tuple[float, float, float, float]
"""Left, bottom, width, height as fractions of the window."""
FULL = (1600, 900)
"""Window size, pixels, at which text has its nominal size."""
BESIDE: Box = (0.02, 0.09, 0.42, 0.77)
BELOW: Box = (0.02, 0.47, 0.86, 0.395)
ABOVE: Box = (0.03, 0.6, 0.74, 0.26)
"""Position of the scene if the charts are beside it, below it in a row, or (in a tall window) stacked below it."""
HIGH = 1.25
"""Windows with a smaller ratio of width to height are tall."""


@dataclass(frozen=True)
class Labels:
    """The texts and numbers of the board.

    Parameters
    ----------
    field : str
        Quantity shown by colours, with its unit; empty without a field.
    limits : tuple of float
        Values at the ends of the colour map.
    notes : tuple of str
        Notes for the reader: unfinished run, enlarged sections.
    keys : str
        The keys of the window.
    name : str
        Name that distinguishes the result from others in the window.
    signed : bool
        Whether the colour map is centred at zero.
    """

    field: str
    limits: tuple[float, float]
    notes: tuple[str, ...]
    keys: str = ""
    name: str = ""
    signed: bool = False


class Board:
    """The background picture, and the positions of the scene and the time cursors on it.

    Parameters
    ----------
    opened : Opened
    labels : Labels
    size : tuple of int
        Width and height of the window, pixels.
    aspect : float
        Width over height of the scene.
    """

    def __init__(self, opened: Opened, labels: Labels, size: tuple[int, int], aspect: float) -> None:
        self.size = size
        self.high = size[0] < HIGH * size[1]
        self.tall = self.high or _height(aspect, BESIDE, size) > _height(aspect, BELOW, size)
        self.scene = ABOVE if self.high else BESIDE if self.tall else BELOW
        full = (0.5 * FULL[0], FULL[1]) if self.high else FULL
        self.dpi = 130.0 * min(size[0] / full[0], size[1] / full[1]) * (0.85 if self.high else 1.0)
        with matplotlib.rc_context(STYLE):
            self.figure = Figure(figsize=(size[0] / self.dpi, size[1] / self.dpi), dpi=self.dpi, facecolor="white")
            self._canvas: Any = FigureCanvasAgg(self.figure)
            self._title(opened, labels)
            if labels.field:
                self._colour_bar(labels)
            self.charts = self._charts(opened.result)
            self._clear_between()

    def share(self, ends: ChartEnds) -> None:
        """Set the axis ends of the charts to those of neighbouring boards."""
        for axes in self.charts:
            ends.give(axes)
        self._clear_between()

    def image(self) -> NDArray[np.uint8]:
        """Return the picture, (height, width, 3)."""
        self._canvas.draw()
        return np.asarray(self._canvas.buffer_rgba())[:, :, :3].copy()

    def cursors(self, t: float) -> list[tuple[float, float, float]]:
        """Return x, lower y, upper y of the time cursor of each chart, in fractions of the window."""
        out = []
        for axes in self.charts:
            box = axes.get_position()
            left, right = axes.get_xlim()
            part = (t - left) / (right - left)
            out.append((box.x0 + part * box.width, box.y0, box.y1))
        return out

    def _title(self, opened: Opened, labels: Labels) -> None:
        x = self.scene[0]
        name = opened.title or (opened.result.folder.resolve().name if opened.result.folder is not None else "")
        tolerance = opened.result.summary.get("tolerance")
        step = f"tolerance = {tolerance:.4g}" if tolerance else f"h = {opened.h:.6g} s" if np.isfinite(opened.h) else ""
        scheme = ",  ".join(word for word in (labels.name, opened.scheme, step) if word)
        # as many letters as fit at the current text size
        wide = self.size[0] / self.dpi / (FULL[0] / 130.0)
        size = max(9.0, min(13.0, 13.0 * int(82 * wide) / max(len(name), 1)))  # long titles are smaller, then shortened
        self._text(
            x, 0.957, _shortened(name, int(82 * 13 / size * wide)), va="center", fontsize=size, fontweight="bold"
        )
        self._text(x, 0.919, _shortened(scheme, int(140 * wide)), va="center", fontsize=9, color="#444444")
        notes = _shortened(";  ".join(labels.notes), int(165 * wide))
        self._text(x, 0.884, notes, va="center", fontsize=8, color=VERMILLION)
        self._text(x, 0.01, labels.keys, va="bottom", fontsize=8, color="#777777")

    def _text(self, x: float, y: float, words: str, **look: Any) -> None:
        """Write text of the user literally: a $ does not start a formula."""
        self.figure.text(x, y, words, parse_math=False, **look)

    def _colour_bar(self, labels: Labels) -> None:
        x, y, width, height = self.scene
        left, thick = (x + width + 0.075, 0.022) if self.high else (x + width + 0.035, 0.012)
        axes = self.figure.add_axes((left, y + 0.06 * height, thick, 0.82 * height))
        shown = ScalarMappable(Normalize(*labels.limits), cmap=SIGNED_MAP if labels.signed else FIELD_MAP)
        bar = self.figure.colorbar(shown, cax=axes)
        bar.outline.set_visible(False)
        axes.grid(False)
        axes.yaxis.labelpad = 6
        take_out_power(axes.yaxis, labels.limits, labels.field)
        axes.yaxis.set_label_position("left")

    def _charts(self, result: Result) -> list[Axes]:
        draws = draws_of(result)
        charts = [self.figure.add_axes(box) for box in self._boxes(len(draws))]
        for axes, draw in zip(charts, draws, strict=True):
            draw(axes, result)
        return charts

    def _clear_between(self) -> None:
        """Remove the time axis labels of all but the lowest of stacked charts."""
        for axes in self.charts[:-1] if self.tall else []:
            axes.set_xlabel("")
            axes.tick_params(labelbottom=not self.high)

    def _boxes(self, count: int) -> list[Box]:
        """Return the positions of the charts: in a row below the scene, or in a column beside it."""
        if self.high:
            height = (0.55 - 0.075) / max(count, 1)
            return [(0.12, 0.075 + (count - 1 - k) * height, 0.84, height - 0.062) for k in range(count)]
        if self.tall:
            height = (0.9 - 0.1) / max(count, 1)
            return [(0.62, 0.1 + (count - 1 - k) * height, 0.36, height - 0.095) for k in range(count)]
        gap, left, right = 0.058, 0.055, 0.98
        width = (right - left - (count - 1) * gap) / max(count, 1)
        return [(left + k * (width + gap), 0.1, width, 0.26) for k in range(count)]


def _height(aspect: float, box: Box, size: tuple[int, int]) -> float:
    """Return the height, in pixels, at which a scene of this aspect ratio fits into a box."""
    return min(box[3] * size[1], box[2] * size[0] / aspect)


def _shortened(words: str, most: int) -> str:
    words = " ".join(words.split())
    return words if len(words) <= most else words[: most - 1] + "…"
