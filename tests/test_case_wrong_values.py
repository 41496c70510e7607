"""Every key of every table with values it was not made for: a plain error or a valid case, never an internal error."""

from __future__ import annotations

import copy
import inspect
from pathlib import Path
from typing import Any

import pytest

from flexmb.case.case import INLINE, load_case
from flexmb.case.schema import CaseTables
from flexmb.case.toml_writer import to_toml
from flexmb.cli import main
from flexmb.errors import InputError
from flexmb.fem.material import Material
from flexmb.fem.section import Section
from flexmb.parts.bodies import KINDS as BODIES
from flexmb.parts.bodies import Damping, Support
from flexmb.parts.bodies.beam_properties import BeamInertia, BeamStiffness
from flexmb.parts.bodies.floating_data import DataPoint
from flexmb.parts.bodies.matrices import MatrixPoint
from flexmb.parts.bodies.shapes import SHAPES as SOLIDS
from flexmb.parts.contacts import KINDS as CONTACTS
from flexmb.parts.joints import KINDS as JOINTS
from flexmb.parts.loads import KINDS as LOADS
from flexmb.parts.time_functions import KINDS as FUNCTIONS
from flexmb.schemes import SCHEMES

HERE = "@here@"
"""Stands in the tree where the wrong value is written."""
VALUES = (
    *(
        "1",
        "0",
        "-1",
        "-2.5",
        "0.0",
        "nan",
        "inf",
        "-inf",
        "1e300",
        "1e-320",
        "4000000000000000000",
        "9" * 400,
        "true",
        "1979-05-27",
    ),
    *('""', '"x"', '"rod.all"', '"a\\u0000b"', f'"{"x" * 300}"', "{}", "{ x = 1 }", '{ kind = "x" }', "{ name = [] }"),
    *("[]", "[1.0]", "[1.0, nan, 0.0]", "[0.0, 0.0, 0.0]", "[1e200, -1e200, 1e200]", '["x"]', "[true, false, true]"),
    *("[[1.0, 2.0], [3.0]]", "[[1, 2, 3], [4, 5, 6]]", "[{}]", '[{ node = "first", fix = 3 }]', '[["first", 3]]'),
)

BASE: dict[str, Any] = {
    "title": "t",
    "time": {"end": 0.2, "step": 0.01},
    "scheme": {"name": "moreau-jean"},
    "bodies": {
        "rod": {"kind": "bar", "length": 2.0, "elements": 2, "area": 1.0, "young": 9.0, "density": 1.0},
        "ball": {"kind": "particle", "mass": 1.0, "position": [5.0, 0.0, 0.0]},
    },
}
BAR = BASE["bodies"]["rod"]
MATERIAL = {"young": 9.0, "density": 1.0}
BEAM = {"kind": "beam", "length": 2.0, "elements": 2, "section": {"area": 1.0, "inertia": 1.0}, "material": MATERIAL}
SPATIAL = BEAM | {"bending": "spatial", "section": {"shape": "circle", "radius": 0.1}}
SHAPES = (
    {"area": 1.0, "inertia": 1.0, "torsion": 1.0},
    {"shape": "circle", "radius": 1.0},
    {"shape": "ring", "outer": 1.0, "inner": 0.5},
    {"shape": "rectangle", "width": 1.0, "height": 0.5},
)
MOTIONS: dict[str, dict[str, Any]] = {
    "constant": {"value": -1.0},
    "ramp": {"end_time": 0.1, "end_value": -1.0},
    "harmonic": {"frequency": 2.0, "offset": -2.0},
    "table": {"time": [0.0, 1.0], "value": [0.0, -1.0]},
    "spin-up": {"rate": -1.0, "duration": 0.1},
    "polynomial": {"coefficients": [-1.0, -1.0]},
}
SPATIAL_KEYS = {"length": 2.0, "elements": 2, "section": {"shape": "circle", "radius": 0.1}, "material": MATERIAL}
DATA = {
    **{"mass": 1.0, "inertia": 1.0, "center": 0.0, "mass_modes": [[0.1]], "stiffness_modes": [[9.0]]},
    "points": {"tip": {"at": [0.5, 0.0], "shape_x": [1.0]}},
}
MATRICES = {"mass_matrix": [[2.0]], "points": {"tip": {"at": [0.5, 0.0, 0.0], "x": [1.0]}}}
ROTOR: dict[str, Any] = {
    **{"stations": [0.0, 1.0, 2.0], "outer_diameter": 0.1, "direction": [0.0, 1.0, 0.0], "material": MATERIAL},
    "bearings": [{"node": 0, "stiffness": 9.0}, {"node": 2, "stiffness": 9.0}],
}
RIGID = {"mass": 1.0, "inertia": [1.0, 1.0, 1.0]}
BETWEEN = {"a": "box", "b": "wheel", "point": [0.5, 3.0, 0.0]}
Z = {"axis": [0.0, 0.0, 1.0]}
LARGE: dict[str, Any] = {
    "bodies": {
        "box": {"kind": "rigid", "position": [0.0, 3.0, 0.0]} | RIGID,
        "wheel": {"kind": "rigid", "position": [1.0, 3.0, 0.0]} | RIGID,
    },
    "joints": {
        "pin": {"kind": "revolute", "a": "box"} | Z,
        "turn": {"kind": "revolute", "a": "wheel"} | Z,
    },
}
"""What the trials of large motion have besides."""
PARTS: dict[str, dict[str, dict[str, Any]]] = {
    "bodies": {
        "bar": BAR,
        "beam": SPATIAL,
        "particle": BASE["bodies"]["ball"],
        "matrices": MATRICES,
        "rigid": RIGID,
        "rigid-planar": {"mass": 1.0, "inertia": 1.0},
        "exact-beam": SPATIAL_KEYS,
        "floating-beam": SPATIAL_KEYS,
        "floating-data": DATA,
        "rotor": ROTOR,
    },
    "joints": {
        "fixed": BETWEEN,
        "revolute": BETWEEN | Z,
        "prismatic": BETWEEN | Z,
        "cylindrical": BETWEEN | Z,
        "universal": BETWEEN | Z | {"axis2": [1.0, 0.0, 0.0]},
        "spherical": BETWEEN,
        "planar": BETWEEN | Z,
        "point-on-line": BETWEEN | Z,
        "distance": {"a": "box", "b": "wheel"},
        "gear": {"joint1": "pin", "joint2": "turn", "ratio": 2.0},
    },
    "loads": {
        "force": {"node": "rod.last", "force": [1.0, 0.0, 0.0]},
        "spring": {"node": "rod.last", "node2": "ball", "stiffness": 1.0},
        "damper": {"node": "rod.last", "node2": "ball", "coefficient": 1.0},
        "spring-damper": {"a": "box", "b": "wheel", "stiffness": 1.0},
        "bearing": {"node": "rod.last", "stiffness": 1.0, "direction": [0.0, 1.0, 0.0]},
        "torsion-spring": {"a": "box", "b": "wheel", "axis": [0.0, 0.0, 1.0], "stiffness": 1.0},
    },
    "contacts": {
        "node-plane": {"nodes": "rod.all", "point": [-9.0, 0.0, 0.0], "normal": [1.0, 0.0, 0.0]},
        "node-node": {"node": "ball", "node2": "rod.last"},
        "sphere-sphere": {"a": "box", "b": "wheel", "radius": 0.1},
        "spheres": {"bodies": ["box", "wheel"], "radius": 0.1},
        "clearance": {"node": "rod.mid", "gap": 0.1},
        "node-curve": {"node": "ball", "pieces": [{"kind": "segment", "start": [-9.0, -9.0], "end": [9.0, -9.0]}]},
        "rope": {"a": "ball", "b": "rod.last", "length": 90.0},
    },
}
KINDS: dict[str, Any] = {"bodies": BODIES, "joints": JOINTS, "loads": LOADS, "contacts": CONTACTS}
EXPECT = {"signal": "ball.position.x", "reduce": "last", "value": 1.0, "atol": 9.0}


def keys(cls: Any) -> list[str]:
    return [*(name for name in inspect.signature(cls).parameters if name != "name"), "kind"]


def placed(path: tuple[str | int, ...], table: Any, large: bool = False) -> dict[str, Any]:
    """Return the base case with ``table`` at ``path``; ``large``: and with parts of large motion besides."""
    data = copy.deepcopy(BASE)
    if large:
        data |= copy.deepcopy(LARGE) | {"bodies": data["bodies"] | copy.deepcopy(LARGE["bodies"])}
        data["scheme"]["name"] = "newmark"
        if path[0] == "joints":  # others would hold the same motions
            data["joints"] = data["joints"] if table["kind"] == "gear" else {}
    node: Any = data
    for part in path[:-1]:
        node = node.setdefault(part, {})
    node[path[-1]] = copy.deepcopy(table)
    return data


def trials() -> dict[str, dict[str, Any]]:
    """Return the trees with one key to be filled, by the key's dotted name."""
    out: dict[str, dict[str, Any]] = {}

    def add(name: str, path: tuple[str | int, ...], table: dict[str, Any], key: str) -> None:
        out[f"{name}.{key}"] = placed(path, table | {key: HERE})

    for key in [*CaseTables.model_fields, "scheme", *KINDS]:
        out[key] = placed((key,), HERE)
    out["expect[0]"] = placed(("expect",), [HERE])
    for name, field in CaseTables.model_fields.items():
        if name not in ("title", "description", "expect"):
            for key in next(iter(getattr(field.annotation, "__args__", (field.annotation,)))).model_fields:
                # a run needs an end, however its other times are spoilt
                add(name, (name,), {"end": 0.2} if name == "time" else {}, key)
    for key in CaseTables.model_fields["expect"].annotation.__args__[0].model_fields:
        out[f"expect.{key}"] = placed(("expect",), [EXPECT | {key: HERE}])
        out[f"expect.summary.{key}"] = placed(("expect",), [{"signal": "summary.h", "at_least": 0.0} | {key: HERE}])
    for scheme, cls in SCHEMES.items():
        for key in keys(cls)[:-1]:
            add(f"scheme.{scheme}", ("scheme",), {"name": scheme}, key)
    out["scheme.name"] = placed(("scheme", "name"), HERE)
    for role, kinds in KINDS.items():
        for kind, cls in kinds.items():
            out[f"{role}.{kind}"] = placed((role, "part"), HERE)
            for key in keys(cls):
                path = (role, "rod" if role == "bodies" else "part")
                part = {"kind": kind} | PARTS[role][kind] | {key: HERE}
                tree = placed(path, part, role == "joints" or "box" in part.values())
                if kind in ("bearing", "clearance"):
                    tree["bodies"]["rod"] = {"kind": "rotor"} | copy.deepcopy(ROTOR)
                out[f"{role}.{kind}.{key}"] = tree
    for k, shape in enumerate(SHAPES):
        for key in shape if k else keys(Section)[:-1]:
            out[f"section{k}.{key}"] = placed(("bodies", "rod"), SPATIAL | {"section": shape | {key: HERE}})
    for key in keys(Material)[:-1]:
        out[f"material.{key}"] = placed(("bodies", "rod"), SPATIAL | {"material": MATERIAL | {key: HERE}})
    for key in keys(Damping)[:-1]:
        out[f"damping.{key}"] = placed(("bodies", "rod"), BEAM | {"damping": {key: HERE}})
    for key in keys(Support)[:-1]:
        for name, how in (("kind", {"kind": "pinned"}), ("fix", {"fix": ["x"]})):
            support = {"node": "first"} | how | {key: HERE}
            out[f"supports.{name}.{key}"] = placed(("bodies", "rod"), BEAM | {"supports": [support]})
    out["points.tip"] = placed(("bodies", "rod"), BAR | {"points": {"tip": HERE}})
    for kind, cls in FUNCTIONS.items():
        for key in keys(cls):
            function = {"kind": kind} | MOTIONS[kind] | {key: HERE}
            plane = {"kind": "node-plane"} | PARTS["contacts"]["node-plane"] | {"motion": function}
            out[f"motion.{kind}.{key}"] = placed(("contacts", "part"), plane)
    out |= trials_of_large_motion()
    static = placed(("initial",), {"static": HERE})
    out["initial.static.held"] = static | {"loads": {"rod": {"kind": "force"} | PARTS["loads"]["force"]}}
    return out


def trials_of_large_motion() -> dict[str, dict[str, Any]]:
    """Return the trees with a key of small tables of large motion."""
    out: dict[str, dict[str, Any]] = {}

    def rod(kind: str, table: dict[str, Any]) -> dict[str, Any]:
        return placed(("bodies", "rod"), {"kind": kind} | PARTS["bodies"][kind] | table)

    solids: dict[str, dict[str, Any]] = {
        "box": {"size": [1.0, 1.0, 1.0]},
        "cylinder": {"radius": 1.0, "length": 1.0},
        "sphere": {"radius": 1.0},
    }
    for kind, cls in SOLIDS.items():
        for key in keys(cls):
            solid = {"kind": kind} | solids[kind] | {key: HERE}
            out[f"shape.{kind}.{key}"] = placed(("bodies", "rod"), {"kind": "rigid", "density": 1.0, "shape": [solid]})
    numbers: dict[str, dict[str, float]] = {
        "stiffness": {"EA": 9.0, "GA": 9.0, "GJ": 9.0, "EI": 9.0},
        "inertia": {"mass_per_length": 1.0, "rotary": 1.0},
    }
    beam = {"kind": "exact-beam", "length": 2.0, "elements": 2} | numbers
    for name, cls in (("stiffness", BeamStiffness), ("inertia", BeamInertia)):
        for key in keys(cls)[:-1]:
            table = {k: v for k, v in numbers[name].items() if not key.startswith(k) or k == key}
            out[f"{name}.{key}"] = placed(("bodies", "rod"), beam | {name: table | {key: HERE}})
    for key in keys(DataPoint)[:-1]:
        out[f"points.data.{key}"] = rod("floating-data", {"points": {"tip": {"at": [1.0, 0.0]} | {key: HERE}}})
    for key in keys(MatrixPoint)[:-1]:
        out[f"points.matrices.{key}"] = rod("matrices", {"points": {"tip": {"at": [1.0, 0.0, 0.0]} | {key: HERE}}})
    out["points.rigid"] = rod("rigid", {"points": {"tip": HERE}})
    out["points.rigid-planar"] = rod("rigid-planar", {"points": {"tip": HERE}})
    out["initial.project.large"] = placed(("initial",), {"project": HERE}, large=True)
    out["time.tolerance.large"] = placed(("time",), {"end": 0.2, "tolerance": HERE}, large=True)
    interval = placed(("output",), {"interval": HERE}, large=True)
    out["output.interval.large"] = interval | {"time": {"end": 0.2, "tolerance": 1e-6}}
    out["output.signals.large"] = placed(("output",), {"signals": [HERE]}, large=True)
    out["expect.signal.large"] = placed(("expect",), [EXPECT | {"signal": HERE}], large=True)
    return out


TRIALS = trials()


def text_of(key: str) -> str:
    text = to_toml(TRIALS[key], INLINE)
    assert text.count(f'"{HERE}"') == 1
    return text


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("key", TRIALS)
def test_a_wrong_value_is_an_error_of_the_user(key: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [tmp_path / f"case{k}.toml" for k in range(len(VALUES))]
    for path, value in zip(paths, VALUES, strict=True):
        path.write_text(text_of(key).replace(f'"{HERE}"', value))
    code = main(["validate", *map(str, paths)])
    captured = capsys.readouterr()
    said = captured.out + captured.err
    # an internal error ends the command, at the first case it says nothing about
    left = [value for path, value in zip(paths, VALUES, strict=True) if str(path) not in said]
    assert code == 2, f"{key} = {left[:1] or 'all accepted'}: {captured.err.splitlines()[-1:]}"
    assert not left, f"{key} = {left}"
    assert "Traceback" not in captured.err
    assert max(map(len, captured.err.splitlines())) < 1500


def test_the_trials_themselves_are_not_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With a good value in its place, a trial is a valid case; so its errors are those of the value."""
    good = {
        "time.step": "0.01",
        "motion.ramp.end_time": "0.1",
        "motion.table.value": "[0.0, 1.0]",
        "supports.fix.fix": '["y"]',
        "section2.inner": "0.4",
        "points.tip": "2.0",
        "bodies.beam.mass": '"lumped"',
        "contacts.node-plane.nodes": '["rod.first", "ball"]',
        "loads.spring.length": "1.0",
        "expect.summary.at_least": "1.0",
        "solver.name": '"lemke"',
        "bodies.rigid.inertia": "[1.0, 2.0, 2.5]",
        "bodies.rigid-planar.angle": "1.0",
        "bodies.exact-beam.mass": '"lumped"',
        "bodies.floating-beam.modes": "2",
        "bodies.floating-data.angle": "1.0",
        **{f"joints.{kind}.b": '"wheel"' for kind in JOINTS if kind != "gear"},
        "joints.revolute.drive": "{ kind = 'spin-up', rate = 1.0, duration = 0.1 }",
        "joints.gear.ratio": "-1.0",
        "loads.spring-damper.preload": "1.0",
        "loads.torsion-spring.rest": "1.0",
        "contacts.sphere-sphere.radius": "0.5",
        "bodies.rotor.theory": '"euler-bernoulli"',
        "bodies.rotor.spin": '{ kind = "constant", speed = 3.0 }',
        "loads.bearing.damping": "2.0",
        "contacts.clearance.gap": "0.2",
        "contacts.node-plane.radius": "0.5",
        "contacts.node-curve.radius": "0.5",
        "contacts.rope.length": "80.0",
        "motion.spin-up.rate": "-2.0",
        "motion.polynomial.coefficients": "[-1.0, 2.0]",
        "shape.cylinder.axis": '"z"',
        "stiffness.EI": "1.0",
        "inertia.rotary": "1.0",
        "points.data.shape_y": "[1.0]",
        "bodies.matrices.stiffness_matrix": "[[3.0]]",
        "points.matrices.rotation_z": "[1.0]",
        "initial.project.large": "true",
        "time.tolerance.large": "1e-5",
        "output.interval.large": "0.02",
        "output.signals.large": '"joints.pin.angle"',
        "expect.signal.large": '"joints.pin.force.2"',
    }
    for key, value in good.items():
        (tmp_path / "case.toml").write_text(text_of(key).replace(f'"{HERE}"', value))
        assert main(["validate", str(tmp_path / "case.toml")]) == 0, capsys.readouterr().err


def test_an_option_of_another_scheme_is_named_as_such(tmp_path: Path) -> None:
    """Changing the name of the scheme alone leaves options of the former one in the file."""
    text = (
        (Path(__file__).parents[1] / "cases/block_on_incline.toml")
        .read_text()
        .replace('"generalized-alpha"', '"phem56"')
    )
    (tmp_path / "block.toml").write_text(text)
    with pytest.raises(InputError) as caught:
        load_case(tmp_path / "block.toml")
    for word in ("scheme.rho_inf", "scheme.ggl", "generalized-alpha", "phem56"):
        assert word in str(caught.value)
