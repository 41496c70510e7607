"""Performance profiles by hand."""

import numpy as np
import pytest

from flexmb.analysis.measures import performance_profile
from flexmb.errors import InputError


def test_three_solvers_on_four_problems():
    """Ratios: A 1, 2, 4, 1; B 2, 1, failed, 3; C failed, 1, 1, failed."""
    costs = [[1.0, 2.0, np.nan], [8.0, 4.0, 4.0], [4.0, np.inf, 1.0], [5.0, 15.0, np.nan]]
    found = performance_profile(costs)
    np.testing.assert_array_equal(found.ratios, [[1, 2, np.inf], [2, 1, 1], [4, np.inf, 1], [1, 3, np.inf]])
    rho = found.rho(np.array([1.0, 1.99, 2.0, 3.0, 4.0, 1e9]))
    np.testing.assert_array_equal(rho[:, 0], [0.5, 0.5, 0.75, 0.75, 1.0, 1.0])
    np.testing.assert_array_equal(rho[:, 1], [0.25, 0.25, 0.5, 0.75, 0.75, 0.75])
    np.testing.assert_array_equal(rho[:, 2], [0.5, 0.5, 0.5, 0.5, 0.5, 0.5])
    tau, values = found.steps(1)
    assert (tau.tolist(), values.tolist()) == ([1.0, 2.0, 3.0], [0.25, 0.5, 0.75])


def test_a_problem_nobody_solved_counts_for_nobody():
    found = performance_profile([[np.nan, np.inf], [1.0, 1.0]])
    np.testing.assert_array_equal(found.rho(np.array([1.0, 1e300])), [[0.5, 0.5], [0.5, 0.5]])
    never = performance_profile([[np.nan, 1.0]])
    assert [list(x) for x in never.steps(0)] == [[1.0], [0.0]]


def test_a_cost_of_nothing_is_best():
    np.testing.assert_array_equal(performance_profile([[0.0, 0.0, 3.0]]).ratios, [[1.0, 1.0, np.inf]])


def test_bad_costs_are_refused():
    with pytest.raises(InputError, match="negative"):
        performance_profile([[-1.0, 2.0]])
    with pytest.raises(InputError, match="table"):
        performance_profile([1.0, 2.0])
