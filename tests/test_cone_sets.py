"""Index sets with friction: random problems of many contacts, judged by the dense matrix; what makes them difficult."""

from __future__ import annotations

import numpy as np
import pytest
from rough_systems import run, with_friction
from systems import contacts, system

from flexmb.drive import Plan, choose_engine
from flexmb.kernels.compilation.arrays_at import Room
from flexmb.kernels.cones.cone_dense import solve_dense
from flexmb.kernels.cones.cone_problem import ITERATIONS, RESIDUAL
from flexmb.kernels.cones.cones import judge_cones, solve_cones
from flexmb.kernels.index_sets.cone_many import SparseCones, solve_sparse
from flexmb.nonsmooth.problem import residual
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.schemes.alpha import GeneralizedAlpha, Newmark
from flexmb.schemes.cone_contacts import cone_problem, dense_matrix
from flexmb.schemes.moreau_jean import MoreauJean
from flexmb.schemes.sparse_cones import sparse_cones


def chain(n, rng, slides, mu, stiffness, axes=False):
    """Nodes in space in a row, springs of any direction between them, and a tilted rough plane under each."""
    K, nv = np.zeros((3 * n, 3 * n)), 3 * n
    for i in range(n - 1):
        A = rng.normal(size=(3, 3))
        k = stiffness * (A @ A.T / 3.0 + 0.2 * np.eye(3))
        K[3 * i : 3 * i + 6, 3 * i : 3 * i + 6] += np.block([[k, -k], [-k, k]])
    rows = slides + (1 if axes else 0)
    G, H = np.zeros((nv, n)), np.zeros((nv, rows * n))
    for i in range(n):
        Q = np.linalg.qr(np.array([[0.0, 1, 0], [0, 0, 1], [1, 0, 0]]) + 0.3 * rng.normal(size=(3, 3)))[0]
        here = slice(3 * i, 3 * i + 3)
        G[here, i] = Q[:, 0]
        H[here, rows * i : rows * i + slides] = Q[:, 1 : 1 + slides]
        if axes:
            H[here, rows * i + slides] = rng.normal(size=3)
    spins = np.ones(n, dtype=np.int64) if axes else None
    con = with_friction(contacts(nv, G, g0=np.zeros(n), e=np.zeros(n)), H, slides, mu, spins=spins, spin=0.2)
    return system(np.diag(rng.uniform(0.5, 2.0, size=nv)), K, con=con)


def posed(s, scheme, h=0.03):
    fixed = scheme.prepare(s, h)
    c = cone_problem(s, fixed.numbers, h, ContactSolver(tolerance=1e-10))
    return c, Room(sparse_cones(s, fixed.numbers, c)), dense_matrix(fixed, c.first)


def give(c, rng):
    """Write a random right-hand side, and no guess."""
    nc = c.closed.size
    c.b[:] = rng.normal(size=c.b.size)
    c.b[c.first[:-1]] -= rng.choice([0.0, 1.0, 3.0])
    c.z[:], c.asked[:] = 0.0, 1
    if c.asked.size > nc:
        c.closed[:] = c.b[:nc] <= 0.0
        c.asked[nc:] = c.closed


@pytest.mark.parametrize("slides", [1, 2])
@pytest.mark.parametrize(("stiffness", "mu"), [(1e3, 2.0), (1e5, 0.3), (1e5, 1.0), (1e7, 1.0)])
@pytest.mark.parametrize("scheme", [MoreauJean(), Newmark(ggl=False)], ids=["one matrix", "two levels"])
def test_random_problems_are_solved_and_judged_alike(slides, stiffness, mu, scheme):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        c, room, W = posed(chain(40, rng, slides, mu, stiffness, axes=seed == 2), scheme)
        for _ in range(6):
            give(c, rng)
            solve_sparse(room.at, 0)
            assert c.answer[RESIDUAL] <= 1e-10
            assert judge_cones(W, c.b, c.shape, c.law, c.z)[1] <= 2e-10
            # the same motion as the dense solver's where that is unique
            P = np.zeros(c.z.size)
            solve_cones(W, c.b.copy(), c.shape, c.law, P, 0, 0, 1e-12)
            if mu < 0.5:
                assert np.abs(W @ (P - c.z)).max() <= 1e-8


@pytest.mark.parametrize("slides", [1, 2])
def test_positions_and_velocities_together(slides):
    """GGL: a velocity takes part where the contact is closed or its position pressed, and all laws hold at once."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        c, room, W = posed(chain(40, rng, slides, 0.5, 1e5), Newmark())
        nc = c.closed.size
        for _ in range(5):
            give(c, rng)
            closed = c.closed.copy()
            solve_sparse(room.at, 0)
            assert c.answer[RESIDUAL] <= 1e-10
            takes_part = (closed > 0) | (c.z[:nc] > 0.0)
            U = W @ c.z + c.b
            assert (U[:nc] >= -1e-9).all()
            assert np.abs(np.minimum(c.z[:nc], U[:nc])).max() <= 1e-8
            for i in np.flatnonzero(~takes_part):
                assert not c.z[c.first[nc + i] : c.first[nc + i + 1]].any()


def test_the_answer_is_a_guess_that_needs_one_set():
    rng = np.random.default_rng(5)
    c, room, _ = posed(chain(40, rng, 1, 0.5, 1e5), MoreauJean())
    give(c, rng)
    solve_sparse(room.at, 0)
    first, found = c.answer[ITERATIONS], c.z.copy()
    solve_sparse(room.at, 0)
    assert c.answer[ITERATIONS] == 1.0 < first
    assert np.abs(c.z - found).max() <= 1e-12 * np.abs(found).max()


def test_numbers_that_are_not_finite_are_named():
    rng = np.random.default_rng(6)
    c, room, _ = posed(chain(40, rng, 1, 0.5, 1e3), MoreauJean())
    give(c, rng)
    c.b[c.first[7] + 1] = np.nan
    solve_sparse(room.at, 0)
    assert not c.answer[RESIDUAL] < np.inf
    assert c.answer[2] == 7


def two_footed_bars(n, seed, mu=0.3):
    """Rigid bars in a plane, each with two feet above a rough floor, in a row with weak springs between them."""
    rng, nv = np.random.default_rng(seed), 3 * n
    G, H, K, F0 = np.zeros((nv, 2 * n)), np.zeros((nv, 2 * n)), np.zeros((nv, nv)), np.zeros(nv)
    for k in range(n):
        for j, x in enumerate((-0.5, 0.5)):
            G[3 * k + 1, 2 * k + j], G[3 * k + 2, 2 * k + j], H[3 * k, 2 * k + j] = 1.0, x, 1.0
    for k in range(n - 1):
        for d in (0, 1):
            pair = [3 * k + d, 3 * k + 3 + d]
            K[np.ix_(pair, pair)] += 50.0 * np.array([[1.0, -1.0], [-1.0, 1.0]])
    F0[1::3] = -10.0
    v = rng.normal(size=nv)
    v[1::3] = -abs(v[1::3])
    con = with_friction(contacts(nv, G, g0=rng.uniform(0.0, 0.02, 2 * n), e=np.zeros(2 * n)), H, 1, mu)
    return system(np.diag(np.tile([1.0, 1.0, 1.0 / 24.0], n)), K, F0=F0, con=con, v0=v)


def test_a_contact_that_its_position_closes_does_not_go_on_closing():
    """GGL: velocities join while positions are solved for; what was solved without them is no answer."""
    for seed in range(10):
        block, e = run(two_footed_bars(40, seed), GeneralizedAlpha(rho_inf=0.8, ggl=True), 2e-3, 20)
        assert isinstance(e.cones.solver, SparseCones)
        assert block.velocity[np.abs(block.gap) <= 1e-12].min() >= -1e-9, seed


def test_the_problem_that_comes_along_is_the_one_that_was_worked_on():
    """GGL: contacts that join while both levels are solved for are part of it."""
    solver, rng, joined = ContactSolver("auto"), np.random.default_rng(1), 0
    e = choose_engine(Plan(two_footed_bars(6, 0), GeneralizedAlpha(), solver, 1e-3, 0.0, 1, 1, 1))
    room, c = e.cones._solver, e.cones.cones
    nc = c.closed.size
    for _ in range(20):
        c.b[:], c.z[:] = rng.normal(size=c.b.size), 0.0
        c.closed[:] = c.b[:nc] <= 0.0
        c.asked[:nc], c.asked[nc:] = 1, c.closed
        solve_dense(room.at, 0)
        takes_part = (c.closed > 0) | (c.z[:nc] > 0.0)
        joined += int((takes_part & (c.closed == 0)).sum())
        failure = e.cones.failure(solver)
        assert failure.problem.nc >= 2 * takes_part.sum()
        assert np.count_nonzero(failure.solution.z) == np.count_nonzero(c.z)
        assert residual(failure.problem, failure.solution.z) <= 2.0 * solver.tolerance
    assert joined > 0
