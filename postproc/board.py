"""What stands around the scene: title, colour bar and charts, drawn by matplotlib as one picture behind it."""

from __future__ import annotations

from collections.abc import Callable
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

from flexmb.postproc.open_folder import Opened
from flexmb.postproc.plots import draw_energy, draw_forces, draw_gaps
from flexmb.postproc.style import FIELD_MAP, STYLE, VERMILLION
from flexmb.result import Result

Box = tuple[float, float, float, float]
"""Left, bottom, width, height in parts of the window."""
FULL = (1600, 900)
"""Size, pixels, at which text has the size the style gives it."""
BESIDE: Box = (0.02, 0.09, 0.42, 0.77)
BELOW: Box = (0.02, 0.47, 0.86, 0.395)
"""Place of the scene when the charts stand beside it or below it."""


@dataclass(frozen=True)
class Labels:
    """The words and numbers of the board.

    Parameters
    ----------
    field : str
        What the colours mean, with its unit; empty when nothing is coloured by a field.
    limits : tuple of float
        Values at the ends of the colour map.
    notes : tuple of str
        What the reader must know: unfinished run, enlarged sections.
    keys : str
        The keys of the window.
    """

    field: str
    limits: tuple[float, float]
    notes: tuple[str, ...]
    keys: str = ""


class Board:
    """The picture behind the scene, and where on it the scene and the time cursors go.

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
        self.tall = _height(aspect, BESIDE, size) > _height(aspect, BELOW, size)
        self.scene = BESIDE if self.tall else BELOW
        self.dpi = 130.0 * min(size[0] / FULL[0], size[1] / FULL[1])
        with matplotlib.rc_context(STYLE):
            self.figure = Figure(figsize=(size[0] / self.dpi, size[1] / self.dpi), dpi=self.dpi, facecolor="white")
            self._canvas: Any = FigureCanvasAgg(self.figure)
            self._title(opened, labels)
            if labels.field:
                self._colour_bar(labels)
            self.charts = self._charts(opened)

    def image(self) -> NDArray[np.uint8]:
        """Return the picture, (height, width, 3)."""
        self._canvas.draw()
        return np.asarray(self._canvas.buffer_rgba())[:, :, :3].copy()

    def cursors(self, t: float) -> list[tuple[float, float, float]]:
        """Return x, lower y, upper y of the time cursor of each chart, in parts of the window."""
        out = []
        for axes in self.charts:
            box = axes.get_position()
            left, right = axes.get_xlim()
            part = (t - left) / (right - left)
            out.append((box.x0 + part * box.width, box.y0, box.y1))
        return out

    def _title(self, opened: Opened, labels: Labels) -> None:
        x, y = self.scene[:2]
        name = opened.title or (opened.result.folder.name if opened.result.folder is not None else "")
        scheme = ",  ".join(word for word in (opened.scheme, f"h = {opened.h:.6g} s") if word)
        self._text(x, 0.957, _shortened(name, 90), va="center", fontsize=13, fontweight="bold")
        self._text(x, 0.919, _shortened(scheme, 150), va="center", fontsize=9, color="#444444")
        self._text(x, 0.884, _shortened(";  ".join(labels.notes), 170), va="center", fontsize=8, color=VERMILLION)
        self._text(x, y - 0.012, "grey: reference position", va="top", fontsize=8, color="#777777")
        self._text(x, 0.01, labels.keys, va="bottom", fontsize=8, color="#777777")

    def _text(self, x: float, y: float, words: str, **look: Any) -> None:
        """Write words of the user as they are: a $ does not begin a formula."""
        self.figure.text(x, y, words, parse_math=False, **look)

    def _colour_bar(self, labels: Labels) -> None:
        x, y, width, height = self.scene
        axes = self.figure.add_axes((x + width + 0.035, y + 0.06 * height, 0.012, 0.82 * height))
        shown = ScalarMappable(Normalize(*labels.limits), cmap=FIELD_MAP)
        bar = self.figure.colorbar(shown, cax=axes)
        bar.outline.set_visible(False)
        axes.grid(False)
        axes.set_ylabel(labels.field, labelpad=6)
        axes.yaxis.set_label_position("left")

    def _charts(self, opened: Opened) -> list[Axes]:
        result = opened.result
        draw: list[Callable[[Axes, Result], None]] = [draw_gaps, draw_forces] if result.contacts else []
        draw += [draw_energy] if "/energy/kinetic" in result.tree else []
        charts = [self.figure.add_axes(box) for box in self._boxes(len(draw))]
        for axes, function in zip(charts, draw, strict=True):
            function(axes, result)
        for axes in charts[:-1] if self.tall else []:
            axes.set_xlabel("")
        return charts

    def _boxes(self, count: int) -> list[Box]:
        """Return the places of the charts: in a row below the scene, or in a column beside it."""
        if self.tall:
            height = (0.9 - 0.1) / max(count, 1)
            return [(0.62, 0.1 + (count - 1 - k) * height, 0.36, height - 0.095) for k in range(count)]
        gap, left, right = 0.058, 0.055, 0.98
        width = (right - left - (count - 1) * gap) / max(count, 1)
        return [(left + k * (width + gap), 0.1, width, 0.26) for k in range(count)]


def _height(aspect: float, box: Box, size: tuple[int, int]) -> float:
    """Return how high, in pixels, a scene of this width over height can be drawn in a box."""
    return min(box[3] * size[1], box[2] * size[0] / aspect)


def _shortened(words: str, most: int) -> str:
    words = " ".join(words.split())
    return words if len(words) <= most else words[: most - 1] + "…"
