"""Many contacts: the solver on the bordered matrix beside the dense one, and runs that take either way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

import flexmb as fm
from flexmb.drive.compiled import CompiledEngine
from flexmb.drive.engine import Plan
from flexmb.drive.general import GeneralEngine
from flexmb.errors import NotConverged
from flexmb.kernels.index_sets.contact_problem import TOLERANCE
from flexmb.kernels.lcp.lcp import solve_lcp
from flexmb.linalg import factor
from flexmb.nonsmooth import ContactSolver, delassus
from flexmb.schemes import many_contacts
from flexmb.schemes.many_contacts import Level, ManyContactsProblem, StepNumbers
from flexmb.schemes.scheme import StepMatrix

BETA, GAMMA, R = 0.3, 0.6, 0.9
H = 1e-5


def beam(elements=60, e=0.5, gap=1e-4, damping=None, planes=1):
    """Return a beam above a plane on which all its nodes may land; ``planes`` times the same plane."""
    model = fm.Model(gravity=(0, -9.81, 0))
    section = {"shape": "rectangle", "width": 0.01, "height": 0.01}
    keys = {} if damping is None else {"damping": damping}
    model.add(fm.Beam("beam", length=1.0, elements=elements, section=section, young=2.1e11, density=7800.0, **keys))
    for k in range(planes):
        model.add(fm.NodePlane(f"floor{k}", nodes="beam.all", point=(0, -gap, 0), normal=(0, 1, 0), restitution=e))
    return model


def skewed(system, size):
    """Return the system with skew matrices like those of a rotor, of a given share of its own."""
    above = sparse.triu(sparse.csr_array(system.K), 1)
    skew = sparse.csr_array(size * (above - above.T))
    return replace(system, gyro=sparse.csr_array(H * skew), cross=skew)


def numbers(level, refine=True):
    """Return the scalars of a step of a level."""
    if level is Level.ONE:
        return StepNumbers(level, 0.5 * H, 0.25 * H * H, refine, scale=0.7)
    return StepNumbers(level, R * H * GAMMA, R * H * H * BETA, refine, 1.0, H, R, BETA, GAMMA)


def dense(system, a):
    """Return the Delassus matrix of the same problem, column by column."""
    S, M, G = StepMatrix(system, a.c_C, a.c_K), factor(system.M), system.contacts.G
    if a.level is Level.ONE:
        return a.scale * delassus(S.solve, G)

    def respond(to_dq, to_w, of_q):
        def columns(g):
            X = M.solve(g)
            da = -R * S.solve(system.restoring(to_dq * X) + system.resisting(to_w * X))
            return to_dq * X + H * H * BETA * da if of_q else to_w * X + H * GAMMA * da

        return delassus(columns, G)

    if a.level is Level.VELOCITY:
        return respond(0.5 * H, 1.0, False)
    return np.block([[respond(1, 0, True), respond(0, 1, True) / H], [respond(1, 0, False) * H, respond(0, 1, False)]])


SYSTEMS = {
    "beam": lambda: beam().assemble(),
    "damped": lambda: beam(damping=(1.0, 1e-6)).assemble(),
    "skew": lambda: skewed(beam(damping=(1.0, 1e-6)).assemble(), 0.002),
    "twice": lambda: beam(elements=40, planes=2).assemble(),
}


@pytest.mark.parametrize("level", Level)
@pytest.mark.parametrize("name", SYSTEMS)
def test_agrees_with_the_dense_solver(name, level):
    """All in, none in, and sets in between; of contacts that are there twice only the sum of impulses is defined."""
    system = SYSTEMS[name]()
    a = numbers(level)
    problem, W = ManyContactsProblem(system, a), dense(system, a)
    m, nc = W.shape[0], system.contacts.nc
    assert problem.own == pytest.approx(np.diag(W), rel=1e-11)
    rng = np.random.default_rng(3)
    asked_for = [-np.ones(m), rng.random(m)]
    if not (name == "skew" and level is Level.BOTH):  # there not every b has an answer
        asked_for += [rng.standard_normal(m), -rng.random(m)]
    for b in asked_for:
        if name == "twice":  # twins ask the same
            b = np.tile(b.reshape(-1, nc)[:, : nc // 2], (1, 2)).reshape(m)
        z = np.zeros(m)
        _, residual = solve_lcp(W, b, z, 0, 0, 1e-10)
        assert residual <= 1e-10
        everyone = np.ones(m, dtype=bool)
        found = problem.solve(b, everyone, np.zeros(m), np.ones(nc, dtype=bool), 1e-10)
        assert found.residual <= 1e-10
        assert (found.z >= 0.0).all()
        x, y = z, found.z
        if name == "twice":
            x, y = (v.reshape(-1, 2, nc // 2).sum(axis=1).ravel() for v in (z, found.z))
        assert np.abs(x - y).max() <= 1e-11 * np.abs(x).max(initial=0.0)


@pytest.mark.parametrize("level", [Level.ONE, Level.VELOCITY])
def test_twins_that_ask_different_things(level):
    """The stricter of two contacts on one node is the one that holds."""
    system = SYSTEMS["twice"]()
    problem, W = ManyContactsProblem(system, numbers(level)), dense(system, numbers(level))
    nc = system.contacts.nc
    rng = np.random.default_rng(5)
    b = -1.0 - rng.random(nc)
    z = problem.solve(b, np.ones(nc, dtype=bool), np.zeros(nc), None, 1e-10).z
    strict = np.minimum(b[: nc // 2], b[nc // 2 :])
    w = W @ z + b
    assert w.min() >= -1e-9
    assert np.abs((W @ z)[: nc // 2] + strict)[(z[: nc // 2] + z[nc // 2 :]) > 0.0].max() <= 1e-9


def test_rows_that_are_not_asked_for_get_no_impulse():
    system = SYSTEMS["beam"]()
    problem, W = ManyContactsProblem(system, numbers(Level.ONE)), dense(system, numbers(Level.ONE))
    asked = np.arange(system.contacts.nc) % 3 == 0
    found = problem.solve(-np.ones(asked.size), asked, np.zeros(asked.size), None, 1e-10)
    assert not found.z[~asked].any()
    assert (W @ found.z - 1.0)[asked] == pytest.approx(np.zeros(asked.sum()), abs=1e-11)


def test_a_set_that_stays_is_not_factored_again():
    system = SYSTEMS["beam"]()
    problem = ManyContactsProblem(system, numbers(Level.ONE))
    nc = system.contacts.nc
    z = problem.solve(-np.ones(nc), np.ones(nc, dtype=bool), np.zeros(nc), None, 1e-10).z
    before = problem.factorizations
    for scale in (0.5, 2.0, 3.0):
        z = problem.solve(-scale * np.ones(nc), np.ones(nc, dtype=bool), z, None, 1e-10).z
    assert problem.factorizations == before


def test_contacts_much_closer_than_the_waves_of_a_step_are_long():
    """Index sets alone cycle on such a problem; the interior-point method finds the set."""
    system = beam(elements=3000).assemble()
    problem = ManyContactsProblem(system, numbers(Level.ONE))
    nc = system.contacts.nc
    b = np.random.default_rng(1).standard_normal(nc)
    found = problem.solve(b, np.ones(nc, dtype=bool), np.zeros(nc), None, 1e-10)
    assert found.residual <= 1e-10
    assert 0 < (found.z > 0.0).sum() < nc // 4
    assert found.iterations < 150


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_is_said(bad):
    system = SYSTEMS["beam"]()
    problem = ManyContactsProblem(system, numbers(Level.ONE))
    nc = system.contacts.nc
    b = -np.ones(nc)
    b[7] = bad
    found = problem.solve(b, np.ones(nc, dtype=bool), np.zeros(nc), None, 1e-10)
    assert found.residual == np.inf
    assert found.row == 7


SCHEMES = [
    fm.MoreauJean(),
    fm.MoreauJeanDissipative(),
    fm.SchatzmanPaoli(),
    fm.Newmark(ggl=False),
    fm.Newmark(ggl=True),
    fm.HHT(ggl=False),
    fm.HHT(ggl=True),
    fm.GeneralizedAlpha(rho_inf=0.8, ggl=False),
    fm.GeneralizedAlpha(rho_inf=0.8, ggl=True),
]


def plan(system, scheme, steps, solver=None):
    """Return a plan that samples every step."""
    return Plan(system=system, scheme=scheme, solver=solver or ContactSolver(), h=H, t0=0.0, steps=steps, every=1,
                fields_every=steps)  # fmt: skip


def run(engine_class, system, scheme, steps, solver=None):
    """Run and return the engine and the samples."""
    engine = engine_class(plan(system, scheme, steps, solver))
    engine.start()
    return engine, engine.advance(steps)


@pytest.mark.parametrize("damping", [None, (1.0, 1e-6)], ids=["undamped", "damped"])
@pytest.mark.parametrize("scheme", SCHEMES, ids=str)
def test_a_flat_beam_bounces_as_with_the_dense_solver(scheme, damping, monkeypatch):
    system = beam(e=0.5, gap=2e-6, damping=damping).assemble()
    steps = 150
    many, block = run(CompiledEngine, system, scheme, steps)
    assert many.contacts.many.address.all()
    monkeypatch.setattr(many_contacts, "FEW", 10**9)
    few, other = run(CompiledEngine, system, scheme, steps)
    assert not few.contacts.many.address.any()
    assert many.failure is None
    assert few.failure is None
    assert (other.impulse > 0.0).all(axis=1).any()  # it lands flat
    assert many.tally().iterations <= 2 * few.tally().iterations + 60
    for name in ("gap", "velocity", "impulse", "energy"):
        x, y = getattr(block, name), getattr(other, name)
        assert np.abs(x - y).max() <= 3e-11 * np.abs(y).max(), name
    scale = np.abs(block.energy[:, :6]).max()
    assert np.abs(block.energy[:, 6]).max() <= 1e-12 * scale  # the identity closes
    if getattr(scheme, "ggl", False):
        assert block.gap.min() >= -1e-16


@pytest.mark.parametrize("scheme", [SCHEMES[0], SCHEMES[2], SCHEMES[7], SCHEMES[8], fm.NaiveHHT()], ids=str)
def test_the_readable_engine_takes_the_same_solver(scheme):
    system = beam(elements=40, gap=2e-6).assemble()
    engine, block = run(GeneralEngine, system, scheme, 100)
    assert engine.fixed.many is not None
    assert "W" not in vars(engine.fixed)  # no dense matrix was formed
    assert "blocks" not in vars(engine.fixed)
    _, other = run(CompiledEngine, system, scheme, 100)
    for name in ("gap", "velocity", "impulse"):
        x, y = getattr(block, name), getattr(other, name)
        assert np.abs(x - y).max() <= 1e-9 * np.abs(y).max(), name


def test_a_method_asked_for_by_name_is_used():
    system = beam(elements=40, gap=2e-6).assemble()
    engine, _ = run(CompiledEngine, system, fm.MoreauJean(), 1, ContactSolver("lemke"))
    assert not engine.contacts.many.address.any()
    assert engine.contacts.delassus.W_v_Lam.shape == (41, 41)


@pytest.mark.parametrize("engine_class", [CompiledEngine, GeneralEngine])
def test_the_tolerance_of_the_solver_is_kept(engine_class):
    solver = ContactSolver(tolerance=3e-8)
    engine, _ = run(engine_class, beam(elements=40, gap=2e-6).assemble(), fm.MoreauJean(), 70, solver)
    many = engine.fixed.many if engine_class is GeneralEngine else engine.many
    assert many.room.many.sets.setting[TOLERANCE] == 3e-8


def test_few_contacts_keep_the_dense_matrix():
    engine, _ = run(CompiledEngine, beam(elements=20).assemble(), fm.MoreauJean(), 1)
    assert not engine.contacts.many.address.any()


def test_a_problem_left_unsolved_names_its_contact():
    """An impossible tolerance: the failure names contact and residual in both engines."""
    system = beam(elements=40, gap=2e-6).assemble()
    solver = ContactSolver()
    object.__setattr__(solver, "tolerance", 1e-30)
    engine, _ = run(CompiledEngine, system, fm.MoreauJean(), 200, solver)
    readable, _ = run(GeneralEngine, system, fm.MoreauJean(), 200, solver)
    for failure in (engine.failure, readable.failure):
        assert isinstance(failure, NotConverged)
        assert failure.contact.startswith("floor0[")
        assert failure.residual > 1e-30
    assert engine.step == readable.step


@pytest.mark.parametrize("scheme", [fm.MoreauJean(), fm.GeneralizedAlpha(ggl=False), fm.GeneralizedAlpha()], ids=str)
def test_a_step_in_contact_costs_a_few_sets_whatever_the_size(scheme):
    """Landing and lying flat, without bounce: few sets are factored, ten times as many contacts or not."""
    for elements in (100, 1000):
        system = beam(elements=elements, e=0.0, gap=2e-6).assemble()
        engine, block = run(CompiledEngine, system, scheme, 120)
        assert engine.failure is None
        assert (block.impulse[-1] > 0.0).sum() >= 0.7 * (elements + 1)
        touching = (block.impulse > 0.0).any(axis=1).sum()
        assert engine.many.factorizations <= 10 * touching


def test_memory_goes_with_the_contacts_and_12000_run():
    system = beam(elements=12_000, e=0.0, gap=2e-6).assemble()
    assert system.contacts.nc == 12_001
    engine, block = run(CompiledEngine, system, fm.MoreauJean(), 70)
    assert engine.failure is None
    assert (block.impulse[-1] > 0.0).all()
    arrays = [
        *engine.many.room.many.border,
        *engine.many.room.many.sets,
        *engine.contacts.delassus,
        engine.contacts.response,
    ]
    assert max(x.size for x in arrays) < 40 * system.nv


def test_a_particle_between_many_planes_keeps_the_dense_matrix():
    """The rows of many contacts of one unknown are as long as they are many."""
    model = fm.Model()
    model.add(fm.Particle("ball", mass=1.0, velocity=(0, -1, 0)))
    for k in range(40):
        model.add(fm.NodePlane(f"plane{k}", node="ball", point=(0, -0.1 - 0.01 * k, 0), normal=(0, 1, 0)))
    assert not many_contacts.pays(model.assemble())
