"""Contacts, springs, dampers, forces, gravity and time functions, each against finite differences or by hand."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.drive.simulate import simulate
from flexmb.errors import InputError, NotConverged
from flexmb.parts.bodies import Bar, Beam, Particle
from flexmb.parts.contacts import NodeNode, NodePlane
from flexmb.parts.loads import (
    Constant,
    Damper,
    Gravity,
    Harmonic,
    NodalForce,
    Ramp,
    Spring,
    Table,
    time_function,
)
from flexmb.record.result import Result
from flexmb.schemes import SCHEMES
from flexmb.system.linear_system import LinearSystem
from flexmb.system.model import Model

D = np.array([1.0, 2.0, 2.0]) / 3.0


def two_bodies(*parts: object, **kw: object) -> LinearSystem:
    """Return a model of an oblique bar, a spatial beam and two particles with the parts added."""
    model = Model(**kw)
    model.add(Bar("rod", length=3, elements=4, area=1, young=50, density=1, position=(0, 0, 1), direction=D))
    model.add(
        Beam("arm", length=2, elements=2, section={"shape": "circle", "radius": 0.2}, young=80, density=2,
             bending="spatial", position=(0, 5, 2), direction=(1, 0, 1), supports=[("first", "clamped")])
    )  # fmt: skip
    model.add(Particle("ball", mass=2.0, position=(4, 1, 3)))
    model.add(Particle("bead", mass=1.0, position=(4, 1, 5), axes="z"))
    for part in parts:
        model.add(part)
    return model.assemble()


def positions(system: LinearSystem, q: np.ndarray) -> np.ndarray:
    return system.layout.points + (system.layout.displacement @ q).reshape(-1, 3)


def random_q(system: LinearSystem, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=system.nv)


ROD_LAST, ARM_TIP, BALL, BEAD = 4, 7, 8, 9  # points in order of the bodies: 5 of the rod, 3 of the arm, 1, 1

# ---------------------------------------------------------------------------------------------- contacts


def test_gap_and_direction_of_a_moving_plane() -> None:
    n, p, d = np.array([1.0, -2.0, 4.0]), np.array([0.1, 0.2, -3.0]), np.array([0.0, 1.0, 1.0])
    motion = Harmonic(amplitude=0.3, omega=5.0, phase=0.4)
    s = two_bodies(NodePlane("wall", node="rod.last", point=p, normal=n, motion=motion, motion_direction=d,
                             restitution=0.7))  # fmt: skip
    unit_n, unit_d = n / np.linalg.norm(n), d / np.linalg.norm(d)
    q, v, t = random_q(s, 1), random_q(s, 2), 0.83
    moved = p + unit_d * (0.3 * np.sin(5 * t + 0.4))
    assert s.contacts.g(t, q) == pytest.approx([unit_n @ (positions(s, q)[ROD_LAST] - moved)], rel=1e-12)
    h = 1e-6
    slope = (s.contacts.g(t + h, q + h * v) - s.contacts.g(t - h, q - h * v)) / (2 * h)
    assert s.contacts.U(t, v) == pytest.approx(slope, rel=1e-8)
    assert s.contacts.names == s.contacts.labels == ("wall",)
    assert np.array_equal(s.contacts.e, [0.7])


def test_plane_moves_along_its_normal_by_default() -> None:
    s = two_bodies(NodePlane("wall", node="ball", normal=(0, 0, 2), motion=Ramp(end_time=2.0, end_value=1.0)))
    assert s.contacts.g(1.0, np.zeros(s.nv)) == pytest.approx([3.0 - 0.5])
    assert s.contacts.U(1.0, np.zeros(s.nv)) == pytest.approx([-0.5])


def test_a_plane_takes_its_motion_in_every_form() -> None:
    def at_half(motion: object) -> tuple[float, float]:
        s = two_bodies(NodePlane("wall", node="ball", normal=(0, 0, 1), motion=motion))
        return float(s.contacts.g(0.5, np.zeros(s.nv))[0]), float(s.contacts.U(0.5, np.zeros(s.nv))[0])

    assert at_half({"kind": "ramp", "end_time": 2.0}) == at_half(Ramp(end_time=2.0)) == (2.75, -0.5)
    assert at_half(-1.5) == at_half(Constant(-1.5)) == (4.5, 0.0)
    assert at_half(-1) == (4.0, 0.0)

    class Own:
        def value(self, t: float) -> np.ndarray:
            return np.asarray(-(t**2))

        def rate(self, t: float) -> np.ndarray:
            return np.asarray(-2 * t)

    assert at_half(Own()) == (3.25, 1.0)


def test_node_node_against_finite_differences() -> None:
    d = np.array([0.2, -1.0, 0.4])
    s = two_bodies(NodeNode("pair", node="rod.mid", node2="arm.last", direction=d, offset=0.25, restitution=0.5))
    q = random_q(s, 3)
    x = positions(s, q)
    unit_d = d / np.linalg.norm(d)
    assert s.contacts.g(0.0, q) == pytest.approx([unit_d @ (x[2] - x[ARM_TIP]) - 0.25], rel=1e-12)
    G = s.contacts.G.toarray()[:, 0]
    for j in range(s.nv):
        step = np.zeros(s.nv)
        step[j] = 0.5
        slope = s.contacts.g(0.0, q + step) - s.contacts.g(0.0, q - step)
        assert slope == pytest.approx([G[j]], abs=1e-13)


def test_node_node_direction_defaults_to_the_line_between() -> None:
    s = two_bodies(NodeNode("pair", node="bead", node2="ball"))
    assert s.contacts.g(0.0, np.zeros(s.nv)) == pytest.approx([2.0])


def test_groups_keep_their_rows_and_labels() -> None:
    s = two_bodies(
        NodePlane("one", node="ball", normal=(0, 0, 1)),
        NodePlane("floor", nodes="rod.all", normal=(0, 0, 1), point=(0, 0, -1), restitution=0.2, motion=Constant(-0.5)),
        NodePlane("two", nodes=["ball", "rod.node(1)"], normal=(0, 0, 1), motion=Ramp(end_time=1.0)),
    )
    c = s.contacts
    assert c.names == ("one", "floor", "two")
    assert np.array_equal(c.start, [0, 1, 6, 8])
    assert c.labels[1] == "floor[rod.node(0)]"
    assert c.labels[6:] == ("two[ball]", "two[rod.node(1)]")
    assert np.array_equal(c.e, [0.0, 0.2, 0.2, 0.2, 0.2, 0.2, 0.0, 0.0])
    assert np.array_equal(c.motion_of, [-1, 0, 0, 0, 0, 0, 1, 1])
    z = s.layout.points[:, 2]
    q0 = np.zeros(s.nv)
    assert c.g(0.5, q0) == pytest.approx([3.0, *(z[:5] + 1.0 + 0.5), 3.0 - 0.5, z[1] - 0.5])


def test_nodes_that_cannot_move_along_the_normal() -> None:
    # the clamped node of the arm is left out, not the others
    s = two_bodies(NodePlane("floor", nodes="arm.all", normal=(0, 0, 1)))
    assert s.contacts.labels == ("floor[arm.node(1)]", "floor[arm.node(2)]")
    with pytest.raises(InputError, match=r"contacts\.floor\.node:.*arm\.first.*arm\.node\(0\).*move.*normal"):
        two_bodies(NodePlane("floor", node="arm.first", normal=(0, 0, 1)))
    with pytest.raises(InputError, match=r"contacts\.floor\.nodes.*arm\.node\(0\).*0\.5 m"):
        two_bodies(NodePlane("floor", nodes="arm.all", normal=(0, 0, 1), point=(0, 0, 2.5)))
    with pytest.raises(InputError, match=r"contacts\.side\.nodes.*rod\.node\(0\).*move"):
        two_bodies(NodePlane("side", nodes="rod.all", normal=(0, 1, -1), point=(0, 0, 9)))
    with pytest.raises(InputError, match=r"contacts\.side\.node:.*bead.*move"):
        two_bodies(NodePlane("side", node="bead", normal=(1, 0, 0)))


def test_nodes_that_cannot_move_are_watched_when_the_plane_moves() -> None:
    motion = Ramp(start_time=0.0, end_time=1.0, start_value=0.0, end_value=1.5)
    normal = (0.0, -0.6, -0.8)
    s = two_bodies(NodePlane("lid", nodes="arm.all", normal=normal, point=(0, 0, 9), motion=motion))
    assert s.contacts.labels == ("lid[arm.node(0)]", "lid[arm.node(1)]", "lid[arm.node(2)]")
    G = s.contacts.G.toarray()
    assert not G[:, 0].any()
    assert G[:, 1].any()
    gap = [float((s.layout.points[5] - (0, 0, 9)) @ normal) - s_t for s_t in (0.0, 0.75, 1.5)]
    assert [s.contacts.g(t, np.zeros(s.nv))[0] for t in (0.0, 0.5, 1.0)] == pytest.approx(gap, abs=1e-14)
    # a plane that slides in itself never comes nearer
    slide = NodePlane("lid", nodes="arm.all", normal=(0, 0, -1), point=(0, 0, 9), motion=motion,
                      motion_direction=(1, 0, 0))  # fmt: skip
    assert two_bodies(slide).contacts.labels == ("lid[arm.node(1)]", "lid[arm.node(2)]")
    with pytest.raises(InputError, match=r"contacts\.lid\.nodes.*arm\.node\(0\).*0\.5 m"):
        two_bodies(NodePlane("lid", nodes="arm.all", normal=(0, 0, 1), point=(0, 0, 2.5), motion=motion))
    with pytest.raises(InputError, match=r"contacts\.lid\.node:.*arm\.first.*arm\.node\(0\).*move"):
        two_bodies(NodePlane("lid", node="arm.first", normal=(0, 0, 1), motion=motion))


@pytest.mark.parametrize("engine", ["compiled", "general"])
@pytest.mark.parametrize("scheme", ["moreau-jean", "generalized-alpha", "schatzman-paoli"])
def test_a_plane_that_runs_into_a_support_stops_the_run(scheme: str, engine: str) -> None:
    def run(end: float) -> Result:
        model = Model()
        model.add(Bar("b", length=1, elements=4, area=1, young=100, density=1, supports=[("last", "clamped")]))
        motion = Ramp(start_time=0.0, end_time=1.0, start_value=0.0, end_value=2.0 - end)
        model.add(NodePlane("w", nodes="b.all", normal=(-1, 0, 0), point=(2, 0, 0), motion=motion))
        return simulate(model, SCHEMES[scheme](), 0.01, 1.0, engine=engine)

    open_all_along = run(1.2)
    assert open_all_along.summary["min_gap"] == pytest.approx(0.2, abs=1e-14)
    np.testing.assert_allclose(
        open_all_along.contacts["w"].gap[:, 4], 1.0 - 0.8 * open_all_along.time, rtol=0, atol=1e-14
    )
    assert not open_all_along.contacts["w"].impulse.any()
    with pytest.raises(NotConverged) as failure:  # there at t = 2/3
        run(0.5)
    assert failure.value.contact == "w[b.node(4)]"
    assert failure.value.time == pytest.approx(2.0 / 3.0, abs=0.02)


def test_initial_penetration_says_how_much_and_where() -> None:
    words = r"contacts\.floor:.*'floor'.*0\.25 m.*ball.*\(4, 1, 3\)"
    with pytest.raises(InputError, match=words):
        two_bodies(NodePlane("floor", node="ball", normal=(0, 0, 1), point=(0, 0, 3.25)))
    with pytest.raises(InputError, match=r"'floor\[rod\.node\(0\)\]'.*0\.5 m.*rod\.node\(0\)"):
        two_bodies(NodePlane("floor", nodes="rod.all", normal=(0, 0, 1), point=(0, 0, 1.5)))
    with pytest.raises(InputError, match=r"'floor'.*1 m"):
        two_bodies(NodePlane("floor", node="ball", normal=(0, 0, 1), motion=Constant(4.0)))
    with pytest.raises(InputError, match=r"'pair'.*1 m.*bead.*\(4, 1, 5\)"):
        two_bodies(NodeNode("pair", node="bead", node2="ball", offset=3.0))
    # touching up to round-off is allowed
    two_bodies(NodePlane("floor", node="ball", normal=(1, 2, 2), point=(4, 1, 3 + 1e-14)))


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"normal": (0, 0, 0)}, r"contacts\.wall\.normal = \(0, 0, 0\): has zero length"),
        ({"restitution": 1.2}, r"contacts\.wall\.restitution = 1\.2.*0.*1"),
        ({"restitution": -0.1}, r"contacts\.wall\.restitution = -0\.1"),
        ({"node": None}, "node.*nodes"),
        ({"nodes": "rod.all"}, "node.*nodes"),
        ({"node": None, "nodes": []}, "at least one node"),
        ({"node": "rod.all"}, r"contacts\.wall\.node = 'rod\.all'.*5 nodes.*key nodes"),
        ({"node": None, "nodes": ["rod.first", "rod.node(0)"]}, r"node rod\.node\(0\).*twice"),
        (
            {"node": "rdo.first"},
            r"contacts\.wall\.node = 'rdo\.first'.*body 'rdo'.*'rod'",
        ),
        ({"node": "rod.node(5)"}, r"'rod\.node\(5\)': body 'rod'.*node.*node\(0\) \.\.\. node\(4\)"),
        ({"node": "rod.frist"}, "node.*'first'"),
        ({"node": 7}, "must name a node"),
        ({"motion": "up"}, r"contacts\.wall\.motion = 'up'.*number.*\{ kind"),
        ({"motion": {"kind": "ramp"}}, r"contacts\.wall\.motion = \{'kind': 'ramp'\}: needs end_time"),
        ({"motion": {"kind": "harmonic", "omega": "a"}}, r"contacts\.wall\.motion\.omega = 'a'.*number"),
        ({"motion": 3.0}, "initial penetration: contact 'wall' starts 2 m inside"),
        (
            {"node": None, "nodes": ["rod.last"], "normal": (1, 0, 0), "point": (9, 0, 0)},
            r"rod\.node\(4\) may move \(\[-1, 0, 0\] instead of \[1, 0, 0\]\?\), or the point",
        ),
        ({"motion_direction": (1, 0, 0)}, "no effect without motion"),
        ({"point": (1, 0)}, r"contacts\.wall\.point = \(1, 0\).*three numbers"),
    ],
)
def test_wrong_planes(keys: dict, words: str) -> None:
    with pytest.raises(InputError, match=words):
        two_bodies(NodePlane("wall", **{"node": "rod.first", "normal": (0, 0, 1), **keys}))


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"node2": "rod.last"}, r"contacts\.pair\.node2 = 'rod\.last': contact.*body.*'rod'"),
        ({"direction": (0, 0, 0)}, r"contacts\.pair\.direction = .*zero length"),
        ({"restitution": 2}, r"contacts\.pair\.restitution = 2"),
        ({"offset": "a"}, r"contacts\.pair\.offset = 'a'.*number"),
        ({"node": "bead", "direction": (1, 0, 0), "node2": "arm.first"}, "neither node can move"),
    ],
)
def test_wrong_pairs(keys: dict, words: str) -> None:
    with pytest.raises(InputError, match=words):
        two_bodies(NodeNode("pair", **{"node": "rod.first", "node2": "ball", "direction": (0, 0, -1), **keys}))


# ------------------------------------------------------------------------------------- springs and dampers


def test_springs_store_k_delta_squared_over_two() -> None:
    anchor = np.array([1.0, -1.0, 0.5])
    bare = two_bodies()
    s = two_bodies(
        Spring("a", node="rod.last", node2="ball", stiffness=7.0, length=0.9),
        Spring("b", node="arm.last", anchor=anchor, stiffness=11.0),
        Spring("c", node="bead", node2="ball", stiffness=13.0, length=3.0, direction=(0, 1, 1)),
        Spring("d", node="bead", stiffness=17.0, direction=(0, 0, -1)),
    )
    for seed in range(3):
        q = random_q(s, seed)
        X, x = s.layout.points, positions(s, q)
        d_a = (X[ROD_LAST] - X[BALL]) / np.linalg.norm(X[ROD_LAST] - X[BALL])
        d_b = (X[ARM_TIP] - anchor) / np.linalg.norm(X[ARM_TIP] - anchor)
        d_c = np.array([0, 1, 1]) / np.sqrt(2)
        delta = np.array(
            [
                d_a @ (x[ROD_LAST] - x[BALL]) - 0.9,
                d_b @ (x[ARM_TIP] - X[ARM_TIP]),
                d_c @ (x[BEAD] - x[BALL]) - 3.0,
                -(x[BEAD] - X[BEAD])[2],
            ]
        )
        energy = 0.5 * np.array([7.0, 11.0, 13.0, 17.0]) @ delta**2
        assert s.potential(q) == pytest.approx(bare.potential(q) + energy, rel=1e-12)
        # force is minus the slope of the energy
        h = 1e-5 * random_q(s, seed + 10)
        force = s.F0 - s.K @ q
        assert s.potential(q + h) - s.potential(q - h) == pytest.approx(-2 * force @ h, rel=1e-6)
    assert abs(s.K - s.K.T).max() == 0.0
    assert abs(s.C - bare.C).nnz == 0


def test_damper_resists_the_rate_of_elongation() -> None:
    bare = two_bodies()
    s = two_bodies(Damper("a", node="rod.last", node2="ball", coefficient=3.0), Damper("g", node="ball",
                   direction=(1, 1, 0), coefficient=5.0), Damper("h", node="arm.last", anchor=(0, 0, 0),
                   coefficient=2.0))  # fmt: skip
    v = random_q(s, 5)
    u = (s.layout.displacement @ v).reshape(-1, 3)
    X = s.layout.points
    d = (X[ROD_LAST] - X[BALL]) / np.linalg.norm(X[ROD_LAST] - X[BALL])
    power = 3.0 * (d @ (u[ROD_LAST] - u[BALL])) ** 2 + 5.0 * (u[BALL] @ [1, 1, 0]) ** 2 / 2
    power += 2.0 * (u[ARM_TIP] @ X[ARM_TIP]) ** 2 / (X[ARM_TIP] @ X[ARM_TIP])
    assert v @ (s.C @ v) == pytest.approx(power, rel=1e-12)
    assert abs(s.K - bare.K).nnz == 0
    assert s.damped
    assert not bare.damped


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (
            lambda: Spring("s", node="ball", node2="rod.first", stiffness=-1),
            r"loads\.s\.stiffness = -1.*neg",
        ),
        (
            lambda: Damper("s", node="ball", node2="rod.first", coefficient=-2.0),
            r"loads\.s\.coefficient = -2\.0: must not",
        ),
        (lambda: Spring("s", node="ball", stiffness=1), r"loads\.s\.node2: needs node2, anchor"),
        (lambda: Spring("s", node="ball", node2="bead", anchor=(0, 0, 0), stiffness=1), "either node2 or anchor"),
        (lambda: Spring("s", node="ball", direction=(1, 0, 0), length=2.0, stiffness=1), r"loads\.s\.length = 2\.0"),
        (lambda: Spring("s", node="ball", anchor=(4, 1, 3), stiffness=1), r"loads\.s\.direction: the ends coincide"),
        (lambda: Spring("s", node="ball", node2="ball.first", stiffness=1), "ends.*node"),
        (
            lambda: Spring("s", node="bead", direction=(1, 0, 0), stiffness=1),
            "moves.*direction 1, 0, 0",
        ),
        (
            lambda: Spring("s", node="bell", direction=(1, 0, 0), stiffness=1),
            "body 'bell'.*'ball'",
        ),
        (lambda: Spring("s", node="rod.all", direction=(1, 0, 0), stiffness=1), "5 nodes.*single"),
        (lambda: NodalForce("f", node="ball"), "needs force or moment"),
        (lambda: NodalForce("f", node="ball", force=(1, 2)), r"loads\.f\.force = \(1, 2\).*three numbers"),
        (lambda: NodalForce("f", node="ball", moment=(1, 0, 0)), r"loads\.f\.moment.*'ball'"),
        (lambda: NodalForce("f", node="rod.last", force=(0, 1, -1)), r"loads\.f\.force.*'rod\.last'"),
        (lambda: NodalForce("f", node="ball", force=(1, 0, 0), function={"kind": "rmap"}), r"loads\.f\.function\.kind"),
        (lambda: Spring("bad name", node="ball", direction=(1, 0, 0), stiffness=1), "a name is letters"),
        (lambda: Gravity((0, 0)), r"gravity\.acceleration = \(0, 0\).*three components"),
    ],
)
def test_wrong_loads(part: object, words: str) -> None:
    with pytest.raises(InputError, match=words):
        two_bodies(part())


def test_nodal_force_and_moment_do_the_right_work() -> None:
    f, m = np.array([1.0, -2.0, 0.5]), np.array([0.3, 0.1, 0.7])
    s = two_bodies(NodalForce("f", node="arm.last", force=f, moment=m, function=Ramp(end_time=2.0, end_value=3.0)))
    dq = random_q(s, 8)
    x = (s.layout.displacement @ dq).reshape(-1, 3)[ARM_TIP]
    r = (s.layout.rotation @ dq).reshape(-1, 3)[ARM_TIP]
    assert s.F(1.0) @ dq == pytest.approx(1.5 * (f @ x + m @ r), rel=1e-12)
    assert not np.any(s.F0)
    assert s.loads[0].name == "f"


@pytest.mark.parametrize("size", [1e-300, 1e160, 1e300])
def test_a_force_of_any_size_finds_its_unknowns(size: float) -> None:
    s = two_bodies(NodalForce("push", node="ball", force=(size, 0, 0)))
    assert np.abs(s.loads[0].B).max() == size
    with pytest.raises(InputError, match="node 'bead'.*force acts"):
        two_bodies(NodalForce("push", node="bead", force=(size, 0, 0)))


def test_gravity_is_potential_energy() -> None:
    a = np.array([0.5, -1.0, -9.81])
    s = two_bodies(Gravity(a))
    bare = two_bodies()
    q = random_q(s, 9)
    x = positions(s, q)
    # particles: -m a.x (the bead moves along z only); the flexible bodies by fine quadrature of their shapes
    fixed = s.potential(q) - bare.potential(q) + 2.0 * a @ x[BALL] + 1.0 * a @ x[BEAD]
    rod = np.interp(np.linspace(0, 3, 3001), np.linspace(0, 3, 5), x[:5] @ a)
    rod_energy = -np.trapezoid(rod, dx=3 / 3000)
    arm_com = next(p for p in arm_probe() if p.name == "arm.center_of_mass")
    arm_energy = -2.0 * np.pi * 0.04 * 2.0 * a @ (arm_com.offset + arm_com.B @ q)
    assert fixed == pytest.approx(rod_energy + arm_energy, rel=1e-6)
    assert np.array_equal(two_bodies(gravity=a).F0, s.F0)


def arm_probe() -> tuple:
    model = Model()
    model.add(Bar("rod", length=3, elements=4, area=1, young=50, density=1, position=(0, 0, 1), direction=D))
    model.add(
        Beam("arm", length=2, elements=2, section={"shape": "circle", "radius": 0.2}, young=80, density=2,
             bending="spatial", position=(0, 5, 2), direction=(1, 0, 1), supports=[("first", "clamped")])
    )  # fmt: skip
    model.add(Particle("ball", mass=2.0, position=(4, 1, 3)))
    model.add(Particle("bead", mass=1.0, position=(4, 1, 5), axes="z"))
    return model.assemble(signals=["arm.center_of_mass"]).probes


# -------------------------------------------------------------------------------------------- time functions

FUNCTIONS = [
    Constant(2.5),
    Ramp(start_time=0.5, end_time=1.5, start_value=-1.0, end_value=3.0),
    Harmonic(amplitude=2.0, frequency=0.75, phase=0.3, offset=1.0),
    Harmonic(amplitude=2.0, omega=4.0),
    Table(time=[0.0, 0.5, 2.0], value=[1.0, -1.0, 4.0]),
]


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: type(f).__name__)
def test_rates_are_right_sided_slopes_and_arrays_agree_with_numbers(f: object) -> None:
    t = np.linspace(0.0, 1.9, 39)  # hits the corners at 0.5 and 1.5, up to round-off
    h = 1e-7
    assert f.rate(t) == pytest.approx((f.value(t + h) - f.value(t)) / h, abs=5e-6)
    for array, number in ((f.value(t), f.value(float(t[7]))), (f.rate(t), f.rate(float(t[7])))):
        assert array.dtype == number.dtype == np.float64
        assert number.shape == ()
        assert isinstance(number, np.ndarray)
        assert array[7] == number
    assert f.value(t.reshape(3, 13)).shape == (3, 13)


def test_values_by_hand() -> None:
    assert FUNCTIONS[1].value(np.array([0.0, 0.5, 1.0, 1.5, 9.0])) == pytest.approx([-1, -1, 1, 3, 3])
    assert FUNCTIONS[1].rate(np.array([0.0, 0.5, 1.0, 1.5])) == pytest.approx([0, 4, 4, 0])
    assert FUNCTIONS[2].value(0.4) == pytest.approx(1 + 2 * np.sin(2 * np.pi * 0.75 * 0.4 + 0.3))
    assert FUNCTIONS[4].value(np.array([0.25, 0.5, 1.25])) == pytest.approx([0, -1, 1.5])


def test_table_outside_its_times() -> None:
    table = FUNCTIONS[4]
    # a scheme that looks a step past the end sees the last line go on
    assert table.value(2.1) == pytest.approx(4.0 + 0.1 * float(table.rate(1.9)))
    assert table.value(-0.1) == pytest.approx(float(table.value(0.0)) - 0.1 * float(table.rate(0.0)))
    with pytest.raises(InputError, match=r"loads\.f\.time.*table covers 0.*2 s.*0.*3 s"):
        table.check_span(0.0, 3.0, "loads.f")
    table.check_span(0.0, 2.0)
    assert table.value(2.0 + 1e-12) == pytest.approx(4.0)  # n h misses the end by round-off
    hold = Table(time=[0.0, 1.0], value=[1.0, 3.0], outside="hold")
    hold.check_span(-1.0, 5.0)
    assert hold.value(np.array([-1.0, 0.5, 5.0])) == pytest.approx([1, 2, 3])
    assert hold.rate(np.array([-1.0, 0.0, 0.5, 1.0, 5.0])) == pytest.approx([0, 2, 2, 0, 0])


def test_from_case_data() -> None:
    assert time_function({"kind": "constant", "value": 2.0}, "f") == Constant(2.0)
    assert time_function(3, "f") == Constant(3.0)
    ramp = {"kind": "ramp", "start_time": 1.0, "end_time": 2.0, "start_value": 3.0, "end_value": 4.0}
    assert time_function(ramp, "f") == Ramp(start_time=1.0, end_time=2.0, start_value=3.0, end_value=4.0)
    assert time_function({"kind": "harmonic", "omega": 2.0}, "f") == Harmonic(omega=2.0)
    table = time_function({"kind": "table", "time": [0, 1], "value": [2, 3]}, "f")
    assert table.value(0.5) == pytest.approx(2.5)
    assert time_function(table, "f") is table


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"kind": "rampp"}, r"w\.f\.kind = 'rampp'.*of.*did.*'ramp'"),
        ({}, r"w\.f\.kind"),
        ("ramp", r"w\.f = 'ramp'.*number"),
        ({"kind": "constant", "valeu": 1.0}, r"w\.f\.valeu = 1\.0.*key.*'value'"),
        ({"kind": "constant", "value": "a"}, r"w\.f\.value = 'a': must be a number"),
        ({"kind": "ramp"}, "needs end_time"),
        ({"kind": "ramp", "start_time": 1.0, "end_time": 1.0}, r"w\.f\.end_time = 1\.0.*later.*1\.0"),
        ({"kind": "harmonic"}, "either frequency"),
        ({"kind": "harmonic", "frequency": 1.0, "omega": 1.0}, "either frequency"),
        ({"kind": "table", "time": [0, 1, 1], "value": [1, 2, 3]}, r"increase.*entry 2 \(1\).*1"),
        ({"kind": "table", "time": [0, 1], "value": [1, 2, 3]}, "3 entries.*time.*2"),
        ({"kind": "table", "time": [0], "value": [1]}, "at least two times"),
        ({"kind": "table", "time": [0, "b"], "value": [1, 2]}, r"w\.f\.time.*list.*finite numbers"),
        ({"kind": "table", "time": [0, 1], "value": [1, 2], "outside": "wrap"}, r"w\.f\.outside = 'wrap'"),
    ],
)
def test_wrong_functions(data: object, words: str) -> None:
    with pytest.raises(InputError, match=words):
        time_function(data, "w.f")


@pytest.mark.parametrize("large", [False, True])
def test_nodes_of_many_bodies_are_named_by_a_pattern(large: bool) -> None:
    def model(nodes: object, **more: object) -> fm.Model:
        out = fm.Model()
        for k in range(3):
            if large:
                out.add(fm.Rigid(f"ball{k}", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(k, 0.0, 1.0)))
            else:
                out.add(fm.Particle(f"ball{k}", mass=1.0, position=(k, 0.0, 1.0)))
        out.add(fm.Rigid("table", mass=1.0, inertia=(1.0, 1.0, 1.0)) if large else fm.Particle("table", mass=1.0))
        out.add(fm.NodePlane("floor", nodes=nodes, normal=(0.0, 0.0, 1.0), **more))
        return out

    assert model("ball*").assemble().contacts.nc == 3
    assert model(["ball?", "table"]).assemble().contacts.nc == 4
    if large:
        assert model("*", body="table").assemble().contacts.nc == 3  # not with itself
    with pytest.raises(fm.InputError, match=r"contacts\.floor\.nodes = 'bell\*': matches no body.*: ball0"):
        model("bell*").assemble()
    with pytest.raises(fm.InputError, match=r"nodes = 'ball\*\.lost': body 'ball0'"):
        model("ball*.lost").assemble()
    if large:
        with pytest.raises(fm.InputError, match=r"nodes = 'tab\*': matches no body besides 'table'"):
            model("tab*", body="table").assemble()
    alone = fm.Model()
    alone.add(fm.Rigid("table", mass=1.0, inertia=(1.0, 1.0, 1.0)))
    alone.add(fm.NodePlane("floor", nodes="t*", normal=(0.0, 0.0, 1.0), body="table"))
    with pytest.raises(fm.InputError, match=r"nodes = 't\*': matches no body besides 'table'"):
        alone.assemble()
    with pytest.raises(fm.InputError, match=r"node = 'ball\*'.*key nodes"):
        fm.NodePlane("floor", node="ball*", normal=(0.0, 0.0, 1.0))
