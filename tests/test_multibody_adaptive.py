"""Steps chosen by a tolerance: their error, their number, and the samples between them."""

from __future__ import annotations

import numpy as np
import pytest
from multibody_models import four_bar, four_bar_angles, pendulum, run
from references import four_bar as reference

import flexmb as fm
from flexmb.kernels.multibody.multibody import STEPS
from flexmb.record.plan_notes import notes_of

GGL = fm.GeneralizedAlpha(rho_inf=0.8, ggl=True)
SCHEMES = [GGL, fm.GeneralizedAlpha(rho_inf=0.5, constraints="index3"), fm.HHT(alpha=0.1), fm.Newmark(ggl=True)]


@pytest.fixture(scope="module")
def linkage():
    return four_bar().assemble()


def steps_of(r) -> int:
    return int(r.engine.motion.numbers[STEPS])


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_the_error_falls_with_the_tolerance_at_the_order_of_the_scheme(linkage, scheme):
    """Local error h^3 = tolerance: steps go with tolerance^(-1/3), the error of the run with tolerance^(2/3)."""
    times = np.linspace(0.0, 1.0, 6)
    q, v, _ = reference.trajectory(times)
    tolerances = np.array([1e-6, 1e-7, 1e-8, 1e-9])
    errors, counts = [], []
    for tolerance in tolerances:
        r = run(linkage, scheme, 0.2, 5, tolerance=tolerance)
        assert r.engine.failure is None
        angles, rates = four_bar_angles(r.q, r.v)
        errors.append(max(np.abs(angles - q).max(), 0.1 * np.abs(rates - v).max()))
        counts.append(steps_of(r))
    slope = np.polyfit(np.log(tolerances), np.log(errors), 1)[0]
    assert slope == pytest.approx(2.0 / 3.0, abs=0.12), errors
    growth = np.polyfit(np.log(tolerances), np.log(counts), 1)[0]
    assert growth == pytest.approx(-1.0 / 3.0, abs=0.05), counts


def test_samples_stand_at_the_times_asked_for_whatever_the_steps(linkage):
    coarse = run(linkage, GGL, 0.25, 4, tolerance=1e-8)
    fine = run(linkage, GGL, 0.01, 100, tolerance=1e-8)
    np.testing.assert_allclose(coarse.t, np.arange(5) * 0.25, rtol=1e-15)
    np.testing.assert_allclose(fine.t, np.arange(101) * 0.01, rtol=1e-14)
    # the grid changes the first step alone, so the samples in common differ by the error of the run
    error = np.abs(four_bar_angles(fine.q, fine.v)[0] - reference.trajectory(fine.t)[0]).max()
    assert np.abs(fine.q[::25] - coarse.q).max() <= 2.0 * error
    every = run(linkage, GGL, 0.01, 100, every=5, tolerance=1e-8)
    np.testing.assert_array_equal(every.q, fine.q[::5])


def test_interpolation_between_steps_is_as_good_as_the_steps(linkage):
    """Cubic in q, so quadratic in v: at samples between steps the errors are no larger than at the steps' own order."""
    times = np.linspace(0.0, 1.0, 2001)
    q, v, _ = reference.trajectory(times)
    worst = []
    for tolerance in (2e-5, 2e-7):
        r = run(linkage, GGL, 1.0 / 2000.0, 2000, tolerance=tolerance)
        assert steps_of(r) < 1000  # most samples lie between steps
        angles, rates = four_bar_angles(r.q, r.v)
        worst.append((np.abs(angles - q).max(), np.abs(rates - v).max(), np.abs(r.g).max()))
        at_steps = run(linkage, GGL, 1.0, 1, tolerance=tolerance)
        end = np.abs(four_bar_angles(at_steps.q, at_steps.v)[0][-1] - q[-1]).max()
        assert worst[-1][0] <= 1.1 * end
    fall = 100.0 ** (2.0 / 3.0)
    assert worst[0][0] / worst[1][0] > 0.6 * fall
    assert worst[0][1] / worst[1][1] > 0.6 * fall
    assert worst[0][2] / worst[1][2] > 0.6 * fall


def test_rotations_are_interpolated_on_the_group():
    """A body that turns about one axis at a constant rate is interpolated exactly; no step turns it too far for that.

    Its local error is none, so the tolerance alone would let the steps grow beyond half a turn.
    """
    model = fm.Model()
    model.add(fm.Rigid("disk", mass=1.0, inertia=[1.0, 2.0, 2.0], angular_velocity=(3.0, 0.0, 0.0)))
    r = run(model, fm.GeneralizedAlpha(rho_inf=1.0), 0.013, 200, tolerance=1e-6)
    half = 0.5 * 3.0 * r.t
    np.testing.assert_allclose(np.abs(r.q[:, 3] * np.cos(half) + r.q[:, 4] * np.sin(half)), 1.0, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(r.q[:, 3:7], axis=1), 1.0, atol=1e-13)
    assert steps_of(r) < 200


def test_quiet_stretches_get_long_steps_and_the_end_is_not_passed():
    """A spring that rests but for a push between 0.4 and 0.6 s; a table that ends with the run is never read beyond."""
    model = fm.Model()
    model.add(fm.RigidPlanar("disk", mass=1.0, inertia=1.0))
    push = fm.Table(time=[0.0, 0.4, 0.5, 0.6, 1.0], value=[0.0, 0.0, 1.0, 0.0, 0.0])
    model.add(fm.NodalForce("push", node="disk", force=(1.0, 0.0, 0.0), function=push))
    result = fm.simulate(model, GGL, end=1.0, tolerance=1e-9, interval=0.01)
    assert result.summary["steps_taken"] > 20
    assert result.summary["steps"] == 100
    assert result.signals["disk.velocity"][-1, 0] == pytest.approx(0.1, abs=1e-5)
    # int int of the push: impulse 0.1, centred at 0.5 s
    assert result.signals["disk.position"][-1, 0] == pytest.approx(0.05, abs=1e-5)


def test_an_impact_is_stepped_over_and_contacts_get_a_note():
    model = pendulum(wall=-0.5)
    result = fm.simulate(model, GGL, end=1.0, tolerance=1e-7, interval=0.05)
    assert result.contacts["wall"].impulse.sum() > 0.0
    assert any("time.tolerance with contacts" in note for note in result.summary["notes"])
    free = fm.simulate(pendulum(), GGL, end=1.0, tolerance=1e-7, interval=0.05)
    assert not free.summary["notes"]


def test_steps_are_counted_once_and_refused_ones_cost_iterations_only(linkage):
    r = run(linkage, GGL, 0.1, 10, tolerance=1e-9)
    numbers = r.engine.motion.numbers
    assert numbers[STEPS] == int(numbers[STEPS])
    assert r.engine.tally().steps == 10
    assert steps_of(r) > 100
    result = fm.simulate(four_bar(), GGL, end=1.0, tolerance=1e-9, interval=0.1)
    assert result.summary["steps_taken"] == steps_of(r)
    assert notes_of(r.engine.plan) == ()
