"""The viewer of the page without anybody who looks at it: what is sent to it is done, or refused."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from missing import missing
from pictures import require_drawing, run_bar

from flexmb.postproc.view import staged

RANGE = "must be a number from 1e-06 to 1e+09"


@pytest.fixture(scope="module")
def bar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    require_drawing()
    try:
        import trame.app
        import trame.widgets.vtk  # noqa: F401
    except ImportError as err:
        missing(f"trame is not installed: {err}")
    return run_bar(tmp_path_factory.mktemp("web") / "bar")


@pytest.fixture
def viewer(bar: Path) -> Iterator[Any]:
    """The viewer without anybody who looks at it, at the eleventh state."""
    from flexmb.postproc.web import WebViewer

    stage, t = staged([bar], 0.1, 1.0, "displacement", whole=True)
    made = WebViewer(stage, t, (800, 450))
    made.state.ready()
    yield made
    made.plotter.close()


def test_what_the_page_sends_is_done(viewer: Any) -> None:
    state, stage = viewer.state, viewer.stage

    def send(**values: object) -> None:
        state.update(values)
        state.flush()

    send(index="30")  # a slider sends text
    assert (stage.panels[0].k, state.clock) == (30, "t = 0.3 s")
    send(field="velocity")
    assert stage.field == "velocity"
    assert stage.panels[0].overlay.board.figure.axes[0].get_ylabel() == "|velocity| [m/s]"
    send(field="no such field")
    assert stage.field == "velocity"
    send(scale=3)
    assert (stage.scale, state.wrong) == (3.0, "")
    for wrong in (-3, 0, "", "much", "nan", 1e300, "1e10", 1e-7):
        send(scale=wrong)
        assert (stage.scale, state.scale) == (3.0, 3.0)  # the box is put back
        assert state.wrong == f"scale = {wrong!r}: {RANGE}"
    send(scale="0.5")
    assert (stage.scale, state.scale, state.wrong) == (0.5, 0.5, "")
    send(speed=4.0)
    assert viewer.player.speed == pytest.approx(4 * 2.0 / 10.0)
    for wrong in ("abc", "nan", "inf", "-1e400", None, "", [1], float("nan")):
        send(index=wrong, speed=wrong)
        assert (stage.panels[0].k, state.index, viewer.player.factor, state.speed) == (30, 30, 4.0, 4.0)
    send(speed=-1.0)
    assert (viewer.player.factor, state.speed) == (4.0, 4.0)
    send(index=1e300)
    assert stage.panels[0].k == 200


def test_keys_are_those_of_the_window(viewer: Any) -> None:
    state, stage = viewer.state, viewer.stage
    for key, k in (("ArrowRight", 11), ("PageDown", 21), ("PageUp", 11), ("ArrowLeft", 10), ("End", 200), ("Home", 0)):
        viewer.press(key)
        assert (stage.panels[0].k, state.index, state.clock) == (k, k, f"t = {stage.times[k]:.6g} s")
    viewer.press("f")
    assert stage.field == state.field == "velocity"
    for key, speed in (("+", 2.0), ("=", 4.0), ("+", 8.0), ("+", 16.0), ("-", 8.0)):
        viewer.press(key)
        assert viewer.player.factor == state.speed == speed
        (words,) = [choice["words"] for choice in state.speeds if choice["factor"] == speed]  # the box can show it
        assert words == f"× {speed:g} ({0.2 * speed:.3g} s/s)"
    viewer.press("]")
    assert stage.scale == state.scale == 2.0
    viewer.press("r")
    assert not stage.panels[0].ghost.GetVisibility()
    viewer.press("a")
    assert not stage.panels[0].arrows.on
    stage.panels[0].renderer.camera.position = (1.0, 2.0, 3.0)
    viewer.press("c")
    assert stage.panels[0].renderer.camera.position != (1.0, 2.0, 3.0)
    viewer.press("?")
    assert state.help
    viewer.press("")  # what the browser keeps for itself
    assert state.help


def test_clock_is_that_of_the_board(viewer: Any) -> None:
    viewer.go(0.1234)
    assert viewer.state.clock == viewer.stage.panels[0].overlay.clock.GetInput() == "t = 0.12 s"


def test_other_sizes_of_the_page(viewer: Any) -> None:
    from flexmb.postproc.web import SETTLE

    board = lambda: viewer.stage.panels[0].overlay.board.size  # noqa: E731
    eye = viewer.stage.panels[0].renderer.camera
    wide = eye.parallel_scale

    async def resize() -> None:
        for width in (700, 600, 500):  # as a window is dragged: only the last is drawn for
            viewer.plotter.render_window.SetSize(width, 450)
            assert board() == (800, 450)
        await asyncio.sleep(3 * SETTLE)

    asyncio.run(resize())
    assert board() == (500, 450)
    assert eye.parallel_scale > 1.1 * wide


def test_playing_goes_on_and_stops(viewer: Any) -> None:
    async def play() -> list[float]:
        times = []
        for _ in range(2):
            viewer.press(" ")
            await asyncio.sleep(0.5)
            times.append(viewer.player.t)
        return times

    first, second = asyncio.run(play())
    assert 0.1 < first <= second < 0.1 + 0.2 * 5
    assert not viewer.player.playing
    assert viewer.state.playing is False


def test_playing_again_at_once_plays_once(viewer: Any) -> None:
    running = 0
    play = viewer._play

    async def counted() -> None:
        nonlocal running
        running += 1
        try:
            await play()
        finally:
            running -= 1

    viewer._play = counted

    async def press() -> list[int]:
        seen = []
        for times in (5, 1, 4):
            for _ in range(times):
                viewer.play()
                await asyncio.sleep(0)
            await asyncio.sleep(0.1)
            seen.append(running)
        return seen

    assert asyncio.run(press()) == [1, 0, 0]
    assert not viewer.player.playing


def test_keys_stop_where_displacements_cannot_be_drawn_larger(viewer: Any) -> None:
    for start, key in ((0.9e9, "]"), (1.5e-6, "[")):
        viewer.rescale(start)
        viewer.press(key)
        assert viewer.stage.scale == viewer.state.scale == start
        assert viewer.stage.scenes[0].look.scale == start
