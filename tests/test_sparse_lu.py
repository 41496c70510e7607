"""Sparse LU of bordered matrices: order, pattern, factors against numpy, bad pivots, redundant joints."""

from __future__ import annotations

import itertools
import time
from typing import NamedTuple

import numpy as np
import pytest
from scipy import sparse

from flexmb.errors import InputError
from flexmb.kernels.algebra.sparse_lu import CANCELLED, Symbolic, lu_factor, lu_solve
from flexmb.linalg import dependent_columns
from flexmb.linalg.bordered import analyze, positions
from flexmb.linalg.dependent_columns import Redundant, candidates, dependent, null_directions


class Shape(NamedTuple):
    """What ``analyze`` takes."""

    nv: int
    nj: int
    groups: list
    joints: list
    rows: np.ndarray
    cols: np.ndarray


def shape_of(sizes, couplings, joints) -> Shape:
    """Groups of the given sizes, pairs of groups coupled by S, joints as (number of rows, groups it holds)."""
    ends = np.cumsum([0, *sizes, *(rows for rows, _ in joints)])
    members = [np.arange(a, b) for a, b in itertools.pairwise(ends)]
    held = [(len(sizes) + j, g) for j, (_, groups) in enumerate(joints) for g in groups]
    pairs = [(g, g) for g in range(len(sizes))] + list(couplings) + held
    blocks = [np.meshgrid(members[a], members[b], indexing="ij") for a, b in pairs]
    rows, cols = (np.concatenate([block[k].ravel() for block in blocks]) for k in (0, 1))
    nv = int(ends[len(sizes)])
    return Shape(nv, int(ends[-1]) - nv, members[: len(sizes)], members[len(sizes) :], rows, cols)


def chain(links: int) -> Shape:
    """Rigid links in space, each held by a revolute to the one before, the first to the ground."""
    near = [(i, i + 1) for i in range(links - 1)]
    return shape_of([6] * links, near, [(5, [0]), *((5, [i - 1, i]) for i in range(1, links))])


def beam(nodes: int) -> Shape:
    return shape_of([6] * nodes, [(i, i + 1) for i in range(nodes - 1)], [(5, [0])])


def random_shape(rng) -> Shape:
    """Some groups of 2 to 7 unknowns, coupled at random, and joints of few rows between one to three of them."""
    count = int(rng.integers(3, 14))
    sizes = rng.integers(2, 8, count)
    couplings = [tuple(rng.choice(count, 2, replace=False)) for _ in range(int(rng.integers(0, 2 * count)))]
    joints = []
    free = sizes.copy()  # no group may lend more rows than it has unknowns: then G has full rank
    for _ in range(count):
        groups = rng.choice(count, int(rng.integers(1, 4)), replace=False)
        rows = min(int(rng.integers(1, 6)), int(free[groups[0]]) - 1)
        if rows > 0:
            joints.append((rows, groups.tolist()))
            free[groups[0]] -= rows
    return shape_of(sizes.tolist(), couplings, joints)


def matrix_of(shape: Shape, rng, eps: float = 0.0) -> np.ndarray:
    """Random [[S, -G], [G^T, eps I]] on the pattern; S unsymmetric, its symmetric part positive definite."""
    n = shape.nv + shape.nj
    pattern = np.zeros((n, n), dtype=bool)
    pattern[shape.rows, shape.cols] = True
    pattern |= pattern.T
    A = np.where(pattern, rng.normal(size=(n, n)), 0.0)
    S, G = A[: shape.nv, : shape.nv], A[: shape.nv, shape.nv :]
    S += np.diag(0.5 * np.abs(S + S.T).sum(axis=1) + 0.5)
    return np.block([[S, -G], [G.T, eps * np.eye(shape.nj)]])


def values(sym: Symbolic, A: np.ndarray) -> np.ndarray:
    i, j = np.nonzero(A)
    val = np.zeros(sym.col.size)
    val[positions(sym, i, j)] = A[i, j]
    return val


def factored(sym: Symbolic, A: np.ndarray):
    val, weak = values(sym, A), np.full(len(A), np.nan)
    bad = lu_factor(sym, val, np.full(len(A), np.nan), weak)
    return val, weak, bad


def solved(sym: Symbolic, val: np.ndarray, b: np.ndarray) -> np.ndarray:
    x = b.copy()
    lu_solve(sym, val, x, np.full(b.size, np.nan))
    return x


@pytest.mark.parametrize("seed", range(40))
def test_random_bordered_matrices_are_solved_like_numpy_does(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = random_shape(rng)
    sym = analyze(*shape)
    for eps in (0.0, 0.3):  # the second time on the same pattern
        A = matrix_of(shape, rng, eps)
        assert not np.allclose(A[: shape.nv, : shape.nv], A[: shape.nv, : shape.nv].T)
        val, weak, bad = factored(sym, A)
        assert bad == -1
        assert np.all((weak > 1e-9) & (weak <= 2.0))
        b = rng.normal(size=len(A))
        x = np.linalg.solve(A, b)
        assert np.abs(solved(sym, val, b) - x).max() <= 1e-10 * np.abs(x).max()


@pytest.mark.parametrize("size", range(1, 12))
def test_every_width_of_equal_rows(size: int) -> None:
    rng = np.random.default_rng(size)
    shape = shape_of([size, size], [(0, 1)], [(min(size, 5), [0, 1])])
    sym = analyze(*shape)
    assert sym.run[0] == shape.nv + shape.nj  # all rows are full: one nested family
    A = matrix_of(shape, rng)
    b = rng.normal(size=len(A))
    assert solved(sym, factored(sym, A)[0], b) == pytest.approx(np.linalg.solve(A, b), rel=1e-10, abs=1e-12)


def test_rows_with_zeros_in_the_pattern_are_solved() -> None:
    rng = np.random.default_rng(5)
    shape = chain(6)
    A = matrix_of(shape, rng)
    A[: shape.nv, : shape.nv] *= np.kron(np.eye(6), np.ones((6, 6)))  # the places between links hold zeros
    sym = analyze(*shape)
    b = rng.normal(size=len(A))
    assert solved(sym, factored(sym, A)[0], b) == pytest.approx(np.linalg.solve(A, b), rel=1e-9, abs=1e-10)


@pytest.mark.parametrize("seed", range(12))
def test_the_pattern_is_that_of_the_factors(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = random_shape(rng)
    sym = analyze(*shape)
    n = shape.nv + shape.nj
    assert np.array_equal(sym.inverse[sym.perm], np.arange(n))
    row = np.repeat(np.arange(n), np.diff(sym.ptr))
    assert np.all(np.diff(row * n + sym.col.astype(int)) > 0)
    assert np.array_equal(sym.col[sym.diag], np.arange(n))
    assert np.array_equal(row[sym.mirror], sym.col)
    assert np.array_equal(sym.col[sym.mirror], row)
    filled = np.zeros((n, n), dtype=bool)
    filled[shape.rows, shape.cols] = True
    filled = (filled | filled.T | np.eye(n, dtype=bool))[np.ix_(sym.perm, sym.perm)]
    for k in range(n):
        below = np.flatnonzero(filled[k + 1 :, k]) + k + 1
        filled[np.ix_(below, below)] = True
    stored = np.zeros((n, n), dtype=bool)
    stored[row, sym.col] = True
    assert np.array_equal(stored, filled)


@pytest.mark.parametrize("seed", range(12))
def test_multipliers_come_after_the_unknowns_they_hold(seed: int) -> None:
    shape = random_shape(np.random.default_rng(seed))
    sym = analyze(*shape)
    a, b = np.minimum(shape.rows, shape.cols), np.maximum(shape.rows, shape.cols)
    border = (a < shape.nv) & (b >= shape.nv)
    assert border.any()
    assert np.all(sym.inverse[b[border]] > sym.inverse[a[border]])
    for group in (*shape.groups, *shape.joints):  # a group stays together, in its own order
        assert np.array_equal(np.diff(sym.inverse[group]), np.ones(group.size - 1))


def test_fill_of_a_chain_is_the_same_for_every_link() -> None:
    nnz = {links: analyze(*chain(links)).col.size for links in (20, 40, 80, 160)}
    per_link = (nnz[40] - nnz[20]) / 20
    assert per_link <= 11 * 33  # a link's 11 rows meet the rows of both neighbours at most
    assert nnz[80] - nnz[40] == 40 * per_link
    assert nnz[160] - nnz[80] == 80 * per_link


def test_a_tree_has_no_fill_and_a_ring_little() -> None:
    arms = 30
    star = shape_of([3] * (arms + 1), [(0, i) for i in range(1, arms + 1)], [])
    assert analyze(*star).col.size == 9 * (arms + 1 + 2 * arms)  # the hub, first in number, must go last
    ring = shape_of([2] * arms, [(i, (i + 1) % arms) for i in range(arms)], [])
    assert analyze(*ring).col.size == 4 * (arms + 2 * (arms + arms - 3))


@pytest.mark.parametrize(("shape", "count"), [(chain, 5000), (beam, 20000)])
def test_large_systems_are_analyzed_in_seconds_and_solved(shape, count: int) -> None:
    big = shape(count)
    start = time.perf_counter()
    sym = analyze(*big)
    assert time.perf_counter() - start < 30.0  # takes two; a quadratic search takes minutes
    assert sym.col.size <= 33 * sym.perm.size
    rng = np.random.default_rng(1)
    n = sym.perm.size
    border = (big.rows >= big.nv) != (big.cols >= big.nv)
    entry = rng.normal(size=big.rows.size)
    i, j = np.concatenate([big.rows, big.cols[border]]), np.concatenate([big.cols, big.rows[border]])
    data = np.concatenate([entry, -entry[border]])
    data[i == j] += 40.0  # diagonals of S only: the pattern as given has no multiplier with itself
    A = sparse.coo_array((data, (i, j)), shape=(n, n)).tocsr()
    val = np.zeros(sym.col.size)
    np.add.at(val, positions(sym, i, j), data)
    assert lu_factor(sym, val, np.empty(n), np.empty(n)) == -1
    x = rng.normal(size=n)
    assert np.abs(solved(sym, val, A @ x) - x).max() <= 1e-9


def test_entries_that_are_not_there_are_refused() -> None:
    sym = analyze(*chain(4))
    assert positions(sym, np.zeros(0, dtype=int), np.zeros(0, dtype=int)).size == 0
    with pytest.raises(ValueError, match=r"entry \(0, 20\).*pattern"):
        positions(sym, np.array([3, 0]), np.array([3, 20]))


def test_groups_that_are_no_partition_are_refused() -> None:
    two = [np.array([0]), np.array([1])]
    none = np.zeros(0, dtype=int)
    with pytest.raises(ValueError, match=r"each of 0 \.\. 1 once"):
        analyze(2, 0, two[:1], [], none, none)
    with pytest.raises(ValueError, match=r"each of 2 \.\. 2 once"):
        analyze(2, 1, two, [np.array([1])], none, none)
    with pytest.raises(ValueError, match="outside a matrix of 2 rows"):
        analyze(2, 0, two, [], np.array([2]), np.array([0]))


# --- pivots


def test_a_repeated_row_of_a_joint_is_named() -> None:
    rng = np.random.default_rng(2)
    shape = chain(5)
    sym = analyze(*shape)
    A = matrix_of(shape, rng)
    first, second = shape.joints[1][1], shape.joints[1][4]
    A[:, second], A[second] = -2.5 * A[:, first], -2.5 * A[first]
    val, weak, bad = factored(sym, A)
    assert bad == second != sym.inverse[second]  # the later of the two in its group, by its own number
    assert weak[bad] <= CANCELLED
    done = sym.inverse < sym.inverse[bad]
    assert np.all(weak[done] > 1e-6)
    assert np.all(weak[sym.inverse > sym.inverse[bad]] == 1.0)


def test_two_joints_that_say_the_same_are_named_by_the_later_one() -> None:
    rng = np.random.default_rng(3)
    shape = shape_of([6, 6, 6], [], [(5, [0]), (5, [0, 1]), (5, [1, 2]), (5, [0, 1])])
    A = matrix_of(shape, rng)
    one, two = shape.joints[1], shape.joints[3]
    A[:, two], A[two] = A[:, one], A[one]
    sym = analyze(*shape)
    later = max((one, two), key=lambda joint: sym.inverse[joint[0]])
    _, weak, bad = factored(sym, A)
    assert bad == later[0]


@pytest.mark.parametrize("wrong", [np.nan, np.inf, 0.0])
def test_rows_that_are_empty_or_not_finite_are_named(wrong: float) -> None:
    shape = shape_of([3, 3], [], [(1, [0]), (1, [1])])
    A = matrix_of(shape, np.random.default_rng(0))
    k = 7
    A[k], A[:, k] = 0.0, 0.0
    A[k, k] = wrong
    sym = analyze(*shape)
    _, weak, bad = factored(sym, A)
    assert bad == k
    assert weak[k] == 0.0


def test_a_pivot_that_overflows_is_named() -> None:
    A = np.array([[1.0, 1e154], [-1e154, 1.7e308]])  # 1.7e308 + 1e308: both can be written, the sum cannot
    _, weak, bad = factored(analyze(*shape_of([2], [], [])), A)
    assert bad == 1
    assert weak.tolist() == [1.0, 0.0]


def test_an_unknown_without_stiffness_or_mass_is_named() -> None:
    shape = shape_of([2, 2], [(0, 1)], [(1, [1])])
    A = matrix_of(shape, np.random.default_rng(0))
    free = np.array([[2.0, -2.0], [-2.0, 2.0]])  # only differences are held
    A[:4, :4] = np.block([[free, 0.0 * free], [0.0 * free, free + np.eye(2)]])
    assert factored(analyze(*shape), A)[2] == 1


@pytest.mark.parametrize("angle", [1e-1, 1e-3, 1e-5])
def test_weakness_is_the_square_of_the_angle_between_nearly_equal_rows(angle: float) -> None:
    shape = shape_of([2], [], [(1, [0]), (1, [0])])
    G = np.array([[1.0, np.cos(angle)], [0.0, np.sin(angle)]])
    A = np.block([[np.eye(2), -G], [G.T, np.zeros((2, 2))]])
    _, weak, bad = factored(analyze(*shape), A)
    assert bad == -1
    # updates of the second row's diagonal: cos^2 + sin^2 from the unknowns, -cos^2 from the first row
    assert weak == pytest.approx([1, 1, 1, np.sin(angle) ** 2 / (1 + np.cos(angle) ** 2)], rel=1e-5)
    _, weak, bad = factored(analyze(*shape), A + np.diag([0, 0, 0, 7.0]))  # here the entry itself is the largest
    assert weak[3] == pytest.approx((7 + np.sin(angle) ** 2) / 7, rel=1e-12)


def test_redundant_rows_with_a_little_on_the_diagonal_give_the_least_multipliers() -> None:
    rng = np.random.default_rng(4)
    shape = shape_of([6, 6], [(0, 1)], [(4, [0, 1]), (4, [0, 1]), (3, [1])])
    A = matrix_of(shape, rng)
    one, two = shape.joints[0], shape.joints[1]
    A[:, two], A[two] = A[:, one], A[one]  # the same joint twice
    eps = 1e-9
    B = A + eps * np.diag(np.arange(len(A)) >= shape.nv)
    sym = analyze(*shape)
    assert factored(sym, A)[2] >= shape.nv
    val, weak, bad = factored(sym, B)
    assert bad == -1
    later = max((one, two), key=lambda joint: sym.inverse[joint[0]])
    assert np.all((weak[later] > 1e-11) & (weak[later] < 1e-7))
    assert weak[np.setdiff1d(np.arange(len(A)), later)].min() > 1e-6
    b = np.concatenate([rng.normal(size=shape.nv), np.zeros(shape.nj)])
    x = np.linalg.pinv(A, rcond=1e-12) @ b
    y = solved(sym, val, b)
    assert y[: shape.nv] == pytest.approx(x[: shape.nv], abs=1e-7)
    assert y[one] == pytest.approx(y[two], rel=1e-5, abs=1e-6)  # the load is shared: the least-norm multipliers
    assert y == pytest.approx(x, rel=1e-5, abs=1e-6)


# --- redundant joints


def redundant(M, G, tolerance: float = CANCELLED) -> list[Redundant]:
    return dependent(candidates(M, G), tolerance)


def revolute(bodies: int, a: int, b: int, where, axis, centres) -> np.ndarray:
    """Five columns over (x', omega in space) of all bodies: point of b less point of a, axis across two directions."""
    axis = np.asarray(axis, dtype=float)
    across = np.linalg.svd(axis[None, :])[2][1:]
    G = np.zeros((6 * bodies, 5))
    for body, sign in ((a, -1.0), (b, 1.0)):
        if body >= 0:
            s = np.asarray(where, dtype=float) - centres[body]
            G[6 * body : 6 * body + 3, :3] = sign * np.eye(3)
            G[6 * body + 3 : 6 * body + 6, :3] = sign * np.cross(s, np.eye(3)).T
            G[6 * body + 3 : 6 * body + 6, 3:] = sign * across.T
    return G


CENTRES = np.array([[0.0, 0.5, 0.0], [1.0, 1.2, 0.0], [2.0, 0.7, 0.0]])
PINS = [(-1, 0, (0, 0, 0)), (0, 1, (0, 1, 0)), (1, 2, (2, 1.4, 0)), (2, -1, (2, 0, 0))]


def four_bar(axes) -> tuple[sparse.csr_array, sparse.csr_array]:
    columns = [revolute(3, a, b, p, axis, CENTRES) for (a, b, p), axis in zip(PINS, axes, strict=True)]
    M = np.diag(np.tile([2.0, 2.0, 2.0, 0.1, 0.2, 0.3], 3))
    M[3:6, 3:6] += 0.02
    return sparse.csr_array(M), sparse.csr_array(np.hstack(columns))


def check(M, G, found) -> None:
    """The named columns are combinations of exactly the columns said, and the others are independent."""
    G = G.toarray()
    named = [r.row for r in found]
    kept = np.setdiff1d(np.arange(G.shape[1]), named)
    assert np.linalg.matrix_rank(G[:, kept]) == kept.size
    for r in found:
        assert 0.0 <= r.ratio <= CANCELLED
        assert np.all(r.combination < r.row)
        assert not set(r.combination.tolist()) & set(named)
        c, *_ = np.linalg.lstsq(G[:, r.combination], G[:, r.row], rcond=None)
        assert G[:, r.combination] @ c == pytest.approx(G[:, r.row], abs=1e-10)
        assert np.all(np.abs(c) > 1e-6)  # none of them is idle


def test_a_planar_four_bar_of_revolutes_in_space_has_three_rows_too_many() -> None:
    M, G = four_bar([(0, 0, 1)] * 4)
    found = redundant(M, G)
    check(M, G, found)
    assert [r.row for r in found] == [17, 18, 19]  # out of plane, and the two tilts, of the joint that closes the loop
    assert found[1].combination.tolist() == [3, 8, 13]  # tilts of the three joints before
    assert found[2].combination.tolist() == [4, 9, 14]


def test_a_four_bar_with_other_axes_is_rigid_or_has_fewer() -> None:
    M, G = four_bar([(0, 0, 1), (0, 0, 1), (0, 0, 1), (0, 0.6, 0.8)])
    found = redundant(M, G)
    check(M, G, found)
    assert len(found) == 20 - np.linalg.matrix_rank(G.toarray()) == 2


def test_two_identical_joints_are_paired() -> None:
    M, G = four_bar([(0, 0, 1)] * 4)
    twice = sparse.csr_array(sparse.hstack([G[:, :10], G[:, 5:10], G[:, 10:15]]))
    found = redundant(M, twice)
    assert [(r.row, r.combination.tolist()) for r in found] == [(10 + k, [5 + k]) for k in range(5)]


def test_an_open_chain_has_none_and_an_empty_row_depends_on_nothing() -> None:
    M, G = four_bar([(0, 0, 1)] * 4)
    assert redundant(M, G[:, :15]) == []
    assert redundant(M, G[:, :0]) == []
    empty = sparse.csr_array(sparse.hstack([G[:, :5], sparse.csr_array((18, 1)), G[:, 5:10]]))
    found = redundant(M, empty)
    assert [(r.row, r.ratio, r.combination.tolist()) for r in found] == [(5, 0.0, [])]


def test_units_of_rows_and_unknowns_do_not_matter_and_the_input_is_left_alone() -> None:
    M, G = four_bar([(0, 0, 1)] * 4)
    plain = redundant(M, G)
    units = sparse.diags_array(10.0 ** np.random.default_rng(6).integers(-9, 10, 20))
    i, j, data = sparse.find(G @ units)
    assert G[0, 19] == 0.0
    entries = np.append(data, 0.0), (np.append(i, 0), np.append(j, 19))  # the last one is stored and zero
    scaled = sparse.csc_array(entries, shape=G.shape)
    before = scaled.nnz
    assert before == data.size + 1
    found = redundant(M, scaled)
    assert scaled.nnz == before
    assert [(r.row, r.combination.tolist()) for r in found] == [(r.row, r.combination.tolist()) for r in plain]


def test_nearly_dependent_columns_are_told_from_dependent_ones() -> None:
    M = sparse.csr_array(np.diag([1.0, 4.0]))
    for angle, count in ((1e-4, 0), (1e-8, 1)):
        G = sparse.csr_array(np.array([[1.0, 1.0], [0.0, angle]]))
        assert len(redundant(M, G)) == count
    G = sparse.csr_array(np.array([[1.0, 1.0], [0.0, 1e-4]]))
    (found,) = redundant(M, G, tolerance=1e-8)
    assert found.ratio == pytest.approx(0.25e-8, rel=1e-6)  # the second unknown weighs four times as much


def loops_in_a_row(count: int) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Four-bars, each standing on the coupler of the one before."""
    bodies = 3 * count
    centres = np.concatenate([CENTRES + [0.3 * k, k, 0.0] for k in range(count)])
    columns = []
    for k in range(count):
        for a, b, p in PINS:
            base = 3 * k - 2 if k else -1
            ends = [3 * k + body if body >= 0 else base for body in (a, b)]
            columns.append(revolute(bodies, *ends, np.array(p) + [0.3 * k, k, 0.0], (0, 0, 1), centres))
    return sparse.diags_array(np.tile([2.0, 2.0, 2.0, 0.1, 0.2, 0.3], bodies)).tocsr(), sparse.csr_array(
        np.hstack(columns)
    )


def test_many_columns_thinned_out_first_give_the_same_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    M, G = loops_in_a_row(6)
    full = redundant(M, G)
    check(M, G, full)
    assert len(full) == 18
    monkeypatch.setattr(dependent_columns, "DENSE_LIMIT", 10)
    sizes: list[int] = []
    in_order = dependent_columns._in_order

    def counted(W, columns, tolerance):
        sizes.append(W.shape[0])
        return in_order(W, columns, tolerance)

    rows: list[int] = []

    def noted(sym, *args):
        rows.append(sym.perm.size)
        return lu_factor(sym, *args)

    monkeypatch.setattr(dependent_columns, "_in_order", counted)
    monkeypatch.setattr(dependent_columns, "lu_factor", noted)
    thin = redundant(M, G)
    assert [r.row for r in thin] == [r.row for r in full]
    for a, b in zip(thin, full, strict=True):
        assert np.array_equal(a.combination, b.combination)
    assert len(sizes) >= 6  # the loops were told apart
    assert max(sizes) <= 20
    # motion in the plane and out of it are not connected; the columns of the one plainly do not depend on each other,
    # of the other one factorization shows all, the next is regular
    assert rows == [rows[0]] * 2
    assert 0 < rows[0] < sum(G.shape)


def test_combinations_of_many_columns_are_those_of_full_matrices(monkeypatch: pytest.MonkeyPatch) -> None:
    M, G = loops_in_a_row(6)
    found = redundant(M, G)
    null, misfit = null_directions(M, sparse.csc_array(G), found)
    assert np.allclose(null @ null.T, np.eye(18), rtol=0.0, atol=1e-13)
    assert abs(G @ null.T).max() < 1e-13
    assert misfit < 1e-13
    monkeypatch.setattr(dependent_columns, "FEW", 2)  # sparse from there on
    assert [row.row for row in redundant(M, G)] == [row.row for row in found]
    sparse_null, misfit = null_directions(M, sparse.csc_array(G), found)
    assert np.allclose(sparse_null.T @ sparse_null, null.T @ null, rtol=0.0, atol=1e-12)
    assert misfit < 1e-13


def test_a_mass_matrix_that_is_not_definite_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    M, G = four_bar([(0, 0, 1)] * 4)
    massless = M.toarray()
    massless[7, 7] = 0.0
    indefinite = M.toarray()
    indefinite[7, 8] = indefinite[8, 7] = 5.0
    for limit, wrong in itertools.product((500, 10), (massless, indefinite)):
        monkeypatch.setattr(dependent_columns, "DENSE_LIMIT", limit)
        with pytest.raises(InputError, match=r"definite.*unknown.*[78]"):
            redundant(sparse.csr_array(wrong), G)
