"""Work of each contact by part (sliding, rolling, cohesion), and of prescribed surfaces: the sums are the totals."""

from __future__ import annotations

import numpy as np
import pytest
from friction_models import sphere
from test_friction_record import thrown

import flexmb as fm
from flexmb.errors import InputError
from flexmb.record.result import Result


def scale_of(result: Result) -> float:
    """Return the largest energy or work."""
    return max(float(np.abs(result.tree[name][()]).max()) for name in result.tree if name.startswith("/energy/"))


def assert_sums(result: Result, **totals: str) -> None:
    """Demand that a work of all contacts sums to a total, at every sample, to 1e-14 of the scale."""
    for word, total in totals.items():
        own = sum(getattr(c, word).reshape(len(result.time), -1).sum(axis=1) for c in result.contacts.values())
        assert np.abs(own).max() > 1e-6 * scale_of(result), word
        np.testing.assert_allclose(own, getattr(result.energy, total), rtol=0.0, atol=1e-14 * scale_of(result))


PARTS = {"work_friction": "work_friction", "work_rolling": "work_rolling", "work_surface": "work_drive"}


@pytest.mark.parametrize(
    ("scheme", "engine"),
    [(fm.MoreauJean(), "compiled"), (fm.GeneralizedAlpha(0.8), "compiled"), (fm.StormerVerlet(), "general")],
    ids=lambda x: getattr(x, "name", ""),
)
def test_a_ball_that_rolls_on_a_belt(scheme, engine) -> None:
    """Rolling resistance, a belt at 0.5 m/s, and a fixed wall that the ball runs against."""
    model = sphere(rolling=0.01, spinning=0.005, surface_velocity=(0.5, 0.0, 0.0), spin=(0.0, 0.0, 3.0))
    model.add(fm.NodePlane("wall", node="ball", point=(0.45, 0, 0), normal=(-1, 0, 0), radius=0.1, friction=0.1))
    result = fm.simulate(model, scheme, step=2e-3, end=0.4, engine=engine)
    assert_sums(result, **PARTS)
    floor, wall = result.contacts["floor"], result.contacts["wall"]
    assert wall.impulse.any()
    assert not wall.has("work_rolling")
    assert not wall.work_rolling.any()
    assert not wall.work_surface.any()
    carried = 0.5 * np.cumsum(floor.tangential_impulse[:, 0])  # the velocity of the belt times what it gives
    np.testing.assert_allclose(floor.work_surface, carried, rtol=0.0, atol=1e-14 * scale_of(result))
    rolled = floor.work_friction - floor.work_rolling
    assert rolled[-1] < 0.0
    assert floor.work_rolling[-1] < 0.0


@pytest.mark.parametrize("scheme", [fm.MoreauJean(), fm.Newmark(), fm.GeneralizedAlpha(0.8)], ids=lambda x: x.name)
def test_small_motion_on_a_belt_that_lifts(scheme) -> None:
    """A plane that moves along its normal and in its own plane; the definition of the scheme says the same."""
    motion = fm.Harmonic(amplitude=0.01, omega=2.0 * np.pi)
    model = fm.Model(gravity=(0.0, 0.0, -9.81))
    block = model.add(fm.Particle("block", mass=1.0, position=(0.0, 0.0, 0.0), velocity=(2.0, 0.0, 0.0)))
    belt = {"surface_velocity": (0.5, 0.1, 0.0), "motion": motion, "friction": 0.3, "restitution": 0.0}
    model.add(fm.NodePlane("floor", node=block.first, normal=(0, 0, 1), **belt))
    one, two = (fm.simulate(model, scheme, step=2e-3, end=0.6, engine=engine) for engine in ("compiled", "general"))
    for result in (one, two):
        assert_sums(result, work_friction="work_friction", work_surface="work_drive")
    floor = one.contacts["floor"]
    np.testing.assert_allclose(two.contacts["floor"].work_surface, floor.work_surface, rtol=0.0, atol=1e-12)
    change = one.energy.total - one.energy.total[0] - one.energy.numerical
    pushed = one.energy.work_contact - floor.work  # position corrections (GGL)
    np.testing.assert_allclose(floor.work_body + pushed, change, rtol=0.0, atol=1e-12)  # nothing else works on it


@pytest.mark.parametrize("name", ["potra", "euler-linearized"])
def test_schemes_that_have_only_a_definition(name) -> None:
    result = fm.simulate(thrown(surface_velocity=(0.5, 0.0, 0.0)), fm.SCHEMES[name](), step=5e-3, end=0.5)
    assert_sums(result, work_friction="work_friction", work_surface="work_drive")


@pytest.mark.parametrize("name", ["phem56", "index3"])
def test_located_events_on_a_belt(name) -> None:
    """A planar block slides on a belt and then goes along with it, up and down."""
    model = fm.Model(gravity=(0.0, -9.81, 0.0))
    model.add(fm.Particle("block", mass=1.0, position=(0.0, 0.0, 0.0), velocity=(1.2, 0.0, 0.0), axes="xy"))
    model.add(fm.NodePlane("belt", node="block", normal=(0, 1, 0), friction=0.3, surface_velocity=(0.5, 0.0, 0.0)))
    model.add(fm.NodalForce("push", node="block", force=(1.0, 0.0, 0.0)))
    scheme = fm.SCHEMES[name]() if name in fm.SCHEMES else fm.GeneralizedAlpha(0.8)
    result = fm.simulate(model, scheme, step=1e-2, end=0.6, events=True)
    assert {1, 2} <= set(result.contacts["belt"].status.tolist())
    assert_sums(result, work_friction="work_friction", work_surface="work_drive")
    carried = 0.5 * np.cumsum(result.contacts["belt"].tangential_impulse.reshape(-1))
    np.testing.assert_allclose(result.energy.work_drive, carried, rtol=0.0, atol=1e-12)


def test_a_bond_that_is_peeled() -> None:
    case = fm.load_case("peeling_beam")
    result = fm.simulate(case.model(), fm.MoreauJean(), step=1e-3, end=0.2)
    assert_sums(result, work_friction="work_friction", work_cohesion="work_cohesion")


def test_a_contact_without_friction_has_no_work_of_a_surface() -> None:
    result = fm.simulate(thrown(mu=0.0), fm.MoreauJean(), step=1e-2, end=0.1)
    assert not result.contacts["floor"].work_cohesion.any()
    with pytest.raises(InputError, match=r"floor.*work_surface"):
        _ = result.contacts["floor"].work_surface
