"""Orders of convergence with joints, in positions, velocities and multipliers, against independent references."""

from __future__ import annotations

import numpy as np
import pytest
from multibody_models import GRAVITY, Z, four_bar, four_bar_angles, heavy_top, run
from references import four_bar as four_bar_data
from references import heavy_top as heavy_top_data
from references.quaternion import matrix

import flexmb as fm
from flexmb.schemes import HHT, GeneralizedAlpha, MoreauJean, MoreauJeanDissipative, Newmark

LEVELS = ("index3", "index2", "ggl")
ALPHA = [GeneralizedAlpha(rho, constraints=level) for level in LEVELS for rho in (0.0, 0.5, 0.8, 1.0)]
ALPHA += [kind(constraints=level) for kind in (HHT, Newmark) for level in LEVELS]
MOREAU = [MoreauJean(), MoreauJean(projection=True), MoreauJeanDissipative(0.5), MoreauJeanDissipative(0.7)]
"""The last one weighs forces of positions only by theta, and the mechanisms here have none but constant ones."""
DAMPING = [MoreauJean(0.6), MoreauJean(1.0)]


def orders(steps, errors):
    """Return the fitted orders of the columns of ``errors``, (len(steps), k)."""
    return -np.polyfit(np.log(steps), np.log(errors), 1)[0]


# ------------------------------------------------------------------------------------------ four-bar linkage

FOUR_BAR_END = 0.4
"""Before that the linkage has swung through half a radian."""


@pytest.fixture(scope="module")
def linkage():
    q, v, lam = four_bar_data.trajectory([0.0, FOUR_BAR_END])
    assert np.abs(q[-1] - q[0]).max() > 0.5
    return four_bar().assemble(), q[-1], v[-1], lam[-1]


def linkage_errors(linkage, scheme, n):
    system, q, v, lam = linkage
    r = run(system, scheme, FOUR_BAR_END / n, n, every=n)
    assert r.engine.failure is None
    angles, rates = four_bar_angles(r.q, r.v)
    # the force of the loop's closure is that of the third pin, on the rocker
    return [np.abs(angles[-1] - q).max(), np.abs(rates[-1] - v).max(), np.abs(r.lam[-1, 4:6] + lam).max()]


@pytest.mark.parametrize("scheme", ALPHA, ids=repr)
def test_four_bar_second_order_in_positions_velocities_and_multipliers(linkage, scheme):
    steps = np.array([80, 160, 320, 640])
    errors = np.array([linkage_errors(linkage, scheme, int(n)) for n in steps])
    assert (orders(steps, errors) >= 1.9).all()
    assert (errors[-1] < [2e-4, 2e-3, 5e-3]).all()


@pytest.mark.parametrize("scheme", MOREAU, ids=repr)
def test_four_bar_second_order_of_moreau_jean_about_the_middle(linkage, scheme):
    """Joint impulses act along the directions in the middle of the step; as forces they belong there, too."""
    steps = np.array([160, 320, 640, 1280])
    errors = np.array([linkage_errors(linkage, scheme, int(n)) for n in steps])
    assert orders(steps, errors)[:2] == pytest.approx(2.0, abs=0.06)
    assert orders(steps, errors)[2] == pytest.approx(1.0, abs=0.15)


@pytest.mark.parametrize("scheme", DAMPING, ids=repr)
def test_four_bar_first_order_of_moreau_jean_that_damps(linkage, scheme):
    steps = np.array([640, 1280, 2560])
    errors = np.array([linkage_errors(linkage, scheme, int(n)) for n in steps])
    assert orders(steps, errors)[:2] == pytest.approx(1.0, abs=0.06)
    assert orders(steps, errors)[2] == pytest.approx(1.0, abs=0.15)


@pytest.mark.slow
def test_four_bar_at_two_seconds_to_nine_digits():
    """With a tight tolerance the end of Haddouni's table 3.3 comes out to 1e-9 of its size."""
    q, v, lam = four_bar_data.trajectory([0.0, 1.0, 2.0])
    published = [0.2701647216739, -1.2613123892181, 3.8602783870458]
    np.testing.assert_allclose(q[-1], published, atol=2e-12)
    r = run(four_bar(), GeneralizedAlpha(0.8, constraints="index2"), 1.0, 2, tolerance=1e-15)
    assert r.engine.failure is None
    angles, rates = four_bar_angles(r.q, r.v)
    for k in (1, 2):
        np.testing.assert_allclose(angles[k], q[k], atol=1e-9)
        np.testing.assert_allclose(rates[k], v[k], atol=1e-9 * np.abs(v).max())
        np.testing.assert_allclose(-r.lam[k, 4:6], lam[k], atol=1e-6)


# ------------------------------------------------------------------------------------------------ heavy top

TOP_END = 0.05
"""In which it turns 7.5 rad about its axis."""


@pytest.fixture(scope="module")
def top():
    d = heavy_top_data
    x, _, p, w = (column[-1] for column in d.trajectory([0.0, TOP_END]))
    A = matrix(p)
    turn = (np.cross(d.ARM, d.MASS * (A.T @ d.GRAVITY)) - np.cross(w, d.PIVOT_INERTIA * w)) / d.PIVOT_INERTIA
    acceleration = A @ (np.cross(turn, d.ARM) + np.cross(w, np.cross(w, d.ARM)))
    return heavy_top().assemble(), x, p, w, d.MASS * (acceleration - d.GRAVITY)


def top_errors(top, scheme, n):
    system, x, p, w, force = top
    r = run(system, scheme, TOP_END / n, n, every=n)
    assert r.engine.failure is None
    q = r.q[-1]
    # the multipliers are the force on the mover, which is the body
    turned = np.abs(np.sign(q[3:7] @ p) * q[3:7] - p).max()
    return [np.abs(q[:3] - x).max() + turned, np.abs(r.v[-1, 3:] - w).max(), np.abs(r.lam[-1] - force).max()]


@pytest.mark.parametrize("scheme", ALPHA, ids=repr)
def test_heavy_top_second_order_on_the_group(top, scheme):
    steps = np.array([50, 100, 200, 400])
    errors = np.array([top_errors(top, scheme, int(n)) for n in steps])
    found = orders(steps, errors)
    if scheme.coefficients.beta == 0.25 and scheme.joint_level == "index3":
        # nothing damps the multiplier's oscillation that the start excites: a known defect of rho_inf = 1 on index 3
        found, errors = found[:2], errors[:, :2]
    assert (found >= 1.9).all()
    assert (errors[-1] < [3e-5, 1e-3, 5e-2][: len(found)]).all()


@pytest.mark.parametrize("scheme", MOREAU, ids=repr)
def test_heavy_top_second_order_of_moreau_jean_about_the_middle(top, scheme):
    steps = np.array([100, 200, 400, 800])
    errors = np.array([top_errors(top, scheme, int(n)) for n in steps])
    assert orders(steps, errors)[:2] == pytest.approx(2.0, abs=0.06)


@pytest.mark.parametrize("scheme", DAMPING, ids=repr)
def test_heavy_top_first_order_of_moreau_jean_that_damps(top, scheme):
    steps = np.array([100, 200, 400, 800])
    errors = np.array([top_errors(top, scheme, int(n)) for n in steps])
    assert orders(steps, errors)[:2] == pytest.approx(1.0, abs=0.06)


# -------------------------------------------------------------------------------------------- without joints


TETHER_END = 0.5


@pytest.fixture(scope="module")
def tethered():
    """Two bodies in space that spin and fly, tied by a spring and a damper: smooth, no joints; and where they end."""
    model = fm.Model(gravity=GRAVITY)
    for name, x, w in (("a", (0, 0, 0), (3.0, 1.0, -2.0)), ("b", (1, 0.3, 0.2), (-1.0, 2.0, 4.0))):
        keys = {"mass": 1.0, "inertia": [0.02, 0.03, 0.04], "points": {"p": (0.2, 0.1, -0.1)}}
        model.add(fm.Rigid(name, position=x, angular_velocity=w, **keys))
    model.add(fm.SpringDamper("tether", a="a.p", b="b.p", stiffness=20.0, damping=0.5, preload=-2.0))
    model.add(fm.TorsionSpring("twist", a="a", b="b", axis=Z, stiffness=0.05, damping=0.002))
    system = model.assemble()
    fine = run(system, GeneralizedAlpha(0.9), TETHER_END / 20000, 20000, every=20000)
    return system, fine.q[-1], fine.v[-1]


@pytest.mark.parametrize(
    ("scheme", "order"),
    [
        (GeneralizedAlpha(0.8), 2.0),
        (GeneralizedAlpha(1.0), 2.0),
        (HHT(), 2.0),
        (Newmark(0.5, 0.8), 1.0),
        (MoreauJean(), 2.0),
        (MoreauJean(1.0), 1.0),
        (MoreauJeanDissipative(0.5), 2.0),
        (MoreauJeanDissipative(0.6), 1.0),
    ],
    ids=str,
)
def test_orders_without_joints(tethered, scheme, order):
    system, q, v = tethered
    steps = np.array([100, 200, 400, 800])
    errors = []
    for n in steps.tolist():
        r = run(system, scheme, TETHER_END / n, n, every=n)
        errors.append([np.abs(r.q[-1] - q).max(), np.abs(r.v[-1] - v).max()])
    assert orders(steps, np.array(errors)) == pytest.approx(order, abs=0.1)
    assert scheme.order == order
