"""Evaluations of forces: the same kind of number from every driver, as the work axis of studies needs it."""

from __future__ import annotations

import warnings

import pytest

import flexmb as fm


def run(case, *sets):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fm.RunWarning)  # of the tolerance that a step replaces
        return fm.load_case(case, ["time.end=0.2", *sets]).run().summary


@pytest.mark.parametrize(
    ("scheme", "stages"), [("dopri5", 6), ("rkf45", 6), ("phem56", 12), ("hem5", 16), ("radau-iia-5", None)]
)
def test_stages_are_counted(scheme, stages):
    summary = run("four_bar_half_explicit", f"scheme.name={scheme}", "time.step=0.01", "output.every=20")
    events = summary["events"]
    assert summary["evaluations"] == events["evaluations"]
    if stages is None:  # three stages in each iteration, and once more at the end
        assert events["evaluations"] == 3 * (events["solves"] - events["projections"] + 20) + events["projections"]
    else:  # the stages of twenty steps, and one evaluation for each projection
        assert events["evaluations"] == pytest.approx(20 * stages + events["projections"], abs=20)


@pytest.mark.parametrize("ggl", ["true", "false"])
def test_the_alpha_family_with_events_holds_joints_on_any_level(ggl):
    scheme = ["scheme.name=generalized-alpha", f"scheme.ggl={ggl}", "time.events=true"]
    summary = run("four_bar_half_explicit", *scheme, "time.step=0.005", "output.every=20")
    assert summary["events"]["steps"] == 40
    assert summary["evaluations"] >= 2 * 40  # at least a correction and a check in each step
    assert summary["energy"]["residual_max"] <= 1e-10


def test_compiled_steps_count_iterations_and_small_motion_counts_steps():
    large = run("four_bar", "time.step=0.002", "output.every=20")
    assert large["evaluations"] == large["newton_iterations"] + 100
    small = run("impact_oscillator", "time.step=0.002")
    assert small["evaluations"] == small["steps"] == 100
    assert small["cpu_time_s"] > 0.0


def test_moreau_steps_over_captured_impacts_are_counted():
    fixed = ("time.end=2.4", "time.step=0.1", "output.every=24")
    events = run("event_ball", *fixed, "scheme.name=radau-iia-3", "scheme.impacts=captured")["events"]
    assert events["critical_steps"] == 2
    # two stages of each step, before and after its one correction; start, correction and end of Moreau's step
    assert events["evaluations"] == 4 * events["solves"] + 3 * events["critical_steps"]
