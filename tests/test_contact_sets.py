"""Many contacts in large motion: the sparse problem gives what the full one gives, and costs what it should."""

from __future__ import annotations

import numpy as np
import pytest
from multibody_models import run
from scipy import sparse
from test_spin_kernels import column, scale

import flexmb as fm
from flexmb.assembly import contact_sets as sets
from flexmb.kernels.index_sets.sparse_sets import IN, OUT, solve_sets
from flexmb.kernels.lcp.lcp_residual import lcp_residual
from flexmb.kernels.multibody.multibody import ITERATIONS, STEPS
from flexmb.schemes import GeneralizedAlpha, MoreauJean, SchatzmanPaoli

R = 0.0625
"""Radius of the spheres, m: a power of two, so that those that touch do so to the last bit."""
ALPHA, NO_GGL, MOREAU = GeneralizedAlpha(0.8), GeneralizedAlpha(0.8, ggl=False), MoreauJean(0.5)
ANYWHERE = [ALPHA, NO_GGL, MOREAU]
SCHEMES = [*ANYWHERE, SchatzmanPaoli("symmetric")]


def spheres(places, rigid=True, velocity=None, touching=(), floor=True, restitution=0.0):
    """Return balls of radius R at places, some pairs of them ``touching``, over a floor at z = 0."""
    model = fm.Model(gravity=(0.0, 0.0, -9.81))
    for k, x in enumerate(places):
        v = (0.0, 0.0, 0.0) if velocity is None else velocity[k]
        mass = 1.0 + 0.1 * (k % 5)
        if rigid:
            inertia = [0.4 * mass * R**2] * 3
            model.add(
                fm.Rigid(f"s{k}", mass=mass, inertia=inertia, position=x, velocity=v, angular_velocity=(1.0, k, 2.0))
            )
        else:
            model.add(fm.Particle(f"s{k}", mass, position=x, velocity=v))
        if floor:
            model.add(fm.NodePlane(f"f{k}", node=f"s{k}", normal=(0.0, 0.0, 1.0), radius=R, restitution=restitution))
    for i, j in touching:
        model.add(fm.SphereSphere(f"c{i}_{j}", a=f"s{i}", b=f"s{j}", radius=R, restitution=restitution))
    return model


def tower(n, gap=0.0, lean=0.0, **more):
    """Return a column of n balls, apart by a gap each, leaning a little."""
    places = [(lean * (-1.0) ** k, 0.0, R * (2 * k + 1) + gap * (k + 1)) for k in range(n)]
    return spheres(places, touching=[(k, k + 1) for k in range(n - 1)], **more)


def heap(restitution=0.0, rigid=True):
    """Return a triangle of balls that falls onto the floor and apart."""
    rows, places = 5, []
    for k in range(rows):
        places += [(2.02 * R * (i - 0.5 * (rows - 1 - k)), 0.0, R * (1.1 + 1.8 * k)) for i in range(rows - k)]
    n = len(places)
    near = [
        (i, j) for i in range(n) for j in range(i + 1, n) if np.linalg.norm(np.subtract(places[i], places[j])) < 3 * R
    ]
    return spheres(places, touching=near, rigid=rigid, restitution=restitution)


def corner():
    """Return a ball that three planes hold, two of them given twice."""
    model = fm.Model(gravity=(1.0, 2.0, -9.81))
    model.add(fm.Particle("ball", 2.0, position=(R, R, R), velocity=(-0.1, -0.1, 0.0)))
    normals = [(1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)]
    for k, n in enumerate(normals):
        point = (0.0, 2.0 * R, 0.0)
        model.add(fm.NodePlane(f"p{k}", node="ball", normal=n, point=point, radius=R))
    model.add(fm.Particle("other", 1.0, position=(R, R, 3.0 * R)))
    model.add(fm.SphereSphere("on_top", a="ball", b="other", radius=R))
    return model


def tied():
    """Return a leaning column whose balls stiff springs and dampers tie together: forces answer to impulses."""
    model = tower(6, gap=0.002, lean=0.01, restitution=0.5)
    for k in range(0, 4, 2):
        keys = {"stiffness": 2e5, "damping": 50.0, "length": 4.0 * R + 0.004}
        model.add(fm.SpringDamper(f"tie{k}", a=f"s{k}", b=f"s{k + 2}", **keys))
    return model


def jointed():
    """Return two double pendulums of balls that hit a wall, the floor and each other."""
    model = fm.Model(gravity=(0.0, 0.0, -9.81))
    for k, x in enumerate((0.0, 0.4)):
        model.add(
            fm.Rigid(
                f"a{k}", mass=1.0, inertia=[0.01] * 3, position=(x + 0.15, 0.0, 0.5), points={"top": (-0.15, 0, 0)}
            )
        )
        model.add(
            fm.Rigid(
                f"b{k}", mass=1.0, inertia=[0.01] * 3, position=(x + 0.3, 0.0, 0.35), points={"top": (-0.15, 0, 0.15)}
            )
        )
        model.add(fm.Spherical(f"j{k}", a="ground", b=f"a{k}.top"))
        model.add(fm.Spherical(f"k{k}", a=f"a{k}", b=f"b{k}.top"))
        for name in (f"a{k}", f"b{k}"):
            model.add(
                fm.NodePlane(
                    f"floor_{name}", node=name, normal=(0.0, 0.0, 1.0), point=(0, 0, 0.26), radius=R, restitution=0.5
                )
            )
            model.add(
                fm.NodePlane(f"wall_{name}", node=name, normal=(1.0, 0.0, 0.0), point=(-0.05, 0, 0), restitution=0.5)
            )
    for a, b in (("a0", "a1"), ("b0", "b1"), ("b0", "a1"), ("a0", "b1")):
        model.add(fm.SphereSphere(f"{a}_{b}", a=a, b=b, radius=R, restitution=0.5))
    return model


MODELS = {
    "resting column": lambda: tower(8),
    "dropped column": lambda: tower(6, gap=0.01, restitution=0.0),
    "bouncing column": lambda: tower(5, gap=0.01, restitution=1.0),
    "leaning column": lambda: tower(5, lean=0.01),
    "heap": heap,
    "bouncing heap": lambda: heap(restitution=0.6),
    "joints": jointed,
    "springs": tied,
}
PLAIN = {
    "particles": lambda: tower(6, gap=0.01, lean=0.01, rigid=False),
    "heap of particles": lambda: heap(0.5, rigid=False),
    "corner": corner,
}
CASES = [(name, s) for name in MODELS for s in ANYWHERE] + [(name, s) for name in PLAIN for s in SCHEMES]


def both(monkeypatch, system, scheme, h, steps):
    """Return the runs with the sparse problem and with the full one."""
    found = []
    for few in (0, 10**9):
        monkeypatch.setattr(sets, "FEW", few)
        found.append(run(system, scheme, h, steps))
        assert found[-1].engine.failure is None
        assert (found[-1].engine.workspace.machine.sets.part_ptr.size > 1) == (few == 0)
    return found


@pytest.mark.parametrize(("name", "scheme"), CASES, ids=lambda x: repr(x) if hasattr(x, "name") else str(x))
def test_sparse_is_full(monkeypatch, name, scheme):
    system = {**MODELS, **PLAIN}[name]().assemble([])
    lean, full = both(monkeypatch, system, scheme, 1e-3, 80 if name != "joints" else 140)
    assert full.impulse.max() > 0.0
    for a, b in ((lean.q, full.q), (lean.v, full.v)):
        np.testing.assert_allclose(a, b, rtol=0.0, atol=1e-11 * max(1.0, np.abs(b).max()))
    if name != "corner":  # where impulses of equal planes are shared as the solver likes
        np.testing.assert_allclose(lean.impulse, full.impulse, rtol=0.0, atol=1e-11 * max(1.0, full.impulse.max()))
    for result in (lean, full):
        assert np.abs(column(result, "residual")).max() < 1e-10 * scale(result)


def even_column(n, rigid):
    """Return n equal balls at rest on each other."""
    model = fm.Model(gravity=(0.0, 0.0, -9.81))
    names = [f"s{k}" for k in range(n)]
    for k, name in enumerate(names):
        place = (0.0, 0.0, R * (2 * k + 1))
        if rigid:
            model.add(fm.Rigid(name, mass=1.0, inertia=[1e-3] * 3, position=place))
        else:
            model.add(fm.Particle(name, 1.0, position=place))
    model.add(fm.NodePlane("floor", node="s0", normal=(0.0, 0.0, 1.0), radius=R))
    model.add(fm.SphereSphere("column", chain=names, radius=R))
    return model.assemble([])


@pytest.mark.parametrize("scheme", ANYWHERE, ids=repr)
@pytest.mark.parametrize("rigid", [True, False], ids=["rigid", "particles"])
def test_a_resting_column_begins_with_the_impulses_before(rigid, scheme):
    result = run(even_column(60, rigid), scheme, 1e-3, 40)
    assert result.engine.failure is None
    assert result.engine.workspace.machine.sets.part_ptr.size > 1
    assert result.impulse[-1, 0] == pytest.approx(60 * 9.81e-3, rel=1e-8)
    assert np.abs(result.gap).max() < 1e-12
    assert result.engine.tally().iterations <= 5 * 40


def test_few_contacts_begin_with_the_impulses_before(monkeypatch):
    """The same where the problem is a full matrix."""
    monkeypatch.setattr(sets, "FEW", 10**9)
    system = even_column(60, rigid=True)
    first, all_steps = (run(system, MOREAU, 1e-3, n).engine.tally().iterations for n in (1, 21))
    assert first > 20
    assert (all_steps - first) / 20 <= 5.0


@pytest.mark.parametrize("scheme", ANYWHERE, ids=repr)
def test_an_impact_goes_through_a_column_in_few_sets(scheme):
    result = run(even_column(200, rigid=False), scheme, 1e-3, 1)
    assert result.engine.failure is None
    assert result.impulse[-1, 0] == pytest.approx(200 * 9.81e-3, rel=1e-8)
    assert result.engine.tally().iterations <= 20


def test_round_off_of_gaps_costs_no_iterations():
    """Balls of different masses rest with gaps of a few last bits on either side of zero: all are candidates."""
    result = run(tower(60).assemble([]), ALPHA, 1e-3, 40)
    assert result.engine.failure is None
    assert result.engine.motion.numbers[ITERATIONS] <= 3 * 40
    assert result.engine.tally().iterations <= 5 * 40


def test_an_impact_goes_through_a_column_that_nearly_touches():
    result = run(tower(200, gap=1e-7).assemble([]), ALPHA, 1e-3, 5)
    assert result.engine.failure is None
    assert result.engine.motion.numbers[STEPS] == 5
    assert result.engine.motion.numbers[ITERATIONS] <= 6 * 5


@pytest.mark.parametrize("seed", range(6))
def test_problems_of_one_level(seed):
    rng = np.random.default_rng(seed)
    n = 40
    G = sparse.random_array((3 * n, n), density=0.04, rng=rng) + sparse.eye_array(3 * n, n)
    W = sparse.csr_array(G.T @ G)
    W = sparse.csr_array(W + 0.3 * sparse.csr_array(W.multiply(rng.normal(size=(n, n)))) * (seed % 2))
    W.sort_indices()
    problem = sets._problem(W, 1)
    problem.W[problem.pos] = W.data
    problem.b[:] = rng.normal(size=n)
    problem.may[:] = 1
    problem.state[:] = np.where(rng.random(n) < 0.5, IN, OUT)
    used, _, residual = solve_sets(problem, np.zeros(n), 100)
    assert used <= 30
    assert residual < 1e-12
    assert lcp_residual(W.toarray(), problem.b, problem.z) < 1e-12
    assert np.count_nonzero(problem.z) > 5


def test_problems_without_an_answer_say_so():
    W = sparse.csr_array(np.array([[1.0, -1.0], [-1.0, 1.0]]))
    problem = sets._problem(W, 1)
    problem.W[problem.pos] = W.data
    problem.b[:] = -1.0
    problem.may[:] = 1
    _, row, residual = solve_sets(problem, np.zeros(2), 20)
    assert row >= 0
    assert residual > 0.1


def test_contacts_of_one_body_without_an_end_are_left_to_the_full_matrix(monkeypatch):
    system = tower(6).assemble([])
    monkeypatch.setattr(sets, "FEW", 0)
    monkeypatch.setattr(sets, "FULL", 10)
    assert run(system, MOREAU, 1e-3, 2).engine.workspace.machine.sets.part_ptr.size == 1
