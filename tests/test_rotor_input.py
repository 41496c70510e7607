"""What wrong rotors get: an error that names the place, the value and what is allowed; exit code 2."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from messages import says

from flexmb import Disk, InputError, Material, Rotor
from flexmb.cli import main

SHAFT: dict[str, Any] = {
    "stations": [0.0, 0.2, 0.4, 0.6],
    "outer_diameter": 0.03,
    "material": {"young": 2.0e11, "density": 7800.0},
}
DISK = {"node": 1, "mass": 2.0, "inertia": 0.01, "polar_inertia": 0.02}
COUPLING = {"nodes": [1, 2], "lateral": 3e6, "angular": 2e3}

WRONG: list[tuple[dict[str, Any], str]] = [
    ({"stations": [0.0, 0.2, 0.1, 0.6]}, "bodies.r.stations ... increase ... entry 2 (0.1) ... 0.2"),
    ({"stations": [0.0]}, "bodies.r.stations = [0.0] ... least two stations"),
    ({"stations": None}, "bodies.r.stations ... missing ... stations ... outer_diameter ... sections"),
    ({"stations": ["0", "1"]}, "bodies.r.stations ... list ... finite numbers"),
    ({"outer_diameter": None}, "bodies.r.outer_diameter ... missing"),
    ({"outer_diameter": [0.1, 0.2]}, "bodies.r.outer_diameter ... number ... list ... 3 ... per element"),
    ({"outer_diameter": -0.1}, "bodies.r.outer_diameter = -0.1 ... negative"),
    ({"outer_diameter": 0.0}, "bodies.r.outer_diameter = 0.0 ... positive"),
    ({"inner_diameter": 0.03}, "bodies.r.inner_diameter = 0.03 ... smaller ... outer_diameter = 0.03"),
    ({"inner_diameter": [0, 0, 0.04]}, "inner_diameter = 0.04 ... smaller ... outer_diameter = 0.03 (element 2)"),
    ({"material": None}, "bodies.r.material ... missing"),
    ({"material": {"young": 1.0}}, "bodies.r.material = {'young': 1.0} ... density"),
    ({"theory": "euler"}, 'bodies.r.theory = \'euler\' ... "timoshenko", "euler-bernoulli"'),
    ({"rotary_inertia": 1}, "bodies.r.rotary_inertia = 1 ... true ... false"),
    ({"unknowns": "some"}, "bodies.r.unknowns = 'some' ... \"lateral\""),
    ({"unknowns": "all"}, "bodies.r.unknowns ... rotor ... axis ... support"),
    ({"shear_factor": 0.0}, "bodies.r.shear_factor = 0.0 ... positive"),
    ({"internal_damping": -1.0}, "bodies.r.internal_damping = -1.0 ... negative"),
    ({"orientation": [1.0, 0.0, 0.0]}, "bodies.r.orientation = [1.0, 0.0, 0.0] ... parallel ... direction"),
    ({"velocity": [1.0, 0.0, 0.0]}, "bodies.r.velocity = (1.0, 0.0, 0.0): velocity ... perpendicular ... rotor's"),
    ({"sections": [{"length": 1.0}]}, "bodies.r.stations = [0.0, 0.2, 0.4, 0.6] ... sections"),
    ({"disks": DISK}, "bodies.r.disks = {'node': 1"),
    ({"disks": [3]}, "bodies.r.disks[0] = 3 ... table ... Disk"),
    (
        {"disks": [DISK, DISK | {"node": 4}]},
        "bodies.r.disks[1].node = 4: body 'r' ... node",
    ),
    ({"disks": [DISK | {"node": "all"}]}, "bodies.r.disks[0].node = 'all' ... 4 nodes ... single"),
    ({"disks": [DISK | {"polar_inertia": 0.021}]}, "polar inertia ... exceed twice ... diametral"),
    ({"disks": [DISK | {"mass": -1.0}]}, "bodies.r.disks[0].mass = -1.0 ... negative"),
    ({"disks": [DISK | {"radus": 1.0}]}, "bodies.r.disks[0].radus = 1.0 ... key ... 'radius'"),
    ({"disks": [{"node": 1}]}, "bodies.r.disks[0] = {'node': 1} ... mass"),
    ({"bearings": [{"node": -1, "stiffness": 1.0}]}, "bodies.r.bearings[0].node = -1: body 'r' ... node"),
    ({"bearings": [{"node": 1, "stifness": 1.0}]}, "bodies.r.bearings[0].stifness = 1.0 ... key"),
    (
        {"bearings": [{"node": 1, "stiffness": np.eye(3).tolist()}]},
        "bodies.r.bearings[0].stiffness ... 3 x 3 ... number ... 2 x 2 matrix ... v",
    ),
    ({"bearings": [{"node": 1, "stiffness": [[1.0, 2.0], [3.0]]}]}, "stiffness ... matrix ... numbers"),
    ({"bearings": [{"node": 1, "stiffness": [1.0, 2.0]}]}, "stiffness ... list ... 2 numbers ... number ... 2"),
    ({"bearings": [{"node": 1, "damping": [[[[1.0]]]]}]}, "bodies.r.bearings[0].damping ... 4 lists deep"),
    (
        {"bearings": [{"node": 1, "kxx": 1e6}]},
        "bearings[0].kxx = 1000000.0 ... key ... stiffness = [[kxx, kxy], [kyx, kyy]], N/m ... number",
    ),
    ({"bearings": [{"node": 1, "Cxx": 1e2}]}, "key ... damping = [[cxx, cxy], [cyx, cyy]], N s/m"),
    ({"bearings": [{"node": 1, "frequency": [0, 1]}]}, "key ... speed ... rad/s ... per minute times"),
    ({"spin": {"kind": "constant", "rpm": 3000.0}}, "bodies.r.spin.rpm = 3000.0 ... key ... speed ... rad/s"),
    ({"spin": {"kind": "ramp", "rpm": 3000.0}}, "bodies.r.spin.rpm = 3000.0 ... key ... rad/s"),
    ({"disks": [{"node": 1, "m": 2.0}]}, "bodies.r.disks[0].m = 2.0 ... key ... mass, kg"),
    ({"disks": [DISK | {"Ip": 2.0}]}, "bodies.r.disks[0].Ip = 2.0 ... key ... polar_inertia, kg m^2"),
    (
        {"material": {"E": 2e11, "density": 1.0}},
        "r.material.E = 200000000000.0 ... key ... young, N/m^2",
    ),
    ({"bearings": [{"node": 1, "damping": "soft"}]}, "bodies.r.bearings[0].damping = 'soft' ... number"),
    ({"bearings": [{"node": 1, "stiffness": np.nan}]}, "bodies.r.bearings[0].stiffness = nan ... finite"),
    ({"bearings": [{"node": 1, "stiffness": [np.eye(2)] * 3}]}, "table ... speed ... speed ... missing"),
    ({"bearings": [{"node": 1, "speed": [0.0, 1.0], "stiffness": [1, 2, 3]}]}, "3 entries ... speed ... 2"),
    ({"bearings": [{"node": 1, "speed": [1.0, 0.0], "stiffness": 1.0}]}, "speed ... increase ... entry 1 (0)"),
    ({"bearings": [{"node": 1, "speed": [1.0], "stiffness": 1.0}]}, "speed = [1.0] ... least two speeds"),
    ({"bearings": [{"node": 1, "axial": 3.0}]}, "rotor ... axial unknowns ... unknowns"),
    ({"unbalances": [{"node": 9, "magnitude": 1.0}]}, "bodies.r.unbalances[0].node = 9: body 'r' ... node"),
    ({"unbalances": [{"node": 1, "magnitude": "x"}]}, "bodies.r.unbalances[0].magnitude = 'x' ... number"),
    ({"couplings": [COUPLING | {"nodes": [1, 3]}]}, "couplings[0].nodes = [1, 3] ... two neighboring nodes"),
    ({"couplings": [COUPLING | {"nodes": [3, 4]}]}, "bodies.r.couplings[0].nodes = 4: body 'r' ... node"),
    ({"couplings": [COUPLING | {"polar_inertia": 0.1}]}, "couplings[0].polar_inertia = 0.1 ... polar inertia"),
    ({"couplings": [COUPLING | {"lateral": 0.0}]}, "bodies.r.couplings[0].lateral = 0.0 ... positive"),
    (
        {"couplings": [COUPLING], "unknowns": "all", "supports": [{"node": 0, "fix": ["axial"]}]},
        "bodies.r.couplings[0].axial ... missing (unknowns",
    ),
    ({"couplings": [COUPLING, COUPLING]}, "bodies.r.couplings[1].nodes = [1, 2] ... coupling"),
    ({"spin": 3.0}, "bodies.r.spin = 3.0 ... { kind"),
    (
        {"spin": {"speed": 3.0}},
        "bodies.r.spin = {'speed': 3.0}: kind ... missing; allowed: constant, ramp, table, free",
    ),
    ({"spin": {"kind": "rmp"}}, "bodies.r.spin.kind = 'rmp'"),
    ({"spin": {"kind": "constant"}}, "bodies.r.spin = {'kind': 'constant'} ... speed"),
    ({"spin": {"kind": "constant", "sped": 1.0}}, "bodies.r.spin.sped = 1.0 ... key ... 'speed'"),
    ({"spin": {"kind": "ramp", "to": 1.0, "duration": 0.0}}, "bodies.r.spin.duration = 0.0 ... positive"),
    (
        {"spin": {"kind": "table", "time": [0.0], "speed": [1.0]}},
        "r.spin.time = [0.0] ... least two times",
    ),
    ({"spin": {"kind": "table", "time": [0, 1], "speed": [1]}}, "bodies.r.spin.speed ... 1 entries ... time ... 2"),
    ({"spin": {"kind": "free", "drag": -1.0}}, "bodies.r.spin.drag = -1.0 ... negative"),
    ({"spin": {"kind": "free", "torque": "x"}}, "bodies.r.spin.torque = 'x' ... number"),
    (
        {"spin": {"kind": "free", "characteristic": {"speed": [0, 1], "torque": [1]}}},
        "bodies.r.spin.characteristic.torque ... 1 entries ... speed ... 2",
    ),
    ({"unknowns": "all", "drive": 7, "supports": [{"node": 0, "fix": ["axial"]}]}, "bodies.r.drive = 7: body 'r'"),
]


@pytest.mark.parametrize(("keys", "words"), WRONG)
def test_wrong_keys(keys: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as caught:
        Rotor("r", **SHAFT | keys)
    assert says(str(caught.value), words)


@pytest.mark.parametrize(
    ("sections", "words"),
    [
        ([], "bodies.r.sections = [] ... list"),
        ([{"length": 1.0}], "bodies.r.sections[0] = {'length': 1.0}: needs outer_diameter"),
        ([{"length": 0.0, "outer_diameter": 0.1}], "bodies.r.sections[0].length = 0.0 ... positive"),
        ([{"length": 1.0, "outer_diameter": 0.1, "inner_diameter": 0.2}], "inner_diameter = 0.2 ... smaller"),
        (
            [{"length": 1.0, "outer_diameter": 0.1, "elements": 0}],
            "r.sections[0].elements = 0 ... least 1",
        ),
        ([{"length": 1.0, "outer_diameter": 0.1, "lenght": 1}], "sections[0].lenght = 1 ... key"),
    ],
)
def test_wrong_sections(sections: list[dict[str, Any]], words: str) -> None:
    with pytest.raises(InputError) as caught:
        Rotor("r", sections=sections, material=SHAFT["material"])
    assert says(str(caught.value), words)


TABLE = {"node": 1, "speed": [10.0, 100.0], "stiffness": [1e6, 2e6]}


@pytest.mark.parametrize(
    "spin", [{"kind": "constant", "speed": 5.0}, {"kind": "free", "speed": 5.0}, {"kind": "constant", "speed": 101.0}]
)
def test_tables_of_bearings_cover_a_speed_that_is_known(spin: dict[str, Any]) -> None:
    words = (
        rf"bodies\.r\.spin: rotates at {spin['speed']:g} rad/s, but the table of the bearing on node\(1\) covers 10 to"
    )
    with pytest.raises(InputError, match=words):
        Rotor("r", **SHAFT, bearings=[TABLE], spin=spin)
    Rotor("r", **SHAFT, bearings=[TABLE], spin={**spin, "speed": 100.0})


def test_tables_cover_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bearing = "{ node = 2, speed = [0.0, 50.0], stiffness = [1e6, 2e6] }"
    base = CASE.replace("{ node = 2, stiffness = 1e6 }", bearing)
    old = 'spin = { kind = "constant", speed = 10.0 }'
    file = tmp_path / "rotor.toml"
    for spin, words in (
        ('{ kind = "ramp", to = 100.0, duration = 0.02 }', ""),
        (
            '{ kind = "ramp", to = 101.0, duration = 0.02 }',
            "rotates at 0 to 50.5 rad/s, but the table of the bearing on",
        ),
        ('{ kind = "table", time = [0.0, 0.01], speed = [0.0, 9.0] }', ""),
        (
            '{ kind = "table", time = [0.0, 0.009], speed = [0.0, 9.0] }',
            "the table covers 0 to 0.009 s, but",
        ),
    ):
        assert old in base
        file.write_text(base.replace(old, f"spin = {spin}"))
        assert main(["validate", str(file)]) == (2 if words else 0)
        assert words in capsys.readouterr().err


def test_parts_may_be_objects_and_stand_twice_on_a_node() -> None:
    disk = Disk(**DISK)
    keys = SHAFT | {"material": Material(young=2.0e11, density=7800.0)}
    twice = Rotor("r", **keys, disks=[disk, DISK]).parts()
    assert twice.mass - Rotor("r", **keys).parts().mass == pytest.approx(4.0)


CASE = """
[bodies.r]
kind = "rotor"
stations = [0.0, 0.2, 0.4]
outer_diameter = 0.03
material = { young = 2.0e11, density = 7800.0 }
disks = [{ node = 1, mass = 1.0, inertia = 0.01, polar_inertia = 0.02 }]
bearings = [{ node = 0, stiffness = 1e6 }, { node = 2, stiffness = 1e6 }]
spin = { kind = "constant", speed = 10.0 }

[scheme]
name = "generalized-alpha"

[time]
end = 0.01
step = 1e-4
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("0.4]", "0.1]", "line 4: bodies.r.stations ... increase ... entry 2 (0.1) ... 0.2"),
        ("polar_inertia = 0.02", "polar_inertia = 0.03", "line 7: bodies.r.disks.0.polar_inertia = 0.03: the polar"),
        ("{ node = 2,", "{ node = 3,", "line 8: bodies.r.bearings.1.node = 3: body 'r' ... node"),
        ("speed = 10.0", "sped = 10.0", "line 9: bodies.r.spin.sped = 10.0 ... key ... 'speed'"),
        ("disks =", "disk =", "line 7: bodies.r.disk = "),
    ],
)
def test_case_files(old: str, new: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "rotor.toml"
    file.write_text(CASE)
    assert main(["validate", str(file)]) == 0
    capsys.readouterr()
    assert CASE.count(old) == 1
    file.write_text(CASE.replace(old, new))
    assert main(["validate", str(file)]) == 2
    assert says(capsys.readouterr().err, message)
