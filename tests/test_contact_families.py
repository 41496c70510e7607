"""Thousands of small contact problems of every kind: each solver solves what has a solution and refuses the others."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from flexmb.kernels.lcp.lcp import LEMKE, NEWTON, PGS, solve_lcp, solve_lemke, solve_newton
from flexmb.kernels.lcp.lcp_lemke import most_pivots
from flexmb.kernels.lcp.lcp_proximal import solve_proximal
from flexmb.kernels.lcp.lcp_refine import accurate_row, exact_product
from flexmb.kernels.lcp.lcp_residual import violation
from flexmb.nonsmooth import ContactNotConverged, ContactProblem, ContactSolver

Problem = tuple[np.ndarray, np.ndarray]
EPS = np.finfo(float).eps
TOLERANCE = 1e-10


def planted(W: np.ndarray, rng: np.random.Generator, degenerate: float) -> Problem:
    """Give W a right-hand side with a solution; a share of the contacts has z = w = 0."""
    kind = rng.random(W.shape[0])
    z = np.where(kind < 0.5, rng.uniform(0.1, 1.0, kind.size), 0.0)
    w = np.where(kind > 0.5 + degenerate, rng.uniform(0.1, 1.0, kind.size), 0.0)
    return W, w - W @ z


def murty(rng: np.random.Generator) -> Problem:
    """1 on the diagonal and 2 below: pivoting methods take up to 2^n pivots, Newton n sets; also turned and mixed."""
    n = int(rng.integers(2, 41))
    W = np.tril(np.full((n, n), 2.0), -1) + np.eye(n)
    way, mixed = rng.integers(0, 4), rng.permutation(n)
    W = (W, W, W.T, W[np.ix_(mixed, mixed)])[way]
    return np.ascontiguousarray(W), -rng.uniform(0.1, 1.0, n) if way == 1 else -np.ones(n)


def fathi(rng: np.random.Generator) -> Problem:
    """The symmetric positive definite relative of Murty's."""
    n = int(rng.integers(2, 21))
    L = np.tril(np.full((n, n), 2.0), -1) + np.eye(n)
    return L @ L.T, -np.ones(n)


def semidefinite(rng: np.random.Generator) -> Problem:
    n = int(rng.integers(1, 25))
    A = rng.normal(size=(int(rng.integers(1, n + 1)), n))
    return planted(A.T @ A, rng, rng.choice([0.0, 0.2, 0.5]))


def definite(rng: np.random.Generator) -> Problem:
    n = int(rng.integers(1, 25))
    A = rng.normal(size=(n, n))
    return A.T @ A + 10.0 ** rng.uniform(-8, 0) * np.eye(n), rng.normal(size=n)


def skew(rng: np.random.Generator) -> Problem:
    """Positive semidefinite with a skew part up to a hundred times larger."""
    n = int(rng.integers(2, 25))
    A, B = rng.normal(size=(int(rng.integers(1, n + 1)), n)), rng.normal(size=(n, n))
    return planted(A.T @ A + 10.0 ** rng.uniform(-2, 2) * (B - B.T), rng, 0.2)


def triangular(rng: np.random.Generator) -> Problem:
    """A P-matrix far from definite: triangular, in a mixed order."""
    n = int(rng.integers(2, 25))
    W = np.tril(rng.normal(size=(n, n)) * 10.0 ** rng.uniform(-1, 1), -1) + np.diag(rng.uniform(0.1, 2.0, n))
    mixed = rng.permutation(n)
    return np.ascontiguousarray(W[np.ix_(mixed, mixed)]), rng.normal(size=n)


def dominant(rng: np.random.Generator) -> Problem:
    """A P-matrix with dominant diagonal, its columns in units six powers of ten apart."""
    n = int(rng.integers(2, 25))
    B = rng.normal(size=(n, n))
    np.fill_diagonal(B, 0.0)
    return (B + np.diag(1.01 * np.abs(B).sum(1) + 0.01)) * 10.0 ** rng.uniform(-3, 3, n), rng.normal(size=n)


def principal(rng: np.random.Generator) -> Problem:
    """Any small matrix whose principal minors are positive."""
    while True:
        n = int(rng.integers(2, 5))
        W = rng.normal(size=(n, n)) + rng.uniform(0.0, 2.0) * np.eye(n)
        sets = (list(s) for k in range(1, n + 1) for s in itertools.combinations(range(n), k))
        if all(np.linalg.det(W[np.ix_(s, s)]) > 1e-3 for s in sets):
            return W, rng.normal(size=n)


def copies(rng: np.random.Generator) -> Problem:
    """Every contact two to four times, with the same or another free velocity."""
    n = int(rng.integers(1, 8))
    A = rng.normal(size=(n, n))
    W, where = A.T @ A, np.repeat(np.arange(n), int(rng.integers(2, 5)))
    b = (-W @ np.abs(rng.normal(size=n)))[where] + rng.integers(0, 2) * rng.uniform(0.0, 1.0, where.size)
    return np.ascontiguousarray(W[np.ix_(where, where)]), b


def whole_numbers(rng: np.random.Generator) -> Problem:
    """Every ratio is a tie."""
    n = int(rng.integers(2, 20))
    A = rng.integers(-1, 2, size=(int(rng.integers(1, 8)), n)).astype(float)
    z = rng.integers(0, 2, n).astype(float)
    return A.T @ A, np.where(z > 0.0, 0.0, rng.integers(0, 2, n)) - A.T @ (A @ z)


def one_body(rng: np.random.Generator) -> Problem:
    """Up to 28 contacts on six unknowns whose inertias are six powers of ten apart."""
    G, m = rng.normal(size=(6, 4 * int(rng.integers(1, 8)))), 10.0 ** rng.uniform(-3, 3, 6)
    return G.T @ (G * m[:, None]), G.T @ rng.normal(size=6)


def balls(rng: np.random.Generator, most: int = 30) -> Problem:
    """A row of touching balls whose masses differ by up to twelve powers of ten."""
    n = int(rng.integers(2, most + 1))
    m = 10.0 ** rng.uniform(0.0, rng.uniform(0.0, 12.0), n + 1)
    W = np.diag(1.0 / m[:-1] + 1.0 / m[1:]) - np.diag(1.0 / m[1:-1], 1) - np.diag(1.0 / m[1:-1], -1)
    return W, np.diff(rng.normal(size=n + 1) if rng.random() < 0.7 else np.linspace(1.0, -1.0, n + 1))


FAMILIES: tuple[Callable[[np.random.Generator], Problem], ...] = (
    *(murty, fathi, semidefinite, definite, skew, triangular, dominant, principal, copies, whole_numbers, one_body),
    balls,
)


def wrong(W: np.ndarray, b: np.ndarray, z: np.ndarray) -> np.ndarray:
    """How much each row violates the complementarity."""
    return np.abs(np.minimum(np.where(np.diag(W) > 0.0, np.diag(W), 1.0) * z, W @ z + b))


@pytest.mark.parametrize("method", [NEWTON, LEMKE, PGS], ids=["newton", "lemke", "pgs"])
@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.__name__)
def test_every_solver_solves_what_has_a_solution(family: Callable[..., Problem], method: int) -> None:
    for seed in range(20 if method == PGS else 120):
        W, b = family(np.random.default_rng([seed, 7]))
        z, again = np.zeros(b.size), np.zeros(b.size)
        iterations, residual = solve_lcp(W, b, z, method, 0, TOLERANCE)
        assert residual <= TOLERANCE, seed
        assert z.min() >= 0.0, seed
        # each row by itself: a share of b, and what round-off of its own terms leaves
        assert np.all(wrong(W, b, z) <= TOLERANCE * np.abs(b).max() + 5.0 * EPS * (np.abs(W) @ z)), seed
        assert solve_lcp(W, b, again, method, 0, TOLERANCE) == (iterations, residual)
        assert again.tobytes() == z.tobytes(), seed


def test_murtys_matrix_is_beyond_newton_and_lemke_alone() -> None:
    n = 100
    W, b = np.tril(np.full((n, n), 2.0), -1) + np.eye(n), -np.ones(n)
    assert not solve_newton(W, b, np.zeros(n), 30)[1]
    assert not solve_lemke(W, b, np.zeros(n), most_pivots(n))[1]
    for name in ("newton", "lemke", "pgs"):
        solution = ContactSolver(name).solve(ContactProblem(W, b))
        np.testing.assert_array_equal(solution.z, np.eye(n)[0])


def test_pivots_grow_with_the_size() -> None:
    assert [most_pivots(n) >= 2**n for n in range(1, 13)] == [True] * 12
    assert most_pivots(10_000) > most_pivots(1_000) > most_pivots(100) >= 2_000


# What double precision can hold, and no less.


def exact_impulses(W: np.ndarray, b: np.ndarray, closed: np.ndarray) -> list[Fraction]:
    """Solve the equations of closed contacts of a row of balls in integers (elimination of a band)."""
    at = np.flatnonzero(closed)
    A = [[Fraction(W[i, j]) for j in at] for i in at]
    r = [-Fraction(b[i]) for i in at]
    for k in range(1, len(at)):
        f = A[k][k - 1] / A[k - 1][k - 1]
        A[k][k] -= f * A[k - 1][k]
        r[k] -= f * r[k - 1]
    for k in reversed(range(len(at))):
        r[k] = (r[k] - (A[k][k + 1] * r[k + 1] if k + 1 < len(at) else 0)) / A[k][k]
    return r


@pytest.mark.parametrize("method", [NEWTON, LEMKE])
def test_impulses_between_balls_are_good_to_the_last_digit(method: int) -> None:
    """An answer violates at most 1e-10 of b, or its impulses are the nearest numbers there are to the exact ones."""
    refined = 0
    for seed in range(200):
        W, b = balls(np.random.default_rng([seed, 3]), 12)
        z = np.zeros(b.size)
        assert solve_lcp(W, b, z, method, 0, TOLERANCE)[1] <= TOLERANCE
        _, worst, given, _ = violation(W, b, z)
        if worst <= TOLERANCE * given:
            continue
        refined += 1
        for got, true in zip(z[z > 0.0], exact_impulses(W, b, z > 0.0), strict=True):
            assert abs(Fraction(got) - true) <= Fraction(np.spacing(got)), seed
    assert refined > 10


def test_exact_products_and_sums() -> None:
    rng = np.random.default_rng(4)
    for _ in range(200):
        x, y = rng.normal(size=2) * 10.0 ** rng.uniform(-50, 50, 2)
        p, e = exact_product(x, y)
        assert p == x * y
        assert Fraction(p) + Fraction(e) == Fraction(x) * Fraction(y)
    W, z = np.array([[1e16, 1.0, -1e16], [0, 0, 0], [0, 0, 0]]), np.ones(3)
    assert accurate_row(W, np.array([0.25, 0, 0]), z, np.zeros(3), np.arange(3), 0) == 1.25
    assert accurate_row(W, np.array([0.25, 0, 0]), z, np.array([1e-16, 0, 0]), np.arange(3), 0) == 2.25


# The last resort, and what has no solution.


def test_proximal_method_shares_the_load() -> None:
    for seed in range(60):
        W, b = copies(np.random.default_rng([seed, 5]))
        z = np.zeros(b.size)
        iterations, ok = solve_proximal(W, b, z, 60, TOLERANCE)
        assert ok, seed
        assert (iterations > 0) == (b.min() < 0.0)
        assert wrong(W, b, z).max() <= 2.0 * TOLERANCE * np.abs(b).max() + 5.0 * EPS * (np.abs(W) @ z).max()
    z = np.zeros(3)
    assert solve_proximal(np.ones((3, 3)), -np.ones(3), z, 60, TOLERANCE)[1]
    np.testing.assert_allclose(z, 1.0 / 3.0, rtol=1e-9)


@pytest.mark.parametrize("name", ["newton", "lemke", "pgs"])
def test_what_has_no_solution_is_refused(name: str) -> None:
    """Two walls that close in on a body from both sides, among other contacts."""
    for seed in range(15):
        rng = np.random.default_rng([seed, 9])
        n = int(rng.integers(2, 12))
        A = rng.normal(size=(n + 1, n))
        A[:, -1] = -A[:, 0]
        b = rng.normal(size=n)
        b[0], b[-1] = -1.0, -0.5
        with pytest.raises(ContactNotConverged) as info:
            ContactSolver(name).solve(ContactProblem(A.T @ A, b))
        assert f"'{name}'" in str(info.value)
        assert info.value.residual > TOLERANCE
        assert np.isfinite(info.value.solution.z).all()
