"""Board, time cursors and the time as text in a render window, around the scene."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyvista as pv
from matplotlib.font_manager import FontProperties, findfont
from vtkmodules.vtkCommonCore import vtkPoints
from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkPolyData
from vtkmodules.vtkRenderingCore import vtkActor2D, vtkCoordinate, vtkPolyDataMapper2D, vtkRenderer, vtkTextActor

from flexmb.postproc.arrays import Plotter
from flexmb.postproc.board import Board, Box

VTK_FONT_FILE = 4
"""VTK code for a font given by its file; the font of matplotlib is used, so that all text looks alike."""


class Overlay:
    """Draws a board behind the scene, whose renderer gets the region left by the board.

    Parameters
    ----------
    plotter : pyvista.Plotter
    renderer : pyvista.Renderer
        That of the scene.
    board : Board
    box : Box
        The part of the window that belongs to them.
    """

    def __init__(self, plotter: Plotter, renderer: Any, board: Board, box: Box = (0.0, 0.0, 1.0, 1.0)) -> None:
        self.renderer, self.box = renderer, box
        self.back = vtkRenderer()
        self.back.SetViewport(box[0], box[1], box[0] + box[2], box[1] + box[3])
        self.back.SetInteractive(False)
        self.back.SetLayer(0)
        self.lines = [_line() for _ in board.charts]
        self.clock, self.pace, self.caption = vtkTextActor(), vtkTextActor(), vtkTextActor()
        for actor in (*self.lines, self.clock, self.pace, self.caption):
            self.back.AddViewProp(actor)
        window = plotter.render_window
        window.SetNumberOfLayers(2)
        window.AddRenderer(self.back)
        renderer.SetLayer(1)
        self.use(board)

    def use(self, board: Board) -> None:
        """Show another board (the window has changed its size)."""
        self.board = board
        (left, low, wide, high), (x, y, width, height) = self.box, board.scene
        corner = left + x * wide, low + y * high
        self.renderer.SetViewport(*corner, corner[0] + width * wide, corner[1] + height * high)
        to_texture: Any = pv.numpy_to_texture
        texture = to_texture(np.ascontiguousarray(board.image()))
        texture.InterpolateOff()
        self.back.SetBackgroundTexture(texture)
        self.back.SetTexturedBackground(True)
        self._place_words()

    def show(self, t: float) -> None:
        """Set the cursors and the clock to time t, s."""
        for actor, (x, low, high) in zip(self.lines, self.board.cursors(t), strict=True):
            actor.GetProperty().SetLineWidth(1.3 * self.board.dpi / 130.0)
            points = vtkPoints()
            points.InsertNextPoint(x, low, 0.0)
            points.InsertNextPoint(x, high, 0.0)
            actor.GetMapper().GetInput().SetPoints(points)
        self.clock.SetInput(f"t = {t:.6g} s")

    def _place_words(self) -> None:
        """Place the time to the right of the title, the speed below it, the meaning of grey below the scene."""
        x, y = self.board.scene[:2]
        for actor, place, points, weight, grey in (
            (self.clock, (0.98, 0.957), 13, "bold", 0.13),
            (self.pace, (0.98, 0.919), 9, "normal", 0.27),
            (self.caption, (x, y - 0.012), 8, "normal", 0.47),
        ):
            actor.GetPositionCoordinate().SetCoordinateSystemToNormalizedViewport()
            actor.GetPositionCoordinate().SetValue(*place)
            words = actor.GetTextProperty()
            use_font(words, "DejaVu Sans", max(6, round(points * self.board.dpi / 72)), weight)
            words.SetJustificationToRight()
            words.SetVerticalJustificationToCentered()
            words.SetColor(grey, grey, grey)
        self.caption.GetTextProperty().SetJustificationToLeft()
        self.caption.GetTextProperty().SetVerticalJustificationToTop()


def use_font(words: Any, family: str, size: int, weight: str = "normal") -> None:
    """Set the font of a text property of VTK."""
    words.SetFontFamily(VTK_FONT_FILE)
    words.SetFontFile(findfont(FontProperties(family=family, weight=weight)))
    words.SetFontSize(size)


def _line() -> Any:
    """Return a line between two points given in fractions of the window."""
    cells = vtkCellArray()
    cells.InsertNextCell(2)
    cells.InsertCellPoint(0)
    cells.InsertCellPoint(1)
    data = vtkPolyData()
    data.SetLines(cells)
    place = vtkCoordinate()
    place.SetCoordinateSystemToNormalizedViewport()
    mapper = vtkPolyDataMapper2D()
    mapper.SetInputData(data)
    mapper.SetTransformCoordinate(place)
    actor = vtkActor2D()
    actor.SetMapper(mapper)
    actor.GetProperty().SetColor(0.1, 0.1, 0.1)
    return actor
