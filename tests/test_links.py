"""Springs, torsional springs and pushes between markers, and the loads that make them."""

from __future__ import annotations

import numpy as np
import pytest
from marker_states import acted, angle_state, blocks, differences, forces, ints, marker_state, random_state
from scipy.spatial.transform import Rotation

from flexmb.assembly.builder import Builder
from flexmb.errors import InputError
from flexmb.kernels.geometry import links
from flexmb.kernels.geometry import tables as tab
from flexmb.parts.bodies import Bar, Beam, Particle, Rigid, RigidPlanar
from flexmb.parts.loads import (
    KINDS,
    Damper,
    Harmonic,
    NodalForce,
    Spring,
    SpringDamper,
    TorsionSpring,
)
from flexmb.system.model import Model

WAVE = tab.Functions(ints(tab.HARMONIC), ints(0, 4), np.array([0.3, 1.2, 2.0, 0.4]))
ANGLES = tab.Angles(ints(0), ints(1))


def springs(directed: int, n=(0.6, 0.0, 0.8), k=2.0, c=0.7, length=0.4, preload=0.3) -> tab.Springs:
    numbers = (np.array([x]) for x in (k, c, length, preload))
    return tab.Springs(ints(0), ints(1), ints(directed), np.array([n]), *numbers, ints(0))


def spring_law(table):
    return (lambda s: links.springs(table, s)), (lambda s, K, C: links.springs_tangent(table, s, K, C))


def torsion_law(k=2.0, c=0.7, rest=0.4):
    table = tab.Torsions(ints(0), np.array([k]), np.array([c]), np.array([rest]), ints(0))

    def act(s):
        return links.torsions(table, ANGLES, s, angle_state(ANGLES, s))

    return act, lambda s, K, C: links.torsions_tangent(table, ANGLES, s, angle_state(ANGLES, s), K, C)


def push_law(follower: int, t=0.7):
    rng = np.random.default_rng(9)
    table = tab.Pushes(ints(1), rng.normal(size=(1, 3)), rng.normal(size=(1, 3)), ints(follower), ints(0), ints(3))
    return (lambda s: links.pushes(table, WAVE, s, t)), lambda s, K, C: links.pushes_tangent(table, WAVE, s, t, K)


LAWS = {
    "along the line": spring_law(springs(0)),
    "directed": spring_law(springs(1)),
    "torsion": torsion_law(),
    "push": push_law(0),
    "follower": push_law(1),
}


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_wrenches_are_gradients_and_tangents_are_exact(name: str, seed: int) -> None:
    act, tangent = LAWS[name]
    state = random_state(2, seed)
    _, wrench = acted(act, state)
    gradient, K, C = differences(act, state)
    found_K, found_C = blocks(tangent, state)
    scale = max(1.0, np.abs(K).max())
    np.testing.assert_allclose(found_K, K, rtol=0, atol=1e-9 * scale)
    np.testing.assert_allclose(found_C, C, rtol=0, atol=1e-9)
    np.testing.assert_allclose(wrench[tab.CONSERVATIVE], gradient, rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", ["along the line", "directed", "torsion"])
def test_action_equals_reaction_and_dampers_dissipate(name: str) -> None:
    act, _ = LAWS[name]
    state = random_state(2, 5)
    _, wrench = acted(act, state)
    np.testing.assert_allclose(wrench.sum(axis=1), 0.0, rtol=0, atol=1e-15)
    if name != "directed":  # a fixed direction does take up angular momentum
        arms = np.cross(state.r, wrench[:, :, :3]).sum(axis=1) + wrench[:, :, 3:].sum(axis=1)
        np.testing.assert_allclose(arms, 0.0, rtol=0, atol=1e-14)
    assert (wrench[tab.DAMPING] * state.twist).sum() < -1e-3
    assert np.all(wrench[[tab.EXTERNAL, tab.INERTIA, tab.JOINT]] == 0.0)


def test_spring_along_the_line_by_hand() -> None:
    state = marker_state([[1.0, 0.0, 0.0], [4.0, 4.0, 0.0]], np.tile(np.eye(3), (2, 1, 1)))
    state.twist[1, :3] = [10.0, 0.0, 7.0]
    energy, wrench = acted(spring_law(springs(0, k=2.0, c=0.5, length=3.0, preload=1.5))[0], state)
    # distance 5, elongation 2, tension 4 - 1.5; rate 6, damper 3
    assert energy == pytest.approx(4.0 - 3.0, rel=1e-15)
    np.testing.assert_allclose(wrench[tab.CONSERVATIVE, 1, :3], [-1.5, -2.0, 0.0], rtol=0, atol=1e-15)
    np.testing.assert_allclose(wrench[tab.DAMPING, 0, :3], [1.8, 2.4, 0.0], rtol=0, atol=1e-15)


def test_ends_that_meet_give_no_number() -> None:
    state = marker_state(np.ones((2, 3)), np.tile(np.eye(3), (2, 1, 1)))
    act, tangent = spring_law(springs(0))
    _, wrench = acted(act, state)
    assert np.isnan(wrench[tab.CONSERVATIVE, :, :3]).all()
    assert np.isnan(blocks(tangent, state)[0][:3, :3]).all()


def test_torsion_about_a_common_axis_by_hand() -> None:
    turn = Rotation.from_rotvec([0.0, 0.0, 0.9]).as_matrix()
    state = marker_state(np.zeros((2, 3)), [np.eye(3), turn])
    state.twist[1, 5], state.twist[0, 5] = 3.0, 1.0
    energy, wrench = acted(torsion_law(k=2.0, c=0.7, rest=0.4)[0], state)
    assert energy == pytest.approx(0.25, rel=1e-14)
    np.testing.assert_allclose(wrench[tab.CONSERVATIVE, 1], [0, 0, 0, 0, 0, -1.0], rtol=0, atol=1e-14)
    np.testing.assert_allclose(wrench[tab.DAMPING, 0], [0, 0, 0, 0, 0, 1.4], rtol=0, atol=1e-14)


def test_laws_add_to_what_is_there() -> None:
    state = random_state(2, 7)
    act = LAWS["along the line"][0]
    _, once = acted(act, state)
    act(state)
    np.testing.assert_allclose(state.wrench, 2.0 * once, rtol=1e-15)


# loads ------------------------------------------------------------------------------------------------------------


BODIES = {
    "ball": lambda: Particle("ball", 2.0, position=(1.0, 2.0, 0.5)),
    "cart": lambda: Particle("cart", 2.0, position=(3.0, 0.0, 0.5), axes="x"),
    "rod": lambda: Bar("rod", length=2.0, elements=4, area=1.0, young=5.0, density=1.0, position=(0.0, 0.0, 1.0)),
    "beam": lambda: Beam("beam", length=2.0, elements=3, area=1.0, inertia=1.0, young=5.0, density=1.0),
    "box": lambda: Rigid(
        "box",
        mass=2.0,
        inertia=(1.0, 2.0, 2.5),
        position=(0.3, -1.0, 2.0),
        rotation=(0.3, -0.5, 0.8),
        center=(0.1, 0.2, -0.3),
        points={"eye": (0.5, 0.0, 0.25)},
    ),
    "plate": lambda: RigidPlanar("plate", mass=1.0, inertia=1.0, position=(1.0, 1.0)),
}


def built(*loads, bodies=tuple(BODIES), joints=()) -> tuple[tab.System, np.ndarray, np.ndarray]:
    builder = Builder(np.zeros(3), 0.0)
    for name in bodies:
        BODIES[name]().add_to(builder)
    builder.joints.extend(joints)
    for load in loads:
        load.add_to(builder)
    return builder.build(), np.array(builder.q0), np.array(builder.v0)


@pytest.mark.parametrize(
    "load",
    [
        Spring("s", node="ball", node2="rod.last", stiffness=3.0, length=0.7),
        Spring("s", node="ball", node2="rod.last", stiffness=3.0),
        Spring("s", node="rod.mid", direction=(1.0, 0.0, 1.0), stiffness=3.0),
        Spring("s", node="ball", anchor=(0.0, 0.0, 0.0), stiffness=3.0, length=1.0, direction=(0.0, 2.0, 1.0)),
        Spring("s", node="beam.last", node2="cart", stiffness=3.0),
        Damper("s", node="beam.last", node2="ball", coefficient=0.4),
        Damper("s", node="ball", anchor=(0.0, 0.0, 0.0), coefficient=0.4),
    ],
    ids=lambda load: f"{load.kind} {load.node} {load.node2 or load.anchor or load.direction}",
)
def test_springs_are_those_of_small_motion(load) -> None:
    bodies = ("ball", "cart", "rod", "beam")
    system, q0, _ = built(load, bodies=bodies)
    rng = np.random.default_rng(3)
    q, v = rng.normal(size=q0.size), rng.normal(size=q0.size)
    energy, F, _ = forces(system, q, v)
    linear = Model()
    for name in bodies:
        linear.add(BODIES[name]())
    without = linear.assemble()
    linear.add(load)
    expected = linear.assemble()
    spring = expected.F0 - (expected.K - without.K) @ q
    np.testing.assert_allclose(F[tab.CONSERVATIVE], spring, rtol=0, atol=1e-13)
    np.testing.assert_allclose(F[tab.DAMPING], -(expected.C - without.C) @ v, rtol=0, atol=1e-13)
    stored = 0.5 * q @ ((expected.K - without.K) @ q) - expected.F0 @ q + expected.V0 - without.V0
    assert energy == pytest.approx(stored, rel=1e-12)


def moved_box(system, q, shift, turn):
    """Return q with the body "box" moved and turned (about its centre of mass)."""
    i = int(system.unknowns.frame_q[0])
    p = Rotation.from_rotvec(turn) * Rotation.from_quat(np.roll(q[i + 3 : i + 7], -1))
    out = q.copy()
    out[i : i + 3] += shift
    out[i + 3 : i + 7] = np.roll(p.as_quat(), 1)
    return out


def test_force_stays_and_follower_turns() -> None:
    force, moment, turn = np.array([1.0, -2.0, 0.5]), np.array([0.3, 0.1, -0.7]), np.array([0.4, 1.1, -0.6])
    function = Harmonic(amplitude=2.0, omega=3.0)
    phi = 2.0 * np.sin(0.6)
    for follower in (False, True):
        load = NodalForce("f", node="box.eye", force=force, moment=moment, function=function, follower=follower)
        assert load.large_motion is follower
        system, q0, v0 = built(load)
        iv, iq = int(system.unknowns.frame_v[0]), int(system.unknowns.frame_q[0])
        for x, R in ((np.zeros(3), np.eye(3)), (turn, Rotation.from_rotvec(turn).as_matrix())):
            q = moved_box(system, q0, np.array([1.0, 2.0, 3.0]), x)
            _, F, state = forces(system, q, v0, t=0.2)
            A = Rotation.from_quat(np.roll(q[iq + 3 : iq + 7], -1)).as_matrix()
            f, m = (phi * (R @ y if follower else y) for y in (force, moment))
            arm = state.r[-1] - q[iq : iq + 3]
            np.testing.assert_allclose(F[tab.EXTERNAL, iv : iv + 3], f, rtol=0, atol=1e-14)
            np.testing.assert_allclose(
                F[tab.EXTERNAL, iv + 3 : iv + 6], A.T @ (m + np.cross(arm, f)), rtol=0, atol=1e-14
            )


def test_spring_damper_between_points_of_a_rigid_body_and_the_ground() -> None:
    hook, anchor = np.array([0.5, -1.5, 2.25]), np.array([-1.0, 0.5, 3.0])
    load = SpringDamper("s", a="ground", b="box", point_a=anchor, point_b=hook, stiffness=7.0, preload=1.5)
    system, q0, v0 = built(load)
    energy, F, state = forces(system, q0, v0)
    line = (hook - anchor) / np.linalg.norm(hook - anchor)
    iv, iq = int(system.unknowns.frame_v[0]), int(system.unknowns.frame_q[0])
    assert energy == pytest.approx(0.0, abs=1e-14)
    np.testing.assert_allclose(F[tab.CONSERVATIVE, iv : iv + 3], 1.5 * line, rtol=0, atol=1e-14)
    # moved and turned: the hook goes with the body, length is the distance at the start
    turn = np.array([0.4, 1.1, -0.6])
    q = moved_box(system, q0, np.array([1.0, 2.0, 3.0]), turn)
    energy, F, state = forces(system, q, v0)
    end = q[iq : iq + 3] + Rotation.from_rotvec(turn).as_matrix() @ (hook - q0[iq : iq + 3])
    delta = np.linalg.norm(end - anchor) - np.linalg.norm(hook - anchor)
    assert energy == pytest.approx(3.5 * delta**2 - 1.5 * delta, rel=1e-13)
    pull = -(7.0 * delta - 1.5) * (end - anchor) / np.linalg.norm(end - anchor)
    np.testing.assert_allclose(F[tab.CONSERVATIVE, iv : iv + 3], pull, rtol=1e-13)


def test_spring_damper_length_and_damping() -> None:
    load = SpringDamper("s", a="ball", b="cart", stiffness=2.0, damping=0.5, length=1.0)
    system, q0, v0 = built(load, bodies=("ball", "cart"))
    v = np.array([0.0, 0.0, 0.0, 3.0])
    energy, F, _ = forces(system, q0, v)
    distance = np.sqrt(8.0)
    assert energy == pytest.approx((distance - 1.0) ** 2, rel=1e-14)
    assert F[tab.CONSERVATIVE, 3] == pytest.approx(-2.0 * (distance - 1.0) * 2.0 / distance, rel=1e-14)
    assert F[tab.DAMPING, 3] == pytest.approx(-0.5 * 3.0 * 0.5, rel=1e-14)


@pytest.mark.parametrize(("a", "b"), [("box", "ground"), ("ground", "box")])
def test_torsion_spring_between_a_body_and_the_ground(a: str, b: str) -> None:
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    load = TorsionSpring("t", a=a, b=b, axis=3.0 * axis, stiffness=2.0, damping=0.25, rest=-0.5)
    system, q0, v0 = built(load)
    iv, iq = int(system.unknowns.frame_v[0]), int(system.unknowns.frame_q[0])
    q = moved_box(system, q0, np.zeros(3), 0.8 * axis)
    A = Rotation.from_quat(np.roll(q[iq + 3 : iq + 7], -1)).as_matrix()
    v = v0.copy()
    v[iv + 3 : iv + 6] = A.T @ (3.0 * axis)
    energy, F, _ = forces(system, q, v)
    assert energy == pytest.approx(1.3**2, rel=1e-13)
    np.testing.assert_allclose(A @ F[tab.CONSERVATIVE, iv + 3 : iv + 6], -2.6 * axis, rtol=0, atol=1e-13)
    np.testing.assert_allclose(A @ F[tab.DAMPING, iv + 3 : iv + 6], -0.75 * axis, rtol=0, atol=1e-13)
    np.testing.assert_allclose(F[:, iv : iv + 3], 0.0, rtol=0, atol=1e-15)


def test_torsion_spring_takes_the_angle_of_a_joint() -> None:
    builder = Builder(np.zeros(3), 0.0)
    BODIES["box"]().add_to(builder)
    axes = Rotation.from_rotvec([0.2, 0.3, -0.4]).as_matrix()
    A = builder.marker(builder.place("ground", ""), axes)
    B = builder.marker(builder.place("box", ""), axes)
    builder.begin_joint("weld")
    builder.begin_joint("hinge").angle = builder.angle(A, B)
    TorsionSpring("t", joint="hinge", stiffness=2.0).add_to(builder)
    system = builder.build()
    assert system.torsions.angle.tolist() == [0]
    q = moved_box(system, np.array(builder.q0), np.zeros(3), 0.6 * axes[:, 2])
    assert forces(system, q, builder.v0)[0] == pytest.approx(0.36, rel=1e-13)
    with pytest.raises(InputError, match=r"loads\.t\.joint = 'weld'.*joint.*angle; joints.*hinge"):
        TorsionSpring("t", joint="weld", stiffness=2.0).add_to(builder)
    with pytest.raises(InputError, match=r"loads\.t\.joint = 'hing'.*joint.*'hinge'"):
        TorsionSpring("t", joint="hing", stiffness=2.0).add_to(builder)


SD = {"a": "ball", "b": "ground", "stiffness": 1.0}


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: SpringDamper("s", a="ball", b="ground"), r"loads\.s\.stiffness = 0\.0.*stiffness, damping"),
        (lambda: SpringDamper("s", **SD | {"stiffness": -1.0}), r"stiffness = -1\.0.*negative"),
        (lambda: SpringDamper("s", **SD, length=-1.0), r"length = -1\.0.*negative"),
        (lambda: SpringDamper("s", **SD | {"b": 3}), r"loads\.s\.b = 3: must name a node"),
        (lambda: SpringDamper("s", **SD, point_b=(1, 2)), r"point_b = \(1, 2\).*three numbers"),
        (lambda: SpringDamper("s", **SD, point_b=(1, 2, 0.5)), r"loads\.s\.b = 'ground': the ends coincide"),
        (lambda: SpringDamper("s", **SD, point_a=(1, 2, 1)), r"point_a = \(1\.0, 2\.0, 1\.0\): only rigid bodies"),
        (lambda: SpringDamper("s", **SD | {"a": "bal"}), r"loads\.s\.a = 'bal'.*body 'bal'"),
        (lambda: SpringDamper("s", **SD | {"a": "bal"}, point_a=(1, 2, 1)), r"loads\.s\.a = 'bal'.*body"),
        (
            lambda: SpringDamper("s", **SD | {"a": "ground"}, point_a=(1, 1, 1)),
            r"loads\.s\.b = 'ground'.*ends",
        ),
        (lambda: SpringDamper("s", **SD | {"a": "rod.all"}), r"loads\.s\.a = 'rod\.all': denotes 5 nodes"),
        (lambda: TorsionSpring("t", stiffness=1.0), r"loads\.t\.a.*missing.*joint.*b.*axis"),
        (lambda: TorsionSpring("t", a="box", stiffness=1.0), r"loads\.t\.axis: is missing"),
        (lambda: TorsionSpring("t", joint="j", a="box", stiffness=1.0), r"loads\.t\.a = 'box'.*joint"),
        (lambda: TorsionSpring("t", joint=3, stiffness=1.0), r"loads\.t\.joint = 3.*joint"),
        (lambda: TorsionSpring("t", joint="j"), r"loads\.t\.stiffness = 0\.0.*stiffness.*damping"),
        (lambda: TorsionSpring("t", joint="j", damping=1.0, rest="a"), r"loads\.t\.rest = 'a'.*number"),
        (
            lambda: TorsionSpring("t", joint="j", damping=1.0),
            r"loads\.t\.joint = 'j'.*joint; joints",
        ),
        (lambda: TorsionSpring("t", a="box", axis=(0, 0, 0), damping=1.0), r"loads\.t\.axis = \(0, 0, 0\): has zero"),
        (lambda: TorsionSpring("t", a="ball", axis=(0, 0, 1), damping=1.0), r"loads\.t\.a = 'ball'.*rotation"),
        (lambda: TorsionSpring("t", a="plate", axis=(1, 0, 0), damping=1.0), "'plate'.*'ground'"),
        (lambda: TorsionSpring("t", a="box", b="box", axis=(1, 0, 0), damping=1.0), r"loads\.t\.b = 'box': both ends"),
        (
            lambda: NodalForce("f", node="plate", force=(0, 0, 1)),
            r"loads\.f\.force = .*'plate'",
        ),
        (lambda: NodalForce("f", node="plate", moment=(1, 1, 0)), r"loads\.f\.moment = .*'plate'"),
        (lambda: NodalForce("f", node="rod.last", moment=(1, 0, 0)), r"loads\.f\.moment.*'rod\.last'"),
        (lambda: NodalForce("f", node="rod.last", force=(0, 1, 0)), r"loads\.f\.force.*'rod\.last'"),
        (lambda: NodalForce("f", node="ground", force=(0, 1, 0)), r"loads\.f\.force.*'ground'"),
        (lambda: NodalForce("f", node="box", force=(0, 1, 0), follower=1), r"loads\.f\.follower = 1.*true"),
        (lambda: Spring("s", node="ball", node2="ball", stiffness=1.0), r"loads\.s\.node2 = 'ball'.*ends"),
        (
            lambda: Spring("s", node="ball", anchor=(1, 2, 0.5), stiffness=1.0),
            r"loads\.s\.direction: the ends coincide",
        ),
        (
            lambda: Spring("s", node="cart", direction=(0, 1, 0), stiffness=1),
            r"loads\.s\.node = 'cart'.*moves",
        ),
        (
            lambda: Damper("s", node="plate", direction=(0, 0, 1), coefficient=1),
            r"loads\.s\.node = 'plate'",
        ),
    ],
)
def test_wrong_loads(make, words: str) -> None:
    with pytest.raises(InputError, match=words):
        built(make())


def test_kinds_are_known_by_their_files() -> None:
    assert {"force", "spring", "damper", "spring-damper", "torsion-spring"} <= set(KINDS)
    assert KINDS["spring-damper"] is SpringDamper
    assert "gravity" not in KINDS
