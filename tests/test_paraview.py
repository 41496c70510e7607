"""The script for ParaView: it opens a file that is there, asks for fields that are in it, and shows them well."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fake_paraview import SIZE, FakeParaView, Thing

from flexmb.case import load_case
from flexmb.cli import main
from flexmb.record.io.frames import PointMaps, line_radii
from flexmb.record.io.paraview import open_script, opening_time, telling_field, telling_scale
from flexmb.record.io.representative_time import telling_state
from flexmb.record.io.structure import UNITS
from flexmb.record.result import Result

COLOURED = {"impacting_bar": "axial_force", "beam_on_stop": "bending_moment", "two_ball_oscillator": "displacement"}
ON = {"POINTS": "point_data", "CELLS": "cell_data"}


class Opened:
    """A run, what was exported of it, and what the script asked of ParaView."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.result: Result = load_case(name, ["output.fields_every=100"]).run(folder / "run")
        assert main(["export", str(folder / "run"), "--format", "paraview", "-o", str(folder / "out")]) == 0
        self.script = folder / "out" / "open.py"
        self.paraview = FakeParaView()
        with pytest.MonkeyPatch.context() as patch:
            self.names = self.paraview.run(self.script, patch)

    def states(self, warp: float) -> list[Any]:
        meshes = [self.result.mesh(float(t)) for t in self.result.fields.times]
        for mesh in meshes:
            mesh.points = np.asarray(mesh.points) + warp * np.asarray(mesh.point_data["displacement"])
        return meshes


@pytest.fixture(scope="module", params=list(COLOURED))
def opened(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Opened:
    return Opened(request.param, tmp_path_factory.mktemp(request.param))


@pytest.fixture(scope="module")
def beam(tmp_path_factory: pytest.TempPathFactory) -> Opened:
    return Opened("beam_on_stop", tmp_path_factory.mktemp("beam"))


def changed(opened: Opened, old: str, new: str, folder: Path) -> Path:
    """Return a copy of the script with a line changed; there must be one such line."""
    text = opened.script.read_text()
    assert text.count(old) == 1, old
    path = folder / "open.py"
    path.write_text(text.replace(old, new))
    return path


def test_fields_are_in_the_file_with_their_ranges(opened: Opened) -> None:
    import pyvista

    (reader,) = [thing for thing in opened.paraview.made if thing.kind == "reader"]
    assert Path(reader.path) == opened.script.parent / "fields.vtkhdf"
    names, grid = opened.names, pyvista.get_reader(reader.path).read()
    assert names["FIELD"] == COLOURED[opened.name] == telling_field(PointMaps.from_tree(opened.result.tree))
    stay = {"body", "radius"}
    assert set(names["FIELDS"]) == {*grid.point_data.keys(), *grid.cell_data.keys()} - stay
    for name, (on, component, unit, low, high) in names["FIELDS"].items():
        assert name in getattr(grid, ON[on]).keys(), name  # noqa: SIM118
        values = [np.asarray(getattr(mesh, ON[on])[name]) for mesh in opened.states(0.0)]
        vector = values[0].ndim > 1
        assert (component, unit) == ("Magnitude" if vector else "", UNITS[name])
        sizes = [np.linalg.norm(v, axis=1) if vector else v for v in values]
        least = 0.0 if vector else np.nanmin(sizes)  # magnitudes count from zero
        most = np.nanmax(sizes)
        assert (low, high) == pytest.approx((least, most if most > least else least + 1.0), rel=1e-9), name


def test_bodies_are_moved_and_the_reference_is_grey(opened: Opened) -> None:
    names, paraview = opened.names, opened.paraview
    warped, grey = names["warped"], paraview.display_of(names["reader"])
    assert warped.Input is names["reader"]
    assert warped.Vectors == ["POINTS", "displacement"]
    assert warped.ScaleFactor == names["SCALE"]
    assert names["surface"].Input is warped
    assert grey.ColorArrayName == [None, ""]
    assert "coloured" not in grey.__dict__
    assert grey.DiffuseColor == grey.AmbientColor == [0.4, 0.4, 0.4]
    assert 0.2 <= grey.Opacity < 1.0


def test_lines_are_tubes_of_their_own_radius(opened: Opened) -> None:
    names, tubes = opened.names, [thing for thing in opened.paraview.made if thing.kind == "Tube"]
    assert bool(tubes) == names["LINES"] == bool(len(opened.result.layout.cells))
    for tube in tubes:
        assert tube.Scalars == ["POINTS", "radius"]
        assert tube.VaryRadius == "By Absolute Scalar"
        assert tube.Radius == names["THICKNESS"] >= 1.0
        radii = tube.Input.Input
        assert (radii.kind, radii.CellDataArraytoprocess, radii.PassCellData) == ("CellDatatoPointData", ["radius"], 1)
        assert (radii.Input.kind, radii.Input.ShrinkFactor) == ("Shrink", 1.0)
        assert radii.Input.Input is names["warped"]
        opened.paraview.display_of(tube)
        size = np.linalg.norm(np.ptp(np.concatenate([m.points for m in opened.states(names["SCALE"])]), axis=0))
        drawn = names["THICKNESS"] * line_radii(opened.result.layout)
        assert 0.0039 * size < drawn.min() <= drawn.max() < 0.1 * size


def test_colours_are_those_of_the_whole_run_and_have_a_name(opened: Opened) -> None:
    names, paraview = opened.names, opened.paraview
    on, component, unit, low, high = names["FIELDS"][names["FIELD"]]
    expected = (on, names["FIELD"], component) if component else (on, names["FIELD"])
    coloured = [d for d in paraview.shown if "coloured" in d.__dict__]
    assert [d.source.kind for d in coloured] == ["ExtractSurface", "Tube"][: 1 + names["LINES"]]
    assert {d.coloured for d in coloured} == {expected}
    ((field, colours),) = paraview.colours.items()
    assert field == names["FIELD"]
    assert colours.called["ApplyPreset"] == ("Viridis (matplotlib)", True)
    assert colours.called["RescaleTransferFunction"] == (low, high)
    assert colours.AutomaticRescaleRangeMode == "Never"
    words = names["FIELD"].replace("_", " ") + (", magnitude" if component else "")
    assert (paraview.bar.Title, paraview.bar.ComponentTitle) == (f"{words} [{unit}]", "")
    assert coloured[-1].called["SetScalarBarVisibility"] == (paraview.view, True)


def test_the_time_is_written_and_the_run_opens_when_something_happens(opened: Opened) -> None:
    names, paraview = opened.names, opened.paraview
    clock = names["clock"]
    paraview.display_of(clock)
    assert clock.kind == "AnnotateTime"
    assert clock.Format.startswith("t = {time:.6g} s")
    assert (f"displacements drawn x {names['SCALE']:g}" in clock.Format) == (names["SCALE"] != 1.0)
    times = opened.result.fields.times
    assert paraview.scene.AnimationTime == names["TIME"]
    assert names["TIME"] in times
    assert names["TIME"] == times[telling_state(opened.result.tree)]
    assert paraview.called[-1] == "Render"


def test_arrows_end_where_contacts_push_and_are_neither_long_nor_short(opened: Opened) -> None:
    names = opened.names
    arrows: Thing = names["arrows"]
    assert arrows.Input is names["warped"]
    assert arrows.OrientationArray == arrows.ScaleArray == ["POINTS", "contact_impulse"]
    assert arrows.VectorScaleMode == "Scale by Magnitude"
    assert arrows.GlyphMode == "All Points"
    assert arrows.GlyphTransform.Translate == [-1.0, 0.0, 0.0]  # ParaView's arrow goes from 0 to 1
    opened.paraview.display_of(arrows)
    states = opened.states(names["SCALE"])
    longest = max(np.linalg.norm(m.point_data["contact_impulse"], axis=1).max() for m in states)
    size = np.linalg.norm(np.ptp(np.concatenate([m.points for m in states]), axis=0))
    assert arrows.ScaleFactor * longest == pytest.approx(0.15 * size, rel=0.05)


def test_the_camera_sees_everything_between_text_and_colours(opened: Opened) -> None:
    names, view = opened.names, opened.paraview.view
    places = []
    for mesh in opened.states(names["SCALE"]):
        points = np.asarray(mesh.points)
        places += [points, points - names["ARROW"] * np.asarray(mesh.point_data["contact_impulse"])]
    points = np.concatenate([opened.result.layout.points, *places])
    extent = np.ptp(points, axis=0)
    up, focus, eye = (np.array(v) for v in (view.CameraViewUp, view.CameraFocalPoint, view.CameraPosition))
    ahead = focus - eye
    assert np.linalg.norm(ahead) > 2.0 * np.linalg.norm(extent)  # nothing is behind the eye
    ahead /= np.linalg.norm(ahead)
    assert np.abs(extent @ ahead) == pytest.approx(extent.min(), abs=1e-9)  # along the shortest side
    assert ahead @ up == 0.0
    assert view.CameraParallelProjection == 1
    right, middle, (wide, high) = np.cross(ahead, up), np.array(names["FOCUS"]), names["HALF"]
    across, height = (points - middle) @ right, (points - middle) @ up
    assert np.abs(across).max() <= wide * (1 + 1e-12)
    assert np.abs(height).max() <= high * (1 + 1e-12)
    half = view.CameraParallelScale
    shift = (middle - focus) @ up
    assert wide <= 0.96 * half * SIZE[0] / SIZE[1]
    assert shift + high <= (1.0 - 2 * 0.1) * half  # two lines of text above
    assert shift - high >= (-1.0 + 2 * 0.2) * half  # the colours below
    assert max(np.ptp(height) / (2 * half), np.ptp(across) / (2 * half * SIZE[0] / SIZE[1])) > 0.5  # no dwarf
    bar = opened.paraview.bar
    assert (bar.Orientation, bar.WindowLocation) == ("Horizontal", "Any Location")
    assert 0.0 < bar.Position[1] < 0.1
    assert bar.Position[0] + bar.ScalarBarLength < 0.9


def test_another_field_is_one_word(beam: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = 'FIELD = "bending_moment"'
    for field, label, on in (
        ("velocity", "velocity, magnitude [m/s]", ("POINTS", "velocity", "Magnitude")),
        ("axial_force", "axial force [N]", ("CELLS", "axial_force")),
        ("energy_density", "energy density [J/m]", ("CELLS", "energy_density")),
    ):
        paraview = FakeParaView()
        path = changed(beam, old, f'FIELD = "{field}"', tmp_path)
        (tmp_path / "fields.vtkhdf").touch()
        names = paraview.run(path, monkeypatch)
        assert paraview.bar.Title == label
        assert {d.coloured for d in paraview.shown if "coloured" in d.__dict__} == {on}
        assert paraview.colours[field].called["RescaleTransferFunction"] == names["FIELDS"][field][3:]
    with pytest.raises(RuntimeError, match="FIELD = 'colour'.*displacement.*velocity.*rotation.*contact_"):
        FakeParaView().run(changed(beam, old, 'FIELD = "colour"', tmp_path), monkeypatch)


def path_of(paraview: FakeParaView) -> Path:
    return Path(next(thing.path for thing in paraview.made if thing.kind == "reader"))


def test_the_folder_is_found_wherever_it_was_sent(
    beam: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert str(beam.script.parent) not in beam.script.read_text()
    sent, elsewhere = tmp_path / "sent", tmp_path / "elsewhere"
    for folder in (sent, elsewhere):
        folder.mkdir()
    script = sent / "open.py"
    script.write_text(beam.script.read_text())
    (sent / "fields.vtkhdf").touch()
    monkeypatch.chdir(elsewhere)
    monkeypatch.setattr(sys, "argv", [""])
    ways: dict[str, FakeParaView] = {name: FakeParaView() for name in ("file", "argv", "here", "set")}
    ways["file"].run(script, monkeypatch)
    with pytest.raises(RuntimeError, match="fields.*current folder.*FOLDER.*top.*open.py"):
        FakeParaView().run(script, monkeypatch, knows_its_place=False)
    monkeypatch.setattr(sys, "argv", ["paraview", f"--script={script}"])
    ways["argv"].run(script, monkeypatch, knows_its_place=False)
    monkeypatch.setattr(sys, "argv", [""])
    monkeypatch.chdir(sent)
    ways["here"].run(script, monkeypatch, knows_its_place=False)
    monkeypatch.chdir(elsewhere)
    lost = changed(beam, 'FOLDER = ""', f'FOLDER = "{sent}"', elsewhere)
    ways["set"].run(lost, monkeypatch, knows_its_place=False)
    assert {name: path_of(way) for name, way in ways.items()} == dict.fromkeys(ways, sent / "fields.vtkhdf")
    with pytest.raises(RuntimeError, match=r"fields.*\['.*elsewhere'\].*FOLDER"):
        FakeParaView().run(changed(beam, "SCALE = 5.0", "SCALE = 1.0", elsewhere), monkeypatch)


@pytest.mark.skipif(not Path("/proc/self/cmdline").is_file(), reason="only Linux tells the command line")
def test_the_folder_is_found_where_paraview_hides_the_command_line(beam: Opened, tmp_path: Path) -> None:
    text = beam.script.read_text()
    head = text[text.index("def folders") : text.index("def opened")]
    code = f"import os, sys\nsys.argv, FOLDER = [''], ''\n{head}\nprint(folders())"
    words = [sys.executable, "-c", code, f"--script={beam.script}"]
    done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.strip() == str([str(beam.script.parent)])


def test_an_older_paraview_takes_the_other_file(beam: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "open.py"
    script.write_text(beam.script.read_text())
    (tmp_path / "fields.vtkhdf").touch()
    with pytest.raises(RuntimeError, match="old.*fields.vtkhdf.*flexmb export DIR --format paraview --also pvd"):
        FakeParaView((".pvd",)).run(script, monkeypatch)
    (tmp_path / "fields.pvd").touch()
    old, new = FakeParaView((".pvd",)), FakeParaView()
    old.run(script, monkeypatch)
    new.run(script, monkeypatch)
    assert (path_of(old).name, path_of(new).name) == ("fields.pvd", "fields.vtkhdf")


def test_small_motion_is_enlarged_by_a_round_number() -> None:
    small = load_case("beam_on_stop").plan.system.layout
    for reach, scale in ((1e-3, 100.0), (2e-4, 500.0), (0.03, 5.0), (0.04, 2.0), (0.05, 1.0), (0.7, 1.0), (0.0, 1.0)):
        assert telling_scale(small, reach, 1.0) == scale, reach
    for reach in np.geomspace(1e-6, 0.049, 50):
        assert 0.06 < telling_scale(small, float(reach), 1.0) * reach < 0.16
    large = load_case("flying_beam").plan.system.layout
    assert telling_scale(large, 1e-3, 1.0) == 1.0


def test_a_dark_state_is_not_the_first_one(beam: Opened) -> None:
    times = beam.result.fields.times
    k = telling_state(beam.result.tree)
    peaks = [0.0] * len(times)
    peaks[2], peaks[k] = 1.0, 0.31
    assert k != 2
    assert opening_time(beam.result.tree, peaks) == opening_time(beam.result.tree, []) == times[k]
    peaks[k] = 0.29
    assert opening_time(beam.result.tree, peaks) == times[2]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("size", [1e60, 1e200, np.inf, np.nan])
def test_a_motion_that_has_diverged_has_a_script_too(beam: Opened, size: float) -> None:
    tree = {name: np.asarray(beam.result.tree[name][()]) for name in beam.result.tree}
    for name in ("q", "v", "impulse"):
        tree[f"/state/{name}"] = tree[f"/state/{name}"].copy()
        tree[f"/state/{name}"][-1] = size
    text = open_script(tree)
    head = text[text.index("FIELD = ") : text.index("if FIELD not in FIELDS")]
    names: dict[str, Any] = {}
    exec(head, names)  # neither inf nor nan, which are no words of Python
    assert names["LINES"]
    assert np.isfinite([*names["HALF"], *names["FOCUS"], names["THICKNESS"], names["ARROW"]]).all()
