"""Every key of every table with values it was not made for: a plain error or a valid case, never an internal error."""

from __future__ import annotations

import copy
import dataclasses
import inspect
from pathlib import Path
from typing import Any

import pytest

from flexmb.bodies import KINDS as BODIES
from flexmb.bodies import Damping, Support
from flexmb.case.schema import CaseTables
from flexmb.case.toml_writer import to_toml
from flexmb.cli import main
from flexmb.contacts import KINDS as CONTACTS
from flexmb.fem.material import Material
from flexmb.fem.section import Section
from flexmb.loads import KINDS as LOADS
from flexmb.loads.time_functions import KINDS as FUNCTIONS
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
}
PARTS: dict[str, dict[str, dict[str, Any]]] = {
    "bodies": {"bar": BAR, "beam": SPATIAL, "particle": BASE["bodies"]["ball"]},
    "loads": {
        "force": {"node": "rod.last", "force": [1.0, 0.0, 0.0]},
        "spring": {"node": "rod.last", "node2": "ball", "stiffness": 1.0},
        "damper": {"node": "rod.last", "node2": "ball", "coefficient": 1.0},
    },
    "contacts": {
        "node-plane": {"nodes": "rod.all", "point": [-9.0, 0.0, 0.0], "normal": [1.0, 0.0, 0.0]},
        "node-node": {"node": "ball", "node2": "rod.last"},
    },
}
KINDS: dict[str, Any] = {"bodies": BODIES, "loads": LOADS, "contacts": CONTACTS}
EXPECT = {"signal": "ball.position.x", "reduce": "last", "value": 1.0, "atol": 9.0}


def keys(cls: Any) -> list[str]:
    if dataclasses.is_dataclass(cls):
        return [*(f.name for f in dataclasses.fields(cls) if f.init and f.name != "name"), "kind"]
    return [*inspect.signature(cls).parameters, "kind"]


def placed(path: tuple[str | int, ...], table: Any) -> dict[str, Any]:
    """Return the base case with ``table`` at ``path``."""
    data = copy.deepcopy(BASE)
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
                add(f"{role}.{kind}", path, {"kind": kind} | PARTS[role][kind], key)
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
    static = placed(("initial",), {"static": HERE})
    out["initial.static.held"] = static | {"loads": {"rod": {"kind": "force"} | PARTS["loads"]["force"]}}
    return out


TRIALS = trials()


def text_of(key: str) -> str:
    text = to_toml(TRIALS[key], frozenset({"section", "material", "damping", "motion", "supports"}))
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
    }
    for key, value in good.items():
        (tmp_path / "case.toml").write_text(text_of(key).replace(f'"{HERE}"', value))
        assert main(["validate", str(tmp_path / "case.toml")]) == 0, capsys.readouterr().err
