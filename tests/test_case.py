"""Case files: what is read, what is written back, and what bad input gets."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import numpy as np
import pytest
from messages import only, says

import flexmb
from flexmb.case import load_case, shipped_cases
from flexmb.case.overrides import parse_override
from flexmb.case.problems import readable
from flexmb.case.toml_lines import line_numbers
from flexmb.case.toml_writer import to_toml
from flexmb.errors import InputError

SMALL = """\
title = "small"

[time]
end = 0.2
step = 0.01

[scheme]
name = "moreau-jean"

[bodies.rod]
kind = "bar"
length = 2.0
elements = 4
section = { area = 1.0 }
material = { young = 100.0, density = 1.0 }
position = [0.1, 0.0, 0.0]
velocity = [-1.0, 0.0, 0.0]

[bodies.ball]
kind = "particle"
mass = 2.0
position = [-5.0, 0.0, 0.0]
axes = "x"

[contacts.wall]
kind = "node-plane"
node = "rod.first"
normal = [1.0, 0.0, 0.0]

[loads.push]
kind = "force"
node = "rod.last"
force = [0.5, 0.0, 0.0]
function = { kind = "ramp", end_time = 0.1 }

[[expect]]
signal = "contacts.wall.gap"
reduce = "min"
at_least = -1.0
source = "nothing"

[[expect]]
signal = "rod.last.position.x"
reduce = "first"
value = 2.1
atol = 1e-12
"""


def write(folder: Path, text: str = SMALL, **replacements: str) -> Path:
    path = folder / "small.toml"
    path.write_text(text)
    return path


def replaced(old: str, new: str) -> str:
    assert SMALL.count(old) >= 1, old
    return SMALL.replace(old, new, 1)


BAD = {
    "unknown key": (
        replaced("elements = 4", "elemets = 4"),
        "line 13: bodies.rod.elemets = 4 ... key ... 'elements'?); allowed: kind, length, elements",
    ),
    "unknown key in a fixed table": (
        replaced("step = 0.01", "stpe = 0.01"),
        "line 5: time.stpe = 0.01 ... key ... 'step'?); allowed ... end, step, steps, tolerance",
    ),
    "unknown table": (
        replaced("[contacts.wall]", "[contact.wall]"),
        "key ... 'contacts'?); allowed: title, description, time",
    ),
    "unknown key in expect": (
        replaced('source = "nothing"', 'sauce = "nothing"'),
        "line 40: expect.0.sauce = 'nothing' ... key ... 'source'",
    ),
    "unknown key in a section": (
        replaced("{ area = 1.0 }", "{ aera = 1.0 }"),
        "line 14: bodies.rod.section.aera = 1.0 ... key ... 'area'",
    ),
    "unknown kind": (
        replaced('kind = "bar"', 'kind = "bra"'),
        "kind ... 'bar'?); allowed: bar, beam",
    ),
    "no kind": (
        replaced('kind = "bar"\n', ""),
        "line 10: bodies.rod: kind ... missing; allowed: bar, beam, matrices, particle",
    ),
    "missing key": (replaced("mass = 2.0\n", ""), "line 19: bodies.ball.mass ... missing (kind 'particle')"),
    "unknown scheme": (
        replaced('"moreau-jean"', '"moreau-jan"'),
        "line 8: scheme.name = 'moreau-jan' ... 'moreau-jean'?); allowed: ... generalized-alpha",
    ),
    "no scheme": (
        replaced('[scheme]\nname = "moreau-jean"\n', ""),
        "scheme ... missing; allowed: ... generalized-alpha",
    ),
    "wrong type, number": (
        replaced("length = 2.0", 'length = "two"'),
        "line 12: bodies.rod.length = 'two' ... number",
    ),
    "wrong type, integer": (replaced("elements = 4", "elements = 4.5"), "elements = 4.5 ... integer"),
    "wrong type, text": (replaced('title = "small"', "title = 3"), "line 1: title = 3 ... text"),
    "wrong type, time": (replaced("end = 0.2", 'end = "0.2"'), "line 4: time.end = '0.2' ... number"),
    "wrong type, table": (
        replaced("[time]\nend = 0.2\nstep = 0.01", "time = 3"),
        "line 3: time = 3 ... table",
    ),
    "wrong type, part": (
        replaced('title = "small"', 'title = "small"\nbodies = 3').split("[bodies.rod]")[0],
        "bodies = 3 ... tables [bodies.NAME]",
    ),
    "wrong type, scheme option": (
        replaced('"moreau-jean"', '"newmark"\nggl = "yes"'),
        "line 9: scheme.ggl = 'yes' ... true ... false",
    ),
    "nan": (replaced("end = 0.2", "end = nan"), "time.end = nan ... finite number"),
    "negative mass": (replaced("mass = 2.0", "mass = -2.0"), "line 21: bodies.ball.mass = -2.0 ... positive"),
    "negative stiffness": (
        replaced("young = 100.0", "young = -1.0"),
        "bodies.rod.material.young = -1.0 ... positive",
    ),
    "negative spring": (
        SMALL + '[loads.s]\nkind = "spring"\nnode = "ball"\nanchor = [-6.0, 0.0, 0.0]\nstiffness = -1.0\n',
        "loads.s.stiffness = -1.0 ... negative",
    ),
    "negative step": (replaced("step = 0.01", "step = -0.01"), "line 5: time.step = -0.01 ... positive number"),
    "step that does not divide": (
        replaced("step = 0.01", "step = 0.03"),
        "line 5: time.step = 0.03 ... divide ... time span 0.2 ... 0.03333333333333333 ... 0.028571428571428574",
    ),
    "step and steps": (replaced("step = 0.01", "step = 0.01\nsteps = 3"), "step, steps ... tolerance"),
    "end before start": (replaced("end = 0.2", "end = -1.0"), "time.end = -1.0 ... later ... = 0"),
    "zero-length normal": (
        replaced("normal = [1.0, 0.0, 0.0]", "normal = [0.0, 0.0, 0.0]"),
        "line 28: contacts.wall.normal = [0.0, 0.0, 0.0] ... zero length",
    ),
    "initial penetration": (
        replaced("position = [0.1, 0.0, 0.0]", "position = [-0.25, 0.0, 0.0]"),
        "line 25: contacts.wall: initial penetration: contact 'wall' ... 0.25 m ... rod.node(0) ... (-0.25, 0, 0)",
    ),
    "velocity off the axis": (
        replaced("velocity = [-1.0, 0.0, 0.0]", "velocity = [-1.0, 0.5, 0.0]"),
        "velocity ... bar's axis ... (0, 0.5, 0) m/s",
    ),
    "node that does not exist": (replaced('"rod.first"', '"rod.node(9)"'), "contacts.wall.node = 'rod.node(9)': "),
    "body that does not exist": (replaced('"rod.first"', '"rad.first"'), "contacts.wall.node = 'rad.first': "),
    "contact between a body and itself": (
        SMALL + '[contacts.own]\nkind = "node-node"\nnode = "rod.first"\nnode2 = "rod.last"\n',
        "contacts.own.node2 = 'rod.last': contact ... body",
    ),
    "rho_inf": (
        replaced('"moreau-jean"', '"generalized-alpha"\nrho_inf = 1.2'),
        "line 9: scheme.rho_inf = 1.2 ... number ... [0, 1]",
    ),
    "alpha": (
        replaced('"moreau-jean"', '"hht"\nalpha = 0.5'),
        "line 9: scheme.alpha = 0.5 ... number ... [0, 0.333333]",
    ),
    "option of another scheme": (
        replaced('"moreau-jean"', '"moreau-jean"\nrho_inf = 0.8'),
        "line 9: scheme.rho_inf = 0.8 ... generalized-alpha ... (scheme 'moreau-jean')",
    ),
    "mesh missing": (
        replaced("length = 2.0\nelements = 4", 'mesh = "no.msh"'),
        "line 12: bodies.rod.mesh = ",
    ),
    "restitution": (replaced("normal =", "restitution = 1.5\nnormal ="), "contacts.wall.restitution = 1.5: "),
    "solver": (SMALL + '[solver]\nname = "newtn"\n', "solver.name = 'newtn' ... 'newton'"),
    "every": (SMALL + "[output]\nevery = 0\n", "output.every = 0 ... least 1"),
    "signal": (
        SMALL + '[output]\nsignals = ["rod.frist.position"]\n',
        "output.signals = 'rod.frist.position': body 'rod' ... node ... 'first'",
    ),
    "signal of many nodes": (
        SMALL + '[output]\nsignals = ["rod.all.position"]\n',
        "output.signals = 'rod.all.position' ... 5 nodes ... single",
    ),
    "signals that are no list": (SMALL + '[output]\nsignals = "rod"\n', "output.signals = 'rod' ... list"),
    "points that are no table": (
        replaced("length = 2.0", "points = [1.0]\nlength = 2.0"),
        "line 12: bodies.rod.points = [1.0] ... table",
    ),
    "points that are a number": (
        replaced("length = 2.0", "points = 3\nlength = 2.0"),
        "bodies.rod.points = 3",
    ),
    "reserved name of a point": (
        replaced("length = 2.0", "points = { last = 1.0 }\nlength = 2.0"),
        "line 12: bodies.rod.points.last ... reserved ... last, mid",
    ),
    "bad name of a point": (
        replaced("length = 2.0", 'points = { "a b" = 1.0 }\nlength = 2.0'),
        "line 12: bodies.rod.points.a b ... letters",
    ),
    "supports that are no list": (
        replaced("length = 2.0", "supports = 3\nlength = 2.0"),
        "line 12: bodies.rod.supports = 3 ... list",
    ),
    "supports that are no tables": (
        replaced("length = 2.0", 'supports = ["first"]\nlength = 2.0'),
        "line 12: bodies.rod.supports.0 = 'first'",
    ),
    "support without kind and fix": (
        replaced("length = 2.0", 'supports = [{ node = "first" }]\nlength = 2.0'),
        "line 12: bodies.rod.supports.0 ... kind ... fix",
    ),
    "fix that is a number": (
        replaced("length = 2.0", 'supports = [{ node = "first", fix = 3 }]\nlength = 2.0'),
        'line 12: bodies.rod.supports.0.fix = 3 ... list ... directions ... ["x", "rotation"]',
    ),
    "fix that is a table": (
        replaced("length = 2.0", 'supports = [{ node = "first", fix = { x = 1 } }]\nlength = 2.0'),
        "line 12: bodies.rod.supports.0.fix = {'x': 1} ... list ... directions",
    ),
    "mesh that is a number": (
        replaced("length = 2.0\nelements = 4", "mesh = 5"),
        "line 12: bodies.rod.mesh = 5 ... path ... mesh file",
    ),
    "mesh that no file can be": (
        replaced("length = 2.0\nelements = 4", f'mesh = "{"x" * 300}"'),
        "File ... long",
    ),
    "too many elements": (
        replaced("elements = 4", "elements = 99999999999"),
        "elements = 99999999999 ... model ... 1.4e+05 GB",
    ),
    "number of many digits": (
        replaced("length = 2.0", f"length = {10**40}"),
        f"line 12: bodies.rod.length = {10**40}: is too large: an integer has at most 64 bits",
    ),
    "numbers that overflow": (
        replaced("{ area = 1.0 }", '{ shape = "circle", radius = 1e300 }'),
        "numbers ... large ... small ... compute",
    ),
    "numbers that overflow together": (
        replaced("{ area = 1.0 }", "{ area = 1e300 }").replace("young = 100.0", "young = 1e300"),
        "numbers ... large ... small ... compute ... stiffness matrix ... finite",
    ),
    "gravity": (SMALL + "[gravity]\nacceleration = [0.0, 1.0]\n", "gravity.acceleration = [0.0, 1.0]: "),
    "static load": (SMALL + '[initial]\nstatic = ["pull"]\n', "initial.static = 'pull' ... force"),
    "time function": (replaced('"ramp"', '"rampe"'), "loads.push.function.kind = 'rampe'"),
    "harmonic": (
        replaced('"ramp", end_time = 0.1', '"harmonic", omega = "a"'),
        "line 34: loads.push.function.omega = 'a' ... number",
    ),
    "ramp without end": (
        replaced("normal =", 'motion = { kind = "ramp" }\nnormal ='),
        "line 28: contacts.wall.motion = {'kind': 'ramp'} ... end_time",
    ),
    "table of texts": (
        replaced('"ramp", end_time = 0.1', '"table", time = ["0", "1"], value = [0.0, 0.0]'),
        "line 34: loads.push.function.time ... list ... finite numbers",
    ),
    "step longer than the run": (
        replaced("step = 0.01", "step = 1e9"),
        "line 5: time.step = 1000000000.0 ... longer ... time span 0.2 ... 0.2 (1 step)",
    ),
    "step too small": (replaced("step = 0.01", "step = 1e-320"), "time.step = 1e-320 ... small ... time span"),
    "too many steps": (replaced("step = 0.01", f"steps = {2**60}"), f"time.steps = {2**60}: must be at most"),
    "motion": (
        replaced("normal =", 'motion = { kind = "table", time = [0.0, 0.1], value = [0.0, 0.0] }\nnormal ='),
        "line 28: contacts.wall.motion.time ... table covers 0 ... 0.1 s ... 0 ... 0.2 s",
    ),
    "load": (
        replaced('"ramp", end_time = 0.1', '"table", time = [0.0, 0.1], value = [0.0, 0.0]'),
        "line 34: loads.push.function.time ... table covers 0 ... 0.1 s ... 0 ... 0.2 s",
    ),
    "expect without tolerance": (replaced("atol = 1e-12\n", ""), "expect.1: value ... rtol ... atol"),
    "expect without number": (replaced("at_least = -1.0\n", ""), "expect.0 ... value"),
    "expect at without time": (replaced('reduce = "min"', 'reduce = "at"'), "expect.0: time ... reduce"),
    "expect reduce": (
        replaced('reduce = "min"', 'reduce = "least"'),
        "expect.0.reduce = 'least' ... 'sum', 'max', 'min'",
    ),
    "expect of the summary with reduce": (
        replaced('signal = "contacts.wall.gap"', 'signal = "summary.h"'),
        "line 36: expect.0 ... number ... summary ... analysis ... number ... reduce ... time",
    ),
    "expect of the summary with time": (
        replaced('signal = "contacts.wall.gap"\nreduce = "min"', 'signal = "summary.h"\ntime = 0.1'),
        "line 36: expect.0 ... number ... summary ... analysis ... number ... reduce ... time",
    ),
    "no bodies": (SMALL.split("[bodies.rod]")[0], "bodies ... model ... bodies"),
    "not TOML": (replaced("[time]", "[time"), "valid TOML"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named_with_file_line_key_value_and_what_is_allowed(name: str, tmp_path: Path) -> None:
    text, words = BAD[name]
    path = write(tmp_path, text)
    with pytest.raises(InputError) as info:
        _ = load_case(path).plan
    message = str(info.value)
    assert says(message, words)
    assert str(path) in message
    assert "\n\n" not in message
    assert [p.name for p in tmp_path.iterdir()] == ["small.toml"]


def test_lines_named_in_errors_are_right(tmp_path: Path) -> None:
    """The line in the message is the line in the file that holds the key."""
    for name, (text, words) in BAD.items():
        if words.startswith("line "):
            number, path = (
                int(words.split(":")[0].split()[1]),
                re.split(" = | ... ", words.split(": ")[1])[0].split("."),
            )
            key = [part for part in path if not part.isdecimal()][-1]  # entries of lists stand on the line of the list
            line = text.splitlines()[number - 1]
            assert key in line or (line.startswith("[") and line.strip("[]").split(".")[-1] in words), name


def test_all_errors_are_listed_at_once(tmp_path: Path) -> None:
    text = SMALL.replace("step = 0.01", "stpe = 1").replace("mass = 2.0", "mass = -2.0").replace("moreau-jean", "euler")
    with pytest.raises(InputError) as info:
        load_case(write(tmp_path, text))
    lines = str(info.value).splitlines()
    assert lines[0] == f"{tmp_path / 'small.toml'}: 3 errors"
    assert [line.split(":")[0].strip() for line in lines[1:]] == ["line 5", "line 8", "line 21"]


def test_unknown_keys_of_several_tables_of_a_part_are_listed(tmp_path: Path) -> None:
    """Keys without a near one are left out, and what is missing then is no further error."""
    body = (
        '[bodies.arm]\nkind = "beam"\nlength = 1.0\nelements = 2\nyoung = 1e9\ndensity = 1e3\n'
        'section = { shape = "circle", diameter = 0.02, xyzzy = 1 }\nqqq = 1\n'
        'damping = { alpha = 0.1, vvv = 1 }\nsupports = [{ node = "first", kind = "clamped", zzz = 1 }]\n'
    )
    with pytest.raises(InputError) as info:
        load_case(write(tmp_path, SMALL + "\n" + body))
    lines = str(info.value).splitlines()
    assert sorted(line.split(" = ")[0].strip().partition(": ")[2] for line in lines[1:]) == [
        "bodies.arm.damping.vvv", "bodies.arm.qqq", "bodies.arm.section.xyzzy", "bodies.arm.supports.0.zzz"
    ]  # fmt: skip


@pytest.mark.parametrize("content", [b"\x00\x01\xff\xfe", b"\x89PNG\r\n\x1a\n", b""])
def test_files_that_are_no_case(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"x\.toml"):
        _ = load_case(path).plan


def test_a_folder_and_an_unknown_name_are_no_case(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder"):
        load_case(tmp_path)
    with pytest.raises(InputError, match="case file 'impacting_bra'.*impacting_bar"):
        load_case("impacting_bra")


def test_a_mesh_without_lines_is_refused(tmp_path: Path) -> None:
    import meshio

    meshio.Mesh(np.eye(3), [("triangle", np.array([[0, 1, 2]]))]).write(tmp_path / "tri.vtu")
    path = write(tmp_path, replaced("length = 2.0\nelements = 4", 'mesh = "tri.vtu"'))
    with pytest.raises(InputError, match="line 12: bodies.rod.mesh = '.*tri.vtu'.*mesh file.*line cells"):
        load_case(path)


def test_meshes_are_found_beside_the_case_then_among_the_shipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import meshio

    text = replaced("length = 2.0\nelements = 4", 'mesh = "graded_rod.msh"')
    path = write(tmp_path, text)
    shipped = load_case(path).plan.system.nv
    points = np.column_stack([np.linspace(0, 1, 3), np.zeros(3), np.zeros(3)])
    own = meshio.Mesh(points, [("line", np.array([[0, 1], [1, 2]]))])
    meshio.write(tmp_path / "graded_rod.msh", own, file_format="gmsh")
    monkeypatch.chdir("/")
    local = load_case(path)
    assert local.plan.system.nv == 3 + 1 != shipped
    again = tmp_path / "sub" / "again.toml"
    again.parent.mkdir()
    again.write_text(local.to_toml())
    assert load_case(again).plan.system.nv == 4


def test_a_table_that_covers_the_run_is_enough(tmp_path: Path) -> None:
    table = '{ kind = "table", time = [0.0, 0.1, 0.2], value = [0.0, 1.0, 1.0] }'
    ramp, by_table = (
        load_case(write(tmp_path, text)).run() for text in (SMALL, replaced('{ kind = "ramp", end_time = 0.1 }', table))
    )
    np.testing.assert_allclose(by_table.energy.work_external, ramp.energy.work_external, rtol=1e-12, atol=1e-15)
    assert by_table.energy.work_external[-1] != 0.0


def test_the_contract_file_runs_as_it_stands() -> None:
    result = load_case("impacting_bar").run()
    assert result.summary["engine"] in ("compiled", "general")
    assert result.summary["max_penetration"] <= 1e-12
    assert [entry["ok"] for entry in result.summary["expectations"]] == [True] * len(result.summary["expectations"])
    assert result.contacts["wall"].impulse.sum() == pytest.approx(200.0, rel=6e-3)


def test_python_and_case_file_are_the_same_run() -> None:
    model = flexmb.Model()
    rod = model.add(
        flexmb.Bar(
            "rod",
            length=10,
            elements=200,
            area=1,
            young=900,
            density=1,
            position=(5, 0, 0),
            direction=(1, 0, 0),
            velocity=(-10, 0, 0),
        )
    )
    model.add(flexmb.NodePlane(name="wall", node=rod.first, normal=(1, 0, 0), restitution=0.0))
    scheme = flexmb.GeneralizedAlpha(rho_inf=0.8, ggl=True)
    by_hand = flexmb.simulate(model, scheme, step=2e-3, end=2.0)
    by_file = flexmb.load_case("impacting_bar.toml").run()
    assert by_hand.signals["rod.first.position"].shape == (1001, 3)
    for name in by_hand.tree:
        np.testing.assert_array_equal(by_hand.tree[name], by_file.tree[name], err_msg=name)


def test_written_case_is_the_same_run(tmp_path: Path) -> None:
    case = load_case(write(tmp_path))
    text = case.to_toml()
    again = tmp_path / "again.toml"
    again.write_text(text)
    second = load_case(again)
    assert second.to_toml() == text
    a, b = case.run(), second.run()
    assert len(a.time) == 21
    for name in a.tree:
        np.testing.assert_array_equal(a.tree[name], b.tree[name], err_msg=name)
    filled = tomllib.loads(text)
    assert filled["scheme"] == {"name": "moreau-jean", "theta": 0.5, "gamma": 0.5, "projection": False}
    assert filled["contacts"]["wall"]["restitution"] == 0.0
    assert filled["bodies"]["rod"]["mass"] == "consistent"
    assert filled["output"]["fields_every"] == 1
    assert filled["loads"]["push"]["function"] == {"kind": "ramp", "end_time": 0.1}


@pytest.mark.parametrize("name", sorted(shipped_cases()))
def test_every_shipped_case_is_valid_and_can_be_written_back(name: str, tmp_path: Path) -> None:
    case = load_case(name)
    assert case.title
    assert case.expects, "a shipped case says what it expects"
    assert all(expect.source for expect in case.expects), "and where that comes from"
    again = tmp_path / "again.toml"
    again.write_text(case.to_toml())
    assert load_case(again).to_toml() == case.to_toml()


def test_overrides(tmp_path: Path) -> None:
    path = write(tmp_path)
    case = load_case(
        path, ["time.step=0.02", "scheme.theta=1.0", "bodies.rod.section.area=2", "expect.1.atol=0.5", "title=x y"]
    )
    assert case.plan.steps == 10
    assert case.scheme.theta == 1.0
    assert case.title == "x y"
    assert case.expects[1].atol == 0.5
    light, heavy = (load_case(path, [f"bodies.rod.section.area={a}"]).plan.system.M.sum() for a in (1, 2))
    assert heavy - 2.0 == pytest.approx(2 * (light - 2.0), rel=1e-14)


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("time.stpe=1", "--set: time.stpe = 1 ... 'step'"),
        ("bodies.rod.length=-1", "--set: bodies.rod.length = -1 ... positive"),
        ("scheme.theta=high", "--set: scheme.theta = 'high' ... number"),
        (
            "expect.7.value=1",
            "--set: expect.7.value = 1 ... 2 entries ... '7'",
        ),
        (
            "bodies.rod.position.3=1",
            "--set: bodies.rod.position.3 = 1: bodies.rod.position ... 3 entries, counted from 0: there is no "
            "entry '3'",
        ),
        ("bodies.rod.position.x=1", "bodies.rod.position ... 3 entries"),
        ("title.x=1", "--set: title.x = 1 ... title ... table ... 'x'"),
        ("time.step.x=3", "--set: time.step.x = 3 ... time.step ... table ... 'x'"),
        ("time.step.x.y=3", "--set: time.step.x.y = 3 ... time.step ... table ... 'x'"),
        ("bodies.rod.length=\u00b2", "--set: bodies.rod.length = '\u00b2': must be a number"),
        ("expect.\u00b2.value=1", "there is no entry '\u00b2'"),
        ("title", "--set = 'title' ... KEY=VALUE"),
        ("=3", "must read KEY=VALUE"),
        ("a b=3", "must read KEY=VALUE"),
    ],
)
def test_bad_overrides(override: str, words: str, tmp_path: Path) -> None:
    path = write(tmp_path)
    with pytest.raises(InputError) as info:
        load_case(path, [override])
    assert says(str(info.value), words)
    assert "KEY=VALUE" in words or str(path) in str(info.value)


def test_values_of_overrides() -> None:
    cases = {
        "a=1": 1,
        "a=1e-3": 1e-3,
        "a=true": True,
        "a=[1, 2]": [1, 2],
        'a="b"': "b",
        "a=b-c": "b-c",
        "a=1\nb=2": "1\nb=2",
    }
    assert {text: parse_override(text)[1] for text in cases} == cases
    assert parse_override("expect.0.value=3")[0] == ("expect", 0, "value")


def test_the_scheme_is_changed_by_one_word(tmp_path: Path) -> None:
    text = replaced('"moreau-jean"', '"generalized-alpha"\nrho_inf = 0.5\nggl = false')
    case = load_case(write(tmp_path, text), ["scheme.name=newmark"])
    assert (case.scheme.name, case.scheme.ggl) == ("newmark", False)
    assert says(only(case.values.notes), "scheme.rho_inf ... 'newmark'")
    with pytest.raises(InputError, match="--set: scheme.rho_inf = 0.5: .*generalized-alpha"):
        load_case(write(tmp_path, text), ["scheme.name=newmark", "scheme.rho_inf=0.5"])


def test_step_and_steps_take_each_others_place(tmp_path: Path) -> None:
    case = load_case(write(tmp_path), ["time.steps=500"])
    assert (case.plan.steps, case.plan.h) == (500, 0.2 / 500)
    assert says(only(case.values.notes), "time.step ... --set ... time.steps")
    assert "step" not in tomllib.loads(case.to_toml())["time"]
    case = load_case(write(tmp_path, replaced("step = 0.01", "steps = 7")), ["time.step=0.05"])
    assert (case.plan.steps, case.plan.h) == (4, 0.05)
    assert says(only(case.values.notes), "time.steps ... --set ... time.step")
    assert load_case(write(tmp_path), ["time.step=0.05"]).values.notes == ()
    with pytest.raises(InputError, match="step, steps.*tolerance"):
        _ = load_case(write(tmp_path), ["time.step=0.05", "time.steps=4"]).plan


def test_expectations(tmp_path: Path) -> None:
    extra = """
[[expect]]
signal = "ball.position.x"
reduce = "at"
time = 0.105
value = -5.0
atol = 1e-9

[[expect]]
signal = "energy.total"
reduce = "mean"
at_least = 1e9

[[expect]]
signal = "summary.energy.initial"
value = 1.0
rtol = 1e-12

[[expect]]
signal = "rod.momentum.x"
reduce = "first"
value = -2.0
rtol = 1e-12
"""
    result = load_case(write(tmp_path, SMALL + extra)).run()
    entries = result.summary["expectations"]
    assert [entry["ok"] for entry in entries] == [True, True, True, False, True, True]
    assert entries[0]["got"] == result.contacts["wall"].gap.min()
    assert entries[3]["got"] == pytest.approx(result.energy.total.mean(), rel=1e-15)
    assert entries[0] | {"got": 0} == {
        "signal": "contacts.wall.gap",
        "reduce": "min",
        "at_least": -1.0,
        "source": "nothing",
        "got": 0,
        "ok": True,
        "reached": True,
    }


@pytest.mark.parametrize(
    ("signal", "words"),
    [
        ("contacts.wal.gap", "recorded ... contacts.wall.gap"),
        ("energy.heat", "is not recorded"),
        ("contacts.wall.gap.x", "'contacts.wall.gap' ... component 'x'"),
        ("rod.last.position", "has 3 columns; add .x, .y, .z"),
    ],
)
def test_expectations_of_what_is_not_there(signal: str, words: str, tmp_path: Path) -> None:
    text = replaced('signal = "rod.last.position.x"', f'signal = "{signal}"')
    with pytest.raises(InputError) as info:
        load_case(write(tmp_path, text)).run(tmp_path / "out")
    assert says(str(info.value), words)
    assert "line 43" in str(info.value)
    assert not (tmp_path / "out").exists()


def test_numbers_that_are_not_in_the_summary(tmp_path: Path) -> None:
    text = replaced('signal = "rod.last.position.x"\nreduce = "first"', 'signal = "summary.title"')
    with pytest.raises(InputError, match=r"line 43: .*summary\.title'.*recorded.*summary"):
        _ = load_case(write(tmp_path, text)).plan


def test_long_values_are_shown_with_their_beginning_and_their_end() -> None:
    assert readable("a" * 60) == repr("a" * 60)
    path = "/some/" + "folder/" * 30 + "rod.msh"
    assert len(readable(path)) == 80
    assert readable(path).startswith("'/some/folder/")
    assert readable(path).endswith("/rod.msh'")


def test_line_numbers() -> None:
    text = '''a = 1
"b c".d = 2 # x = 3
[t."u v"]
list = [
  1,
  { k = 2 },
]
long = """
no = 1
[no]
"""
[[e]]
x = "[#"
[[e]]
x.y = { z = 1 }
'''
    found = line_numbers(text)
    assert found[("a",)] == 1
    assert found[("b c", "d")] == 2
    assert found[("t", "u v")] == 3
    assert found[("t", "u v", "list")] == 4
    assert found[("t", "u v", "long")] == 8
    assert found[("e", 0, "x")] == 13
    assert found[("e", 1, "x", "y")] == 15
    assert not any("no" in path for path in found)
    assert not any("k" in path for path in found)


def test_toml_writer_reads_back_to_the_bit() -> None:
    data = {
        "t": 'quote " back \\ line\n tab\t bell\x07 ü',
        "f": [0.1, 1e-300, 5e22, -0.0, 1 / 3],
        "n": -7,
        "b": True,
        "empty": [],
        "odd key.x": {"a b": 1.0, "inner": {"deep": {"x": [[1, 2], [3.5]]}}},
        "rows": [{"a": 1}, {"b": {"c": "d"}}],
        "small": {"x": 1, "y": "z"},
    }
    assert tomllib.loads(to_toml(data, frozenset({"small"}))) == data
    assert "small = { x = 1" in to_toml(data, frozenset({"small"}))


def test_an_option_that_does_nothing_is_noted() -> None:
    symmetric = ["scheme.name=schatzman-paoli", "scheme.theta=0.6"]
    assert any("scheme.theta has an effect" in note for note in load_case("impacting_bar", symmetric).values.notes)
    printed = [*symmetric, "scheme.weighting=theta"]
    assert not any("scheme.theta" in note for note in load_case("impacting_bar", printed).values.notes)
