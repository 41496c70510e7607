"""Hard rub: annular rub in closed form, bounces event by event, rings of springs that get stiffer, the ledger."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from references import jeffcott

import flexmb as fm

DISK = {"m": 1.6, "k": 4000.0, "c": 16.0, "U": 1.6e-3, "W": 40.0}
"""Critical speed 50 rad/s; at 40 the free orbit has a radius of 1.62 mm."""
GAP = 1e-3
TURN = 2.0 * np.pi / DISK["W"]
STIFF = (10.0, 100.0, 1000.0, 10000.0)
"""Of the ring of springs, over the shaft's."""


def rotor(restitution=0.0):
    """A disk on a shaft of next to no mass in a ring."""
    model = fm.Model()
    disk = {"node": 1, "mass": DISK["m"], "inertia": 0.01, "polar_inertia": 0.02, "eccentricity": DISK["U"] / DISK["m"]}
    model.add(
        fm.Rotor(
            "rotor",
            theory="euler-bernoulli",
            stations=[0.0, 0.5, 1.0],
            outer_diameter=0.009482162421056605,  # 48 E I / l^3 = 4000 N/m
            material={"young": 2.1e11, "density": 0.1},
            spin={"kind": "constant", "speed": DISK["W"]},
            disks=[disk],
            bearings=[{"node": 1, "stiffness": 0.0, "damping": DISK["c"]}],
            supports=[{"node": node, "kind": "pinned"} for node in ("first", "last")],
        )
    )
    model.add(fm.Clearance("ring", node="rotor.mid", gap=GAP, restitution=restitution))
    return model


def orbit(result):
    x = result.signals["rotor.mid.displacement"]
    return x[:, 1] + 1j * x[:, 2]


@functools.cache
def rub(steps, turns=26):
    """Return the rub from rest with so many steps to a turn."""
    scheme = fm.GeneralizedAlpha(0.8)
    return fm.simulate(rotor(), scheme, end=turns * TURN, steps=turns * steps, signals=["rotor.mid.displacement"])


def impulse_per_turn(result, steps):
    """Return the impulses of the last three turns, latest first."""
    impulse = result.contacts["ring"].impulse.ravel()
    return impulse[-3 * steps :].reshape(3, steps).sum(axis=1)[::-1]


def hard_orbit(t):
    """Return the whirl on the ring, exactly."""
    lag = np.arcsin(DISK["c"] * GAP / (DISK["U"] * DISK["W"]))
    return GAP * np.exp(1j * (DISK["W"] * t - lag))


# ------------------------------------------------------------------------------------------------- annular rub


def test_the_closed_form_of_annular_rub_solves_the_equation():
    m, k, c, U, W = DISK.values()
    for stiffness in (np.inf, 50.0 * k):
        radius, force = jeffcott.annular_rub(**DISK, gap=GAP, stiffness=stiffness)
        turned = (k - m * W**2 + 1j * c * W) * radius + force
        assert abs(turned) == pytest.approx(U * W**2, rel=1e-12)
        assert force > 0.0
    assert jeffcott.steady_radius(**DISK) > GAP


def test_impulse_per_turn_of_annular_rub():
    exact = jeffcott.annular_rub(**DISK, gap=GAP)[1] * TURN
    found = []
    for steps in (100, 200, 400):
        result = rub(steps)
        turns = impulse_per_turn(result, steps)
        np.testing.assert_allclose(turns, turns[0], rtol=1e-6)  # every turn is the same
        assert np.all(result.contacts["ring"].impulse[-3 * steps :] > 0.0)
        found.append(turns[0])
    off = 1.0 - np.array(found) / exact
    assert np.all(np.abs(np.diff(found)) < 5e-3 * exact)  # halving the step: 0.3 and 0.2 %
    assert abs(off[0]) < 1e-2
    assert np.all(off[:-1] / off[1:] > 1.6)  # first order


def test_annular_rub_stays_on_the_ring_and_closes_its_books():
    result = rub(400)
    late = result.time > 20 * TURN
    np.testing.assert_allclose(np.abs(orbit(result)[late]), GAP, rtol=1e-9)
    assert np.abs(orbit(result) - hard_orbit(result.time))[late].max() < 5e-3 * GAP
    assert result.summary["max_penetration"] <= 1e-15
    energy = result.summary["energy"]
    assert energy["residual_max"] <= 1e-11 * energy["scale"]


def test_a_ring_of_springs_that_gets_stiffer_becomes_the_hard_ring():
    """From the hard orbit on it swings by 2 N / stiffness at most: the difference falls like 1 / stiffness."""
    force = jeffcott.annular_rub(**DISK, gap=GAP)[1]
    hard = rub(400)
    steady = [jeffcott.annular_rub(**DISK, gap=GAP, stiffness=x * DISK["k"]) for x in STIFF]
    late = slice(-801, None)
    t, ours = hard.time[late], orbit(hard)[late]
    off, off_ours = [], []
    for x in STIFF:
        start = hard_orbit(t[0]), 1j * DISK["W"] * hard_orbit(t[0])
        soft = jeffcott.penalty(t, **DISK, gap=GAP, stiffness=x * DISK["k"], start=start)
        off.append(np.abs(soft - hard_orbit(t)).max())
        off_ours.append(np.abs(soft - ours).max())
        assert off[-1] < 3.0 * force / (x * DISK["k"])
    ratios = np.array(off[:-1]) / off[1:]
    assert np.all((ratios > 7.0) & (ratios < 13.0))
    assert np.all(np.diff(off_ours[:3]) < 0.0)
    assert off_ours[-1] < 5e-3 * GAP  # what our step leaves
    missing = 1.0 - np.array([N for _, N in steady]) / force
    ratios = missing[:-1] / missing[1:]
    assert np.all((ratios > 9.0) & (ratios < 11.0))
    ours = impulse_per_turn(hard, 400)[0] / TURN
    assert abs(steady[-1][1] - ours) < 3e-3 * force


# ------------------------------------------------------------------------------------------------- bounces


BOUNCES = 0.13
"""The first six bounces, s; later ones depend on the earlier ones more and more."""


def test_bounces_off_the_ring_event_by_event():
    """Nothing is lost in the impacts (e = 1): whole curve and impulses, first order in the step."""
    off, given = [], []
    for h in (2e-4, 1.25e-5):
        scheme, keys = fm.GeneralizedAlpha(1.0), {"signals": ["rotor.mid.displacement"]}
        result = fm.simulate(rotor(1.0), scheme, end=BOUNCES, step=h, **keys)
        exact, impacts = jeffcott.bounces(result.time, **DISK, gap=GAP, restitution=1.0)
        impulse = result.contacts["ring"].impulse.ravel()
        assert np.count_nonzero(impulse) == len(impacts) == 6
        off.append(np.abs(orbit(result) - exact).max())
        given.append(np.abs(impulse[impulse > 0.0] / impacts[:, 1] - 1.0).max())
        np.testing.assert_allclose(result.time[impulse > 0.0], impacts[:, 0], rtol=0, atol=35 * h)  # lateness adds up
        energy = result.summary["energy"]
        assert energy["residual_max"] <= 1e-11 * energy["scale"]
        assert result.summary["max_penetration"] <= 1e-15
    assert off[1] < 5e-3 * GAP
    assert given[1] < 1.5e-2
    assert off[0] / off[1] > 6.0
    assert given[0] / given[1] > 10.0


def test_springs_bounce_like_the_hard_ring_when_they_are_stiff():
    """A touch lasts pi sqrt(m / stiffness): after the first bounce the difference falls like 1 / sqrt(stiffness).

    With every further bounce it falls more slowly, and over 0.4 s (17 bounces) not steadily: a ring of 10000 k loses
    touches and is farther off than one of 1000 k, one of 100000 k is nearer again. No order is claimed there.
    """
    t = np.linspace(0.0, BOUNCES, 521)
    hard, _ = jeffcott.bounces(t, **DISK, gap=GAP, restitution=1.0)
    soft = [np.abs(jeffcott.penalty(t, **DISK, gap=GAP, stiffness=x * DISK["k"]) - hard) for x in STIFF]
    one, six = (np.array([off[t <= end].max() for off in soft]) for end in (0.09, BOUNCES))
    np.testing.assert_allclose(one[1:-1] / one[2:], np.sqrt(10.0), rtol=0.1)
    assert np.all(np.diff(one) < 0.0)
    assert np.all(np.diff(six) < 0.0)
    assert six[-1] < 0.03 * GAP


# ------------------------------------------------------------------------------------------------- a whole rotor


def test_rotor_with_two_disks_rubs_without_penetration():
    result = fm.load_case("rotor_rub", ["time.end=0.1", "output.every=1"]).run()
    gap = result.contacts["stator"].gap.ravel()
    assert result.summary["contact_steps"] > 1000
    assert gap.min() >= -1e-18
    x = result.signals["rotor.disk.displacement"]
    np.testing.assert_allclose(np.hypot(x[:, 1], x[:, 2]), 7.95e-5 - gap, rtol=0, atol=1e-18)
    energy = result.summary["energy"]
    assert energy["residual_max"] <= 1e-12 * energy["scale"]
    assert np.all(np.diff(np.asarray(result.energy.work_contact).ravel()) <= 1e-12)  # a rub takes, it never gives
