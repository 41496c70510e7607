"""The directions x, y and z of space in a corner of a scene, rotated with its camera."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
from vtkmodules.vtkRenderingAnnotation import vtkAxesActor
from vtkmodules.vtkRenderingCore import vtkRenderer

from flexmb.postproc.arrays import Plotter
from flexmb.postproc.overlay import use_font

SIZE = 0.26
"""Size of the triad, relative to the smaller side of the scene."""
MOST = 0.13
"""Its maximum size, relative to the smaller side of the window."""
REACH = 1.9
"""Half extent of the corner view; the axes have length one, with their labels beyond the ends."""
GREY = (0.35, 0.35, 0.35)


class Triad:
    """Axes in the lower left corner of a renderer.

    Parameters
    ----------
    plotter : pyvista.Plotter
    scene : vtkRenderer
        Whose camera they follow.
    dpi : float
        Resolution for the size of labels.
    """

    def __init__(self, plotter: Plotter, scene: Any, dpi: float) -> None:
        self.window, self.scene = plotter.render_window, scene
        self.renderer = vtkRenderer()
        self.renderer.SetInteractive(False)
        self.renderer.SetLayer(2)
        self.window.SetNumberOfLayers(max(3, self.window.GetNumberOfLayers()))
        self.window.AddRenderer(self.renderer)
        self.renderer.AddViewProp(_axes(dpi))
        self.renderer.GetActiveCamera().ParallelProjectionOn()
        follow = weakref.WeakMethod(self.follow)
        scene.AddObserver("StartEvent", lambda *_: _call(follow))

    def follow(self) -> None:
        """Rotate the axes with the camera of the scene, and place them in its current corner."""
        x0, y0, x1, y1 = self.scene.GetViewport()
        width, height = self.window.GetSize()
        side = min(SIZE * min((x1 - x0) * width, (y1 - y0) * height), MOST * min(width, height))
        self.renderer.SetViewport(x0, y0, x0 + side / max(width, 1), y0 + side / max(height, 1))
        eye, own = self.scene.GetActiveCamera(), self.renderer.GetActiveCamera()
        own.SetFocalPoint(0.0, 0.0, 0.0)
        own.SetPosition(*(-5.0 * np.array(eye.GetDirectionOfProjection())))
        own.SetViewUp(eye.GetViewUp())
        own.SetParallelScale(REACH)
        self.renderer.ResetCameraClippingRange()


def _call(method: Any) -> None:
    if (found := method()) is not None:
        found()


def _axes(dpi: float) -> vtkAxesActor:
    axes = vtkAxesActor()
    axes.SetTotalLength(1.0, 1.0, 1.0)
    axes.SetNormalizedShaftLength(0.8, 0.8, 0.8)
    axes.SetNormalizedTipLength(0.2, 0.2, 0.2)
    axes.SetNormalizedLabelPosition(1.25, 1.25, 1.25)
    axes.SetCylinderRadius(0.045)
    axes.SetConeRadius(0.35)
    axes.SetShaftTypeToCylinder()
    for letter in "XYZ":
        for part in ("Shaft", "Tip"):
            getattr(axes, f"Get{letter}Axis{part}Property")().SetColor(*GREY)
            getattr(axes, f"Get{letter}Axis{part}Property")().SetLighting(False)
        getattr(axes, f"Set{letter}AxisLabelText")(letter.lower())
        caption = getattr(axes, f"Get{letter}AxisCaptionActor2D")()
        caption.GetTextActor().SetTextScaleModeToNone()
        caption.BorderOff()
        caption.LeaderOff()
        words = caption.GetCaptionTextProperty()
        words.SetColor(*GREY)
        use_font(words, "DejaVu Sans", max(6, round(8 * dpi / 72)))
        words.ShadowOff()
    return axes
