"""The complementarity kernels against enumeration, planted solutions, each other, and plain Python."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from flexmb.kernels.lcp.lcp import (
    LEMKE,
    NEWTON,
    PGS,
    lcp_residual,
    lcp_worst,
    solve_lcp,
    solve_lemke,
    solve_newton,
    solve_pgs,
)
from flexmb.kernels.lcp.lcp_active import eliminate, solve_active, substitute
from flexmb.kernels.lcp.lcp_lemke import _pivot_to_end, _start

EXACT = (NEWTON, LEMKE)
properties = settings(max_examples=60, deadline=None, derandomize=True)
seeds = st.integers(0, 2**32 - 1)


def twin(W, b, z):
    """The judge in three lines of numpy."""
    rho = np.where(np.diag(W) > 0, np.diag(W), 1.0)
    scale = np.abs(b).max() + 1e-5 * (rho * np.abs(z)).max()
    return np.abs(np.minimum(rho * z, W @ z + b)).max() / scale


def run(W, b, method, z0=None, max_iter=0, tol=1e-10):
    z = np.zeros(b.size) if z0 is None else np.array(z0, float)
    iterations, residual = solve_lcp(W, b, z, method, max_iter, tol)
    assert residual == lcp_residual(W, b, z)
    return z, W @ z + b, iterations, residual


def solved(W, b, method, limit=2e-14, z0=None):
    z, w, _, residual = run(W, b, method, z0)
    assert residual <= limit
    assert z.min() >= 0.0
    return z, w


def planted(W, rng, degenerate=0.2):
    """Give W a right-hand side with a known solution; some contacts with z = w = 0."""
    kind = rng.random(W.shape[0])
    z = np.where(kind < 0.5, rng.uniform(0.1, 1.0, kind.size), 0.0)
    w = np.where(kind > 0.5 + degenerate, rng.uniform(0.1, 1.0, kind.size), 0.0)
    return w - W @ z, z, w


def singular(rng, n, rank):
    A = rng.normal(size=(rank, n))
    return A.T @ A


def nonsymmetric(rng, n, skew=1.0):
    A, B = rng.normal(size=(2, n, n))
    return A @ A.T / n + 0.2 * np.eye(n) + skew * (B - B.T) / np.sqrt(n)


def spring_chain(n, stiffness):
    return np.linalg.inv(np.eye(n) + stiffness * (2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)))


def enumerate_w(W, b):
    """Try every index set; return the w of the best one."""
    best, answer = np.inf, None
    for mask in itertools.product((False, True), repeat=b.size):
        A = np.flatnonzero(mask)
        z = np.zeros(b.size)
        z[A] = np.linalg.lstsq(W[np.ix_(A, A)], -b[A], rcond=None)[0]
        w = W @ z + b
        violation = max(-z.min(), -w.min(), np.abs(z * w).max())
        if violation < best:
            best, answer = violation, w
    assert best < 1e-9
    return answer


# The judge.


@properties
@given(seeds, st.integers(1, 12))
def test_residual_is_its_numpy_twin(seed, n):
    rng = np.random.default_rng(seed)
    W, b, z = rng.normal(size=(n, n)), rng.normal(size=n), rng.normal(size=n)
    W[0, 0] = 0.0
    row, residual = lcp_worst(W, b, z)
    assert residual == pytest.approx(twin(W, b, z), rel=1e-13)
    assert row == np.argmax(np.abs(np.minimum(np.where(np.diag(W) > 0, np.diag(W), 1.0) * z, W @ z + b)))
    assert lcp_worst.py_func(W, b, z) == (row, pytest.approx(residual, rel=1e-13))
    assert lcp_residual(W, b, z) == residual


def test_residual_has_no_unit():
    W, b, z = np.array([[2.0, 1.0], [1.0, 3.0]]), np.array([-1.0, 0.5]), np.array([0.4, 0.1])
    # w = (-0.1, 1.2), rho z = (0.8, 0.3): |min| = (0.1, 0.3), largest |b| is 1, largest rho z 0.8
    assert lcp_residual(W, b, z) == pytest.approx(0.3 / (1.0 + 0.8e-5), rel=1e-14)
    assert lcp_residual(1e6 * W, 1e3 * b, 1e-3 * z) == pytest.approx(lcp_residual(W, b, z), rel=1e-14)


def test_residual_of_nothing_and_of_nonsense():
    assert lcp_worst(np.zeros((0, 0)), np.zeros(0), np.zeros(0)) == (-1, 0.0)
    assert lcp_residual(np.eye(2), np.zeros(2), np.zeros(2)) == 0.0
    for bad in (np.nan, np.inf, -np.inf):
        assert lcp_worst(np.eye(2), np.ones(2), np.array([0.0, bad]))[1] == np.inf
        assert lcp_worst(np.eye(2), np.array([0.0, bad]), np.zeros(2)) == (1, np.inf)


# The equations of an active set.


@properties
@given(seeds, st.integers(1, 15))
def test_elimination_solves_like_numpy(seed, k):
    rng = np.random.default_rng(seed)
    A = nonsymmetric(rng, k)
    d = 1.0 / np.sqrt(np.diag(A))
    A = A * d * d[:, None]
    x = rng.normal(size=k)
    LU, order = A.copy(), np.arange(k)
    assert eliminate(LU, order) == k
    y = x[order].copy()
    substitute(LU, k, y)
    np.testing.assert_allclose(A[np.ix_(order, order)] @ y, x[order], rtol=0, atol=1e-12)
    PAP = (np.tril(LU, -1) + np.eye(k)) @ np.triu(LU)
    np.testing.assert_allclose(PAP, A[np.ix_(order, order)], rtol=0, atol=1e-13)


@properties
@given(seeds, st.integers(1, 5), st.integers(0, 6))
def test_active_block_drops_redundant_contacts(seed, rank, extra):
    rng = np.random.default_rng(seed)
    n = rank + extra + 2
    W = singular(rng, n, rank)
    b = -W @ rng.normal(size=n)
    active = np.arange(n) < rank + extra
    z = np.full(n, 7.0)
    assert solve_active(W, b, active, z) == rank
    assert np.count_nonzero(z) == rank
    assert not z[~active].any()
    np.testing.assert_allclose((W @ z + b)[active], 0.0, rtol=0, atol=1e-10 * np.abs(b).max())


@pytest.mark.parametrize("skew", [1.0, 100.0])
def test_active_block_is_refined(skew):
    """Diagonal pivoting alone loses digits when the skew part is large (measured: 3e-14 for 100)."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        W = nonsymmetric(rng, 12, skew)
        b, z = rng.normal(size=12), np.zeros(12)
        assert solve_active(W, b, np.ones(12, bool), z) == 12
        assert (np.abs(W @ z + b) / (np.abs(W) @ np.abs(z) + np.abs(b))).max() < 1e-15


# All solvers: what a solution is.


@pytest.mark.parametrize("method", [NEWTON, LEMKE, PGS])
@properties
@given(seed=seeds, n=st.integers(1, 5))
def test_small_problems_against_enumeration(method, seed, n):
    rng = np.random.default_rng(seed)
    W = singular(rng, n, n) + 0.1 * np.eye(n)
    b = rng.normal(size=n)
    _, w = solved(W, b, method, limit=1e-10 if method == PGS else 2e-14)
    np.testing.assert_allclose(w, enumerate_w(W, b), rtol=0, atol=1e-8 if method == PGS else 1e-12)


@pytest.mark.parametrize("method", EXACT)
@properties
@given(seed=seeds, n=st.integers(1, 30), data=st.data())
def test_semidefinite_problems(method, seed, n, data):
    rng = np.random.default_rng(seed)
    W = singular(rng, n, data.draw(st.integers(1, n)))
    b, _, w_true = planted(W, rng)
    _, w = solved(W, b, method)
    np.testing.assert_allclose(w, w_true, rtol=0, atol=1e-10 * (1 + np.abs(b).max()))


@pytest.mark.parametrize("method", EXACT)
@properties
@given(seed=seeds, n=st.integers(1, 30))
def test_nonsymmetric_problems(method, seed, n):
    rng = np.random.default_rng(seed)
    W = nonsymmetric(rng, n)
    b, z_true, w_true = planted(W, rng)
    z, w = solved(W, b, method)
    np.testing.assert_allclose(z, z_true, rtol=0, atol=1e-11)
    np.testing.assert_allclose(w, w_true, rtol=0, atol=1e-11)


@pytest.mark.parametrize("method", EXACT)
@properties
@given(seed=seeds, n=st.integers(2, 12), rank=st.integers(1, 4))
def test_ties_of_whole_numbers(method, seed, n, rank):
    """Small integers make every ratio test a tie; b is reachable, so a solution exists."""
    rng = np.random.default_rng(seed)
    A = rng.integers(-1, 2, size=(rank, n)).astype(float)
    W = A.T @ A
    z = rng.integers(0, 2, n).astype(float)
    w_true = np.where(z > 0, 0.0, rng.integers(0, 2, n))
    _, w = solved(W, w_true - W @ z, method)
    np.testing.assert_allclose(w, w_true, rtol=0, atol=1e-12)


@pytest.mark.parametrize("method", [NEWTON, LEMKE, PGS])
@properties
@given(seed=seeds, n=st.integers(2, 15))
def test_order_of_contacts_does_not_matter(method, seed, n):
    rng = np.random.default_rng(seed)
    W = singular(rng, n, n) + 0.3 * np.eye(n)
    b = rng.normal(size=n)
    p = rng.permutation(n)
    limit = 1e-10 if method == PGS else 2e-14
    _, w = solved(W, b, method, limit)
    _, w_p = solved(np.ascontiguousarray(W[np.ix_(p, p)]), b[p], method, limit)
    np.testing.assert_allclose(w_p, w[p], rtol=0, atol=1e-8 if method == PGS else 1e-12)


@pytest.mark.parametrize("method", EXACT)
@properties
@given(seed=seeds, n=st.integers(1, 10), decades=st.floats(-6, 6))
def test_units_do_not_matter(method, seed, n, decades):
    """Rows in other units: z -> z / d, w -> d w; every other row stays as it was."""
    rng = np.random.default_rng(seed)
    W = nonsymmetric(rng, n)
    b, z_true, w_true = planted(W, rng)
    d = np.where(np.arange(n) % 2 == 0, 10.0**decades, 1.0)
    z, _, _, residual = run(d[:, None] * W * d, d * b, method)
    assert residual <= 2e-14
    np.testing.assert_allclose(d * z, z_true, rtol=0, atol=1e-10)
    np.testing.assert_allclose(W @ (d * z) + b, w_true, rtol=0, atol=1e-10)


@properties
@given(seed=seeds, n=st.integers(1, 20))
def test_any_warm_start_ends_at_the_same_place(seed, n):
    rng = np.random.default_rng(seed)
    W = singular(rng, n, n) + 0.3 * np.eye(n)
    b = rng.normal(size=n)
    _, w = solved(W, b, NEWTON)
    for z0 in (rng.uniform(0, 1, n), rng.normal(size=n), np.ones(n)):
        np.testing.assert_allclose(solved(W, b, NEWTON, z0=z0)[1], w, rtol=0, atol=1e-12)


@properties
@given(seed=seeds)
def test_two_contacts_need_no_fall_back(seed):
    rng = np.random.default_rng(seed)
    W = nonsymmetric(rng, 2)
    for b, z_true in ((-W @ z, z) for z in (np.array([0.7, 0.2]), np.array([0.0, 0.4]), np.array([0.3, 0.0]))):
        z = np.zeros(2)
        assert solve_newton(W, b, z, 1)[1]
        np.testing.assert_allclose(z, z_true, rtol=0, atol=1e-14)
    for b in (np.array([-1.0, -1.0]), np.array([-1.0, -2.0]), np.array([-3.0, 5.0])):
        z = np.zeros(2)
        assert solve_newton(np.full((2, 2), 4.0), b, z, 1) == (1, True)
        assert z.sum() == -b.min() / 4.0
    assert not solve_newton(np.array([[1.0, -2.0], [-2.0, 1.0]]), np.array([-1.0, -1.0]), np.zeros(2), 1)[1]


@properties
@given(seed=seeds, n=st.integers(3, 30))
def test_degenerate_contacts_stay_where_they_are(seed, n):
    """From the solution, one linear solve confirms it, although round-off decides the sign of many w and z."""
    rng = np.random.default_rng(seed)
    W = singular(rng, n, n) + 0.3 * np.eye(n)
    b, z, _ = planted(W, rng, degenerate=0.5)
    if z.any():
        assert solve_newton(W, b, z, 30) == (1 if b.min() < 0.0 else 0, True)


def test_lexicographic_rule_is_an_infinitesimal_perturbation():
    """Ties must be broken as if b_k were larger by eps^(k+1); z0 may leave earlier, when a tie lets it."""
    same, earlier = 0, 0
    for seed in range(400):
        rng = np.random.default_rng(seed)
        A = rng.integers(-1, 2, size=(2, 4)).astype(float)
        W = A.T @ A + np.diag(rng.integers(0, 2, 4))
        b = -W @ rng.integers(0, 2, 4).astype(float)
        if b.min() >= 0.0:
            continue
        (T, place), (T_eps, place_eps) = (_start(W, x, np.ones(4), 1.0) for x in (b, b + 0.01 ** np.arange(1, 5)))
        k, ok = _pivot_to_end(T, place, 100)
        k_eps, ok_eps = _pivot_to_end(T_eps, place_eps, 100)
        assert ok
        assert ok_eps
        assert k <= k_eps
        if k == k_eps:
            assert np.array_equal(place, place_eps)
        same += k == k_eps
        earlier += k < k_eps
    assert same > 100
    assert earlier > 10


# Many contacts, redundant ones, degenerate ones, impossible ones.


@pytest.mark.parametrize(("n", "stiffness"), [(300, 1.0), (500, 1e2), (500, 1e6)])
def test_hundreds_of_contacts(n, stiffness):
    W, b = spring_chain(n, stiffness), np.random.default_rng(n).normal(size=n)
    z, w = solved(W, b, NEWTON)
    _, w_lemke = solved(W, b, LEMKE)
    _, w_pgs = solved(W, b, PGS, limit=1e-10)
    assert np.count_nonzero(z) > 3
    np.testing.assert_allclose(w, w_lemke, rtol=0, atol=1e-13)
    np.testing.assert_allclose(w, w_pgs, rtol=0, atol=1e-7)


def test_string_on_an_obstacle_where_newton_takes_too_many_sets():
    """A string of 300 points pressed into a bowl: one long contact zone, whose ends creep from set to set."""
    n = 300
    x = np.linspace(0, 1, n + 2)[1:-1]
    W = np.linalg.inv((2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)) * (n + 1) ** 2)
    b = W @ (-9.0 * (1 + 3 * x)) + 1.0
    assert not solve_newton(W, b, np.zeros(n), 30)[1]
    z, w = solved(W, b, NEWTON)
    closed = np.flatnonzero(z)
    assert np.array_equal(closed, np.arange(closed[0], closed[-1] + 1))
    assert closed.size > 50
    _, again, iterations, _ = run(W, b, NEWTON, z0=z)
    assert iterations == 1
    np.testing.assert_allclose(again, w, rtol=0, atol=1e-14)


@pytest.mark.parametrize("method", [NEWTON, LEMKE, PGS])
@pytest.mark.parametrize("equal", [True, False])
def test_every_contact_listed_three_times(method, equal):
    """Copies change nothing in w; where their free velocities differ, the fastest of the three decides."""
    rng = np.random.default_rng(5)
    n = 40
    W, b = spring_chain(n, 10.0), rng.normal(size=n)
    where = np.repeat(np.arange(n), 3)[rng.permutation(3 * n)]
    b3 = b[where] + (0.0 if equal else rng.uniform(0.1, 1.0, 3 * n))
    W3 = np.ascontiguousarray(W[np.ix_(where, where)])
    z3, w3 = solved(W3, b3, method, limit=1e-10 if method == PGS else 2e-14)
    deepest = np.array([b3[where == i].min() for i in range(n)])
    z, _ = solved(W, deepest, LEMKE)
    atol = 1e-7 if method == PGS else 1e-13
    np.testing.assert_allclose(w3, W3[:, [int(np.argmax(where == i)) for i in range(n)]] @ z + b3, rtol=0, atol=atol)
    np.testing.assert_allclose(np.bincount(where, z3), z, rtol=0, atol=1e-6 if method == PGS else 1e-12)


@pytest.mark.parametrize("method", EXACT)
@pytest.mark.parametrize(("apart", "limit"), [(1e-3, 2e-15), (1e-6, 4e-15), (1e-9, 2e-14), (1e-12, 1e-12)])
def test_contacts_in_nearly_the_same_place(method, apart, limit):
    """Pairs whose columns differ by sqrt(apart): hardest where redundant and not redundant cannot be told apart."""
    n = 120
    for seed in range(6):
        rng = np.random.default_rng(seed)
        A = rng.normal(size=(n, n))
        A[:, : n // 2] = A[:, n // 2 :] + np.sqrt(apart) * A[:, : n // 2]
        W = A.T @ A / n
        b = -W @ np.abs(rng.normal(size=n))
        if seed % 2:
            b += rng.random(n) * (rng.random(n) < 0.5)
        z, _ = solved(W, b, method, limit)
        assert z.any()


@pytest.mark.parametrize("method", [NEWTON, LEMKE, PGS])
@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_zero_gap_and_open_contacts(method, n):
    W = spring_chain(n, 3.0)
    for b in (np.zeros(n), np.linspace(0.0, 1.0, n)):
        z, w, iterations, residual = run(W, b, method, z0=np.ones(n) if method == NEWTON else None)
        assert (residual, iterations) == (0.0, 0)
        assert not z.any()
        assert np.array_equal(w, b)


@pytest.mark.parametrize("method", [NEWTON, LEMKE, PGS])
@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_contact_without_compliance(method, n):
    """A contact at a supported node (zero row): harmless when open, impossible when violated."""
    W, b = np.zeros((n, n)), np.full(n, 0.5)
    W[1:, 1:] = spring_chain(n - 1, 1.0) if n > 1 else 0.0
    b[1:] = -1.0
    limit = 1e-10 if method == PGS else 2e-14
    z, w = solved(W, b, method, limit)
    assert z[0] == 0.0
    assert w[0] == 0.5
    assert (z[1:] > 0).all()
    b[0] = -2.0
    z, _, _, residual = run(W, b, method, max_iter=200)
    assert residual >= 0.5
    assert lcp_worst(W, b, z)[0] == 0


@pytest.mark.parametrize("method", [NEWTON, LEMKE, PGS])
@pytest.mark.parametrize("n", [2, 4])
def test_squeezed_between_two_walls_has_no_solution(method, n):
    W = np.kron(np.eye(n // 2), np.array([[1.0, -1.0], [-1.0, 1.0]]))
    b = np.full(n, -1.0)
    _, _, _, residual = run(W, b, method, max_iter=0)
    assert residual > 1e-3
    assert not solve_lemke(W, b, np.zeros(n), 100)[1]
    assert not solve_newton(W, b, np.zeros(n), 100)[1]


@pytest.mark.parametrize("a", [1.5, 2.0, 3.0])
def test_lemke_takes_over_where_newton_cycles(a):
    """The circulant P-matrix on which the active set goes round in circles; the solution is 1 / (1 + a)."""
    W, b = np.array([[1.0, 0.0, a], [a, 1.0, 0.0], [0.0, a, 1.0]]), -np.ones(3)
    for z0 in ([1.0, 0.0, 0.0], [1.0, 1.0, 0.0]):
        iterations, ok = solve_newton(W, b, np.array(z0), 1000)
        assert not ok
        assert iterations < 10
        z, _ = solved(W, b, NEWTON, z0=z0)
        np.testing.assert_allclose(z, 1 / (1 + a), rtol=1e-14)


def test_rows_that_only_others_can_lift():
    """Zero diagonal but not zero row (skew W): Newton cannot take it, Lemke can."""
    W, b = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]), np.array([-1.0, 0.5, -2.0])
    for method in EXACT:
        z, w = solved(W, b, method)
        np.testing.assert_allclose(z, [0.5, 1.0, 2.0], rtol=0, atol=1e-15)
        np.testing.assert_allclose(w, 0.0, rtol=0, atol=1e-15)


def test_limits_and_iteration_counts():
    W, b = spring_chain(60, 1e4), np.random.default_rng(3).normal(size=60)
    full, ok = solve_newton(W, b, np.zeros(60), 100)
    assert ok
    assert full > 2
    assert solve_newton(W, b, np.zeros(60), full - 1) == (full - 1, False)
    pivots, ok = solve_lemke(W, b, np.zeros(60), 1000)
    assert ok
    assert solve_lemke(W, b, np.zeros(60), pivots - 1) == (pivots - 1, False)
    sweeps, ok = solve_pgs(W, b, np.zeros(60), 10000, 1e-10)
    assert ok
    assert solve_pgs(W, b, np.zeros(60), 3, 1e-10) == (3, False)
    z, _ = solved(W, b, NEWTON)
    assert solve_pgs(W, b, z, 10, 1e-10) == (0, True)
    assert solve_pgs(W, b, np.zeros(60), sweeps, 1e-10) == (sweeps, True)


def test_gauss_seidel_that_diverges_says_so():
    W, b = np.array([[1.0, -5.0], [-5.0, 1.0]]), np.array([-1.0, 1.0])
    z = np.zeros(2)
    sweeps, ok = solve_pgs(W, b, z, 5000, 1e-10)
    assert not ok
    assert sweeps < 5000
    assert np.isfinite(z).all()
    assert run(W, b, PGS)[3] > 1e-3


@pytest.mark.parametrize("method", [NEWTON, LEMKE, PGS])
def test_nothing_and_nonsense(method):
    assert solve_lcp(np.zeros((0, 0)), np.zeros(0), np.zeros(0), method, 0, 1e-10) == (0, 0.0)
    for n in (1, 2, 4):
        b = np.full(n, -1.0)
        b[-1] = np.nan
        assert solve_lcp(np.eye(n), b, np.zeros(n), method, 50, 1e-10)[1] == np.inf


# Compiled, called from compiled code, and not compiled.


@njit
def march(W, b, z, steps, sums):
    for k in range(steps):
        sums[0] += solve_lcp(W, b * np.cos(0.1 * k), z, 0, 0, 1e-10)[1]
        sums[1:] += z


def test_called_from_a_compiled_loop():
    W, b = spring_chain(6, 1.0), np.random.default_rng(2).normal(size=6)
    sums, expected = np.zeros(7), np.zeros(7)
    march(W, b, np.zeros(6), 100, sums)
    for k in range(100):
        expected[1:] += solved(W, b * np.cos(0.1 * k), LEMKE)[0]
    np.testing.assert_allclose(sums, expected, rtol=0, atol=1e-12)


PLAIN = """
import json, sys
import numpy as np
from flexmb.kernels.lcp.lcp import lcp_worst, solve_lcp
assert not hasattr(solve_lcp, "py_func")
out = []
for case in json.load(sys.stdin):
    z = np.zeros(len(case["b"]))
    W, b = np.array(case["W"]), np.array(case["b"])
    iterations, residual = solve_lcp(W, b, z, case["method"], 0, 1e-10)
    out.append([int(iterations), float(residual), int(lcp_worst(W, b, z)[0]), z.tolist()])
print(json.dumps(out))
"""


def test_kernels_equal_plain_python():
    rng = np.random.default_rng(11)
    problems = [
        (W, planted(W, rng)[0]) for n in (1, 2, 3, 8) for W in (singular(rng, n, (n + 1) // 2), nonsymmetric(rng, n))
    ]
    cases = [{"W": W.tolist(), "b": b.tolist(), "method": m} for W, b in problems for m in EXACT]
    cases += [{"W": W.tolist(), "b": b.tolist(), "method": PGS} for W, b in problems[::2]]
    root = str(Path(__file__).resolve().parents[1])
    environment = dict(os.environ, NUMBA_DISABLE_JIT="1", PYTHONPATH=root)
    answer = subprocess.run(
        [sys.executable, "-c", PLAIN],
        input=json.dumps(cases),
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr
    for case, (iterations, residual, row, z_plain) in zip(cases, json.loads(answer.stdout), strict=True):
        W, b = np.array(case["W"]), np.array(case["b"])
        z, _, k, r = run(W, b, case["method"])
        np.testing.assert_allclose(z, z_plain, rtol=1e-12, atol=1e-14)
        assert k == iterations
        assert max(r, residual) <= 1e-10
        assert -1 <= row < b.size
