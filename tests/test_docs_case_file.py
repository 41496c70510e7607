"""docs/case_file.md is true and complete: its cases run; its keys, defaults, ranges and errors are the program's."""

from __future__ import annotations

import dataclasses
import inspect
import re
import shlex
import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmb
from flexmb.case import Case, load_case
from flexmb.case.expectations import CONTACT_WORDS, ENERGY_WORDS, JOINT_WORDS
from flexmb.case.read import TABLES, check_values
from flexmb.case.schema import CaseTables
from flexmb.cli import main
from flexmb.errors import InputError
from flexmb.fem.material import Material
from flexmb.fem.section import Section
from flexmb.nonsmooth.solvers import METHODS
from flexmb.parts.bodies import KINDS as BODIES
from flexmb.parts.bodies import Bar, Beam, Damping, Particle, Support
from flexmb.parts.bodies.beam_properties import BeamInertia, BeamStiffness
from flexmb.parts.bodies.body import BODY_QUANTITIES, QUANTITIES, RESERVED_BODIES
from flexmb.parts.bodies.floating_data import DataPoint
from flexmb.parts.bodies.line import LineBody
from flexmb.parts.bodies.matrices import MatrixPoint
from flexmb.parts.bodies.rotor_bearings import RotorBearing
from flexmb.parts.bodies.rotor_couplings import Coupling
from flexmb.parts.bodies.rotor_disks import Disk, Unbalance
from flexmb.parts.bodies.rotor_shape import ShaftSection
from flexmb.parts.bodies.rotor_spin import SPINS
from flexmb.parts.bodies.shapes import SHAPES
from flexmb.parts.contacts import KINDS as CONTACTS
from flexmb.parts.contacts.law_keys import LawKeys
from flexmb.parts.joints import KINDS as JOINTS
from flexmb.parts.joints import Joint
from flexmb.parts.loads import KINDS as LOADS
from flexmb.parts.time_functions import KINDS as FUNCTIONS
from flexmb.record.series import FRICTION_WORDS
from flexmb.record.summary import SUMMARY_NUMBERS
from flexmb.schemes import SCHEMES
from flexmb.system.probes.body_momenta import BODY_QUANTITIES as LARGE_BODY_QUANTITIES
from flexmb.system.probes.probe import ANGLES, SIZES, SPIN_QUANTITIES

PAGE = (Path(__file__).parent.parent / "docs" / "case_file.md").read_text()
BLOCKS = re.findall(r"```toml\n(.*?)```", PAGE, re.S)
WHOLE = [block for block in BLOCKS if "time" in tomllib.loads(block)]
FRAGMENTS = [block for block in BLOCKS if block not in WHOLE]
BALL = WHOLE[0]
ERRORS = re.findall(r"`([^`\n]+)` -> `([^`\n]+)`\n\n```\n(.*?)```", PAGE, re.S)
NEEDED = inspect.Parameter.empty


def section(heading: str) -> str:
    """Return the text under a heading, up to the next one of any level."""
    found = re.findall(rf"^##+ {re.escape(heading)}\n(.*?)(?=^##? |^###+ |\Z)", PAGE, re.S | re.M)
    assert len(found) == 1, heading
    return str(found[0])


def rows(heading: str, column: str = "key") -> list[dict[str, str]]:
    """Return the rows of the table below a heading that has this column, as {column: cell}."""
    out: list[dict[str, str]] = []
    for table in re.findall(r"(?:^\|.*\n)+", section(heading), re.M):
        lines = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in table.splitlines()]
        if column in lines[0]:
            assert {len(line) for line in lines} == {len(lines[0])}, table
            out += [dict(zip(lines[0], line, strict=True)) for line in lines[2:]]
    return out


def ticked(text: str) -> list[str]:
    """Return what stands in backticks."""
    return re.findall(r"`([^`]+)`", text)


def keys_of(table: list[dict[str, str]]) -> dict[str, str]:
    """Return {key: default cell}."""
    out = {ticked(row["key"])[0]: row["default"] for row in table}
    assert len(out) == len(table)
    return out


def arguments(cls: Any) -> dict[str, Any]:
    """Return {argument: default} of a part, without its name."""
    given = {name: p.default for name, p in inspect.signature(cls).parameters.items() if name != "name"}
    for field in dataclasses.fields(cls) if dataclasses.is_dataclass(cls) else ():
        if field.default_factory is not dataclasses.MISSING and field.name in given:
            given[field.name] = field.default_factory()
    return given


def written(default: Any) -> Any:
    """Return a default as a case file would hold it, ``"-"`` for none."""
    if default is None:
        return "-"
    if isinstance(default, tuple):
        return list(default)
    return default.level if isinstance(default, flexmb.Constant) else default


def model_keys(model: Any) -> dict[str, Any]:
    """Return {key: default} of a fixed table; tables within it are left out."""
    fields = model.model_fields
    return {name: NEEDED if field.is_required() else field.default for name, field in fields.items()}


def without_laws(cls: type) -> dict[str, Any]:
    """Return the keys of a kind of contact but those that all have."""
    return {key: default for key, default in arguments(cls).items() if key not in LAWS}


LINE = arguments(LineBody)
LAWS = arguments(LawKeys)
FIXED = {
    name: field.annotation for name, field in CaseTables.model_fields.items() if name not in ("title", "description")
}
TABLE_CLASS = {name: next(iter(getattr(a, "__args__", (a,)))) for name, a in FIXED.items()}
SECTIONS: dict[str, dict[str, Any]] = {
    "Top level": {name: CaseTables.model_fields[name].default for name in ("title", "description")},
    **{name.capitalize(): model_keys(cls) for name, cls in TABLE_CLASS.items()},
    "Bar and beam": LINE,
    "Bar only": {key: d for key, d in arguments(Bar).items() if key not in LINE},
    "Beam only": {key: d for key, d in arguments(Beam).items() if key not in LINE},
    "Section": arguments(Section),
    "Material": arguments(Material),
    "Damping": arguments(Damping),
    "Supports": arguments(Support),
    "Particle": arguments(Particle),
    "Force": arguments(LOADS["force"]),
    "Spring": arguments(LOADS["spring"]),
    "Damper": arguments(LOADS["damper"]),
    "Bearing": arguments(LOADS["bearing"]),
    "Laws of contact": LAWS,
    "Node against plane": without_laws(CONTACTS["node-plane"]),
    "Node against node": without_laws(CONTACTS["node-node"]),
    "Sphere against sphere": without_laws(CONTACTS["sphere-sphere"]),
    "Spheres, all against all": without_laws(CONTACTS["spheres"]),
    "Circular clearance": without_laws(CONTACTS["clearance"]),
    "Node against curve": without_laws(CONTACTS["node-curve"]),
    "Rope": without_laws(CONTACTS["rope"]),
    "Rotor": arguments(BODIES["rotor"]),
    "Section of a rotor": arguments(ShaftSection),
    "Disk": arguments(Disk),
    "Unbalance": arguments(Unbalance),
    "Bearing of a rotor": arguments(RotorBearing),
    "Coupling": arguments(Coupling),
    "Rigid body": arguments(BODIES["rigid"]),
    "Rigid body in the plane": arguments(BODIES["rigid-planar"]),
    "Exact beam": arguments(BODIES["exact-beam"]),
    "Floating beam": arguments(BODIES["floating-beam"]),
    "Floating body by numbers": arguments(BODIES["floating-data"]),
    "Point of a floating body": arguments(DataPoint),
    "Body given by its matrices": arguments(BODIES["matrices"]),
    "Point of a body given by its matrices": arguments(MatrixPoint),
    "Joints": arguments(Joint),
    "Spring and damper between points": arguments(LOADS["spring-damper"]),
    "Torsion spring": arguments(LOADS["torsion-spring"]),
}
"""Headings of the page and the keys with defaults that the tables below them must hold, no more and no fewer."""


def assert_same(table: dict[str, str], truth: dict[str, Any], what: str) -> None:
    assert sorted(table) == sorted(truth), what
    for key, default in truth.items():
        cell, value = table[key], written(default)
        if default is NEEDED:
            assert cell == "required", (what, key)
        elif value == "-":
            assert cell == "-", (what, key)
        else:
            assert tomllib.loads(f"v = {cell.strip('`')}")["v"] == value, (what, key)


@pytest.mark.parametrize("heading", SECTIONS)
def test_keys_and_defaults_are_those_of_the_program(heading: str) -> None:
    assert_same(keys_of(rows(heading)), SECTIONS[heading], heading)


def test_no_kind_and_no_table_is_missing() -> None:
    tables = (("Bodies", BODIES), ("Joints", JOINTS), ("Loads", LOADS), ("Contacts", CONTACTS))
    for heading, kinds in tables:
        assert all(f'"{kind}"' in section(heading) for kind in kinds), heading
    for kind in [kind for _, kinds in tables for kind in kinds if kinds is not JOINTS]:
        assert f'`kind = "{kind}"`' in PAGE, kind
    for cls in [cls for _, kinds in tables for cls in kinds.values() if cls.role != "joints"]:
        assert any(truth == without_laws(cls) or cls in (Bar, Beam) for truth in SECTIONS.values()), cls
    assert all(f"`{name}`" in section("Rules") for name in RESERVED_BODIES)
    assert set(ticked(section("Top level"))) >= {*CaseTables.model_fields, *TABLES}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_scheme_options(scheme: str) -> None:
    mine = [row for row in rows("Scheme") if row["scheme"] == f"`{scheme}`"]
    assert_same(keys_of(mine), arguments(SCHEMES[scheme]), scheme)
    for row in mine:
        numbers = re.fullmatch(r"\[([\d/]+), ([\d/]+)\]", row["range"])
        if numbers:
            low, high = (float(Fraction(text)) for text in numbers.groups())
            key = ticked(row["key"])[0]
            # beta = 1 lets gamma of newmark go up to its end
            rest = {"beta": 1.0} if "beta" in arguments(SCHEMES[scheme]) and key != "beta" else {}
            for inside in (low, high):
                SCHEMES[scheme](**rest, **{key: inside})
            for outside in (low - 1e-3, high + 1e-3):
                with pytest.raises(InputError):
                    SCHEMES[scheme](**rest, **{key: outside})


def test_every_scheme_and_no_other_is_in_the_table() -> None:
    with_options = {f"`{name}`" for name, cls in SCHEMES.items() if arguments(cls)}
    assert {row["scheme"] for row in rows("Scheme")} == {"any", *with_options}
    assert all(f"`{name}`" in section("Scheme") for name in SCHEMES)


@pytest.mark.parametrize("kind", FUNCTIONS)
def test_functions_of_time(kind: str) -> None:
    mine = [row for row in rows("Functions of time") if row["function"] == f"`{kind}`"]
    assert_same(keys_of(mine), arguments(FUNCTIONS[kind]), kind)


def test_functions_in_the_table_exist() -> None:
    assert {row["function"] for row in rows("Functions of time")} == {f"`{kind}`" for kind in FUNCTIONS}


@pytest.mark.parametrize("kind", JOINTS)
def test_joints(kind: str) -> None:
    shared = {} if kind == "gear" else arguments(Joint)
    own = {key: default for key, default in arguments(JOINTS[kind]).items() if key not in shared}
    mine = [row for row in rows("Kinds of joints") if row["joint"] == f"`{kind}`"]
    assert_same(keys_of(mine), own, kind)
    assert {row["joint"] for row in rows("Kinds of joints")} <= {f"`{name}`" for name in JOINTS}


@pytest.mark.parametrize("kind", SHAPES)
def test_shapes(kind: str) -> None:
    mine = [row for row in rows("Shape") if row["shape"] == f"`{kind}`"]
    assert_same(keys_of(mine), arguments(SHAPES[kind]), kind)
    assert {row["shape"] for row in rows("Shape")} == {f"`{name}`" for name in SHAPES}


@pytest.mark.parametrize("kind", SPINS)
def test_spins(kind: str) -> None:
    mine = [row for row in rows("Spin") if row["spin"] == f"`{kind}`"]
    own = {key: NEEDED if default is ... else default for key, default in SPINS[kind].items()}
    assert_same(keys_of(mine), own, kind)
    assert {row["spin"] for row in rows("Spin")} == {f"`{name}`" for name in SPINS}


@pytest.mark.parametrize(("table", "cls"), [("stiffness", BeamStiffness), ("inertia", BeamInertia)])
def test_numbers_of_exact_beams(table: str, cls: Any) -> None:
    mine = [row for row in rows("Stiffness and inertia of an exact beam") if row["table"] == f"`{table}`"]
    assert_same(keys_of(mine), arguments(cls), table)


def test_words_one_can_choose_from() -> None:
    assert all(f'`"{name}"`' in section("Solver") for name in METHODS)
    signals: dict[str, list[str]] = {}
    for row in rows("Signals", "signal"):
        signals.setdefault(row["signal"], []).extend(ticked(row["words"]))
    assert sorted(signals["`NODE.word`, large"]) == sorted(SIZES)
    assert sorted(signals["`BODY.word`, large"]) == sorted(LARGE_BODY_QUANTITIES)
    assert signals["`joints.NAME.word`, with an angle"] == list(ANGLES)
    assert signals["`joints.NAME.word`"] == list(JOINT_WORDS)
    assert signals["`ROTOR.word`"] == list(SPIN_QUANTITIES)
    assert signals["`NODE.word`"] == list(QUANTITIES)
    assert signals["`BODY.word`"] == list(BODY_QUANTITIES)
    assert signals["`contacts.NAME.word`"] == list(CONTACT_WORDS)
    assert signals["`contacts.NAME.word`, with friction"] == list(FRICTION_WORDS)
    assert signals["`energy.word`"] == list(ENERGY_WORDS)
    summary = [word for row in rows("Signals", "summary") for word in ticked(row["summary"])]
    assert sorted(summary) == sorted(SUMMARY_NUMBERS)
    reduce = [word for row in rows("Expect", "reduce") if "number" in row for word in ticked(row["reduce"])]
    allowed = CaseTables.model_fields["expect"].annotation.__args__[0].model_fields["reduce"].annotation
    assert sorted(reduce) == sorted(f'"{word}"' for word in allowed.__args__[0].__args__)


def test_directions_of_supports() -> None:
    table = {row["body"]: ticked(row["directions"]) for row in rows("Supports", "body")}
    base = {"length": 1.0, "elements": 1, "material": {"young": 1.0, "density": 1.0}}
    made = {
        "bar": Bar("b", area=1.0, **base),
        "planar beam": Beam("b", area=1.0, inertia=1.0, **base),
        "spatial beam": Beam("b", bending="spatial", section={"shape": "circle", "radius": 1.0}, **base),
    }
    assert table.keys() == made.keys()
    for body, part in made.items():
        names = [dof.name for dof in part.dofs()]
        short = sorted({name.partition("_")[0] for name in names if "_" in name}, reverse=True)
        assert table[body] == [*names, *short], body


@pytest.mark.parametrize("block", WHOLE, ids=lambda block: str(tomllib.loads(block)["title"]))
def test_cases_on_the_page_run_and_meet_their_expectations(block: str, tmp_path: Path) -> None:
    path = tmp_path / "case.toml"
    path.write_text(block)
    case = load_case(path)
    entries = case.run().summary["expectations"]
    assert entries
    assert all(entry["ok"] for entry in entries), entries
    again = tmp_path / "again.toml"
    again.write_text(case.to_toml())
    assert load_case(again).to_toml() == case.to_toml()


@pytest.mark.parametrize("block", FRAGMENTS)
def test_parts_of_cases_on_the_page_are_read(block: str) -> None:
    ball, more = tomllib.loads(BALL), tomllib.loads(block)
    data = ball | {key: ball.get(key, {}) | table for key, table in more.items()}
    names = {name for role in more.values() for name in role}
    system = Case(check_values(Path("page.toml"), block, data, [])).plan.system
    assert names <= set(system.layout.bodies)


def test_links_within_the_page_lead_to_headings() -> None:
    headings = {heading.lower().replace(" ", "-") for heading in re.findall(r"^##+ (.*)$", PAGE, re.M)}
    links = set(re.findall(r"\]\(#([^)]+)\)", PAGE))
    assert len(links) > 15
    assert links <= headings


def test_the_page_has_enough_to_test() -> None:
    """The patterns above find what they are made for."""
    assert len(WHOLE) == 6
    assert len(FRAGMENTS) == 2
    assert len(ERRORS) == 7


@pytest.mark.parametrize(("old", "new", "message"), ERRORS)
def test_errors_are_what_the_program_prints(
    old: str,
    new: str,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert BALL.count(old) == 1
    Path("ball.toml").write_text(BALL.replace(old, new))
    assert main(["validate", "ball.toml"]) == 2
    captured = capsys.readouterr()
    assert captured.err == message
    assert captured.out == ""


def test_overrides_on_the_page_are_accepted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ball.toml").write_text(BALL)
    commands = re.findall(r"^flexmb run (ball\.toml .*)$", section("Set"), re.M)
    items = [[b for a, b in zip(w, w[1:], strict=False) if a == "--set"] for w in map(shlex.split, commands)]
    items += [[word] for word in ("expect.0.rtol=1e-3", "output.every=10")]
    assert all(word in section("Set") for item in items[-2:] for word in item)
    assert [len(item) for item in items] == [2, 2, 1, 1, 1]
    plans = [load_case("ball.toml", item).plan for item in items]
    assert plans[0].h == 5e-4
    assert plans[0].system.contacts.e.tolist() == [0.5]
    assert plans[1].system.v0.tolist() == [1.0, 0.0, 0.0]
    assert plans[1].system.layout.points.tolist() == [[0.0, 0.0, 2.0]]
    assert plans[2].scheme == flexmb.MoreauJean()
    assert plans[4].every == 10


def test_python_on_the_page_gives_the_same_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ball.toml").write_text(BALL)
    (code,) = re.findall(r"```python\n(.*?)```", section("From Python"), re.S)
    names: dict[str, Any] = {}
    exec(code, names)
    assert names["finer"].time.size == 2001
    assert names["by_hand"].contacts["floor"].impulse.sum() > 0.0
    for name in names["by_hand"].tree:
        np.testing.assert_array_equal(names["by_hand"].tree[name], names["by_file"].tree[name], err_msg=name)


def test_python_names() -> None:
    named = set(re.findall(r"fm\.(\w+)", section("From Python")))
    assert all(hasattr(flexmb, name) for name in named)
    parts = [cls for kinds in (BODIES, JOINTS, LOADS, CONTACTS, FUNCTIONS, SCHEMES) for cls in kinds.values()]
    assert {cls.__name__ for cls in parts} <= named
    simulate = inspect.signature(flexmb.simulate).parameters
    for table in ("time", "output"):
        (row,) = [line for line in section("From Python").splitlines() if line.startswith(f"| `[{table}]")]
        keys = set(re.findall(r"(\w+)=", row))
        assert keys <= set(simulate)
        assert keys == set(TABLE_CLASS[table].model_fields) - {"checkpoint_every"}


@pytest.mark.parametrize("name", [*RESERVED_BODIES, "3d", "-a", "a b"])
def test_names_the_page_forbids(name: str, tmp_path: Path) -> None:
    path = tmp_path / "ball.toml"
    path.write_text(BALL + f'\n[bodies."{name}"]\nkind = "particle"\nmass = 1.0\n')
    line = BALL.count("\n") + 2
    with pytest.raises(InputError, match=rf"line {line}: bodies\.{name}: .*name"):
        load_case(path)


def test_a_signal_that_only_an_expectation_names_is_its_error(tmp_path: Path) -> None:
    path = tmp_path / "ball.toml"
    path.write_text(BALL.replace('"ball.position.z"', '"ball.height"'))
    with pytest.raises(InputError, match=r"line 25: expect\.0\.signal = 'ball\.height'"):
        _ = load_case(path).plan
    path.write_text(path.read_text() + '\n[output]\nsignals = ["ball.height"]\n')
    with pytest.raises(InputError, match=r"line 33: output\.signals = 'ball\.height'"):
        _ = load_case(path).plan


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (BALL.replace("[0.0, 0.0, -9.81]", "[0.0, -9.81]"), r"gravity\.acceleration.*3 entries.*2"),
        (BALL.replace("[0.0, 0.0, -9.81]", "[0, 0, 0, 1]"), r"gravity\.acceleration.*3 entries.*4"),
        ("solver = 3\n" + BALL, "line 1: solver = 3.*table"),
    ],
)
def test_words_for_wrong_shapes(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "ball.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=words):
        load_case(path)


@pytest.mark.parametrize(
    ("signal", "words"),
    [
        ("contacts.floor.gap", r"2 columns.*\.0.*\.1.*reduce"),
        ("contacts.floor.gap.x", r"'contacts\.floor\.gap'.*component 'x'"),
        ("contacts.floor.gap.2", r"'contacts\.floor\.gap'.*component '2'"),
    ],
)
def test_columns_of_a_group_are_numbers(signal: str, words: str, tmp_path: Path) -> None:
    more = '\n[bodies.two]\nkind = "particle"\nmass = 1.0\nposition = [0.0, 0.0, 3.0]\n'
    path = tmp_path / "ball.toml"
    text = BALL.replace('node = "ball"', 'nodes = ["ball", "two"]').replace('"ball.position.z"', f'"{signal}"') + more
    path.write_text(text)
    with pytest.raises(InputError, match=words):
        _ = load_case(path).plan
