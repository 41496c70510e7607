"""Joints are drawn: stored with the result, in their places in every state, and to be seen in pictures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pictures import SIZE, colours_at, pixels, require_drawing, scene_of

import flexmb as fm
from flexmb.postproc.joint_glyphs import BEYOND
from flexmb.postproc.view import picture
from flexmb.record.io.glyph_ends import glyph_ends

TRAVEL, END = 0.5, 0.25
THICK = 0.2


def machine() -> fm.Model:
    """Return one joint of each kind, several of them moving."""
    model = fm.Model(gravity=(0.0, 0.0, -9.81), project=True)
    inertia = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1)}
    for name, position, size in (
        ("slab", (0.0, 0.0, 0.0), (0.6, THICK, 0.1)),
        ("arm", (0.0, 0.0, -0.6), (0.08, 0.08, 0.8)),
        ("arm2", (0.0, 0.0, -1.5), (0.08, 0.08, 0.8)),
        ("puck", (1.5, 0.0, 0.0), (0.2, 0.2, 0.1)),
        ("ring", (1.5, 0.0, -1.0), (0.2, 0.2, 0.1)),
        ("inner", (2.4, 0.0, -0.5), (0.5, 0.05, 0.05)),
        ("outer", (2.9, 0.0, -0.5), (0.5, 0.05, 0.05)),
    ):
        model.add(fm.Rigid(name, **inertia, position=position, shape={"kind": "box", "size": size}))
    model.add(fm.Particle("bead", mass=1.0, position=(2.5, 0.0, -1.8)))
    model.add(fm.Particle("bob", mass=1.0, position=(3.5, 0.0, -1.0)))
    drive = {"kind": "ramp", "end_value": TRAVEL, "end_time": END}
    model.add(fm.Prismatic("slide", a="ground", b="slab", axis=(1, 0, 0), drive=drive))
    model.add(fm.Revolute("pin", a="slab", b="arm", point=(0, 0, -0.15), axis=(0, 1, 0)))
    model.add(fm.Universal("cardan", a="arm", b="arm2", point=(0, 0, -1.05), axis=(1, 0, 0), axis2=(0, 1, 0)))
    model.add(fm.Planar("table", a="ground", b="puck", axis=(0, 0, 1)))
    model.add(fm.Cylindrical("mast", a="ground", b="ring", axis=(0, 0, 1)))
    model.add(fm.Spherical("ball", a="inner", b="ground", point=(2.1, 0, -0.5)))
    model.add(fm.Fixed("weld", a="inner", b="outer", point=(2.65, 0, -0.5)))
    model.add(fm.PointOnLine("wire", a="bead", b="ground", axis=(0.8, 0, -0.6)))
    model.add(fm.Distance("rod", a="ground", b="bob", point=(3.2, 0, -0.4)))
    return model


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    result = fm.simulate(machine(), fm.GeneralizedAlpha(rho_inf=0.9, ggl=True), step=1e-3, end=END)
    return result.save(tmp_path_factory.mktemp("joints") / "machine")


def frames_at(folder: Path, time: float):
    """Return a scene of the whole run, its marks by joint and kind, their frames in a state, and its number."""
    scene, k = scene_of(folder, time, whole=True)
    marks = scene.fields.maps.layout.marks
    keys = [(name.decode(), kind.decode()) for name, kind in zip(marks.name, marks.kind, strict=True)]
    return scene, keys, scene.mark_frames(scene.frame(k)), k


def test_every_kind_of_joint_is_stored_with_its_symbols(folder: Path) -> None:
    marks = fm.load(folder).layout.marks
    kinds: dict[str, list[str]] = {}
    for name, kind in zip(marks.name, marks.kind, strict=True):
        kinds.setdefault(name.decode(), []).append(kind.decode())
    assert kinds == {
        "slide": ["rail", "block"],
        "pin": ["hinge"],
        "cardan": ["cross", "cross"],
        "table": ["sheet"],
        "mast": ["rail", "sleeve"],
        "ball": ["ball"],
        "weld": ["weld"],
        "wire": ["rail", "bead"],
        "rod": ["rod", "ball"],
    }


def test_symbols_are_where_their_joints_are(folder: Path) -> None:
    """Block, sleeve, bead and sheet follow what slides; hinge, ball, weld and cross are where both ends are."""
    scene, keys, frames, k = frames_at(folder, END)
    frame = scene.frame(k)
    ends = glyph_ends(scene.fields.maps.layout, frame["displacement"], frame["rotation"])
    sliding = {"block", "sleeve", "bead", "sheet"}
    for i, (name, kind) in enumerate(keys):
        if kind in sliding:
            np.testing.assert_allclose(frames[i, 0], ends[i, 1], rtol=0, atol=1e-12, err_msg=name)
        elif kind in {"hinge", "weld", "cross"}:
            np.testing.assert_allclose(ends[i, 0], ends[i, 1], rtol=0, atol=1e-9, err_msg=name)
            np.testing.assert_allclose(frames[i, 0], ends[i, 0], rtol=0, atol=1e-12, err_msg=name)
    at = dict(zip(keys, frames, strict=True))
    np.testing.assert_allclose(at["slide", "block"][0], [TRAVEL, 0.0, 0.0], rtol=0, atol=1e-9)
    np.testing.assert_allclose(at["ball", "ball"][0], [2.1, 0.0, -0.5], rtol=0, atol=1e-12)
    # a rod reaches from the ground to the bob, which keeps its distance
    start, along = at["rod", "rod"][:2]
    np.testing.assert_allclose(start, [3.2, 0.0, -0.4], rtol=0, atol=1e-12)
    assert np.linalg.norm(along) == pytest.approx(np.hypot(0.3, 0.6), abs=1e-9)
    np.testing.assert_allclose(start + along, scene.positions(frame)[-1], rtol=0, atol=1e-9)


def test_axes_turn_with_the_ends_they_belong_to(folder: Path) -> None:
    scene, keys, frames, k = frames_at(folder, END)
    turn = scene.frame(k)["rotation"]
    layout = scene.fields.maps.layout
    crosses = [i for i, key in enumerate(keys) if key == ("cardan", "cross")]
    angle = {}
    for body in ("arm", "arm2"):
        (point, *_) = np.flatnonzero(layout.body_of_point == layout.bodies.index(body))
        angle[body] = turn[point]
    assert abs(angle["arm"][1]) > 0.02  # it swings about y
    assert abs(angle["arm2"][1] - angle["arm"][1]) > 0.02
    first, second = (frames[i, 1] / np.linalg.norm(frames[i, 1]) for i in crosses)
    swing = angle["arm"][1]
    np.testing.assert_allclose(first, [np.cos(swing), 0.0, -np.sin(swing)], rtol=0, atol=1e-9)
    np.testing.assert_allclose(second, [0.0, 1.0, 0.0], rtol=0, atol=1e-9)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_corners_of_a_weld_turn_with_what_it_is_on_and_hinges_do_not_roll(folder: Path, axis: int) -> None:
    scene, keys, start, _ = frames_at(folder, 0.0)
    turn = 0.3 * np.eye(3)[axis]
    n = len(scene.reference)
    frames = scene.mark_frames({"displacement": np.zeros((n, 3)), "rotation": np.tile(turn, (n, 1))})
    R = rotation_matrix(axis, 0.3)
    weld, hinge = keys.index(("weld", "weld")), keys.index(("pin", "hinge"))
    np.testing.assert_allclose(frames[weld, 1:], start[weld, 1:] @ R.T, rtol=0, atol=1e-12)
    np.testing.assert_allclose(frames[hinge, 1], R @ start[hinge, 1], rtol=0, atol=1e-12)
    if axis == 1:  # the hinge's own
        np.testing.assert_allclose(frames[hinge, 1:], start[hinge, 1:], rtol=0, atol=1e-12)


def rotation_matrix(axis: int, angle: float) -> np.ndarray:
    c, s, R = np.cos(angle), np.sin(angle), np.eye(3)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R[[i, j, i, j], [i, j, j, i]] = c, c, -s, s
    return R


def test_rails_stand_still_and_reach_as_far_as_what_slides(folder: Path) -> None:
    for name, kind, way in (("slide", "block", (1.0, 0.0, 0.0)), ("mast", "sleeve", (0.0, 0.0, 1.0))):
        rails, along = [], []
        for time in (0.0, END / 2, END):
            _, keys, frames, _ = frames_at(folder, time)
            rails.append(frames[keys.index((name, "rail"))])
            along.append(float(frames[keys.index((name, kind))][0] @ np.array(way)))
        np.testing.assert_allclose(rails[0], rails[-1], rtol=0, atol=1e-12)
        middle, half = float(rails[0][0] @ way), 0.5 * float(rails[0][1] @ way)
        assert max(along) - min(along) > 0.2
        assert middle - half < min(along)
        assert max(along) < middle + half


def test_a_hinge_goes_through_the_thicker_of_two_bodies_within_reason(folder: Path) -> None:
    _, keys, frames, _ = frames_at(folder, 0.0)
    hinge = frames[keys.index(("pin", "hinge"))]
    assert np.linalg.norm(hinge[1]) == pytest.approx(BEYOND * THICK)  # the slab: 0.2 m, the arm: 0.08 m
    np.testing.assert_allclose(hinge[1][[0, 2]], 0.0, rtol=0, atol=1e-12)


def test_feet_of_balls_on_the_ground_stand_upright(folder: Path) -> None:
    for time in (0.0, END):
        scene, keys, frames, _ = frames_at(folder, time)
        for name in ("ball", "rod"):
            up = frames[keys.index((name, "ball"))][2]
            np.testing.assert_allclose(up / np.linalg.norm(up), scene.up, rtol=0, atol=1e-12)
    parts = scene.marks.parts["supports"]
    owners = {keys[i][0] for i in parts.owner}
    assert owners == {"ball", "rod"}  # a hinge between two bodies has no foot


def test_joints_are_seen_in_a_picture(folder: Path) -> None:
    """The end of a hinge is dark and grey where the bodies it joins are blue and vermillion."""
    require_drawing()
    scene, keys, frames, k = frames_at(folder, 0.0)
    hinge = frames[keys.index(("pin", "hinge"))]
    toward = scene.camera.out @ hinge[1]
    at = hinge[0] + 0.5 * np.sign(toward) * hinge[1]
    (colour,) = colours_at(picture(scene, k, SIZE), pixels(scene, k, at[None]))
    assert colour.max() - colour.min() < 40
    assert colour.max() < 160


def test_a_mechanism_in_a_vertical_plane_is_seen_with_x_to_the_right(folder: Path) -> None:
    scene, _ = scene_of(folder, 0.0)
    camera = scene.camera
    np.testing.assert_allclose(camera.right, [1.0, 0.0, 0.0], rtol=0, atol=1e-9)
    np.testing.assert_allclose(camera.up, [0.0, 0.0, 1.0], rtol=0, atol=1e-9)


def test_balls_at_the_edge_are_seen_whole(folder: Path) -> None:
    scene, k = scene_of(folder, 0.0)
    layout = scene.fields.maps.layout
    bob = layout.bodies.index("bob")
    at = scene.positions(scene.frame(k))[layout.body_of_point == bob][0]
    edge = float((at - scene.camera.centre) @ scene.camera.right) + scene.shapes.radius(bob)
    assert edge <= scene.camera.half[0] * (1 + 1e-12)
