"""Whole rotors in the loop of large motion: exact whirl of a shaft, run-up by a motor, rub, results."""

from __future__ import annotations

import numpy as np
import pytest
from multibody_models import run
from scipy import linalg
from test_spin_kernels import column, scale

import flexmb as fm
from flexmb.schemes import GeneralizedAlpha
from flexmb.system.multibody_system import MultibodySystem

SHAFT = {
    "stations": [0.0, 0.1, 0.25, 0.4, 0.5],
    "outer_diameter": 0.02,
    "material": {"young": 2.1e11, "density": 7800.0, "poisson": 0.3},
    "disks": [{"node": 2, "mass": 2.0, "inertia": 0.003, "polar_inertia": 0.005, "eccentricity": 2e-5}],
}


def shaft(spin, **more):
    bearings = [{"node": node, "stiffness": [[4e6, 3e5], [-3e5, 5e6]], "damping": 300.0} for node in (0, 4)]
    return fm.Rotor("rotor", spin=spin, **{**SHAFT, "bearings": bearings, "internal_damping": 2e-5, **more})


def model_of(rotor, gap=None, **more):
    model = fm.Model(gravity=(0.0, 0.0, -9.81))
    model.add(rotor)
    if gap is not None:
        model.add(fm.Clearance("rub", node="rotor.node(2)", gap=gap, **more))
    return model


def exact(rotor, W, t):
    """Return q(t) from rest of the rotor's matrices at the constant speed W, by its exact flow, (n, nv)."""
    parts = rotor.parts()
    spin, n = parts.spin, parts.nv
    M, C, K, G, N, S, X = (
        A.toarray() for A in (parts.M, parts.C, parts.K, spin.gyro, spin.circulation, spin.skew_damping, spin.cross)
    )
    C, K = C + W * G + S, K + W * N + X
    push = np.zeros(n, dtype=complex)
    for e in spin.excitations:
        U = e.amplitude * W**2 * np.exp(1j * e.phase)
        push[e.a] += U * e.a_factor
        push[e.b] += -1j * U * e.b_factor
    steady = np.linalg.solve(K - W**2 * M + 1j * W * C, push)
    static = np.linalg.solve(K, parts.gravity @ [0.0, 0.0, -9.81])
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
    x = -np.concatenate([static + steady.real, (1j * W * steady).real])
    flow, out = linalg.expm(A * (t[1] - t[0])), []
    for time in t:
        out.append(static + (steady * np.exp(1j * W * time)).real + x[:n])
        x = flow @ x
    return np.array(out)


def test_a_shaft_at_constant_speed_moves_exactly():
    W, errors = 300.0, []
    rotor = shaft({"kind": "constant", "speed": W})
    for h in (4e-5, 2e-5):
        result = run(model_of(rotor, gap=1.0), GeneralizedAlpha(0.8), h, round(0.02 / h))
        assert result.engine.failure is None
        wanted = exact(rotor, W, result.t)
        disk = slice(8, 10)  # v, w of the disk
        errors.append(np.abs(result.q[:, disk] - wanted[:, disk]).max() / np.abs(wanted[:, disk]).max())
        assert np.abs(column(result, "residual")).max() < 1e-9 * scale(result)
    assert errors[1] < 1e-3
    assert errors[0] / errors[1] == pytest.approx(4.0, abs=0.6)


def test_run_up_by_a_motor_with_rub():
    """All the torque brings is in spin and vibration, or lost; the disk stays within its ring."""
    spin = {"kind": "free", "speed": 50.0, "torque": 2.0, "drag": 1e-3}
    result = run(model_of(shaft(spin), gap=2e-5, restitution=0.5), GeneralizedAlpha(0.9), 2e-5, 5000)
    assert result.engine.failure is None
    speed = result.v[:, -1]
    assert speed[-1] > 70.0
    assert np.count_nonzero(result.impulse) > 20
    assert result.gap.min() > -1e-13
    assert np.abs(column(result, "residual")).max() < 1e-9 * scale(result)
    phi = result.q[:, -1] - result.q[0, -1]
    np.testing.assert_allclose(column(result, "work_drive"), 2.0 * phi, rtol=1e-6, atol=1e-9)


def test_results_have_the_spin():
    spin = {"kind": "ramp", "from": 0.0, "to": 100.0, "duration": 0.01}
    model = model_of(shaft(spin))
    assert isinstance(model.assemble(), MultibodySystem)
    result = fm.simulate(model, GeneralizedAlpha(0.8), step=5e-5, end=0.02)
    speed = np.asarray(result.signals["rotor.spin_speed"]).ravel()
    np.testing.assert_allclose(speed, np.minimum(100.0, 1e4 * np.asarray(result.time)), atol=1e-9)


@pytest.mark.parametrize(
    "spin",
    [
        {"kind": "constant", "speed": 200.0},
        {"kind": "ramp", "from": 150.0, "to": 400.0, "duration": 2.0},
        {"kind": "free", "speed": 120.0},
    ],
    ids=lambda spin: spin["kind"],
)
def test_a_rotor_can_start_sagged_in_large_motion_too(spin):
    """At rest but for its spin, all forces but those of the unbalance are in balance."""
    rotor = shaft(spin, disks=[{"node": 2, "mass": 2.0, "inertia": 0.003, "polar_inertia": 0.005}])
    model = model_of(rotor, gap=1e-3)
    model.initial_static = ("gravity",)
    system = model.assemble(["rotor.node(2).displacement"])
    assert isinstance(system, MultibodySystem)
    sagged = system.probes[0].evaluate(np.zeros(1), system.q0[None], system.v0[None], np.zeros((1, 0)))
    assert sagged[0, 2] < -1e-6  # from the straight shaft, not from the start
    n = rotor.parts().nv
    assert np.abs(system.q0[:n]).max() > 1e-6
    # the equations of the displacements at rest: W' = 0 but for the ramp, whose W' gyro q / 2 is a driving force
    f = system.f(0.0, system.q0, system.v0)[:n]
    if spin["kind"] == "ramp":
        f = f + 0.5 * 125.0 * (rotor.parts().spin.gyro @ system.q0[:n])
    flat = np.zeros_like(system.q0)
    assert np.abs(f).max() < 1e-9 * np.abs(system.f(0.0, flat, system.v0)[:n]).max()


def test_a_sagged_start_needs_bodies_of_small_displacement_and_the_weight():
    model = model_of(shaft({"kind": "free", "speed": 10.0}))
    model.initial_static = ("gravity", "push")
    with pytest.raises(fm.InputError, match=r'static = \["gravity"\]'):
        model.assemble()
    model.initial_static = ("gravity",)
    model.add(fm.Rigid("block", mass=1.0, inertia=(1.0, 1.0, 1.0)))
    with pytest.raises(fm.InputError, match="without joints"):
        model.assemble()
