"""Displacements drawn larger: whole where they are small, the deformation alone where bodies move far."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from messages import says
from pictures import scene_of
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.postproc.deformation import deformation, held_points

TURN = Rotation.from_rotvec([0.3, -1.9, 2.2])


def free(n: int) -> np.ndarray:
    return np.zeros(n, dtype=bool)


def test_rigid_motion_is_no_deformation() -> None:
    rng = np.random.default_rng(1)
    for shape in (rng.normal(size=(7, 3)), np.outer(np.arange(5.0), [1.0, 2.0, -1.0]), rng.normal(size=(1, 3))):
        moved = TURN.apply(shape) + [3.0, -4.0, 5.0]
        np.testing.assert_allclose(
            deformation(shape, moved, np.zeros(len(shape), dtype=int), free(len(shape))), 0.0, rtol=0, atol=1e-12
        )


def test_deformation_is_what_a_turned_body_is_bent_by() -> None:
    """Of a straight line bent into a parabola, the mean and the mean slope are motion, the rest is deformation."""
    x = np.linspace(-1.0, 1.0, 41)
    straight = np.column_stack([x, 0.0 * x, 0.0 * x])
    bent = straight + 1e-4 * np.column_stack([0.0 * x, x**2, 0.0 * x])
    found = deformation(straight, TURN.apply(bent) + 7.0, np.zeros(41, dtype=int), free(41))
    expected = 1e-4 * np.column_stack([0.0 * x, x**2 - np.mean(x**2), 0.0 * x])
    np.testing.assert_allclose(TURN.inv().apply(found), expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("held", [[0], [0, 40], [0, 20], [3, 20, 40]])
def test_points_that_are_held_stay(held: list[int]) -> None:
    x = np.linspace(-1.0, 1.0, 41)
    straight = np.column_stack([x, 0.0 * x, 0.0 * x])
    bent = straight + 1e-4 * np.column_stack([0.0 * x, np.exp(x), np.sin(2 * x)])
    mask = free(41)
    mask[held] = True
    found = deformation(straight, TURN.apply(bent), np.zeros(41, dtype=int), mask)
    np.testing.assert_allclose(found[held], 0.0, rtol=0, atol=1e-15)
    assert np.abs(found).max() > 1e-6
    loose = deformation(straight, TURN.apply(bent), np.zeros(41, dtype=int), free(41))
    if len(held) == 1:
        np.testing.assert_allclose(found, loose - loose[held], rtol=0, atol=1e-15)
    corner = np.abs(np.diff(found - loose, 2, axis=0)).max()
    # of two points a chord is taken off, of more a smooth curve: no corner comes in
    assert corner < (1e-15 if len(held) < 3 else np.abs(np.diff(loose, 2, axis=0)).max())


def test_of_contacts_all_along_a_beam_the_outermost_are_held(tmp_path: Path) -> None:
    keys = ['contacts.floor.nodes="bar.all"', "time.end=0.3"]
    fm.load_case("bar_dropped_by_gripper", keys).run(tmp_path / "bar")
    scene, k = scene_of(tmp_path / "bar", 0.29, scale=100.0)
    assert held_points(scene.fields.maps).sum() == 2
    true, _ = scene_of(tmp_path / "bar", 0.29)
    assert np.abs(scene.positions(scene.frame(k)) - true.positions(true.frame(k))).max() > 1e-3


def test_bodies_are_looked_at_one_by_one() -> None:
    rng = np.random.default_rng(2)
    shape, body = rng.normal(size=(8, 3)), np.array([0, 1, 0, 1, 0, 1, 0, 1])
    moved = shape.copy()
    moved[body == 1] = TURN.apply(shape[body == 1])
    np.testing.assert_allclose(deformation(shape, moved, body, free(8)), 0.0, rtol=0, atol=1e-12)


def test_mirrored_points_are_not_turned_into_their_mirror_image() -> None:
    shape = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    assert np.abs(deformation(shape, shape * [1, 1, -1], np.zeros(4, dtype=int), free(4))).max() > 0.1


@pytest.fixture(scope="module")
def crank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("large") / "crank"
    fm.load_case("flexible_slider_crank_beam", ["time.end=0.02", "output.fields_every=100"]).run(folder)
    return folder


def test_in_large_motion_rigid_bodies_keep_their_size_and_beams_bend_more(crank: Path) -> None:
    true, k = scene_of(crank, 0.02)
    larger, _ = scene_of(crank, 0.02, scale=30.0)
    layout, frame = true.fields.maps.layout, true.frame(k)
    now, drawn = true.positions(frame), larger.positions(frame)
    beam = layout.bodies.index("rod")
    rigid = layout.body_of_point != beam
    np.testing.assert_allclose(drawn[rigid], now[rigid], rtol=0, atol=1e-12)
    own = layout.body_of_point == beam
    held, body = held_points(true.fields.maps)[own], np.zeros(own.sum(), dtype=int)
    bent = [deformation(layout.points[own], x[own], body, held) for x in (now, drawn)]
    assert np.abs(bent[0]).max() > 2e-5
    # the fit of the larger shape is a little different: of second order in the deformation
    np.testing.assert_allclose(bent[1], 30.0 * bent[0], rtol=0, atol=2e-2 * np.abs(30.0 * bent[0]).max())


def test_joints_stay_where_they_are_when_deformations_are_drawn_larger(crank: Path) -> None:
    true, k = scene_of(crank, 0.02)
    larger, _ = scene_of(crank, 0.02, scale=30.0)
    frame = true.frame(k)
    assert len(true.marks) > 2
    np.testing.assert_allclose(larger.mark_frames(frame)[:, 0], true.mark_frames(frame)[:, 0], rtol=0, atol=1e-9)


def test_the_note_says_what_is_drawn_larger(crank: Path, tmp_path: Path) -> None:
    assert "deformations drawn × 30" in scene_of(crank, 0.02, scale=30.0)[0].notes
    scene, _ = scene_of(crank, 0.02, scale=30.0)
    scene.room.small = np.arange(len(scene.reference)) == 0
    assert says(scene.notes, "small displacements ... deformations ... × 30")


def test_shafts_turn_more_where_displacements_are_drawn_larger(tmp_path: Path) -> None:
    """Sections of small motion turn with the drawn line, also beside bodies in large motion."""
    fm.load_case("rub_two_disks", ["time.end=0.02"]).run(tmp_path / "rub")
    scene, k = scene_of(tmp_path / "rub", 0.02, scale=50.0)
    assert scene.fields.maps.layout.carriers is not None
    frame = scene.frame(k)
    assert scene.small.all()
    turns = scene.rotations(frame)
    assert turns is not None
    np.testing.assert_allclose(turns, 50.0 * frame["rotation"])
    np.testing.assert_allclose(scene.positions(frame) - scene.reference, 50.0 * frame["displacement"])


def test_masses_that_move_far_are_not_drawn_further_away(tmp_path: Path) -> None:
    fm.load_case("double_pendulum_wall", ["time.end=0.5"]).run(tmp_path / "pendulum")
    fm.load_case("rub_two_disks", ["time.end=0.01", "output.fields_every=50"]).run(tmp_path / "rotor")
    scene, k = scene_of(tmp_path / "pendulum", 0.5, whole=True)
    before = scene.positions(scene.frame(k))
    scene.rescale(10.0)
    np.testing.assert_array_equal(scene.positions(scene.frame(k)), before)
    assert scene_of(tmp_path / "rotor", 0.01, whole=True)[0].small.all()  # shaft and rings move little


def test_enlarged_beams_stay_in_their_joints_and_on_their_stops(crank: Path, tmp_path: Path) -> None:
    fm.load_case("pendulum_with_flexible_rod_and_stop", ["time.end=0.5"]).run(tmp_path / "pendulum")
    for folder, time in ((crank, 0.005), (tmp_path / "pendulum", 0.495)):
        true, k = scene_of(folder, time)
        larger, _ = scene_of(folder, time, scale=30.0)
        frame, held = true.frame(k), held_points(true.fields.maps)
        now, drawn = true.positions(frame), larger.positions(frame)
        np.testing.assert_allclose(drawn[held], now[held], rtol=0, atol=1e-12)
        assert np.abs(drawn - now).max() > 1e-3
