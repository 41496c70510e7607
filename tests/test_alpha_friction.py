"""Friction in the alpha family: sticking without creep, second order in smooth sliding, one source for all systems."""

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import InputError
from flexmb.record.summary_text import energy_warnings

G, SLOPE = 9.81, np.deg2rad(20.0)
MEMBERS = [
    fm.GeneralizedAlpha(),
    fm.GeneralizedAlpha(rho_inf=0.3, ggl=False),
    fm.HHT(),
    fm.Newmark(),
    fm.Newmark(ggl=False),
]


def block(kind, mu, speed=0.0):
    """A body on an incline of 20 degrees, x downhill."""
    model = fm.Model(gravity=(G * np.sin(SLOPE), 0, -G * np.cos(SLOPE)))
    if kind == "rigid":
        model.add(fm.Rigid("b", mass=2.0, inertia=[1, 1, 1], velocity=[speed, 0, 0]))
    else:
        model.add(fm.Particle("b", mass=2.0, velocity=(speed, 0, 0)))
    model.add(fm.NodePlane("floor", node="b", normal=[0, 0, 1], friction=mu))
    return model


def closes(result, tolerance=1e-12):
    energy = result.summary["energy"]
    assert energy["residual_max"] <= tolerance * energy["scale"]


@pytest.mark.parametrize("scheme", MEMBERS, ids=repr)
@pytest.mark.parametrize("kind", ["particle", "rigid"])
def test_what_sticks_does_not_creep(scheme, kind):
    """With friction in the velocities alone a contact creeps by h g sin(slope) / 2: 1.7e-2 m in this run."""
    result = fm.simulate(block(kind, 0.5), scheme, step=0.01, end=1.0, engine="general")
    x = result.signals["b.position"]
    assert np.abs(x - x[0]).max() <= 1e-15
    assert not energy_warnings(result.summary["energy"])
    assert result.contacts["floor"].impulse.sum() == pytest.approx(2.0 * G * np.cos(SLOPE), rel=1e-12)


@pytest.mark.parametrize("scheme", MEMBERS, ids=repr)
def test_sliding_under_constant_force_is_exact_and_stopping_is_near(scheme):
    down = fm.simulate(block("particle", 0.2, 1.0), scheme, step=0.01, end=1.0, engine="general")
    a = G * (np.sin(SLOPE) - 0.2 * np.cos(SLOPE))
    assert down.signals["b.position"][-1, 0] == pytest.approx(1.0 + 0.5 * a, rel=1e-13)
    closes(down)
    stop = fm.simulate(block("particle", 0.6, 1.0), scheme, step=0.01, end=1.0, engine="general")
    d = G * (0.6 * np.cos(SLOPE) - np.sin(SLOPE))
    assert stop.signals["b.position"][-1, 0] == pytest.approx(0.5 / d, abs=0.01**2)
    assert stop.summary["energy"]["friction"] == pytest.approx(-1.0 - 2.0 * G * np.sin(SLOPE) * 0.5 / d, rel=1e-3)
    closes(stop)


@pytest.mark.parametrize("scheme", MEMBERS, ids=repr)
def test_order_two_in_smooth_sliding(scheme):
    """Along a line, with a normal force that changes on the way; where the slip turns the order is one, see below."""
    errors = sliding_errors(scheme, velocity=(2.0, 0, 0), spring=(0, 0, -1.0))
    assert np.log2(errors[:-1] / np.asarray(errors[1:])).min() > 1.85


def test_order_one_where_the_slip_turns():
    """Friction is against the slip at the end of the step."""
    errors = sliding_errors(fm.GeneralizedAlpha(), velocity=(0.4, 2.0, 0), spring=(0, 0, 0))
    assert np.log2(errors[:-1] / np.asarray(errors[1:])) == pytest.approx(1.0, abs=0.2)


def sliding_errors(scheme, velocity, spring):
    """Errors with 25, 50 and 100 steps of a particle that slides on a plane, drawn by a spring to a point."""

    def end(steps):
        model = fm.Model(gravity=(0, 0, -G))
        model.add(fm.Particle("b", mass=1.0, position=(1.0, 0, 0), velocity=velocity))
        model.add(fm.SpringDamper("s", a="ground", point_a=spring, b="b", stiffness=4.0, length=0.5))
        model.add(fm.NodePlane("floor", node="b", normal=[0, 0, 1], friction=0.05))
        result = fm.simulate(model, scheme, steps=steps, end=0.4, engine="general")
        v = result.signals["b.velocity"]
        assert (v @ velocity > 0.5).all()  # it never stops
        closes(result)
        return result.signals["b.position"][-1]

    exact = end(1600)
    return [np.linalg.norm(end(n) - exact) for n in (25, 50, 100)]


def hopping(scheme, engine, **law):
    """A body that turns and hits a plane with friction at a tip."""
    model = fm.Model(gravity=(0, 0, -G))
    body = {"mass": 1.0, "inertia": [0.1, 0.2, 0.3], "angular_velocity": [0.1, 5.0, 0.1], "position": [0, 0, 0.6]}
    model.add(fm.Rigid("top", points={"tip": [0.1, 0, -0.5]}, **body))
    model.add(fm.NodePlane("floor", node="top.tip", normal=[0, 0, 1], friction=0.4, **law))
    return fm.simulate(model, scheme, step=2e-3, end=0.6, engine=engine)


@pytest.mark.parametrize("scheme", MEMBERS, ids=repr)
@pytest.mark.parametrize("law", [{}, {"restitution": 0.5}, {"restitution": 0.4, "tangential_restitution": 0.3}])
def test_the_ledger_closes_on_a_body_that_turns_hits_and_slides(scheme, law):
    result = hopping(scheme, "general", **law)
    assert result.summary["energy"]["friction"] < -0.01
    closes(result)


@pytest.mark.parametrize("scheme", MEMBERS, ids=repr)
def test_the_compiled_step_is_the_definition(scheme):
    one, two = (hopping(scheme, engine, restitution=0.3) for engine in ("compiled", "general"))
    for signal in one.signals:
        a, b = one.signals[signal], two.signals[signal]
        np.testing.assert_allclose(b, a, atol=1e-9 * max(1.0, np.abs(a).max()), err_msg=signal)
    scale = one.summary["energy"]["scale"]
    for term in ("kinetic", "potential", "work_contact", "work_friction", "numerical"):
        np.testing.assert_allclose(getattr(two.energy, term), getattr(one.energy, term), atol=1e-10 * scale)


@pytest.mark.parametrize("scheme", MEMBERS, ids=repr)
def test_an_elastic_beam_that_falls_on_a_rough_plane(scheme):
    model = fm.Model(gravity=(3.0, -G, 0))
    rod = {"length": 1.0, "elements": 8, "section": {"shape": "rectangle", "width": 0.02, "height": 0.02}}
    steel = {"young": 2e9, "density": 7800.0, "poisson": 0.3}
    model.add(fm.Beam("rod", material=steel, position=(0, 0.001, 0), direction=(1, 0, 0), velocity=(0.5, 0, 0), **rod))
    model.add(fm.NodePlane("floor", nodes="rod.all", normal=[0, 1, 0], friction=0.3))
    result = fm.simulate(model, scheme, step=1e-4, end=0.05, engine="general")
    assert result.summary["energy"]["friction"] < 0.0
    closes(result)


@pytest.mark.parametrize("law", [{"impact": "poisson", "restitution": 0.5}])
def test_laws_that_it_does_not_carry_are_refused_by_name(law):
    with pytest.raises(InputError, match="floor"):
        hopping(fm.GeneralizedAlpha(), "auto", **law)
