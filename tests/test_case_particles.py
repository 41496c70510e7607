"""Ball, oscillator, two balls and the naive scheme: whole curves against solutions known without time stepping."""

from __future__ import annotations

import numpy as np
import pytest
from exact import bouncing_ball, impacting_oscillator
from scipy.optimize import brentq

import flexmb as fm


def test_bouncing_ball_whole_curve_and_rest():
    result = fm.load_case("bouncing_ball").run()
    t, h, floor = result.time, 1e-3, result.contacts["floor"]
    q, v = bouncing_ball(t)
    z, vz = result.signals["ball.position"][:, 2], result.signals["ball.velocity"][:, 2]
    assert np.abs(z - q).max() <= 2.0 * h
    assert np.mean(np.abs(vz - v)) <= 3.0 * h
    assert z.min() >= 0.0
    rest = t > 3.0 + 20 * h  # what is left of the last bounce halves with every step
    assert np.abs(vz[rest]).max() <= 1e-12
    assert np.abs(z[rest]).max() <= 1e-12
    np.testing.assert_allclose(floor.force[rest], 2.0, rtol=1e-9)  # its weight
    first = t[floor.impulse > 0.0][:3]
    np.testing.assert_allclose(first, [1.0, 2.0, 2.5], atol=3 * h)


@pytest.mark.parametrize("step", [4e-3, 1e-3, 2.5e-4])
def test_bouncing_ball_passes_the_accumulation_at_every_step_size(step):
    result = fm.load_case("bouncing_ball", [f"time.step={step}"]).run()
    t = result.time
    q, _ = bouncing_ball(t)
    assert np.abs(result.signals["ball.position"][:, 2] - q).max() <= 2.0 * step
    assert result.energy.total[-1] <= 1e-12
    assert result.energy.total.max() <= 2.0 * (1.0 + 1e-12)
    assert result.contacts["floor"].impulse.sum() == pytest.approx(8.0, rel=1e-9)


def test_impact_oscillator_whole_curve():
    result = fm.load_case("impact_oscillator").run()
    t, h = result.time, 1e-3
    q, v = impacting_oscillator(t, m=1.0, c=0.2, k=4.0, q0=1.0, e=0.7)
    x, vx = result.signals["ball.position"][:, 0], result.signals["ball.velocity"][:, 0]
    assert np.abs(x - q).max() <= 2.0 * h
    assert np.mean(np.abs(vx - v)) <= 2.5 * h
    assert np.abs(x - q)[t < 0.81].max() <= 1e-6
    energy = result.energy
    exact = 0.5 * v**2 + 2.0 * q**2
    assert np.mean(np.abs(energy.total - exact)) <= 3e-3
    assert energy.work_damping[-1] + energy.work_contact[-1] == pytest.approx(exact[-1] - 2.0, abs=2e-3)


class TwoBalls:
    """Event-driven solution: closed-form flight between elastic impacts of the lower ball."""

    m, k, length, g, drop = 1.0, 1000.0, 1.0, 10.0, 1.0
    omega = np.sqrt(2000.0)

    def __init__(self, end):
        self.starts, self.hits = [], []
        t, lower, upper = 0.0, (self.drop, 0.0), (self.drop + self.length, 0.0)
        while True:
            self.starts.append((t, lower, upper))
            # impacts are 0.06 s apart or more (asserted below): a grid of 0.1 ms cannot step over one
            grid = np.arange(1e-6, end - t, 1e-4)
            under = np.flatnonzero(self._flight(lower, upper, grid)[0] < 0.0)
            if not under.size:
                return
            i = int(under[0])
            s = brentq(lambda s, a=lower, b=upper: self._flight(a, b, s)[0], grid[i - 1], grid[i], xtol=1e-14)
            x1, x2, v1, v2 = self._flight(lower, upper, s)
            t += s
            self.hits.append((t, -v1))
            lower, upper = (0.0, -v1), (x2, v2)

    def _flight(self, lower, upper, s):
        (x1, v1), (x2, v2) = lower, upper
        centre, rise = 0.5 * (x1 + x2) + 0.5 * (v1 + v2) * s - 0.5 * self.g * s**2, 0.5 * (v1 + v2) - self.g * s
        stretch, rate, w = x2 - x1 - self.length, v2 - v1, self.omega
        apart = self.length + stretch * np.cos(w * s) + rate / w * np.sin(w * s)
        speed = rate * np.cos(w * s) - stretch * w * np.sin(w * s)
        return centre - 0.5 * apart, centre + 0.5 * apart, rise - 0.5 * speed, rise + 0.5 * speed

    def at(self, t):
        """Return x1, x2, v1, v2 at the times t, (4, n)."""
        out = np.empty((4, t.size))
        for start, lower, upper in self.starts:
            later = t >= start
            out[:, later] = self._flight(lower, upper, t[later] - start)
        return out


def test_two_balls_follow_the_event_driven_solution():
    reference = TwoBalls(end=2.0)
    times, speeds = np.array(reference.hits).T
    assert times.size == 4
    assert np.diff(times).min() > 0.06
    errors = []
    for step in (2e-3, 5e-4, 1.25e-4):
        result = fm.load_case("two_ball_oscillator", [f"time.step={step}"]).run()
        t, P = result.time, result.contacts["floor"].impulse
        x1, x2, _, _ = reference.at(t)
        lower, upper = (result.signals[f"{ball}.position"][:, 2] for ball in ("lower", "upper"))
        errors.append(np.mean(np.abs(lower - x1)) + np.mean(np.abs(upper - x2)))
        hit = P > 0.0
        np.testing.assert_allclose(t[hit], times, atol=2 * step + 1e-3)
        np.testing.assert_allclose(P[hit], 2.0 * speeds, rtol=0.08)
        assert np.abs(lower - x1).max() <= 12.0 * step + 0.01
    assert errors[0] <= 0.015
    assert errors[2] <= 0.3 * errors[0]


def test_two_balls_impacts_come_from_the_file():
    """The times and speeds printed in the case's comments are those of the reference."""
    text = fm.load_case("two_ball_oscillator").file.read_text()
    for t, speed in TwoBalls(end=2.0).hits:
        assert f"{t:.7f}" in text
        assert f"{speed:.6f}" in text


def vibration(result, t0, t1):
    """Return how much faster than not at all the vibration of the balls decays: -ln(E1 / E0) / (t1 - t0)."""
    x1, x2 = (result.signals[f"{ball}.position"][:, 2] for ball in ("lower", "upper"))
    v1, v2 = (result.signals[f"{ball}.velocity"][:, 2] for ball in ("lower", "upper"))
    energy = 0.25 * (v2 - v1) ** 2 + 500.0 * (x2 - x1 - 1.0) ** 2
    i, j = np.searchsorted(result.time, [t0 - 1e-9, t1 - 1e-9])
    return -np.log(energy[j] / energy[i]) / (t1 - t0)


def test_schemes_damp_the_vibration_of_the_two_balls_as_theory_says():
    """In flight the energy of a mode decays like exp(-kappa w^2 h t).

    Damping ratio (theta - 1/2) w h of Moreau-Jean and (gamma - 1/2 - alpha_f) w h / 2 of Newmark and HHT, so kappa is
    1, 1/2 and 2/5 for the lecture's parameters; second-order schemes have none.
    """
    h, w = 2e-3, TwoBalls.omega
    model = fm.load_case("two_ball_oscillator").model()
    kappa, final = {}, {}
    for scheme in (
        fm.MoreauJean(theta=1.0),
        fm.Newmark(gamma=1.0, beta=0.5),
        fm.HHT(gamma=1.0, beta=0.5, alpha=0.1),
        fm.GeneralizedAlpha(rho_inf=0.8),
    ):
        result = fm.simulate(model, scheme, step=h, end=2.0)
        kappa[scheme.name] = vibration(result, 0.6, 1.2) / (w**2 * h)
        final[scheme.name] = result.energy.total[-1]
        if scheme.name != "moreau-jean":  # with e = 1 it never gains for theta = 1/2 only (Acary 2019, eq 94)
            assert result.energy.total.max() <= 30.0 * (1.0 + 1e-12)
    assert kappa["moreau-jean"] == pytest.approx(1.0, rel=0.01)
    assert kappa["newmark"] == pytest.approx(0.5, rel=0.02)
    assert kappa["hht"] == pytest.approx(0.4, rel=0.02)
    assert abs(kappa["generalized-alpha"]) <= 1e-3
    assert final["generalized-alpha"] >= 29.4
    assert max(final["moreau-jean"], final["newmark"], final["hht"]) <= 0.8 * 30.0


def drop(height, scheme, e=0.9):
    """Return the top of the first bounce of the case's ball, dropped from ``height``."""
    overrides = [f"bodies.ball.position=[0.0, 0.0, {height}]", f"contacts.floor.restitution={e}"]
    model = fm.load_case("naive_hht_fails", overrides).model()
    result = fm.simulate(model, scheme, step=1e-3, end=1.25)
    first = int(np.flatnonzero(result.contacts["floor"].impulse)[0])
    return float(result.signals["ball.position"][first:, 2].max())


HEIGHTS = (1.0, 1.003, 1.01, 1.02)


@pytest.mark.parametrize("e", [0.0, 0.9])
@pytest.mark.parametrize("height", HEIGHTS)
def test_naive_scheme_bounces_by_chance(height, e):
    """The rebound is |1 - 2 s| of the arrival speed, s the missing part of a step, whatever the restitution."""
    h, g = 1e-3, 9.81
    n = int(np.sqrt(2.0 * height / g) / h)
    speed = 2.0 * (height - 0.5 * g * (n * h) ** 2) / h - g * n * h
    naive = fm.load_case("naive_hht_fails").scheme
    assert drop(height, naive, e) == pytest.approx(speed**2 / (2.0 * g), abs=1e-5)


def test_naive_scheme_depends_wildly_on_the_start_and_the_others_do_not():
    naive = fm.load_case("naive_hht_fails").scheme
    tops = [drop(height, naive) for height in HEIGHTS]
    assert tops[0] < 0.003
    assert tops[2] > 0.3
    for scheme in (fm.GeneralizedAlpha(rho_inf=0.8), fm.MoreauJean(), fm.HHT(), fm.Newmark(ggl=False)):
        for height in HEIGHTS:
            assert drop(height, scheme) == pytest.approx(0.81 * height, rel=8e-3)


def test_naive_scheme_at_velocity_level_is_right_for_gamma_1_only():
    """Acary (2019), after eq (72): consistent only for gamma = 1, alpha = 0; gamma = 1/2 throws the ball up higher."""
    right = fm.NaiveHHT(alpha=0.0, gamma=1.0, beta=0.5, level="velocity")
    wrong = fm.NaiveHHT(alpha=0.0, gamma=0.5, beta=0.25, level="velocity")
    assert drop(1.0, right) == pytest.approx(0.81, rel=8e-3)
    assert drop(1.0, wrong) > 5.0
