"""Forces on bearings are known at every sample, in small and large motion, and equal those of the kept states."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb.case.toml_writer import to_toml
from flexmb.postproc import rotor_forces_plot
from flexmb.postproc.open_folder import Opened, open_folder
from flexmb.postproc.rotor_forces_plot import bearing_force, plot_rotor_forces
from flexmb.postproc.rotor_results import recorded

K4 = np.diag([1e6, 2e6, 5e3, 6e3]) + 1e4 * np.eye(4, k=1)
PLAIN = {"stiffness": [[1e6, 1e5], [-1e5, 2e6]], "damping": 300.0}
TURNS = {"stiffness": K4.tolist(), "damping": (1e-4 * K4).tolist()}
TABLE = {"stiffness": [1e6, 2e6], "damping": [300.0, 500.0], "speed": [0.0, 200.0]}
SPINS: dict[str, dict[str, Any]] = {
    "constant": {"kind": "constant", "speed": 120.0},
    "ramp": {"kind": "ramp", "from": 20.0, "to": 150.0, "duration": 0.04},
    "free": {"kind": "free", "speed": 100.0, "characteristic": {"speed": [0.0, 120.0], "torque": [0.1, 0.0]}},
}


def run(folder: Path, spin: str, law: dict[str, Any]) -> Opened:
    """Return a run of a rotor on two bearings and a seal from its static deflection, with two signals asked for."""
    rotor = {
        "kind": "rotor",
        "stations": np.linspace(0.0, 0.8, 5).tolist(),
        "outer_diameter": 0.03,
        "material": {"young": 2e11, "density": 7800.0},
        "spin": SPINS[spin],
        "unbalances": [{"node": 2, "magnitude": 1e-3}],
        "bearings": [{"node": "first", **law}, {"node": "node(4)", **PLAIN}],
    }
    pedestal = {"kind": "particle", "mass": 4.0, "position": [0.6, 0.0, 0.0], "axes": "yz"}
    feet = {
        f"foot_{k}": {"kind": "spring", "node": "pedestal", "direction": d, "stiffness": 3e6}
        for k, d in (("y", [0.0, 1.0, 0.0]), ("z", [0.0, 0.0, 1.0]))
    }
    case = {
        "time": {"end": 0.02, "step": 1e-4},
        "scheme": {"name": "generalized-alpha"},
        "gravity": {"acceleration": [0.0, -9.81, -3.0]},
        "initial": {"static": ["gravity"]},
        "bodies": {"rotor": rotor, "pedestal": pedestal},
        "loads": {"seal": {"kind": "bearing", "node": "rotor.node(3)", "to": "pedestal", **TABLE}, **feet},
        "output": {"fields_every": 20, "signals": ["rotor.mid.displacement", "rotor.first.displacement"]},
    }
    (folder / "case.toml").write_text(to_toml(case, frozenset({"material", "spin"})))
    fm.load_case(folder / "case.toml").run(folder / "run")
    return open_folder(folder / "run")


@pytest.mark.parametrize("law", [PLAIN, TURNS, TABLE], ids=["2x2", "4x4", "table"])
@pytest.mark.parametrize("spin", SPINS)
def test_forces_at_every_sample_are_those_of_the_states(
    spin: str, law: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = run(tmp_path, spin, law)
    bearings = opened.rotors.bearings()
    assert [bearing.label for bearing in bearings] == ["rotor.node(0)", "rotor.node(4)", "loads.seal"]
    found = [bearing_force(opened, bearing) for bearing in bearings]
    for time, _ in found:
        assert time.size == 201
    assert [node.name for node in recorded(opened)] == ["rotor.first", "rotor.mid"]  # orbits are of what was asked for
    monkeypatch.setattr(rotor_forces_plot, "_under", lambda *_: None)  # a folder without these signals
    for bearing, (_, force) in zip(bearings, found, strict=True):
        time, kept = bearing_force(opened, bearing)
        assert time.size == 11
        np.testing.assert_allclose(force[::20], kept, rtol=0, atol=1e-9 * np.abs(kept).max())
        assert np.abs(kept).max() > 1.0


def test_small_forces_have_a_prefix(tmp_path: Path) -> None:
    opened = run(tmp_path, "constant", {"stiffness": 1e6})
    opened.case["bodies"]["rotor"]["bearings"] = [{"node": "first", "stiffness": 1.0}]
    opened.case["loads"] = {}
    axes = plot_rotor_forces(Opened(opened.result, opened.case, ())).axes[0]
    assert axes.get_ylabel() == "force [µN]"


def test_motion_counts_from_rest_where_signals_count_from_a_deformed_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = run(tmp_path, "ramp", TURNS)
    layout, bearing = opened.result.layout, opened.rotors.bearings()[0]
    assert layout.carriers is not None
    before = bearing_force(opened, bearing)[1]
    q0 = 1e-3 * np.random.default_rng(2).normal(size=layout.carriers.q0.size)
    moved = replace(layout, carriers=replace(layout.carriers, q0=q0))
    monkeypatch.setattr(type(opened.result), "layout", property(lambda _: moved))
    start = np.asarray(layout.carriers.Dq[:6] @ q0)
    x = np.concatenate([start[:3] @ bearing.axes, start[3:] @ bearing.axes])
    np.testing.assert_allclose(bearing_force(opened, bearing)[1] - before, np.tile(K4[:2] @ x, (201, 1)), rtol=1e-6)
