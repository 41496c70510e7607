"""Moreau-Jean by tolerance on mechanisms: its error estimate with joints, order, impacts, ledger, resumed bits."""

from __future__ import annotations

import numpy as np
import pytest
from multibody_models import double_pendulum, four_bar, four_bar_angles, pendulum, plan_of

import flexmb as fm
from flexmb.drive.adaptive import AdaptiveEngine
from flexmb.drive.choose_engine import choose_engine
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.state import State

MOREAU = fm.MoreauJean()
END = np.array([0.2701647216739, -1.2613123892181, 3.8602783870458])
"""Angles of the four-bar at t = 2 (Haddouni 2015, table 3.2, integrated by DOP853 at 1e-13)."""


def test_the_estimate_is_the_error_of_a_step() -> None:
    """Of a pendulum with joints on the velocity level, beside two hundred small steps."""
    system = pendulum().assemble()
    before = State(0.0, system.start, system.v0 + 0.0)

    def moved(h, steps):
        fixed = MOREAU.prepare(system, h)
        state, memory = before, MOREAU.start(system, before, h, fixed, ContactSolver())
        first = memory
        for _ in range(steps):
            state, memory, _ = MOREAU.step(system, state, h, memory, fixed, ContactSolver())
        return state, first, memory

    for h in (0.04, 0.02):
        (coarse, first, last), (fine, _, _) = moved(h, 1), moved(h / 200, 200)
        estimate = MOREAU.position_error(system, before, coarse, first, last, h)
        error = coarse.q[:3] - fine.q[:3]
        np.testing.assert_allclose(np.abs(estimate).max(), np.abs(error).max(), rtol=0.6)
        assert np.abs(estimate).max() < 2.0 * h**3


@pytest.mark.parametrize("scheme", [MOREAU, fm.MoreauJeanDissipative(theta=0.5)])
def test_the_error_falls_with_the_tolerance(scheme) -> None:
    """Local error h^3 = tolerance: the error of the run goes with tolerance^(2/3), steps with tolerance^(-1/3)."""
    tolerances, errors, counts = (1e-4, 1e-5, 1e-6), [], []
    for tolerance in tolerances:
        engine = choose_engine(plan_of(four_bar().assemble(), scheme, 0.1, 20, tolerance=tolerance))
        assert isinstance(engine, AdaptiveEngine)
        engine.start()
        engine.advance(20)
        assert engine.failure is None
        q, v = engine.state.q[None, : engine.system.nq], engine.state.v[None]
        errors.append(np.abs(four_bar_angles(q, v)[0] - END).max())
        counts.append(engine.tally().steps_taken)
    assert np.polyfit(np.log(tolerances), np.log(errors), 1)[0] == pytest.approx(2.0 / 3.0, abs=0.2), errors
    assert np.polyfit(np.log(tolerances), np.log(counts), 1)[0] == pytest.approx(-1.0 / 3.0, abs=0.08), counts


def test_impacts_are_found_and_the_ledger_closes() -> None:
    """Five impacts of the double pendulum at its wall (Potra et al. 2006)."""
    result = fm.simulate(double_pendulum(restitution=0.1), MOREAU, end=2.5, tolerance=1e-5, interval=0.05)
    assert np.abs(result.energy.residual).max() < 1e-12 * np.abs(result.energy.total).max()
    gaps = np.stack([contact.gap for contact in result.contacts.values()])
    assert gaps.min() > -1e-4
    assert result.summary["steps_taken"] > result.summary["steps"]


def test_resumed_runs_have_the_same_bits() -> None:
    plan = plan_of(pendulum(wall=0.3).assemble(), MOREAU, 0.05, 20, tolerance=1e-5)
    whole, half, rest = choose_engine(plan), choose_engine(plan), choose_engine(plan)
    for engine, steps in ((whole, 20), (half, 9)):
        engine.start()
        engine.advance(steps)
    rest.restore(half.snapshot(), 9)
    rest.advance(11)
    for name, value in whole.snapshot().items():
        np.testing.assert_array_equal(rest.snapshot()[name], value, err_msg=name)


def test_the_compiled_engine_refuses_it() -> None:
    with pytest.raises(fm.InputError) as caught:
        choose_engine(plan_of(four_bar().assemble(), MOREAU, 0.1, 2, tolerance=1e-4), "compiled")
    assert "moreau-jean" in str(caught.value)
    assert "general" in str(caught.value)
