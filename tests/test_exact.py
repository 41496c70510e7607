"""Exact solutions: published values, balances, and what they refuse."""

from __future__ import annotations

import copy
import tomllib
from pathlib import Path
from typing import Any

import exact as reference
import numpy as np
import pytest

import flexmb as fm
from flexmb.analysis.exact import Exact, exact_solution
from flexmb.analysis.exact.bar_impact import waves
from flexmb.case.read import check_values
from flexmb.errors import InputError

CASES = Path(__file__).parents[1] / "cases"
BACK = {"kind": "node-plane", "node": "rod.last", "point": [16.0, 0.0, 0.0], "normal": [-1.0, 0.0, 0.0]}
LID = {"kind": "node-plane", "node": "ball.first", "point": [0.0, 0.0, 0.9], "normal": [0.0, 0.0, -1.0]}


def tables(name: str) -> dict[str, Any]:
    return tomllib.loads((CASES / f"{name}.toml").read_text())


def solution(name: str) -> Exact:
    found = exact_solution(tables(name))
    assert found is not None
    return found


def at(exact: Exact, name: str, *t: float) -> np.ndarray:
    return exact.curves[name](np.array(t))


def test_impacting_bar() -> None:
    exact = solution("impacting_bar")
    ends = at(exact, "rod.first.position.x", 0, 0.25, 0.5, 1.0, 7 / 6, 2.0)
    np.testing.assert_allclose(ends, [5, 2.5, 0, 0, 0, 25 / 3], rtol=0, atol=1e-13)
    np.testing.assert_allclose(at(exact, "rod.last.position.x", 5 / 6, 2.0), [20 / 3, 55 / 3])
    np.testing.assert_allclose(at(exact, "contacts.wall.force", 0.49, 0.51, 1.16, 1.17), [0, 300, 300, 0])
    np.testing.assert_allclose(at(exact, "rod.mid.velocity.x", 0.66, 0.67, 0.99, 1.01), [-10, 0, 0, 10])
    assert at(exact, "energy.total", 1.0) == 500.0
    assert min(abs(exact.breaks - 0.5)) < 1e-14
    assert min(abs(exact.breaks - 7 / 6)) < 1e-14


def test_bouncing_bar_has_the_published_values() -> None:
    """Doyen, Ern, Piperno (2011); contact on [1, 5/3] and [11/3, 13/3], period 16/3."""
    exact = solution("bouncing_bar")
    np.testing.assert_allclose(at(exact, "bar.first.position.z", 8 / 3), 3.888889, rtol=0, atol=5e-7)
    np.testing.assert_allclose(at(exact, "bar.last.position.z", 4 / 3), 10 - 3.888889, rtol=0, atol=5e-7)
    np.testing.assert_allclose(at(exact, "bar.mid.position.z", 4 / 3), 5 - 2.083333, rtol=0, atol=5e-7)
    np.testing.assert_allclose(at(exact, "bar.last.position.z", 0, 8 / 3, 16 / 3), 15.0)
    np.testing.assert_allclose(
        at(exact, "contacts.floor.force", 0.99, 1.5, 1.66, 1.68, 3.66), [0, 450, 498, 0, 0], rtol=0, atol=1e-9
    )
    # mirrored in time about 8/3
    t = np.linspace(0.003, 2.6, 1000)
    force = exact.curves["contacts.floor.force"]
    np.testing.assert_allclose(force(16 / 3 - t), force(t), rtol=0, atol=1e-9)
    fine = np.linspace(0, 16 / 3, 160_001)
    assert np.trapezoid(force(fine), fine) == pytest.approx(100 * 16 / 3, abs=0.05)  # the weight
    assert exact.curves["contacts.floor.gap"](fine).min() > -1e-12
    assert at(exact, "energy.total", 0.0) == pytest.approx(1000.0)


def test_bar_obeys_the_contact_law_for_any_numbers() -> None:
    """Contact ends and waves fall on no common grid; the bar may touch down while it vibrates."""
    case = tables("bouncing_bar")
    case["bodies"]["bar"]["position"] = [0, 0, 3.217]
    case["bodies"]["bar"]["velocity"] = [0, 0, -1.3]
    case["bodies"]["bar"]["material"] = {"young": 731.0, "density": 1.4}
    case["time"]["end"] = 12.0
    exact = exact_solution(case)
    assert exact is not None
    t = np.linspace(0, 12, 240_001)
    force, gap = (exact.curves[f"contacts.floor.{word}"](t) for word in ("force", "gap"))
    assert force.min() > -1e-9
    assert gap.min() > -1e-9
    assert np.abs(force * gap).max() < 1e-6
    for word in ("first", "mid", "last"):
        moved = exact.curves[f"bar.{word}.position.z"](t)
        speed = exact.curves[f"bar.{word}.velocity.z"](t)
        np.testing.assert_allclose(np.diff(moved), 0.5 * (speed[1:] + speed[:-1]) * np.diff(t), rtol=0, atol=2e-3)


ROUND_NUMBERS = [(0.3, -10.4, 0.0, 1.5, 0.4), (0.2, -6.7, 9.81, 3.7, 0.4), (0.5, -10.1, 7.9, 3.6, 2.0)]
"""Gap, velocity, weight, length and end of bars with c = 30 m/s whose waves come back 1e-16 s beside an impact."""


@pytest.mark.filterwarnings("error")
def test_waves_of_many_bars_are_followed_to_the_end() -> None:
    rng = np.random.default_rng(7)
    bars = [(*rng.uniform((0, -20, 0, 0.1), (5, 5, 10, 12)).round(1), rng.uniform(0.3, 4.0)) for _ in range(2000)]
    bars += [(gap, velocity, 0.0, length, end) for gap, velocity, _, length, end in bars[:1000]]
    for gap, velocity, weight, length, end in (*ROUND_NUMBERS, (0.1 + 0.2 - 0.3, 10.0, 9.81, 2.0, 4.0), *bars):
        period = 2.0 * length / 30.0
        end = min(end, 40.0 * period)
        p = waves(gap, velocity, weight, period, end)
        t = rng.uniform(0.0, end, 100)
        moved = gap + velocity * t - 0.5 * weight * t**2 + p.integral(t) + p.integral(t - period)
        force = p.at(t) - p.at(t - period)  # over rho A c
        speed = abs(velocity) + weight * end
        assert moved.min() >= -1e-9 * (gap + speed * end)
        assert force.min() >= -1e-9 * speed
        assert np.all((moved <= 1e-9 * (gap + speed * end)) | (force <= 1e-9 * speed))


def test_a_bar_at_the_other_side_of_a_wall_is_mirrored() -> None:
    case = tables("impacting_bar")
    rod, wall = case["bodies"]["rod"], case["contacts"]["wall"]
    rod |= {"position": [-15.0, 0, 0], "velocity": [10.0, 0, 0]}
    wall |= {"node": "rod.last", "normal": [-1.0, 0, 0]}
    mirrored, straight = exact_solution(case), solution("impacting_bar")
    assert mirrored is not None
    t = np.linspace(0, 2, 101)
    for a, b in (("first", "last"), ("last", "first"), ("mid", "mid")):
        here = mirrored.curves[f"rod.{a}.position.x"](t)
        np.testing.assert_allclose(here, -straight.curves[f"rod.{b}.position.x"](t), rtol=0, atol=1e-12)


def test_ball_and_oscillator_agree_with_the_reference() -> None:
    t = np.linspace(0, 4, 4001) + 1e-7
    ball, oscillator = solution("bouncing_ball"), solution("impact_oscillator")
    for exact, truth, axis in (
        (ball, reference.bouncing_ball(t), "z"),
        (oscillator, reference.impacting_oscillator(t), "x"),
    ):
        np.testing.assert_allclose(exact.curves[f"ball.position.{axis}"](t), truth[0], rtol=0, atol=1e-12)
        np.testing.assert_allclose(exact.curves[f"ball.velocity.{axis}"](t), truth[1], rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("impacting_bar", ["bodies.rod.elements=100", "time.step=4e-3"]),
        ("bouncing_ball", ["contacts.floor.restitution=0.8", "bodies.ball.velocity=[0,0,0.7]"]),
        ("impact_oscillator", ["contacts.stop.restitution=0.5", "bodies.ball.velocity=[0.6,0,0]"]),
    ],
)
def test_computed_curves_come_near(name: str, changes: list[str]) -> None:
    result = fm.load_case(CASES / f"{name}.toml", changes).run()
    exact = exact_solution(tomllib.loads(result.case_text))
    assert exact is not None
    contact = next(iter(result.contacts))
    gap = exact.curves[f"contacts.{contact}.gap"](result.time)
    assert np.abs(result.contacts[contact].gap - gap).mean() < 0.01 * np.abs(gap).max()


@pytest.mark.parametrize(
    ("name", "path", "value", "words"),
    [
        ("impacting_bar", "bodies.rod.damping", {"beta": 1e-3}, "body 'rod' has damping"),
        ("impacting_bar", "bodies.rod.velocity", [-10.0, 1.0, 0.0], "velocity.*normal"),
        ("impacting_bar", "gravity.acceleration", [0, 0, -9.81], "gravity.*normal"),
        ("impacting_bar", "contacts.wall.node", "rod.mid", "not at rod.first"),
        ("impacting_bar", "contacts.wall.motion", {"kind": "sine"}, "fixed plane"),
        ("bouncing_ball", "gravity.acceleration", [0, 0, 2.0], "does not fall"),
        ("bouncing_ball", "loads.push", {"kind": "force"}, "there are loads"),
        ("impact_oscillator", "loads.spring.length", 1.9, "unstretched.*stop"),
        ("impact_oscillator", "loads.damper.coefficient", 9.0, "overdamped"),
        ("impact_oscillator", "bodies.ball.kind", "rigid", "is not a particle"),
        ("impacting_bar", "bodies.rod.supports", [{"node": "last"}], "has supports"),
        ("impacting_bar", "bodies.rod.mesh", "rod.msh", "body 'rod'.*'mesh'.*solution"),
        ("impacting_bar", "bodies.stone", {"kind": "particle"}, "body, 'stone'"),
        ("impacting_bar", "joints.pin", {"kind": "distance"}, "there are joints"),
        ("impacting_bar", "loads.push", {"kind": "force"}, "there are loads"),
        ("impacting_bar", "initial.static", ["push"], "changes the start"),
        ("impacting_bar", "time.start", 0.5, "does not start at t = 0"),
        ("impacting_bar", "bodies.rod.position", [-0.5, 0.0, 0.0], "starts behind the plane"),
        ("impacting_bar", "contacts.wall.body", "rod", "fixed plane"),
        ("impacting_bar", "contacts.back", BACK | {"node": "rod.node(3)"}, "contact, 'back'"),
        ("impacting_bar", "contacts.back", BACK | {"motion": {"kind": "ramp"}}, "contact, 'back'"),
        ("impacting_bar", "contacts.back", BACK | {"normal": [-1, 1, 0]}, "contact, 'back'"),
        ("impacting_bar", "contacts.back", BACK, "contact, 'back'"),
        ("bouncing_ball", "bodies.ball.axes", "xy", "move.*normal"),
        ("bouncing_ball", "contacts.lid", LID, "contact, 'lid'"),
        ("impact_oscillator", "gravity.acceleration", [-1.0, 0, 0], "there is gravity"),
        ("impact_oscillator", "loads.spring.direction", [0, 1, 0], "load 'spring' has 'direction'"),
        ("impact_oscillator", "loads.spring.stiffness", 1e12, "100000 impacts"),
    ],
)
def test_other_problems_are_refused(name: str, path: str, value: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        exact_solution(changed(name, {path: value}))


def changed(name: str, values: dict[str, Any]) -> dict[str, Any]:
    case = copy.deepcopy(tables(name))
    for path, value in values.items():
        node = case
        *groups, key = path.split(".")
        for group in groups:
            node = node.setdefault(group, {})
        node[key] = value
    return case


def test_what_does_not_act_is_no_other_problem() -> None:
    never = {"contacts.back": BACK | {"point": [18.5, 0, 0]}, "bodies.rod.damping": {"alpha": 0.0, "beta": 0.0}}
    straight, same = solution("impacting_bar"), exact_solution(changed("impacting_bar", never))
    assert same is not None
    t = np.linspace(0, 2, 101)
    np.testing.assert_array_equal(same.curves["rod.mid.position.x"](t), straight.curves["rod.mid.position.x"](t))


def test_a_ball_that_bounces_too_often_is_not_frozen() -> None:
    values = {"contacts.floor.restitution": 1.0, "bodies.ball.position": [0, 0, 1e-11]}
    with pytest.raises(InputError, match="more than .* impacts"):
        exact_solution(changed("bouncing_ball", values))
    values["bodies.ball.position"] = [0, 0, 1e-6]
    exact = exact_solution(changed("bouncing_ball", values))
    assert exact is not None
    last = exact.curves["ball.velocity.z"](np.linspace(3.9, 4.0, 1001))
    assert np.abs(last).max() == pytest.approx(2e-3, rel=0.02)


@pytest.mark.parametrize(
    ("name", "signal"),
    [
        ("impacting_bar", "rod.mid.velocity.x"),
        ("bouncing_ball", "ball.velocity.z"),
        ("impact_oscillator", "ball.velocity.x"),
    ],
)
def test_no_curve_goes_on_beyond_its_end(name: str, signal: str) -> None:
    case = tables(name)
    whole = exact_solution(case)
    short = exact_solution(changed(name, {"time.end": 0.3}))
    longer = exact_solution(changed(name, {"time.end": 0.3}), case["time"]["end"])
    assert whole is not None
    assert short is not None
    assert longer is not None
    t = np.linspace(0.0, case["time"]["end"], 501)
    np.testing.assert_array_equal(longer.curves[signal](t), whole.curves[signal](t))
    assert short.curves[signal](np.array([0.3 + 1e-9])).size == 1  # round-off of the last sample
    (given,) = short.given.values()
    for curve in (short.curves[signal], given):
        with pytest.raises(InputError, match="time = 0.31.*exact solution.*computed.*0.3 s"):
            curve(np.array([0.1, 0.31]))


def test_impulses_so_far_are_those_of_the_forces_and_of_momentum() -> None:
    t = np.linspace(0, 16 / 3, 160_001)
    bar = solution("bouncing_bar")
    force = bar.curves["contacts.floor.force"](t)
    sums = np.concatenate([[0.0], np.cumsum(0.5 * (force[1:] + force[:-1]) * np.diff(t))])
    np.testing.assert_allclose(bar.given["floor"](t), sums, rtol=0, atol=0.02)
    np.testing.assert_allclose(solution("impacting_bar").given["wall"](np.array([0.4, 5 / 6, 2.0])), [0, 100, 200])
    ball = solution("bouncing_ball").given["floor"](np.array([0.99, 1.01, 1.99, 2.01, 3.0, 4.0]))
    np.testing.assert_allclose(ball, [0, 3, 3, 4.5, 6, 8], rtol=0, atol=1e-9)  # (1 + e) m v, then the weight
    stop = solution("impact_oscillator").given["stop"](np.array([0.7, 1.0, 6.0]))
    np.testing.assert_allclose(stop, [0.0, 1.7 * 1.84412485, 6.80256305], rtol=1e-8)


def test_breaks_are_where_curves_jump() -> None:
    np.testing.assert_allclose(solution("bouncing_ball").breaks[:4], [1, 2, 2.5, 2.75])
    bar = solution("impacting_bar")
    for signal, times in (("rod.mid", [2 / 3, 1.0]), ("rod.last", [5 / 6]), ("rod.first", [0.5, 7 / 6])):
        velocity = bar.curves[f"{signal}.velocity.x"]
        apart = velocity(bar.breaks + 1e-9) - velocity(bar.breaks - 1e-9)
        np.testing.assert_allclose(bar.breaks[np.abs(apart) > 1.0], times, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("solution", "impacting-bra", "'impacting-bar'"),
        ("body", "rid", "did you mean 'rod'"),
        ("contact", "x", "wall"),
    ],
)
def test_claims_are_checked_when_a_case_is_read(key: str, value: str, words: str) -> None:
    file = CASES / "impacting_bar.toml"
    with pytest.raises(InputError, match=rf"exact.{key} = \W{value}\W: .*{words}"):
        check_values(file, file.read_text(), tables("impacting_bar"), [(("exact", key), value)])


def test_a_case_without_a_claim_has_none() -> None:
    assert exact_solution(tables("two_bars")) is None
    assert "[exact]" in fm.load_case(CASES / "impacting_bar.toml").to_toml()
