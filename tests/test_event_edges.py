"""Edges of curves as events: curvature that jumps, kinks of slots, corners, balls that roll around them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from test_node_curve import DOWN, bead, corner, parabola

import flexmb as fm
from flexmb.drive.engine import Plan
from flexmb.drive.events.event_engine import EventEngine
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.schemes import SCHEMES

TABLE = [{"kind": "segment", "start": (-2.0, 0.0), "end": (0.0, 0.0)}, {"kind": "segment", "end": (0.0, -9.0)}]


def run(model: fm.Model, end: float = 1.0, scheme: str = "phem56", tolerance: float = 1e-10) -> Any:
    result = fm.simulate(model, SCHEMES[scheme](), tolerance=tolerance, end=end, interval=end / 10)
    assert np.abs(result.energy.residual).max() < 1e-12
    return result


def events(model: fm.Model, end: float) -> list[tuple[float, str, str]]:
    """Return what happened, and when."""
    system = model.assemble()
    plan = Plan(system, SCHEMES["phem56"](), ContactSolver(), end, 0.0, 1, 1, 1, tolerance=1e-10)
    engine = EventEngine(plan)
    engine.start()
    engine.advance(1)
    assert engine.failure is None
    return list(engine.tally().event_list)


def test_no_stage_straddles_a_jump_of_curvature() -> None:
    """Haddouni 2015, 4.3.3.4, example 1."""
    for slot in (True, False):
        result = run(parabola(slot))
        assert result.signals["bead.position"][-1, 0] == pytest.approx(-2.521891523254723, abs=1e-9)
        assert result.signals["bead.velocity"][-1, 0] == pytest.approx(-6.651315659326356, abs=1e-9)
        assert abs(result.energy.total[-1] - result.energy.total[0]) < 1e-8
    *first, (t, kind, _) = events(parabola(True), 1.0)
    assert kind == "edge"
    assert [time for time, _, _ in first] in ([], [0.0])  # it starts where the parabola does
    assert t == pytest.approx(0.6208432057019318, abs=1e-10)


def test_order_survives_the_edge() -> None:
    errors = []
    for steps in (13, 31):
        result = fm.simulate(parabola(True), SCHEMES["dopri5"](), steps=steps, end=1.0)
        errors.append(abs(result.signals["bead.position"][-1, 0] + 2.521891523254723))
    assert math.log(errors[0] / errors[1], 31 / 13) > 4.5


@pytest.mark.parametrize("degrees", [40.0, -70.0])
def test_kink_of_a_slot_keeps_the_energy(degrees: float) -> None:
    """Glocker's law: the speed along the slot stays; with masses that the slot couples, the energy does."""
    b = math.radians(degrees)
    turn = {"kind": "segment", "end": (2 * math.cos(b), 2 * math.sin(b))}
    floor = {"kind": "segment", "start": (-2.0, 0.0), "end": (0.0, 0.0)}
    result = run(bead((-0.5, 0, 0), (1, 0, 0), slot=True, pieces=[floor, turn]))
    np.testing.assert_allclose(result.signals["bead.velocity"][-1, :2], [math.cos(b), math.sin(b)], atol=1e-13)
    np.testing.assert_allclose(result.signals["bead.position"][-1, :2], [math.cos(b) / 2, math.sin(b) / 2], atol=1e-13)
    model = fm.Model()
    model.add(fm.RigidPlanar("block", mass=2.0, inertia=1.0, position=(0, 0, 0)))
    model.add(fm.Prismatic("rail", a="block", axis=(1, 0, 0)))
    model.add(fm.Particle("bead", mass=1.0, position=(-0.5, 0, 0), velocity=(1, 0, 0)))
    model.add(fm.NodeCurve("track", node="bead", slot=True, body="block", pieces=[floor, turn]))
    result = run(model)
    momentum = 2.0 * result.signals["block.velocity"][:, 0] + result.signals["bead.velocity"][:, 0]
    np.testing.assert_allclose(momentum, 1.0, atol=1e-13)
    np.testing.assert_allclose(result.energy.total, 0.5, atol=1e-13)
    d = result.signals["bead.velocity"][-1] - result.signals["block.velocity"][-1]
    assert d[1] * math.cos(b) == pytest.approx(d[0] * math.sin(b), abs=1e-13)
    assert d[0] > 0.1


@pytest.mark.parametrize(
    ("degrees", "e", "v"),
    [(30, 0.0, (0.75, 0.433012701892219)), (30, 0.5, (0.625, 0.649519052838329)), (120, 0.5, (-0.5, 0.0))],
)
def test_concave_corner_is_an_impact_with_both_normals(degrees: float, e: float, v: tuple[float, float]) -> None:
    result = run(corner(degrees, e))
    np.testing.assert_allclose(result.signals["bead.velocity"][-1, :2], v, atol=1e-13)
    if degrees == 120:
        total = result.contacts["track"].impulse.sum(axis=0)
        np.testing.assert_allclose(total, [0.866025403784439, 1.732050807568877], rtol=1e-12)


def test_point_leaves_at_a_convex_corner() -> None:
    result = run(bead((-0.5, 0, 0), (1, 0, 0), DOWN, pieces=TABLE))
    np.testing.assert_allclose(result.signals["bead.position"][-1], [0.5, -0.5 * 9.81 * 0.25, 0.0], atol=1e-12)
    # with a slope behind it: a flight that ends there, on the line y = -x
    slope = [TABLE[0], {"kind": "segment", "end": (9.0, -9.0)}]
    found = events(bead((-0.5, 0, 0), (1, 0, 0), DOWN, pieces=slope), 0.8)
    assert [kind for _, kind, _ in found] == ["contact", "edge", "release", "impact"]
    assert found[-1][0] == pytest.approx(0.5 + 2.0 / 9.81, abs=1e-12)


def test_ball_rolls_around_a_convex_corner_and_leaves_it() -> None:
    """From the table with the speed v it leaves the corner at cos = 2/3 + v^2 / (3 g R)."""
    R, v = 0.05, 0.2
    model = bead((-0.1, R, 0), (v, 0, 0), DOWN, pieces=TABLE, radius=R)
    found = events(model, 0.7)
    assert [kind for _, kind, _ in found] == ["contact", "edge", "release"]
    assert found[1][0] == pytest.approx(0.5, abs=1e-12)
    result = fm.simulate(model, SCHEMES["phem56"](), tolerance=1e-10, end=found[2][0], interval=found[2][0])
    x = result.signals["bead.position"][-1]
    assert x[1] / R == pytest.approx(2.0 / 3.0 + v**2 / (3 * 9.81 * R), abs=1e-8)
    assert math.hypot(x[0], x[1]) == pytest.approx(R, abs=1e-12)


def test_closed_slot_goes_round() -> None:
    """A circle in two arcs is a pendulum, whatever junctions it passes."""
    quarter = {"kind": "arc", "start": (1, 0), "end": (0, -1), "center": (0, 0), "clockwise": True}
    rest = {"kind": "arc", "end": (1, 0), "center": (0, 0), "clockwise": True}
    whole = {"kind": "arc", "start": (1, 0), "end": (1, 0), "center": (0, 0), "clockwise": True}
    v0 = (0, -7.0, 0)
    ways = ([quarter, rest], [whole])
    both = [run(bead((1, 0, 0), v0, DOWN, slot=True, pieces=p), 1.2, tolerance=1e-7) for p in ways]
    a, b = (r.signals["bead.position"] for r in both)
    np.testing.assert_allclose(a, b, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(a, axis=1), 1.0, atol=1e-12)


VALLEY = [{"kind": "segment", "start": (-1.0, 1.0), "end": (0.0, 0.0)}, {"kind": "segment", "end": (1.0, 1.0)}]


@pytest.mark.parametrize("start", [-0.5, 0.0])
def test_hybrid_goes_over_to_time_stepping_where_both_sides_of_an_edge_are_touched(start: float) -> None:
    """A bead slides down one side of a corner and rests on both; or it lies there at the start."""
    model = bead((start, abs(start), 0), gravity=DOWN, pieces=VALLEY)
    with pytest.warns(fm.RunWarning):
        result = fm.simulate(model, fm.Hybrid(shortest=1e-5), tolerance=1e-8, end=0.6, interval=0.1)
    there, back = result.summary["switches"]
    assert (there["reason"], back["reason"]) == ("edge", "back")
    assert there["contact"] in model.assemble().contacts.labels
    assert there["time"] == pytest.approx(math.sqrt(-4.0 * start / 9.81), abs=1e-9)  # sqrt(2) s = (g / sqrt(2)) t^2 / 2
    assert back["time"] < there["time"] + 1e-3
    assert result.summary["events"]["time_steps"] >= 3
    np.testing.assert_allclose(result.signals["bead.position"][-1], 0.0, atol=1e-10)
    np.testing.assert_allclose(result.contacts["track"].force[-1], 9.81 / math.sqrt(2.0), rtol=1e-9)
    assert np.abs(result.energy.residual).max() < 1e-12


@pytest.mark.parametrize(
    ("case", "x", "v"),
    [
        ("edge_parabola", -2.521891523254723, -6.651315659326356),
        ("edge_parabola_down", -1.8617360250264237, -2.9170322826363857),
    ],
)
def test_hybrid_passes_edges_to_ten_times_the_tolerance(case: str, x: float, v: float) -> None:
    """Haddouni 2015, 4.3.3.4, both examples; the case files name the sources of the numbers."""
    result = fm.load_case(case, ['scheme={name="hybrid"}', "time.tolerance=1e-8"]).run()
    assert result.summary["switches"] == []
    assert result.signals["bead.position"][-1, 0] == pytest.approx(x, abs=1e-7)
    assert result.signals["bead.velocity"][-1, 0] == pytest.approx(v, abs=1e-7)
