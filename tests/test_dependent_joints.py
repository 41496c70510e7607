"""Joints that depend on each other: redundant ones with rounded data, and mechanisms through singular positions."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from multibody_models import GRAVITY, Z, run
from references import double_four_bar as reference
from scipy.linalg import null_space
from scipy.optimize import brentq

import flexmb as fm
from flexmb.errors import InputError
from flexmb.schemes import HHT, GeneralizedAlpha, MoreauJean, Newmark

LEVELS = [GeneralizedAlpha(0.8, constraints=level) for level in ("ggl", "index3", "index2")]
SCHEMES = [*LEVELS, HHT(), Newmark(), MoreauJean(), MoreauJean(projection=True)]
AXIS = np.array([0.2, 1.0, 0.3]) / np.linalg.norm([0.2, 1.0, 0.3])
LOW = np.array([0.1, 0.2, 0.3])
DIGITS = [None, 10, 8, 6]


def rounded(x, decimals):
    return x if decimals is None else np.round(x, decimals)


def door(decimals=None, hinges=2, off=0.0):
    """A door on hinges of one skew axis, their places typed with some decimals."""
    model = fm.Model(gravity=GRAVITY)
    model.add(fm.Rigid("door", mass=20.0, inertia=[4.0, 2.0, 5.0], center=(0.4, 0.6, 0.1)))
    for k in range(hinges):
        point = rounded(LOW + 1.3 * k * AXIS, decimals) + [off * k, 0.0, 0.0]
        model.add(fm.Revolute(f"hinge{k}", a="ground", b="door", point=point, axis=AXIS))
    return model


@functools.cache
def doors(decimals):
    return door(decimals).assemble(), door(decimals, hinges=1).assemble()


# ------------------------------------------------------------------------------------------ redundant joints


@pytest.mark.parametrize("decimals", DIGITS)
@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_a_door_on_two_hinges_moves_as_on_one(scheme, decimals):
    h, n = 2e-3, 200
    two, one = (run(system, scheme, h, n) for system in doors(decimals))
    assert two.engine.failure is None
    assert np.abs(one.q[-1] - one.q[0]).max() > 0.05
    misfit = 0.0 if decimals is None else 10.0**-decimals
    np.testing.assert_allclose(two.q, one.q, rtol=0, atol=10.0 * misfit + 1e-10)
    np.testing.assert_allclose(two.v, one.v, rtol=0, atol=10.0 * misfit + 1e-9)
    # Moreau-Jean and index2 drift, as on one hinge
    assert np.abs(two.g).max() <= 3.0 * np.abs(one.g).max() + 2.0 * misfit + 1e-13


@pytest.mark.parametrize("decimals", DIGITS)
@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_the_forces_of_two_hinges_are_the_least_that_hold(scheme, decimals):
    h, n = 2e-3, 200
    systems = doors(decimals)
    two, one = (run(system, scheme, h, n) for system in systems)
    for k in (0, 1, 50, n):
        G, alone = (system.G(r.t[k], r.q[k]).toarray() for system, r in zip(systems, (two, one), strict=True))
        free = null_space(G, rcond=1e-5)
        assert free.shape == (10, 5)
        lam = two.lam[k]
        assert np.abs(free.T @ lam).max() <= 1e-7 * np.linalg.norm(lam)
        wanted = alone @ one.lam[k]
        np.testing.assert_allclose(G @ lam, wanted, rtol=0, atol=2e-5 * np.abs(wanted).max())
        # the least-squares solution of the same forces, by its singular values
        least = np.linalg.lstsq(G, G @ lam, rcond=1e-5)[0]
        np.testing.assert_allclose(lam, least, rtol=0, atol=1e-6 * np.abs(lam).max())


@pytest.mark.parametrize("decimals", DIGITS)
def test_redundant_hinges_are_named_and_so_is_their_misfit(decimals):
    system, alone = doors(decimals)
    assert alone.notes == ()
    (note,) = system.notes
    assert "hinge0" in note
    assert "hinge1" in note
    assert ("fit each other" in note) == (decimals is not None)


@pytest.mark.parametrize("scheme", LEVELS, ids=repr)
def test_hinges_of_a_symmetric_door_share_its_weight(scheme):
    model = fm.Model(gravity=GRAVITY)
    model.add(fm.Rigid("door", mass=10.0, inertia=[1.0, 1.0, 1.0], center=(0.4, 0.0, 0.0)))
    for k, y in enumerate((-0.7, 0.7)):
        model.add(fm.Revolute(f"hinge{k}", a="ground", b="door", point=(0, y, 0), axis=(0, 1, 0)))
    system = model.assemble()
    r = run(system, scheme, 1e-2, 20)
    low, high = (r.lam[:, 5 * k : 5 * k + 5] for k in range(2))
    np.testing.assert_allclose(np.abs(low[:, 1]), 0.5 * 98.1, rtol=1e-7)
    np.testing.assert_allclose(high[:, 1], low[:, 1], rtol=1e-7)
    np.testing.assert_allclose(high[:, 0], -low[:, 0], rtol=1e-7)
    np.testing.assert_allclose(high[:, 3:], low[:, 3:], rtol=1e-7, atol=1e-6)


def parallelogram(decimals=None, bars=3):
    """A coupler on parallel cranks, in the plane; the third one is redundant."""
    model = fm.Model(gravity=GRAVITY)
    arm = rounded(np.array([np.cos(2.0), np.sin(2.0), 0.0]) / 3.0, decimals)
    length, misfit = rounded(np.array(1.0 / 3.0), decimals), 0.0 if decimals is None else 10.0**-decimals
    angle = float(np.arctan2(arm[1], arm[0]))
    model.add(fm.RigidPlanar("coupler", mass=2.0, inertia=0.1, position=arm, center=(0.5, 0.1)))
    for k in range(bars):
        foot = rounded(np.array([k / np.sqrt(7.0), 0.1 * k, 0.0]), decimals)
        tip = {"tip": (float(length) + misfit * (0.0, 0.3, -0.4)[k], 0, 0)}
        bar = {"mass": 1.0, "inertia": 0.01, "center": (0.15, 0), "position": foot, "angle": angle, "points": tip}
        model.add(fm.RigidPlanar(f"crank{k}", **bar))
        model.add(fm.Revolute(f"foot{k}", a="ground", b=f"crank{k}", point=foot, axis=Z))
        there = foot + tip["tip"][0] * np.array([np.cos(angle), np.sin(angle), 0.0])
        model.add(fm.Revolute(f"pin{k}", a=f"crank{k}.tip", b="coupler", point=there, axis=Z))
    return model


@pytest.mark.parametrize("decimals", DIGITS)
@pytest.mark.parametrize("scheme", LEVELS, ids=repr)
def test_a_redundant_bar_of_a_parallelogram_only_takes_its_share(scheme, decimals):
    system, without = parallelogram(decimals).assemble(), parallelogram(decimals, bars=2).assemble()
    assert any("redundant" in note and "pin2" in note for note in system.notes)
    assert not any("redundant" in note for note in without.notes)
    r = run(system, scheme, 1e-3, 250)  # bars come in line at 0.38 s
    assert r.engine.failure is None
    misfit = 0.0 if decimals is None else 10.0**-decimals
    angles = r.q[:, 5::3]
    assert np.ptp(angles[:, 0]) > 0.3
    np.testing.assert_allclose(angles, np.tile(angles[:, :1], (1, 3)), rtol=0, atol=100.0 * misfit + 1e-5)
    G = system.G(r.t[-1], r.q[-1]).toarray()
    free = null_space(G, rcond=1e-5)
    assert free.shape[1] == 1
    assert np.abs(free.T @ r.lam[-1]).max() <= 1e-6 * np.linalg.norm(r.lam[-1])


def test_joints_that_nearly_hold_the_same_motion_are_named():
    """A hinge a millimetre beside the axis of the other holds the door; nothing is said to be redundant there."""
    system = door(off=1e-3).assemble()
    nearly = [note for note in system.notes if "nearly" in note]
    assert len(nearly) == 1
    assert "hinge0" in nearly[0]
    assert "hinge1" in nearly[0]
    r = run(system, GeneralizedAlpha(0.8), 1e-3, 100)
    assert r.engine.failure is None
    np.testing.assert_allclose(r.q, np.tile(r.q[0], (101, 1)), rtol=0, atol=1e-9)


@pytest.mark.parametrize("project", [False, True])
def test_redundant_joints_that_contradict_each_other_are_refused_by_name(project):
    """Hinges 1.3 m apart on the ground, 1.301 m on the door."""
    model = fm.Model(gravity=GRAVITY, project=project)
    points = {"low": (0, 0, 0), "high": 1.301 * AXIS}
    model.add(fm.Rigid("door", mass=20.0, inertia=[4.0, 2.0, 5.0], center=(0.4, 0.6, 0.1), points=points))
    for k, name in enumerate(points):
        model.add(fm.Revolute(f"hinge{k}", a=f"door.{name}", b="ground", point=1.3 * k * AXIS, axis=AXIS))
    with pytest.raises(InputError) as info:
        model.assemble()
    assert info.value.where in ("joints.hinge0", "joints.hinge1")
    assert "hinge" in str(info.value)


def test_places_typed_with_nine_decimals_on_both_sides_are_mended():
    model = fm.Model(gravity=GRAVITY)
    points = {"low": np.round(-LOW, 9), "high": np.round(1.3 * AXIS - LOW, 9)}
    model.add(fm.Rigid("door", mass=20.0, inertia=[4, 2, 5], center=(0.4, 0.6, 0.1), position=2 * LOW, points=points))
    for k, name in enumerate(points):
        point = np.round(LOW + 1.3 * k * AXIS, 9)
        model.add(fm.Revolute(f"hinge{k}", a=f"door.{name}", b="ground", point=point, axis=AXIS))
    r = run(model, GeneralizedAlpha(0.8), 2e-3, 100)
    assert r.engine.failure is None
    assert np.abs(r.g).max() <= 2e-9
    assert np.abs(r.q[-1] - r.q[0]).max() > 0.01


# ------------------------------------------------------------------------------------------ singular positions

THROUGH = [*LEVELS, MoreauJean(projection=True), MoreauJean()]


def double_four_bar(*, spatial=False):
    """The linkage of ``references.double_four_bar``; bars of a body in space make six rows redundant."""
    model = fm.Model(gravity=GRAVITY)

    def bar(name, place, angle, velocity, rate):
        J = 1.0 / 12.0
        keys = {"mass": 1.0, "center": (0.5, 0, 0), "position": place, "points": {"tip": (1, 0, 0)}}
        if spatial:
            turn = {"rotation": (0, 0, angle), "angular_velocity": (0, 0, rate)}
            model.add(fm.Rigid(name, **keys, velocity=velocity, inertia=[0.3 * J, J, J], **turn))
        else:
            model.add(fm.RigidPlanar(name, **keys, velocity=velocity, inertia=J, angle=angle, angular_velocity=rate))

    for k in range(3):
        bar(f"crank{k}", (k, 0, 0), 0.5 * np.pi, (0, 0, 0), -1.0)
    for k in range(2):
        bar(f"coupler{k}", (k, 1, 0), 0.0, (1, 0, 0), 0.0)
    for k in range(3):
        model.add(fm.Revolute(f"foot{k}", a="ground", b=f"crank{k}", point=(k, 0, 0), axis=Z))
    for k in range(2):
        model.add(fm.Revolute(f"left{k}", a=f"crank{k}.tip", b=f"coupler{k}", axis=Z))
        model.add(fm.Revolute(f"right{k}", a=f"coupler{k}.tip", b=f"crank{k + 1}.tip", axis=Z))
    return model


@functools.cache
def linkage(spatial):
    return double_four_bar(spatial=spatial).assemble()


def centres(r):
    """Return the centres of the five bars, (n, 5, 2)."""
    return r.q.reshape(len(r.q), 5, -1)[:, :, :2]


def off_branch(r):
    """Return by how much cranks or couplers are not parallel, as a distance of centres."""
    c = centres(r)
    cranks = [np.abs(c[:, k] - c[:, 0] - [k, 0]).max() for k in range(3)]
    return max(*cranks, np.abs(c[:, 4] - c[:, 3] - [1, 0]).max(), np.abs(c[:, 3] - 2.0 * c[:, 0] - [0.5, 0]).max())


def wanted_centres(t):
    phi, _ = reference.trajectory(t)
    tip = np.stack([np.sin(phi), np.cos(phi)], axis=1)
    out = np.empty((len(t), 5, 2))
    for k in range(3):
        out[:, k] = 0.5 * tip + [k, 0]
    for k in range(2):
        out[:, 3 + k] = tip + [k + 0.5, 0]
    return out


@pytest.mark.parametrize("spatial", [False, True])
@pytest.mark.parametrize("scheme", THROUGH, ids=repr)
def test_double_four_bar_through_its_singular_positions(scheme, spatial):
    """Always on the branch of the parallelograms, in the plane for ten seconds: ten times in line."""
    n = 3000 if spatial else 10_000
    r = run(linkage(spatial), scheme, 1e-3, n, every=10)
    assert r.engine.failure is None
    if isinstance(scheme, MoreauJean):  # of order one: too coarse to be compared with the exact motion
        assert off_branch(r) < (1e-6 if scheme.projection else 1e-2)
        return
    total = r.energy[:, 0] + r.energy[:, 1]
    assert np.abs(centres(r) - wanted_centres(r.t)).max() < 4e-4
    assert np.ptp(total) < 2e-3
    assert off_branch(r) < 1e-5
    if getattr(scheme, "joint_level", "") in ("ggl", "index3"):
        # what a step past a singular position leaves open the next ones bring back
        assert np.median(np.abs(r.g).max(axis=1)) < 1e-13
        assert np.abs(r.g).max() < 1e-5


@pytest.mark.parametrize("scheme", THROUGH, ids=repr)
def test_a_step_that_ends_on_the_singular_position(scheme):
    n = 200

    def angle(h, steps=n):
        r = run(linkage(False), scheme, h, steps)
        assert r.engine.failure is None
        return r

    h = brentq(lambda h: angle(h).q[-1, 2], 0.7 / n, 0.73 / n, xtol=1e-17, rtol=1e-15)
    r = angle(h, 2 * n)
    assert np.abs(r.q[n, 2]) < 1e-6  # bars in line
    assert off_branch(r) < 1e-3
    if not isinstance(scheme, MoreauJean):
        assert np.abs(centres(r) - wanted_centres(r.t)).max() < 2e-3


def test_a_run_past_a_singular_position_says_so():
    """GGL with long steps cannot hold the positions there."""
    result = fm.simulate(double_four_bar(), GeneralizedAlpha(0.8), end=3.0, step=5e-3)
    assert result.summary["status"] == "complete"
    notes = [note for note in result.summary["notes"] if "singular" in note]
    assert len(notes) == 1
    assert any(name in notes[0] for name in ("foot", "left", "right"))
    when = float(notes[0].split("t = ")[1].split(" s")[0])
    singular = np.array([0.7143, 1.2281, 2.6568])  # where phi of the reference is pi/2, 3 pi/2, 5 pi/2
    assert np.abs(singular - when).min() < 0.02


@pytest.mark.parametrize("doubled", [(5, 6), (4, 5, 6), (3, 5, 8)])
def test_redundant_joints_that_share_a_body_are_all_found(doubled, monkeypatch):
    """A chain whose sets of rows are too long to be looked at in one: a doubled hinge makes five rows."""
    monkeypatch.setattr("flexmb.linalg.dependent_columns.DENSE_LIMIT", 10)
    model = fm.Model(gravity=GRAVITY)
    for k in range(12):
        model.add(fm.Rigid(f"b{k}", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(k + 0.5, 0, 0)))
        before = "ground" if k == 0 else f"b{k - 1}"
        model.add(fm.Revolute(f"j{k}", a=before, b=f"b{k}", point=(float(k), 0, 0), axis=(0, 1, 0)))
    for k in doubled:
        model.add(fm.Revolute(f"d{k}", a=f"b{k - 1}", b=f"b{k}", point=(float(k), 0.2, 0), axis=(0, 1, 0)))
    assert len(model.assemble(signals=[]).null) == 5 * len(doubled)
