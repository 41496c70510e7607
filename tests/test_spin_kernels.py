"""Spinning bodies in large motion: their equations written down again, exact motions, orders, energy."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from multibody_models import run
from rotor_models import Turns, Wheel, bearing, free, given, skew, wheels_of_every_kind
from scipy.integrate import solve_ivp

import flexmb as fm
from flexmb.kernels.geometry import tables as tab
from flexmb.kernels.geometry import time_functions
from flexmb.record.samples import ENERGY_COLUMNS
from flexmb.schemes import GeneralizedAlpha, MoreauJean, MoreauJeanDissipative, Newmark, SchatzmanPaoli

COLUMN = {name: k for k, name in enumerate(ENERGY_COLUMNS)}
NO_LOSS = GeneralizedAlpha(1.0)
ALL_KINDS = [
    *(GeneralizedAlpha(0.6), NO_LOSS, MoreauJean(0.7), MoreauJeanDissipative(0.8), SchatzmanPaoli()),
    *(SchatzmanPaoli(weighting="theta", theta=theta) for theta in (0.0, 0.5, 1.0)),
]
GRAVITY = np.array([0.4, -9.0, 2.0])


def model_of(*wheels, gravity=(0.0, 0.0, 0.0)):
    model = fm.Model(gravity=gravity)
    for wheel in wheels:
        model.add(wheel)
    return model


def column(result, name):
    return result.energy[:, COLUMN[name]]


def scale(result):
    """The energy that moved: what residuals are compared with."""
    return np.abs(result.energy).max()


# ------------------------------------------------------------------------------------------------- functions of time


@pytest.mark.parametrize("turns", [Turns([0.5], [3.0], 0.2), Turns([0.0, 1.0, 3.0], [2.0, 5.0, -1.0], 0.7)])
def test_speed_table_is_the_integral_of_its_speed(turns):
    kind, data = turns.code()
    functions = tab.Functions(np.array([kind]), np.array([0, data.size]), data)
    for t in (-1.0, 0.0, 0.3, 1.0, 1.7, 3.0, 4.0):
        found = [f(functions, 0, t) for f in (time_functions.value, time_functions.rate, time_functions.second)]
        np.testing.assert_allclose(found, [turns.value(t), turns.rate(t), turns.second(t)], rtol=1e-14)
    h = 1e-4
    for t in (-0.7, 0.4, 2.2, 5.0):
        value, rate = (
            [f(functions, 0, t + k * h) for k in (-1, 1)] for f in (time_functions.value, time_functions.rate)
        )
        assert (value[1] - value[0]) / (2 * h) == pytest.approx(time_functions.rate(functions, 0, t), abs=1e-8)
        assert (rate[1] - rate[0]) / (2 * h) == pytest.approx(time_functions.second(functions, 0, t), abs=1e-8)
    # a time that misses a corner by the last bit is after it
    assert time_functions.second(functions, 0, np.nextafter(1.0, 0.0)) == turns.second(1.0)


# ------------------------------------------------------------------------------------------------- the equations


def spin_at(wheel, t, phi):
    """Return phi, W, W' at t; ``phi`` (3,) are those of a free spin."""
    angle = wheel.spin.angle
    return phi if angle is None else (angle.value(t), angle.rate(t), angle.second(t))


def by_hand(wheel, t, q, v, a, phi, gravity):
    """Return left less right side of the equations of ``spin_parts``, (4,), and that of the spin."""
    phi, W, dW = spin_at(wheel, t, phi)
    M = np.diag([wheel.mass, wheel.mass, wheel.inertia, wheel.inertia])
    G, spin, y, z = wheel.gyro(), wheel.spin, *np.asarray(wheel.frame).T[1:]
    K, C = np.diag(wheel.K), np.diag(wheel.C)
    left = M @ a + (C + wheel.skew_damping + W * G) @ v
    left += (K + wheel.cross + W * wheel.circulation + 0.5 * dW * G) @ q
    left[:2] -= wheel.mass * np.array([y @ gravity, z @ gravity])
    for table in wheel.tables:
        Kj, Cj = table.at(W)
        left[:2] += Kj @ q[:2] + Cj @ v[:2]
    sums = np.zeros(4)
    weight = 0.0
    for x in wheel.excitations():
        c, s, U = np.cos(phi + x.phase), np.sin(phi + x.phase), x.amplitude
        left[x.a] -= x.a_factor * U * (W**2 * c + dW * s)
        left[x.b] -= x.b_factor * U * (W**2 * s - dW * c)
        sums[x.a] -= U * s * x.a_factor
        sums[x.b] += U * c * x.b_factor
        weight += U * (c * (z @ gravity) - s * (y @ gravity)) if x.weighs else 0.0
    if not spin.free:
        return left, 0.0
    left += dW * spin.torsion
    torque = spin.torque.value(t) - spin.drag * W + np.interp(W, *spin.characteristic) + weight
    torque += q @ wheel.circulation @ v - W * q @ wheel.resistance @ q
    return left, spin.inertia * dW + (spin.torsion + 0.5 * G @ q + sums) @ a - torque


@pytest.mark.parametrize("kind", [0, 1], ids=["given", "free"])
def test_momentum_and_forces_are_the_equations(kind):
    """Along any path dp/dt - F is left less right side of the equations, row by row."""
    wheel, gravity = wheels_of_every_kind()[kind], np.array([0.4, -9.0, 2.0])
    system = model_of(wheel, gravity=gravity).assemble()
    rng = np.random.default_rng(kind)
    n, T, h = system.nv, 0.6, 1e-3
    for _ in range(3):
        q, v, a = 0.3 * rng.normal(size=(3, n))
        if kind == 1:
            v[4] = 3.0 * rng.normal()

        def p(s, q=q, v=v, a=a):
            return system.momentum(q + s * v + 0.5 * s * s * a, v + s * a)

        rate = (8.0 * (p(h) - p(-h)) - (p(2 * h) - p(-2 * h))) / (12.0 * h)
        found = rate - system.f(T, q, v)
        rows, spin = by_hand(wheel, T, q[:4], v[:4], a[:4], (q[-1], v[-1], a[-1]), gravity)
        wanted = np.append(rows, spin)[:n]
        np.testing.assert_allclose(found, wanted, rtol=1e-8, atol=1e-9 * np.abs(wanted).max())


def test_classes_of_forces_do_the_works_they_are_booked_as():
    system = model_of(wheels_of_every_kind()[0]).assemble()
    rng = np.random.default_rng(0)
    q, v = rng.normal(size=(2, 4))
    F = system.at(0.3, q, v).F.copy()
    assert F[tab.INERTIA] @ v == pytest.approx(0.0, abs=1e-12 * np.abs(F[tab.INERTIA]).max())
    assert F[[tab.DRIVE, tab.CROSS, tab.DAMPING, tab.INERTIA]].any(axis=1).all()
    still = system.at(0.3, q, np.zeros(4)).F.copy()
    np.testing.assert_array_equal(still[tab.CROSS], F[tab.CROSS])
    assert not still[tab.DAMPING].any()
    # at the speed of the start the bearings store energy in the symmetric part of their stiffness
    at_rest = system.at(0.0, q, v).F[tab.CROSS].copy()
    wheel = wheels_of_every_kind()[0]
    K = wheel.cross + 3.0 * wheel.circulation
    for table in wheel.tables:
        odd = table.at(3.0)[0]
        K[:2, :2] += 0.5 * (odd - odd.T)
    np.testing.assert_allclose(at_rest, -K @ q, rtol=1e-12)


# ------------------------------------------------------------------------------------------------- exact motions


JEFFCOTT = {"mass": 2.0, "inertia": 0.3, "polar": 0.5, "K": [800.0, 800.0, 90.0, 90.0], "C": [3.0, 3.0, 0.4, 0.4]}


def whirl(m, gyro, c, k, U, W, t):
    """Return z(t) of m z'' + (c - i gyro) z' + k z = U W^2 exp(i W t) from rest."""
    steady = U * W**2 / (k - m * W**2 + 1j * W * (c - 1j * gyro))
    s1, s2 = np.roots([m, c - 1j * gyro, k])
    A = np.linalg.solve([[1.0, 1.0], [s1, s2]], [-steady, -1j * W * steady])
    return steady * np.exp(1j * W * t) + A[0] * np.exp(s1 * t) + A[1] * np.exp(s2 * t)


def jeffcott_error(h, scheme):
    W = 15.0
    wheel = Wheel("rotor", given([0.0], [W]), unbalance=0.02, tilt=0.01, **JEFFCOTT)
    result = run(model_of(wheel), scheme, h, round(1.0 / h))
    assert result.engine.failure is None
    v, w, theta_y, theta_z = result.q.T
    z = whirl(2.0, 0.0, 3.0, 800.0, 0.02, W, result.t)
    s = whirl(0.3, 0.5 * W, 0.4, 90.0, 0.01, W, result.t) * np.exp(0.4j)
    return max(
        np.abs(v + 1j * w - z).max() / np.abs(z).max(), np.abs(theta_z - 1j * theta_y - s).max() / np.abs(s).max()
    )


@pytest.mark.parametrize("scheme", [GeneralizedAlpha(0.8), MoreauJean(0.5), SchatzmanPaoli()], ids=repr)
def test_constant_spin_is_the_exact_whirl(scheme):
    """Lateral and tilting motion of a disk from rest, gyroscopic moments included; second order."""
    errors = [jeffcott_error(h, scheme) for h in (4e-3, 2e-3, 1e-3)]
    assert errors[-1] < 1e-3
    for coarse, fine in zip(errors[:-1], errors[1:], strict=True):
        assert 3.5 < coarse / fine < 4.5


def reference(wheel, gravity, end):
    """Integrate the equations of ``by_hand`` (linear in the accelerations) by a method of high order."""
    n = 5 if wheel.spin.free else 4

    def slope(t, x):
        q, v = x[:n], x[n:]

        def left(a):
            rows, spin = by_hand(wheel, t, q[:4], v[:4], a[:4], (q[-1], v[-1], a[-1]), gravity)
            return np.append(rows, spin)[:n]

        b = left(np.zeros(n))
        A = np.array([left(e) - b for e in np.eye(n)]).T
        return np.concatenate([v, -np.linalg.solve(A, b)])

    start = np.zeros(2 * n)
    start[n : n + 4] = wheel.velocity
    if wheel.spin.free:
        start[4], start[-1] = wheel.spin.phase, wheel.spin.speed
    return solve_ivp(slope, (0.0, end), start, method="DOP853", rtol=1e-11, atol=1e-13, dense_output=True).sol


def varying(kind):
    wheel = wheels_of_every_kind()[kind]
    wheel.tables = (bearing(1, (-50.0, 60.0)),)
    wheel.velocity = np.array([0.3, -0.2, 0.1, 0.4])
    if kind == 0:
        wheel.spin = given([0.0, 10.0], [3.0, 60.0], 0.4)
    else:
        wheel.spin = free(
            4.0,
            6.0,
            0.2,
            (0.0, 0.1, 0.2, 0.0),
            torque=Turns([0.0], [1.5]),
            drag=0.3,
            characteristic=(np.array([-50.0, 60.0]), np.array([20.0, -5.0])),
        )
    return wheel


@functools.cache
def exact_motion(kind):
    """Return a wheel of ``varying`` and its motion."""
    wheel = varying(kind)
    return wheel, reference(wheel, GRAVITY, 1.0)


@pytest.mark.parametrize("scheme", [GeneralizedAlpha(0.8), Newmark(), MoreauJean(), SchatzmanPaoli()], ids=repr)
@pytest.mark.parametrize("kind", [0, 1], ids=["given", "free"])
def test_varying_spin_with_all_terms_is_of_second_order(kind, scheme):
    (wheel, sol), gravity, errors = exact_motion(kind), GRAVITY, []
    for h in (4e-3, 2e-3, 1e-3):
        result = run(model_of(wheel, gravity=gravity), scheme, h, round(1.0 / h))
        assert result.engine.failure is None
        exact = sol(result.t)[: result.q.shape[1]].T
        errors.append((np.abs(result.q - exact).max(axis=0) / np.abs(exact).max(axis=0)).max())
    assert errors[-1] < 1e-3
    assert errors[0] / errors[1] == pytest.approx(4.0, abs=0.4)
    assert errors[1] / errors[2] == pytest.approx(4.0, abs=0.4)


def test_a_heavy_free_spin_is_a_given_one():
    """Run-up by a torque on a huge inertia, and by the ramp it makes."""
    keys = {**JEFFCOTT, "unbalance": 0.02, "tilt": 0.01, "circulation": skew(5.0, 0.2), "cross": skew(20.0, 1.0)}
    ramp = Wheel("rotor", given([0.0, 10.0], [5.0, 205.0]), **keys)
    pushed = {}
    for J in (1e6, 1e8):
        spin = free(5.0, J, characteristic=(np.array([0.0, 1e3]), np.full(2, 20.0 * J)))
        pushed[J] = run(model_of(Wheel("rotor", spin, **keys)), GeneralizedAlpha(0.8), 1e-3, 1000).q
    wanted = run(model_of(ramp), GeneralizedAlpha(0.8), 1e-3, 1000)
    exact = ramp.spin.angle.value(wanted.t)
    np.testing.assert_allclose(pushed[1e8][:, 4], exact, rtol=1e-9)
    size = np.abs(wanted.q).max(axis=0)
    # the schemes differ: W' is momentum in one and force in the other; what is left falls with the step
    assert (np.abs(pushed[1e8][:, :4] - wanted.q).max(axis=0) / size).max() < 2e-3
    assert np.abs(pushed[1e6] - pushed[1e8])[:, :4].max() < 1e-5 * size.max()


# ------------------------------------------------------------------------------------------------- energy


def unbalanced(**more):
    keys = {**JEFFCOTT, "C": [0.0] * 4, "unbalance": 0.05, "tilt": 0.02, "velocity": [0.5, 0.1, 0.2, -0.3]}
    return Wheel("rotor", free(12.0, 0.8, 0.3, (0.0, 0.0, 0.0, 0.0)), **{**keys, **more})


def test_a_free_spin_that_nothing_drives_keeps_its_energy():
    """Vibration and spin exchange energy; the sum drifts with the square of the step."""
    drifts = []
    for h in (2e-3, 1e-3, 5e-4):
        result = run(model_of(unbalanced(), gravity=(0.0, -9.81, 0.0)), NO_LOSS, h, round(1.0 / h))
        E = column(result, "kinetic") + column(result, "potential")
        drifts.append(np.abs(E - E[0]).max() / np.abs(E[0]))
        spin = 0.5 * 0.8 * result.v[:, 4] ** 2
        assert np.ptp(spin) > 1e-3 * E[0]
        for name in ("work_external", "work_damping", "work_drive", "work_cross"):
            assert not column(result, name).any()
        assert np.abs(column(result, "residual")).max() < 1e-9 * scale(result)
    assert drifts[-1] < 1e-5
    assert drifts[0] / drifts[1] == pytest.approx(4.0, abs=0.5)
    assert drifts[1] / drifts[2] == pytest.approx(4.0, abs=0.5)


@pytest.mark.parametrize("scheme", ALL_KINDS, ids=repr)
@pytest.mark.parametrize("kind", [0, 1], ids=["given", "free"])
def test_works_add_up(kind, scheme):
    result = run(model_of(wheels_of_every_kind()[kind], gravity=(0.4, -9.0, 2.0)), scheme, 2e-3, 500)
    assert result.engine.failure is None
    assert np.abs(column(result, "residual")).max() < 1e-9 * scale(result)
    for name in ("work_drive", "work_cross", "work_damping"):
        assert np.abs(column(result, name)).max() > 1e-3 * scale(result)
    np.testing.assert_allclose(
        column(result, "work_external"), column(result, "work_drive") + column(result, "work_cross")
    )


def test_works_are_those_of_the_forces():
    """Drive and cross of a run-up against the power of the written forces, integrated along the run."""
    wheel = Wheel("rotor", given([0.0, 10.0], [5.0, 205.0]), unbalance=0.02, cross=skew(20.0, 1.0), **JEFFCOTT)
    result = run(model_of(wheel), GeneralizedAlpha(0.9), 5e-4, 2000)
    phi, W, dW = (f(result.t) for f in (wheel.spin.angle.value, wheel.spin.angle.rate, wheel.spin.angle.second))
    v, w = result.v[:, 0], result.v[:, 1]
    push = 0.02 * (v * (W**2 * np.cos(phi) + dW * np.sin(phi)) + w * (W**2 * np.sin(phi) - dW * np.cos(phi)))
    push -= 0.5 * dW * np.einsum("ki,ij,kj->k", result.v, wheel.gyro(), result.q)
    cross = -np.einsum("ki,ij,kj->k", result.v, wheel.cross, result.q)
    for power, name in ((push, "work_drive"), (cross, "work_cross")):
        work = np.concatenate([[0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * 5e-4)])
        np.testing.assert_allclose(column(result, name), work, atol=2e-3 * np.abs(work).max())


def test_internal_damping_takes_from_a_free_spin_what_it_heats():
    """Above the first critical speed internal damping drives the whirl; spin and whirl together only lose energy."""
    beta = 0.01
    inner = beta * np.array([800.0, 800.0, 90.0, 90.0])
    S = skew(-1.0, -1.0)  # v -> -w, w -> v
    circulation = -np.diag(inner) @ S
    keys = {**JEFFCOTT, "C": inner, "circulation": circulation, "polar": 0.05}
    wheel = Wheel("rotor", free(60.0, 0.5), resistance=S.T @ np.diag(inner) @ S, velocity=[0.05, 0, 0, 0], **keys)
    result = run(model_of(wheel), NO_LOSS, 1e-3, 3000)
    E = column(result, "kinetic") + column(result, "potential")
    radius = np.hypot(result.q[:, 0], result.q[:, 1])
    assert radius[-500:].max() > 3.0 * radius[:500].max()
    assert result.v[-1, 4] < 59.99
    assert not column(result, "work_cross").any()
    assert (np.diff(column(result, "work_damping")) <= 0.0).all()
    assert E[-1] < E[0]
    bent = result.v[:, :4] - result.v[:, 4:] * (result.q[:, :4] @ S.T)
    heat = np.einsum("ki,i,ki->k", bent, inner, bent)
    work = -np.concatenate([[0.0], np.cumsum(0.5 * (heat[1:] + heat[:-1]) * 1e-3)])
    np.testing.assert_allclose(column(result, "work_damping"), work, atol=2e-3 * np.abs(work).max())


# ------------------------------------------------------------------------------------------------- signals


def test_signals_of_the_spin():
    wheels = wheels_of_every_kind()
    system = model_of(*wheels).assemble()
    names = [p.name for p in system.probes]
    assert {"given.spin_speed", "loose.spin_speed"} <= set(names)
    system = model_of(*wheels).assemble(
        ["given.spin_speed", "given.spin_angle", "loose.spin_speed", "loose.spin_angle"]
    )
    t = np.linspace(0.0, 2.0, 5)
    q, v = np.random.default_rng(0).normal(size=(2, 5, system.nv))
    found = [p.evaluate(t, q, v, np.zeros((5, 0)))[:, 0] for p in system.probes]
    angle = wheels[0].spin.angle
    np.testing.assert_allclose(found, [angle.rate(t), angle.value(t), v[:, 8], q[:, 8]])
    assert system.dof_names[8] == "loose.spin"
    model = model_of(*wheels)
    model.add(fm.Particle("dot", 1.0))
    with pytest.raises(fm.InputError, match="body 'dot'.*spin; rotors.*loose"):
        model.assemble(["dot.spin_speed"])
