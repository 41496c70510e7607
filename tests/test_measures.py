"""Distances of filled-in graphs against distances known by hand and against brute force; norms and fitted orders."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flexmb.analysis.measures import excess, fitted_order, graph_distance, grid_norm
from flexmb.errors import InputError


def sampled(t, x, n=40):
    """Return points all along a graph."""
    s = np.linspace(0.0, 1.0, n, endpoint=False)
    t2 = np.concatenate([(t[:-1, None] + s * np.diff(t)[:, None]).ravel(), t[-1:]])
    x2 = np.concatenate([(x[:-1, None] + s * np.diff(x)[:, None]).ravel(), x[-1:]])
    return t2, x2


def brute(t_a, a, t_b, b):
    """Return e(A, B) from below: points of A to *lines* of B."""
    p, x = sampled(t_a, a)
    worst = 0.0
    for s, y in zip(p, x, strict=True):
        best = np.inf
        for k in range(t_b.size - 1):
            u = np.linspace(0.0, 1.0, 201)
            d = np.maximum(np.abs(t_b[k] + u * (t_b[k + 1] - t_b[k]) - s), np.abs(b[k] + u * (b[k + 1] - b[k]) - y))
            best = min(best, d.min())
        worst = max(worst, best)
    return worst


def test_a_jump_that_comes_late_is_as_far_as_it_is_late():
    t = np.array([0.0, 0.5, 0.5, 1.0])
    late = np.array([0.0, 0.53, 0.53, 1.0])
    v = np.array([-1.0, -1.0, 1.0, 1.0])
    assert graph_distance(t, v, late, v) == pytest.approx(0.03, abs=1e-15)


def test_graphs_without_a_jump_are_as_far_apart_as_they_are():
    t = np.array([0.0, 1.0])
    assert graph_distance(t, np.array([0.0, 0.0]), t, np.array([0.2, 0.2])) == pytest.approx(0.2, abs=1e-15)


def test_shifting_a_line_of_slope_one_costs_half_the_shift():
    """The nearest point is reached by going half the way in t and half in x."""
    t = np.linspace(0.0, 10.0, 11)
    inner = (t[2:-2], t[2:-2] + 1.0)
    assert excess(*inner, t, t) == pytest.approx(0.5, abs=1e-14)


def test_the_filling_is_not_symmetric_in_excess():
    """A flat graph lies in the filled one, not the other way round."""
    t, flat = np.array([0.0, 1.0]), np.zeros(2)
    spike_t, spike = np.array([0.0, 0.5, 0.5, 0.5, 1.0]), np.array([0.0, 0.0, 0.7, 0.0, 0.0])
    assert excess(t, flat, spike_t, spike) == 0.0
    assert excess(spike_t, spike, t, flat) == pytest.approx(0.7, abs=1e-15)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_against_brute_force(seed):
    rng = np.random.default_rng(seed)

    def graph():
        n = int(rng.integers(2, 6))
        t = np.sort(rng.random(n))
        t[0], t[-1] = 0.0, 1.0
        k = int(rng.integers(0, n - 1))
        if rng.random() < 0.7:
            t[k + 1] = t[k] if k + 1 < n - 1 or n == 2 else t[k + 1]
        t[-1] = 1.0
        return t, rng.normal(size=n) * 0.5

    (t_a, a), (t_b, b) = graph(), graph()
    exact, rough = excess(t_a, a, t_b, b), brute(t_a, a, t_b, b)
    assert rough == pytest.approx(exact, abs=0.03)
    # points of A on a grid, points of B on a grid: off by half a grid width at most, either way
    assert excess(*sampled(t_a, a), t_b, b) == pytest.approx(exact, abs=1e-14)


def test_ten_thousand_vertices_take_no_time_to_speak_of_and_the_answer_is_known():
    t = np.linspace(0.0, 1.0, 10001)
    x = np.sin(200.0 * t)
    assert graph_distance(t, x, t, x) == 0.0
    assert graph_distance(t, 0.0 * t, t, 0.0 * t + 1e-3) == pytest.approx(1e-3, rel=1e-12)


def test_bad_graphs_are_refused():
    with pytest.raises(InputError, match="must not decrease"):
        excess(np.array([0.0, 1.0, 0.5]), np.zeros(3), np.array([0.0, 1.0]), np.zeros(2))
    with pytest.raises(InputError, match="equal length"):
        excess(np.zeros(2), np.zeros(3), np.zeros(2), np.zeros(2))
    with pytest.raises(InputError, match="finite"):
        excess(np.zeros(2), np.array([0.0, np.nan]), np.zeros(2), np.zeros(2))


def test_norms_by_hand():
    e = np.array([1.0, -2.0, 2.0])
    assert grid_norm(e, 0.5, 1) == 2.5
    assert grid_norm(e, 0.5, 2) == pytest.approx(np.sqrt(4.5))
    assert grid_norm(e, 0.5, np.inf) == 2.0
    assert grid_norm(np.array([[3.0, 4.0]]), 2.0, 1) == 10.0
    with pytest.raises(InputError, match="at least 1"):
        grid_norm(e, 0.5, 0.5)


def test_the_order_is_the_slope():
    h = np.array([0.1, 0.05, 0.02])
    assert fitted_order(h, 3.0 * h**1.7) == pytest.approx(1.7, abs=1e-13)
    with pytest.raises(InputError, match="two or more step sizes"):
        fitted_order(h[:1], h[:1])
    with pytest.raises(InputError, match="positive"):
        fitted_order(h, 0.0 * h)


def test_a_vertical_line_at_the_end_is_no_farther_than_it_is():
    """Distances that are differences of times leave spans of one float, whose middle is the time of the line."""
    late = np.array([0.2, 0.4, 0.6, 0.8, 1.0])
    t, x = np.array([-4.4, -4.2, -4.0, -4.0, -4.0]), np.array([0.1, 0.3, 0.2, 0.0, -0.2])
    assert excess(t, x, late, np.zeros(5)) == pytest.approx(4.6, rel=1e-15)
    rng = np.random.default_rng(5)
    for _ in range(200):
        t_a, t_b = np.sort(rng.integers(0, 6, 7) / 5.0), np.sort(rng.integers(10, 30, 4) / 5.0)
        t_a[-2:] = t_a[-1]
        a, b = rng.normal(size=7) * 0.1, rng.normal(size=4) * 0.1
        assert excess(t_a, a, t_b, b) == pytest.approx(t_b[0] - t_a[0], rel=1e-14)
        assert excess(t_b, b, t_a, a) == pytest.approx(t_b[-1] - t_a[-1], rel=1e-14)
