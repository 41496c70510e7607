"""Moreau-Jean with joints: order, the energy of a pendulum, drift, and what joints do in impacts."""

from __future__ import annotations

import numpy as np
import pytest
from multibody_models import GRAVITY, SECTION, Z, pendulum, run

import flexmb as fm
from flexmb.schemes import GeneralizedAlpha, MoreauJean, MoreauJeanDissipative

KINETIC, POTENTIAL, EXTERNAL, DAMPING, CONTACT, NUMERICAL, RESIDUAL = range(7)
MASS, ARM, SPIN = 1.0, 0.5, 1.0 / 12.0
"""Of the pendulum: mass, distance of its centre from the pin, inertia about its centre."""
PIVOT = SPIN + MASS * ARM**2
WEIGHT = MASS * 9.81 * ARM


def orders(steps, errors):
    """Return the fitted orders of the columns of ``errors``, (len(steps), k)."""
    return -np.polyfit(np.log(steps), np.log(errors), 1)[0]


# ------------------------------------------------------------------------------------------------- the pendulum


@pytest.fixture(scope="module", params=[False, True], ids=["planar", "spatial"])
def swing(request):
    return pendulum(spatial=request.param).assemble()


@pytest.mark.parametrize("h", [1e-2, 1e-3])
def test_the_pendulum_keeps_its_energy_for_ten_seconds(swing, h):
    """What the joints do is a function of the state, so it comes back with every swing.

    Their work in a step, Lam . G(q_{k+1/2})^T v_{k+1/2} with velocities held at both ends, is
    -(h^2/4) lam . dG/dt^T dv - (h^3/8) lam . d2G/dt2^T v. For the pendulum, of the radial and the tangential force of
    the pin, that adds up to (h^2/16) (m a^2 + (I + J)/2) omega^4.
    """
    r = run(swing, MoreauJean(0.5), h, round(10.0 / h))
    energy, omega = r.energy[:, KINETIC] + r.energy[:, POTENTIAL], r.v[:, -1]
    expected = h**2 / 16.0 * (MASS * ARM**2 + 0.5 * (PIVOT + SPIN)) * omega**4
    assert expected.max() > 24.0 * h**2
    np.testing.assert_allclose(energy - energy[0], expected, atol=40.0 * h**2 * WEIGHT * h)
    still = np.abs(omega) < 0.2 * np.abs(omega).max()
    assert still[-len(still) // 8 :].any()
    assert np.abs(energy - energy[0])[still].max() <= 1e-5 * WEIGHT
    assert np.abs(r.energy[:, RESIDUAL]).max() <= 1e-13 * WEIGHT / h


def test_with_theta_one_it_loses_its_swing_with_the_first_order(swing):
    lost = []
    for h in (2e-3, 1e-3):
        r = run(swing, MoreauJean(1.0), h, round(2.0 / h))
        energy = r.energy[:, KINETIC] + r.energy[:, POTENTIAL]
        assert np.diff(energy).max() <= 1e-13 * WEIGHT
        lost.append(energy[0] - energy[-1])
    assert lost[1] > 1e-3 * WEIGHT
    assert lost[0] / lost[1] == pytest.approx(2.0, abs=0.1)


def test_velocities_hold_positions_drift_with_the_second_order_and_projection_brings_them_back(swing):
    drift = []
    for h in (1e-2, 5e-3, 2.5e-3):
        r = run(swing, MoreauJean(0.5), h, round(2.0 / h))
        assert np.abs(r.gdot).max() <= 1e-13 * np.abs(r.v).max()
        drift.append(np.abs(r.g).max())
        back = run(swing, MoreauJean(0.5, projection=True), h, round(2.0 / h))
        assert np.abs(back.g).max() <= 1e-12
    assert drift[0] > 1e-6
    assert np.log2(drift[0] / drift[1]) == pytest.approx(2.0, abs=0.1)
    assert np.log2(drift[1] / drift[2]) == pytest.approx(2.0, abs=0.1)


# --------------------------------------------------------------------------------------------------- its order


def driven():
    """A motor turns a crank to and fro, and a rod in space hangs on it."""
    model = fm.Model(gravity=GRAVITY, project=True)
    model.add(fm.Rigid("crank", mass=1.0, inertia=[0.01, 0.02, 0.02], center=(0.15, 0, 0), points={"tip": (0.3, 0, 0)}))
    keys = {"inertia": [0.06, 0.3, 0.27], "center": (0.5, 0, 0), "rotation": (0, 0.2, -0.3)}
    model.add(fm.Rigid("rod", mass=2.0, position=(0.3, 0, 0), **keys))
    drive = fm.Harmonic(amplitude=1.2, omega=4.0)
    model.add(fm.Revolute("motor", a="ground", b="crank", point=(0, 0, 0), axis=Z, drive=drive))
    model.add(fm.Spherical("ball", a="crank.tip", b="rod"))
    return model


def beam(kind, young, spin, **more):
    """A soft beam on a pin, with a body in space on a ball joint at its end; both turn about the pin at the start."""
    model, turning = fm.Model(gravity=GRAVITY, project=True), (0.0, 0.0, spin)
    material = {"young": young, "density": 3000.0}
    model.add(kind("beam", length=1.0, section=SECTION, material=material, angular_velocity=turning, **more))
    model.add(fm.Revolute("pin", a="beam.first", axis=Z))
    keys = {"mass": 0.5, "inertia": [0.002, 0.002, 0.003], "center": (0.1, 0, 0.02), "angular_velocity": turning}
    model.add(fm.Rigid("bob", position=(1, 0, 0), velocity=(0, spin, 0), **keys))
    model.add(fm.Spherical("ball", a="beam.last", b="bob"))
    return model


MODELS = {
    "driven": (driven, 0.5, 100),
    "exact beam": (lambda: beam(fm.ExactBeam, 2e5, 8.0, elements=3), 0.06, 200),
    "floating beam": (lambda: beam(fm.FloatingBeam, 2e7, 0.0, elements=4, modes=2), 0.3, 100),
}


@pytest.fixture(scope="module", params=MODELS, ids=str)
def moving(request):
    """A system, where it is at the end by another scheme, and the coarsest steps that resolve it."""
    build, end, n = MODELS[request.param]
    system, fine = build().assemble(), 64 * n
    r = run(system, GeneralizedAlpha(0.9), end / fine, fine, every=fine)
    return system, end, n, r.q[-1], r.v[-1]


@pytest.mark.parametrize(
    ("scheme", "order"),
    [
        (MoreauJean(0.5), 2.0),
        (MoreauJean(0.5, projection=True), 2.0),
        (MoreauJeanDissipative(0.5), 2.0),
        (MoreauJean(1.0), 1.0),
    ],
    ids=repr,
)
def test_order_with_drives_spatial_bodies_and_beams(moving, scheme, order):
    system, end, n, q, v = moving
    steps, errors, drifts = np.array([n, 2 * n, 4 * n, 8 * n]), [], []
    for k in steps.tolist():
        r = run(system, scheme, end / k, k, every=k)
        assert r.engine.failure is None
        errors.append([np.abs(r.q[-1] - q).max(), np.abs(r.v[-1] - v).max()])
        drifts.append(np.abs(r.g[-1]).max())
    if order == 2.0:
        assert orders(steps, np.array(errors)) == pytest.approx(2.0, abs=0.1)
    else:  # the fastest vibrations of a beam are damped out before they are resolved
        assert ((orders(steps, np.array(errors)) > 0.7) & (orders(steps, np.array(errors)) < 1.1)).all()
    if scheme.projection:
        assert max(drifts) < 1e-13
    else:
        assert orders(steps, np.array(drifts)) == pytest.approx(order, abs=0.1)


# --------------------------------------------------------------------------------------------------- impacts


@pytest.mark.parametrize("scheme", [MoreauJean(0.5), MoreauJeanDissipative(0.6)], ids=repr)
@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_joints_answer_an_impact_at_once_and_are_quiet_afterwards(restitution, scheme):
    """Velocities fit the joints right after it, its books close, and the pin's force is that of a pendulum again."""
    h = 1e-3
    r = run(pendulum(wall=0.5, restitution=restitution), scheme, h, 1500)
    hits = np.flatnonzero(r.impulse[:, 0] > 0.0)
    assert hits.size > 0
    assert np.abs(r.gdot).max() <= 1e-13 * np.abs(r.v).max()
    assert np.abs(r.energy[:, RESIDUAL]).max() <= 1e-11 * WEIGHT
    first = int(hits[0])
    assert np.abs(r.lam[first]).max() > 0.1 * MASS * 5.0 / h  # it takes part: force is impulse over h
    if restitution == 1.0:
        assert np.abs(r.energy[first, CONTACT]) <= 1e-9 * WEIGHT
    else:
        assert r.energy[first, CONTACT] < -1e-3 * WEIGHT
    if restitution == 0.0:
        return
    angle, omega = r.q[:, 2], r.v[:, 2]
    free = slice(first + 1, first + 100)
    assert not (r.impulse[free] > 0.0).any()
    # force on the rod: its centre moves on a circle; the force of a step belongs to its middle
    radial = -MASS * ARM * omega**2 + MASS * 9.81 * np.sin(angle)
    force = r.lam[free, 0] * np.cos(angle[free]) + r.lam[free, 1] * np.sin(angle[free])
    np.testing.assert_allclose(force, radial[free], atol=60.0 * h * MASS * 9.81)
    assert np.abs(np.diff(force, 2)).max() <= 60.0 * h**2 * MASS * 9.81 * 100.0
