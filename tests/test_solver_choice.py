"""Which methods the default solver takes on the shipped problems: iterations and methods, never times."""

from __future__ import annotations

import numpy as np
import pytest

from flexmb.kernels.cones.cone_limits import TRIAL_SYSTEMS
from flexmb.kernels.cones.cone_rows import sparse_rows
from flexmb.kernels.cones.cone_worth import SHORT, WORTH, dense_price, sweep_while_worth
from flexmb.kernels.lcp.lcp_newton import PATIENCE, SETS, iterate_sets
from flexmb.nonsmooth import ContactSolver, read_problem
from flexmb.nonsmooth.problem import kernel_arrays
from flexmb.shipped_data import shipped_folder


def shipped(name):
    return read_problem(shipped_folder("cases") / "contact_problems" / f"{name}.npz")


@pytest.mark.parametrize("name", ["peeling_beam_23", "peeling_beam_51"])
def test_index_sets_without_progress_give_way_to_pivots(name) -> None:
    problem = shipped(name)
    W, b, z = kernel_arrays(problem, np.zeros(problem.n))
    sets, solved = iterate_sets(W, b, z, SETS, PATIENCE)
    assert not solved
    assert sets <= 3
    pivots = ContactSolver("lemke").solve(problem).iterations
    assert ContactSolver().solve(problem).iterations == sets + pivots


def test_sweeps_go_on_where_linear_systems_cost_more() -> None:
    """A wall of bricks: sweeps, a few systems of Newton's method that bring nothing, and sweeps to the end."""
    problem = shipped("wall_of_bricks_120")
    W, b, P = kernel_arrays(problem, np.zeros(problem.n))
    rows, blocks = sparse_rows(W), (problem.shape.copy(), problem.start, problem.law)
    made = 0
    for worth in (SHORT, WORTH):
        k, residual = sweep_while_worth(
            rows, b, problem.scales, *blocks, P, P.copy(), dense_price(problem.n), worth, 1e-10
        )
        made += k
    assert residual <= 1e-10
    assert ContactSolver().solve(problem).iterations == made + TRIAL_SYSTEMS
