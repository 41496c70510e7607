"""Assembly: order of unknowns, signals, layout, static start, speed, and what is refused."""

from __future__ import annotations

import time

import numpy as np
import pytest
from scipy import sparse

from flexmb.errors import InputError
from flexmb.parts.bodies import Bar, Beam, Particle
from flexmb.parts.contacts import NodePlane
from flexmb.parts.loads import Gravity, Harmonic, NodalForce, Spring
from flexmb.system.model import Model

BAR = {"length": 10.0, "elements": 4, "area": 2.0, "young": 900.0, "density": 1.5}
BEAM = {"length": 2.0, "elements": 5, "area": 0.1, "inertia": 1e-3, "young": 1e5, "density": 2.0}


def model() -> Model:
    out = Model()
    out.add(Bar("rod", direction=(1, 2, 2), velocity=(1, 2, 2), **BAR))
    out.add(Particle("ball", 2.0, (0, 0, 5), (0, 0, -3), axes="z"))
    out.add(Beam("arm", supports=[("first", "clamped")], position=(0, 3, 0), **BEAM))
    return out


def test_blocks_follow_the_order_of_bodies() -> None:
    m = model()
    s = m.assemble()
    parts = [b.parts() for b in m.bodies.values()]
    assert s.nv == 5 + 1 + 15
    for name in ("M", "K"):
        expected = sparse.block_diag([getattr(p, name) for p in parts])
        assert abs(getattr(s, name) - expected).max() == 0.0
        assert getattr(s, name).format == "csr"
    assert s.C.nnz == 0
    assert np.array_equal(s.v0, np.concatenate([p.v0 for p in parts]))
    assert s.dof_names[4:7] == ("rod.node(4).u", "ball.z", "arm.node(1).u")
    assert len(s.dof_names) == s.nv
    assert s.contacts.nc == 0
    assert s.contacts.G.shape == (s.nv, 0)
    assert s.contacts.g(0.0, s.q0).shape == (0,)


def test_layout() -> None:
    s = model().assemble()
    out = s.layout
    assert out.bodies == ("rod", "ball", "arm")
    assert np.array_equal(out.body_of_point, [0] * 5 + [1] + [2] * 6)
    assert np.array_equal(out.vertices, [5])
    assert np.array_equal(out.cells[:4], [[0, 1], [1, 2], [2, 3], [3, 4]])
    assert np.array_equal(out.cells[4:], [[6, 7], [7, 8], [8, 9], [9, 10], [10, 11]])
    assert out.points.shape == (12, 3)
    assert out.displacement.shape == out.rotation.shape == (36, s.nv)
    assert out.radius_of_cell == pytest.approx([np.sqrt(2 / np.pi)] * 4 + [np.sqrt(0.1 / np.pi)] * 5)


def look(s: object, name: str, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    probe = next(p for p in s.probes if p.name == name)
    return probe.offset + probe.B @ (q if probe.of == "q" else v)


def test_default_signals() -> None:
    s = model().assemble()
    nodes = ["rod.first", "rod.mid", "rod.last", "ball", "arm.first", "arm.mid", "arm.last"]
    assert [p.name for p in s.probes] == [f"{n}.{what}" for n in nodes for what in ("position", "velocity")]
    assert look(s, "ball.position", s.q0, s.v0) == pytest.approx([0, 0, 5])
    assert look(s, "ball.velocity", s.q0, s.v0) == pytest.approx([0, 0, -3])
    assert look(s, "rod.last.position", s.q0, s.v0) == pytest.approx(np.array([10, 20, 20]) / 3)
    assert look(s, "rod.mid.velocity", s.q0, s.v0) == pytest.approx([1, 2, 2])
    assert look(s, "arm.first.position", s.q0 + 1.0, s.v0) == pytest.approx([0, 3, 0])  # clamped


def test_requested_signals() -> None:
    names = ["arm.node(2).rotation", "arm.last.angular_velocity", "rod.node(3).displacement", "rod.momentum",
             "rod.center_of_mass", "ball.first.position", "ball.displacement", "arm.center_of_mass",
             "arm.first.rotation", "arm.momentum"]  # fmt: skip
    m = model()
    s = m.assemble(signals=names)
    assert [p.name for p in s.probes] == names
    rng = np.random.default_rng(0)
    q, v = rng.normal(size=s.nv), rng.normal(size=s.nv)
    at = {name: i for i, name in enumerate(s.dof_names)}
    d = np.array([1, 2, 2]) / 3
    assert look(s, "arm.node(2).rotation", q, v) == pytest.approx([0, 0, q[at["arm.node(2).theta"]]])
    assert look(s, "arm.last.angular_velocity", q, v) == pytest.approx([0, 0, v[at["arm.node(5).theta"]]])
    assert look(s, "rod.node(3).displacement", q, v) == pytest.approx(q[3] * d)
    assert look(s, "ball.first.position", q, v) == pytest.approx([0, 0, 5 + q[5]])
    assert look(s, "ball.displacement", q, v) == pytest.approx([0, 0, q[5]])
    weights = np.array([0.5, 1, 1, 1, 0.5]) * 7.5
    assert look(s, "rod.momentum", q, v) == pytest.approx(weights @ v[:5] * d)
    assert look(s, "rod.center_of_mass", q, v) == pytest.approx(5 * d + weights @ q[:5] / 30.0 * d)
    assert look(s, "arm.center_of_mass", 0 * q, v) == pytest.approx([1, 3, 0])
    assert not np.any(look(s, "arm.first.rotation", q, v))
    arm = m.bodies["arm"].parts()
    assert look(s, "arm.momentum", q, v) == pytest.approx(arm.momentum @ v[6:])
    assert look(s, "arm.center_of_mass", q, v) == pytest.approx([1, 3, 0] + arm.momentum @ q[6:] / 0.4)
    for p in s.probes:
        assert p.B.shape == (3, s.nv)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("rod.first.postion", r"'rod\.first\.postion'.*signal.*'rod\.first\.position'"),
        ("rdo.first.position", r"'rod\.first\.position'"),
        ("rod.position", r"node: rod\.first\.position"),
        ("rod.node(9).position", r"body 'rod'.*node.*node\(0\) \.\.\. node\(4\)"),
        ("rod.first.rotation", "have no rotation"),
        ("ball.angular_velocity", "have no rotation"),
        ("rod.first.momentum", "unknown signal"),
        ("momentum", "unknown signal"),
        ("rod.all.position", "denotes 5 nodes"),
        (3, "unknown signal"),
    ],
)
def test_wrong_signals(name: str, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        model().assemble(signals=[name])
    assert (caught.value.where, caught.value.key) == ("output", "signals")


def test_signal_listed_twice() -> None:
    with pytest.raises(InputError, match=r"'ball\.position'.*signal.*listed twice"):
        model().assemble(signals=["ball.position", "rod.momentum", "ball.position"])


def test_parts_in_any_order_and_unique_names() -> None:
    m = Model()
    m.add(NodePlane("wall", node="rod.first", normal=(1, 0, 0)))
    m.add(Spring("spring", node="rod.last", anchor=(20, 0, 0), stiffness=3.0))
    rod = Bar("rod", position=(1, 0, 0), **BAR)
    assert m.add(rod) is rod
    assert m.assemble().contacts.g(0.0, np.zeros(5)) == pytest.approx([1.0])
    with pytest.raises(InputError, match=r"bodies\.rod.*\(Bar\)"):
        m.add(Particle("rod", mass=1.0))
    with pytest.raises(InputError, match=r"contacts\.wall"):
        m.add(NodePlane("wall", node="rod.first", normal=(1, 0, 0)))
    with pytest.raises(InputError, match=r"loads\.spring"):
        m.add(NodalForce("spring", node="rod.last", force=(1, 0, 0)))
    m.add(Particle("wall", mass=1.0))  # names are unique per kind of part
    m.add(Gravity((0, 0, -1)))
    with pytest.raises(InputError, match="there is gravity already"):
        m.add(Gravity((0, 0, -2)))
    with pytest.raises(InputError, match="cannot add a str"):
        m.add("rod")


def test_no_bodies() -> None:
    with pytest.raises(InputError, match="model.*bodies"):
        Model().assemble()


def cantilever(**kw: object) -> Model:
    m = Model(**kw)
    m.add(Beam("arm", supports=[("first", "clamped")], **BEAM))
    m.add(NodalForce("pull", node="arm.last", force=(0, 3.0, 0), function=Harmonic(omega=2.0, phase=np.pi / 2)))
    m.add(NodalForce("drive", node="arm.mid", force=(0, 1.0, 0)))
    return m


def test_static_start_is_the_cantilever_formula_and_the_load_is_released() -> None:
    s = cantilever(initial_static=["pull"]).assemble(t0=0.25)
    force = 3.0 * np.cos(0.5)
    tip = look(s, "arm.last.position", s.q0, s.v0)
    assert tip == pytest.approx([2.0, force * 2.0**3 / (3 * 1e5 * 1e-3), 0.0], rel=1e-10)
    assert [load.name for load in s.loads] == ["drive"]
    assert not np.any(cantilever().assemble().q0)
    assert [load.name for load in cantilever().assemble().loads] == ["pull", "drive"]


def test_static_start_counts_for_initial_penetration() -> None:
    for side, words in (
        (-1.0, None),
        (1.0, r"contact 'stop' starts 0\.08 m inside, node arm\.node\(5\) at \(2, 0\.08, 0\)"),
    ):
        m = cantilever(initial_static=["pull"])
        m.add(NodePlane("stop", node="arm.last", normal=(0, -side, 0)))
        if words is None:
            assert m.assemble().contacts.g(0.0, m.assemble().q0) == pytest.approx([0.08], rel=1e-9)
        else:
            with pytest.raises(InputError, match=words):
                m.assemble()


def test_static_start_needs_a_held_structure() -> None:
    def free_rod(*springs: Spring) -> Model:
        m = Model(initial_static=["pull"])
        m.add(Bar("rod", elements=300, **{k: v for k, v in BAR.items() if k != "elements"}))
        m.add(Particle("ball", mass=1.0, position=(20, 0, 0), axes="x"))
        m.add(NodalForce("pull", node="rod.last", force=(3, 0, 0)))
        for spring in springs:
            m.add(spring)
        return m

    to_ball = Spring("a", node="ball", node2="rod.last", stiffness=5.0)
    to_ground = Spring("b", node="rod.first", anchor=(-1, 0, 0), stiffness=4.0)
    with pytest.raises(InputError, match=r"initial\.static = \('pull',\).*'(rod|ball)'.*not supported"):
        free_rod(to_ball).assemble()
    with pytest.raises(InputError, match="body 'ball'"):
        free_rod(to_ground).assemble()
    s = free_rod(to_ball, to_ground).assemble()
    assert look(s, "ball.position", s.q0, s.v0)[0] == pytest.approx(20 + 3 / 4 + 3 * 10 / 1800, rel=1e-9)
    hinged = Model(initial_static=["pull"])
    hinged.add(Beam("arm", supports=[("first", "pinned")], **BEAM))
    hinged.add(NodalForce("pull", node="arm.last", force=(0, 3, 0)))
    with pytest.raises(InputError, match=r"initial\.static = \('pull',\): body 'arm'"):
        hinged.assemble()


def test_static_start_from_a_load_that_is_none() -> None:
    with pytest.raises(InputError, match=r"initial\.static = 'pul'.*force.*'pull'\?\); forces: pull"):
        cantilever(initial_static=["pul"]).assemble()


def test_bar_spectrum_survives_assembly_with_springs() -> None:
    # a rigid-like bar on a soft spring moves as a mass on a spring
    m = Model()
    m.add(Bar("rod", **{**BAR, "young": 9e8}))
    m.add(Spring("s", node="rod.first", anchor=(-1, 0, 0), stiffness=40.0))
    s = m.assemble()
    w2 = np.linalg.eigvals(np.linalg.solve(s.M.toarray(), s.K.toarray())).real.min()
    assert w2 == pytest.approx(40.0 / 30.0, rel=1e-5)


def test_a_hundred_thousand_elements_assemble_in_seconds() -> None:
    m = Model(gravity=(0, 0, -9.81))
    m.add(Bar("rod", elements=100_000, **{k: v for k, v in BAR.items() if k != "elements"}))
    m.add(NodePlane("wall", nodes="rod.all", normal=(1, 0, 0)))
    start = time.perf_counter()
    s = m.assemble()
    taken = time.perf_counter() - start
    assert s.nv == 100_001
    assert s.contacts.nc == 100_001
    assert taken < 10.0  # about 1 s on a quiet machine


def test_a_gap_of_round_off_at_the_start_is_none() -> None:
    model = Model(gravity=(0.0, 0.0, -10.0))
    model.add(Particle("p", 1.0, position=(0.0, 0.0, 0.1 + 0.2)))
    model.add(NodePlane("f", node="p", point=(0.0, 0.0, 0.3), normal=(0.0, 0.0, 1.0)))
    system = model.assemble()
    assert 0.1 + 0.2 > 0.3
    assert system.contacts.g(0.0, system.q0) == 0.0
