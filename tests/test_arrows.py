"""Arrows of contact impulses: when they are there, how long, where they end, and that they can be seen."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from messages import says
from pictures import SIZE, require_drawing, run_bar, scene_of
from scipy import sparse

import flexmb as fm
from flexmb.postproc.impulses import HEAD, LONGEST, SHORTEST, ArrowScale, Impulses
from flexmb.postproc.movie import pictures
from flexmb.postproc.scene import Scene
from flexmb.postproc.stage import Stage, draw
from flexmb.postproc.style import VERMILLION
from flexmb.postproc.view import picture

INK = np.array([int(VERMILLION[k : k + 2], 16) for k in (1, 3, 5)], dtype=float)


@pytest.fixture(scope="module")
def bar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    require_drawing()
    return run_bar(tmp_path_factory.mktemp("arrows") / "bar")


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run two bars that strike each other: their arrows are inside them."""
    require_drawing()
    folder = tmp_path_factory.mktemp("arrows") / "pair"
    fm.load_case("two_bars", ["time.step=1e-2", "bodies.hammer.elements=20", "bodies.anvil.elements=20"]).run(folder)
    return folder


def inked(image: np.ndarray) -> int:
    """Return how many pixels have the colour of arrows, light and shade aside, above the charts."""
    colours = image[: SIZE[1] // 2].astype(float)
    size = np.maximum(np.linalg.norm(colours, axis=2), 1.0)
    return int(np.sum((colours @ INK / size / np.linalg.norm(INK) > 0.98) & (np.ptp(colours, axis=2) > 60)))


def impulses_of(rows: list[list[float]], maps: np.ndarray) -> Impulses:
    return Impulses(Rows(np.array(rows), maps))  # type: ignore[arg-type]


class Rows:
    """Impulses of made-up states."""

    def __init__(self, rows: np.ndarray, maps: np.ndarray) -> None:
        self.impulse, self.maps = rows, SimpleNamespace(impulse=sparse.csr_array(maps))

    def __len__(self) -> int:
        return len(self.impulse)


def test_a_picture_shows_what_acts_at_its_time_only(bar: Path) -> None:
    for time, there in ((0.3, False), (0.8, True), (1.8, False)):
        scene, k = scene_of(bar, time)
        assert (inked(picture(scene, k, SIZE)) > 40) is there, time


def test_leaps_show_the_state_itself_and_passing_time_what_acted_since(bar: Path) -> None:
    scene, k = scene_of(bar, 0.3, whole=True)
    stage = Stage([scene])
    plotter = draw(stage, 0.3, SIZE)
    (panel,) = stage.panels
    try:
        for passing in (False, True):
            stage.show(0.3)
            stage.show(1.8, passing)
            assert [bool(actor.GetVisibility()) for actor in panel._flashes] == [passing, False]
        stage.show(1.9, passing=True)  # it fades
        assert [bool(actor.GetVisibility()) for actor in panel._flashes] == [False, True]
        stage.show(0.3, passing=True)  # a run that begins again
        assert [bool(actor.GetVisibility()) for actor in panel._flashes] == [False, False]
    finally:
        plotter.close()


def test_a_coarse_movie_loses_no_blow(bar: Path) -> None:
    """Of three pictures none is at the time of contact, but the contact is seen."""
    scene, _ = scene_of(bar, whole=True)
    images = [np.array(image) for image in pictures(Stage([scene]), np.array([0.2, 0.4, 1.5]), SIZE)]
    assert [inked(image) > 40 for image in images] == [False, False, True]


def test_the_strongest_of_many_states_is_kept_however_many_there_are() -> None:
    rows = np.zeros((20_000, 2))
    rows[7], rows[9_000], rows[15_000] = [1.0, 0.0], [-3.0, 0.5], [2.0, 0.0]
    maps = np.zeros((9, 2))
    maps[3, 0], maps[8, 1] = 1.0, 1.0  # the second point along x, the third along z
    own = impulses_of(rows.tolist(), maps)
    assert own.points.tolist() == [1, 2]
    np.testing.assert_array_equal(own.strongest(0, 19_999), [[-3.0, 0.0, 0.0], [0.0, 0.0, 0.5]])
    np.testing.assert_array_equal(own.strongest(0, 8_999), [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    np.testing.assert_array_equal(own.strongest(15_000, 15_000), [[2.0, 0.0, 0.0], [0.0, 0.0, 0.0]])


def test_impulses_of_what_whirls_do_not_cancel() -> None:
    angle = np.linspace(0.0, 2.0 * np.pi, 13)[:-1]
    own = impulses_of(np.column_stack([np.cos(angle), np.sin(angle)]).tolist(), np.eye(3)[:, :2])
    assert np.linalg.norm(own.strongest(0, 11)) == pytest.approx(1.0)


def test_the_largest_is_the_longest_vector_not_the_largest_component() -> None:
    own = impulses_of([[3.0, 4.0], [4.5, 0.0]], np.eye(3)[:, :2])
    assert own.largest == pytest.approx(5.0)


def test_lengths_grow_with_the_root_between_shortest_and_longest() -> None:
    scale = ArrowScale(largest=4.0, size=10.0)
    assert scale.length(4.0) == pytest.approx(10.0 * LONGEST)
    assert scale.length(0.0) == pytest.approx(10.0 * SHORTEST)
    assert scale.length(1.0) == pytest.approx(10.0 * (SHORTEST + LONGEST) / 2)
    assert says(scale.words, "contact impulses ... 4 N s")
    assert ArrowScale(0.0, 1.0).words == ""


def test_arrows_are_drawn_as_long_as_they_say(bar: Path) -> None:
    scene, k = scene_of(bar, 0.8)
    stage = Stage([scene])
    plotter = draw(stage, 0.8, SIZE)
    try:
        points = stage.panels[0]._arrows[0].points
    finally:
        plotter.close()
    impulse = float(np.linalg.norm(scene.impulses.strongest(k, k)))
    assert np.ptp(points[:, 0]) == pytest.approx(scene.arrows.length(impulse), rel=1e-5)
    assert points[:, 0].max() == pytest.approx(0.0, abs=1e-4)  # the bar meets the wall head-on
    assert np.ptp(points[:, 1]) == pytest.approx(2.0 * HEAD * LONGEST * scene.arrows.size, rel=1e-2)


def test_side_by_side_arrows_have_one_scale(bar: Path, tmp_path: Path) -> None:
    slow = run_bar(tmp_path / "slow", ["bodies.rod.velocity=[-5.0, 0.0, 0.0]"])
    scenes: list[Scene] = [scene_of(folder, 0.8)[0] for folder in (bar, slow)]
    single = [scene.arrows for scene in scenes]
    assert single[0].largest > 1.5 * single[1].largest
    Stage(scenes)
    assert scenes[0].arrows == scenes[1].arrows
    assert scenes[1].arrows.largest == single[0].largest
    assert scenes[1].arrows.size == max(own.size for own in single)


def test_arrows_inside_bodies_are_seen(pair: Path) -> None:
    """Two bars push each other: both arrows lie inside them, and stand in front of them."""
    scene, k = scene_of(pair)
    assert inked(picture(scene, k, SIZE)) > 200


def test_the_board_tells_what_arrows_mean(bar: Path) -> None:
    stage = Stage([scene_of(bar, 0.8)[0]])
    plotter = draw(stage, 0.8, SIZE)
    caption = stage.panels[0].overlay.caption
    told = []
    try:
        for what in ("", "reference", "impulses", "reference"):
            if what:
                stage.flip(what)
            told.append(str(caption.GetInput()))
    finally:
        plotter.close()
    arrows = stage.scenes[0].arrows.words
    assert says(arrows, "arrows ... contact impulses")
    assert told == [f"gray: reference position;   {arrows}", arrows, "", "gray: reference position"]


def test_arrows_are_inside_the_picture(tmp_path: Path) -> None:
    """That of a beam on its stop reaches far below it."""
    require_drawing()
    fm.load_case("beam_on_stop", ["time.end=0.06"]).run(tmp_path / "beam")
    scene, k = scene_of(tmp_path / "beam")
    stage = Stage([scene])
    plotter = draw(stage, float(scene.times[k]), SIZE)
    try:
        points = np.asarray(stage.panels[0]._arrows[0].points)
        assert len(points) > 1
    finally:
        plotter.close()
    seen = (points - scene.camera.centre) @ np.stack([scene.camera.right, scene.camera.up]).T
    assert np.all(np.abs(seen) <= scene.camera.half * (1 + 1e-9))
