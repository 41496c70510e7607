"""Contacts at the nodes of exact and floating beams: penetration, impulse and momentum, ledger, small motion."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import flexmb as fm

RHO, LENGTH, HEIGHT, WIDTH = 2700.0, 0.5, 0.01, 0.02
MASS = RHO * HEIGHT * WIDTH * LENGTH
STRIP = {
    "length": LENGTH,
    "section": {"shape": "rectangle", "height": HEIGHT, "width": WIDTH},
    "material": {"young": 70e9, "density": RHO, "poisson": 0.3},
}
DROP = 1.0357e-3
"""Fall height, m: at 1 m/s and the steps below the impact is not on the grid."""
KINDS = ("exact", "floating")


def beam(kind, elements, **keys):
    """Return a strip: of small displacements, exact, or floating with all its modes unless told."""
    keys = STRIP | {"elements": elements} | keys
    if kind == "beam":
        return fm.Beam("b", bending="spatial", **keys)
    if kind == "exact":
        return fm.ExactBeam("b", **keys)
    return fm.FloatingBeam("b", **({"modes": 6 * (elements - 1)} | keys))


def check(result, contact):
    """Assert what holds in every run with contacts at position level: nothing sinks in, and the ledger closes."""
    assert result.summary["max_penetration"] <= 1e-15
    assert result.contacts[contact].impulse.min() >= 0.0
    assert np.abs(result.energy.residual).max() <= 1e-9 * result.summary["energy"]["scale"]
    assert result.summary["steps_taken"] == result.summary["steps"]


@functools.cache
def dropped(kind, e, h, elements=8, beta=0.0, tilt=0.0, end=0.02, **keys):
    """Return a beam that flies at 1 m/s onto a plane and lands on both ends, at once if it is not tilted."""
    model = fm.Model()
    direction = (np.cos(tilt), 0.0, np.sin(tilt))
    motion = {"position": (0, 0, DROP), "direction": direction, "orientation": (0, 1, 0), "velocity": (0, 0, -1.0)}
    damping = {"damping": {"alpha": 0.0, "beta": beta}} if beta else {}
    model.add(beam(kind, elements, **motion, **damping, **keys))
    model.add(fm.NodePlane("floor", nodes=["b.first", "b.last"], normal=(0, 0, 1), restitution=e))
    signals = ["b.momentum", "b.mid.position", *(f"b.{node}.velocity" for node in ("first", "last"))]
    result = fm.simulate(model, fm.GeneralizedAlpha(rho_inf=0.8), h, end, signals=signals)
    check(result, "floor")
    return result


def momentum(result):
    return result.signals["b.momentum"][:, 2]


def impulses(result, contact="floor"):
    """Return the impulses of all nodes added up to each sample."""
    x = result.contacts[contact].impulse
    return np.cumsum(x.reshape(len(x), -1).sum(axis=1))


def slapped(kind, e):
    """Return a beam tilted by 3 degrees, which lands on one end, slaps down on the other and rattles."""
    few = {"modes": 8} if kind == "floating" else {}
    return dropped(kind, e, 2e-5, elements=6, tilt=0.05, end=0.06, **few)


@pytest.mark.parametrize("e", [0.0, 1.0])
@pytest.mark.parametrize("kind", KINDS)
def test_impulses_are_the_change_of_momentum_to_round_off(kind, e):
    result = slapped(kind, e)
    pushed = result.contacts["floor"].impulse
    assert (pushed > 0.0).any(axis=0).all()  # both ends
    assert momentum(result)[-1] > 0.2 * MASS  # and back it flies
    assert momentum(result)[0] == pytest.approx(-MASS, rel=1e-12)
    np.testing.assert_allclose(momentum(result) - momentum(result)[0], impulses(result), rtol=0, atol=1e-12 * MASS)
    np.testing.assert_allclose(result.signals["b.momentum"][:, :2], 0.0, atol=1e-12 * MASS)  # smooth plane


@pytest.mark.parametrize("e", [0.0, 1.0])
@pytest.mark.parametrize("kind", KINDS)
def test_restitution_holds_in_the_first_step_of_contact(kind, e):
    result = slapped(kind, e)
    first = int(np.flatnonzero(result.contacts["floor"].impulse[:, 0])[0])
    before, after = result.signals["b.first.velocity"][[first - 1, first], 2]
    assert before == pytest.approx(-1.0, rel=1e-9)
    assert after == pytest.approx(-e * before, abs=1e-9)
    assert result.energy.work_contact[first] < 0.0


@pytest.mark.parametrize("e", [0.0, 1.0])
@pytest.mark.parametrize("kind", KINDS)
def test_energy_is_never_more_than_at_the_start(kind, e):
    """Elastic, without loads; single steps may add a little back (at e = 1 contacts do, where nodes leave already)."""
    energy = dropped(kind, e, 2e-5).energy
    assert energy.total.max() <= energy.total[0] * (1 + 1e-9)
    assert energy.total[-1] < 0.95 * energy.total[0]


@pytest.mark.parametrize("e", [0.0, 1.0])
def test_floating_beam_with_all_modes_rattles_as_the_beam_of_small_displacements(e):
    """The beam does not turn, so both are the same equations: step by step, through some hundred impacts."""
    small, large = dropped("beam", e, 2e-5), dropped("floating", e, 2e-5)
    pushed = small.contacts["floor"].impulse
    assert (pushed > 0.0).sum() > 20
    np.testing.assert_allclose(large.contacts["floor"].impulse, pushed, rtol=0, atol=1e-9 * MASS)
    np.testing.assert_allclose(large.signals["b.mid.position"], small.signals["b.mid.position"], rtol=0, atol=1e-10)


def test_damped_exact_beam_lands_as_the_beam_of_small_displacements_in_the_limit_of_its_elements():
    """Damping takes the rattling of single nodes out, so that curves can be compared; shear is left between them."""
    apart, work = [], []
    for n in (8, 16, 32):
        small, large = (dropped(kind, 0.0, 2e-5, n, 2e-4) for kind in ("beam", "exact"))
        apart.append(np.abs(momentum(small) - momentum(large)).mean() / MASS)
        work.append(impulses(large)[-1] / impulses(small)[-1] - 1.0)
    assert apart[0] < 6e-3
    assert apart[1] < 0.35 * apart[0]
    assert apart[2] < 0.65 * apart[1]
    assert abs(work[0]) < 4e-3
    assert abs(work[1]) < 1.5e-3
    assert abs(work[2]) < 6e-4


@pytest.mark.parametrize("kind", KINDS)
def test_half_the_step_halves_the_error_of_the_impulse(kind):
    """First order through impacts (with damping; without it single impacts move across the grid)."""
    runs = [dropped(kind, 0.0, h, 8, 2e-4, **({} if kind == "exact" else {"modes": 12})) for h in (4e-5, 2e-5, 1e-5)]
    total = [impulses(run)[-1] / MASS for run in runs]
    assert total[0] == pytest.approx(1.57, abs=0.01)
    assert (total[1] - total[0]) / (total[2] - total[1]) == pytest.approx(2.0, rel=0.1)
    curves = [momentum(run)[:: 2**k] / MASS for k, run in enumerate(runs)]
    steps = [np.abs(x - y).mean() for x, y in zip(curves, curves[1:], strict=False)]
    assert steps[0] < 2e-3
    assert steps[0] / steps[1] == pytest.approx(2.0, rel=0.15)


def test_few_modes_make_an_impact_of_a_few_masses():
    """Static modes of the ends alone: the impulse converges without damping, to twelve thousandths of 2 m v."""
    totals = [impulses(dropped("floating", 0.0, h, modes=0))[-1] for h in (4e-5, 2e-5, 1e-5)]
    assert abs(totals[2] - totals[1]) < abs(totals[1] - totals[0]) < 5e-5 * MASS * 2
    assert totals[2] / MASS == pytest.approx(1.8333, abs=3e-4)


ROD = STRIP | {"length": 1.0, "section": {"shape": "rectangle", "height": 0.03, "width": 0.02}}
ANGLE, SPEED = 0.3, 3.0


@functools.cache
def stopped(kind, e, h, beta=1e-4, elements=8, end=0.25):
    """Return a rod on a hinge, turning at 3 rad/s, whose tip meets a wall below the hinge; no gravity."""
    model = fm.Model()
    direction = np.array([np.sin(ANGLE), -np.cos(ANGLE), 0.0])
    keys = ROD | {"elements": elements, "direction": direction, "orientation": (0, 0, 1)}
    keys |= {"angular_velocity": (0, 0, -SPEED), "damping": {"alpha": 0.0, "beta": beta}}
    if kind == "exact":
        model.add(fm.ExactBeam("b", **keys))
    else:
        velocity = np.cross((0, 0, -SPEED), 0.5 * direction)
        model.add(fm.FloatingBeam("b", modes=6, velocity=velocity, **keys))
    model.add(fm.Revolute("pin", a="ground", b="b.first", axis=(0, 0, 1)))
    model.add(fm.NodePlane("stop", node="b.last", normal=(1, 0, 0), restitution=e))
    signals = ["b.angular_momentum", "b.last.position"]
    result = fm.simulate(model, fm.GeneralizedAlpha(rho_inf=0.8), h, end, signals=signals)
    check(result, "stop")
    assert result.joints["pin"].position_error.max() < 1e-13
    assert result.joints["pin"].velocity_error.max() < 1e-11
    return result


@pytest.mark.parametrize("e", [0.0, 1.0])
@pytest.mark.parametrize("kind", KINDS)
def test_rod_on_a_hinge_gets_the_moment_of_the_stop_and_nothing_else(kind, e):
    """Angular momentum about the hinge; arms change within a step, so this is not exact but closes with the step."""
    left = []
    for h in (2e-4, 1e-4):
        result = stopped(kind, e, h)
        arm, L = -result.signals["b.last.position"][:, 1], result.signals["b.angular_momentum"][:, 2]
        given = np.cumsum(result.contacts["stop"].impulse * arm)
        left.append(np.abs(L - L[0] - given).max() / abs(L[0]))
    assert left[0] < 2e-6
    assert left[1] < 0.6 * left[0]
    inertia = RHO * 0.03 * 0.02 / 3.0
    assert L[0] == pytest.approx(-inertia * SPEED, rel=1e-3)
    assert inertia * SPEED < given[-1] < 2 * inertia * SPEED  # it rebounds, with less than it had


@pytest.mark.parametrize("e", [0.0, 1.0])
@pytest.mark.parametrize("kind", KINDS)
def test_impulse_of_the_stop_converges(kind, e):
    totals = [impulses(stopped(kind, e, h), "stop")[-1] for h in (2e-4, 1e-4, 5e-5)]
    first, second = (abs(y - x) for x, y in zip(totals, totals[1:], strict=False))
    assert first < 4e-3 * totals[-1]
    assert second < 0.5 * first
    assert totals[-1] == pytest.approx(2.53, rel=0.015)  # whatever the restitution: the tip's own mass is small


def test_both_formulations_meet_the_stop_alike():
    """Elements of the exact rod and modes of the floating one leave 2 per cent of the impulse."""
    paths = [stopped(kind, 0.0, 1e-4).signals["b.last.position"][:, 0] for kind in KINDS]
    touch = [int(np.argmax(stopped(kind, 0.0, 1e-4).contacts["stop"].impulse > 0.0)) for kind in KINDS]
    assert touch[0] == touch[1] == pytest.approx(1000, abs=2)  # 0.3 rad at 3 rad/s
    assert np.abs(paths[0] - paths[1]).max() < 0.04 * ANGLE
