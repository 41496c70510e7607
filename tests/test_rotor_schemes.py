"""Every scheme on rotors in large motion: run-up, free spin, rub; the same numbers as in small motion; limits."""

from __future__ import annotations

import functools

import numpy as np
import pytest
import test_multibody_energy
import test_rub
from multibody_models import plan_of, run
from references import jeffcott
from references.rub_rotor import Ring, RubRotor
from test_case_rotors import FAST, SLOW
from test_rotor_motion import model_of, shaft
from test_spin_kernels import column, scale

import flexmb as fm
from flexmb.drive.multibody_engine import MultibodyEngine
from flexmb.drive.simulate import check_plan
from flexmb.record.samples import ENERGY_COLUMNS
from flexmb.schemes import SCHEMES, MoreauJeanDissipative, SchatzmanPaoli
from flexmb.system.multibody_system import MultibodySystem

STEPS = {name: cls for name, cls in SCHEMES.items() if cls.driver == "steps"}
EVERY = [cls() for name, cls in STEPS.items() if name != "naive-hht" and np.isinf(cls.stability)]
"""What ``flexmb schemes`` lists, but for the demonstration, those with events and explicit ones: the shafts have next
to no mass, and thousands of steps of Runge-Kutta methods in Python take minutes."""
PAOLI = [SchatzmanPaoli(), SchatzmanPaoli(weighting="theta", theta=0.7)]
MORE = [*EVERY, PAOLI[1], MoreauJeanDissipative(theta=1.0)]
LAVAL = {"m": 1.6, "k": 4000.0, "c": 3.2, "U": 1.6e-3}
"""The rotor of the cases ``run_up`` and ``sommerfeld``."""


def name_of(scheme):
    return f"{scheme.name}({getattr(scheme, 'weighting', '')}{getattr(scheme, 'theta', '')})"


def disk_on_a_shaft(spin):
    """The disk of LAVAL on a shaft of next to no mass."""
    model = fm.Model()
    rotor = {
        "stations": [0.0, 0.5, 1.0],
        "outer_diameter": 0.009482162421056605,  # 48 E I / l^3 = 4000 N/m
        "material": {"young": 2.1e11, "density": 1e-4},
        "disks": [{"node": 1, "mass": 1.6, "inertia": 0.01, "polar_inertia": 0.02, "eccentricity": 1e-3}],
        "bearings": [{"node": 1, "stiffness": 0.0, "damping": 3.2}],
        "supports": [{"node": node, "kind": "pinned"} for node in ("first", "last")],
    }
    model.add(fm.Rotor("rotor", theory="euler-bernoulli", spin=spin, **rotor))
    return model


def whirl(result):
    x = result.signals["rotor.mid.displacement"]
    return x[:, 1] + 1j * x[:, 2]


def simulated(model, scheme, **keys):
    signals = ["rotor.mid.displacement", "rotor.spin_speed"]
    result = fm.simulate(model, scheme, signals=signals, **keys)
    energy = result.summary["energy"]
    assert energy["residual_max"] <= 1e-11 * energy["scale"]
    return result


# ------------------------------------------------------------------------------------------- spins that change


@functools.cache
def exact_run_up(end, samples):
    t = np.linspace(0.0, end, samples + 1)
    return jeffcott.driven(t, *LAVAL.values(), lambda s: 100.0 * s, lambda s: 100.0, lambda s: 50.0 * s**2)


@pytest.mark.parametrize("scheme", EVERY, ids=name_of)
def test_run_up_in_the_order_of_the_scheme(scheme):
    """A ramp that begins with the run, through the critical speed of 50 rad/s; whole curve against DOP853."""
    spin, off = {"kind": "ramp", "from": 0.0, "to": 100.0, "duration": 1.0}, []
    for steps in (2000, 4000):
        result = simulated(disk_on_a_shaft(spin), scheme, end=1.0, steps=steps, every=steps // 200)
        exact = exact_run_up(1.0, 200)
        off.append(np.abs(whirl(result) - exact).max() / np.abs(exact).max())
    assert off[1] < (1e-3 if scheme.order == 2 else 0.1)
    assert np.log2(off[0] / off[1]) == pytest.approx(scheme.order, abs=0.12)


@functools.cache
def exact_free_spin():
    torque, J = (lambda W: 0.5 * (1.0 - W / 120.0)), 0.02 + 1.6 * 1e-3**2
    return jeffcott.free(np.linspace(0.0, 4.0, 201), *LAVAL.values(), J, torque)


@pytest.mark.parametrize("scheme", EVERY, ids=name_of)
def test_a_free_spin_gets_through_its_critical_speed(scheme):
    """What the whirl takes the spin loses: both against three equations integrated by DOP853."""
    spin = {"kind": "free", "characteristic": {"speed": [0.0, 120.0], "torque": [0.5, 0.0]}}
    result = simulated(disk_on_a_shaft(spin), scheme, end=4.0, steps=8000, every=40)
    exact, speed = exact_free_spin()
    found = np.ravel(result.signals["rotor.spin_speed"])
    fine = scheme.order == 2
    assert np.abs(found - speed).max() < (2e-3 if fine else 0.2)
    # h omega / 2 = 1.25 % of critical damping is what linearized Euler adds: 23 % of the peak
    close = 5e-3 if fine else 0.25 if scheme.name == "euler-linearized" else 0.15
    assert np.abs(np.abs(whirl(result)) - np.abs(exact)).max() < close * np.abs(exact).max()
    assert np.abs(result.energy.work_drive).max() > 1.0
    assert not np.any(result.energy.work_cross)


# ------------------------------------------------------------------------------------------------- rub


@pytest.mark.parametrize("scheme", EVERY, ids=name_of)
@pytest.mark.parametrize("restitution", [0.0, 0.8])
def test_rub_in_a_ring(scheme, restitution):
    """From rest into the ring, then around in it: impulse per turn of annular rub, ledger, penetration."""
    if restitution and not scheme.restitutes:
        pytest.skip("this scheme refuses restitution")
    steps, exact = 100, jeffcott.annular_rub(**test_rub.DISK, gap=test_rub.GAP)[1] * test_rub.TURN
    keys = {"end": 26 * test_rub.TURN, "steps": 26 * steps, "signals": ["rotor.mid.displacement"]}
    result = fm.simulate(test_rub.rotor(restitution), scheme, **keys)
    energy, radius = result.summary["energy"], np.abs(test_rub.orbit(result))
    # what Newton's loop leaves of impacts in a narrow ring: 7e-11 with newmark, which damps nothing, else below 1e-12
    assert energy["residual_max"] <= (1e-11 if restitution == 0.0 else 1e-10) * energy["scale"]
    travel = test_rub.DISK["W"] * test_rub.GAP * keys["end"] / keys["steps"]  # along the ring in a step
    if scheme.name == "schatzman-paoli" and restitution == 0.0:
        assert radius.max() <= test_rub.GAP * (1.0 + 1e-12)
    assert radius.max() < test_rub.GAP + 2.0 * travel
    if restitution == 0.0:  # with restitution single steps let go (docs/rotor_runs.md)
        found = test_rub.impulse_per_turn(result, steps)
        assert found[0] == pytest.approx(exact, rel=0.08 if scheme.name == "euler-linearized" else 0.04)


@functools.cache
def two_disks(end):
    """The case ``rub_two_disks`` by textbook matrices and midpoint steps (``references.rub_rotor``)."""
    rotor = RubRotor(modes=8, ring=Ring(2.0, 2e6, 100.0))
    contacts = [(rotor.rows(12), 2e-4, 0.3), (rotor.rows(24, ring=True), 1.5e-4, 0.3)]
    entries = [(12, 5e-4, 0.0), (24, 2e-4, 2.0)]
    t, x, impulse = rotor.march(4e-5, end, (SLOW, FAST, 1.0), entries, contacts, every=5)
    return t, [1.0, 1j] @ (rotor.rows(12) @ x.T), np.cumsum(impulse, axis=0)


@pytest.mark.parametrize("scheme", [SchatzmanPaoli(), MoreauJeanDissipative(theta=0.51)], ids=name_of)
def test_rub_in_an_elastic_ring(scheme):
    """Two disks, one in a hard stator and one in a ring on springs, while the speed grows (e = 0.3)."""
    t, exact, theirs = two_disks(0.7)
    model, signals = fm.load_case("rub_two_disks").model(), ["rotor.disk.displacement"]
    result = fm.simulate(model, scheme, step=4e-5, end=0.7, every=5, signals=signals)
    energy = result.summary["energy"]
    assert energy["residual_max"] <= 2e-12 * energy["scale"]
    y, z = result.signals["rotor.disk.displacement"][:, 1:].T
    off = np.abs(y + 1j * z - exact)
    assert off[t < 0.48].max() < 1e-6
    assert off.max() < 0.1 * 2e-4
    for k, name in enumerate(("stator", "ring")):
        ours = np.cumsum(result.contacts[name].impulse.ravel())
        assert ours[-1] > 0.01
        assert np.abs(ours - theirs[:, k]).mean() < 0.02 * theirs[-1, k]


@pytest.mark.parametrize("scheme", EVERY, ids=name_of)
def test_a_shaft_of_next_to_no_mass_closes_its_books_in_contact(scheme, monkeypatch):
    """What a force could do to next to no mass in a step is no measure of convergence."""
    rotor = fm.Rotor

    def light(*args, **keys):
        return rotor(*args, **{**keys, "material": {**keys["material"], "density": 1e-4}})

    monkeypatch.setattr(fm, "Rotor", light)
    result = fm.simulate(test_rub.rotor(), scheme, end=10 * test_rub.TURN, steps=1000)
    assert result.summary["contact_steps"] > 500
    energy = result.summary["energy"]
    assert energy["residual_max"] <= 1e-11 * energy["scale"]


# ------------------------------------------------------------------------------------- the same as in small motion


WORKS = [name for name in ENERGY_COLUMNS if name != "residual"]


@pytest.mark.parametrize("scheme", MORE, ids=name_of)
def test_constant_speed_is_the_same_in_both_engines(scheme):
    """Damped shaft in unsymmetric bearings with internal damping; a clearance that is never closed makes it large."""
    rotor = {"kind": "constant", "speed": 300.0}
    small, large = (model_of(shaft(rotor), gap=gap).assemble() for gap in (None, 1.0))
    assert not isinstance(small, MultibodySystem)
    assert isinstance(large, MultibodySystem)
    a, b = (fm.simulate(system, scheme, step=2e-5, end=0.02) for system in (small, large))
    for node in ("first", "mid", "last"):
        x, y = (result.signals[f"rotor.{node}.velocity"] for result in (a, b))
        assert np.abs(y - x).max() <= 2e-12 * np.abs(x).max()
        x, y = (result.signals[f"rotor.{node}.position"][:, 1:] for result in (a, b))
        assert np.abs(y - x).max() <= 1e-12 * np.abs(x).max()
    moved = a.energy.kinetic.max()
    for name in WORKS:
        assert np.abs(getattr(b.energy, name) - getattr(a.energy, name)).max() <= 1e-12 * moved, name
    assert np.abs(b.energy.residual).max() <= 1e-13 * moved


def with_a_rotor(model):
    """Add a rotor with a ramp, which makes all of it large motion, and touches nothing."""
    spin = {"kind": "ramp", "from": 0.0, "to": 10.0, "duration": 1.0}
    model.add(shaft(spin, position=(0.0, 0.0, 3.0), disks=[]))
    return model


@pytest.mark.parametrize("scheme", PAOLI, ids=name_of)
def test_linear_parts_move_as_in_small_motion(scheme):
    """Bar, beam, ball, spring, damper, load; planes fixed and moving, a node on a node, restitution.

    Impacts blow round-off up: later the two engines of small motion differ by 1e-10, too.
    """
    signals = test_multibody_energy.SIGNALS
    small = test_multibody_energy.small_parts("").assemble(signals=signals)
    large = with_a_rotor(test_multibody_energy.small_parts("")).assemble(signals=signals)
    a, b = (fm.simulate(system, scheme, step=1e-3, end=0.13) for system in (small, large))
    assert a.summary["contact_steps"] == b.summary["contact_steps"] > 20
    for name in signals:
        np.testing.assert_allclose(b.signals[name], a.signals[name], rtol=0, atol=1e-12, err_msg=name)
    for name in ("hit", "floor", "ledge"):
        assert a.contacts[name].impulse.sum() > 0.5
        np.testing.assert_allclose(b.contacts[name].impulse, a.contacts[name].impulse, rtol=0, atol=1e-12)
        np.testing.assert_allclose(b.contacts[name].gap, a.contacts[name].gap, rtol=0, atol=1e-12)
    assert b.summary["energy"]["residual_max"] < 1e-12 * b.summary["energy"]["scale"]


@pytest.mark.parametrize("scheme", PAOLI, ids=name_of)
@pytest.mark.parametrize("speed", [0.0, -1.0])
def test_a_start_in_contact(scheme, speed):
    """A ball on a plane that moves: the impulse of the start comes with the first step, and so do its works."""

    def ball():
        model = fm.Model(gravity=(0.0, -9.81, 0.0))
        model.add(fm.Particle("ball", 0.5, velocity=(0.0, speed, 0.0), axes="y"))
        wave = fm.Harmonic(amplitude=0.01, omega=9.0)
        model.add(fm.NodePlane("floor", node="ball", normal=(0, 1, 0), motion=wave, restitution=0.4))
        return model

    small, large = (m.assemble(["ball.position", "ball.velocity"]) for m in (ball(), with_a_rotor(ball())))
    a, b = (fm.simulate(system, scheme, step=1e-3, end=0.3) for system in (small, large))
    for name in ("ball.position", "ball.velocity"):
        np.testing.assert_allclose(b.signals[name], a.signals[name], atol=1e-12)
    np.testing.assert_allclose(b.contacts["floor"].impulse, a.contacts["floor"].impulse, atol=1e-12)
    assert a.contacts["floor"].impulse[1] > 0.0
    for name in ("work_drive", "work_contact"):  # numerical has some of the sagging rotor, too
        assert np.abs(getattr(a.energy, name)).max() > 1e-3
        np.testing.assert_allclose(getattr(b.energy, name), getattr(a.energy, name), atol=1e-12, err_msg=name)
    assert b.summary["energy"]["residual_max"] < 1e-13 * b.summary["energy"]["scale"]


# ------------------------------------------------------------------------------------------------- resume, limits


@pytest.mark.parametrize("scheme", PAOLI, ids=name_of)
def test_a_run_taken_up_again_has_the_same_bits(scheme):
    spin = {"kind": "free", "speed": 50.0, "torque": 2.0, "drag": 1e-3}
    system = model_of(shaft(spin), gap=2e-5, restitution=0.5).assemble()
    plan = plan_of(system, scheme, 2e-5, 600, every=7, fields_every=50)
    whole = MultibodyEngine(plan)
    whole.start()
    rest = whole.advance(600)
    assert rest.impulse.any()
    for stop in (0, 223):
        first = MultibodyEngine(plan)
        first.start()
        early = first.advance(stop)
        saved = {name: value.copy() for name, value in first.snapshot().items()}
        first.advance(10)
        again = MultibodyEngine(plan)
        again.restore(saved, stop)
        late = again.advance(600)
        for name in ("probes", "gap", "velocity", "impulse", "energy", "field_q", "field_v", "field_impulse"):
            both = np.concatenate([getattr(early, name), getattr(late, name)])
            assert np.array_equal(both, getattr(rest, name)), name
        assert repr(again.tally()) == repr(whole.tally())


def test_schatzman_paoli_says_what_is_in_the_way():
    model = model_of(shaft({"kind": "free", "speed": 10.0}))
    fm.simulate(model, SchatzmanPaoli(), step=1e-4, end=1e-3)
    model.add(fm.Rigid("block", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(0, 5, 0)))
    with pytest.raises(fm.InputError, match="large rotations 'block'.*generalized-alpha, hht.*newmark"):
        fm.simulate(model, SchatzmanPaoli(), step=1e-4, end=1e-3)
    model.add(fm.Spherical("pin", a="block"))
    with pytest.raises(fm.InputError, match="joints 'pin'.*bodies.*large rotations 'block'"):
        fm.simulate(model, SchatzmanPaoli(), step=1e-4, end=1e-3)


def test_schatzman_paoli_has_steps_of_one_size():
    system = model_of(shaft({"kind": "free", "speed": 10.0})).assemble()
    with pytest.raises(fm.InputError, match="schatzman-paoli.*step.*steps"):
        check_plan(plan_of(system, SchatzmanPaoli(), 1e-4, 10, tolerance=1e-6))


def test_the_naive_scheme_stays_a_demonstration():
    system = model_of(shaft({"kind": "free", "speed": 10.0})).assemble()
    with pytest.raises(fm.InputError, match="naive-hht'.*demonstration.*small motion"):
        check_plan(plan_of(system, fm.NaiveHHT(), 1e-4, 10))


def test_springs_that_turn_and_planar_bodies_close_their_books():
    """Forces that are not linear in the position: the order is 2 and the ledger knows every term."""

    def model():
        model = fm.Model(gravity=(0.0, -9.81, 0.0))
        model.add(fm.RigidPlanar("plate", mass=1.0, inertia=0.1, points={"p": (0.5, 0.1)}, angular_velocity=3.0))
        model.add(fm.Particle("dot", 0.5, position=(1.5, 0.0, 0.0), velocity=(0.3, 1.0, 0.0), axes="xy"))
        model.add(fm.SpringDamper("link", a="plate.p", b="dot", stiffness=200.0, damping=0.5, length=0.8))
        model.add(fm.SpringDamper("hook", a="ground", b="plate", point_a=(0, 1, 0), stiffness=300.0))
        return model

    fine = run(model(), fm.GeneralizedAlpha(1.0), 1e-5, 20000, every=20000)
    off = []
    for steps in (100, 200, 400):
        result = run(model(), SchatzmanPaoli(), 0.2 / steps, steps)
        off.append(np.abs(result.q[-1] - fine.q[-1]).max())
        assert np.abs(column(result, "residual")).max() < 1e-12 * scale(result)
        assert np.abs(column(result, "work_damping")).max() > 1e-3
    np.testing.assert_allclose(np.log2(np.array(off[:-1]) / off[1:]), 2.0, atol=0.1)
