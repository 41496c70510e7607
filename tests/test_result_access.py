"""What a user does with a result: opens it twice, saves it, asks for names, looks at a mesh, writes tables."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import InputError
from flexmb.record.io import csv_tables
from flexmb.record.io.result_h5 import H5Tree

STEP, EVERY, KEPT = 0.01, 3, 10


@pytest.fixture(scope="module")
def result() -> fm.Result:
    """Return a short run: a beam that sags, and a ball that bounces on the floor."""
    model = fm.Model()
    beam = fm.Beam(
        "arm", length=1.0, elements=2, area=1e-3, inertia=1e-7, young=1e9, density=100.0, orientation=(0, 0, 1)
    )
    model.add(beam)
    model.add(fm.Particle("ball", mass=2.0, position=(0, 0, 0.5), axes="z"))
    model.add(fm.NodePlane("floor", node="ball", normal=(0, 0, 1), restitution=0.5))
    model.gravity = (0.0, 0.0, -10.0)
    return fm.simulate(model, fm.MoreauJean(), step=STEP, end=1.0, every=EVERY, fields_every=KEPT)


def test_a_loaded_result_and_h5py_share_the_file(result: fm.Result, tmp_path: Path) -> None:
    path = result.save(tmp_path / "r") / "result.h5"
    opened = fm.load(tmp_path / "r")
    with h5py.File(path) as file:
        np.testing.assert_array_equal(file["/time"][()], opened.time)
    del opened
    with h5py.File(path) as file:
        np.testing.assert_array_equal(file["/time"][()], fm.load(tmp_path / "r").time)
    with h5py.File(path, locking=False) as file:
        np.testing.assert_array_equal(file["/time"][()], H5Tree(path)["/time"][()])


def test_save_names_its_own_way_to_overwrite(result: fm.Result, tmp_path: Path) -> None:
    result.save(tmp_path)
    with pytest.raises(fm.InputError, match=r"run .*save\(\.\.\., overwrite=True\) replaces") as caught:
        result.save(tmp_path)
    assert "--overwrite" not in str(caught.value)


def test_mesh_is_the_nearest_kept_state(result: fm.Result) -> None:
    k = 4
    t = result.fields.times[k]
    assert t == pytest.approx(k * KEPT * STEP)
    frame, points = result.fields.frame(k), result.layout.points
    assert abs(frame["displacement"]).max() > 0.1
    for near in (t - 0.4 * KEPT * STEP, t + 0.4 * KEPT * STEP):
        mesh = result.mesh(near)
        np.testing.assert_array_equal(mesh.points, points)
        assert mesh.field_data["time"][0] == t
        assert set(mesh.point_data.keys()) == {"body", "displacement", "velocity", "rotation", "contact_impulse"}
        for name, values in frame.items():
            np.testing.assert_array_equal(mesh.point_data[name], values, err_msg=name)
    warped = result.mesh(t, warp=True)
    np.testing.assert_array_equal(warped.points, points + frame["displacement"])
    assert warped.celltypes.tolist() == [3, 3, 1]
    np.testing.assert_array_equal(warped.cell_connectivity, [*result.layout.cells.ravel(), *result.layout.vertices])
    assert warped.cell_data["body"].tolist() == [0, 0, 1]
    np.testing.assert_array_equal(result.mesh(1.0).point_data["velocity"], result.fields.frame(-1)["velocity"])


@pytest.mark.parametrize("time", [-0.1, 1.1, float("nan")])
def test_mesh_outside_the_run_is_refused(result: fm.Result, time: float) -> None:
    with pytest.raises(fm.InputError, match="time.*run, 0.*1 s"):
        result.mesh(time)


def test_a_contact_that_is_not_there_is_answered_with_those_that_are(result: fm.Result) -> None:
    with pytest.raises(KeyError, match="'wal'; contacts: floor"):
        result.contacts["wal"]
    assert "wal" not in result.contacts
    assert list(result.contacts) == ["floor"]
    assert len(result.contacts) == 1
    assert repr(result.contacts) == "<Contacts: floor>"
    words = f"<ContactSeries 'floor': {len(result.time)} samples of gap, velocity, impulse, force>"
    assert repr(result.contacts["floor"]) == words


def test_a_signal_that_is_not_there_is_answered_with_the_nearest(result: fm.Result) -> None:
    with pytest.raises(KeyError, match="'arm.lst.position'.*arm.last.position") as caught:
        result.signals["arm.lst.position"]
    assert "ball" not in str(caught.value)
    with pytest.raises(KeyError, match="'zebra'; recorded: arm.first.position, .*ball.velocity"):
        result.signals["zebra"]
    with pytest.raises(KeyError, match="'flor'.*floor"):
        result.contacts["flor"]


@pytest.mark.parametrize("block", [4096, 7, 1])
def test_csv_has_forces_and_total_energy(
    result: fm.Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr(csv_tables, "_BLOCK", block)  # the force needs the sample before, also across blocks
    _, contacts, energy = csv_tables.write_csv(result.tree, tmp_path)
    force, impulse = column(contacts, "floor.force [N]"), result.contacts["floor"].impulse
    assert force.max() > 20.0
    np.testing.assert_allclose(force[:-1], impulse[:-1] / (EVERY * STEP), rtol=1e-13)
    np.testing.assert_allclose(force[-1], impulse[-1] / STEP, rtol=1e-13)  # from step 99 to step 100
    np.testing.assert_allclose(force, result.contacts["floor"].force, rtol=1e-13)
    np.testing.assert_array_equal(column(energy, "total [J]"), result.energy.total)


def column(path: Path, title: str) -> np.ndarray:
    with path.open() as handle:
        rows = list(csv.reader(handle))
    return np.array([row[rows[0].index(title)] for row in rows[1:]], dtype=float)


def test_version_is_that_of_the_installed_package() -> None:
    from flexmb.record.summary import versions

    assert fm.__version__ == versions()["flexmb"]
    done = subprocess.run(
        [sys.executable, "-c", "import flexmb; print(flexmb.__version__)"], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == fm.__version__


def test_what_is_no_result_folder_is_named(tmp_path: Path) -> None:
    for k in range(5):
        (tmp_path / f"run{k}").mkdir()
        (tmp_path / f"run{k}" / "summary.json").write_text("{}")
    with pytest.raises(InputError, match="results.*run0, run1, run2, run3.*1"):
        fm.load(tmp_path)
    with pytest.raises(InputError, match="summary.json'.*file.*folder.*run"):
        fm.load(tmp_path / "run0" / "summary.json")
    with pytest.raises(InputError, match="result folder"):
        fm.load(tmp_path / "no")
