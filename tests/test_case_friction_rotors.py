"""Rotors with friction at the stator: dry whip in closed form, and the onset of backward whirl."""

from __future__ import annotations

import numpy as np
import pytest
from references import dry_whip
from references.rub_rotor import RubRotor

import flexmb as fm

GAP, ACROSS = 7.95e-5, [(12, 5e-4, -np.pi / 2)]
SIGNALS = ["disk.position", "disk.velocity", "disk.angular_velocity"]


@pytest.mark.parametrize(
    "scheme", [fm.MoreauJean(), fm.GeneralizedAlpha(0.8), fm.GeneralizedAlpha(0.8, ggl=False)], ids=repr
)
def test_dry_whip_whole_curve_of_first_order(scheme):
    model, errors = fm.load_case("rotor_dry_whip").model(), []
    for h in (4e-5, 1e-5):
        result = fm.simulate(model, scheme, step=h, end=0.04, signals=SIGNALS)
        x, v = result.signals["disk.position"], result.signals["disk.velocity"]
        radius = np.hypot(x[:, 0], x[:, 1])
        rate = -(x[:, 0] * v[:, 1] - x[:, 1] * v[:, 0]) / radius**2
        exact, angle, force = dry_whip.whirl(result.time)
        errors.append(np.abs(rate - exact).max())
        assert np.abs(radius / 1e-3 - 1.0).max() <= (2e-4 if h == 4e-5 else 2e-5)
        rolls = result.time > 0.025
        assert np.abs(rate[rolls] - 300.0).max() <= 5e-2
        np.testing.assert_allclose(result.contacts["ring"].force.ravel()[rolls], 80.0, rtol=1e-3)
        assert np.abs(result.contacts["ring"].slip[rolls]).max() <= 1e-8
        # what the spin lost went to friction and to the whirl
        assert np.abs(result.energy.residual).max() <= 1e-12 * result.summary["energy"]["scale"]
    assert errors[1] <= 3.0
    assert errors[1] <= 0.4 * errors[0]


def test_backward_whirl_sets_in_as_in_the_textbook_matrices():
    result = fm.load_case("rotor_rub_friction", ["time.step=5e-6", "output.every=2"]).run()
    rotor = RubRotor()
    rows = rotor.rows(12)
    speed = 4000.0 * np.pi / 30.0
    _, x, _ = rotor.march(2.5e-6, 0.08, (speed, speed, 1.0), ACROSS, [(rows, GAP, 0.0)], every=4, mu=0.3)
    there = x @ rows.T @ [1.0, 1.0j]
    disk = result.signals["rotor.disk.displacement"]
    here = disk[:, 1] + 1j * disk[:, 2]
    angle, expected = np.unwrap(np.angle(here[1:])), np.unwrap(np.angle(there[1:]))
    turned = angle - angle[0], expected - expected[0]
    assert np.abs(turned[0] - turned[1])[: int(0.07 / 1e-5)].max() <= 0.1
    assert turned[0].max() == pytest.approx(24.27, abs=0.1)  # forward, at t = 0.067
    assert turned[0][-1] < turned[0].max() - 5.0  # and back
    assert np.abs(here).max() <= GAP * (1.0 + 1e-9)


def test_at_1200_rpm_friction_shortens_the_rub_and_nothing_whirls_backward():
    sets = ["contacts.stator.friction=0.3", "contacts.stator.radius=0.0755"]
    result = fm.load_case("rotor_rub", sets).run()
    assert result.contacts["stator"].impulse.sum() == pytest.approx(0.2179, rel=1e-2)  # 0.8358 without friction
    disk = result.signals["rotor.disk.displacement"]
    late = result.time > 0.2
    angle = np.unwrap(np.angle(disk[late, 1] + 1j * disk[late, 2]))
    assert (angle[-1] - angle[0]) / 0.3 == pytest.approx(125.7, rel=2e-2)
