"""The benchmark of integrators: both right-hand sides are the same, and its tables hold what they say."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

import integrators
import scipy_mechanisms as scipy_side


def test_both_right_hand_sides_of_the_linkage_agree():
    y = scipy_side.projected(np.array([*scipy_side.START[:3], 0.3, 0.2, -0.4]))
    np.testing.assert_allclose(scipy_side.scalar_rates(0.0, y), scipy_side.array_rates(0.0, y), rtol=0, atol=1e-12)
    g, G = scipy_side.loop(y[:3])
    assert np.abs(np.concatenate([g, G @ y[3:]])).max() < 1e-14


def test_an_impact_on_the_wall_reverses_one_mass_and_costs_energy():
    y = np.array([0.0, 0.4, -1.0, 0.5])
    after = scipy_side.after_impact(y, lower=False)
    assert after[0] == pytest.approx(0.1)  # the upper mass stands at the wall
    M = np.array([[2.0, np.cos(0.4)], [np.cos(0.4), 1.0]])
    assert after @ M @ after < y[2:] @ M @ y[2:]


def test_programs_reach_the_error_and_ratios_are_to_the_last_row(capsys):
    programs = {program.name: program for program in integrators.four_bar()}
    ours, theirs = (programs[name] for name in ("flexmb dopri5", "DOP853, three angles, scalar"))
    rows = [integrators.measured(program, scipy_side.FOUR_BAR, 1e-4, 1) for program in (ours, theirs)]
    assert all(row.error <= 1e-4 and row.seconds > 0.0 and row.evaluations > 100 for row in rows)
    integrators.table("linkage", rows)
    lines = capsys.readouterr().out.splitlines()[-2:]
    assert [line.split()[-2] for line in lines] == [f"{rows[0].seconds / rows[1].seconds:.1f}", "1.0"]
    with pytest.raises(ValueError, match="no tolerance"):
        integrators.measured(theirs, scipy_side.FOUR_BAR + 1.0, 1e-4, 1)


def test_scipy_passes_five_impacts():
    q, evaluations = scipy_side.pendulum(1e-9)
    np.testing.assert_allclose(q, scipy_side.PENDULUM, rtol=0, atol=1e-9)
    assert evaluations > 100
