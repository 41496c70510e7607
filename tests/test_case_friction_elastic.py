"""Elastic bodies with friction and glue: waves on a rough floor, in a frictional support, a bristle, a peeled strip."""

from __future__ import annotations

import numpy as np
import pytest
from references import peeling, rough_bar

import flexmb as fm


@pytest.mark.parametrize(
    ("elements", "end", "friction"), [(50, 0.053069, -0.428149), (100, 0.053149, -0.426954), (200, 0.053140, -0.425886)]
)
def test_bar_on_a_rough_floor_has_the_figures_of_another_program(elements, end, friction):
    """A Moreau-Jean in numpy, consistent mass, h = l / 2 c."""
    step = 0.5 * 10.0 / elements / 30.0
    result = fm.load_case("bar_on_rough_floor", [f"bodies.bar.elements={elements}", f"time.step={step}"]).run()
    assert result.signals["bar.first.displacement"][-1, 0] == pytest.approx(end, abs=1.5e-6)
    assert result.energy.work_friction[-1] == pytest.approx(friction, abs=1.5e-6)
    assert np.abs(result.energy.residual).max() <= 1e-13


def test_bar_on_a_rough_floor_whole_field():
    places = [0, 20, 40, 60, 80]
    signals = [f"bar.node({k}).{word}" for k in places for word in ("displacement", "velocity")]
    result = fm.load_case("bar_on_rough_floor", [f"output.signals={signals}".replace("'", '"')]).run()
    t = result.time
    for k in places:
        u, v = rough_bar.displacement(0.1 * k, t), rough_bar.velocity(0.1 * k, t)
        assert np.abs(result.signals[f"bar.node({k}).displacement"][:, 0] - u).max() <= 6e-4
        assert np.abs(result.signals[f"bar.node({k}).velocity"][:, 0] - v).mean() <= 2e-2
        still = t > rough_bar.STOP + 0.05
        assert np.abs(result.signals[f"bar.node({k}).velocity"][still, 0]).max() <= 1e-12  # locked in
    external, friction, _, elastic = rough_bar.works(t)
    energy = result.energy
    assert np.abs(energy.work_friction - friction).max() <= 8e-3
    assert np.abs(energy.work_external - external).max() <= 8e-3
    assert np.abs(energy.potential[-1] - elastic[-1]) <= 4e-3


def test_end_in_a_frictional_support_moves_in_steps():
    result = fm.load_case("bar_with_frictional_support").run()
    t, T = result.time, 2.0 / 3.0
    exact = np.where(t < T, 23.0 / 30.0, np.where(t < 2.0 * T, 0.3, 0.0))
    calm = np.abs((t / T) % 1.0 - 0.5) < 0.35  # away from the fronts
    assert np.abs(result.signals["bar.first.velocity"][calm, 0] - exact[calm]).max() <= 3e-2
    force = result.contacts["support"].tangential_impulse.ravel() / 2e-3
    assert np.abs(force).max() <= 7.0 * (1.0 + 1e-9)
    np.testing.assert_allclose(force[(t > 0.05) & (t < 1.25)], -7.0, rtol=1e-9)
    third = (t > 2.3 * T) & (t < 2.8 * T)
    assert force[third].mean() == pytest.approx(-2.0, abs=0.3)
    assert set(result.contacts["support"].status.ravel()[t > 1.5]) == {1}


@pytest.mark.parametrize("scheme", [fm.MoreauJean(), fm.Newmark(), fm.GeneralizedAlpha(0.8, ggl=False)], ids=repr)
def test_bristle_goes_along_then_stays_bent(scheme):
    model = fm.load_case("beam_pressed_on_rough_plane").model()
    signals = ["blade.last.displacement", "blade.last.velocity"]
    result = fm.simulate(model, scheme, step=2e-4, end=0.8, signals=signals)
    t, x = result.time, result.signals["blade.last.displacement"][:, 0]
    sticks = (t > 0.0) & (t < 0.37)
    assert np.abs(x - 0.01 * t)[sticks].max() <= 6e-6
    assert np.abs(result.signals["blade.last.velocity"][sticks, 0] - 0.01).max() <= 1e-9
    assert x[-1] == pytest.approx(2.0 / 525.0, rel=1e-3)
    slip = t[result.contacts["surface"].status.ravel() == 2][0]
    assert slip == pytest.approx(2.0 / 525.0 / 0.01, rel=1e-2)


def test_peeled_strip_follows_the_quasi_static_crack():
    result = fm.load_case("peeling_beam").run()
    lifts = np.linspace(0.0, 0.01, 81)
    force, slope, work, _ = peeling.peel(lifts, elements=50, C=2e4, w=0.02)
    t = lifts / 0.02
    late = t > 0.1
    got = np.interp(t, result.time, result.contacts["lifter"].force.ravel())
    assert np.mean(np.abs(got - force)[late] / force[late]) <= 1.5e-2
    turn = np.interp(t, result.time, result.signals["strip.first.rotation"][:, 1])
    assert np.abs(turn + slope)[late].max() <= 4e-3
    taken = np.interp(t, result.time, result.energy.work_cohesion)
    assert np.abs(taken + work).max() <= 3e-3
    release = (got * turn)[t > 0.2]
    assert release.mean() == pytest.approx(2.0, rel=4e-2)  # force times slope is the energy release rate, w = 2 J/m
