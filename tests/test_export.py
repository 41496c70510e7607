"""Other formats of a hand-made run: pyvista's and meshio's own readers find the same numbers in them."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from fake_files import MOVING, expected_vectors, memory_result, written
from messages import says

from flexmb.case import load_case
from flexmb.cli import main
from flexmb.errors import InputError
from flexmb.record.io.export import MARK, export
from flexmb.record.io.frames import cell_values, line_radii
from flexmb.record.io.structure import DIGEST
from flexmb.record.result import load


@pytest.mark.parametrize("form", ["xdmf", "pvd"])
def test_exports_by_pyvista(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    import pyvista

    result = load(written(tmp_path / "run"))
    path = export(result.tree, form, tmp_path / f"run/{form}")[0]
    monkeypatch.chdir("/")
    reader = pyvista.get_reader(path)
    assert list(reader.time_values) == result.fields.times.tolist()
    expected = expected_vectors(result)
    for k in range(reader.number_time_points):
        reader.set_active_time_point(k)
        grid = reader.read()
        grid = grid[0] if form == "pvd" else grid["TimeSeries_meshio"]
        for name in MOVING:
            np.testing.assert_array_equal(grid.point_data[name], expected[name][k])
        np.testing.assert_array_equal(grid.point_data["body"], [0, 0, 0, 0, 1])
        assert grid.n_cells == 4
        np.testing.assert_array_equal(grid.cell_data["radius"], [0.1, 0.2, 0.3, 0.0])


def test_xdmf_by_meshio_from_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import meshio

    result = load(written(tmp_path / "run"))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    paths = export(result.tree, "xdmf", Path("../run/xdmf"))
    assert [p.name for p in paths] == ["fields.xdmf", "fields.h5"]
    assert list(elsewhere.iterdir()) == []
    monkeypatch.chdir("/")
    expected = expected_vectors(result)
    with meshio.xdmf.TimeSeriesReader(tmp_path / "run/xdmf/fields.xdmf") as reader:
        points, cells = reader.read_points_cells()
        np.testing.assert_array_equal(points, result.layout.points)
        assert [c.type for c in cells] == ["line"]
        np.testing.assert_array_equal(cells[0].data, [[0, 1], [1, 2], [2, 3], [4, 4]])
        times = []
        for k in range(reader.num_steps):
            t, point_data, cell_data = reader.read_data(k)
            times.append(t)
            for name in MOVING:
                np.testing.assert_array_equal(point_data[name], expected[name][k])
            np.testing.assert_array_equal(np.concatenate(cell_data["radius"]), [0.1, 0.2, 0.3, 0.0])
    assert times == result.fields.times.tolist()


def test_csv(tmp_path: Path) -> None:
    result = memory_result()
    paths = export(result.tree, "csv", tmp_path / "csv")
    assert [p.name for p in paths] == ["signals.csv", "contacts.csv", "energy.csv"]
    with paths[0].open() as handle:
        rows = list(csv.reader(handle))
    head = ["time [s]", *(f"rod.first.position.{c} [m]" for c in "xyz"), "ball.height"]
    assert rows[0] == head
    values = np.array(rows[1:], dtype=float)
    np.testing.assert_array_equal(values[:, 0], result.time)
    np.testing.assert_array_equal(values[:, 1:4], result.signals["rod.first.position"])
    with paths[1].open() as handle:
        assert next(csv.reader(handle))[:5] == [
            "time [s]",
            "wall.gap [m]",
            "wall.velocity [m/s]",
            "wall.impulse [N s]",
            "floor.gap.0 [m]",
        ]
    energy = np.loadtxt(paths[2], delimiter=",", skiprows=1)
    np.testing.assert_array_equal(energy[:, 7], result.energy.residual)


@pytest.mark.parametrize(("form", "also"), [("stl", []), ("csv", ["stl"])])
def test_unknown_format_is_refused(tmp_path: Path, form: str, also: list[str]) -> None:
    with pytest.raises(InputError, match="'stl'.*csv, paraview, pvd, xdmf"):
        export(memory_result().tree, form, tmp_path / "x", also)
    assert list(tmp_path.iterdir()) == []


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*"))


def test_what_stands_beside_the_target_stays(tmp_path: Path) -> None:
    for name in ("out.part", "out.tmp"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "mine.txt").write_text("mine")
    export(memory_result().tree, "csv", tmp_path / "out")
    assert names_in(tmp_path / "out.part") == names_in(tmp_path / "out.tmp") == ["mine.txt"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "out.part", "out.tmp"]


def test_an_export_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    tree, out = memory_result().tree, tmp_path / "deep/out"
    assert [path.name for path in export(tree, "csv", out, ["pvd", "csv"])] == [
        *("signals.csv", "contacts.csv", "energy.csv", "fields.pvd"),
    ]
    states = [f"fields_{k:05d}.vtu" for k in range(4)]
    assert names_in(out) == [MARK, "contacts.csv", "energy.csv", "fields.pvd", *states, "signals.csv"]
    (out / "picture.png").write_text("mine")
    export(tree, "xdmf", out)
    assert names_in(out) == [MARK, "fields.h5", "fields.xdmf", "picture.png"]


@pytest.mark.parametrize("there", [False, True])
def test_a_failed_export_leaves_all_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bool) -> None:
    def fail(tree: object, folder: Path) -> None:
        (folder / "half.csv").write_text("half")
        raise OSError("disk full")

    if there:
        export(memory_result().tree, "csv", tmp_path / "deep/out")
    before = names_in(tmp_path)
    monkeypatch.setattr("flexmb.record.io.pvd.write_pvd", fail)
    with pytest.raises(OSError, match="disk full"):
        export(memory_result().tree, "csv", tmp_path / "deep/out", ["pvd"])
    assert names_in(tmp_path) == before


def refused(tmp_path: Path, out: str) -> str:
    """Return what is said of a target, and see that nothing has changed."""
    before = names_in(tmp_path)
    with pytest.raises(InputError) as err:
        export(memory_result().tree, "csv", Path(out))
    assert names_in(tmp_path) == before
    assert str(err.value).startswith(f"-o = {out!r}: this ")
    return str(err.value)


def test_folders_that_are_not_ours_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("here", "full", "empty"):
        (tmp_path / name).mkdir()
    for name in "abcd":
        (tmp_path / "full" / name).write_text("mine")
    written(tmp_path / "run")
    monkeypatch.chdir(tmp_path / "here")
    assert says(refused(tmp_path, "/"), "root ... disk ... new ... empty folder")
    assert "is the current folder" in refused(tmp_path, ".")
    assert "is the current folder" in refused(tmp_path, "../here")
    assert "is a file" in refused(tmp_path, "../full/a")
    assert says(refused(tmp_path, "../run"), "run (case.toml, result.h5, summary.json)")
    assert says(refused(tmp_path, "../full"), "files ... export ... b")
    assert says(refused(tmp_path, ".."), "files ... export ... empty, full")
    for out in ("../empty", "new/deep", "../run/csv"):
        assert export(memory_result().tree, "csv", Path(out))[0] == Path(out) / "signals.csv"
        assert (Path(out) / "signals.csv").is_file()


def test_the_command_refuses_in_one_paragraph(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    written(tmp_path / "run")
    monkeypatch.chdir(tmp_path)
    assert main(["export", "run", "--format", "csv", "-o", "."]) == 2
    said = capsys.readouterr().err
    assert says(said, "-o = '.' ... current folder")
    assert said.count("\n") == 1
    assert main(["export", "run", "--format", "paraview", "--also", "pvd"]) == 0
    assert capsys.readouterr().out == "written: run/paraview/open.py, run/paraview/fields.pvd\n"
    assert main(["export", "run", "--format", "paraview"]) == 0  # once more, though fields.vtkhdf is also a run's file
    assert names_in(tmp_path / "run/paraview") == [MARK, "fields.vtkhdf", "open.py"]


def test_stepped_shafts_have_many_radii() -> None:
    layout = load_case("nelson_mcvaugh").plan.system.layout
    radii = cell_values(layout)["radius"]
    assert {round(float(r), 4) for r in radii} >= {0.0051, 0.0102, 0.0076, 0.0203, 0.033, 0.0381}
    np.testing.assert_array_equal(line_radii(replace(layout, sections=None)), layout.radius_of_cell)


MISSING = ("/energy/work_drive", "/energy/work_cross")


def test_older_energies_are_written_with_zeros(tmp_path: Path) -> None:
    result = memory_result()
    older = {name: values for name, values in result.tree.items() if name not in (DIGEST, *MISSING)}
    whole, fewer = (
        np.genfromtxt(export(tree, "csv", tmp_path / name)[2], delimiter=",", names=True, deletechars="")
        for name, tree in (("whole", result.tree), ("older", older))
    )
    assert whole.dtype.names == fewer.dtype.names
    for name in whole.dtype.names:
        expected = np.zeros(len(result.time)) if name.startswith(("work_drive", "work_cross")) else whole[name]
        np.testing.assert_array_equal(fewer[name], expected)


def test_forces_and_torques_of_joints_have_units_of_their_own(tmp_path: Path) -> None:
    load_case("slider_crank", ["time.end=0.01"]).run(tmp_path / "run")
    assert main(["export", str(tmp_path / "run"), "--format", "csv"]) == 0
    with (tmp_path / "run/csv/joints.csv").open() as handle:
        heads = next(csv.reader(handle))
    guide = ["guide.force.0 [N]", "guide.force.1 [N m]", "guide.impulse.0 [N s]", "guide.impulse.1 [N m s]"]
    assert [head for head in heads if head.startswith("guide.") and "error" not in head] == guide
    assert "guide.position_error [m or rad]" in heads


def killed(folder: Path) -> str:
    for name in ("case.toml", "result.h5"):
        (folder / name).rename(folder / f"{name}.part")
    (folder / "summary.json").unlink()
    return "note: the run is not finished\n"


def lost(folder: Path) -> str:
    (folder / "summary.json").unlink()
    return "there is no summary.json\n"


@pytest.mark.parametrize("form", ["csv", "paraview", "pvd", "xdmf"])
@pytest.mark.parametrize("damage", [killed, lost])
def test_what_view_opens_is_exported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], damage: Callable[[Path], str], form: str
) -> None:
    folder, whole = written(tmp_path / "run"), written(tmp_path / "whole")
    note = damage(folder)
    assert main(["export", str(whole), "--format", form]) == 0
    assert capsys.readouterr().err == ""  # though fields.vtkhdf is not there: it may be what is asked for
    assert main(["export", str(folder), "--format", form]) == 0
    assert note in capsys.readouterr().err
    made = {path.name: path.read_bytes() for path in (folder / form).iterdir()}
    assert made.keys() == {path.name for path in (whole / form).iterdir()}
    if form == "csv":
        assert all((whole / form / name).read_bytes() == values for name, values in made.items())


def test_what_is_damaged_is_not_exported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import h5py

    folder = written(tmp_path / "run")
    with h5py.File(folder / "result.h5", "r+") as file:
        del file["layout/points"]
    for form in ("pvd", "csv"):
        assert main(["export", str(folder), "--format", form]) == 2
        assert "/layout/points" in capsys.readouterr().err
        assert not (folder / form).exists()
