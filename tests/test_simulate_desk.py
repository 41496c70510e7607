"""What ``simulate`` does for people: schemes by name, partial results, starts from results, words for objects."""

from __future__ import annotations

import os
import signal

import numpy as np
import pytest

import flexmb as fm


def ball(**more) -> fm.Model:
    model = fm.Model(gravity=(0.0, 0.0, -9.81))
    model.add(fm.Particle("ball", mass=0.5, position=(0.0, 0.0, 1.0), **more))
    model.add(fm.NodePlane("floor", node="ball", normal=(0.0, 0.0, 1.0), restitution=0.5))
    return model


def test_a_scheme_by_name_or_class_with_its_options():
    want = fm.simulate(ball(), fm.GeneralizedAlpha(rho_inf=0.7, ggl=True), step=0.01, end=1.0)
    for scheme in ("generalized-alpha", fm.GeneralizedAlpha):
        got = fm.simulate(ball(), scheme, step=0.01, end=1.0, rho_inf=0.7, ggl=True)
        np.testing.assert_array_equal(got.signals["ball.position"], want.signals["ball.position"])
        assert got.summary["scheme"] == want.summary["scheme"]


@pytest.mark.parametrize(
    ("scheme", "more", "words"),
    [
        ("generalised-alpha", {}, ["generalised-alpha", "generalized-alpha"]),
        ("generalized-alpha", {"rho": 0.5}, ["rho", "rho_inf"]),
        (fm.MoreauJean(), {"theta": 0.5}, ["theta"]),
        (fm.MoreauJean(), {"stpes": 5}, ["stpes", "steps"]),
        (7, {}, ["7"]),
    ],
)
def test_wrong_schemes_and_options(scheme, more, words):
    with pytest.raises(fm.InputError) as err:
        fm.simulate(ball(), scheme, step=0.01, end=1.0, **more)
    assert all(word in str(err.value) for word in words)


def test_a_cancelled_run_returns_what_it_has():
    seen = []
    result = fm.simulate(
        ball(),
        fm.MoreauJean(),
        step=1e-4,
        end=1.0,
        progress=lambda done, of: seen.append((done, of)),
        cancel=lambda: len(seen) == 2,
    )
    assert not result.complete
    assert result.summary["status"] == "cancelled"
    assert 0.0 < result.time[-1] < 1.0
    assert round(result.time[-1] / 1e-4) == seen[-1][0] == result.summary["steps"]
    assert "cancelled" in repr(result)
    whole = fm.simulate(ball(), fm.MoreauJean(), step=1e-4, end=1.0)
    assert whole.complete
    n = len(result.time)
    np.testing.assert_array_equal(result.signals["ball.position"], whole.signals["ball.position"][:n])


def test_an_interrupted_run_returns_what_it_has(tmp_path):
    def interrupt(done, of):
        if done < of:
            os.kill(os.getpid(), signal.SIGINT)

    result = fm.simulate(ball(), fm.MoreauJean(), step=1e-5, end=1.0, progress=interrupt)
    assert not result.complete
    assert 0 < len(result.time) < 100001
    saved = result.save(tmp_path / "part")
    assert not fm.load(saved).complete


def test_a_failed_run_has_its_result_on_the_error():
    def overflow(t):
        return 1e300 if t > 0.5 else 0.0

    model = ball()
    model.add(fm.NodalForce("push", node="ball", force=(1e300, 0.0, 0.0), function=overflow))
    with pytest.raises(fm.SimulationError) as err, np.errstate(all="ignore"):
        fm.simulate(model, fm.MoreauJean(), step=0.01, end=1.0)
    kept = err.value.result
    assert not kept.complete
    assert 0.4 < kept.time[-1] <= 0.52
    assert kept.summary["failure"]["step"] == err.value.step


def test_a_run_goes_on_where_another_ended():
    def half(**more):
        return fm.simulate(ball(), fm.MoreauJean(), step=0.01, **more)

    whole, first = half(end=1.0), half(end=0.6)
    second = half(end=1.0, start_from=first)
    assert second.time[0] == pytest.approx(0.6)
    later = whole.signals["ball.position"][60:]
    np.testing.assert_allclose(second.signals["ball.position"], later, rtol=0.0, atol=1e-13)
    with pytest.raises(fm.InputError, match=r"later than start = 0\.6.*not its duration"):
        half(end=0.4, start_from=first)
    at = half(end=1.0, start_from=(whole, 0.3))
    np.testing.assert_allclose(at.signals["ball.position"], whole.signals["ball.position"][30:], rtol=0.0, atol=1e-13)
    assert at.energy.total[0] == pytest.approx(whole.energy.total[30])


def test_a_start_in_large_motion():
    def pendulum(**more):
        model = fm.Model(gravity=(0.0, 0.0, -9.81))
        arm = model.add(fm.Rigid("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0.0, 0.0)))
        model.add(fm.Revolute("hinge", a=arm, point=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
        return fm.simulate(model, "moreau-jean", step=0.005, **more)

    whole, first = pendulum(end=1.0), pendulum(end=0.5)
    second = pendulum(end=1.0, start_from=first)
    later = whole.signals["arm.position"][100:]
    np.testing.assert_allclose(second.signals["arm.position"], later, rtol=0.0, atol=1e-9)
    with pytest.raises(fm.InputError, match=r"start_from.*coordinates"):
        fm.simulate(ball(), "moreau-jean", step=0.01, end=2.0, start_from=first)
    with pytest.raises(fm.InputError, match=r"start_from.*0\.2013.*nearest"):
        pendulum(end=1.0, start_from=(first, 0.2013))
    with pytest.raises(fm.InputError, match="start_from"):
        pendulum(end=1.0, start_from=first.folder or "first")


def test_bodies_stand_where_their_names_can():
    model = fm.Model()
    mass = model.add(fm.Particle("ball", mass=0.5, position=(0.0, 0.0, 1.0)))
    rod = model.add(fm.Bar("rod", length=1, elements=2, area=1, young=1, density=1))
    contact = fm.NodePlane("floor", node=mass, normal=(0.0, 0.0, 1.0))
    model.add(contact)
    assert str(mass) == "ball"
    assert model.assemble().contacts.nc == 1
    with pytest.raises(fm.InputError, match=r"rod\.first.*rod\.last"):
        fm.NodePlane("wall", node=rod, normal=(1.0, 0.0, 0.0))


def test_objects_say_what_they_are():
    model = ball()
    result = fm.simulate(model, "moreau-jean", step=0.01, end=1.0)
    assert "1 body: ball (Particle)" in repr(model)
    assert "1 contact: floor" in repr(model)
    model.add(fm.Particle("second", mass=1.0))
    assert "2 bodies: " in repr(model)
    assert "floor (NodePlane)" in repr(model)
    assert "moreau-jean" in repr(result)
    assert "101 samples" in repr(result)
    assert "ball.position" in repr(result.signals)
    assert "floor" in repr(result.contacts)
    assert "J" in repr(result.energy)
    assert "states" in repr(result.fields)
    assert "wave" in repr(fm.Called(lambda t: t)) or "<lambda>" in repr(fm.Called(lambda t: t))
