"""A ParaView that only writes down what a script asks of it; it knows the properties that ParaView 5.11 has."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

SIZE = (1200, 700)
PROPERTIES = {
    "WarpByVector": "Vectors ScaleFactor",
    "ExtractSurface": "",
    "Shrink": "ShrinkFactor",
    "CellDatatoPointData": "CellDataArraytoprocess PassCellData ProcessAllArrays",
    "Tube": "Capping NumberofSides Radius RadiusFactor Scalars Vectors VaryRadius",
    "Glyph": "GlyphMode GlyphTransform OrientationArray ScaleArray ScaleFactor VectorScaleMode",
    "Transform2": "Translate Rotate Scale",
    "AnnotateTime": "Format",
    "reader": "",
    "display": "Representation ColorArrayName AmbientColor DiffuseColor Opacity LineWidth PointSize "
    "RenderPointsAsSpheres WindowLocation",
    "view": "ViewSize OrientationAxesVisibility CameraParallelProjection CameraParallelScale CameraFocalPoint "
    "CameraPosition CameraViewUp",
    "colours": "NanColor AutomaticRescaleRangeMode",
    "bar": "Title ComponentTitle AutoOrient Orientation WindowLocation Position ScalarBarLength AddRangeLabels "
    "DrawNanAnnotation",
    "scene": "PlayMode AnimationTime",
}
"""Kind of object -> properties that a script may set."""


class Thing:
    """An object of ParaView: properties can be set when it has them, methods are written down when called."""

    def __init__(self, kind: str, **own: Any) -> None:
        self.__dict__.update(own, kind=kind, called={})

    def __setattr__(self, name: str, value: object) -> None:
        assert name in PROPERTIES[self.kind].split(), f"{self.kind} has no property {name}"
        self.__dict__[name] = value

    def __getattr__(self, name: str) -> Callable[..., None]:
        if name.startswith("_") or name in PROPERTIES[self.__dict__["kind"]].split():
            raise AttributeError(name)
        return lambda *args: self.called.__setitem__(name, args)


class FakeParaView:
    """The functions of ``paraview.simple`` that are used.

    Parameters
    ----------
    readable : tuple of str
        Endings of the files that it can open.
    """

    def __init__(self, readable: tuple[str, ...] = (".vtkhdf", ".pvd")) -> None:
        self.readable = readable
        self.view = Thing("view", ViewSize=list(SIZE))
        self.scene = Thing("scene")
        self.made: list[Thing] = []
        self.shown: list[Thing] = []
        self.colours: dict[str, Thing] = {}
        self.called: list[str] = []
        self.bar = Thing("bar")

    def display_of(self, source: Thing) -> Thing:
        """Return how a source is shown; there must be one such display."""
        (display,) = [display for display in self.shown if display.source is source]
        return display

    def _open(self, path: str) -> Thing:
        if Path(path).suffix not in self.readable:
            raise RuntimeError("File not readable")
        return self._make("reader", path=path)

    def _make(self, kind: str, **own: Any) -> Thing:
        thing = Thing(kind, **own)
        if kind == "Glyph":
            thing.GlyphTransform = Thing("Transform2")
        self.made.append(thing)
        return thing

    def _show(self, source: Thing, view: Thing) -> Thing:
        assert view is self.view
        self.shown.append(Thing("display", source=source))
        return self.shown[-1]

    def _colour_by(self, display: Thing, what: tuple[str, ...]) -> None:
        display.__dict__["coloured"] = what

    def module(self) -> ModuleType:
        """Return it as ``paraview.simple``."""
        simple = ModuleType("paraview.simple")
        kinds = ("WarpByVector", "ExtractSurface", "Shrink", "CellDatatoPointData", "Tube", "Glyph", "AnnotateTime")
        functions: dict[str, Callable[..., Any]] = {
            kind: lambda kind=kind, **own: self._make(kind, **own) for kind in kinds
        }
        functions |= {
            "OpenDataFile": self._open,
            "GetActiveViewOrCreate": lambda kind: self.view,
            "Show": self._show,
            "ColorBy": self._colour_by,
            "GetColorTransferFunction": lambda name: self.colours.setdefault(name, Thing("colours")),
            "GetScalarBar": lambda colours, view: self.bar,
            "GetAnimationScene": lambda: self.scene,
        }
        for name in ("LoadPalette", "SetActiveSource", "Render", "_DisableFirstRenderCameraReset"):
            functions[name] = lambda *args, name=name: self.called.append(name)
        for name, function in functions.items():
            setattr(simple, name, function)
        return simple

    def run(self, script: Path, monkeypatch: pytest.MonkeyPatch, knows_its_place: bool = True) -> dict[str, Any]:
        """Run a script as ParaView does and return its names."""
        whole = ModuleType("paraview")
        whole.simple = self.module()  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "paraview", whole)
        monkeypatch.setitem(sys.modules, "paraview.simple", whole.simple)
        names: dict[str, Any] = {"__file__": str(script)} if knows_its_place else {}
        exec(compile(script.read_text(encoding="utf-8"), "<string>", "exec"), names)
        return names
