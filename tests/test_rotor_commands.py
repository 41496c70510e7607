"""``flexmb modes``, ``campbell``, ``unbalance`` and ``static`` of rotors: what they print and write."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from known_rotors import CRITICAL, nelson_mcvaugh
from messages import says

from flexmb.case.toml_writer import to_toml
from flexmb.cli import main
from flexmb.commands.rotor_options import table_lines
from flexmb.postproc.report.runs import open_runs

INLINE = frozenset({"material", "spin", "damping"})


def write_case(folder: Path, rotor: dict[str, Any], **tables: Any) -> str:
    case = {"title": "A rotor", "time": {"end": 0.1, "step": 1e-4}, "scheme": {"name": "newmark"}}
    path = folder / "rotor.toml"
    path.write_text(to_toml(case | tables | {"bodies": {"rotor": {"kind": "rotor", **rotor}}}, INLINE))
    return str(path)


def columns(path: Path) -> dict[str, list[str]]:
    with path.open() as file:
        rows = list(csv.reader(file))
    return {name: [row[k] for row in rows[1:]] for k, name in enumerate(rows[0])}


def numbers(words: list[str]) -> np.ndarray:
    return np.array([float(word) for word in words])


def shaft(**more: Any) -> dict[str, Any]:
    """A light shaft with a disk in the middle of two bearings."""
    return {
        "stations": [0.0, 0.25, 0.5, 0.75, 1.0],
        "outer_diameter": 0.02,
        "material": {"young": 2e11, "density": 7800.0, "poisson": 0.3},
        "disks": [{"node": 2, "mass": 5.0, "inertia": 0.01, "polar_inertia": 0.02, "eccentricity": 1e-5}],
        "bearings": [{"node": n, "stiffness": 1e7, "damping": 100.0} for n in (0, 4)],
        "spin": {"kind": "constant", "speed": 100.0},
    } | more


def test_critical_speeds_of_nelson_and_mcvaugh(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_case(tmp_path, nelson_mcvaugh("timoshenko", spin={"kind": "constant", "speed": 1000.0}))
    options = ["--speeds", "0:55000:6", "--rpm", "-n", "4", "--quiet", "-o", str(tmp_path / "out")]
    assert main(["campbell", path, *options]) == 0
    out = capsys.readouterr().out
    table = columns(tmp_path / "out" / "critical_speeds.csv")
    np.testing.assert_allclose(numbers(table["speed [rpm]"]), CRITICAL["timoshenko"][:4], rtol=5e-5)
    np.testing.assert_allclose(numbers(table["speed [rad/s]"]) * 30 / np.pi, numbers(table["speed [rpm]"]), rtol=1e-15)
    assert table["whirl"] == ["backward", "forward"] * 2
    assert all(f"{value:.6g}" in out for value in numbers(table["speed [rpm]"]))
    assert says(out, "stable ... speeds")
    assert "-o DIR" not in out  # all six speeds are printed
    lines = columns(tmp_path / "out" / "campbell.csv")
    assert len(lines["speed [rpm]"]) == 6
    assert float(lines["speed [rpm]"][-1]) == pytest.approx(55000.0)
    np.testing.assert_allclose(numbers(lines["mode 1 frequency [Hz]"])[0], 269.02, rtol=1e-4)
    for name in ("campbell.png", "campbell.svg"):
        assert (tmp_path / "out" / name).stat().st_size > 10_000


def test_modes_at_a_speed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_case(tmp_path, shaft())
    assert main(["modes", path, "--speed", "3000", "--rpm", "-n", "4", "-o", str(tmp_path / "out")]) == 0
    out = capsys.readouterr().out
    assert "at 314.159 rad/s (3000 rpm)" in out
    assert says(out, "stable ... modes grows")
    table = columns(tmp_path / "out" / "modes.csv")
    assert table["whirl"] == ["backward", "forward"] * 2
    assert (numbers(table["damping ratio"]) > 0.0).all()
    assert (tmp_path / "out" / "modes.vtu").is_file()
    assert (tmp_path / "out" / "modes.png").stat().st_size > 10_000
    assert main(["modes", path, "-n", "1"]) == 0
    assert "at 100 rad/s" in capsys.readouterr().out


def test_instability_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whirls = shaft(internal_damping=1e-3, spin={"kind": "constant", "speed": 400.0})
    path = write_case(tmp_path, whirls)
    assert main(["modes", path, "-n", "4"]) == 0
    out = capsys.readouterr().out
    assert says(out, "UNSTABLE: 1 mode ... grows")
    assert sum("UNSTABLE: grows by" in line and "forward" in line for line in out.splitlines()) == 1
    assert main(["validate", path]) == 0
    warned = capsys.readouterr().err
    assert says(warned, "warning ... linear system ... unstable ... 400 rad/s (3819.72 rpm) ... mode (forward")
    assert main(["validate", path, "--set", "bodies.rotor.internal_damping=0"]) == 0
    assert "warning" not in capsys.readouterr().err
    assert main(["campbell", path, "--speeds", "0:400:5", "-n", "2", "--quiet"]) == 0
    out = capsys.readouterr().out
    assert "unstable above" in out
    assert "forward" in out
    assert main(["campbell", path, "--speeds", "0:50:14", "-n", "2", "--quiet"]) == 0
    assert says(capsys.readouterr().out, "11 ... 14 speeds; -o DIR ... campbell.csv")


def test_whirl_is_told_with_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A ramp, and a motor that takes the rotor beyond the onset: before the run and after it, also in the report."""
    ramp = {"kind": "ramp", "from": 0.0, "to": 400.0, "duration": 0.1}
    path = write_case(tmp_path, shaft(internal_damping=1e-3, spin=ramp))
    assert main(["campbell", path, "--speeds", "0:400:5", "-n", "2", "--quiet"]) == 0
    onset = float(capsys.readouterr().out.split("unstable above ")[1].split()[0])
    assert main(["run", path, "-o", str(tmp_path / "ramp")]) == 0
    err = capsys.readouterr().err
    assert err.count("warning: the linear system") == 1
    speed, time = float(err.split("unstable from ")[1].split()[0]), float(err.split("passed at ")[1].split()[0])
    assert onset <= speed <= 1.01 * onset
    assert time == pytest.approx(0.1 * speed / 400.0, rel=1e-3)
    (note,) = json.loads((tmp_path / "ramp" / "summary.json").read_text())["notes"]
    assert f"warning: {note}" in err
    (run,) = open_runs([tmp_path / "ramp"], lambda k: "black")
    assert note in run.notes  # which stand on top of a report
    short = ["--set", f"bodies.rotor.spin.duration={0.11 * 400 / onset}"]  # ends before the onset is passed
    assert main(["validate", path, *short]) == 0
    assert "warning" not in capsys.readouterr().err
    # 400 rad/s would be reached if nothing resisted; the drag of the vibrating shaft is none here, so it is
    free = {"kind": "free", "speed": 0.9 * onset, "characteristic": {"speed": [0.0, 400.0], "torque": [1e3, 0.0]}}
    path = write_case(tmp_path, shaft(internal_damping=1e-3, spin=free), output={"signals": ["rotor.mid.displacement"]})
    assert main(["run", path, "-o", str(tmp_path / "free")]) == 0
    err = capsys.readouterr().err
    assert err.count("warning: the linear system") == 2
    assert says(err, "drive ... vibration")
    (note,) = json.loads((tmp_path / "free" / "summary.json").read_text())["notes"]
    assert "speeds of the run" in note
    assert onset <= float(note.split("unstable from ")[1].split()[0]) <= 1.01 * onset


def test_a_steady_start_of_an_unstable_rotor_is_noted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_case(tmp_path, shaft(internal_damping=1e-3), initial={"steady": True})
    words = "initial.steady starts it in an unstable motion"
    assert main(["validate", path]) == 0
    assert words not in capsys.readouterr().err
    assert main(["validate", path, "--set", "bodies.rotor.spin.speed=400"]) == 0
    assert words in capsys.readouterr().err


def test_few_steps_per_turn_are_noted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """At 400 rad/s a turn lasts 15.7 ms."""
    ramp = {"kind": "ramp", "from": 0.0, "to": -400.0, "duration": 0.1}
    path = write_case(tmp_path, shaft(spin=ramp))
    for steps, noted in ((127, True), (128, False)):
        assert main(["validate", path, "--set", f"time.step={0.1 / steps}"]) == 0
        err = capsys.readouterr().err
        assert (says(err, "steps per ... 'rotor' ... highest speed, 400 rad/s (3819.72 rpm)")) is noted, steps
    assert main(["run", path, "--set", "time.step=1e-3", "-o", str(tmp_path / "run"), "--quiet"]) == 0
    (note,) = json.loads((tmp_path / "run" / "summary.json").read_text())["notes"]
    assert note.startswith("only 15.7 steps per revolution")
    assert note.endswith("time.step = 0.000785 gives 20")


def test_ends_beside_their_node_are_noted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A pedestal below its node is a way to draw it; one beside it along the axis is a mistake."""
    pedestal = {"kind": "particle", "mass": 3.0, "position": [0.25, 0.0, -0.2], "axes": "yz"}
    bearing = {"kind": "bearing", "node": "rotor.node(1)", "to": "pedestal", "stiffness": 1e6}
    ring = {"kind": "clearance", "node": "rotor.node(2)", "gap": 1e-3}

    def noted(*changes: str) -> str:
        path = tmp_path / "rotor.toml"
        write_case(tmp_path, shaft(), loads={"pedestal": bearing}, contacts={"ring": ring})
        text = path.read_text() + to_toml({"bodies": {"pedestal": pedestal}}, INLINE)
        path.write_text(text)
        assert main(["validate", str(path), *(word for one in changes for word in ("--set", one))]) == 0
        return capsys.readouterr().err

    assert noted() == ""
    words = "note: loads.pedestal: 'pedestal' is 0.15 m away from 'rotor.node(1)' along the axis; a bearing acts as if"
    assert words in noted("bodies.pedestal.position=[0.4,0,0]")
    assert noted("contacts.ring.offset=[0,1e-4,0]") == ""
    words = "note: contacts.ring: the middle of the ring is 0.02 m away from 'rotor.node(2)' along the axis; only"
    assert words in noted("contacts.ring.offset=[0.02,0,0]")
    on_pedestal = ("contacts.ring.stator=pedestal", "bodies.pedestal.position=[0.25,0,0]")
    assert "is 0.25 m away from 'rotor.node(2)'" in noted(*on_pedestal)
    assert noted(*on_pedestal, "contacts.ring.offset=[0.25,0,0]") == ""


def test_static_and_unbalance(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_case(tmp_path, shaft(), gravity={"acceleration": [0.0, 0.0, -9.81]})
    assert main(["static", path, "-o", str(tmp_path / "out")]) == 0
    assert "largest bending moment of rotor" in capsys.readouterr().out
    table = columns(tmp_path / "out" / "reactions.csv")
    weight = (5.0 + 7800.0 * np.pi * 0.01**2) * 9.81
    np.testing.assert_allclose(numbers(table["z [N]"]), weight / 2, rtol=1e-9)
    moment = columns(tmp_path / "out" / "shaft_rotor.csv")
    assert numbers(moment["moment z [N m]"]).max() == pytest.approx(5 * 9.81 / 4 + (weight - 5 * 9.81) / 8, rel=1e-9)
    assert main(["unbalance", path, "--speeds", "10:200:40", "--quiet", "-o", str(tmp_path / "out")]) == 0
    assert "largest forces on bearings" in capsys.readouterr().out
    table = columns(tmp_path / "out" / "unbalance.csv")
    peak = float(numbers(table["speed [rad/s]"])[np.argmax(numbers(table["rotor.node(2) major [m]"]))])
    stiffness = 48 * 2e11 * np.pi * 0.02**4 / 64
    assert peak == pytest.approx(np.sqrt(stiffness / (5.0 + 0.49 * 7800 * np.pi * 0.01**2)), abs=5.0)
    assert main(["static", write_case(tmp_path, shaft())]) == 0
    assert "no load" in capsys.readouterr().err
    for name in ("static", "unbalance"):
        assert (tmp_path / "out" / f"{name}.png").stat().st_size > 10_000


def test_speeds_beyond_the_table_of_a_bearing_are_noted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bearings = [{"node": n, "stiffness": [1e7, 2e7], "damping": 100.0, "speed": [0.0, 120.0]} for n in (0, 4)]
    path = write_case(tmp_path, shaft(bearings=bearings), gravity={"acceleration": [0.0, 0.0, -9.81]})
    note = "note: the table of the bearing at rotor.node(4) covers 0 to 120 rad/s; outside it has its end values"
    for words, noted in (
        (("modes", path, "-n", "2"), False),
        (("modes", path, "-n", "2", "--speed", "121"), True),
        (("modes", path, "-n", "2", "--speed", "121", "--quiet"), False),
        (("static", path, "--speed", "-1"), True),
        (("campbell", path, "--speeds", "0:120:3", "-n", "2"), False),
        (("campbell", path, "--speeds", "0:150:3", "-n", "2"), True),
        (("unbalance", path, "--speeds", "10:150:3"), True),
    ):
        assert main(list(words)) == 0
        assert (note in capsys.readouterr().err) is noted, words


def test_wrong_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_case(tmp_path, shaft())
    wrong = {
        ("campbell", path, "--speeds", "10:5:3"): "FROM < TO",
        ("campbell", path, "--speeds", "10"): "FROM:TO:N",
        ("campbell", path, "--orders", "1,x"): "positive numbers",
        ("unbalance", path, "--speeds", "0:9:3", "--node", "rotor.node(77)"): "no such node",
        ("unbalance", path, "--speeds", "0:9:3", "--rotor", "roto"): "did you mean 'rotor'",
        ("modes", "impacting_bar", "--speed", "3"): "no rotor in this case",
        ("static", "impacting_bar"): "'rod' is not supported",
        ("modes", path, "-n", "0"): "between 1 and the number of unknowns, 20",
    }
    for words, message in wrong.items():
        assert main(list(words)) == 2, words
        assert message in capsys.readouterr().err


def test_tables_are_aligned() -> None:
    lines = table_lines(["node", "x [m]"], [["a", 1.0], ["bcd", 0.123456789]])
    assert lines == ["node     x [m]", "a            1", "bcd   0.123457"]
