"""Energy identities close to round-off through impacts, with damping, loads and moving planes."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from runs import MEMBERS, label, run
from systems import random_system

from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.schemes import HHT, GeneralizedAlpha, Newmark, SchatzmanPaoli


@pytest.mark.parametrize("scheme", MEMBERS, ids=label)
@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    nc=st.integers(0, 4),
    damped=st.booleans(),
    loaded=st.booleans(),
    moving=st.booleans(),
    h=st.sampled_from([1e-3, 1e-2, 0.1]),
)
def test_ledger_closes_on_random_systems(scheme, seed, nc, damped, loaded, moving, h):
    system = random_system(seed, nc=nc, damped=damped, loaded=loaded, moving=moving)
    block, motor = run(system, scheme, h, 60)
    assert motor.failure is None
    T, V, ext, damp, con, num, res, _, cross = block.energy.T[:9]
    assert not cross.any()
    total = T + V
    # what is left over, from the definition and not from the ledger's own column
    left = total - total[0] - ext - damp - con - num
    scale = max(np.abs(total).max(), np.abs(T).max(), motor.tally().energy_scale)
    assert np.abs(left).max() <= 1e-12 * scale
    np.testing.assert_allclose(res, left, atol=1e-13 * scale)


@pytest.mark.parametrize("scheme", MEMBERS, ids=label)
@pytest.mark.parametrize("engine", ["compiled", "general"])
def test_ledger_closes_with_gyroscopic_and_cross_coupled_forces(scheme, engine):
    """Residuals are round-off; cross-coupling and a drive have columns of their own."""
    for seed, h, damped in ((0, 1e-3, True), (1, 1e-2, False), (2, 1e-2, True), (3, 0.1, True)):
        steps = 12 if scheme.name == "naive-hht" else 60
        system = random_system(seed, nc=seed % 4, damped=damped, spin=True)
        block, motor = run(system, scheme, h, steps, engine)
        assert motor.failure is None
        T, V, ext, damp, con, num, res, drive, cross = block.energy.T[:9]
        left = T + V - (T + V)[0] - ext - damp - con - num
        scale = motor.tally().energy_scale
        assert max(np.abs(left).max(), np.abs(res).max()) <= 1e-13 * scale
        assert np.abs(cross).max() > 1e-3 * scale
        assert np.abs(drive).max() > 1e-4 * scale


@pytest.mark.parametrize("scheme", MEMBERS, ids=label)
def test_work_of_gyroscopic_forces_is_nothing_but_numerical(scheme):
    """It is zero for the midpoint-like schemes, and vanishes with the step for all others."""
    system = random_system(7, nc=0, loaded=False, damped=False, spin=True)
    system = replace(system, cross=None, F0=np.zeros(system.nv))
    changes = []
    for n in (100, 200, 400):
        block, _ = run(system, scheme, 0.4 / n, n)
        T, V, *works = block.energy.T
        assert not np.any([works[k] for k in (0, 1, 2, 5, 6)])
        changes.append(np.abs(T + V - T[0] - V[0]).max() / (T[0] + V[0]))
    assert changes[2] <= 1e-13 or changes[2] <= 0.6 * changes[1] <= 0.6**2 * changes[0]


@pytest.mark.parametrize("spin", [False, True])
@pytest.mark.parametrize("scheme", MEMBERS, ids=label)
def test_impacts_do_happen_in_these_systems(scheme, spin):
    counts = [run(random_system(seed, spin=spin), scheme, 1e-2, 60)[1].tally().contact_steps for seed in range(4)]
    assert min(counts) >= 1
    assert sum(counts) >= 10


def _steps(system, scheme, h, n):
    """Yield (old state, new state, memory before, memory after, report)."""
    solver = ContactSolver()
    fixed = scheme.prepare(system, h)
    state = system.initial_state(0.0)
    memory = scheme.start(system, state, h, fixed, solver)
    for _ in range(n):
        new, after, report = scheme.step(system, state, h, memory, fixed, solver)
        yield state, new, memory, after, report
        state, memory = new, after


def _energy(system, s):
    return system.kinetic(s.v) + 0.5 * float(s.q @ (system.K @ s.q))


@pytest.mark.parametrize(("beta", "gamma"), [(0.25, 0.5), (0.4, 0.6), (0.5, 1.0)])
@pytest.mark.parametrize("seed", range(3))
def test_newmark_algorithmic_energy(seed, beta, gamma):
    """Acary 2019, eq 103, with h^2 where h is printed."""
    system = random_system(seed, moving=False)
    h = 0.02
    M, K, C, G = system.M, system.K, system.C, system.contacts.G
    pushed = 0
    for old, new, before, after, report in _steps(system, Newmark(beta, gamma, ggl=False), h, 80):
        a0, a1 = before.vectors[0], after.vectors[0]
        dq, da = new.q - old.q, a1 - a0

        def algorithmic(s, a):
            return _energy(system, s) + h**2 / 4 * (2 * beta - gamma) * float(a @ (M @ a))

        F_g = gamma * system.F(new.t) + (1 - gamma) * system.F(old.t)
        v_g = gamma * new.v + (1 - gamma) * old.v
        left = algorithmic(new, a1) - algorithmic(old, a0) - dq @ F_g + dq @ (C @ v_g)
        U_half = 0.5 * (G.T @ (new.v + old.v))
        right = (0.5 - gamma) * (dq @ (K @ dq) + h**2 / 2 * (2 * beta - gamma) * da @ (M @ da)) + U_half @ report.P
        assert left == pytest.approx(right, abs=1e-11)
        pushed += report.P.any()
    assert pushed >= 1


@pytest.mark.parametrize("alpha", [0.05, 0.2, 1 / 3])
@pytest.mark.parametrize("seed", range(3))
def test_hht_algorithmic_energy(seed, alpha):
    """Acary 2019, eq 110, in the corrected form with w = dq / 2 and filtered loads and velocities."""
    system = random_system(seed, moving=False)
    scheme, h = HHT(alpha, ggl=False), 0.02
    c = scheme.coefficients
    beta, gamma = c.beta, c.gamma
    M, K, C, G = system.M, system.K, system.C, system.contacts.G
    w = np.zeros(system.nv)
    older = None
    for old, new, before, after, report in _steps(system, scheme, h, 80):
        a0, a1 = before.vectors[0], after.vectors[0]
        dq, da, w1 = new.q - old.q, a1 - a0, 0.5 * (new.q - old.q)
        F = [system.F(s.t) for s in (older or old, old, new)]
        v = [s.v for s in (older or old, old, new)]

        def mix(x):
            late, early = gamma * x[2] + (1 - gamma) * x[1], gamma * x[1] + (1 - gamma) * x[0]
            return (1 - alpha) * late + alpha * early

        def algorithmic(s, a, z):
            K_alg = _energy(system, s) + h**2 / 4 * (2 * beta - gamma) * float(a @ (M @ a))
            return K_alg + 2 * alpha * (1 - gamma) * float(z @ (K @ z))

        left = algorithmic(new, a1, w1) - algorithmic(old, a0, w) - dq @ mix(F) + dq @ (C @ mix(v))
        dw = w1 - w
        right = (
            0.5 * (G.T @ (new.v + old.v)) @ report.P
            - h**2 / 2 * (gamma - 0.5) * (2 * beta - gamma) * da @ (M @ da)
            - (gamma - 0.5 - alpha) * dq @ (K @ dq)
            - 2 * alpha * (1 - gamma) * dw @ (K @ dw)
        )
        assert left == pytest.approx(right, abs=1e-11)
        older, w = old, w1


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.8, 0.95])
def test_generalized_alpha_dissipates_its_algorithmic_energy(rho):
    """Our own form: numerical = -dA - D with D >= 0 between impacts (docstring of schemes.alpha_family)."""
    system = random_system(3, nc=0, loaded=False, damped=False)
    scheme, h = GeneralizedAlpha(rho), 0.1
    c = scheme.coefficients
    kappa = c.alpha_f - c.alpha_m
    M, K = system.M, system.K
    skew = h**2 * (c.beta - c.gamma / 2)
    stored = (0.5 - c.alpha_f) / kappa
    largest, z0 = 0.0, np.zeros(system.nv)
    for old, new, before, after, report in _steps(system, scheme, h, 100):
        a0, a1 = before.vectors[0], after.vectors[0]
        z1 = (kappa * (new.q - old.q) - c.alpha_m * z0) / (1.0 - c.alpha_m)

        def A(a, z):
            return 0.5 * skew * a @ (M @ a) + 0.5 * stored * z @ (K @ z)

        D = skew * kappa * (a1 - a0) @ (M @ (a1 - a0)) + stored * (0.5 - c.alpha_m) * (z1 - z0) @ (K @ (z1 - z0))
        assert D >= 0.0
        assert report.numerical == pytest.approx(-(A(a1, z1) - A(a0, z0)) - D, abs=1e-12)
        largest, z0 = max(largest, D), z1
    assert largest > 1e-6


def test_symmetric_schatzman_paoli_keeps_its_half_step_energy():
    system = random_system(5, nc=0, loaded=False, damped=False)
    h, values = 0.05, []
    for _, new, _, after, _ in _steps(system, SchatzmanPaoli(), h, 200):
        u = after.vectors[0]
        values.append(system.kinetic(u) + system.potential(new.q + 0.5 * h * u))
    assert np.ptp(values) <= 1e-12 * max(np.abs(values))
