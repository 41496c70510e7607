"""What the schemes keep of the joints, through impacts and over long runs; redundant joints."""

from __future__ import annotations

import time

import numpy as np
import pytest
from multibody_models import GRAVITY, Z, double_pendulum, four_bar, heavy_top, pendulum, run
from references import pendulum as pendulum_data
from scipy.linalg import null_space

import flexmb as fm
from flexmb.schemes import HHT, GeneralizedAlpha, MoreauJean, MoreauJeanDissipative, Newmark

ALPHA = [(GeneralizedAlpha, {"rho_inf": 0.8}), (GeneralizedAlpha, {"rho_inf": 1.0}), (HHT, {}), (Newmark, {})]


def shaken(spatial=False):
    """A pendulum between a wall and gravity that a torque keeps bouncing for ever."""
    model = pendulum(spatial=spatial, wall=0.3, restitution=0.7)
    wave = fm.Harmonic(amplitude=6.0, omega=5.0)
    model.add(fm.NodalForce("shake", node="rod", moment=(0, 0, 1), function=wave))
    return model.assemble()


MODELS = {
    "planar body": lambda: pendulum(wall=0.3).assemble(),
    "body in space": lambda: pendulum(spatial=True, wall=0.3).assemble(),
    "particles": lambda: double_pendulum().assemble(),
    "spinning top": lambda: heavy_top().assemble(),
    "spatial linkage": lambda: four_bar(spatial=True).assemble(),
}


@pytest.fixture(scope="module", params=MODELS, ids=str)
def model(request):
    return MODELS[request.param]()


def speed(r):
    return np.abs(r.v).max()


@pytest.mark.parametrize("kind", ALPHA, ids=lambda k: f"{k[0].__name__}{k[1]}")
def test_levels_keep_what_they_hold_and_only_that(model, kind):
    scheme, options = kind
    h, steps = (2e-4, 500) if model.contacts.nc == 0 else (2e-3, 1000)
    runs = {c: run(model, scheme(**options, constraints=c), h, steps) for c in ("index3", "index2", "ggl")}
    for r in runs.values():
        assert r.engine.failure is None
    if model.contacts.nc:
        assert (runs["ggl"].impulse > 0.0).any(axis=1).sum() > 2
    for level in ("index3", "ggl"):
        assert np.abs(runs[level].g).max() <= 2e-13
    for level in ("index2", "ggl"):
        assert np.abs(runs[level].gdot).max() <= 1e-12 * max(1.0, speed(runs[level]))
    assert np.abs(runs["index3"].gdot).max() > 1e-7 * speed(runs["index3"])
    assert np.abs(runs["index2"].g).max() > 1e-8


@pytest.mark.parametrize("spatial", [False, True])
def test_ggl_keeps_both_levels_over_a_hundred_thousand_steps_with_impacts(spatial):
    system, began = shaken(spatial), time.perf_counter()
    r = run(system, GeneralizedAlpha(0.8), 2e-3, 100_000)
    assert time.perf_counter() - began < 15.0
    assert r.engine.failure is None
    impacts = np.flatnonzero(r.impulse[:, 0] > 0.0)
    assert impacts.size > 200
    assert np.diff(impacts).max() < 2000  # all along
    assert np.abs(r.g).max() <= 1e-12
    assert np.abs(r.gdot).max() <= 1e-12 * max(1.0, speed(r))
    assert r.gap.min() >= -1e-12
    assert np.abs(r.energy[:, 6]).max() <= 1e-9 * r.engine.tally().energy_scale
    if spatial:
        assert np.abs(np.linalg.norm(r.q[:, 3:7], axis=1) - 1.0).max() < 1e-12


@pytest.mark.parametrize("level", ["index3", "index2"])
def test_one_level_holds_over_a_hundred_thousand_steps_with_impacts(level):
    r = run(shaken(), GeneralizedAlpha(0.8, constraints=level), 2e-3, 100_000, every=10)
    assert r.engine.failure is None
    held, other = (r.g, r.gdot) if level == "index3" else (r.gdot, r.g)
    assert np.abs(held).max() <= 1e-12 * max(1.0, speed(r))
    assert np.abs(other).max() > 1e-5
    assert r.gap.min() >= -1e-12


def test_a_joint_held_on_velocities_only_drifts_on():
    r = run(shaken(), GeneralizedAlpha(0.8, constraints="index2"), 2e-3, 50_000)
    early, late = np.abs(r.g[:5_000]).max(), np.abs(r.g[-5_000:]).max()
    assert late > 3.0 * early > 0.0


@pytest.mark.parametrize("kind", [MoreauJean, MoreauJeanDissipative])
@pytest.mark.parametrize("name", ["planar body", "body in space", "particles"])
def test_moreau_jean_drifts_unless_it_projects(kind, name):
    system = MODELS[name]()
    theta = 1.0 / 1.8
    drifting, held = (run(system, kind(theta=theta, projection=p), 2e-3, 2500) for p in (False, True))
    size = 2.0 if name == "particles" else 1.0
    assert np.abs(drifting.g).max() > 1e-6
    assert np.abs(drifting.gdot).max() < 1e-12 * speed(drifting)
    assert np.abs(held.g).max() < 2e-13 * size
    assert (held.impulse > 0.0).sum() > 3
    # the projection moves the places a little under the velocities it leaves as they are
    assert np.abs(held.gdot).max() < 1e-3 * speed(held)
    assert np.abs(held.q - drifting.q).max() < 0.05 if name != "particles" else True


def test_the_lecture_figure():
    """Bouncing pendulum: GGL keeps joint and wall, Moreau-Jean drifts from the joint and into the wall."""
    model = fm.Model(gravity=GRAVITY)
    model.add(fm.RigidPlanar("rod", mass=1.0, inertia=1 / 3, center=(1, 0)))
    model.add(fm.Revolute("pin", a="rod", axis=Z))
    wall = (np.sqrt(0.5), 0.0, 0.0)
    model.add(fm.NodePlane("wall", node="rod.center", point=wall, normal=(1, 0, 0), restitution=0.8))
    ggl, moreau = (run(model, scheme, 2e-3, 3000) for scheme in (GeneralizedAlpha(0.8), MoreauJean(1 / 1.8)))
    assert np.abs(ggl.g).max() <= 1e-13
    assert np.abs(ggl.gdot).max() <= 1e-12
    assert ggl.gap.min() >= -1e-13
    assert np.abs(moreau.g).max() > 1e-4
    assert moreau.gap.min() < -1e-4
    angle, _, hits = pendulum_data.bouncing(ggl.t)
    before = ggl.t < hits[0] - 2e-3
    np.testing.assert_allclose(ggl.q[before, 2], angle[before], rtol=0, atol=1e-5)
    np.testing.assert_allclose(ggl.q[:, 2], angle, rtol=0, atol=0.04)


# ------------------------------------------------------------------------------------------ redundant joints

SCHEMES = [
    GeneralizedAlpha(0.8),
    GeneralizedAlpha(0.8, constraints="index3"),
    GeneralizedAlpha(0.8, constraints="index2"),
    MoreauJean(),
]
IN_PLANE = np.array([0, 1, 5, 6, 7, 11, 12, 13, 17])
"""The unknowns of three bodies in space that move them in the plane."""


@pytest.fixture(scope="module")
def linkages():
    return four_bar(spatial=True).assemble(), four_bar().assemble()


def test_redundant_rows_are_named(linkages):
    spatial, planar = linkages
    assert planar.notes == ()
    assert planar.eps == 0.0
    (note,) = spatial.notes
    assert note.startswith("redundant joints: ")
    for row in ("pin4: z", "pin4: tilt about x", "pin4: tilt about y"):
        assert f"{row} (with pin1, pin2, pin3)" in note


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_four_bar_of_spatial_revolutes_moves_as_the_planar_one(linkages, scheme):
    (spatial, planar), h, n = linkages, 2e-3, 200
    r, p = run(spatial, scheme, h, n), run(planar, scheme, h, n)
    assert r.engine.failure is None
    np.testing.assert_allclose(r.q[:, [0, 1, 7, 8, 14, 15]], p.q[:, [0, 1, 3, 4, 6, 7]], rtol=0, atol=1e-9)
    np.testing.assert_allclose(r.v[:, IN_PLANE], p.v, rtol=0, atol=1e-8)
    angles = 2.0 * np.arctan2(r.q[:, [6, 13, 20]], r.q[:, [3, 10, 17]])
    np.testing.assert_allclose(np.angle(np.exp(1j * (angles - p.q[:, 2::3]))), 0.0, rtol=0, atol=1e-9)
    np.testing.assert_allclose(r.energy[:, :2], p.energy[:, :2], rtol=0, atol=1e-9)
    out_of_plane = np.setdiff1d(np.arange(18), IN_PLANE)
    assert np.abs(r.v[:, out_of_plane]).max() < 1e-12


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_their_multipliers_are_the_least_that_make_the_same_forces(linkages, scheme):
    (spatial, planar), h, n = linkages, 2e-3, 200
    r, p = run(spatial, scheme, h, n), run(planar, scheme, h, n)
    for k in (0, 1, 50, n):
        G, lam = spatial.G(r.t[k], r.q[k]).toarray(), r.lam[k]
        free = null_space(G, rcond=1e-9)
        assert free.shape == (20, 3)
        assert np.abs(free.T @ lam).max() <= 1e-6 * np.linalg.norm(lam)
        forces, wanted = G @ lam, planar.G(p.t[k], p.q[k]).toarray() @ p.lam[k]
        np.testing.assert_allclose(forces[IN_PLANE], wanted, rtol=0, atol=1e-6 * np.abs(wanted).max())


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_two_hinges_in_one_place_share_the_load(scheme):
    """Through impacts too: each carries half of what one would."""
    single = pendulum(spatial=True, wall=0.3)
    double = pendulum(spatial=True, wall=0.3)
    double.add(fm.Revolute("pin2", a="rod", axis=Z))
    system = double.assemble()
    assert "pin2: x (with pin)" in system.notes[0]
    one, two = (run(s, scheme, 2e-3, 1000) for s in (single, system))
    assert two.engine.failure is None
    assert (one.impulse > 0).sum() == (two.impulse > 0).sum() >= 3
    np.testing.assert_allclose(two.q, one.q, rtol=0, atol=1e-7)
    np.testing.assert_allclose(two.v, one.v, rtol=0, atol=1e-6)
    size = np.abs(one.lam).max()
    np.testing.assert_allclose(two.lam[:, :5], two.lam[:, 5:], rtol=0, atol=1e-6 * size)
    np.testing.assert_allclose(two.lam[:, :5] + two.lam[:, 5:], one.lam, rtol=0, atol=1e-5 * size)


@pytest.mark.parametrize("scheme", [s for s in SCHEMES if getattr(s, "joint_level", "") == "ggl"], ids=repr)
def test_a_welded_body_on_a_floor_rests(scheme):
    """The weld carries the weight; the contact, which cannot move, has nothing to do."""
    model = fm.Model(gravity=GRAVITY)
    model.add(fm.Rigid("block", mass=2.0, inertia=[1, 1, 1], center=(0.5, 0, 0), points={"foot": (0.3, 0, 0)}))
    model.add(fm.Fixed("weld", a="block"))
    model.add(fm.NodePlane("floor", node="block.foot", normal=(0, 1, 0)))
    r = run(model, scheme, 1e-2, 100)
    assert r.engine.failure is None
    np.testing.assert_allclose(r.q, np.tile(r.q[0], (101, 1)), rtol=0, atol=1e-14)
    wanted = np.zeros(6)
    wanted[1], wanted[5] = 2.0 * 9.81, 2.0 * 9.81 * 0.5
    np.testing.assert_allclose(np.abs(r.lam), np.tile(wanted, (101, 1)), rtol=0, atol=1e-9)
    assert r.impulse.max() < 1e-9
