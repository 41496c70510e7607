"""Joints: what they hold, what they let move, what they leave out in the plane, and what they refuse."""

from __future__ import annotations

import math
from typing import Any

import multibody_systems as ms
import numpy as np
import pytest
from multibody_systems import NODE_D

from flexmb.assembly.builder import Builder
from flexmb.assembly.markers import BodyInfo
from flexmb.errors import InputError
from flexmb.kernels.geometry import tables as tab
from flexmb.parts.joints import (
    KINDS,
    Cylindrical,
    Distance,
    Fixed,
    Gear,
    Planar,
    PointOnLine,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from flexmb.parts.loads import Harmonic
from flexmb.state import Array

AXIS = np.array([0.48, -0.6, 0.64])
ACROSS = np.array([0.8, 0.0, -0.6])
POINT = np.array([0.4, 1.1, -0.7])
SPACE: dict[str, tuple[type, dict[str, Any], int]] = {
    "fixed": (Fixed, {}, 6),
    "revolute": (Revolute, {"axis": AXIS}, 5),
    "prismatic": (Prismatic, {"axis": AXIS}, 5),
    "cylindrical": (Cylindrical, {"axis": AXIS}, 4),
    "universal": (Universal, {"axis": AXIS, "axis2": ACROSS}, 4),
    "spherical": (Spherical, {}, 3),
    "planar": (Planar, {"axis": AXIS}, 3),
    "distance": (Distance, {}, 1),
    "point-on-line": (PointOnLine, {"axis": AXIS}, 2),
}
"""Each joint, its keys, and how many motions it takes away between two bodies in space."""


def two_bodies(seed: int = 1) -> Builder:
    """Return two rigid bodies at random places."""
    rng = np.random.default_rng(seed)
    b = ms.builder()
    for name in ("one", "two"):
        ms.add_rigid(b, name, x=rng.normal(size=3), p=ms.random_quaternion(rng), points={"tip": rng.normal(size=3)})
    return b


def two_planar() -> Builder:
    b = ms.builder()
    ms.add_planar(b, "one", x=(0.3, -0.2), theta=0.7, points={"tip": (0.5, 0.1, 0.0), "high": (0.5, 0.1, 0.2)})
    ms.add_planar(b, "two", x=(1.3, 0.4), theta=-1.2, points={"tip": (0.1, 0.9, 0.0)})
    return b


def state_of(b: Builder, q: Array | None = None, t: float = 0.0) -> tuple[tab.System, ms.State]:
    system = b.build()
    return system, ms.evaluate(system, np.array(b.q0) if q is None else q, np.array(b.v0), t)


def rank(b: Builder) -> tuple[int, int]:
    """Return the rank of G at the start and the number of rows."""
    system, state = state_of(b)
    return int(np.linalg.matrix_rank(ms.directions(system, state), tol=1e-9)), len(system.rows.kind)


def moved(b: Builder, body: str, x: Array, turn: Array) -> Array:
    """Return the start with a rigid body turned by the vector ``turn`` about POINT and then shifted by x, in space."""
    q = np.array(b.q0)
    place = b.bodies[body].attach
    assert place is not None
    i, angle = place.iq, np.linalg.norm(turn)
    p = ms.turn_about(turn / angle, float(angle)) if angle else np.array([1.0, 0, 0, 0])
    q[i : i + 3] = POINT + ms.axes(p) @ (q[i : i + 3] - POINT) + x
    q[i + 3 : i + 7] = product(p, q[i + 3 : i + 7])
    return q


def product(p: Array, q: Array) -> Array:
    """Return the product of two quaternions."""
    return np.concatenate([[p[0] * q[0] - p[1:] @ q[1:]], p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])])


def joint(kind: str, **more: Any) -> Any:
    cls, keys, _ = SPACE[kind]
    ends: dict[str, Any] = {"a": "one", "b": "two", "point": POINT} if kind != "distance" else {"a": "one", "b": "two"}
    return cls("j", **(ends | keys | more))


def test_every_kind_is_found_by_its_file() -> None:
    assert set(KINDS) == {*SPACE, "gear"}
    assert all(cls.role == "joints" and cls.kind == kind for kind, cls in KINDS.items())


@pytest.mark.parametrize("kind", SPACE)
@pytest.mark.parametrize("other", ["two", "ground"])
def test_degrees_of_freedom(kind: str, other: str) -> None:
    b = two_bodies()
    extra = {"point": POINT} if other == "ground" else {}
    joint(kind, b=other, **extra).add_to(b)
    _, state = state_of(b)
    np.testing.assert_allclose(state.rows.g, 0.0, rtol=0, atol=1e-14)
    assert rank(b) == (SPACE[kind][2], SPACE[kind][2])
    assert len(b.joints[0].labels) == len(set(b.joints[0].labels)) == SPACE[kind][2]
    assert not b.joints[0].driven


ALL = np.eye(3)
MOTIONS: dict[str, tuple[list[Array], list[Array]]] = {
    "fixed": ([], []),
    "revolute": ([], [AXIS]),
    "prismatic": ([AXIS], []),
    "cylindrical": ([AXIS], [AXIS]),
    "universal": ([], [AXIS, ACROSS]),
    "spherical": ([], list(ALL)),
    "planar": ([ACROSS, np.cross(AXIS, ACROSS)], [AXIS]),
    "point-on-line": ([AXIS], list(ALL)),
}
"""Shifts and axes of turns of a body about POINT that a joint lets happen, however large."""


@pytest.mark.parametrize("kind", MOTIONS)
@pytest.mark.parametrize("mover", ["one", "two"])
def test_allowed_motions_keep_it_closed_and_others_open_it(kind: str, mover: str) -> None:
    b = two_bodies()
    joint(kind).add_to(b)
    system = b.build()

    def residual(x: Array, turn: Array) -> float:
        return float(np.abs(ms.evaluate(system, moved(b, mover, x, turn), np.array(b.v0)).rows.g).max())

    shifts, turns = MOTIONS[kind]
    still = np.zeros(3)
    if kind == "point-on-line" and mover == "one":
        turns = [AXIS]  # the line turns with this body; only about itself does it pass through the point after a shift
    for amount in (0.6, -2.1):
        for x in shifts:
            assert residual(amount * x, still) < 1e-14
        for axis in turns:
            assert residual(still, amount * axis) < 1e-14
        for x in shifts:
            for axis in turns:
                if kind != "planar" or mover == "two":
                    assert residual(amount * x, 0.4 * axis) < 1e-14
    for free, given in ((0, shifts), (1, turns)):
        span = np.array(given).reshape(-1, 3)
        for e in ALL:
            rest = e - (np.linalg.lstsq(span.T, e, rcond=None)[0] @ span if len(span) else 0.0)
            allowed = kind == "universal" or (kind == "point-on-line" and free == 1)
            if np.linalg.norm(rest) > 0.1 and not allowed:
                assert residual(*((0.3 * rest, still) if free == 0 else (still, 0.3 * rest))) > 0.01


def test_universal_holds_the_turn_about_both_axes() -> None:
    b = two_bodies()
    joint("universal").add_to(b)
    system = b.build()
    q = moved(b, "two", np.zeros(3), 0.3 * np.cross(AXIS, ACROSS))
    assert abs(ms.evaluate(system, q, np.array(b.v0)).rows.g[3]) == pytest.approx(math.sin(0.3), abs=1e-14)


def test_distance_measures_and_keeps_a_given_length() -> None:
    b = two_bodies()
    Distance("rod", a="one.tip", b="two.tip").add_to(b)
    Distance("other", a="one.tip", b="ground", point=(1.0, 2.0, 3.0), length=0.5).add_to(b)
    Distance("third", a="ground", b="one", point=(1.0, 2.0, 3.0)).add_to(b)
    one, two = b.bodies["one"], b.bodies["two"]
    apart = np.linalg.norm(one.named["tip"].position - two.named["tip"].position)
    rows = b.build().rows
    to_ground = np.linalg.norm(one.named["tip"].position - [1.0, 2.0, 3.0])
    assert rows.c[0] == pytest.approx(apart, abs=1e-14)
    assert rows.c[2] == pytest.approx(np.linalg.norm(one.nodes[0].position - [1.0, 2.0, 3.0]), abs=1e-14)
    _, state = state_of(b)
    np.testing.assert_allclose(state.rows.g, [0.0, to_ground - 0.5, 0.0], rtol=0, atol=1e-14)


@pytest.mark.parametrize(("a", "b", "sign"), [("one", "ground", 1), ("ground", "one", 1), ("one", "two", -1)])
def test_angle_is_that_of_the_mover_against_the_base(a: str, b: str, sign: int) -> None:
    """The body against the ground; of two bodies, b against a."""
    model = two_bodies()
    Revolute("hinge", a=a, b=b, point=POINT, axis=AXIS).add_to(model)
    assert model.joints[0].angle == 0
    _, state = state_of(model, moved(model, "one", np.zeros(3), 0.8 * AXIS))
    assert state.angles.theta[0] == pytest.approx(sign * 0.8, abs=1e-14)


@pytest.mark.parametrize("kind", ["revolute", "cylindrical"])
def test_driven_angle(kind: str) -> None:
    drive = Harmonic(amplitude=0.6, omega=2.0, phase=0.5, offset=3.0)
    b = ms.builder(t0=0.25)
    ms.add_rigid(b, "one", x=(0.1, 0.2, 0.3), p=ms.random_quaternion(np.random.default_rng(2)))
    SPACE[kind][0]("motor", a="one", point=POINT, axis=AXIS, drive=drive).add_to(b)
    assert b.joints[0].driven
    assert b.joints[0].labels[-1] == "angle"
    assert rank(b) == (SPACE[kind][2] + 1, SPACE[kind][2] + 1)
    turn = float(drive.value(0.9) - drive.value(0.25))
    _, state = state_of(b, moved(b, "one", np.zeros(3), turn * AXIS), t=0.9)
    np.testing.assert_allclose(state.rows.g, 0.0, rtol=0, atol=1e-13)
    _, state = state_of(b, moved(b, "one", np.zeros(3), np.zeros(3)), t=0.9)
    assert state.rows.g[-1] == pytest.approx(-turn, abs=1e-13)


def test_driven_slide() -> None:
    b = two_bodies()
    Prismatic(
        "slide", a="one.tip", b="two", axis=AXIS, drive={"kind": "ramp", "end_time": 2.0, "end_value": 0.5}
    ).add_to(b)
    assert b.joints[0].driven
    assert rank(b) == (6, 6)
    _, state = state_of(b, moved(b, "two", 0.25 * AXIS, np.zeros(3)), t=1.0)
    np.testing.assert_allclose(state.rows.g, 0.0, rtol=0, atol=1e-14)


def test_driven_slide_starts_from_where_it_is() -> None:
    """Ends that are apart along the axis at the start: only changes of the function count."""
    b = ms.builder()
    ms.add_rigid(b, "one", points={"tip": (0.0, 0.0, 0.4)})
    Prismatic("slide", a="one.tip", b="ground", point=(0, 0, 0.1), axis=(0, 0, 1), drive=7.0).add_to(b)
    _, state = state_of(b)
    np.testing.assert_allclose(state.rows.g, 0.0, rtol=0, atol=1e-15)


def test_driven_length_is_absolute() -> None:
    b = two_bodies()
    Distance("jack", a="one.tip", b="two.tip", drive=1.25).add_to(b)
    apart = np.linalg.norm(b.bodies["one"].named["tip"].position - b.bodies["two"].named["tip"].position)
    _, state = state_of(b)
    assert b.joints[0].driven
    assert state.rows.g[0] == pytest.approx(apart - 1.25, abs=1e-14)


def test_gear_couples_two_angles() -> None:
    b = two_bodies()
    Revolute("first", a="one", point=POINT, axis=AXIS).add_to(b)
    Cylindrical("second", a="two", point=POINT, axis=AXIS).add_to(b)
    Gear("gear", joint1="first", joint2="second", ratio=2.5).add_to(b)
    assert rank(b) == (10, 10)
    q = moved(b, "one", np.zeros(3), 1.0 * AXIS)
    other = moved(b, "two", np.zeros(3), -0.4 * AXIS)
    q[7:] = other[7:]
    _, state = state_of(b, q)
    np.testing.assert_allclose(state.rows.g, 0.0, rtol=0, atol=1e-14)
    _, state = state_of(b, other)
    assert state.rows.g[-1] == pytest.approx(-1.0, abs=1e-14)


PLANE: dict[str, tuple[type, dict[str, Any], int]] = {
    "fixed": (Fixed, {}, 3),
    "revolute": (Revolute, {"axis": (0, 0, 1)}, 2),
    "backwards": (Revolute, {"axis": (0, 0, -1)}, 2),
    "cylindrical": (Cylindrical, {"axis": (0, 0, 1)}, 2),
    "prismatic": (Prismatic, {"axis": (0.6, 0.8, 0)}, 2),
    "spherical": (Spherical, {}, 2),
    "universal": (Universal, {"axis": (1, 0, 0), "axis2": (0, 0, 1)}, 2),
    "point-on-line": (PointOnLine, {"axis": (0.6, 0.8, 0)}, 1),
    "distance": (Distance, {"a": "one.tip", "point": None}, 1),
}


@pytest.mark.parametrize("kind", PLANE)
@pytest.mark.parametrize("other", ["two", "ground"])
def test_rows_that_hold_planar_bodies_in_their_plane_are_left_out(kind: str, other: str) -> None:
    cls, keys, count = PLANE[kind]
    b = two_planar()
    point = (0.4, 0.4, 0.0)
    keys = {"a": "one", "point": point} | keys | {"b": other}
    if other == "ground":
        keys["point"] = point
    cls("j", **keys).add_to(b)
    assert rank(b) == (count, count)
    _, state = state_of(b)
    np.testing.assert_allclose(state.rows.g, 0.0, rtol=0, atol=1e-14)


def test_planar_body_joined_to_a_body_in_space_keeps_all_rows() -> None:
    b = two_bodies()
    ms.add_planar(b, "flat")
    Revolute("hinge", a="one", b="flat", point=POINT, axis=(0, 0, 1)).add_to(b)
    assert rank(b) == (5, 5)


def test_nodes_take_what_they_have() -> None:
    b = two_bodies()
    ms.add_node(b, "beam", NODE_D, position=POINT)
    bar = ms.add_node(b, "bar", np.eye(3, 6), position=(0.2, 0.3, 0.4), turns=False)
    Fixed("clamp", a="one", b="beam.first").add_to(b)
    np.testing.assert_allclose(state_of(b)[1].rows.g, 0.0, rtol=0, atol=1e-14)
    assert rank(b) == (6, 6)
    Spherical("ball", a="bar.node(0)", b="two").add_to(b)
    PointOnLine("slot", a="bar.node(0)", axis=AXIS).add_to(b)
    Distance("rod", a="bar.node(0)", b="ground", point=(0, 0, 0)).add_to(b)
    np.testing.assert_allclose(state_of(b)[1].rows.g, 0.0, rtol=0, atol=1e-14)
    assert bar.nodes[0].label == "bar.node(0)"
    for cls, keys, _ in (SPACE[k] for k in ("fixed", "revolute", "prismatic", "cylindrical", "universal", "planar")):
        with pytest.raises(InputError, match=r"joints.j.b = 'bar.node\(0\)': 'bar.node\(0\)'.*slope.*rotation"):
            cls("j", a="one", b="bar.node(0)", **keys).add_to(b)
    with pytest.raises(InputError, match="spherical, distance, and point-on-line"):
        PointOnLine("j", a="one", b="bar.node(0)", axis=AXIS, line="b").add_to(b)


def test_line_is_carried_by_the_end_that_is_asked_for() -> None:
    b = two_bodies()
    PointOnLine("slot", a="one.tip", axis=AXIS, line="a").add_to(b)
    q = moved(b, "one", np.zeros(3), np.zeros(3))
    one = b.bodies["one"].named["tip"]
    # turned about its own tip, a line that the body carries leaves nothing to say about the tip itself
    q[0:3] += 0.7 * AXIS
    _, state = state_of(b, q)
    np.testing.assert_allclose(state.rows.g, 0.0, rtol=0, atol=1e-14)
    assert b.markers[b.rows["joints"][0]["markers"][0]][0].kind == one.kind == tab.FRAME  # type: ignore[index]


def test_without_a_point_the_free_end_takes_the_place_of_the_other() -> None:
    b = two_bodies()
    tip = b.bodies["one"].named["tip"].position
    for name, (a, other) in enumerate([("one.tip", "two"), ("two", "one.tip"), ("one.tip", "ground")]):
        Spherical(f"j{name}", a=a, b=other).add_to(b)
    Spherical("reference", a="two").add_to(b)
    system, state = state_of(b)
    np.testing.assert_allclose(state.rows.g, 0.0, rtol=0, atol=1e-14)
    for group in b.joints[:3]:
        np.testing.assert_allclose(state.markers.r[list(group.points[0])], [tip, tip], rtol=0, atol=1e-14)
    np.testing.assert_allclose(
        state.markers.r[b.joints[3].points[0][1]], b.bodies["two"].nodes[0].position, rtol=0, atol=1e-14
    )


WRONG: list[tuple[type, dict[str, Any], str]] = [
    (Spherical, {"a": "one", "b": "one"}, "joints.j.b = 'one': connects.*itself"),
    (Spherical, {"a": "ground"}, "connects.*itself"),
    (Spherical, {"a": "one", "b": "three"}, "joints.j.b = 'three'.*body 'three'"),
    (Spherical, {"a": "one", "b": "two"}, "joints.j.point.*'one'.*'two'"),
    (Spherical, {"a": "one.tip", "b": "two.tip", "point": POINT}, "joints.j.point.*effect"),
    (Spherical, {"a": "one", "point": (1, 2)}, "joints.j.point.*three numbers"),
    (Revolute, {"a": "one", "axis": (0, 0, 1.1)}, "joints.j.axis.*unit vector.*length.*1.1"),
    (Revolute, {"a": "one", "axis": (0, 0, 0)}, "unit vector.*length.*0"),
    (Revolute, {"a": "one", "axis": AXIS, "drive": {"kind": "rampp"}}, r"joints.j.drive.kind = 'rampp'"),
    (Prismatic, {"a": "one", "axis": (1, 1, 0)}, "length is 1.41421"),
    (Planar, {"a": "one", "axis": (1, 1, 0)}, "length is 1.41421"),
    (PointOnLine, {"a": "one", "axis": (1, 1, 0)}, "length is 1.41421"),
    (PointOnLine, {"a": "one", "axis": AXIS, "line": "c"}, 'joints.j.line.*"b"'),
    (Universal, {"a": "one", "axis": AXIS, "axis2": AXIS}, "joints.j.axis2 = .*perpendicular.*axis.* 0 degrees"),
    (Distance, {"a": "one", "b": "ground"}, "joints.j.point.*end.*ground"),
    (Distance, {"a": "one.tip", "b": "two.tip", "length": 0.0}, "joints.j.length = 0.0.*positive"),
    (Distance, {"a": "one", "b": "two", "length": 1.0, "drive": 1.0}, "joints.j.length = 1.0.*drive"),
    (Distance, {"a": "one", "b": "two.tip", "point": POINT}, "joints.j.point.*effect.*'two.tip'"),
    (Distance, {"a": "one.tip", "b": "one.copy"}, "joints.j.b.*ends coincide"),
    (Spherical, {"a": "one.tip", "b": "one.end"}, "joints.j: joins two points.*rigid body, 'one.tip'.*'one'"),
    (Distance, {"a": "one.tip", "b": "one.end"}, "joints.j: joins two points.*rigid body, 'one.tip'.*'one'"),
    (Gear, {"joint1": "j1", "joint2": "j1", "ratio": 1.0}, "joint"),
    (Gear, {"joint1": "j1", "joint2": "j2", "ratio": 0.0}, "joints.j.ratio = 0.0.*zero"),
    (Gear, {"joint1": "hing", "joint2": "ball", "ratio": 1.0}, "joint1 = 'hing'.*'hinge'.*: hinge"),
    (Gear, {"joint1": "hinge", "joint2": "ball", "ratio": 1.0}, "joint2 = 'ball'.*joint.*angle"),
    (Gear, {"joint1": "hinge", "joint2": 3, "ratio": 1.0}, "joint2 = 3.*joint"),
]


@pytest.mark.parametrize(("cls", "keys", "words"), WRONG)
def test_wrong_input(cls: type, keys: dict[str, Any], words: str) -> None:
    b = two_bodies()
    tip = b.bodies["one"].named["tip"]
    ends = {"tip": tip, "copy": tip, "end": b.bodies["one"].nodes[0]}
    b.add_body(BodyInfo(**(vars(b.bodies["one"]) | {"named": ends})))
    Revolute("hinge", a="one", axis=AXIS).add_to(b)
    Spherical("ball", a="two").add_to(b)
    with pytest.raises(InputError, match=words):
        cls("j", **keys).add_to(b)


@pytest.mark.parametrize(
    ("cls", "keys", "words"),
    [
        (Revolute, {"axis": (1, 0, 0)}, r"joints.j.axis = .*planar bodies.*\(0, 0, 1\)"),
        (Cylindrical, {"axis": (0, 0.6, 0.8)}, r"planar bodies rotate about \(0, 0, 1\)"),
        (Prismatic, {"axis": (0, 0, 1)}, "planar bodies move.*x-y plane"),
        (PointOnLine, {"axis": (0, 0.6, 0.8)}, "planar bodies move.*x-y plane"),
        (Planar, {"axis": (0, 0, 1)}, "the joint has no effect"),
        (Revolute, {"axis": (0, 0, 1), "a": "one.high", "b": "two.tip", "point": None}, "'z' is off by -0.2"),
    ],
)
def test_wrong_input_in_the_plane(cls: type, keys: dict[str, Any], words: str) -> None:
    keys = {"a": "one", "b": "two", "point": (0.4, 0.4, 0.0)} | keys
    with pytest.raises(InputError, match=words):
        cls("j", **keys).add_to(two_planar())


def test_a_drive_that_nothing_can_follow() -> None:
    b = ms.builder()
    D = np.zeros((2, 6))
    D[0, 0] = D[1, 5] = 1.0
    ms.add_node(b, "beam", D)
    with pytest.raises(InputError, match="joints.motor.drive.*ends.*follow"):
        Revolute("motor", a="beam.first", axis=(1, 0, 0), drive=1.0).add_to(b)


def test_an_axis_within_round_off_of_unit_length_is_made_one() -> None:
    b = two_bodies()
    Revolute("hinge", a="one", axis=1.00005 * AXIS).add_to(b)
    system, state = state_of(b)
    np.testing.assert_allclose(state.markers.R[system.rows.marker[0]][:, 2], AXIS, rtol=0, atol=1e-15)
