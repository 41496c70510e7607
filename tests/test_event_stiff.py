"""Stiff models with events: fast modes that steps do not resolve."""

from __future__ import annotations

import numpy as np
import pytest
from event_runs import Run

import flexmb as fm
from flexmb.drive.events.event_engine import EventEngine


def released_bar(elements=100):
    """Return a bar clamped at its far end, compressed by 20 N at its near one and released 50 mm above a stop.

    E A = 900 N, rho A = 1 kg/m: c = 30 m/s, impedance 30 N s/m; the end returns with 2/3 m/s from 2/9 m.
    """
    model = fm.Model(initial_static=("pull",))
    given = {"section": {"area": 1.0}, "material": {"young": 900.0, "density": 1.0}}
    clamped = [{"node": "last", "kind": "clamped"}]
    model.add(fm.Bar("bar", length=10.0, elements=elements, supports=clamped, **given))
    model.add(fm.NodePlane("stop", node="bar.first", point=(-0.05, 0, 0), normal=(1, 0, 0)))
    model.add(fm.NodalForce("pull", node="bar.first", force=(20.0, 0, 0)))
    return model


@pytest.mark.parametrize(("elements", "steps"), [(100, 160), (50, 60)])
def test_a_released_bar_hits_a_stop_with_steps_far_above_its_fastest_period(elements, steps):
    """Closed form: contact from 0.4083 to 0.6667 s with 20 N, 5.167 N s in all; h omega is 15 and 13."""
    run = Run(released_bar(elements), fm.GeneralizedAlpha(rho_inf=0.9), 2.4, steps)
    assert run.failure is None
    times, P = run.engine.plan.h * (1 + np.arange(steps)), run.block.impulse[:, 0]
    assert run.times("impact")[0] == pytest.approx((2.0 / 9.0 + 0.05) * 1.5, abs=2e-3)
    assert P[times < 1.2].sum() == pytest.approx(20.0 * (2.0 / 3.0 - 0.408333), rel=0.12)
    assert P.min() >= 0.0
    assert run.block.gap.min() > -1e-12
    total = run.energy[:, 0] + run.energy[:, 1]
    assert np.diff(total).max() <= 1e-12
    assert run.unexplained < 1e-13
    assert run.counts["count"] < 20


def test_a_contact_the_step_decides_about_is_part_of_a_snapshot():
    whole = Run(released_bar(), fm.GeneralizedAlpha(rho_inf=0.9), 2.4, 60).engine
    first, second = EventEngine(whole.plan), EventEngine(whole.plan)
    first.start()
    while not first.motion.undecided.any():
        first.advance(1)
        assert first.step < 60
    second.restore(first.snapshot(), first.step)
    second.advance(60)
    np.testing.assert_array_equal(second.motion.state.q, whole.motion.state.q)


def test_a_beam_released_above_a_stop_lies_on_it():
    """The tip arrives at 35.098 ms (modal sum) and stays, e = 0, for longer than 0.7 ms; h omega is above 1000."""
    keys = ["time.events=true", "time.step=2e-5", "time.end=0.0358", "scheme={name='generalized-alpha', rho_inf=0.9}"]
    result = fm.load_case("beam_on_stop", keys).run()
    assert result.summary["event_list"][0][0] == pytest.approx(0.0350982, abs=2e-6)
    after = result.time > 0.0351
    assert np.abs(result.contacts["stop"].gap[after]).max() < 1e-12
    assert result.contacts["stop"].impulse.min() >= 0.0
    assert np.diff(result.energy.total).max() < 1e-8
