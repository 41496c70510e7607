"""The directions of space in the corner of a scene: they turn with its camera and are seen."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from messages import says
from pictures import require_drawing, run_bar, shot

from flexmb.cli import main
from flexmb.postproc.view import staged


@pytest.fixture(scope="module")
def bar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    require_drawing()
    return run_bar(tmp_path_factory.mktemp("triad") / "bar")


def corner(plotter, panel) -> np.ndarray:
    """Return which pixels of a panel's corner are dark, rows from above."""
    image = shot(plotter)
    x0, y0, x1, y1 = panel.triad.renderer.GetViewport()
    rows = slice(round((1 - y1) * image.shape[0]), round((1 - y0) * image.shape[0]))
    return image[rows, round(x0 * image.shape[1]) : round(x1 * image.shape[1])].max(axis=2) < 180


def test_axes_turn_with_the_camera_of_their_scene(bar: Path) -> None:
    stage, t = staged([bar, bar], 0.3, 1.0, "displacement", whole=True)
    plotter = stage.plotter((1600, 900), off_screen=True)
    stage.add_to(plotter, t)
    eye = stage.panels[0].renderer.camera
    seen = []
    # along which pixels the axes x and z go, from the middle to their ends, with y along the line of sight
    for out, up, x, z in (((0, -1, 0), (0, 0, 1), (0, 1), (-1, 0)), ((0, 1, 0), (0, 0, -1), (0, 1), (1, 0))):
        eye.position, eye.up = tuple(np.add(eye.focal_point, 50 * np.array(out))), up
        stage.clip()
        plotter.render()
        for panel in stage.panels:
            dark = corner(plotter, panel)
            middle, unit = np.array(dark.shape) / 2, dark.shape[0] / 2 / 1.9
            for way in (x, z):
                place = np.round(middle + 0.5 * unit * np.array(way)).astype(int)
                assert dark[place[0] - 2 : place[0] + 3, place[1] - 2 : place[1] + 3].any()
                place = np.round(middle - 0.5 * unit * np.array(way)).astype(int)
                assert not dark[place[0] - 2 : place[0] + 3, place[1] - 2 : place[1] + 3].any()
        seen.append(dark)
    assert (seen[0] != seen[1]).any()
    plotter.close()


def test_another_time_than_was_asked_for_is_said(bar: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = str(tmp_path / "a.png")
    assert main(["view", str(bar), "--screenshot", name, "--time", "0.5123", "--size", "640x360"]) == 0
    assert says(capsys.readouterr().err, "note ... states ... t = 0.51 s ... nearest")
    assert main(["view", str(bar), "--screenshot", name, "--time", "0.51", "--size", "640x360"]) == 0
    assert "nearest" not in capsys.readouterr().err


@pytest.mark.parametrize("ends", [("-1e3", "1e3"), ("-.5", "-1e-3"), ("0", "5")])
def test_ends_of_colours_are_numbers_of_any_form(ends: tuple[str, str], bar: Path, tmp_path: Path) -> None:
    words = ["view", str(bar), "--range", *ends, "--screenshot", str(tmp_path / "a.png"), "--size", "640x360"]
    assert main(words) == 0
    assert (tmp_path / "a.png").is_file()
