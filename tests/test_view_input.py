"""What ``flexmb view`` does with its options and with folders that are no finished result."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import fake_run
import h5py
import numpy as np
import pytest
from messages import only, says
from pictures import SIZE, require_drawing, run_bar

import flexmb as fm
from flexmb.cli import main
from flexmb.errors import InputError
from flexmb.postproc import screen
from flexmb.postproc.open_folder import open_folder
from flexmb.postproc.view import view
from flexmb.record.io.run_folder import RunFolder
from flexmb.record.samples import Checkpoint


@pytest.fixture(scope="module")
def bar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    require_drawing()
    return run_bar(tmp_path_factory.mktemp("view") / "bar")


def test_command(bar: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "v.jpg"
    words = [
        "view",
        str(bar),
        "--screenshot",
        str(path),
        "--time",
        "0.33",
        "--field",
        "velocity.x",
        "--size",
        "640x360",
    ]
    assert main(words) == 0
    out = capsys.readouterr()
    assert out.out == f"written: {path} (t = 0.33 s)\n"
    assert out.err == ""
    from PIL import Image

    assert Image.open(path).size == (640, 360)


def test_picture_and_movie_are_both_announced(
    bar: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("imageio_ffmpeg")
    monkeypatch.chdir(tmp_path)
    words = ["--screenshot", "x.png", "--movie", "x.mp4", "--time", "1.5", "--fps", "1", "--size", "640x360"]
    assert main(["view", str(bar), *words]) == 0
    assert capsys.readouterr().out == "written: x.png (t = 1.5 s)\nwritten: x.mp4 (11 pictures)\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.mp4", "x.png"]


def test_no_screen_no_warnings(bar: Path, tmp_path: Path) -> None:
    """A machine without an X server: no word of VTK about it."""
    environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", screen.WINDOW)}
    words = [sys.executable, "-m", "flexmb", "view", str(bar)]
    run = subprocess.run(
        [*words, "--screenshot", "x.png"], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout == "written: x.png (t = 0.84 s)\n"
    run = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert run.returncode == 0
    assert says(run.stderr, "note ... no display ... picture")
    assert run.stderr.count("\n") == 1
    assert run.stdout == "written: bar_view.png (t = 0.84 s)\n"


def test_dead_display_is_no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    if not sys.platform.startswith("linux"):
        pytest.skip("only Linux has DISPLAY")
    monkeypatch.setenv("DISPLAY", ":4711")
    assert not screen.has_screen()


def test_nothing_to_draw_with(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(screen.WINDOW, raising=False)
    monkeypatch.setattr(screen, "has_screen", lambda: False)
    monkeypatch.setattr(screen, "_has_egl", lambda: False)
    monkeypatch.setattr(screen, "_has_osmesa", lambda: False)
    with pytest.raises(InputError, match="EGL.*OSMesa .* libegl1"):
        screen.prepare_off_screen()
    assert screen.WINDOW not in os.environ
    monkeypatch.setattr(screen, "_has_osmesa", lambda: True)
    screen.prepare_off_screen()
    assert os.environ[screen.WINDOW] == "vtkOSOpenGLRenderWindow"
    monkeypatch.delenv(screen.WINDOW)
    monkeypatch.setattr(screen, "_has_egl", lambda: True)
    screen.prepare_off_screen()
    assert os.environ[screen.WINDOW] == "vtkEGLRenderWindow"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--field", "velocty"], "field = 'velocty' ... 'velocity'? allowed: displacement, displacement.x"),
        (["--time", "2.5"], "time = 2.5 ... result ... 0 s ... 2 s"),
        (["--time", "nan"], "time = nan ... result ... 0 s ... 2 s"),
        (["--scale", "-1"], "scale = -1.0 ... number ... 1e-06 ... 1e+09"),
        (["--scale", "inf"], "scale = inf ... number ... 1e-06 ... 1e+09"),
        (["--scale", "1e300"], "scale = 1e+300 ... number ... 1e-06 ... 1e+09"),
        (["--scale", "1e-7"], "scale = 1e-07 ... number ... 1e-06 ... 1e+09"),
        (["--size", "800"], "size = '800' ... WIDTHxHEIGHT ... pixels"),
        (["--size", "639x360"], "size = '639x360' ... 640x360 ... 7680x4320 pixels"),
        (["--screenshot", "x.gif"], "'x.gif' (.gif); allowed: .png, .jpg"),
        (["--screenshot", "x"], "'x' ... ending); allowed: .png"),
        (["--screenshot", "no/such/x.png"], "folder 'no/such'"),
        (["--field", "bending"], "field = 'bending' ... 'bending_moment'? allowed: displacement"),
        (["--movie", "x.avi"], "movie ... 'x.avi' (.avi); allowed: .mp4, .gif"),
        (["--movie", "no/x.mp4"], "movie 'no/x.mp4' ... folder 'no'"),
        (["--movie", "x.mp4", "--size", "641x361"], "size = '641x361' ... numbers ... mp4"),
        (["--movie", "x.mp4", "--fps", "0"], "fps = 0.0 ... 1 ... 240 frames ... second"),
        (["--movie", "x.mp4", "--fps", "241"], "fps = 241.0 ... 1 ... 240 frames ... second"),
        (["--movie", "x.gif", "--fps", "51"], "fps = 51.0 ... gif ... 1 ... 50 frames ... second: browsers"),
        (["--movie", "x.GIF", "--fps", "240"], "fps = 240.0 ... gif ... 1 ... 50 frames ... second"),
        (["--movie", "x.mp4", "--speed", "0"], "speed = 0.0 ... positive number"),
        (["--movie", "x.mp4", "--speed", "1e-9"], "speed = 1e-09 ... 60000000001 pictures ... 100000"),
    ],
)
def test_bad_input(
    bar: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    given = words if {"--screenshot", "--movie"} & set(words) else [*words, "--screenshot", "x.png"]
    assert main(["view", str(bar), *given]) == 2
    assert says(capsys.readouterr().err, message)
    assert list(tmp_path.iterdir()) == []


def test_unwritable_picture(bar: Path, tmp_path: Path) -> None:
    (tmp_path / "x.png").mkdir()
    with pytest.raises(InputError, match=r"x.png' is a folder"):
        view(bar, screenshot=tmp_path / "x.png")
    (tmp_path / "full.png").symlink_to("/dev/full")
    with pytest.raises(InputError, match="space"):
        view(bar, screenshot=tmp_path / "full.png", size=SIZE)


def test_not_a_result(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="result folder"):
        open_folder(tmp_path / "none")
    with pytest.raises(InputError, match="result folder.*summary.json"):
        open_folder(tmp_path)
    (tmp_path / "result.h5").write_bytes(b"nothing of the kind")
    with pytest.raises(InputError, match="result file"):
        open_folder(tmp_path)


def test_results_of_a_run_that_was_cut_off(bar: Path, tmp_path: Path) -> None:
    folder = tmp_path / "bar"
    shutil.copytree(bar, folder)
    (folder / "summary.json").unlink()
    assert open_folder(folder).h == pytest.approx(5e-3)
    with h5py.File(folder / "result.h5", "r+") as file:
        del file["energy"], file["layout/digest"]  # as of a version before energies were kept
    shown = view(folder, screenshot=tmp_path / "x.png", size=SIZE)
    assert len(shown.notes) == 2
    assert "summary.json" in shown.notes[0]
    assert "energies" in shown.notes[1]


def test_failed_run(bar: Path, tmp_path: Path) -> None:
    folder = tmp_path / "bar"
    shutil.copytree(bar, folder)
    text = (folder / "summary.json").read_text()
    failed = '"status": "failed", "failure": {"error": "no solution at t = 2 s"}'
    (folder / "summary.json").write_text(text.replace('"status": "complete"', failed))
    assert view(folder, screenshot=tmp_path / "x.png", size=SIZE).notes[0].endswith("no solution at t = 2 s")


def test_unfinished_run_shows_what_is_there(tmp_path: Path) -> None:
    run = fake_run.run_info()
    first, second, _ = fake_run.blocks(run)
    sink = RunFolder(tmp_path / "run", 'title = "unfinished"\n')
    sink.begin(run)
    sink.append(first)
    sink.checkpoint(Checkpoint(2, 3, 1, {}))
    sink.append(second)
    sink.abandon()
    opened = open_folder(tmp_path / "run")
    assert says(only(opened.notes), "not finished")
    assert opened.title == "unfinished"
    np.testing.assert_array_equal(opened.result.time, first.time)
    np.testing.assert_array_equal(opened.result.energy.kinetic, first.energy[:, 0])
    assert len(opened.result.fields) == 1
    (tmp_path / "run" / "checkpoint.npz").unlink()
    opened = open_folder(tmp_path / "run")
    np.testing.assert_array_equal(opened.result.time, np.concatenate([first.time, second.time]))
    assert opened.result.fields.times.tolist() == [1.0, 2.0]
    assert opened.h == pytest.approx(0.25)
    shown = view(tmp_path / "run", screenshot=tmp_path / "x.png", size=SIZE, time=2.0)
    assert says(shown.notes[0], "not finished")
    with pytest.raises(InputError, match="from 1 s to 2 s"):
        view(tmp_path / "run", screenshot=tmp_path / "x.png", time=2.3)


def test_result_without_lines_has_no_forces(tmp_path: Path) -> None:
    model = fm.Model()
    model.add(fm.Particle("ball", mass=1.0, velocity=(1, 0, 0)))
    folder = fm.simulate(model, fm.MoreauJean(), step=0.1, end=1.0).save(tmp_path / "ball")
    with pytest.raises(InputError, match="axial_force.*bars.*beams.* displacement, velocity"):
        view(folder, screenshot=tmp_path / "x.png", field="axial_force")


def test_results_without_sections_are_still_drawn(bar: Path, tmp_path: Path) -> None:
    """Results written before sections were kept: round lines, no forces."""
    folder = tmp_path / "old"
    shutil.copytree(bar, folder)
    with h5py.File(folder / "result.h5", "r+") as file:
        del file["layout/sections"], file["layout/digest"]
    assert view(folder, screenshot=tmp_path / "x.png", size=SIZE).notes == ()
    with pytest.raises(InputError, match="energy_density"):
        view(folder, screenshot=tmp_path / "x.png", field="energy_density")


def test_too_many_folders(bar: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="folders = 7.*1.*6 folders"):
        view([bar] * 7, screenshot=tmp_path / "x.png")
