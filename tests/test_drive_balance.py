"""What the drive of a rotor gives: the work of unbalance and that of the friction torque, each booked, to round-off."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm

RADIUS, SPEED = 0.0755, 418.879
UNBALANCE, PHASE = 5e-4, -np.pi / 2
RUB = ["contacts.stator.friction=0.3", f"contacts.stator.radius={RADIUS}", f"bodies.rotor.spin.speed={SPEED}"]
SCHEMES = [
    fm.MoreauJean(),
    fm.MoreauJean(theta=0.7),
    fm.MoreauJeanDissipative(),
    fm.GeneralizedAlpha(0.8),
    fm.GeneralizedAlpha(0.8, ggl=False),
    fm.HHT(),
    fm.Newmark(),
]
EVERY_SCHEME = pytest.mark.parametrize("scheme", SCHEMES, ids=repr)


def unbalance_work(scheme: fm.Scheme, time: np.ndarray, place: np.ndarray) -> np.ndarray:
    """Return the work of the unbalance since the start, from places (n+1, 2) at all steps: increments times mean force.

    The mean is that of the scheme: of both ends, or for the alpha family of the filtered forces.
    """
    psi = SPEED * time + PHASE
    F = UNBALANCE * SPEED**2 * np.stack([np.cos(psi), np.sin(psi)], axis=1)
    moved = np.diff(place, axis=0)
    if isinstance(scheme, (fm.MoreauJean, fm.MoreauJeanDissipative)):
        mean = scheme.theta * F[1:] + (1.0 - scheme.theta) * F[:-1]
    else:
        c, filtered = scheme.coefficients, F.copy()
        for k in range(len(F) - 1):
            known = (1.0 - c.alpha_f) * F[k + 1] + c.alpha_f * F[k] - c.alpha_m * filtered[k]
            filtered[k + 1] = known / (1.0 - c.alpha_m)
        mean = c.gamma * filtered[1:] + (1.0 - c.gamma) * filtered[:-1]
    return np.concatenate([[0.0], np.cumsum((moved * mean).sum(axis=1))])


def rub(scheme: fm.Scheme, engine: str = "compiled") -> fm.Result:
    """Run ``rotor_rub`` with friction at 4000 rpm; the first touch is at 3 ms."""
    end = 0.012 if engine == "compiled" else 0.005
    model = fm.load_case("rotor_rub", RUB).model()
    return fm.simulate(model, scheme, step=1e-5, end=end, signals=["rotor.disk.displacement"], engine=engine)


def check_rub(scheme: fm.Scheme, result: fm.Result) -> None:
    """Check the three parts of the balance at every sample."""
    energy, stator, digits = result.energy, result.contacts["stator"], 1e-12 * result.summary["energy"]["scale"]
    assert stator.impulse.max() > 0.0
    assert stator.work_friction[-1] < -100.0 * digits
    # the speed is held by work on the unbalance and by work on the rim, which friction brakes
    np.testing.assert_allclose(energy.work_drive, energy.work_spin + stator.work_surface, rtol=0.0, atol=digits)
    torque_work = SPEED * RADIUS * np.cumsum(stator.tangential_impulse)
    assert torque_work[-1] < 0.0
    np.testing.assert_allclose(energy.work_spin - energy.work_drive, torque_work, rtol=0.0, atol=digits)
    # and the former is that of the force of the unbalance, whatever the ledger says
    place = result.signals["rotor.disk.displacement"][:, 1:]
    np.testing.assert_allclose(energy.work_spin, unbalance_work(scheme, result.time, place), rtol=0.0, atol=digits)
    assert np.abs(energy.residual).max() <= digits


@EVERY_SCHEME
def test_the_drive_gives_what_unbalance_and_friction_torque_take(scheme) -> None:
    check_rub(scheme, rub(scheme))


@pytest.mark.parametrize("scheme", [fm.MoreauJean(), fm.GeneralizedAlpha(0.8)], ids=repr)
def test_the_definitions_of_the_schemes_book_the_same(scheme) -> None:
    check_rub(scheme, rub(scheme, "general"))


@EVERY_SCHEME
def test_a_flywheel_loses_what_the_friction_torque_takes(scheme) -> None:
    """In ``rotor_dry_whip`` no drive holds the spin, but an inertia of 1000 kg m^2: its energy is the drive's."""
    signals = ["disk.angular_velocity"]
    result = fm.simulate(fm.load_case("rotor_dry_whip").model(), scheme, step=1e-5, end=0.04, signals=signals)
    spin, ring = result.signals["disk.angular_velocity"][:, 2], result.contacts["ring"]
    lost = 0.5 * 1000.0 * (spin**2 - spin[0] ** 2)
    torque = 0.05 * ring.tangential_impulse[1:]
    taken = np.cumsum(torque * 0.5 * (spin[1:] + spin[:-1]))
    digits = 1e-12 * result.summary["energy"]["scale"]
    np.testing.assert_allclose(lost[1:], taken, rtol=0.0, atol=digits)
    assert taken[-1] < -1e6 * digits
    assert not result.energy.work_drive.any()
    # heat and whirl share it: all of the energy of the whirl that damping and impacts do not take comes from the spin
    assert ring.work_friction[-1] < 0.0
    assert np.abs(result.energy.residual).max() <= digits


def test_other_spins_book_their_part() -> None:
    """A run-up drives the unbalance only; without rotors there is nothing to book."""
    run_up = fm.load_case("run_up", ["time.end=1.0"]).run().energy
    assert run_up.work_spin[-1] != 0.0
    np.testing.assert_array_equal(run_up.work_spin, run_up.work_drive)
    motor = fm.load_case("sommerfeld", ["time.end=0.5"]).run().energy
    np.testing.assert_array_equal(motor.work_spin, motor.work_drive)
    plain = fm.load_case("bar_on_moving_wall").run()
    assert plain.energy.work_drive[-1] != 0.0
    assert "/energy/work_spin" not in plain.tree
    assert not plain.energy.work_spin.any()


@pytest.mark.parametrize("engine", ["compiled", "general"])
@pytest.mark.parametrize("scheme", [fm.MoreauJean(), fm.GeneralizedAlpha(0.8), fm.SchatzmanPaoli()], ids=repr)
def test_unbalance_alone_is_all_of_the_drive(scheme, engine) -> None:
    """Constant matrices, and with the speed of a ramp those of large motion."""
    for name in ("laval_rotor", "run_up"):
        energy = fm.simulate(fm.load_case(name).model(), scheme, step=2.5e-4, end=0.1, engine=engine).energy
        assert energy.work_spin[-1] > 0.0
        np.testing.assert_array_equal(energy.work_spin, energy.work_drive)
