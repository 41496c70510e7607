"""Factorizations of symmetric matrices and of symmetric plus skew ones, against dense algebra."""

import numpy as np
import pytest
from scipy import sparse
from systems import skew, spd

from flexmb.errors import InputError
from flexmb.kernels.algebra.banded import band_product, dot, skew_add
from flexmb.linalg import band_order, factor


def band(A, p):
    return np.triu(np.tril(A, p), -p)


def parts(seed, n, p, q, size):
    """Definite with half-bandwidth p, skew with half-bandwidth q and ``size`` times as large."""
    rng = np.random.default_rng(seed)
    A = band(rng.normal(size=(n, n)), p)
    A = A + A.T
    return A + np.diag(1.0 + 2.0 * np.abs(A).sum(axis=1)), band(skew(rng, n, size), q)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 60, 137])
@pytest.mark.parametrize(("p", "q"), [(0, 1), (1, 0), (1, 1), (2, 1), (1, 4), (7, 6), (7, 7)])
def test_solutions_with_skew_parts_of_any_size(n, p, q):
    b = np.random.default_rng(1).normal(size=(n, 3))
    for size in (0.1, 1.0, 100.0):
        A, B = parts(n, n, p, q, size)
        X = factor(sparse.csr_array(A), sparse.csr_array(B)).solve(b)
        assert np.abs((A + B) @ X - b).max() <= 1e-12 * np.abs(b).max()
        np.testing.assert_allclose(X[:, 0], factor(sparse.csr_array(A), sparse.csr_array(B)).solve(b[:, 0]), rtol=1e-14)


def test_wide_matrices_with_skew_parts_are_factored_too():
    rng = np.random.default_rng(3)
    A, B, b = spd(rng, 120), skew(rng, 120, 3.0), rng.normal(size=120)
    x = factor(sparse.csr_array(A), sparse.csr_array(B)).solve(b)
    np.testing.assert_allclose((A + B) @ x, b, rtol=0, atol=1e-11)


def test_an_indefinite_symmetric_part_is_refused_whatever_the_skew_part():
    A, B = np.diag([1.0, -1.0, 2.0]), np.zeros((3, 3))
    B[0, 1], B[1, 0] = 5.0, -5.0  # the pivots of A + B are all positive
    with pytest.raises(InputError, match="positive definite.*number 1"):
        factor(sparse.csr_array(A), sparse.csr_array(B))


@pytest.mark.parametrize("n", [1, 2, 6, 41])
@pytest.mark.parametrize("q", [1, 3, 8])
def test_products_with_skew_bands(n, q):
    rng = np.random.default_rng(n)
    A, B = parts(n, n, 2, q, 1.0)
    x, y, z = rng.normal(size=(3, n))
    order = band_order(sparse.csr_array(A), sparse.csr_array(B))
    assert np.array_equal(order.perm, np.arange(n))
    bands = order.bands(sparse.csr_array(B))
    out = z.copy()
    skew_add(bands, x, out)
    np.testing.assert_allclose(out, z + B @ x, rtol=0, atol=1e-13)
    out[:] = 0.0
    skew_add(bands, x, out)
    assert dot(y, out) == pytest.approx(y @ B @ x, abs=1e-12)
    assert dot(x, x) * 1e-14 >= abs(dot(x, out))
    low, up = (np.array([np.pad(np.diag(C, -d), (0, d)) for d in range(min(q, n - 1) + 1)]) for C in (A + B, (A + B).T))
    band_product(low, up, x, out)
    np.testing.assert_allclose(out, band(A + B, q) @ x, rtol=0, atol=1e-12)
