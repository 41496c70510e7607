"""The script for ParaView: it opens a file that is there, and asks for fields that are in it."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pytest

from flexmb.case import load_case
from flexmb.cli import main
from flexmb.io.frames import PointMaps
from flexmb.io.paraview import telling_field
from flexmb.result import Result

COLOURED = {"impacting_bar": "axial_force", "beam_on_stop": "bending_moment", "two_ball_oscillator": "displacement"}


def opened(script: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[dict[str, Any], MagicMock]:
    """Run the script with a ParaView that only listens; return its names and what it called."""
    heard = MagicMock()
    simple = ModuleType("paraview.simple")
    for name in (
        *(
            "OpenDataFile",
            "GetActiveViewOrCreate",
            "Show",
            "ColorBy",
            "WarpByVector",
            "ExtractSurface",
            "Tube",
            "Glyph",
        ),
        *("GetColorTransferFunction", "GetScalarBar", "AnnotateTimeFilter", "GetAnimationScene", "SetActiveSource"),
        *("Render", "LoadPalette"),
    ):
        setattr(simple, name, getattr(heard, name))
    simple._DisableFirstRenderCameraReset = heard.no_reset  # type: ignore[attr-defined]
    whole = ModuleType("paraview")
    whole.simple = simple  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "paraview", whole)
    monkeypatch.setitem(sys.modules, "paraview.simple", simple)
    names: dict[str, Any] = {"__file__": str(script)}
    exec(compile(script.read_text(), str(script), "exec"), names)
    return names, heard


@pytest.mark.parametrize("name", COLOURED)
def test_the_script_asks_for_what_is_there(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyvista

    result = load_case(name, ["output.fields_every=100"]).run(tmp_path / "run")
    assert main(["export", str(tmp_path / "run"), "--format", "paraview", "-o", str(tmp_path / "out")]) == 0
    names, heard = opened(tmp_path / "out" / "open.py", monkeypatch)
    ((path,), _) = heard.OpenDataFile.call_args
    assert Path(path) == tmp_path / "out" / "fields.vtkhdf"
    grid = pyvista.get_reader(path).read()
    on = {"POINTS": grid.point_data, "CELLS": grid.cell_data}[names["ON"]]
    assert names["FIELD"] == COLOURED[name] == telling_field(PointMaps.from_tree(result.tree))
    assert names["FIELD"] in on
    assert {"displacement", "contact_impulse"} <= set(grid.point_data.keys())
    check_numbers(names, result)
    # scripts run from the menu do not know their place
    text = (tmp_path / "out" / "open.py").read_text()
    assert f"else {str(tmp_path / 'out')!r}" in text


def check_numbers(names: dict[str, Any], result: Result) -> None:
    """The range is that of all kept states, the picture holds every place, and the tubes can be seen."""
    low, high = names["LIMITS"]
    values, places = [], []
    for t in result.fields.times:
        mesh = result.mesh(float(t), warp=True)
        field = np.asarray(mesh[names["FIELD"]])
        values.append(np.linalg.norm(field, axis=1) if field.ndim > 1 else field)
        places.append(np.asarray(mesh.points))
    assert (low, high) == pytest.approx((np.nanmin(values), np.nanmax(values)), rel=1e-9)
    view, points = names["view"], np.concatenate(places)
    up, focus = np.array(view.CameraViewUp), np.array(view.CameraFocalPoint)
    ahead = focus - np.array(view.CameraPosition)
    right = np.cross(ahead / np.linalg.norm(ahead), up)
    assert np.abs((points - focus) @ up).max() <= view.CameraParallelScale
    assert np.abs((points - focus) @ right).max() <= 16 / 9 * view.CameraParallelScale
    size = np.linalg.norm(np.ptp(points, axis=0))
    assert (names["RADIUS"] > 0.003 * size) == bool(names["ON"] == "CELLS")
    assert names["ARROW"] > 0.0
