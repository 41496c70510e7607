"""What the constrained integrator promises: order, joints held, momentum and energy kept, books that close."""

from __future__ import annotations

import numpy as np
import pytest
from multibody_models import asymmetric_body, double_pendulum, four_bar, four_bar_angles, pendulum, plan_of, run
from references import four_bar as reference

import flexmb as fm
from flexmb.drive.multibody_engine import MultibodyEngine
from flexmb.errors import SimulationError

ALPHA = {
    "index3": fm.GeneralizedAlpha(rho_inf=0.8, ggl=False, constraints="index3"),
    "index2": fm.GeneralizedAlpha(rho_inf=0.8, ggl=False, constraints="index2"),
    "ggl": fm.GeneralizedAlpha(rho_inf=0.8),
}
FAMILY = [
    *((name, scheme) for name, scheme in ALPHA.items()),
    ("rho 0", fm.GeneralizedAlpha(rho_inf=0.0)),
    ("rho 1", fm.GeneralizedAlpha(rho_inf=1.0)),
    ("hht", fm.HHT(alpha=0.1)),
    ("newmark", fm.Newmark()),
]
SCHEMES = [
    *(scheme for _, scheme in FAMILY),
    fm.MoreauJean(theta=0.5),
    fm.MoreauJean(theta=1 / 1.8, projection=True),
    fm.MoreauJeanDissipative(theta=0.5),
]


@pytest.fixture(scope="module")
def linkage():
    return four_bar().assemble()


def closing_force(run_):
    """Multipliers of the pin between coupler and rocker: the reference's lam, force on the rocker's end negative."""
    return run_.lam[:, 4:6]


@pytest.mark.parametrize(("name", "scheme"), FAMILY, ids=[name for name, _ in FAMILY])
def test_second_order_in_positions_velocities_and_multipliers(linkage, name, scheme):
    end, errors = 0.4, []
    q, v, lam = reference.trajectory(np.array([0.0, end]))
    counts = [200, 400, 800, 1600]
    for n in counts:
        r = run(linkage, scheme, end / n, n, every=n)
        angle, rate = four_bar_angles(r.q, r.v)
        force = np.abs(np.abs(closing_force(r)[-1]) - np.abs(lam[-1])).max()
        errors.append([np.abs(angle[-1] - q[-1]).max(), np.abs(rate[-1] - v[-1]).max(), force])
    slopes = -np.polyfit(np.log(counts), np.log(np.array(errors)), 1)[0]
    assert (slopes > 1.85).all(), slopes
    assert (slopes < 2.6).all(), slopes
    assert errors[-1][0] < 2e-5


@pytest.mark.slow
def test_four_bar_to_nine_digits_with_a_tight_tolerance(linkage):
    q, v, lam = reference.trajectory(np.array([0.0, 2.0]))
    r = run(linkage, fm.GeneralizedAlpha(rho_inf=0.9), 0.5, 4, tolerance=3e-15)
    angle, rate = four_bar_angles(r.q, r.v)
    np.testing.assert_allclose(angle[-1], q[-1], rtol=0, atol=1e-9 * np.abs(q[-1]).max())
    np.testing.assert_allclose(rate[-1], v[-1], rtol=0, atol=5e-9 * np.abs(v[-1]).max())
    np.testing.assert_allclose(np.abs(closing_force(r)[-1]), np.abs(lam[-1]), rtol=1e-6)


@pytest.mark.parametrize("model", ["pendulum", "double pendulum"])
def test_ggl_holds_joints_and_walls_over_a_hundred_thousand_steps(model):
    system = (pendulum(wall=0.3) if model == "pendulum" else double_pendulum()).assemble()
    r = run(system, ALPHA["ggl"], 2e-4, 100_000, every=10)
    assert r.engine.failure is None
    assert np.abs(r.g).max() <= 1e-12
    assert np.abs(r.gdot).max() <= 1e-11  # speeds of 5 m/s
    assert r.gap.min() >= -1e-12
    assert (r.impulse > 0).sum() > 4


def test_each_level_keeps_what_it_says_and_moreau_jean_drifts_unless_projected():
    system = pendulum(wall=0.3).assemble()
    kept = {name: run(system, scheme, 1e-3, 5000) for name, scheme in ALPHA.items()}
    assert np.abs(kept["index3"].g).max() <= 1e-13
    assert 1e-6 < np.abs(kept["index3"].gdot).max() < 1e-2
    assert np.abs(kept["index2"].gdot).max() <= 1e-12
    assert 1e-9 < np.abs(kept["index2"].g).max() < 1e-3
    drift = np.abs(run(system, fm.MoreauJean(theta=1 / 1.8), 1e-3, 5000).g).max()
    projected = np.abs(run(system, fm.MoreauJean(theta=1 / 1.8, projection=True), 1e-3, 5000).g).max()
    assert drift > 1e-5
    assert projected <= 1e-12


def test_free_body_keeps_momentum_angular_momentum_and_energy():
    signals = ["body.momentum", "body.angular_momentum", "body.orientation"]
    model = asymmetric_body()
    name = next(iter(model.bodies))
    signals = [s.replace("body", name) for s in signals]
    r = fm.simulate(model, fm.GeneralizedAlpha(rho_inf=1.0), step=1e-2, end=100.0, signals=signals, every=10)
    for signal in signals[:2]:
        x = r.signals[signal]
        assert np.abs(x - x[0]).max() <= 1e-10 * max(1.0, np.abs(x).max()) * 10
    assert np.abs(r.energy.total - r.energy.total[0]).max() <= 1e-10 * r.energy.total[0]
    assert np.abs(np.linalg.norm(r.signals[signals[2]], axis=1) - 1.0).max() <= 1e-13


def driven_arm():
    """A motor turns an arm that carries a damped pendulum against a wall."""
    model = fm.Model(gravity=(0.0, -9.81, 0.0))
    model.add(fm.RigidPlanar("arm", mass=2.0, inertia=0.2, center=[0.5, 0], points={"tip": [1, 0]}))
    model.add(fm.RigidPlanar("bob", mass=1.0, inertia=0.1, center=[0.3, 0], position=[1, 0], angle=-1.0,
                             points={"end": [0.6, 0]}))  # fmt: skip
    drive = fm.Harmonic(amplitude=0.5, omega=3.0, phase=-np.pi / 2, offset=0.5)  # starts at rest
    model.add(fm.Revolute("motor", a="ground", b="arm", point=(0, 0, 0), axis=(0, 0, 1), drive=drive))
    model.add(fm.Revolute("pin", a="arm.tip", b="bob", axis=(0, 0, 1)))
    model.add(fm.TorsionSpring("spring", joint="pin", stiffness=3.0, damping=0.2))
    model.add(fm.NodePlane("wall", node="bob.end", point=(0, -0.55, 0), normal=(0, 1, 0), restitution=0.6))
    return model


@pytest.mark.parametrize("scheme", SCHEMES, ids=str)
def test_books_close_with_drive_damper_and_impacts(scheme):
    r = fm.simulate(driven_arm(), scheme, step=2e-3, end=4.0)
    energy = r.summary["energy"]
    assert r.contacts["wall"].impulse.max() > 0.01
    assert abs(energy["external"]) > 0.1
    assert energy["damping"] < -0.01
    assert np.abs(r.energy.residual).max() <= 1e-9 * energy["scale"]


def test_work_of_a_drive_is_the_energy_it_gives():
    model = fm.Model()
    model.add(fm.RigidPlanar("arm", mass=2.0, inertia=0.2, center=[0.5, 0]))
    spin = fm.SpinUp(rate=4.0, duration=1.0)
    model.add(fm.Revolute("motor", a="ground", b="arm", point=(0, 0, 0), axis=(0, 0, 1), drive=spin))
    r = fm.simulate(model, fm.GeneralizedAlpha(rho_inf=0.9), step=1e-3, end=1.5)
    inertia = 0.2 + 2.0 * 0.25
    assert r.energy.kinetic[-1] == pytest.approx(0.5 * inertia * 16.0, rel=1e-6)
    assert r.energy.work_external[-1] == pytest.approx(0.5 * inertia * 16.0, rel=1e-5)


def test_redundant_joints_are_named_and_move_as_others_do(linkage):
    spatial = four_bar(spatial=True).assemble()
    assert any("redundant" in note for note in spatial.notes)
    a, b = run(linkage, ALPHA["ggl"], 1e-3, 300), run(spatial, ALPHA["ggl"], 1e-3, 300)
    assert b.engine.failure is None
    np.testing.assert_allclose(b.q[:, [0, 1, 7, 8]], a.q[:, [0, 1, 3, 4]], atol=1e-9)
    np.testing.assert_allclose(b.energy[:, 0], a.energy[:, 0], rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("tolerance", [0.0, 1e-7])
def test_a_resumed_run_ends_with_the_same_bits(tolerance):
    system = driven_arm().assemble()
    plan = plan_of(system, ALPHA["ggl"], 1e-2, 100, tolerance=tolerance)
    whole, first = MultibodyEngine(plan), MultibodyEngine(plan)
    whole.start(), first.start()
    a = whole.advance(100)
    first.advance(37)
    second = MultibodyEngine(plan)
    second.restore(first.snapshot(), 37)
    b = second.advance(63)
    for name in ("field_q", "field_v", "multiplier", "impulse", "energy"):
        np.testing.assert_array_equal(getattr(a, name)[37:], getattr(b, name), err_msg=name)


def test_adaptive_error_goes_with_the_tolerance_and_samples_do_not_depend_on_the_grid(linkage):
    times = np.linspace(0.0, 1.0, 11)
    q, _, _ = reference.trajectory(times)
    errors = []
    for tolerance in (1e-7, 1e-9, 1e-11):
        r = run(linkage, ALPHA["ggl"], 0.1, 10, tolerance=tolerance)
        errors.append(np.abs(four_bar_angles(r.q, r.v)[0] - q).max())
    # local error h^3, global h^2: the error goes with tolerance^(2/3)
    slopes = np.diff(np.log10(errors)) / -2.0
    assert ((slopes > 0.5) & (slopes < 0.85)).all(), (errors, slopes)
    fine = run(linkage, ALPHA["ggl"], 0.025, 40, tolerance=1e-9)
    coarse = run(linkage, ALPHA["ggl"], 0.1, 10, tolerance=1e-9)
    np.testing.assert_allclose(fine.q[::4], coarse.q, atol=2e-6)


def test_a_mechanism_that_locks_fails_with_time_joint_and_residual():
    model = fm.Model()
    model.add(fm.RigidPlanar("crank", mass=1.0, inertia=0.1, center=[0.5, 0], angle=0.5, points={"tip": [1, 0]}))
    tip = (np.cos(0.5), np.sin(0.5))
    reach = np.hypot(3.0 - tip[0], tip[1])
    model.add(fm.RigidPlanar("rod", mass=1.0, inertia=0.1, position=tip, angle=np.arctan2(-tip[1], 3.0 - tip[0]),
                             points={"tip": [reach, 0]}))  # fmt: skip
    drive = fm.Polynomial(coefficients=[0.0, 1.0])
    model.add(fm.Revolute("motor", a="ground", b="crank", point=(0, 0, 0), axis=(0, 0, 1), drive=drive))
    model.add(fm.Revolute("pin", a="crank.tip", b="rod", axis=(0, 0, 1)))
    model.add(fm.Revolute("end", a="ground", b="rod.tip", axis=(0, 0, 1)))
    model.project = True
    with pytest.raises((SimulationError, fm.InputError)) as caught:
        fm.simulate(model, ALPHA["ggl"], step=1e-3, end=1.0)
    assert any(word in str(caught.value) for word in ("motor", "pin", "end"))


def dead_point():
    """A slider-crank whose rod is shorter than its crank: the slider cannot follow all the way round."""
    model = fm.Model()
    model.add(fm.RigidPlanar("crank", mass=1.0, inertia=0.1, center=[0.5, 0], angle=0.3, angular_velocity=2.0,
                             points={"tip": [1, 0]}))  # fmt: skip
    tip = np.array([np.cos(0.3), np.sin(0.3)])
    angle = -np.arcsin(tip[1] / 0.6)
    model.add(fm.RigidPlanar("rod", mass=1.0, inertia=0.1, center=[0.3, 0], position=tip, angle=angle,
                             points={"tip": [0.6, 0]}))  # fmt: skip
    end = tip + 0.6 * np.array([np.cos(angle), np.sin(angle)])
    model.add(fm.RigidPlanar("slider", mass=1.0, inertia=0.1, position=end))
    drive = fm.Polynomial(coefficients=[0.0, 2.0])
    model.add(fm.Revolute("motor", a="ground", b="crank", point=(0, 0, 0), axis=(0, 0, 1), drive=drive))
    model.add(fm.Revolute("pin", a="crank.tip", b="rod", axis=(0, 0, 1)))
    model.add(fm.Revolute("pin2", a="rod.tip", b="slider", axis=(0, 0, 1)))
    model.add(fm.Prismatic("guide", a="ground", b="slider", point=tuple(end) + (0.0,), axis=(1, 0, 0)))
    model.project = True
    return model


def test_a_dead_point_ends_the_run_with_time_joint_residual_and_the_results_so_far():
    r = run(dead_point(), ALPHA["ggl"], 1e-3, 2000)
    failure = r.engine.failure
    assert isinstance(failure, SimulationError)
    stretched = (np.arcsin(0.6) - 0.3) / 2.0
    assert failure.time == pytest.approx(stretched, abs=5e-3)
    assert any(name in str(failure) for name in ("motor", "pin", "guide"))
    assert failure.residual == failure.residual
    assert 100 < len(r.t) < 2000
    assert np.isfinite(r.q).all()
