"""What stands around the scene: title, colour bar and charts, drawn by matplotlib as one picture behind it."""

from __future__ import annotations

from dataclasses import dataclass

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

Box = tuple[float, float, float, float]
"""Left, bottom, width, height in parts of the window."""
FULL = (1600, 900)
"""Size, pixels, at which text has the size the style gives it."""
BESIDE: Box = (0.02, 0.09, 0.42, 0.78)
BELOW: Box = (0.02, 0.47, 0.86, 0.42)
"""Place of the scene when the charts stand beside it or below it."""


@dataclass(frozen=True)
class Labels:
    """The words and numbers of the board.

    Parameters
    ----------
    field : str
        What the colours mean, with its unit.
    limits : tuple of float
        Values at the ends of the colour map.
    notes : tuple of str
        What the reader must know: unfinished run, enlarged sections.
    """

    field: str
    limits: tuple[float, float]
    notes: tuple[str, ...]


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
            self._canvas = FigureCanvasAgg(self.figure)
            self._title(opened, labels)
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
        text = self.figure.text
        name = opened.title or (opened.result.folder.name if opened.result.folder is not None else "")
        text(0.02, 0.955, name, fontsize=13, fontweight="bold", va="center", parse_math=False)
        words = [opened.scheme, f"h = {opened.h:.6g} s"]
        text(0.02, 0.912, ",  ".join(w for w in words if w), fontsize=9, va="center", color="#444444")
        x, y = self.scene[:2]
        text(x, y - 0.012, "grey: reference position", fontsize=8, va="top", color="#777777")
        if labels.notes:
            text(0.98, 0.912, ";  ".join(labels.notes), fontsize=8, va="center", ha="right", color=VERMILLION)

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
        draw = [draw_gaps, draw_forces] if result.contacts else []
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
            height = (0.9 - 0.085) / max(count, 1)
            return [(0.62, 0.085 + (count - 1 - k) * height, 0.36, height - 0.095) for k in range(count)]
        gap, left, right = 0.058, 0.055, 0.98
        width = (right - left - (count - 1) * gap) / max(count, 1)
        return [(left + k * (width + gap), 0.085, width, 0.27) for k in range(count)]




def _height(aspect: float, box: Box, size: tuple[int, int]) -> float:
    """Return how high, in pixels, a scene of this width over height can be drawn in a box."""
    return min(box[3] * size[1], box[2] * size[0] / aspect)
