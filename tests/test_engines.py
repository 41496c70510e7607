"""The compiled loop is held to the readable step, and both are deterministic and can be taken up again."""

import numpy as np
import pytest
from runs import COMPILED, MEMBERS, label, run
from systems import bar_system, random_system

from flexmb.drive import Plan
from flexmb.drive.compiled import CompiledEngine
from flexmb.drive.general import GeneralEngine
from flexmb.errors import InputError, NotConverged
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.schemes import GeneralizedAlpha, MoreauJean

COLUMNS = ("probes", "gap", "velocity", "impulse", "energy")


def assert_same(one, two, tolerance):
    for name in COLUMNS:
        a, b = getattr(one, name), getattr(two, name)
        scale = max(np.abs(a).max(initial=0.0), 1.0)
        np.testing.assert_allclose(a, b, rtol=0, atol=tolerance * scale, err_msg=name)


@pytest.mark.parametrize("scheme", COMPILED, ids=label)
@pytest.mark.parametrize(("seed", "spin"), [(0, False), (2, False), (1, True), (5, True)])
def test_compiled_equals_readable(scheme, seed, spin):
    """Damping, two loads, a moving plane, three contacts, every tenth step kept as a field; with and without spin."""
    s = random_system(seed, spin=spin)
    steps = 12 if scheme.name == "naive-hht" else 80  # the naive scheme amplifies round-off without bound
    one, a = run(s, scheme, 0.01, steps, "general", fields_every=10)
    two, b = run(s, scheme, 0.01, steps, "compiled", fields_every=10)
    assert a.failure is b.failure is None
    assert one.impulse.any()
    assert_same(one, two, 1e-9)
    np.testing.assert_allclose(one.field_q, two.field_q, rtol=0, atol=1e-9)
    np.testing.assert_allclose(one.field_impulse.sum(0), two.field_impulse.sum(0), rtol=0, atol=1e-9)
    ta, tb = vars(a.tally()), vars(b.tally())
    for key in ("steps", "min_gap", "gain_max", "energy_max", "contact_steps"):
        assert ta[key] == pytest.approx(tb[key], rel=1e-7, abs=1e-9), key


@pytest.mark.parametrize("scheme", COMPILED, ids=label)
def test_compiled_equals_readable_on_the_bar(scheme):
    steps = 260 if scheme.name == "naive-hht" else 400
    s = bar_system(40, gap=5.003)
    one, _ = run(s, scheme, 2e-3, steps, "general")
    two, _ = run(s, scheme, 2e-3, steps, "compiled")
    assert one.impulse.sum() > 1.0
    assert_same(one, two, 1e-8)


@pytest.mark.parametrize("engine", [CompiledEngine, GeneralEngine])
@pytest.mark.parametrize("scheme", COMPILED, ids=label)
def test_blocks_and_snapshots_do_not_change_a_bit(scheme, engine):
    s = random_system(4)
    plan = Plan(s, scheme, ContactSolver(), 0.01, 0.0, 60, 7, 20)
    whole = engine(plan)
    start, rest = whole.start(), whole.advance(60)

    first = engine(plan)
    first.start()
    early = first.advance(23)
    saved = first.snapshot()
    first.advance(10)  # what happens after the snapshot must not leak into it
    again = engine(plan)
    again.restore(saved, 23)
    late = again.advance(60)
    for name in COLUMNS:
        both = np.concatenate([getattr(early, name), getattr(late, name)])
        assert np.array_equal(both, getattr(rest, name)), name
    assert repr(again.tally()) == repr(whole.tally())
    assert start.step.tolist() == [0]
    assert rest.step.tolist() == [7, 14, 21, 28, 35, 42, 49, 56, 60]
    assert rest.field_step.tolist() == [20, 40, 60]


@pytest.mark.parametrize("scheme", [MoreauJean(), GeneralizedAlpha()], ids=label)
def test_sparser_samples_keep_all_impulses_and_works(scheme):
    s = random_system(2)
    fine, _ = run(s, scheme, 0.01, 90)
    coarse, _ = run(s, scheme, 0.01, 90, every=8)
    np.testing.assert_allclose(coarse.impulse.sum(0), fine.impulse.sum(0), rtol=1e-13)
    rows = np.searchsorted(fine.step, coarse.step)
    np.testing.assert_array_equal(coarse.energy[:, :6], fine.energy[rows, :6])
    np.testing.assert_array_equal(coarse.gap, fine.gap[rows])


def test_steps_leave_their_input_alone_and_repeat_bit_for_bit():
    s = random_system(6)
    for scheme in MEMBERS:
        fixed = scheme.prepare(s, 0.01)
        state = s.initial_state(0.0)
        memory = scheme.start(s, state, 0.01, fixed, ContactSolver())
        q, v, kept = state.q.copy(), state.v.copy(), [a.copy() for a in vars(memory).values()]
        one, m1, r1 = scheme.step(s, state, 0.01, memory, fixed, ContactSolver())
        two, m2, r2 = scheme.step(s, state, 0.01, memory, fixed, ContactSolver())
        assert np.array_equal(state.q, q)
        assert np.array_equal(state.v, v)
        assert all(np.array_equal(a, b) for a, b in zip(kept, vars(memory).values(), strict=True))
        assert np.array_equal(one.q, two.q)
        assert np.array_equal(one.v, two.v)
        assert np.array_equal(m1.vectors, m2.vectors)
        assert repr(r1) == repr(r2)


@pytest.mark.parametrize("engine", ["compiled", "general"])
@pytest.mark.parametrize("scheme", [MoreauJean(), GeneralizedAlpha()], ids=label)
def test_a_solver_that_fails_names_time_contact_and_residual(scheme, engine):
    s = random_system(0)
    block, motor = run(s, scheme, 0.01, 80, engine, solver=ContactSolver("pgs", tolerance=1e-14, max_iterations=1))
    failure = motor.failure
    assert isinstance(failure, NotConverged)
    assert failure.contact in ("c0", "c1", "c2")
    assert failure.residual > 1e-14
    assert failure.step == block.step[-1] + 1
    assert failure.time == pytest.approx(0.01 * failure.step)
    assert f"step {failure.step}" in str(failure)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("engine", ["compiled", "general"])
def test_overflow_is_an_error_and_keeps_what_came_before(engine):
    class Blows:
        def value(self, t):
            return np.where(np.asarray(t) > 0.055, 1e300, 0.0)

        def rate(self, t):
            return np.zeros_like(np.asarray(t, dtype=float))

    from systems import Load, system

    s = system(np.eye(2), np.eye(2), loads=[Load("f", np.array([1e10, 0.0]), Blows())])
    block, motor = run(s, GeneralizedAlpha(), 0.01, 50, engine)
    assert "not a finite number" in str(motor.failure)
    assert block.step[-1] == motor.failure.step - 1 == 5
    assert np.isfinite(block.energy).all()


def test_kernels_run_the_same_as_plain_python():
    """With jit off the same sources run interpreted: same numbers, so nothing depends on the compiler."""
    import os
    import subprocess
    import sys
    from pathlib import Path

    script = """
import sys; sys.path.insert(0, sys.argv[1])
import numpy as np
from runs import COMPILED, run
from systems import random_system
for scheme in COMPILED:
    block, motor = run(random_system(0), scheme, 0.01, 8)
    assert motor.failure is None
    print(repr(float(np.abs(block.energy).sum() + np.abs(block.probes).sum() + block.impulse.sum())))
"""
    here = str(Path(__file__).parent)
    answers = []
    for off in ("0", "1"):
        env = {**os.environ, "NUMBA_DISABLE_JIT": off}
        done = subprocess.run(
            [sys.executable, "-c", script, here], env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr[-2000:]
        answers.append([float(x) for x in done.stdout.split()])
    assert len(answers[0]) == len(COMPILED)
    np.testing.assert_allclose(answers[0], answers[1], rtol=1e-9)


def test_compiled_equals_readable_with_beams_springs_and_dampers():
    """Deformation modes and corrected solves: a beam over a floor, a mass hung on it."""
    import flexmb as fm

    model = fm.Model(gravity=(0, -9.81, 0))
    beam = model.add(
        fm.Beam(
            "b",
            length=1.0,
            elements=12,
            section={"shape": "rectangle", "width": 0.02, "height": 0.03},
            material={"young": 2.1e9, "density": 7800.0},
            supports=[{"node": "first", "kind": "clamped"}],
            damping=(0.5, 1e-5),
        )
    )
    model.add(fm.Particle("p", 1.0, position=(1, 1, 0), axes="y", velocity=(0, -1, 0)))
    model.add(fm.Spring("s", node="p", node2=beam.last, stiffness=3e3, length=0.9))
    model.add(fm.Damper("d", node="p", node2=beam.last, coefficient=3.0))
    model.add(fm.NodePlane("f", nodes="b.all", point=(0, -1e-3, 0), normal=(0, 1, 0), restitution=0.3))
    for scheme in (MoreauJean(0.6), GeneralizedAlpha(), GeneralizedAlpha(ggl=False)):
        one, two = (fm.simulate(model, scheme, step=1e-3, end=0.2, engine=e) for e in ("compiled", "general"))
        assert one.summary["contact_steps"] == two.summary["contact_steps"] > 3
        for name in ("b.last.position", "p.velocity"):
            np.testing.assert_allclose(one.signals[name], two.signals[name], rtol=0, atol=1e-12)
        np.testing.assert_allclose(one.energy.total, two.energy.total, rtol=0, atol=1e-10)


def test_a_weak_spring_on_a_stiff_bar_is_felt():
    """Its share of a row of K is below 1e-12; the bar swings on it all the same."""
    import flexmb as fm

    model = fm.Model()
    bar = model.add(
        fm.Bar("b", length=1.0, elements=20000, area=1e-4, young=210e9, density=7800.0, velocity=(1.0, 0, 0))
    )
    model.add(fm.Spring("s", node=bar.first, direction=(1, 0, 0), stiffness=0.5))
    system = model.assemble()
    assert not system.laplacian
    result = fm.simulate(model, MoreauJean(), step=0.01, end=3.0)
    omega = np.sqrt(0.5 / (7800.0 * 1e-4))
    np.testing.assert_allclose(result.signals["b.last.velocity"][:, 0], np.cos(omega * result.time), rtol=0, atol=1e-4)


def test_checkpoint_of_another_engine_is_refused():
    from flexmb.drive.simulate import run as run_plan
    from flexmb.record.result import MemorySink
    from flexmb.record.samples import Checkpoint

    plan = Plan(random_system(0), MoreauJean(), ContactSolver(), 0.01, 0.0, 60, 1, 20)
    first = GeneralEngine(plan)
    first.start()
    first.advance(10)
    point = Checkpoint(10, 11, 1, first.snapshot(), "general")
    with pytest.raises(InputError, match="checkpoint.*general engine"):
        run_plan(plan, MemorySink(), resume=point)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("scheme", [MoreauJean(), GeneralizedAlpha(), GeneralizedAlpha(ggl=False)], ids=label)
@pytest.mark.parametrize("engine", ["compiled", "general"])
def test_overflow_in_contact_is_a_failure_of_the_run(scheme, engine):
    class Blows:
        def value(self, t):
            return np.where(np.asarray(t) > 0.055, -np.inf, -1.0)

        def rate(self, t):
            return np.zeros_like(np.asarray(t, dtype=float))

    from systems import Load, contacts, system

    con = contacts(2, np.eye(2)[:, :1], g0=[0.0], e=[0.0])
    s = system(np.eye(2), np.eye(2), loads=[Load("f", np.array([1.0, 0.0]), Blows())], con=con)
    _, motor = run(s, scheme, 0.01, 50, engine)
    assert "not a finite number" in str(motor.failure)
    assert motor.failure.step == 6
