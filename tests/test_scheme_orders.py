"""Measured orders: on smooth motion, and in L1 through impacts."""

from dataclasses import replace

import numpy as np
import pytest
from exact import bouncing_ball, impacting_oscillator, modal
from runs import MEMBERS, label, run
from scipy import sparse
from systems import contacts, random_system, system

from flexmb.schemes import (
    HHT,
    GeneralizedAlpha,
    MoreauJean,
    MoreauJeanDissipative,
    Newmark,
    SchatzmanPaoli,
)
from flexmb.system.linear_system import Probe


def slope(x, y):
    return np.polyfit(np.log(x), np.log(y), 1)[0]


def final_error(scheme, smooth, N, T):
    block, motor = run(smooth, scheme, T / N, N, fields_every=N)
    C, K = (smooth.C + smooth.gyro).toarray(), (smooth.K + smooth.cross).toarray()
    q, v = modal(smooth.M.toarray(), C, K, smooth.q0, smooth.v0, T)
    dq, dv = block.field_q[-1] - q, block.field_v[-1] - v
    # the energy norm of (q, v): no turning point can make it small
    return np.sqrt(dv @ (smooth.M @ dv) + dq @ (smooth.K @ dq))


@pytest.fixture(scope="module")
def smooth():
    free = random_system(11, nv=4, nc=0, loaded=False)
    return system(free.M.toarray(), free.K.toarray(), 0.3 * free.C.toarray(), q0=free.q0, v0=0.3 * free.v0)


@pytest.mark.parametrize("scheme", MEMBERS, ids=label)
def test_order_on_smooth_motion(scheme, smooth):
    N = np.array([400, 800, 1600, 3200, 6400])
    errors = [final_error(scheme, smooth, int(n), 1.3) for n in N]
    assert -slope(N, errors) == pytest.approx(scheme.order, abs=0.1)


@pytest.mark.parametrize("scheme", MEMBERS, ids=label)
def test_order_on_gyroscopic_and_cross_coupled_motion(scheme):
    free = random_system(11, nv=4, nc=0, loaded=False, spin=True)
    spinning = replace(free, C=0.3 * free.C, F0=np.zeros(free.nv), v0=0.3 * free.v0)
    N = np.array([400, 800, 1600, 3200, 6400])
    errors = [final_error(scheme, spinning, int(n), 1.3) for n in N]
    assert -slope(N, errors) == pytest.approx(scheme.order, abs=0.1)


def test_declared_orders():
    """Second order where theory says so, first order where a parameter damps at first order."""
    assert MoreauJean().order == SchatzmanPaoli().order == Newmark().order == 2
    assert HHT().order == GeneralizedAlpha().order == GeneralizedAlpha(0.0).order == 2
    assert MoreauJean(theta=1.0).order == SchatzmanPaoli(weighting="theta").order == 1
    assert Newmark(0.5, 0.8).order == HHT(0.1, 0.5, 1.0).order == MoreauJeanDissipative().order == 1


def ball():
    probe = [
        Probe("q", "q", np.zeros(1), sparse.csr_array(np.eye(1))),
        Probe("v", "v", np.zeros(1), sparse.csr_array(np.eye(1))),
    ]
    con = contacts(1, np.ones((1, 1)), g0=[0.0], e=[0.5])
    return system(np.eye(1), np.zeros((1, 1)), F0=[-2.0], q0=[1.0], con=con, probes=probe)


def oscillator():
    probe = [
        Probe("q", "q", np.zeros(1), sparse.csr_array(np.eye(1))),
        Probe("v", "v", np.zeros(1), sparse.csr_array(np.eye(1))),
    ]
    con = contacts(1, np.ones((1, 1)), g0=[0.0], e=[0.7])
    return system([[1.0]], [[4.0]], [[0.2]], q0=[1.0], con=con, probes=probe)


PRIMES = [
    503,
    563,
    631,
    719,
    809,
    907,
    1009,
    1151,
    1277,
    1433,
    1613,
    1811,
    2039,
    2287,
    2579,
    2897,
    3251,
    3659,
    4111,
    4621,
    5189,
    5839,
    6563,
    7393,
    8287,
    9319,
    10477,
    11777,
    13229,
    14869,
    16729,
    18793,
    21121,
    23741,
    26693,
    30011,
]
IMPACT_SCHEMES = [
    MoreauJean(),
    MoreauJean(theta=1.0),
    MoreauJeanDissipative(),
    SchatzmanPaoli(),
    Newmark(),
    Newmark(ggl=False),
    HHT(),
    HHT(ggl=False),
    GeneralizedAlpha(),
    GeneralizedAlpha(ggl=False),
]


@pytest.mark.parametrize("scheme", IMPACT_SCHEMES, ids=label)
@pytest.mark.parametrize(
    ("make", "exact", "T"),
    [(ball, bouncing_ball, 4.0), (oscillator, impacting_oscillator, 7.0)],
    ids=["ball", "oscillator"],
)
def test_first_order_in_L1_through_impacts(scheme, make, exact, T):
    """Positions and velocities, L1 over the whole run, fitted over 36 prime step counts."""
    s = make()
    errors = []
    for N in PRIMES:
        block, motor = run(s, scheme, T / N, N)
        q, v = exact(block.time)
        h = T / N
        errors.append(h * (np.abs(block.probes[:, 0] - q).sum() + np.abs(block.probes[:, 1] - v).sum()))
    rate = -slope(np.array(PRIMES, dtype=float), errors)
    assert rate == pytest.approx(1.0, abs=0.12)
    assert errors[-1] < 80.0 * T / PRIMES[-1]


def test_ball_comes_to_rest_after_the_accumulation():
    for scheme in IMPACT_SCHEMES:
        block, motor = run(ball(), scheme, 4.0 / 2003, 2003)
        rest = block.time > 3.1
        # a scheme of step h cannot follow bounces shorter than h
        assert np.abs(block.probes[rest, 0]).max() < 2e-3, scheme
        assert np.abs(block.probes[rest, 1]).max() < 1e-2, scheme
        # momentum: weight times time against impulses
        assert block.impulse.sum() == pytest.approx(2.0 * 4.0, abs=1e-2), scheme
