"""What touches in truth touches in the picture, and all of it is seen, also side by side."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pictures import SIZE, require_drawing, run_bar, scene_of

import flexmb as fm
from flexmb.postproc.stage import Stage, draw


def surface_and_slab(folder: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Return the corners of the drawn body, those of the slab, its normal and the gap, when the gap is smallest."""
    result = fm.load(folder)
    (contact,) = result.contacts.values()
    gaps = np.interp(result.fields.times, result.time, contact.gap)
    scene, k = scene_of(folder, float(result.fields.times[np.argmin(gaps)]))
    frame = scene.frame(k)
    (plane,) = scene.planes
    slab = np.asarray(scene.slab(plane, float(scene.times[k]), frame).points)
    near = np.isin(scene.shapes.surface.point_of_corner, plane.points)
    return scene.surface(frame)[near], slab, plane.normal, float(gaps.min())


@pytest.mark.parametrize(
    ("case", "keys"),
    [
        ("beam_on_stop", ["time.end=0.06"]),  # a rectangular section
        ("pendulum_with_flexible_rod_and_stop", ["time.end=0.52"]),  # level at the start, upright when it hits
        ("bouncing_ball", ["time.end=1.2"]),
        ("impacting_bar", ["time.end=0.9", "bodies.rod.elements=30", "time.step=5e-3"]),  # head-on
    ],
)
def test_surfaces_meet_where_nodes_touch(tmp_path: Path, case: str, keys: list[str]) -> None:
    fm.load_case(case, keys).run(tmp_path / "run")
    body, slab, normal, gap = surface_and_slab(tmp_path / "run")
    size = float(np.ptp(body, axis=0).max())
    assert size > 0.0
    apart = (body @ normal).min() - (slab @ normal).max()
    assert apart == pytest.approx(gap, abs=0.02 * size + 1e-5)


def test_a_plane_stands_still_while_what_may_hit_it_turns(tmp_path: Path) -> None:
    fm.load_case("pendulum_with_flexible_rod_and_stop", ["time.end=0.52"]).run(tmp_path / "run")
    tops = []
    for time in (0.0, 0.3, 0.5):
        scene, k = scene_of(tmp_path / "run", time, whole=True)
        (plane,) = scene.planes
        tops.append(float((np.asarray(scene.slab(plane, time, scene.frame(k)).points) @ plane.normal).max()))
    np.testing.assert_allclose(tops, tops[0], atol=1e-9)


def test_a_fixed_plane_is_under_the_whole_way(tmp_path: Path) -> None:
    fm.load_case("block_on_incline", ["time.end=0.3"]).run(tmp_path / "run")
    slabs, places = [], []
    for time in (0.0, 0.3):
        scene, k = scene_of(tmp_path / "run", time, whole=True)
        (plane,) = scene.planes
        frame = scene.frame(k)
        slabs.append(np.asarray(scene.slab(plane, time, frame).points))
        places.append(scene.positions(frame)[0])
    np.testing.assert_allclose(slabs[0], slabs[1], atol=1e-9)
    way = places[1] - places[0]
    assert np.linalg.norm(way) > 0.2
    along = slabs[0] @ way
    assert along.min() < places[0] @ way < places[1] @ way < along.max()


def test_a_ball_that_contacts_give_a_radius_touches_with_it(tmp_path: Path) -> None:
    fm.load_case("chain_of_balls", ["time.end=0.4"]).run(tmp_path / "run")
    scene, k = scene_of(tmp_path / "run", 0.36)
    (plane,) = scene.planes
    assert plane.radius > 0.05
    frame = scene.frame(k)
    top = np.asarray(scene.slab(plane, 0.36, frame).points)[:, 2].max()
    assert top == pytest.approx(0.0, abs=1e-9)
    low = scene.surface(frame)[:, 2].min()
    assert low == pytest.approx(scene.positions(frame)[:, 2].min() - plane.radius, abs=1e-9)


def test_what_is_far_from_the_others_is_not_cut_off(tmp_path: Path) -> None:
    """Of scenes side by side the camera is one: it sees all that is in any of them, also after it was turned."""
    require_drawing()
    run_bar(tmp_path / "bar")
    fm.load_case("bouncing_ball", ["time.end=0.5"]).run(tmp_path / "ball")
    stage = Stage([scene_of(tmp_path / name, 0.4)[0] for name in ("bar", "ball")])
    plotter = draw(stage, 0.4, SIZE)
    try:
        for turn in (0.0, 60.0):
            eye = stage.panels[0].renderer.camera
            if turn:
                eye.Azimuth(turn)
                stage.panels[1].renderer.ResetCameraClippingRange()  # as whoever turns it with the pointer there does
            position, focus = np.array(eye.position), np.array(eye.focal_point)
            ahead = (focus - position) / np.linalg.norm(focus - position)
            near, far = eye.clipping_range
            for panel in stage.panels:
                depth = (panel.corners - position) @ ahead
                assert near < depth.min()
                assert depth.max() < far
    finally:
        plotter.close()


def test_what_can_be_seen_through_and_what_cannot(tmp_path: Path) -> None:
    require_drawing()
    run_bar(tmp_path / "bar")
    fm.load_case("rub_two_disks", ["time.end=0.002"]).run(tmp_path / "rub")
    for name, through in (("bar", ["0 plane wall"]), ("rub", ["0 rings", "0 bearings"])):
        stage = Stage([scene_of(tmp_path / name)[0]])
        plotter = draw(stage, 0.0, SIZE)
        try:
            actors = plotter.renderers[0].actors
            seen = {key: actor.prop.opacity for key, actor in actors.items()}
            assert all(0.1 < seen[key] < 0.7 for key in through), seen
            assert seen["0 bodies"] == 1.0
        finally:
            plotter.close()
