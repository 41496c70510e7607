"""Blocks, oscillators and belts with friction: whole curves, orders through switches, no creep, in every scheme."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from references import dry_friction

import flexmb as fm
from flexmb.analysis.measures import fitted_order
from flexmb.schemes import SCHEMES

ROUGH = sorted(name for name, cls in SCHEMES.items() if "friction" in cls.carries and cls.driver == "steps")
"""Schemes that carry friction."""
LEVELS = [(name, {}) for name in ROUGH]
LEVELS += [(name, {"ggl": False}) for name in ROUGH if "ggl" in vars(SCHEMES[name]())]
LEVELS += [("potra", {"variant": "II"})] if "potra" in ROUGH else []
COS = np.cos(dry_friction.SLOPE)


def scheme_of(level):
    name, options = level
    return SCHEMES[name](**options)


@functools.cache
def model(name):
    return fm.load_case(name).model()


def slide(name, level, step, end=2.0, **options):
    return fm.simulate(model(name), scheme_of(level), step=step, end=end, **options)


def test_all_families_carry_friction():
    families = {"moreau-jean", "moreau-jean-dissipative", "stormer-verlet"}
    assert families | {"generalized-alpha", "hht", "newmark", "potra"} <= set(ROUGH)
    assert "schatzman-paoli" not in ROUGH


@pytest.mark.parametrize("level", LEVELS, ids=str)
@pytest.mark.parametrize(("case", "mu"), [("block_on_incline", 0.5), ("block_slides_back", 0.3)])
def test_block_on_an_incline_whole_curve(level, case, mu):
    h = 5e-3
    result = slide(case, level, h)
    s, v, (stop, _) = dry_friction.incline(result.time, mu, 2.0)
    x, vx = (result.signals[f"block.{word}"][:, 0] / COS for word in ("position", "velocity"))
    up = result.time < stop - h
    limit = 0.01 if level == ("euler-linearized", {}) else 1e-12  # of first order, also on parabolas
    assert np.abs(x - s)[up].max() <= limit
    assert np.abs(x - s).max() <= 3.0 * h * 2.0
    assert np.abs(vx - v).max() <= 8.0 * h
    energy = result.energy
    assert np.abs(energy.residual).max() <= 1e-12 * result.summary["energy"]["scale"]
    assert energy.work_friction[-1] == pytest.approx(-mu * 2.0 * 9.81 * COS * np.abs(np.diff(x)).sum(), rel=2e-2)


@pytest.mark.parametrize("level", LEVELS, ids=str)
def test_a_sticking_block_does_not_creep(level):
    """With friction in the velocities of GGL alone it would creep at h g sin(a) / 2, 1.7e-2 m/s here."""
    result = slide("block_on_incline", level, 1e-2)
    x = result.signals["block.position"][:, 0]
    assert np.abs(x[100:] - x[100]).max() <= 1e-13
    assert set(result.contacts["slope"].status[100:].ravel()) == {1}


@pytest.mark.parametrize("level", LEVELS, ids=str)
def test_a_stretched_spring_is_held(level):
    """3 N against 4.905 N of friction: it stays at 30 mm to round-off."""
    held = fm.Model()
    held.add(fm.Particle("mass", mass=1.0, position=(0.03, 0.0, 0.0), axes="xz"))
    held.add(fm.Spring("spring", node="mass", anchor=(-1.0, 0.0, 0.0), length=1.0, stiffness=100.0))
    held.add(fm.NodePlane("floor", node="mass", normal=(0, 0, 1), friction=0.5))
    held.gravity = (0.0, 0.0, -9.81)
    for step in (1e-2, 1e-3):
        result = fm.simulate(held, scheme_of(level), step=step, end=2.0 if step == 1e-2 else 0.5)
        assert np.abs(result.signals["mass.position"][:, 0] - 0.03).max() <= 1e-12


@pytest.mark.parametrize("level", [level for level in LEVELS if level[0] not in ("potra", "euler-linearized")], ids=str)
def test_order_through_a_stop_and_through_a_turn(level):
    """A stop leaves O(h^2) behind, a turn O(h); where in a step it falls is noise, so many steps are fitted."""
    counts = [211, 307, 421, 587, 809, 1103, 1511]
    stops, turns = [], []
    for case, mu, errors in (("block_on_incline", 0.5, stops), ("block_slides_back", 0.3, turns)):
        for n in counts:
            x = slide(case, level, 2.0 / n).signals["block.position"][-1, 0] / COS
            errors.append(abs(x - dry_friction.incline([2.0], mu, 2.0)[0][0]))
    h = 2.0 / np.array(counts)
    assert fitted_order(h, np.array(stops)) > 1.5
    assert 0.6 < fitted_order(h, np.array(turns)) < 2.4
    assert max(np.array(turns) / h) < 1.0


TABLE_II = [5.197e-5, 1.025e-5, 2.555e-6, 6.551e-7, 1.549e-7]
TABLE_III = [8.023e-5, 2.310e-5, 5.619e-6, 1.395e-6, 3.652e-7]


@pytest.mark.parametrize(("variant", "table"), [("I", TABLE_II), ("II", TABLE_III)])
def test_tables_of_potra(variant, table):
    """Potra et al. (2006), tables II and III, to three digits and more."""
    for k, printed in zip(range(5, 10), table, strict=True):
        result = slide("potra_block", ("potra", {"variant": variant}), 2.0**-k)
        error = abs(result.signals["block.position"][-1, 0] - 3.004348569726865)
        assert error == pytest.approx(printed, rel=1e-3)


@pytest.mark.parametrize("level", LEVELS, ids=str)
def test_potra_block_whole_curve(level):
    result = slide("potra_block", level, 4e-3)
    q, v, stop = dry_friction.potra_block(result.time)
    rough = 40.0 if level[0] == "euler-linearized" else 1.0
    assert np.abs(result.signals["block.position"][:, 0] - q).max() <= rough * 3e-5
    if level != ("potra", {"variant": "II"}):  # it swings on with what it had when it stopped
        assert np.abs(result.signals["block.velocity"][result.time > stop + 8e-3, 0]).max() <= 1e-13


def test_oscillator_whole_curve_and_its_order():
    errors, steps = [], np.array([0.04, 0.02, 0.01, 0.005])
    for h in steps:
        result = fm.load_case("dry_friction_oscillator", [f"time.step={h}"]).run()
        x, v, turns, rest = dry_friction.oscillator(result.time)
        got = result.signals["mass.position"][:, 0]
        errors.append(np.abs(got - x).max())
        still = result.time > rest + 4 * h
        assert np.abs(result.signals["mass.velocity"][still, 0]).max() <= 1e-12
        status = result.contacts["floor"].status.ravel()
        assert set(status[still]) == {1}
        assert set(status[(result.time > 1.0) & (result.time < 3.0)]) == {2}
        assert result.energy.work_friction[-1] == pytest.approx(-(90.0 - 0.5 * x[-1] ** 2), rel=2e-3)
    assert errors[-1] < 2e-2
    assert fitted_order(steps, np.array(errors)) > 0.8


def test_belts_whole_curves():
    result = fm.load_case("stick_slip_belt").run()
    t = result.time
    x, v = dry_friction.coulomb_belt(t)
    assert np.abs(result.signals["coulomb.position"][:, 0] - x).max() <= 1e-4
    fall = dry_friction.falling_belt(t, lambda s: 0.2 + 0.1 * np.exp(-((s / 0.5) ** 2)), 100.0, 10.0, 0.5)
    assert np.abs(result.signals["stribeck.position"][:, 0] - fall[0]).max() <= 1.2e-3
    status = result.contacts["belt2"].status.ravel()
    sticks = np.zeros(t.size, dtype=bool)
    begins = 0.0
    for when, what in fall[2]:
        if what == "slip":
            sticks |= (t > begins + 4e-3) & (t < when - 4e-3)
        else:
            begins = when
    assert sticks.sum() > 500
    assert set(status[sticks]) == {1}
    assert result.energy.work_external[-1] > 0.0  # the drive of the belts pays
    ends = result.energy.kinetic + result.energy.potential
    assert ends[-1] - ends[0] == pytest.approx(
        result.energy.work_external[-1] + result.energy.work_friction[-1], abs=1e-10
    )


def test_carts_keep_below_their_first_energy_and_end_at_one_distance():
    result = fm.load_case("potra_carts").run()
    apart = result.signals["cart2.position"][:, 0] - result.signals["cart1.position"][:, 0]
    assert np.abs(apart[result.time > 3.8] - apart[-1]).max() <= 1e-3
    hits = result.time[result.contacts["stopper"].impulse.ravel() > 0.0]
    assert hits[0] == pytest.approx(0.05684, abs=4e-4)


def test_carts_with_a_spring_hit_once_and_turn_when_they_should():
    """Times and speed of the hit and of the turn, from an integration from event to event."""
    result = fm.load_case("potra_carts_spring").run()
    v1, v2 = result.signals["cart1.velocity"][:, 0], result.signals["cart2.velocity"][:, 0]
    hits = np.flatnonzero(np.diff(v1) > 0.5)
    assert hits.size == 1
    assert result.time[hits[0]] == pytest.approx(0.07238978196, abs=1e-4)
    assert v1[hits[0]] == pytest.approx(-2.3443175503, abs=2e-3)
    assert result.time[np.argmax(v2 > 0.0)] == pytest.approx(0.25041500953, abs=1.5e-4)


def test_cart_behind_a_stiff_spring_is_stopped_by_its_damper():
    """gamma = 1e6, far above the step: x1 stays, cart 2 ends at 4.920256 after 0.412975 s."""
    changes = ["loads.spring.stiffness=1e6", "time.step=2e-5", "time.end=0.6"]
    result = fm.load_case("potra_carts_spring", changes).run()
    x2 = result.signals["cart2.position"][:, 0]
    assert np.abs(result.signals["cart1.position"][:, 0] - 0.2).max() <= 5e-3
    assert x2[-1] == pytest.approx(4.920256400, abs=1e-4)


def test_limits_of_the_carts_do_not_commute():
    """delta = 1e6: with h = 0.01 >> 1 / delta the pair bounces as one body, e = 0.3; x1(1) = 0.0692, not 0.0508."""
    changes = ["loads.damper.coefficient=1e6", "time.step=1e-4", "time.end=1.0"]
    one = fm.load_case("potra_carts", changes).run().signals["cart1.position"][-1, 0]
    assert one == pytest.approx(0.0692051, abs=2e-3)
