"""Friction that falls with the slip speed: its steepness against differences, and the note where it is too steep."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import RunWarning
from flexmb.kernels.laws.friction_law import falling_share, falling_steepness, friction_coefficient, state_after
from flexmb.laws.friction import friction_numbers

STEEP = {"kind": "stribeck", "static": 0.5, "dynamic": 0.1, "speed": 0.02}
GENTLE = {"kind": "stribeck", "static": 0.5, "dynamic": 0.1, "speed": 2.0}
AGING = {"kind": "rate-and-state", "mu": 0.4, "a": 0.01, "b": 0.03, "speed": 0.1, "length": 0.01}


@pytest.mark.parametrize("law", [STEEP, GENTLE, AGING, {**STEEP, "exponent": 1.0}, {**AGING, "a": 0.05}], ids=str)
@pytest.mark.parametrize("V", [1e-7, 1e-3, 0.02, 0.4, 3.0])
def test_steepness_is_the_slope_of_mu(law, V):
    """Rate and state: with the state that the step leads to."""
    row, state, h, d = friction_numbers(law, "floor"), 0.08, 0.03, 1e-5 * V

    def mu(slip):
        return friction_coefficient(row, slip, state_after(row, slip, state, h))

    slope = (mu(V + d) - mu(V - d)) / (2.0 * d)
    assert falling_steepness(row, V, state, h) == pytest.approx(max(0.0, -slope), rel=1e-4, abs=1e-15 / d)


def test_coulombs_friction_does_not_fall():
    row = friction_numbers(0.3, "floor")
    assert falling_steepness(row, 0.1, 0.0, 1e-3) == 0.0
    assert falling_share(row, 0.1, 0.0, 1e-3, 1.0, 1.0) == 0.0
    steep = friction_numbers(STEEP, "floor")
    assert falling_share(steep, 0.02, 0.0, 1e-3, 2.0, 3.0) == 6.0 * falling_steepness(steep, 0.02, 0.0, 1e-3) > 0.0


def slider(law, kind):
    """A mass of 2 kg that is pulled along a floor, more than friction holds, from rest."""
    model = fm.Model(gravity=(6.0, 0.0, -9.81))
    place = {"mass": 2.0, "position": (0.0, 0.0, 0.0)}
    if kind == "rigid":
        model.add(fm.Rigid("block", inertia=(0.1, 0.1, 0.1), **place))
    else:
        model.add(fm.Particle("block", **place))
    model.add(fm.NodePlane("floor", node="block", normal=(0, 0, 1), friction=law))
    return model


def notes_of(result):
    return [note for note in result.summary["notes"] if "falls so steeply" in note]


def steepest(law, result):
    """W_TT P_N |mu'| of the steps that slip, from the samples: that of a free mass is h g |mu'|."""
    row, floor, h = friction_numbers(law, "floor"), result.contacts["floor"], result.time[1]
    speeds = np.linalg.norm(floor.slip.reshape(len(result.time), -1), axis=1)[:-1]
    slips = floor.status.ravel()[1:] == 2
    shares = np.array([h * 9.81 * falling_steepness(row, float(V), 0.0, h) for V in speeds]) * slips
    k = int(np.argmax(shares))
    return shares[k], result.time[k + 1]


@pytest.mark.parametrize(
    ("kind", "engine", "scheme"),
    [
        ("particle", "auto", fm.MoreauJean()),
        ("particle", "general", fm.MoreauJean()),
        ("rigid", "auto", fm.MoreauJean()),
        ("rigid", "auto", fm.GeneralizedAlpha(rho_inf=0.8)),
        ("rigid", "general", fm.MoreauJean()),
    ],
)
def test_a_law_that_is_too_steep_is_noted(kind, engine, scheme):
    """By every engine, with the contact, the largest value and its time; a gentle law, or a small step, has no note."""
    with pytest.warns(RunWarning, match="falls so steeply"):
        result = fm.simulate(slider(STEEP, kind), scheme, step=0.01, end=0.3, engine=engine)
    (note,) = notes_of(result)
    share, time = steepest(STEEP, result)
    assert share > 1.0
    assert "contacts.floor: " in note
    assert f"= {share:.3g} at t = {time:.6g} s" in note
    with warnings.catch_warnings():
        warnings.simplefilter("error", RunWarning)
        for law, h in ((GENTLE, 0.01), (STEEP, 1e-3)):
            assert not notes_of(fm.simulate(slider(law, kind), scheme, step=h, end=0.3, engine=engine))


def test_sweeps_note_it_too(monkeypatch):
    from flexmb.assembly import contact_sets

    monkeypatch.setattr(contact_sets, "FEW_WITH_FRICTION", 0)
    with pytest.warns(RunWarning, match=r"contacts.floor: .*falls so steeply"):
        result = fm.simulate(slider(STEEP, "rigid"), fm.MoreauJean(), step=0.01, end=0.3)
    assert f"= {steepest(STEEP, result)[0]:.3g} at" in notes_of(result)[0]


def test_rate_and_state_is_noted():
    law = {"kind": "rate-and-state", "mu": 0.4, "a": 0.001, "b": 0.08, "speed": 1e-3, "length": 5e-5}
    with pytest.warns(RunWarning, match=r"contacts.floor: .*falls so steeply"):
        runs = [
            fm.simulate(slider(law, "particle"), fm.MoreauJean(), step=0.01, end=0.3, engine=e)
            for e in ("auto", "general")
        ]
    found = [notes_of(run)[0] for run in runs]
    assert found[0] == found[1]


def test_a_resumed_general_run_has_the_same_note():
    """Rate and state: its state goes along."""
    from flexmb.drive import Plan
    from flexmb.drive.general import GeneralEngine

    law = {"kind": "rate-and-state", "mu": 0.4, "a": 0.001, "b": 0.08, "speed": 1e-3, "length": 5e-4}
    for kind in ("particle", "rigid"):
        system = slider(law, kind).assemble()
        plan = Plan(system, fm.MoreauJean(), fm.ContactSolver(), 0.01, 0.0, 30, 1, 30)
        whole, first, second = (GeneralEngine(plan) for _ in range(3))
        whole.advance(30)
        first.advance(11)
        second.restore(first.snapshot(), 11)
        second.advance(30)
        assert whole.tally().falling_max > 0.0
        assert (second.tally().falling_max, second.tally().falling_time) == (
            whole.tally().falling_max,
            whole.tally().falling_time,
        )


def colliding_pairs(n, apart=0.03):
    """Pairs of balls that meet obliquely, each later than the one before, and separate."""
    model, names = fm.Model(gravity=(0, 0, 0)), []
    for k in range(n):
        for sign in (1, -1):
            names.append(f"s{len(names)}")
            x = -sign * (0.05 + 2.0 * (0.02 + apart * k))
            place = {"position": (x, 3.0 * k + 0.03 * sign, 0), "velocity": (2.0 * sign, 0, 0)}
            model.add(fm.Rigid(names[-1], mass=1.0, inertia=(1e-3,) * 3, **place))
    law = {"kind": "stribeck", "static": 0.6, "dynamic": 0.1, "speed": 2.0}
    model.add(fm.Spheres("balls", bodies=names, radius=0.05, friction=law))
    return model


@pytest.mark.parametrize(("n", "apart"), [(3, 0.03), (40, 0.0)])
def test_pairs_of_balls_are_named_or_said_to_have_separated(n, apart):
    """The rows of pairs come and go: the note never names another pair than the one it is about."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)
        result = fm.simulate(colliding_pairs(n, apart), "moreau-jean", step=1e-3, end=0.3)
    for note in notes_of(result):
        assert "separated" in note or any(f"balls[s{2 * k}-s{2 * k + 1}]" in note for k in range(n))
        if n == 3:
            k = round((float(note.split("t = ")[1].split(" s")[0]) - 0.02) / apart)
            assert "separated" in note or f"balls[s{2 * k}-s{2 * k + 1}]" in note


def test_friction_of_a_joint_is_named_by_its_joint():
    """A heavily loaded arm on a rough bearing, in long steps."""
    model = fm.Model(gravity=(0, -9.81, 0))
    law = {"kind": "stribeck", "static": 0.6, "dynamic": 0.1, "speed": 0.2}
    model.add(fm.RigidPlanar("arm", mass=1.0, inertia=0.01, position=(0.1, 0, 0)))
    hinge = {"point": (0, 0, 0), "axis": (0, 0, 1), "friction": law, "friction_radius": 0.05}
    model.add(fm.Revolute("hub", a="ground", b="arm", **hinge))
    model.add(fm.NodalForce("load", node="arm", force=(0, -500, 0)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)
        result = fm.simulate(model, "moreau-jean", step=5e-2, end=1.0)
    (note,) = notes_of(result)
    assert note.startswith("joints.hub: ")
