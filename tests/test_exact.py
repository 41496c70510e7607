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
from flexmb.case.read import check_values
from flexmb.errors import InputError
from flexmb.exact import Exact, exact_solution

CASES = Path(__file__).parents[1] / "cases"


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
    np.testing.assert_allclose(ends, [5, 2.5, 0, 0, 0, 25 / 3], atol=1e-13)
    np.testing.assert_allclose(at(exact, "rod.last.position.x", 5 / 6, 2.0), [20 / 3, 55 / 3])
    np.testing.assert_allclose(at(exact, "contacts.wall.force", 0.49, 0.51, 1.16, 1.17), [0, 300, 300, 0])
    np.testing.assert_allclose(at(exact, "rod.mid.velocity.x", 0.66, 0.67, 0.99, 1.01), [-10, 0, 0, 10])
    assert at(exact, "energy.total", 1.0) == 500.0
    assert min(abs(exact.breaks - 0.5)) < 1e-14
    assert min(abs(exact.breaks - 7 / 6)) < 1e-14


def test_bouncing_bar_has_the_published_values() -> None:
    """Doyen, Ern, Piperno (2011); contact on [1, 5/3] and [11/3, 13/3], period 16/3."""
    exact = solution("bouncing_bar")
    np.testing.assert_allclose(at(exact, "bar.first.position.z", 8 / 3), 3.888889, atol=5e-7)
    np.testing.assert_allclose(at(exact, "bar.last.position.z", 4 / 3), 10 - 3.888889, atol=5e-7)
    np.testing.assert_allclose(at(exact, "bar.mid.position.z", 4 / 3), 5 - 2.083333, atol=5e-7)
    np.testing.assert_allclose(at(exact, "bar.last.position.z", 0, 8 / 3, 16 / 3), 15.0)
    np.testing.assert_allclose(
        at(exact, "contacts.floor.force", 0.99, 1.5, 1.66, 1.68, 3.66), [0, 450, 498, 0, 0], atol=1e-9
    )
    # mirrored in time about 8/3
    t = np.linspace(0.003, 2.6, 1000)
    force = exact.curves["contacts.floor.force"]
    np.testing.assert_allclose(force(16 / 3 - t), force(t), atol=1e-9)
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
        np.testing.assert_allclose(np.diff(moved), 0.5 * (speed[1:] + speed[:-1]) * np.diff(t), atol=2e-3)


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
        np.testing.assert_allclose(here, -straight.curves[f"rod.{b}.position.x"](t), atol=1e-12)


def test_ball_and_oscillator_agree_with_the_reference() -> None:
    t = np.linspace(0, 4, 4001) + 1e-7
    ball, oscillator = solution("bouncing_ball"), solution("impact_oscillator")
    for exact, truth, axis in (
        (ball, reference.bouncing_ball(t), "z"),
        (oscillator, reference.impacting_oscillator(t), "x"),
    ):
        np.testing.assert_allclose(exact.curves[f"ball.position.{axis}"](t), truth[0], atol=1e-12)
        np.testing.assert_allclose(exact.curves[f"ball.velocity.{axis}"](t), truth[1], atol=1e-12)


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
        ("impacting_bar", "bodies.rod.damping", {"beta": 1e-3}, "body 'rod' is damped"),
        ("impacting_bar", "bodies.rod.velocity", [-10.0, 1.0, 0.0], "velocity is not along the normal"),
        ("impacting_bar", "gravity.acceleration", [0, 0, -9.81], "gravity is not along the normal"),
        ("impacting_bar", "contacts.wall.node", "rod.mid", "not at rod.first"),
        ("impacting_bar", "contacts.wall.motion", {"kind": "sine"}, "plane at rest"),
        ("bouncing_ball", "gravity.acceleration", [0, 0, 2.0], "does not fall"),
        ("bouncing_ball", "loads.push", {"kind": "force"}, "there are loads"),
        ("impact_oscillator", "loads.spring.length", 1.9, "not relaxed at the stop"),
        ("impact_oscillator", "loads.damper.coefficient", 9.0, "damped too much"),
        ("impact_oscillator", "bodies.ball.kind", "rigid", "is no particle"),
    ],
)
def test_other_problems_are_refused(name: str, path: str, value: Any, words: str) -> None:
    case = copy.deepcopy(tables(name))
    node = case
    *groups, key = path.split(".")
    for group in groups:
        node = node.setdefault(group, {})
    node[key] = value
    with pytest.raises(InputError, match=words):
        exact_solution(case)


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("solution", "impacting-bra", "did you mean 'impacting-bar'"),
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
