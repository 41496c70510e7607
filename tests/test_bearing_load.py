"""Bearings between bodies: flexible supports, the same in small motion, large motion and the linear analyses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from messages import says

from flexmb import Bearing, InputError, Model, Particle, Rotor, Spring
from flexmb.analysis.rotors.static import static_deflection
from flexmb.analysis.rotors.unbalance import unbalance_response
from flexmb.system.rotating import rotating_system

SHAFT: dict[str, Any] = {
    "stations": [0.0, 0.2, 0.4, 0.6],
    "outer_diameter": 0.03,
    "material": {"young": 2.0e11, "density": 7800.0, "poisson": 0.3},
}
K2, C2 = [[2e6, 3e5], [-1e5, 4e6]], [[30.0, 7.0], [1.0, 50.0]]
K4 = (np.arange(16.0).reshape(4, 4) ** 2 * 1e4).tolist()
TABLE = {"speed": [0.0, 100.0, 300.0], "stiffness": [1e6, K2[0][0], 6e6], "damping": C2}
LAWS: dict[str, dict[str, Any]] = {
    "number": {"stiffness": 2e6, "damping": 30.0},
    "matrices": {"stiffness": K2, "damping": C2},
    "moments": {"stiffness": K4, "damping": 20.0},
    "table": TABLE,
}
SPEED = 150.0
CONSTANT = {"kind": "constant", "speed": SPEED}


def model(bearings: list[dict[str, Any]], loads: list[Bearing], **keys: Any) -> Model:
    out = Model()
    rotor = SHAFT | {"spin": CONSTANT, "bearings": [{"node": 3, "stiffness": 1e6}, *bearings]}
    out.add(Rotor("r", **rotor | keys))
    for load in loads:
        out.add(load)
    return out


@pytest.mark.parametrize("law", LAWS)
def test_to_the_ground_it_is_the_rotors_own_bearing(law: str) -> None:
    own = model([{"node": 1, **LAWS[law]}], []).assemble()
    load = model([], [Bearing("b", node="r.node(1)", **LAWS[law])]).assemble()
    for name in ("M", "C", "K", "gyro", "cross"):
        A, B = (getattr(system, name).toarray() for system in (own, load))
        assert pytest.approx(B, rel=1e-12, abs=1e-12 * np.abs(A).max() + 1e-300) == A, name
    assert load.strain is not None
    assert abs(load.strain.matrix() - load.K).max() < 1e-12 * abs(load.K).max()


@pytest.mark.parametrize("law", LAWS)
def test_on_a_moving_pedestal_it_acts_on_the_difference(law: str) -> None:
    def made(to: str) -> Model:
        out = model([], [Bearing("b", node="r.node(1)", to=to, **LAWS[law])])
        out.add(Particle("pedestal", mass=3.0, position=(0.2, 0.0, 0.0), axes="yz"))
        return out

    stiff, soft = made("ground").assemble(), made("pedestal").assemble()
    names = list(soft.dof_names)
    at = [names.index(f"r.node(1).{letter}") for letter in ("v", "w")]
    to = [names.index(f"pedestal.{letter}") for letter in ("y", "z")]
    only = [model([], []).assemble().dof_names.index(f"r.node(1).{letter}") for letter in ("v", "w")]
    bare = model([], []).assemble()
    for name in ("C", "K", "gyro", "cross"):
        A, B = (getattr(system, name).toarray() for system in (stiff, soft))
        base = getattr(bare, name).toarray()[np.ix_(only, only)]
        block = A[np.ix_(at, at)] - base
        near = {"rel": 1e-9, "abs": 1e-9 * np.abs(A).max() + 1e-300}
        assert B[np.ix_(at, at)] - base == pytest.approx(block, **near)
        assert B[np.ix_(to, to)] == pytest.approx(block, **near)
        assert B[np.ix_(at, to)] == pytest.approx(-block, **near)
        assert B[np.ix_(to, at)] == pytest.approx(-block, **near)


def test_a_soft_pedestal_in_series() -> None:
    out = model([], [Bearing("b", node="r.node(0)", to="pedestal", stiffness=2e6)])
    out.add(Particle("pedestal", mass=1.0, axes="yz"))
    for name, n in (("y", (0.0, 1.0, 0.0)), ("z", (0.0, 0.0, 1.0))):
        out.add(Spring(name, node="pedestal", direction=n, stiffness=3e6))
    system = out.assemble()
    names = list(system.dof_names)
    v = [names.index("r.node(0).v"), names.index("pedestal.y")]
    K = system.K.toarray()
    rest = [i for i in range(len(names)) if i not in v]
    # a force on the journal, the shaft cut away: springs one after the other
    journal = K[v[0], v[0]] - model([], []).assemble().K[0, 0]
    one = np.array([[journal, K[v[0], v[1]]], [K[v[1], v[0]], K[v[1], v[1]]]])
    assert np.linalg.inv(one)[0, 0] == pytest.approx(1 / 2e6 + 1 / 3e6, rel=1e-9)
    assert np.abs(K[v[1], rest]).max() == 0.0


@pytest.mark.parametrize("law", LAWS)
def test_the_linear_analyses_see_the_same_matrices(law: str) -> None:
    own = rotating_system(model([{"node": 1, **LAWS[law]}], []))
    load = rotating_system(model([], [Bearing("b", node="r.node(1)", **LAWS[law])]))
    for speed in (0.0, 40.0, 250.0):
        for A, B in zip(own.at(speed), load.at(speed), strict=True):
            assert abs(A - B).max() <= 1e-12 * abs(A).max()


def test_bearings_over_the_speed_hold_a_rotor() -> None:
    def made(**law: Any) -> Model:
        out = Model(gravity=(0.0, 0.0, -9.81), initial_static=["gravity"])
        out.add(Rotor("r", **SHAFT, spin=CONSTANT))
        for i in (0, 3):
            out.add(Bearing(f"b{i}", node=f"r.node({i})", **law))
        return out

    weight = 9.81 * 7800.0 * 0.6 * np.pi * 0.03**2 / 4
    system = made(speed=[0.0, 300.0], stiffness=[1e6, 3e6]).assemble()
    assert system.q0[list(system.dof_names).index("r.node(0).w")] == pytest.approx(-weight / 2 / 2e6, rel=1e-9)
    with pytest.raises(InputError, match="body 'r' is not supported"):
        made(speed=[0.0, 300.0], damping=[1e6, 3e6]).assemble()


@pytest.mark.parametrize("law", LAWS)
def test_its_forces_are_told_like_those_of_the_rotors_own(law: str) -> None:
    keys = {"unbalances": [{"node": 2, "magnitude": 1e-3}]}
    own = model([{"node": 1, **LAWS[law]}], [], **keys)
    load = model([], [Bearing("b", node="r.node(1)", **LAWS[law])], **keys)
    own.gravity = load.gravity = (0.0, 0.0, -9.81)
    one, other = static_deflection(own), static_deflection(load)
    assert (one.bearings, other.bearings) == (("r.node(3)", "r.node(1)"), ("r.node(3)", "loads.b"))
    assert np.abs(one.reactions).min(axis=0).max() > 1.0
    np.testing.assert_allclose(other.reactions, one.reactions, rtol=1e-9, atol=1e-9)
    forces = [unbalance_response(m, [50.0, 120.0]).forces for m in (own, load)]
    np.testing.assert_allclose(forces[1], forces[0], rtol=1e-9, atol=1e-9 * np.abs(forces[0]).max())


def test_forces_on_a_pedestal() -> None:
    out = model([], [Bearing("b", node="r.node(0)", to="pedestal", stiffness=2e6)])
    out.add(Particle("pedestal", mass=5.0, axes="yz"))
    for name, n in (("y", (0.0, 1.0, 0.0)), ("z", (0.0, 0.0, 1.0))):
        out.add(Spring(name, node="pedestal", direction=n, stiffness=3e6))
    out.gravity = (0.0, 0.0, -9.81)
    found = static_deflection(out)
    # the shaft's weight alone; that of the pedestal goes to its springs
    assert found.reactions[:, 1] == pytest.approx([9.81 * out.bodies["r"].total_mass / 2] * 2, rel=1e-9)


RAMP = {"kind": "ramp", "from": 50.0, "to": 250.0, "duration": 1.0}
FREE = {"kind": "free", "speed": 60.0, "torque": 3.0}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("spin", [RAMP, FREE])
def test_in_large_motion_it_is_the_rotors_own_bearing(law: str, spin: dict[str, Any]) -> None:
    own = model([{"node": 1, **LAWS[law]}], [], spin=spin).assemble().tables
    load = model([], [Bearing("b", node="r.node(1)", **LAWS[law])], spin=spin).assemble().tables

    def dense(entry: np.ndarray, value: np.ndarray, n: int) -> np.ndarray:
        out = np.zeros((n, n))
        np.add.at(out, (entry[:, 0], entry[:, 1]), value)
        return out

    n = own.linear.q_of_v.size
    for which in "CK":
        one, two = (getattr(t.linear, which) for t in (own, load))
        pairs = [_csr(matrix, n) for matrix in (one, two)]
        assert pairs[1] == pytest.approx(pairs[0], rel=1e-12, abs=1e-12 * np.abs(pairs[0]).max())
    for column in range(5):
        one, two = (dense(t.rotors.entry, t.rotors.value[:, column], n) for t in (own, load))
        assert two == pytest.approx(one, rel=1e-12, abs=1e-12 * np.abs(one).max() + 1e-300)
    for name in ("table", "speed", "table_entry", "table_value"):
        one, two = (getattr(t.rotors, name) for t in (own, load))
        assert two == pytest.approx(one, rel=1e-12, abs=1e-6), name


def _csr(matrix: Any, n: int) -> np.ndarray:
    out = np.zeros((n, n))
    for i in range(n):
        for k in range(matrix.ptr[i], matrix.ptr[i + 1]):
            out[i, matrix.col[k]] += matrix.val[k]
    return out


def test_a_table_must_cover_the_run() -> None:
    system = model([], [Bearing("b", node="r.node(1)", **TABLE)], spin=RAMP | {"to": 400.0}).assemble()
    spans = [f for where, f in system.functions if where == "loads.b"]
    assert len(spans) == 1
    spans[0].check_span(0.0, 0.7, "loads.b")
    words = r"loads\.b:.*50 to 330 rad/s.*0 to 300"
    with pytest.raises(InputError, match=words):
        spans[0].check_span(0.0, 0.8, "loads.b")


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"to": "r.node(1)"}, "loads.b.to = 'r.node(1)' ... ends ... node"),
        ({"to": "nothing"}, "loads.b.to = 'nothing' ... body 'nothing'"),
        ({"rotor": "x"}, "loads.b.rotor = 'x' ... body 'x'"),
        ({"rotor": 3}, "loads.b.rotor = 3 ... rotor"),
        ({"node": "r.all"}, "loads.b.node = 'r.all' ... 4 nodes ... single"),
        ({"stiffness": [[1.0]]}, "loads.b.stiffness ... 1 x 1 ... number ... 2 x 2 matrix"),
        ({"rotor": "ball", "stiffness": K2}, "loads.b.rotor = 'ball' ... bearing ... matrices ... symmetric"),
        (
            {"direction": [0.0, 1.0, 1.0]},
            "loads.b.direction = (0.0, 1.0, 1.0) ... axis ... 'r', (1.0",
        ),
        ({"direction": [0.0, 0.0, 0.0]}, "loads.b.direction = [0.0, 0.0, 0.0]: has zero length"),
        ({"speed": [0.0, 100.0], "stiffness": [1.0, 2.0]}, "speeds ... 0 ... 100 rad/s"),
    ],
)
@pytest.mark.parametrize("spin", [CONSTANT, RAMP])
def test_wrong_bearings(keys: dict[str, Any], words: str, spin: dict[str, Any]) -> None:
    if spin is RAMP and "speed" in keys:
        return

    def assemble() -> None:
        out = model([], [Bearing("b", **{"node": "r.node(1)", "stiffness": 1e6} | keys)], spin=spin)
        out.add(Particle("ball", mass=1.0))
        out.assemble()

    with pytest.raises(InputError) as caught:
        assemble()
    assert says(str(caught.value), words)
