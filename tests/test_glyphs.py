"""What is drawn beside the bodies: stored with the result, in its place in every state, and to be seen in pictures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest
from pictures import SIZE, colours_at, pixels, require_drawing, scene_of

import flexmb as fm
from flexmb.parts.bodies.rotor_disks import Disk
from flexmb.postproc.glyph_shapes import OUTER
from flexmb.postproc.view import picture, view

GAP, RADIUS = 2e-3, 0.12


def rub() -> fm.Model:
    """Return a rotor in an elastic ring that is pressed against its upper side."""
    model = fm.Model()
    model.add(
        fm.Rotor(
            "rotor",
            stations=np.linspace(0.0, 1.0, 5),
            outer_diameter=0.04,
            material={"young": 2e11, "density": 7850.0},
            spin={"kind": "constant", "speed": 50.0},
            disks=[{"node": 2, "mass": 4.0, "inertia": 0.02, "polar_inertia": 0.04, "radius": RADIUS, "width": 0.05}],
            bearings=[{"node": 1, "stiffness": 1e7}],
            supports=[{"node": "first", "kind": "pinned"}, {"node": "last", "kind": "clamped"}],
            velocity=(0.0, 0.0, 0.0),
        )
    )
    model.add(fm.Particle("stator", mass=1.0, position=(0.5, 0.0, 0.0), axes="yz"))
    for axis, direction in (("y", (0, 1, 0)), ("z", (0, 0, 1))):
        model.add(fm.Spring(f"hold_{axis}", node="stator", stiffness=1e5, direction=direction))
    model.add(fm.Damper("slow", node="stator", anchor=(0.5, 0.0, -0.4), coefficient=10.0))
    model.add(fm.Clearance("ring", node="rotor.node(2)", stator="stator", gap=GAP))
    model.add(fm.NodalForce("push", node="rotor.node(2)", force=(0, 0, 2e5)))
    return model


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    result = fm.simulate(rub(), fm.GeneralizedAlpha(rho_inf=0.5, ggl=True), step=1e-4, end=0.02)
    return result.save(tmp_path_factory.mktemp("marks") / "rub")


def test_marks_are_stored_with_the_result(folder: Path) -> None:
    marks = fm.load(folder).layout.marks
    kinds = [kind.decode() for kind in marks.kind]
    assert kinds == ["disk", "bearing", "pin", "clamp", "spring", "spring", "damper", "ring"]
    assert [name.decode() for name in marks.name[4:]] == ["hold_y", "hold_z", "slow", "ring"]
    assert marks.size[0].tolist() == [RADIUS, 0.05]
    assert marks.size[7, 0] == GAP
    points = fm.load(folder).layout.points
    stator = 5
    np.testing.assert_array_equal(points[stator], [0.5, 0.0, 0.0])
    assert marks.point[:4].tolist() == [[2, -2], [1, -1], [0, -1], [4, -1]]
    assert marks.point[4:].tolist() == [[stator, -2], [stator, -2], [stator, -1], [2, stator]]
    np.testing.assert_array_equal(marks.offset[6, 1], [0.5, 0.0, -0.4])


@pytest.mark.parametrize("scale", [1.0, 30.0])
def test_disk_and_ring_touch_in_the_picture_when_they_do(folder: Path, scale: float) -> None:
    """The way from the disk's rim to the ring's inner side is the gap, drawn as large as displacements are."""
    scene, _ = scene_of(folder, 0.02)
    scene.rescale(scale)
    marks, result = scene.marks, scene.result
    gaps = np.interp(scene.times, result.time, result.contacts["ring"].gap)
    assert gaps.min() < 1e-9
    assert gaps.max() == pytest.approx(GAP)
    for k in range(len(scene.times)):
        frames = scene.mark_frames(scene.frame(k))
        disk, ring = frames[0], frames[7]
        apart = float(np.linalg.norm((disk[0] - ring[0])[1:]))
        room = np.linalg.norm(ring[2]) - RADIUS - apart
        assert room == pytest.approx(scale * gaps[k], abs=1e-9 * scale)
    assert marks.carried == {5}


def test_springs_follow_what_they_hold(folder: Path) -> None:
    scene, k = scene_of(folder, 0.02)
    frame = scene.frame(k)
    stator = frame["displacement"][5]
    assert stator[2] > 1e-3
    frames, rest = scene.mark_frames(frame), scene.marks.rest
    damper = frames[6]
    rim = OUTER * (RADIUS + GAP)
    np.testing.assert_allclose(damper[0], [0.5, *(stator[1:] - rim * np.array([0.0, 1.0]))], rtol=0, atol=1e-4)
    np.testing.assert_allclose(damper[0] + damper[1], [0.5, 0.0, -0.4], rtol=0, atol=1e-14)
    # the far end of a spring along an axis stands still, the near one moves with the ring
    np.testing.assert_allclose(frames[5, 0] + frames[5, 1], rest[5, 0] + rest[5, 1], rtol=0, atol=1e-14)
    for still in (1, 2, 3):
        np.testing.assert_array_equal(frames[still], rest[still])


def test_a_disk_turns_with_its_shaft(folder: Path) -> None:
    scene, k = scene_of(folder, 0.02)
    frame = scene.frame(k)
    turned = {"displacement": frame["displacement"], "rotation": np.tile([0.0, np.pi / 2, 0.0], (6, 1))}
    T = scene.mark_frames(turned)[0, 1]
    np.testing.assert_allclose(T, [0.0, 0.0, -0.05], rtol=0, atol=1e-15)


def test_ends_on_a_rigid_body_turn_with_it() -> None:
    model = fm.Model()
    inertia = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1)}
    model.add(fm.Rigid("box", **inertia, position=(1.0, 0.0, 0.0), angular_velocity=(0.0, 0.0, 2.0)))
    ends = {"a": "box", "point_a": (1.0, 0.5, 0.0), "b": "ground", "point_b": (3.0, 0.0, 0.0)}
    model.add(fm.SpringDamper("both", **ends, stiffness=1e-9, damping=1e-9))
    model.add(fm.Revolute("pin", a="ground", b="box", point=(1.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0)))
    model.add(fm.TorsionSpring("wound", joint="pin", stiffness=1e-9))
    result = fm.simulate(model, fm.GeneralizedAlpha(rho_inf=0.9), step=1e-3, end=0.5)
    from flexmb.record.io.glyph_ends import glyph_ends

    frame = result.fields.frame(len(result.fields) - 1)
    ends_now = glyph_ends(result.layout, frame["displacement"], frame["rotation"])
    np.testing.assert_allclose(ends_now[1, 0], [1.0 - 0.5 * np.sin(1.0), 0.5 * np.cos(1.0), 0.0], rtol=0, atol=1e-6)
    np.testing.assert_array_equal(ends_now[1, 1], [3.0, 0.0, 0.0])
    np.testing.assert_allclose(ends_now[2, 0], [1.0, 0.0, 0.0], rtol=0, atol=1e-12)
    np.testing.assert_array_equal(result.layout.marks.axis[2], [0.0, 0.0, 1.0])


def test_the_radius_of_a_disk_without_one_follows_from_its_inertia() -> None:
    r, width, density = 0.3, 0.02, 7850.0
    mass = density * np.pi * r**2 * width
    known = Disk(node=0, mass=mass, inertia=mass * r**2 / 4, polar_inertia=mass * r**2 / 2)
    assert known.drawn_size == pytest.approx((r, width))
    assert replace(known, polar_inertia=0.0).drawn_size == pytest.approx((r, width))
    bare = Disk(node=0, mass=mass).drawn_size
    assert bare[0] / bare[1] == pytest.approx(2.0)
    assert np.pi * bare[0] ** 2 * bare[1] * density == pytest.approx(mass)
    assert replace(known, radius=0.5, width=0.1).drawn_size == (0.5, 0.1)


def test_older_results_open_without_marks(folder: Path, tmp_path: Path) -> None:
    old = fm.load(folder).save(tmp_path / "old")
    with h5py.File(old / "result.h5", "r+") as file:
        del file["/layout/marks"], file["/layout/digest"]
    scene, _ = scene_of(old, 0.02)
    assert len(scene.marks) == 0
    assert scene.shapes.vertices.tolist() == [5]


def test_disks_are_seen_in_a_picture(folder: Path, tmp_path: Path) -> None:
    """Between shaft and rim, where an older result shows nothing, there is a disk."""
    require_drawing()
    scene, k = scene_of(folder, 0.02)
    image = picture(scene, k, SIZE)
    frames = scene.mark_frames(scene.frame(k))
    at = frames[0, 0] + 0.5 * frames[0, 1] + 0.6 * frames[0, 2]
    (colour,) = colours_at(image, pixels(scene, k, at[None]))
    assert colour.max() < 235
    written = view(folder, tmp_path / "scaled.png", scale=20.0).picture
    assert written is not None
    assert written.stat().st_size > 20_000


def test_supports_stand_below_and_outside(folder: Path) -> None:
    """The cone of a pin is below its node, the plate of a clamp beyond the end of the shaft."""
    scene, _ = scene_of(folder, 0.02)
    part, rest = scene.marks.parts["supports"], scene.marks.rest
    corners = part.corners(rest)
    kinds = scene.marks.kinds
    pin, clamp = corners[part.owner == kinds.index("pin")], corners[part.owner == kinds.index("clamp")]
    r = scene.shapes.radius(0)
    assert pin[:, 2].max() == pytest.approx(-r)
    assert pin[:, 2].min() < -2.0 * r
    assert np.argmax(np.ptp(pin[pin[:, 2] < -2.0 * r], axis=0)) < 2  # the wide end is the lower one
    assert len(np.unique(np.round(pin[pin[:, 2] > -1.1 * r], 9), axis=0)) == 1
    assert clamp[:, 0].min() == pytest.approx(1.0)
    assert clamp[:, 0].max() > 1.0


@pytest.mark.parametrize(("node", "end", "sign"), [("first", 0.0, -1.0), ("last", 1.0, 1.0)])
def test_clamps_are_plates_beyond_the_ends_of_a_beam(tmp_path: Path, node: str, end: float, sign: float) -> None:
    model = fm.Model()
    section, material = {"area": 1e-4, "inertia": 1e-9}, {"young": 2e11, "density": 7850.0}
    supports = [{"node": node, "kind": "clamped"}]
    model.add(fm.Beam("beam", length=1.0, elements=4, section=section, material=material, supports=supports))
    folder = fm.simulate(model, fm.MoreauJean(), step=1e-4, end=1e-3).save(tmp_path / "beam")
    scene, _ = scene_of(folder)
    clamp = scene.marks.parts["supports"].corners(scene.marks.rest)
    assert (sign * (clamp[:, 0] - end)).min() == pytest.approx(0.0, abs=1e-12)
    assert (sign * (clamp[:, 0] - end)).max() > 0.0


def test_every_kind_is_drawn_with_its_shape(folder: Path) -> None:
    scene, _ = scene_of(folder, 0.02)
    looks = {look: {scene.marks.kinds[i] for i in part.owner.tolist()} for look, part in scene.marks.parts.items()}
    assert looks == {
        "disks": {"disk"},
        "supports": {"pin", "clamp", "spring", "damper"},  # feet of springs and dampers
        "links": {"spring", "damper"},
        "bearings": {"bearing"},
        "rings": {"ring"},
    }
    # a coil winds around its axis, a dashpot has a cylinder around it
    links = scene.marks.parts["links"]
    for kind, radius in (("spring", 1.0), ("damper", 0.55)):
        own = links.points[links.owner == scene.marks.kinds.index(kind)]
        assert np.hypot(own[:, 1], own[:, 2]).max() == pytest.approx(radius)
        assert own[:, 0].min() == 0.0
        assert own[:, 0].max() == 1.0


def test_torsion_springs_are_spirals() -> None:
    from flexmb.postproc.glyph_shapes import spiral

    line = spiral(20).points
    turn = np.unwrap(np.arctan2(line[:, 2], line[:, 1]))
    assert turn[-1] - turn[0] == pytest.approx(6.0 * np.pi)
    assert np.all(np.diff(np.hypot(line[:, 1], line[:, 2])) > 0.0)
    assert not line[:, 0].any()


def test_impulses_in_rings_act_at_the_rim(folder: Path) -> None:
    """Outwards of what is inside, inwards of the ring: both arrows end where the two touch."""
    scene, k = scene_of(folder, 0.02)
    frame = scene.frame(k)
    places, surface = scene.positions(frame), scene.surface(frame)
    ring = int(np.flatnonzero([kind == "ring" for kind in scene.marks.kinds])[0])
    inner, outer = scene.marks.point[ring].tolist()
    up = np.array([0.0, 0.0, 1.0])
    # the disk is pushed against the upper side: the ring pushes it down, and it pushes the ring up
    on_disk = places[inner] + scene.shapes.stand_out(inner, -up, places, surface) * up
    on_ring = places[outer] - scene.shapes.stand_out(outer, up, places, surface) * up
    assert on_disk[2] == pytest.approx(places[inner][2] + RADIUS, rel=1e-6)
    assert on_ring[2] == pytest.approx(places[outer][2] + RADIUS, rel=1e-6)
