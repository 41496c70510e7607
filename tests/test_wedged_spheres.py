"""A step of 216 spheres that settle in a box, some wedged: its contact problem is solved to 1e-6, by small changes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from flexmb.drive import sparse_cones
from flexmb.drive.sparse_cones import GRADIENTS, SOON, TRIES, solve_wedged
from flexmb.nonsmooth import residual
from flexmb.nonsmooth.problem import ContactProblem
from flexmb.nonsmooth.sparse_newton import sparse_proximal

DATA = Path(__file__).parent / "data" / "contact_piles"


@pytest.fixture(scope="module")
def wedged() -> ContactProblem:
    return ContactProblem.load(DATA / "spheres_216.npz")


@pytest.mark.parametrize("sweeps", [0, 3000])
def test_spheres_that_are_wedged_are_solved(wedged, sweeps, monkeypatch) -> None:
    monkeypatch.setattr(sparse_cones, "SWEEPS", sweeps)
    P, taken, reached = solve_wedged(wedged, np.zeros(wedged.n), 1e-6)
    assert reached <= 1e-6
    assert residual(wedged, P) == pytest.approx(reached, rel=1e-6)
    assert taken <= sweeps + SOON + GRADIENTS + sum(systems for systems, _ in TRIES)


def test_gradients_solve_them_where_a_few_linear_systems_do_not(wedged, monkeypatch) -> None:
    monkeypatch.setattr(sparse_cones, "SWEEPS", 0)
    monkeypatch.setattr(sparse_cones, "TRIES", ())
    P, taken, reached = solve_wedged(wedged, np.zeros(wedged.n), 1e-6)
    assert reached <= 1e-6
    assert residual(wedged, P) == pytest.approx(reached, rel=1e-6)
    assert taken > 1000  # by gradients
    monkeypatch.setattr(sparse_cones, "GRADIENTS", 10)
    assert solve_wedged(wedged, np.zeros(wedged.n), 1e-6)[2] > 1e-6


def test_gradients_are_not_asked_where_w_is_unsymmetric(wedged, monkeypatch) -> None:
    monkeypatch.setattr(sparse_cones, "SWEEPS", 0)
    monkeypatch.setattr(sparse_cones, "TRIES", ())
    monkeypatch.setattr(sparse_cones, "UNSYMMETRIC", -1.0)
    assert solve_wedged(wedged, np.zeros(wedged.n), 1e-6)[1] <= SOON


def test_the_quick_schedule_alone_leaves_them(wedged) -> None:
    systems, how = TRIES[0]
    P, taken, reached = sparse_proximal(wedged, np.zeros(wedged.n), systems, 1e-6, how)
    assert reached > 1e-6
    assert residual(wedged, P) == pytest.approx(reached, rel=1e-6)
    assert taken == systems
