"""Contact problems with friction: closed forms, the judge, random problems, and the stage that compiled loops call."""

from __future__ import annotations

import numpy as np
import pytest

from flexmb.kernels.compilation.stages import Stage
from flexmb.kernels.cones.cone_hard import HARD_CONES, solve_sent_hard
from flexmb.kernels.cones.cone_stage import CONES, send_cones
from flexmb.kernels.cones.cones import AUTO, EXACT, LEMKE, NEWTON, NSGS, PROXIMAL, PSOR, judge_cones, solve_cones

PLANAR, SPATIAL, ROLLING, SPHERICAL = (1, 0, 0), (2, 0, 0), (2, 2, 1), (3, 0, 0)


def solve(W, b, shape, law, method=AUTO, tol=1e-12, P=None):
    P = np.zeros(len(b)) if P is None else P
    shape, law = np.array(shape, dtype=np.int64).reshape(-1, 3), np.array(law, dtype=float).reshape(-1, 3)
    W, b = np.ascontiguousarray(W, dtype=float), np.array(b, dtype=float)
    iterations, residual, worst = solve_cones(W, b, shape, law, P, method, 0, tol)
    assert (worst, residual) == judge_cones(W, b, shape, law, P) or len(b) == len(shape)
    return P, W @ P + b, residual


# A rod of length 1 and mass 1 that strikes the floor at 45 degrees (closed forms).

ROD = np.array([[2.5, -1.5], [-1.5, 2.5]])


@pytest.mark.parametrize(
    ("before", "mu", "e", "e_T", "P", "after"),
    [
        ((-1.0, -1.0), 0.3, 0.5, 0.0, (0.73170732, 0.21951220), (0.5, -1.54878049)),
        ((-1.0, -0.2), 0.8, 0.5, 0.0, (1.0125, 0.6875), (0.5, 0.0)),
        ((-1.0, -0.2), 0.8, 0.5, 0.5, (1.05, 0.75), (0.5, 0.1)),
        ((-1.0, -0.2), 0.8, 1.0, 1.0, (1.4, 1.0), (1.0, 0.2)),
        ((-1.0, 1.0), 0.8, 1.0, 0.0, (0.875, 0.125), (1.0, 0.0)),
        ((-1.0, 1.0), 0.8, 1.0, 1.0, (0.54054054, -0.43243243), (1.0, -0.89189189)),
    ],
)
@pytest.mark.parametrize("method", [AUTO, EXACT, NSGS, PSOR, NEWTON, PROXIMAL])
def test_rod_striking_the_floor(before, mu, e, e_T, P, after, method):
    U0 = np.array(before)
    shift = np.array([e, e_T]) * U0
    found, U, residual = solve(ROD, U0 + shift, PLANAR, (mu, 0, 0), method)
    assert residual <= 1e-12
    np.testing.assert_allclose(found, P, atol=6e-9)
    np.testing.assert_allclose(U - shift, after, atol=6e-9)


@pytest.mark.parametrize("shape", [PLANAR, SPATIAL, (2, 2, 0), ROLLING, SPHERICAL, (3, 2, 1)])
def test_stage_answers_as_the_kernel_does(shape):
    rng = np.random.default_rng(3)
    nb, rows = 4, 1 + sum(shape)
    n = nb * rows
    G = rng.normal(size=(n - 3, n))
    W, b = G.T @ G, G.T @ rng.normal(size=n - 3)
    shapes, law = np.array([shape] * nb, dtype=np.int64), np.full((nb, 3), 0.3)
    P, Q = np.zeros(n), np.zeros(n)
    direct = solve_cones(W, b, shapes, law, P, AUTO, 0, 1e-11)
    sent = send_cones(CONES.door(), HARD_CONES.door(), W, b, shapes, law, Q, AUTO, 0, 1e-11)
    assert direct == sent
    assert direct[1] <= 1e-11
    assert P.tobytes() == Q.tobytes()


def test_methods_for_hard_problems_are_compiled_when_one_is_reached():
    W, b = np.eye(4) + 0.1, np.array([-1.0, 0.3, -1.0, -0.2])
    shapes, law, P = np.array([PLANAR] * 2, dtype=np.int64), np.full((2, 3), 0.5), np.zeros(4)
    hard = Stage(solve_sent_hard)  # one of its own: others may have asked for that of the solver
    door = hard.door()
    assert send_cones(CONES.door(), door, W, b, shapes, law, P, AUTO, 0, 1e-12)[1] <= 1e-12
    assert "_compiled" not in hard.__dict__
    Q = np.zeros(4)
    assert send_cones(CONES.door(), door, W, b, shapes, law, Q, LEMKE, 0, 1e-12)[1] <= 1e-12
    assert "_compiled" in hard.__dict__
    np.testing.assert_allclose(Q, P, rtol=1e-10)


def redundant(rng, shape, nb):
    """A rigid body of six degrees of freedom on nb feet of a floor: W of rank six at most."""
    rows = 1 + sum(shape)
    place = rng.normal(size=(nb, 2))
    G = np.zeros((6, nb * rows))
    for i, (x, y) in enumerate(place):
        to = np.hstack([np.eye(3), -np.array([[0, 1.0, y], [-1.0, 0, -x], [-y, x, 0]])])  # velocity at (x, y, -1)
        axes = [to[2], to[0], to[1], np.eye(6)[3], np.eye(6)[4], np.eye(6)[5]]
        picked = [0, *range(1, 1 + shape[0]), *range(3, 3 + shape[1]), *range(5, 5 + shape[2])]
        G[:, i * rows : (i + 1) * rows] = np.array([axes[k] for k in picked]).T
    return G.T @ G, G


@pytest.mark.parametrize("shape", [PLANAR, SPATIAL, (2, 2, 0), ROLLING])
@pytest.mark.parametrize("warm", [False, True])
def test_answers_are_brought_to_round_off(shape, warm):
    """Also where the tolerance is coarse, and where the warm start met it: creep must not add up over steps."""
    rng = np.random.default_rng(5)
    W, G = redundant(rng, shape, 6)
    b = G.T @ np.array([0.3, -0.2, -1.0, 0.1, 0.05, 0.2])
    law = [(0.4, 0.05, 0.02)] * 6
    P = np.zeros(b.size)
    if warm:
        P, _, _ = solve(W, b, [shape] * 6, law, NSGS, tol=1e-7)
    P, _, residual = solve(W, b, [shape] * 6, law, AUTO, tol=1e-6, P=P)
    assert residual <= 1e-15
