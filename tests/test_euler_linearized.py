"""Chrono's DVI step (Tasora 2017, eqs 107-123): closed forms, joints, energy, convex cones, what it refuses."""

import multibody_models as models
import numpy as np
import pytest
from frictional_systems import puck, pushed_block, with_friction
from runs import run
from systems import contacts, random_system, system

import flexmb as fm
from flexmb.errors import InputError
from flexmb.nonsmooth.convex_cones import ConvexCones

COULOMB, CONVEX = fm.EulerLinearized(), fm.EulerLinearized(cones="convex")


def sliding(mu=0.5, speed=3.0):
    return pushed_block(mu=mu, q0=(0.0, 0.0), v0=(speed, 0.0))


def test_a_block_that_begins_to_slide_hops_under_convex_cones():
    """m = 1, mu = 0.5, 3 m/s, h = 0.01: first step (3 - mu P, P - h g), P = (mu 3 + h g)/(1 + mu^2); then it floats."""
    block, motor = run(sliding(), CONVEX, 0.01, 50)
    np.testing.assert_allclose(block.probes[1, 2:], [2.36076, 1.18038], rtol=1e-12)
    assert block.gap.max() == pytest.approx(0.0769314, rel=1e-6)
    assert block.probes[-1, 2] == pytest.approx(0.5597625, abs=1e-12)  # Coulomb's law has 0.5475
    assert block.gap[-1, 0] / (0.01 * 0.5 * block.probes[-1, 2]) == pytest.approx(1.0, abs=1e-12)
    assert motor.tally().residual_max <= 1e-13 * motor.tally().energy_scale
    short, _ = run(sliding(), CONVEX, 0.001, 300)
    assert short.gap.max() == pytest.approx(0.0737542, rel=1e-5)  # at any step


def test_under_coulombs_law_it_slides_without_a_hop():
    block, motor = run(sliding(), COULOMB, 0.01, 50)
    assert np.abs(block.gap).max() <= 1e-15
    np.testing.assert_allclose(block.probes[:, 2], 3.0 - 0.5 * 9.81 * block.time, atol=1e-12)
    assert motor.tally().residual_max <= 1e-13 * motor.tally().energy_scale
    assert motor.tally().gain_steps == 0


@pytest.mark.parametrize("speed", [0.0, 0.01, 0.5, 100.0])
def test_a_penetration_leaves_with_the_recovery_speed_and_its_work_is_booked_apart(speed):
    depth, h = 0.01, 1e-3
    deep = pushed_block(mu=0.0, q0=(0.0, -depth))
    block, motor = run(deep, fm.EulerLinearized(recovery_speed=speed), h, 1)
    v = min(speed, depth / h)
    assert block.probes[1, 3] == pytest.approx(v, abs=1e-12)
    assert motor.tally().residual_max <= 1e-13 * max(motor.tally().energy_scale, 1.0)
    step = fm.EulerLinearized(recovery_speed=speed)
    state, fixed = deep.initial_state(0.0), step.prepare(deep, h)
    memory = step.start(deep, state, h, fixed, None)
    _, _, report = step.step(deep, state, h, memory, fixed, fm.ContactSolver())
    assert report.projection == pytest.approx(v * report.P[0], rel=1e-12)
    assert abs(report.contact[0]) <= 1e-14


@pytest.mark.parametrize("scheme", [COULOMB, CONVEX], ids=repr)
def test_a_block_that_stopped_on_an_incline_does_not_creep(scheme):
    incline = pushed_block(mu=0.5, q0=(0.0, 0.0), v0=(2.0, 0.0), mass=2.0, slope=np.radians(20.0))
    block, _ = run(incline, scheme, 1e-3, 2000)
    stays = 0.251117160261
    if scheme is COULOMB:
        assert block.probes[-1, 0] == pytest.approx(stays, abs=2e-3)
    assert np.ptp(block.probes[1200:, 0]) <= 1e-13


def test_numerical_energy_is_that_of_implicit_euler_and_friction_never_adds():
    rng = np.random.default_rng(1)
    base = random_system(1, nc=3, loaded=False, moving=False, e=0.0)
    con = with_friction(base.contacts, rng.normal(size=(base.nv, 3)), 0.4)
    s = system(base.M.toarray(), base.K.toarray(), base.C.toarray(), base.F0, con=con, q0=base.q0, v0=base.v0)
    state, h = s.initial_state(0.0), 0.01
    fixed = COULOMB.prepare(s, h)
    memory, slid = COULOMB.start(s, state, h, fixed, None), 0
    for _ in range(200):
        new, memory, report = COULOMB.step(s, state, h, memory, fixed, fm.ContactSolver())
        dv, dq = new.v - state.v, new.q - state.q
        lost = -0.5 * dv @ (s.M @ dv) - 0.5 * dq @ (s.K @ dq)
        assert report.numerical == pytest.approx(lost, rel=1e-9, abs=1e-13)
        assert report.sliding.max() <= 1e-14
        assert np.abs(report.contact).max() <= 1e-10
        slid += (report.sliding < -1e-9).any()
        state = new
    assert slid > 10


@pytest.mark.parametrize("scheme", [COULOMB, CONVEX], ids=repr)
@pytest.mark.parametrize("slides", [1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_the_ledger_closes_with_friction_and_moving_surfaces(scheme, slides, seed):
    rng = np.random.default_rng(seed)
    base = random_system(seed, nc=3, e=0.0)
    H, drift = rng.normal(size=(base.nv, 3 * slides)), rng.normal(size=3 * slides)
    con = with_friction(base.contacts, H, rng.uniform(0, 1, 3), slides, drift)
    parts = (base.M.toarray(), base.K.toarray(), base.C.toarray(), base.F0, base.loads)
    block, motor = run(system(*parts, con=con, q0=base.q0, v0=base.v0), scheme, 1e-2, 80)
    assert motor.failure is None
    assert block.impulse.any()
    assert motor.tally().residual_max <= 1e-12 * motor.tally().energy_scale


@pytest.mark.parametrize("scheme", [COULOMB, CONVEX], ids=repr)
def test_results_do_not_depend_on_the_tangents(scheme):
    one, other = (run(puck(0.3, turn=turn), scheme, 0.01, 40)[0] for turn in (0.0, 0.7))
    np.testing.assert_allclose(other.probes, one.probes, atol=1e-10)


def test_joints_hold_positions_and_the_order_is_one():
    """A four-bar linkage under a torque: joints are pushed back in every step, their errors stay O(h^2)."""
    exact = fm.simulate(models.four_bar(), fm.GeneralizedAlpha(rho_inf=0.9), step=1e-4, end=0.4, every=4000)
    errors, drifts = [], []
    for n in (200, 400, 800):
        found = fm.simulate(models.four_bar(), COULOMB, steps=n, end=0.4)
        errors.append(max(np.abs(found.signals[s][-1] - exact.signals[s][-1]).max() for s in exact.signals))
        drifts.append(max(np.abs(joint.position_error).max() for joint in found.joints.values()))
        energy = found.summary["energy"]
        assert energy["residual_max"] <= 1e-12 * energy["scale"]
    assert np.log2(errors[0] / errors[2]) / 2 == pytest.approx(1.0, abs=0.2)
    assert np.log2(drifts[0] / drifts[2]) / 2 == pytest.approx(2.0, abs=0.2)


def random_problem(rng, shape, rank):
    """A problem with a semidefinite W of this rank, and coefficients of all discs."""
    n = int((1 + shape.sum(axis=1)).sum())
    A = rng.normal(size=(n, rank))
    law = np.where(shape > 0, rng.uniform(0.05, 1.5, shape.shape), 0.0)
    return A @ A.T / rank, A @ rng.normal(size=rank), law  # b in the range of W: there is a solution


@pytest.mark.parametrize("seed", range(30))
def test_convex_problems_are_solved_and_meet_both_cones(seed):
    rng = np.random.default_rng(seed)
    nb = int(rng.integers(1, 7))
    shape = np.stack([rng.integers(0, 3, nb), rng.integers(0, 3, nb), rng.integers(0, 2, nb)], axis=1)
    n = int((1 + shape.sum(axis=1)).sum())
    W, b, law = random_problem(rng, shape, n + 2 if seed % 2 else max(n // 2, 1))
    cones = ConvexCones(shape, law)
    P, _ = cones.solve(W, b, np.zeros(n), 1e-10)
    U, scale = W @ P + b, np.abs(b).max()
    assert abs(P @ U) <= 1e-8 * scale * max(np.abs(P).max(), 1.0)
    for i, at in enumerate(cones.first):
        rates = sum(mu * np.linalg.norm(U[rows]) for rows, mu in cones.discs[i])
        assert U[at] >= rates - 1e-8 * scale  # K*
        assert all(np.linalg.norm(P[rows]) <= mu * P[at] + 1e-9 * max(P[at], 1.0) for rows, mu in cones.discs[i])  # K


@pytest.mark.parametrize("seed", range(5))
def test_the_derivative_of_the_projection(seed):
    rng = np.random.default_rng(seed)
    shape = np.array([[2, 2, 1], [2, 0, 0], [0, 2, 1], [1, 0, 0], [0, 0, 0]])
    cones = ConvexCones(shape, rng.uniform(0.2, 1.2, shape.shape))
    x = rng.normal(size=cones.n)
    _, J = cones.project(x)
    eps = 1e-7
    columns = [(cones.project(x + eps * e)[0] - cones.project(x - eps * e)[0]) / (2 * eps) for e in np.eye(cones.n)]
    np.testing.assert_allclose(J, np.stack(columns, axis=1), atol=1e-6)


def test_what_is_refused_and_what_is_said():
    model = fm.Model(gravity=(0, 0, -9.81))
    model.add(fm.Particle("ball", 1.0, position=(0, 0, 1)))
    model.add(fm.NodePlane("floor", node="ball", normal=(0, 0, 1), restitution=0.5))
    with pytest.raises(InputError) as refused:
        fm.simulate(model, COULOMB, step=0.01, end=0.1)
    assert (refused.value.key, refused.value.value) == ("restitution", 0.5)
    assert "floor" in str(refused.value)
    for key, value in (("cones", "cone"), ("recovery_speed", -1.0), ("recovery_speed", "fast")):
        with pytest.raises(InputError) as refused:
            fm.EulerLinearized(**{key: value})
        assert (refused.value.key, refused.value.value) == (key, value)
    assert not COULOMB.notes(False)
    assert "convex" in CONVEX.notes(False)[0]
    con = with_friction(contacts(2, [[0.0], [1.0]], g0=[0.0], e=[0.0]), [[1.0], [0.0]], 0.3)
    con.blocks.e_T[:] = 0.5
    for scheme in (COULOMB, fm.Potra()):
        with pytest.raises(InputError) as refused:
            scheme.check_laws(system(np.eye(2), np.eye(2), con=con))
        assert refused.value.key == "tangential_restitution"
