"""Files of a hand-made run: they open with vtk's and pyvista's own readers and hold the same numbers."""

from __future__ import annotations

from pathlib import Path

import fake_run
import h5py
import numpy as np
import pytest
from fake_files import MOVING, Reached, expected_vectors, memory_result, written

from flexmb.errors import InputError
from flexmb.record.io.checkpoint import read_checkpoint, write_checkpoint
from flexmb.record.io.disk_space import readable, require_space
from flexmb.record.io.result_h5 import Stored
from flexmb.record.io.run_folder import RunFolder, taken_by
from flexmb.record.io.summary_json import read_summary, write_summary
from flexmb.record.result import Result, load
from flexmb.record.samples import Checkpoint, Tally
from flexmb.record.summary import SUMMARY_NUMBERS, summarize


def assert_same(a: Result, b: Result) -> None:
    assert sorted(a.tree) == sorted(b.tree)
    for name in a.tree:
        np.testing.assert_array_equal(a.tree[name][()], b.tree[name][()], err_msg=name)


def test_result_names_and_shapes() -> None:
    run, result = fake_run.run_info(), memory_result()
    first = fake_run.blocks(run)[0]
    assert list(result.signals) == ["rod.first.position", "ball.height"]
    assert result.signals["rod.first.position"].shape == (11, 3)
    np.testing.assert_array_equal(result.signals["ball.height"][:3], first.probes[:, 3])
    assert set(result.contacts) == {"wall", "floor"}
    wall, floor = result.contacts["wall"], result.contacts["floor"]
    np.testing.assert_array_equal(wall.gap[:3], first.gap[:, 0])
    np.testing.assert_array_equal(floor.velocity[:3], first.velocity[:, 1:])
    np.testing.assert_allclose(wall.force, wall.impulse / 0.25, rtol=1e-15)
    np.testing.assert_allclose(floor.force, floor.impulse / 0.25, rtol=1e-15)
    np.testing.assert_array_equal(result.energy.total[:3], first.energy[:, 0] + first.energy[:, 1])
    for k, name in enumerate(("work_external", "work_damping", "work_contact", "numerical", "residual"), start=2):
        np.testing.assert_array_equal(getattr(result.energy, name)[:3], first.energy[:, k])
    assert result.fields.steps.tolist() == [0, 4, 8, 10]
    np.testing.assert_array_equal(result.fields.times, [1.0, 2.0, 3.0, 3.5])
    with pytest.raises(KeyError, match="rod.first.position"):
        result.signals["rod.last.position"]


def test_force_is_the_mean_over_the_time_between_samples() -> None:
    result = memory_result()
    tree = dict(result.tree)
    tree["/step"] = np.array([0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 28])
    contact = Result(tree, result.summary).contacts["wall"]
    np.testing.assert_allclose(contact.force[1:-1], contact.impulse[1:-1] / 0.75, rtol=1e-15)
    np.testing.assert_allclose(contact.force[-1], contact.impulse[-1] / 0.25, rtol=1e-15)


def test_summary_has_the_keys_of_the_contract() -> None:
    summary = memory_result().summary
    contract = "title scheme h steps dofs contacts engine wall_time_s us_per_step max_penetration energy expectations"
    assert set(contract.split()) | {"versions"} <= set(summary)
    energies = "initial final external damping contact numerical residual_max gain_steps gain_max"
    assert set(energies.split()) <= set(summary["energy"])
    assert summary["scheme"] == {"name": "fake", "theta": 0.25}
    assert summary["us_per_step"] == pytest.approx(2e5)
    assert summary["max_penetration"] == 0.5
    assert {"flexmb", "python", "numpy", "scipy", "scikit-fem", "numba"} <= set(summary["versions"])
    blocks = fake_run.blocks(fake_run.run_info())
    assert summary["energy"]["initial"] == blocks[0].energy[0, 0] + blocks[0].energy[0, 1]
    assert summary["energy"]["numerical"] == blocks[-1].energy[-1, 5]


def test_summary_numbers_are_those_of_the_summary() -> None:
    summary = memory_result().summary | {"min_gap_time": 0.5}
    summary |= {"joint_position_error": 0.0, "joint_velocity_error": 0.0}  # none without joints
    summary["contact_residual_max"] = 0.0  # none without friction in large motion
    numbers = [key for key, value in summary.items() if isinstance(value, int | float)]
    energy = [f"energy.{key}" for key in summary["energy"] if not key.endswith("gain_contact")]  # a name
    events = [f"events.{key}" for key in summary["events"]]
    assert sorted(SUMMARY_NUMBERS) == sorted(numbers + energy + events)


def test_folder_save_and_memory_agree_to_the_bit(tmp_path: Path) -> None:
    memory = memory_result()
    assert_same(memory, load(written(tmp_path / "streamed")))
    assert_same(memory, load(memory.save(tmp_path / "saved")))
    assert load(tmp_path / "saved").summary == memory.summary
    with h5py.File(tmp_path / "streamed/result.h5") as file:
        assert file["/energy/kinetic"].dtype == np.float64
        assert file["/contacts/wall/gap"].attrs["unit"] == "m"


def test_load_is_lazy(tmp_path: Path) -> None:
    q = load(written(tmp_path)).fields.q
    assert isinstance(q, Stored)  # rows are read when they are sliced
    assert q.shape == (4, 6)


def test_refuses_a_folder_that_holds_a_run(tmp_path: Path) -> None:
    written(tmp_path)
    before = sorted((p.name, p.stat().st_mtime_ns) for p in tmp_path.iterdir())
    with pytest.raises(InputError, match="holds another run .*--overwrite"):
        RunFolder(tmp_path, "")
    with pytest.raises(InputError, match="holds another run"):
        memory_result().save(tmp_path)
    assert before == sorted((p.name, p.stat().st_mtime_ns) for p in tmp_path.iterdir())
    (tmp_path / "notes.txt").write_text("mine")
    memory_result().save(tmp_path, overwrite=True)
    assert_same(load(tmp_path), memory_result())
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_unfinished_run_leaves_only_part_files_and_is_refused(tmp_path: Path) -> None:
    run = fake_run.run_info()
    sink = RunFolder(tmp_path, "a = 1\n")
    sink.begin(run)
    sink.append(fake_run.blocks(run)[0])
    sink.abandon()
    assert taken_by(tmp_path) == ["case.toml.part", "result.h5.part", "fields.vtkhdf.part"]
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(taken_by(tmp_path))
    with pytest.raises(InputError, match="unfinished run .*--resume"):
        RunFolder(tmp_path, "a = 1\n")
    with pytest.raises(InputError, match="not finished"):
        load(tmp_path)


def test_resume_goes_on_after_the_checkpoint(tmp_path: Path) -> None:
    run = fake_run.run_info()
    first, second, third = fake_run.blocks(run)
    sink = RunFolder(tmp_path, "a = 1\nb = 2\n")
    sink.begin(run)
    sink.append(first)
    sink.checkpoint(Checkpoint(2, 3, 1, {"x": np.arange(3.0)}))
    second.gap[:] = 99.0  # rows after the checkpoint are written over
    sink.append(second)
    sink.abandon()
    with pytest.raises(InputError, match="line 2.*case.toml.*'b = 2'.*'b = 3'"):
        RunFolder(tmp_path, "a = 1\nb = 3\n", resume=True)
    with pytest.raises(InputError, match="line 3, 'c = 1'.*new case"):
        RunFolder(tmp_path, "a = 1\nb = 2\nc = 1\n", resume=True)
    sink = RunFolder(tmp_path, "a = 1\nb = 2\n", resume=True)
    assert sink.point is not None
    assert (sink.point.step, sink.point.samples, sink.point.fields) == (2, 3, 1)
    np.testing.assert_array_equal(sink.point.arrays["x"], [0.0, 1.0, 2.0])
    sink.begin(run)
    sink.append(fake_run.blocks(run)[1])
    sink.append(third)
    sink.finish(summarize(sink.close_data(), run, Reached(Tally(steps=10))))
    assert_same(load(tmp_path), memory_result())
    assert sorted(p.name for p in tmp_path.iterdir()) == ["case.toml", "fields.vtkhdf", "result.h5", "summary.json"]
    assert RunFolder(tmp_path, "a = 1\nb = 2\n", resume=True).complete


def test_files_are_valid_at_any_instant(tmp_path: Path) -> None:
    """Rows are numbers in reserved places: a copy taken without flush or close opens."""
    run = fake_run.run_info()
    sink = RunFolder(tmp_path / "run", "")
    sink.begin(run)
    for n, block in enumerate(fake_run.blocks(run)):
        for name in ("result.h5.part", "fields.vtkhdf.part"):
            copy = tmp_path / f"{n}.h5"
            copy.write_bytes((tmp_path / "run" / name).read_bytes())
            with h5py.File(copy, "r+") as file:
                assert len(file) > 0
        sink.append(block)
    sink.abandon()


def test_failed_run_is_shortened_and_readable(tmp_path: Path) -> None:
    run = fake_run.run_info()
    sink = RunFolder(tmp_path, "")
    sink.begin(run)
    blocks = fake_run.blocks(run)
    sink.append(blocks[0])
    sink.append(blocks[1])
    sink.close_data()
    sink.finish({"status": "failed", "h": run.h})
    result, full = load(tmp_path), memory_result()
    assert result.summary["status"] == "failed"
    assert len(result.time) == 8
    np.testing.assert_array_equal(result.energy.kinetic, full.energy.kinetic[:8])
    np.testing.assert_array_equal(result.fields.q[()], full.fields.q[:2])
    assert read_with_vtk(tmp_path / "fields.vtkhdf")[0] == [1.0, 2.0]


def read_with_vtk(path: Path) -> tuple[list[float], list[dict[str, np.ndarray]]]:
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline as Pipeline
    from vtkmodules.vtkIOHDF import vtkHDFReader

    reader = vtkHDFReader()
    reader.SetFileName(str(path))
    reader.UpdateInformation()
    times = list(reader.GetOutputInformation(0).Get(Pipeline.TIME_STEPS()) or ())
    frames = []
    for t in times:
        reader.GetOutputInformation(0).Set(Pipeline.UPDATE_TIME_STEP(), t)
        reader.Update()
        grid = reader.GetOutputDataObject(0)
        data = grid.GetPointData()
        frame = {data.GetArrayName(k): vtk_to_numpy(data.GetArray(k)).copy() for k in range(data.GetNumberOfArrays())}
        frame["points"] = vtk_to_numpy(grid.GetPoints().GetData()).copy()
        frame["types"] = np.array([grid.GetCellType(k) for k in range(grid.GetNumberOfCells())])
        cell = grid.GetCellData()
        frame |= {f"cell {name}": vtk_to_numpy(cell.GetArray(name)).copy() for name in ("radius", "body")}
        frames.append(frame)
    return times, frames


def test_vtkhdf_by_vtk(tmp_path: Path) -> None:
    result = load(written(tmp_path))
    times, frames = read_with_vtk(tmp_path / "fields.vtkhdf")
    assert times == result.fields.times.tolist()
    expected = expected_vectors(result)
    for k, frame in enumerate(frames):
        for name in MOVING:
            np.testing.assert_array_equal(frame[name], expected[name][k], err_msg=f"{name} {k}")
        np.testing.assert_array_equal(frame["points"], result.layout.points)
        np.testing.assert_array_equal(frame["types"], [3, 3, 3, 1])
        np.testing.assert_array_equal(frame["body"], [0, 0, 0, 0, 1])
        np.testing.assert_array_equal(frame["cell radius"], [0.1, 0.2, 0.3, 0.0])
        np.testing.assert_array_equal(frame["cell body"], [0, 0, 0, 1])


def test_vtkhdf_by_pyvista(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyvista

    result = load(written(tmp_path / "run"))
    monkeypatch.chdir("/")
    reader = pyvista.get_reader(tmp_path / "run/fields.vtkhdf")
    expected = expected_vectors(result)
    for k, t in enumerate(result.fields.times):
        reader.reader.SetStep(k)
        grid = reader.read()
        assert reader.reader.GetTimeValue() == t
        for name in MOVING:
            np.testing.assert_array_equal(grid.point_data[name], expected[name][k])
    assert reader.reader.GetNumberOfSteps() == len(result.fields)


def test_checkpoint_round_trip_and_damage(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint.npz"
    write_checkpoint(path, Checkpoint(5, 6, 7, {"q": np.array([0.1, np.nan]), "n": np.array([3])}, "general"))
    point = read_checkpoint(path)
    assert (point.step, point.samples, point.fields, point.engine) == (5, 6, 7, "general")
    assert set(point.arrays) == {"q", "n"}
    np.testing.assert_array_equal(point.arrays["q"], [0.1, np.nan])
    assert point.arrays["n"].dtype == np.int64
    path.write_bytes(path.read_bytes()[:50])
    with pytest.raises(InputError, match="checkpoint .* cannot be read"):
        read_checkpoint(path)


def test_checkpoint_of_an_older_flexmb_is_refused(tmp_path: Path) -> None:
    """It had neither a version nor a checksum."""
    path = tmp_path / "checkpoint.npz"
    np.savez(path, _step=np.array(5), _samples=np.array(6), _fields=np.array(7), q=np.ones(2))
    with pytest.raises(InputError, match=r"checkpoint.npz.*older flexmb.*--overwrite"):
        read_checkpoint(path)


def test_checkpoint_hands_numpy_nothing_but_arrays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before numpy 2.2 savez has no options: any keyword is stored."""
    stored: dict[str, object] = {}
    monkeypatch.setattr(np, "savez", lambda file, **arrays: stored.update(arrays))
    write_checkpoint(tmp_path / "checkpoint.npz", Checkpoint(5, 6, 7, {"q": np.ones(2)}, "general"))
    assert set(stored) == {"_format", "_step", "_samples", "_fields", "_engine", "_run", "q"}
    assert all(isinstance(values, np.ndarray) and values.dtype != object for values in stored.values())


@pytest.mark.parametrize("there", [False, True])
def test_a_run_without_a_sample_leaves_nothing(tmp_path: Path, there: bool) -> None:
    folder = tmp_path / "r"
    if there:
        folder.mkdir()
        (folder / "notes.txt").write_text("mine")
    sink = RunFolder(folder, "")
    assert not sink.has_samples
    sink.discard()
    assert folder.exists() == there
    sink.begin(fake_run.run_info())
    assert taken_by(folder)
    assert not sink.has_samples
    sink.discard()
    assert [p.name for p in tmp_path.rglob("*")] == (["r", "notes.txt"] if there else [])


def test_summary_is_strict_json(tmp_path: Path) -> None:
    write_summary(tmp_path / "s.json", {"a": float("nan"), "b": np.float64(2.0), "c": (np.int64(1), np.inf)})
    assert read_summary(tmp_path / "s.json") == {"a": None, "b": 2.0, "c": [1, None]}
    assert [p.name for p in tmp_path.iterdir()] == ["s.json"]


def test_room_on_the_disk_is_asked_for_first(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"enough disk space.*1e\+06 TB.*free"):
        require_space(tmp_path / "a/b", 10**18)
    assert readable(1_500_000_000) == "1.5 GB"
    run = fake_run.run_info(steps=10**15)
    with pytest.raises(InputError, match="not enough disk space"):
        RunFolder(tmp_path / "x", "").begin(run)
    assert list(tmp_path.iterdir()) == []


def test_output_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("")
    with pytest.raises(InputError, match="is a file"):
        RunFolder(tmp_path / "f", "")
    with pytest.raises(InputError, match="'.*f' is a file"):
        RunFolder(tmp_path / "f" / "g", "")
