"""Friction in joints: closed forms of wheels, sliders and balls, a pendulum, drives, the ledger."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import flexmb as fm
from flexmb.errors import InputError

G = 9.81
SCHEMES = [
    fm.MoreauJean(),
    fm.MoreauJeanDissipative(),
    fm.GeneralizedAlpha(rho_inf=0.8, ggl=False),
    fm.GeneralizedAlpha(rho_inf=0.8, ggl=True),
]


def names(scheme):
    return f"{scheme.name}-{'ggl' if getattr(scheme, 'ggl', False) else 'velocity'}"


def wheel(mu=0.2, radius=0.05, spin=10.0, **joint):
    """A wheel of 3 kg and 0.03 kg m^2 on a horizontal axle."""
    model = fm.Model(gravity=(0.0, 0.0, -G))
    model.add(fm.Rigid("wheel", mass=3.0, inertia=(0.02, 0.03, 0.02), angular_velocity=(0.0, spin, 0.0)))
    model.add(fm.Revolute("pin", a="wheel", axis=(0, 1, 0), friction=mu, friction_radius=radius, **joint))
    return model


def closure(result):
    e = result.energy
    return np.abs(e.residual).max() / max(np.abs(e.kinetic).max(), np.abs(e.work_friction).max())


@pytest.mark.parametrize("scheme", SCHEMES, ids=names)
def test_a_wheel_on_an_axle_slows_down_evenly_and_stops(scheme):
    result = fm.simulate(wheel(), scheme, step=1e-3, end=1.5)
    slowing = 0.2 * 0.05 * 3.0 * G / 0.03
    omega, friction = result.signals["wheel.angular_velocity"][:, 1], result.contacts["pin_friction"]
    # the step in which it stops may end anywhere between
    np.testing.assert_allclose(omega, np.maximum(10.0 - slowing * result.time, 0.0), atol=1.1 * slowing * 1e-3)
    away = np.abs(result.time - 10.0 / slowing) > 5e-3
    np.testing.assert_allclose(omega[away], np.maximum(10.0 - slowing * result.time, 0.0)[away], atol=1e-9)
    np.testing.assert_allclose(friction.impulse[1:], 3.0 * G * 1e-3, rtol=1e-9)
    np.testing.assert_allclose(friction.slip, 0.05 * omega, atol=1e-12)
    assert friction.status[10] == 2
    assert friction.status[-1] == 1
    assert result.energy.work_friction[-1] == pytest.approx(-0.5 * 0.03 * 10.0**2, rel=1e-9)
    assert closure(result) < 1e-12


@pytest.mark.parametrize(("mu", "moves"), [(0.3, True), (0.5, False)])
@pytest.mark.parametrize("scheme", SCHEMES, ids=names)
def test_a_slider_on_an_inclined_rail_sticks_or_slides_by_its_reaction(scheme, mu, moves):
    a = np.radians(20.0)
    model = fm.Model(gravity=(-G * np.sin(a), 0.0, -G * np.cos(a)))
    model.add(fm.Rigid("slider", mass=2.0, inertia=(0.1, 0.1, 0.1), velocity=(-0.5, 0.0, 0.0)))
    model.add(fm.Prismatic("rail", a="slider", axis=(1, 0, 0), friction=mu))
    result = fm.simulate(model, scheme, step=1e-3, end=1.0)
    x, t = result.signals["slider.position"][:, 0], result.time
    if moves:
        rate = G * (np.sin(a) - mu * np.cos(a))
        np.testing.assert_allclose(x, -0.5 * t - 0.5 * rate * t**2, atol=1e-9)
    else:
        stop = 0.5 / (G * (mu * np.cos(a) - np.sin(a)))
        before = t < stop - 5e-3
        np.testing.assert_allclose(x[before], (-0.5 * t + 0.25 * t**2 / stop)[before], atol=1e-9)
        assert x[-1] == pytest.approx(-0.25 * stop, abs=2e-6)
        rest = x[t > stop + 5e-3]
        assert np.ptp(rest) <= 1e-13
    assert closure(result) < 1e-12


@pytest.mark.parametrize("scheme", SCHEMES, ids=names)
def test_a_ball_in_its_socket_slows_down_about_the_axis_it_turns_about(scheme):
    model, spin = fm.Model(gravity=(0.0, 0.0, -G)), np.array([2.0, -3.0, 6.0])
    model.add(fm.Rigid("ball", mass=3.0, inertia=(0.03, 0.03, 0.03), angular_velocity=spin))
    model.add(fm.Spherical("socket", a="ball", friction=0.2, friction_radius=0.05))
    result = fm.simulate(model, scheme, step=1e-3, end=1.0)
    slowing = 0.2 * 0.05 * 3.0 * G / 0.03
    left = np.maximum(1.0 - slowing * result.time / 7.0, 0.0)
    omega, away = result.signals["ball.angular_velocity"], np.abs(result.time - 7.0 / slowing) > 5e-3
    np.testing.assert_allclose(omega[away], (left[:, None] * spin)[away], atol=1e-9)
    assert np.abs(omega[-1]).max() < 1e-12
    assert result.energy.work_friction[-1] == pytest.approx(-0.5 * 0.03 * 49.0, rel=1e-9)
    assert closure(result) < 1e-12


def bearing_pendulum(end, mu=0.4, radius=0.1, m=2.0, arm=0.5, J=0.3):
    """Return the angle over time of a heavy pendulum whose bearing has friction, released at 90 degrees."""

    def acceleration(phi, omega):
        """M = -mu r |reaction| sign(omega), and the reaction depends on the acceleration."""

        def gap(alpha):
            x = arm * (alpha * np.cos(phi) - omega**2 * np.sin(phi))  # of the centre: (sin, -cos) times the arm
            z = arm * (alpha * np.sin(phi) + omega**2 * np.cos(phi))
            load = m * np.hypot(x, z + G)
            return (J + m * arm**2) * alpha + m * G * arm * np.sin(phi) + mu * radius * load * np.sign(omega)

        return brentq(gap, -1e3, 1e3, xtol=1e-14)

    fall = solve_ivp(
        lambda _, y: (y[1], acceleration(y[0], y[1] if y[1] else -1e-30)), (0.0, end), (0.5 * np.pi, 0.0),
        rtol=1e-11, atol=1e-12, dense_output=True,
    )  # fmt: skip
    return fall.sol


@pytest.mark.parametrize("scheme", [fm.MoreauJean(), fm.GeneralizedAlpha(rho_inf=0.9, ggl=True)], ids=names)
def test_a_pendulum_with_a_rough_bearing_follows_its_equation_at_order_two(scheme):
    end, errors = 0.5, []  # in which it does not turn back
    for steps in (100, 200, 400):
        model = fm.Model(gravity=(0.0, 0.0, -G))
        place = {"position": (0.5, 0.0, 0.0), "points": {"eye": (-0.5, 0.0, 0.0)}}
        model.add(fm.Rigid("arm", mass=2.0, inertia=(0.3, 0.3, 0.3), **place))
        joint = {"axis": (0, -1, 0), "friction": 0.4, "friction_radius": 0.1}
        model.add(fm.Revolute("pin", a="arm.eye", **joint))
        result = fm.simulate(model, scheme, step=end / steps, end=end)
        x = result.signals["arm.position"]
        phi = np.arctan2(x[:, 0], -x[:, 2])
        errors.append(np.abs(phi - bearing_pendulum(end)(result.time)[0]).max())
        assert closure(result) < 1e-11
    assert errors[-1] < 1e-5
    assert np.log2(errors[0] / errors[-1]) / 2.0 > 1.8


def test_a_drive_pays_what_friction_takes():
    result = fm.simulate(
        wheel(drive={"kind": "ramp", "end_time": 1.0, "end_value": 10.0}),
        fm.GeneralizedAlpha(ggl=True),
        step=1e-3,
        end=0.5,
    )
    lost = 0.2 * 3.0 * G * 0.05 * 10.0 * 0.5
    assert result.energy.work_friction[-1] == pytest.approx(-lost, rel=1e-9)
    assert result.energy.work_external[-1] == pytest.approx(lost, rel=1e-9)
    assert closure(result) < 1e-12


def driven_crank(omega=2.0, arm=0.25):
    """A body of 1 kg whose centre a drive turns about a joint with friction at constant speed."""
    model = fm.Model(gravity=(0.0, 0.0, -G))
    start = {"position": (arm, 0.0, 0.0), "velocity": (0.0, 0.0, -arm * omega), "angular_velocity": (0.0, omega, 0.0)}
    model.add(fm.Rigid("crank", mass=1.0, inertia=(0.01, 0.01, 0.01), **start))
    drive = {"kind": "ramp", "end_time": 10.0, "end_value": 10.0 * omega}
    keys = {"point": (0, 0, 0), "axis": (0, 1, 0), "friction": 0.2, "friction_radius": 0.05}
    model.add(fm.Revolute("motor", a="crank", b="ground", drive=drive, **keys))
    return model


@pytest.mark.parametrize("scheme", SCHEMES, ids=names)
def test_friction_acts_from_the_first_step_where_a_drive_holds_the_joint(scheme):
    omega, arm, h = 2.0, 0.25, 1e-3
    result = fm.simulate(driven_crank(omega, arm), scheme, step=h, end=0.3)
    friction, angle = result.contacts["motor_friction"], omega * (result.time[1:] - 0.5 * h)
    # the centre is at arm (cos, -sin) of the angle, and its acceleration points to the joint
    load = np.hypot(arm * omega**2 * np.cos(angle), G + arm * omega**2 * np.sin(angle))
    assert np.all(friction.status[1:] == 2)
    np.testing.assert_allclose(np.ravel(friction.impulse)[1:], load * h, rtol=1e-4)
    work = -0.2 * 0.05 * omega * load.sum() * h
    assert result.energy.work_friction[-1] == pytest.approx(work, rel=1e-6)


@pytest.mark.parametrize("scheme", SCHEMES, ids=names)
def test_friction_of_a_joint_is_no_contact_in_the_summary(scheme):
    model = fm.Model(gravity=(0.0, 0.0, -G))
    model.add(fm.Rigid("bob", mass=1.0, inertia=(0.01, 0.01, 0.01), position=(0.0, 0.0, -0.5)))
    keys = {"point": (0, 0, 0), "axis": (0, 1, 0), "friction": 0.2, "friction_radius": 0.05}
    model.add(fm.Revolute("pin", a="ground", b="bob", **keys))
    model.add(fm.NodePlane("floor", node="bob", point=(0.0, 0.0, -2.0), normal=(0, 0, 1)))
    summary = fm.simulate(model, scheme, step=1e-3, end=0.05).summary
    assert summary["min_gap"] == pytest.approx(1.5, rel=1e-12)
    assert summary["max_penetration"] == 0.0
    assert summary["contact_steps"] == 0


def spun_bob(k, omega=20.0, arm=0.1, J=1e-3, m=1.0, weight=0.0):
    """A bob on an arm that turns about a bearing, its weight along the axis; k = mu r m arm / (J + m arm^2)."""
    model = fm.Model(gravity=(0.0, -weight, 0.0))
    start = {"position": (arm, 0.0, 0.0), "velocity": (0.0, 0.0, -arm * omega), "angular_velocity": (0.0, omega, 0.0)}
    model.add(fm.Rigid("bob", mass=m, inertia=(J, J, J), **start))
    keys = {"point": (0, 0, 0), "axis": (0, 1, 0), "friction": 0.5}
    model.add(fm.Revolute("pin", a="ground", b="bob", friction_radius=k * (J / (m * arm) + arm) / 0.5, **keys))
    return model


@pytest.mark.parametrize("k", [0.5, 0.9, 0.98])
@pytest.mark.parametrize("scheme", SCHEMES, ids=names)
def test_a_bearing_of_large_radius_raises_its_own_load(scheme, k):
    """I a = -mu r m arm sqrt(a^2 + omega^4): the load has the deceleration itself, omega' = -k' omega^2."""
    errors, rate = [], k / np.sqrt(1.0 - k * k)
    for h in (4e-4, 2e-4):
        result = fm.simulate(spun_bob(k), scheme, step=h, end=0.04)
        omega = result.signals["bob.angular_velocity"][:, 1]
        errors.append(np.abs(omega - 20.0 / (1.0 + 20.0 * rate * result.time)).max())
        assert closure(result) < 1e-11
    assert errors[1] < 0.02 * 20.0
    assert errors[1] < 0.6 * errors[0]


@pytest.mark.parametrize("scheme", SCHEMES, ids=names)
def test_a_bearing_beyond_its_lever_arm_locks(scheme):
    """For k > 1 no finite deceleration balances the friction that it loads: the bob stops at once."""
    result = fm.simulate(spun_bob(1.05, weight=G), scheme, step=1e-3, end=0.02)
    omega, friction = result.signals["bob.angular_velocity"][:, 1], result.contacts["pin_friction"]
    assert np.abs(omega[1:]).max() < 1e-9
    assert friction.status[1] == 1
    assert result.energy.kinetic[-1] < 1e-6 * result.energy.kinetic[0]
    assert closure(result) < 1e-11


def test_the_steps_of_python_refuse_friction_in_joints():
    with pytest.raises(InputError) as found:
        fm.simulate(wheel(), fm.MoreauJean(), step=1e-3, end=0.1, engine="general")
    assert "joints.pin" in str(found.value)
    assert "friction" in str(found.value)


@pytest.mark.parametrize(
    ("keys", "word"),
    [
        ({"friction": -0.1, "friction_radius": 0.1}, "friction"),
        ({"friction": 0.1}, "friction_radius"),
        ({"friction": 0.1, "friction_radius": 0.0}, "friction_radius"),
        ({"friction_radius": 0.1}, "friction_radius"),
        ({"friction": {"kind": "sticky"}, "friction_radius": 0.1}, "kind"),
    ],
)
def test_wrong_friction_of_a_joint_is_refused_by_name(keys, word):
    with pytest.raises(InputError) as found:
        fm.Revolute("pin", a="wheel", axis=(0, 1, 0), **keys)
    assert "joints.pin" in str(found.value)
    assert word in str(found.value)


def test_a_contact_may_not_have_the_name_of_the_friction():
    model = wheel()
    model.add(fm.NodePlane("pin_friction", node="wheel", point=(0, 0, -1), normal=(0, 0, 1)))
    with pytest.raises(InputError, match="pin_friction"):
        model.assemble()
