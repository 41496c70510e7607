"""The cantilever above its stop: modal solution up to the impact, and what must hold after it."""

from __future__ import annotations

import functools
import re

import numpy as np
import pytest
from scipy.optimize import brentq

import flexmb as fm

E, RHO, L, P, STOP = 210e9, 7800.0, 1.0, 42.0, -0.005
I_Z, A = 0.04 * 0.01**3 / 12.0, 0.04 * 0.01


@functools.cache
def modes(count=4000):
    """Return b_i with cos b cosh b = -1; from the twelfth on (i - 1/2) pi is exact in double precision."""
    small = [brentq(lambda b: np.cos(b) + 1.0 / np.cosh(b), 1.0, 2.5)]
    for i in range(2, 12):
        middle = (i - 0.5) * np.pi
        small.append(brentq(lambda b: np.cos(b) + 1.0 / np.cosh(b), middle - 0.4, middle + 0.4, xtol=1e-14))
    return np.concatenate([small, (np.arange(12, count + 1) - 0.5) * np.pi])


def tip(t):
    """Return position and velocity of the free tip after the release, (n,) each.

    Mode i has the modal mass rho A L / 4 with respect to its tip, and the static shape has P / (modal stiffness) of it.
    """
    b = modes()
    omega = b**2 * np.sqrt(E * I_Z / (RHO * A)) / L**2
    amplitude = P * L**3 / (E * I_Z) * 4.0 / b**4
    phase = np.outer(np.atleast_1d(t), omega)
    return np.cos(phase) @ amplitude, -np.sin(phase) @ (amplitude * omega)


def impact_time():
    return brentq(lambda t: tip(t)[0][0] - STOP, 0.034, 0.036, xtol=1e-13)


@functools.cache
def run():
    case = fm.load_case("beam_on_stop")
    return case, case.run()


def test_the_case_file_says_what_the_scheme_takes_of_the_energy():
    """With a coarser step, and with its own."""
    case, own = run()
    coarse = fm.load_case("beam_on_stop", ["time.step=5e-5"]).run()
    words = r"with 5e-5 s the scheme would dissipate (\d+) % of the energy, here (\d+) %"
    said = re.search(words, case.file.read_text())
    parts = [-100.0 * result.summary["energy"]["numerical"] / 0.42 for result in (coarse, own)]
    assert said is not None
    assert [int(word) for word in said.groups()] == [round(part) for part in parts]


def test_the_modal_sum_starts_from_the_static_shape():
    w, v = tip(0.0)
    assert w[0] == pytest.approx(P * L**3 / (3.0 * E * I_Z), rel=1e-9)
    assert v[0] == 0.0


def test_natural_frequencies_are_those_of_the_modal_sum():
    case, _ = run()
    found = fm.modes(case.plan.system, count=4)
    expected = modes()[:4] ** 2 * np.sqrt(E * I_Z / (RHO * A)) / L**2
    np.testing.assert_allclose(found.omega, expected, rtol=1e-5)


def test_tip_follows_the_modal_sum_up_to_the_impact():
    _, result = run()
    t = result.time
    before = t < impact_time()
    w, v = tip(t[before])
    z, vz = result.signals["beam.last.position"][before, 2], result.signals["beam.last.velocity"][before, 2]
    assert np.abs(z - w).max() <= 1e-5  # of a fall of 25 mm
    assert np.mean(np.abs(vz - v)) <= 0.015  # of 1 m/s: the release rings in modes the step does not resolve
    assert result.contacts["stop"].impulse[before].max() == 0.0


def test_first_impact_comes_when_and_as_fast_as_the_modal_sum_says():
    case, result = run()
    stop, t = result.contacts["stop"], result.time
    first = int(np.flatnonzero(stop.impulse)[0])
    hit = impact_time()
    assert hit == pytest.approx(0.0350982, abs=1e-7)  # as printed in the case
    assert 0.0 <= t[first] - hit <= 2 * case.plan.h
    assert stop.velocity[first - 1] == pytest.approx(tip(hit)[1][0], rel=0.03)
    assert tip(hit)[1][0] == pytest.approx(-0.8889, abs=1e-4)
    assert stop.velocity[first] == pytest.approx(0.0, abs=1e-10)  # e = 0


def test_the_stop_is_never_passed_and_only_pushes():
    _, result = run()
    stop = result.contacts["stop"]
    assert stop.gap.min() >= -1e-14
    assert stop.impulse.min() >= 0.0
    assert (stop.gap[stop.impulse > 0.0] <= 1e-12).all()
    assert np.count_nonzero(stop.impulse) > 50  # it comes back several times


def test_energy_stays_below_the_start_and_the_scheme_s_own_energy():
    """E + (h^2/2)(beta - gamma/2)|a|_M^2 + ... never grows in flight; a sudden release makes that term 6e-8 J."""
    case, result = run()
    system, c, h = case.plan.system, case.scheme.coefficients, case.plan.h
    f = -system.elastic(system.q0)
    a = np.linalg.solve(system.M.toarray(), f)
    own = 0.5 * h**2 * (c.beta - 0.5 * c.gamma) * float(a @ f)
    total = result.energy.total
    E0 = P**2 * L**3 / (6.0 * E * I_Z)
    assert total[0] == pytest.approx(E0, rel=1e-6)
    assert 0.0 < own < 2e-5 * E0
    assert total.max() <= E0 + own
    flight = result.time < impact_time()
    assert total[flight].min() >= E0 * (1.0 - 2e-3)
    assert total[-1] < 0.9 * E0  # plastic impacts of the tip take their part


def test_a_stop_out_of_reach_changes_nothing():
    """Stop far below: free vibration, the modal sum for the whole run."""
    case = fm.load_case("beam_on_stop", ["contacts.stop.point=[1.0, 0.0, -0.03]"])
    result = case.run()
    position = result.signals["beam.last.position"]
    w, _ = tip(result.time[::20])
    assert result.contacts["stop"].impulse.max() == 0.0
    assert np.abs(position[::20, 2] - w).max() <= 1e-4
    np.testing.assert_allclose(position[:, :2], np.tile([1.0, 0.0], (len(position), 1)), atol=1e-12)
