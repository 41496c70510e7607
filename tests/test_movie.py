"""Movies drawn without a screen, read back by ffmpeg."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pictures import require_drawing, run_bar

from flexmb.errors import InputError
from flexmb.postproc.movie import Pace
from flexmb.postproc.view import view

SIZE = (640, 360)


@pytest.fixture(scope="module")
def bar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    require_drawing()
    pytest.importorskip("imageio_ffmpeg")
    return run_bar(tmp_path_factory.mktemp("movie") / "bar")


def frames_of(path: Path) -> tuple[dict, np.ndarray]:
    import imageio_ffmpeg

    reader = imageio_ffmpeg.read_frames(str(path))
    meta = next(reader)
    width, height = meta["size"]
    return meta, np.array([np.frombuffer(frame, np.uint8).reshape(height, width, 3) for frame in reader])


@pytest.mark.parametrize("name", ["bar.mp4", "bar.gif"])
def test_movie(bar: Path, tmp_path: Path, name: str, capfd: pytest.CaptureFixture[str]) -> None:
    calls = []
    progress = lambda done, total: calls.append((done, total))  # noqa: E731
    look = {"field": "displacement", "size": SIZE}  # an unloaded bar has no colour of force
    shown = view(bar, movie=tmp_path / name, fps=10.0, speed=1.6, progress=progress, **look)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (shown.movie, shown.picture, shown.frames) == (tmp_path / name, None, 13)
    assert calls == [(k + 1, 13) for k in range(13)]
    assert capfd.readouterr() == ("", "")  # ffmpeg has much to say about the colours of a gif
    meta, frames = frames_of(tmp_path / name)
    assert meta["size"] == SIZE
    assert meta["fps"] == pytest.approx(10.0, rel=0.01)
    assert len(frames) == 13
    # the bar comes in from the right, stays at the wall, and goes back
    left = []
    for frame in frames.astype(float):
        scene = frame[40 : SIZE[1] // 2, : int(0.85 * SIZE[0])]
        arrow = (scene[:, :, 0] > 1.15 * scene[:, :, 1]) & (scene[:, :, 0] > 1.15 * scene[:, :, 2])  # also a fading one
        viridis = (np.ptp(scene, axis=2) > 45) & ~arrow
        there = np.sum(viridis, axis=0) > 7
        side = np.lib.stride_tricks.sliding_window_view(there, 6).all(axis=1)  # a gif may colour an edge of the arrow
        left.append(np.flatnonzero(side)[0])
    middle = left[5]  # t = 0.8
    assert left[0] > left[1] > left[2] > middle
    assert left[12] > left[10] > left[8] > middle
    assert left[4] == pytest.approx(middle, abs=2)


def test_pace() -> None:
    known = np.linspace(1.0, 3.0, 50)
    assert len(Pace().times(known)) == 301  # ten seconds of thirty, and the end
    np.testing.assert_allclose(Pace(10.0, 0.5).times(known), np.arange(1.0, 3.01, 0.05))
    assert Pace(10.0, 50.0).times(known).tolist() == [1.0]
    with pytest.raises(InputError, match="more than 100000"):
        Pace(30.0, 1e-9).times(known)


def test_movie_that_cannot_be_written(bar: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "full"
    folder.mkdir()
    monkeypatch.setattr("secrets.token_hex", lambda size: "same")
    (folder / "x.same.part.mp4").mkdir()
    with pytest.raises(InputError, match="movie '.*x.mp4'.*directory"):
        view(bar, movie=folder / "x.mp4", size=SIZE, fps=1.0)


@pytest.mark.parametrize("reads", ["cat", "head -c 1000"])
def test_ffmpeg_that_fails(
    bar: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], reads: str
) -> None:
    """Whether it fails at once or when all pictures are in: a word why, no movie, and nothing left."""
    ffmpeg = tmp_path / "ffmpeg"
    ffmpeg.write_text(f"#!/bin/sh\n{reads} > /dev/null\necho '[mp4 @ 0x1] Error writing: No space left' >&2\nexit 1\n")
    ffmpeg.chmod(0o755)
    monkeypatch.setattr("imageio_ffmpeg.get_ffmpeg_exe", lambda: str(ffmpeg))
    with pytest.raises(InputError, match="movie '.*x.mp4'.*space"):
        view(bar, movie=tmp_path / "x.mp4", size=SIZE, fps=1.0)
    assert [path.name for path in tmp_path.iterdir()] == ["ffmpeg"]
    assert capfd.readouterr() == ("", "")


def test_what_cannot_be_drawn_is_heard_of_first(bar: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise InputError("not this one")

    started = []
    monkeypatch.setattr("flexmb.postproc.movie.draw", fail)
    monkeypatch.setattr("imageio_ffmpeg.get_ffmpeg_exe", lambda: started.append(1))
    with pytest.raises(InputError, match="^not this one$"):
        view(bar, movie=tmp_path / "x.mp4", size=SIZE, fps=1.0)
    assert started == list(tmp_path.iterdir()) == []


def test_interrupted_movie_leaves_nothing(bar: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    def interrupt(done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        view(bar, movie=tmp_path / "x.mp4", size=SIZE, fps=1.0, progress=interrupt)
    assert list(tmp_path.iterdir()) == []
    assert capfd.readouterr() == ("", "")
