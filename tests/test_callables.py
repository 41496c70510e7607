"""Functions of Python and numba as forces, drives and motions; forces that depend on the motion of their node."""

from __future__ import annotations

import math

import numba
import numpy as np
import pytest

import flexmb as fm

OMEGA = 3.0


def wave(t):
    return 2.0 * math.sin(OMEGA * t)


compiled_wave = numba.njit(wave)
LIKE = fm.Harmonic(amplitude=2.0, omega=OMEGA)


def pushed(function, **more):
    model = fm.Model()
    model.add(fm.Particle("ball", mass=0.5, position=(0.0, 0.0, 0.1)))
    model.add(fm.NodalForce("push", node="ball", force=(1.0, 0.0, -1.0), function=function))
    model.add(fm.NodePlane("floor", node="ball", normal=(0.0, 0.0, 1.0), restitution=0.5))
    return fm.simulate(model, "moreau-jean", step=0.01, end=2.0, **more)


def pendulum(drive=None, torque=None):
    """Return a run of a rigid arm in large motion, driven or pushed."""
    model = fm.Model(gravity=(0.0, 0.0, -9.81))
    arm = model.add(fm.Rigid("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0.0, 0.0)))
    model.add(fm.Revolute("hinge", a=arm, b="ground", point=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0), drive=drive))
    if torque is not None:
        model.add(fm.NodalForce("push", node=arm, moment=(0.0, 1.0, 0.0), function=torque))
    return fm.simulate(model, fm.GeneralizedAlpha(rho_inf=0.9), step=0.01, end=0.5)


@pytest.mark.parametrize("function", [wave, compiled_wave, fm.Called(wave)], ids=["python", "numba", "Called"])
@pytest.mark.parametrize("engine", ["compiled", "general"])
def test_a_force_is_that_of_the_same_function_given_as_data(function, engine):
    got, want = pushed(function, engine=engine), pushed(LIKE, engine=engine)
    assert want.contacts["floor"].impulse.sum() > 0.0
    for name in want.signals:
        np.testing.assert_allclose(got.signals[name], want.signals[name], rtol=0.0, atol=1e-12)
    assert np.abs(got.energy.residual).max() < 1e-12


@pytest.mark.parametrize("function", [wave, compiled_wave], ids=["python", "numba"])
def test_a_moment_in_large_motion_is_that_of_the_same_function_given_as_data(function):
    got, want = pendulum(torque=function), pendulum(torque=LIKE)
    np.testing.assert_allclose(got.signals["arm.position"], want.signals["arm.position"], rtol=0.0, atol=1e-12)


def test_a_drive_needs_derivatives_which_are_given_or_found():
    def angle(t):
        return 0.5 - 0.5 * math.cos(OMEGA * t)

    like = pendulum(fm.Harmonic(offset=0.5, amplitude=0.5, omega=OMEGA, phase=-0.5 * math.pi))
    rate, second = (lambda t: 0.5 * OMEGA * math.sin(OMEGA * t)), (lambda t: 0.5 * OMEGA**2 * math.cos(OMEGA * t))
    given, found = pendulum(fm.Called(angle, rate, second)), pendulum(angle)
    for name in ("arm.position", "arm.velocity"):
        np.testing.assert_allclose(given.signals[name], like.signals[name], rtol=0.0, atol=1e-12)
        # differences of fourth order with dt = 1e-4: (omega dt)^4 / 30 and round-off 1e-16 / dt^2
        np.testing.assert_allclose(found.signals[name], like.signals[name], rtol=0.0, atol=1e-8)


def test_derivatives_are_of_fourth_order():
    t, exact = 0.3, {1: 2.0 * OMEGA * math.cos(OMEGA * 0.3), 2: -2.0 * OMEGA**2 * math.sin(OMEGA * 0.3)}
    for order, want in exact.items():
        errors = [abs(fm.Called(wave, dt=dt).at(t, order) - want) for dt in (0.1, 0.05)]
        assert 3.8 < math.log2(errors[0] / errors[1]) < 4.2


def test_a_moving_plane():
    def lift(t):
        return 0.05 * math.sin(OMEGA * t)

    runs = []
    for motion in (fm.Harmonic(amplitude=0.05, omega=OMEGA), lift):
        model = fm.Model(gravity=(0.0, 0.0, -9.81))
        model.add(fm.Particle("ball", mass=0.5, position=(0.0, 0.0, 0.2)))
        model.add(fm.NodePlane("floor", node="ball", normal=(0.0, 0.0, 1.0), restitution=0.3, motion=motion))
        runs.append(fm.simulate(model, fm.MoreauJean(), step=0.01, end=1.0))
    want, got = (run.signals["ball.position"] for run in runs)
    np.testing.assert_allclose(got, want, rtol=0.0, atol=1e-8)
    assert runs[1].summary["callables"] == [{"where": "contacts.floor.motion", "name": "lift", "compiled": False}]


def oscillator(function, h, large=False):
    model = fm.Model()
    if large:
        model.add(fm.Rigid("ball", mass=2.0, inertia=(1.0, 1.0, 1.0), position=(0.1, 0.0, 0.0)))
    else:
        model.add(fm.Particle("ball", mass=2.0, position=(0.1, 0.0, 0.0)))
    model.add(fm.NodalForce("spring", node="ball", force=(1.0, 0.0, 0.0), function=function))
    return fm.simulate(model, fm.GeneralizedAlpha(rho_inf=1.0), step=h, end=1.0)


@pytest.mark.parametrize("large", [False, True], ids=["small", "large"])
def test_a_force_of_position_and_velocity_is_a_spring_and_damper_to_first_order(large):
    k, d, m = 50.0, 1.0, 2.0
    a, w = d / (2.0 * m), math.sqrt(k / m - (d / (2.0 * m)) ** 2)
    errors = []
    for h in (0.004, 0.002):
        run = oscillator(lambda t, x, v: -k * x[0] - d * v[0], h, large)
        t = run.time
        exact = 0.1 * np.exp(-a * t) * (np.cos(w * t) + a / w * np.sin(w * t))
        errors.append(np.abs(run.signals["ball.position"][:, 0] - exact).max())
        assert np.abs(run.energy.residual).max() < 1e-12
    assert 0.8 < math.log2(errors[0] / errors[1]) < 1.2
    assert errors[1] < 0.002


def nothing(t):
    return None


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda t: math.nan if t > 0.5 else 1.0, ["<lambda>", "nan", "t = 0.5"]),
        (lambda t: np.zeros(3), ["<lambda>", "shape (3,)", "t = "]),
        (nothing, ["nothing", "None", "t = "]),
        (lambda t: 1.0 / (t - 0.25) if t < 0.25 else 1.0 / 0.0, ["ZeroDivisionError", "<lambda>", "t = 0.25"]),
        (lambda t, x, v: x, ["<lambda>", "shape (3,)", "t = 0 "]),
        (lambda t: "1.0", ["'1.0'"]),
    ],
)
def test_what_a_function_returns_wrongly_is_named_with_its_time(function, words):
    with pytest.raises(fm.InputError) as err:
        pushed(function)
    for word in ["loads.push.function", *words]:
        assert word in str(err.value)


def test_the_same_behind_the_door_of_compiled_loops_with_what_there_is():
    with pytest.raises(fm.InputError, match=r"loads\.push\.function.*t = 0\.2") as err:
        pendulum(torque=lambda t: 1.0 if t < 0.2 else math.nan)
    kept = err.value.result
    assert not kept.complete
    assert kept.summary["status"] == "failed"
    assert "t = 0.2" in kept.summary["failure"]["error"]


def test_a_function_of_numba_that_is_none_of_one_number():
    @numba.njit
    def two(t, x):
        return t + x

    with pytest.raises(fm.InputError, match=r"loads\.push\.function.*two"):
        pendulum(torque=two)


def test_saved_results_name_the_functions(tmp_path):
    """A case file is data: there is none for such a model, and the summary says what acted."""
    result = pushed(wave)
    result.save(tmp_path / "run")
    read = fm.load(tmp_path / "run")
    assert read.summary["callables"] == [{"where": "loads.push.function", "name": "wave", "compiled": False}]
    assert pushed(compiled_wave).summary["callables"][0]["compiled"] is True
    assert pushed(LIKE).summary["callables"] == []
    assert not (tmp_path / "run" / "case.toml").exists()


def test_samples_of_every_step_are_needed_for_a_force_of_the_motion():
    with pytest.raises(fm.InputError, match="every"):
        pushed(lambda t, x, v: 1.0, every=2)


@pytest.mark.parametrize("engine", ["compiled", "general"])
@pytest.mark.parametrize("large", [False, True])
def test_samples_up_to_the_failing_step_are_kept(engine, large):
    model = fm.Model(gravity=(0, 0, -9.81))
    ball = model.add(fm.Particle("ball", mass=0.5, position=(0, 0, 1)))
    if large:
        model.add(fm.Rigid("top", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(0.0, 0.0, 5.0)))
    model.add(fm.NodalForce("push", node=ball, force=(1, 0, 0), function=lambda t: math.nan if t > 0.5 else 0.0))
    with pytest.raises(fm.InputError, match="push") as failed:
        fm.simulate(model, "moreau-jean", step=1e-3, end=1.0, engine=engine)
    result = failed.value.result
    assert 0.499 - 1e-12 <= result.time[-1] <= 0.5 + 1e-12
    np.testing.assert_allclose(np.diff(result.time), 1e-3, atol=1e-12)
    t = result.time
    np.testing.assert_allclose(result.signals["ball.position"][:, 2], 1.0 - 9.81 * t**2 / 2.0, atol=1e-2)
