"""Impacts captured by critical steps of Moreau's scheme (RR-7151), and the hybrid of events and time stepping."""

from __future__ import annotations

import numpy as np
import pytest
from event_runs import Run, ball, fitted_order
from references import chain_of_balls, guide_clearance
from test_event_cases import oscillator

import flexmb as fm
from flexmb.drive.engine import Plan
from flexmb.drive.events.event_engine import EventEngine
from flexmb.drive.events.impacts import Instantly, NotUnique, require_unique
from flexmb.errors import InputError, NotConverged
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.record.plan_notes import notes_of

EXACT = 0.270954915280394, -0.331755062374764
"""E3 at t = 5: m = 1, c = 0.2, k = 4, e = 0.8, from 1 m at rest; impacts at 0.811, 2.384, 3.957."""


def error(run):
    return max(abs(run.block.gap[-1, 0] - EXACT[0]), abs(run.state.v[0] - EXACT[1]))


@pytest.mark.parametrize("method", [fm.RadauIIA3, fm.RadauIIA5, fm.LobattoIIIA2, fm.LobattoIIIA4, fm.LobattoIIIA6])
def test_captured_impacts_keep_the_order(method):
    steps = (41, 61, 89)
    runs = [Run(oscillator(), method(impacts="captured"), 5.0, n) for n in steps]
    assert fitted_order(steps, [error(r) for r in runs]) == pytest.approx(method.table.order, abs=0.2)
    assert all(r.counts["critical_steps"] == 3 for r in runs)
    assert max(r.unexplained for r in runs) < 1e-13


def test_a_longer_critical_step_errs_more():
    """The error of a critical step goes with its length: with C = 1e5 it is what is seen, with C = 1 it is not."""
    located = error(Run(oscillator(), fm.RadauIIA5(), 5.0, 61))
    short, long = (error(Run(oscillator(), fm.RadauIIA5("captured", C), 5.0, 61)) for C in (1.0, 1e5))
    assert short == pytest.approx(located, rel=0.02)
    assert long > 3.0 * located


def test_a_tolerance_chooses_steps_and_critical_length():
    runs = [Run(oscillator(), fm.RadauIIA5("captured"), 5.0, 5, tolerance=tol) for tol in (1e-4, 1e-6, 1e-8)]
    errors = [error(r) for r in runs]
    assert all(e < 30.0 * tol for e, tol in zip(errors, (1e-4, 1e-6, 1e-8), strict=True))
    assert errors[2] < 1e-2 * errors[0]


@pytest.mark.parametrize("impacts", ["located", "captured"])
def test_a_ball_comes_to_rest(impacts):
    run = Run(ball(), fm.LobattoIIIC4(impacts), 4.0, 97)
    assert run.failure is None
    assert abs(run.state.v[0]) < 1e-13
    assert abs(run.block.gap[-1, 0]) < 1e-12
    assert run.unexplained < 1e-13
    assert run.energy[-1, 1] + run.energy[-1, 0] == pytest.approx(0.0, abs=1e-12)


def test_wrong_words_are_refused():
    with pytest.raises(InputError, match="located"):
        fm.RadauIIA5(impacts="catched")
    with pytest.raises(InputError, match="critical"):
        fm.RadauIIA5(critical=0.0)
    with pytest.raises(InputError, match="most_events"):
        fm.Hybrid(most_events=1)
    with pytest.raises(InputError, match="phem56"):
        fm.Hybrid(integrator="euler")


def test_hybrid_slider_crank_with_clearance():
    """E12, smooth walls: error at most ten times the tolerance after nine impacts, two rests and two releases."""
    keys = ["contacts.above.friction=0.0", "contacts.below.friction=0.0"]
    system = fm.load_case("slider_crank_clearance", keys).plan.system
    run = Run(system, fm.Hybrid(), 0.05, 20, tolerance=1e-8)
    assert run.failure is None
    assert run.state.q[[2, 5]] == pytest.approx([4.799104509004, 0.525202733244], abs=1e-7)
    assert run.contact_work == pytest.approx(-0.090349994392, abs=1e-8)
    assert run.unexplained < 1e-12


def test_hybrid_slider_crank_with_clearance_and_friction():
    """The shipped case, mu = 0.01: against flights with located impacts, before they accumulate; and to its end."""
    system = fm.load_case("slider_crank_clearance").plan.system
    exact, hits = guide_clearance.flights(0.0088)
    run = Run(system, fm.Hybrid(), 0.0088, 8, tolerance=1e-8)
    assert run.failure is None
    np.testing.assert_allclose(np.unique(run.times("impact")), hits, rtol=0, atol=1e-7)
    np.testing.assert_allclose(run.state.q[[2, 5]], exact[:2], rtol=0, atol=1e-7)
    whole = Run(system, fm.Hybrid(), 0.02, 8, tolerance=1e-8)
    assert whole.failure is None
    assert whole.times("closing").size == whole.times("release").size == 2
    assert whole.unexplained < 1e-12


def test_hybrid_chain_of_balls():
    """To the end, through all impacts at three contacts until rest."""
    system = fm.load_case("chain_of_balls").plan.system
    run = Run(system, fm.Hybrid(), 1.5, 15, tolerance=1e-8)
    assert run.failure is None
    heights, _, hits = chain_of_balls.trajectory(np.linspace(0.0, 1.5, 16))
    np.testing.assert_allclose(run.block.probes[:, [2, 5, 8]], heights[1:], rtol=0, atol=1e-7)
    found = run.times("impact")
    assert found.size > 30
    np.testing.assert_allclose(found[:30], [t for t, _ in hits[:30]], rtol=0, atol=1e-7)
    assert run.block.probes[-1, [2, 5, 8]] == pytest.approx([0.1, 0.3, 0.5], abs=1e-12)
    assert run.impulses[0] == pytest.approx(44.145, rel=1e-9)
    assert run.unexplained < 1e-12


def test_hybrid_steps_over_clusters_of_impacts_and_comes_back():
    """With few events allowed the bounces of a ball are stepped over, and rest is held with events again."""
    scheme = fm.Hybrid(integrator="dopri5", most_events=2, shortest=1e-5)
    with pytest.warns(fm.RunWarning, match="first at t"):
        result = fm.simulate(ball(), scheme, step=0.1, end=4.0)
    switches = result.summary["switches"]
    assert [s["reason"] for s in switches] == ["clustered", "back"]
    assert switches[0]["time"] < 3.0 < switches[1]["time"] + 0.05
    assert result.summary["events"]["time_steps"] >= 3
    assert result.energy.total[-1] == pytest.approx(0.0, abs=1e-9)
    assert np.abs(result.energy.residual).max() < 1e-13
    assert result.energy.work_contact[-1] == pytest.approx(-2.0, abs=1e-4)


def test_hybrid_comes_back_where_samples_are_close_together():
    """Two steps of time stepping between samples: calm is counted over all of them, and snapshots hold the count."""
    run = Run(ball(), fm.Hybrid(integrator="dopri5", most_events=2, shortest=0.05), 6.0, 60)
    switches = run.engine.tally().switches
    assert run.failure is None
    assert [reason for _, reason, _ in switches] == ["clustered", "back"]
    first = int(np.ceil(switches[0][0] / 0.1)) + 1
    whole, other = EventEngine(run.engine.plan), EventEngine(run.engine.plan)
    whole.start()
    whole.advance(first)
    assert whole.motion.time_stepping
    other.restore(whole.snapshot(), first)
    whole.advance(20)
    other.advance(20)
    assert whole.tally().switches == other.tally().switches == switches


def test_hybrid_hands_friction_in_space_to_time_stepping():
    """A particle slides to rest on a rough floor: v0^2 / (2 mu g)."""
    model = fm.Model(gravity=(0, 0, -10.0))
    model.add(fm.Particle("puck", mass=1.0, position=(0, 0, 0), velocity=(0.3, 0.4, 0)))
    model.add(fm.NodePlane("floor", node="puck", normal=(0, 0, 1), friction=0.5))
    run = Run(model, fm.Hybrid(shortest=2e-4), 0.2, 10, signals=["puck.position"])
    assert run.failure is None
    assert [reason for _, reason, _ in run.engine.tally().switches] == ["space"]
    assert run.block.probes[-1] == pytest.approx([0.6 * 0.025, 0.8 * 0.025, 0.0], abs=2e-5)
    assert run.unexplained < 1e-13
    with pytest.raises(InputError, match="floor"):
        fm.simulate(model, fm.Phem56(), step=0.02, end=0.2)


def puck(friction=0.5):
    model = fm.Model(gravity=(0, 0, -10.0))
    model.add(fm.Particle("puck", mass=1.0, position=(0, 0, 0), velocity=(3.0, 4.0, 0)))
    model.add(fm.NodePlane("floor", node="puck", normal=(0, 0, 1), friction=friction))
    return model


@pytest.mark.parametrize("span", [0.05, 1.0, 20.0])
def test_the_number_of_time_steps_is_bounded_by_the_run(span):
    """At most 1e5 time steps; 5e-7 s for the thesis' runs of 0.05 s."""
    for h, tolerance in ((span / 1000, 0.0), (span / 1000, 1e-8)):
        assert fm.Hybrid().time_step(h, span, tolerance) == pytest.approx(span / 1e5)
        assert fm.Hybrid(shortest=5e-7).time_step(h, span, tolerance) == pytest.approx(max(5e-7, span * tolerance))
    assert fm.Hybrid().time_step(0.1, span, 1e-3) == pytest.approx(span * 1e-3)
    motion = Run(puck(), fm.Hybrid(shortest=0.02), 0.04, 2).engine.motion
    assert motion.h_steps == 0.02


def test_time_steps_are_not_longer_than_the_steps_of_the_run():
    """With a step of 1e-4 s and an end at 100 s they were 1e-3 s long; the note states length and number."""
    assert fm.Hybrid().time_step(1e-4, 100.0, 0.0) == 1e-4
    assert fm.Hybrid(shortest=1e-2).time_step(1e-3, 1.0, 0.0) == 1e-3
    assert fm.Hybrid().time_step(1e-4, 100.0, 1e-3) == 1e-4
    plan = Plan(puck().assemble(), fm.Hybrid(), ContactSolver(), 1e-4, 0.0, 10**6, 1, 10**6, 0.0, True)
    (said,) = notes_of(plan)
    assert "steps of 0.0001 s" in said
    assert "1e+06 steps" in said


def test_many_time_steps_are_noted_before_the_run():
    told = []
    for model in (puck(), puck(0.0)):
        plan = Plan(model.assemble(), fm.Hybrid(), ContactSolver(), 1e-2, 0.0, 100, 1, 100, 1e-8, True)
        told.append(notes_of(plan))
    assert told[1] == ()
    (said,) = told[0]
    assert all(word in said for word in ("floor", "steps of 1e-05 s", "1e+05 steps", "scheme.shortest"))
    few = Plan(puck().assemble(), fm.Hybrid(shortest=1e-3), ContactSolver(), 1e-2, 0.0, 100, 1, 100, 1e-8, True)
    assert notes_of(few) == ()


def test_progress_of_runs_with_events_is_shown_after_the_first_interval():
    seen = []
    fm.simulate(puck(), fm.Hybrid(shortest=1e-3), step=1e-2, end=0.1, progress=lambda done, of: seen.append(done))
    assert seen[0] == 1
    assert seen[-1] == 10


def test_a_problem_that_fails_is_stepped_over_and_booked_once(monkeypatch):
    tries, solve = [], Instantly.impact

    def fails(self, contacts):
        tries.append(self.here.t)
        if len(tries) == 2:
            raise NotConverged("no", time=self.here.t, step=-1, contact="floor")
        return solve(self, contacts)

    monkeypatch.setattr(Instantly, "impact", fails)
    run = Run(ball(), fm.Hybrid(shortest=1e-5), 2.4, 60)
    assert run.failure is None
    first, second = run.engine.tally().switches[:2]
    assert first[1:] == ("unsolved", "floor")
    assert first[0] == pytest.approx(2.0, abs=1e-12)  # where the step has landed, not where it began
    assert second[1] == "back"
    assert run.unexplained < 1e-13
    assert run.block.gap[-1, 0] == pytest.approx(0.5 * 0.4 - 0.4**2, abs=2e-5)


def test_a_run_goes_on_in_the_middle_of_time_stepping_with_the_same_bits():
    scheme = fm.Hybrid(integrator="dopri5", most_events=2, shortest=1e-3)
    whole = Run(ball(), scheme, 4.0, 160).engine
    part = Run(ball(), scheme, 4.0, 160).engine
    stepping = [n for n in range(1, 160) if whole.tally().switches[0][0] < 0.025 * n < whole.tally().switches[1][0]]
    assert stepping
    fresh = type(part)(part.plan)
    fresh.start()
    fresh.advance(stepping[0])
    kept = fresh.snapshot()
    assert kept["mode"][1] == 1.0
    part.restore(kept, stepping[0])
    part.advance(160)
    np.testing.assert_array_equal(part.motion.state.q, whole.motion.state.q)
    assert part.tally().switches == whole.tally().switches


def test_hybrid_names_painleve_where_slip_has_no_unique_forces():
    """The rod of the case painleve_rod, mu = 2: W_NN - mu |W_NT| = -0.85, from the start on."""
    keys = ["scheme={name='hybrid', shortest=1e-4}", "time.end=0.002"]
    with pytest.warns(fm.RunWarning, match="Painleve"):
        result = fm.load_case("painleve_rod", keys).run()
    first = result.summary["switches"][0]
    assert (first["time"], first["reason"], first["contact"]) == (0.0, "painleve", "floor")


def test_minors_decide_whether_slip_has_unique_forces():
    """All principal minors above zero: a positive definite matrix, a skew part added, one with a wrong corner."""
    system = ball().assemble()
    both = np.ones(2, dtype=bool)
    pair = np.zeros(2, dtype=np.int64)
    require_unique(system, 0.0, pair, np.array([[2.0, 1.0], [1.0, 1.0]]), both)
    require_unique(system, 0.0, pair, np.array([[1.0, 5.0], [-5.0, 1.0]]), both)
    require_unique(system, 0.0, pair[:1], np.array([[-1.0]]), ~both[:1])
    for W in (np.array([[1.0, 2.0], [2.0, 1.0]]), np.array([[-1.0]])):
        with pytest.raises(NotUnique, match="floor"):
            require_unique(system, 0.0, pair[: len(W)], W, both[: len(W)])
