"""Runs that were killed: what they have written is shown, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import fake_multibody
import fake_run
import h5py
import numpy as np
import pytest
from pictures import SIZE, require_drawing, scene_of

from flexmb.cli import main
from flexmb.errors import InputError
from flexmb.postproc.open_folder import open_folder
from flexmb.record.io.run_folder import RunFolder
from flexmb.record.samples import Block, Checkpoint, RunInfo

CASE = 'title = "killed"\n[time]\nend = 3.0\nstep = 0.25\n'


def small() -> tuple[RunInfo, Block]:
    """Return a run and its start, of which all but the probes is zero, also the time."""
    run = replace(fake_run.run_info(), t0=0.0)
    (start,) = fake_run.blocks(run, (1,))
    names = ("gap", "velocity", "impulse", "energy", "field_q", "field_v", "field_impulse")
    return run, replace(start, time=np.zeros(1), **{name: 0.0 * getattr(start, name) for name in names})


def large() -> tuple[RunInfo, Block]:
    run = fake_multibody.run_info()
    whole = fake_multibody.block(run)
    names = [name for name in vars(whole) if getattr(whole, name) is not None]
    return run, replace(whole, **{name: getattr(whole, name)[:1] for name in names})


def killed(folder: Path, run: RunInfo, *blocks: Block, case: str = CASE, point: Checkpoint | None = None) -> Path:
    """Return the folder of a run that was killed when it had written these blocks."""
    sink = RunFolder(folder, case)
    sink.begin(run)
    for block in blocks:
        sink.append(block)
    if point is not None:
        sink.checkpoint(point)
    sink.abandon()
    return folder


@pytest.mark.parametrize("kind", [small, large])
def test_a_run_killed_before_its_first_state_shows_none(
    kind, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, start = kind()
    folder = killed(tmp_path / "early", run)
    with pytest.raises(InputError, match="run.*'.*early'.*state"):
        open_folder(folder)
    assert main(["view", str(folder), "--screenshot", str(tmp_path / "x.png")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "x.png").exists()
    fields = open_folder(killed(tmp_path / "later", run, start)).result.fields
    assert len(fields) == 1
    np.testing.assert_array_equal(fields.q[0], start.field_q[0])
    none = Checkpoint(0, 0, 0, {})
    with pytest.raises(InputError, match="state"):
        open_folder(killed(tmp_path / "none", run, point=none))


def test_a_state_that_is_written_in_part_is_not_shown(tmp_path: Path) -> None:
    """Where bodies turn freely, coordinates that are all zero would be no rotation at all."""
    folder = killed(tmp_path / "run", *large())
    with h5py.File(folder / "result.h5.part", "r+") as file:
        file["state/q"][0] = 0.0
    with pytest.raises(InputError, match="state"):
        open_folder(folder)


def test_the_step_of_a_single_state_is_that_of_the_case(tmp_path: Path) -> None:
    require_drawing()
    words = {}
    for name, case in (("case", CASE), ("none", "")):
        scene, _ = scene_of(killed(tmp_path / name, *small(), case=case))
        words[name] = [text.get_text() for text in scene.board(SIZE).figure.texts]
        assert not any("nan" in text for text in words[name])
    assert "h = 0.25 s" in words["case"]
    assert not any("h =" in text for text in words["none"])
