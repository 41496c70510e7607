"""States and impulses that are not finite: the others are shown, whenever the bad ones are found."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest
from messages import says
from pictures import SIZE, require_drawing, scene_of

import flexmb as fm
from flexmb.cli import main
from flexmb.postproc import finite_states as finite_states
from flexmb.postproc.finite_states import LateCheck
from flexmb.postproc.open_folder import open_folder
from flexmb.postproc.view import view

SMALL = ["bodies.rod.elements=6", "time.step=2e-2", "output.fields_every=5"]


@pytest.fixture(scope="module")
def finite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    require_drawing()
    folder = tmp_path_factory.mktemp("sound") / "bar"
    fm.load_case("impacting_bar", SMALL).run(folder)
    return folder


@pytest.fixture
def spoilt(finite: Path, tmp_path: Path) -> Callable[[str, object, float], Path]:
    """Return what puts a number into some rows of a copy."""

    def spoil(name: str, rows: object, value: float) -> Path:
        folder = tmp_path / "bar"
        if not folder.exists():
            shutil.copytree(finite, folder)
        with h5py.File(folder / "result.h5", "r+") as file:
            values = file[name][()]
            values[rows] = value
            file[name][...] = values
        return folder

    return spoil


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e200])
@pytest.mark.parametrize("most", [finite_states.MOST, 10])
def test_impulses_that_are_no_numbers_are_not_drawn(
    spoilt, finite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: float, most: int
) -> None:
    """Neither in the state that is shown nor where the longest arrow is looked for."""
    monkeypatch.setattr(finite_states, "MOST", most)
    true, k = scene_of(finite)
    others = np.delete(np.abs(true.fields.impulse[()]).max(axis=1), k).max()
    folder = spoilt("state/impulse", k, value)
    shown = view(folder, screenshot=tmp_path / "x.png", size=SIZE)
    time = f"{true.times[k]:.6g}"
    note = f"impulses of 1 of 21 states are not finite and not drawn, the first at t = {time} s"
    assert shown.notes == ((note,) if most > 10 else ())
    assert shown.time == true.times[k]
    scene, _ = scene_of(folder)
    assert scene.impulses.largest == pytest.approx(others)
    assert not scene.impulses.strongest(k, k).any()
    assert main(["report", str(folder), "-o", str(tmp_path / "x.html")]) == 0


def test_bad_states_of_a_large_result_are_found_when_they_are_shown(
    spoilt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There are too many numbers to look at all before: a movie goes on with the state before a bad one."""
    pytest.importorskip("imageio_ffmpeg")
    monkeypatch.setattr(finite_states, "MOST", 10)
    folder = spoilt("state/q", [0, 4, 5, 20], np.nan)
    spoilt("state/v", 9, 1e200)
    assert open_folder(folder).notes == ()
    shown = view(folder, movie=tmp_path / "x.gif", size=(640, 360), fps=10.0, speed=1.0)
    assert shown.frames == 21
    assert says(shown.notes, "5 states ... not finite ... adjacent")
    scene, _ = scene_of(folder, whole=True)
    near = [scene.nearest(float(t)) for t in scene.times]
    assert near == [1, 1, 2, 3, 3, 3, 6, 7, 8, 8, *range(10, 20), 19]
    assert scene.thickness.size < 30.0
    assert np.isfinite(scene.limits).all()
    picture = view(folder, screenshot=tmp_path / "x.png", time=2.0, size=(640, 360))
    assert picture.time == pytest.approx(1.9)


def test_a_check_of_few_states_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    q, v = np.zeros((40, 3)), np.zeros((40, 2))
    q[10:25, 1] = np.nan
    monkeypatch.setattr(finite_states, "LATE_NUMBERS", 20)  # four states
    check = LateCheck(q, v)
    assert [check.finite(k) for k in (0, 9, 10, 17, 24, 25, 39)] == [0, 9, 9, 9, 9, 25, 39]
    assert check.left_out == {10, 17, 24}
    q[:10] = np.inf
    assert [LateCheck(q, v).finite(k) for k in (0, 24, 26)] == [25, 25, 26]
    q[:] = np.nan
    assert LateCheck(q, v).finite(7) == 7
