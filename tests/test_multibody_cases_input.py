"""Mechanisms that cannot be: the case reader says which part, where it stands, and by how much it is wrong."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pytest
from messages import only, says

import flexmb as fm
from flexmb.case import load_case
from flexmb.cli import main
from flexmb.errors import InputError

ARMS = """\
title = "two arms"

[time]
end = 0.1
step = 0.01

[scheme]
name = "generalized-alpha"

[bodies.arm]
kind = "rigid"
mass = 2.0
inertia = [0.1, 0.2, 0.2]
center = [0.5, 0.0, 0.0]
points = { tip = [1.0, 0.0, 0.0] }

[bodies.hand]
kind = "rigid"
mass = 1.0
inertia = [0.1, 0.2, 0.2]
position = [1.0, 0.0, 0.0]
points = { grip = [0.5, 0.0, 0.0] }

[bodies.rope]
kind = "bar"
length = 1.0
elements = 4
area = 1.0
young = 9.0
density = 1.0
position = [1.5, 0.0, 0.0]

[bodies.bob]
kind = "particle"
mass = 1.0
position = [1.5, 0.0, 0.0]

[joints.shoulder]
kind = "revolute"
a = "ground"
b = "arm"
axis = [0.0, 0.0, 1.0]

[joints.elbow]
kind = "revolute"
a = "arm.tip"
b = "hand"
axis = [0.0, 0.0, 1.0]

[joints.knot]
kind = "spherical"
a = "hand.grip"
b = "bob"

[contacts.wall]
kind = "node-plane"
node = "rope.last"
point = [4.0, 0.0, 0.0]
normal = [-1.0, 0.0, 0.0]
"""


def replaced(old: str, new: str) -> str:
    assert ARMS.count(old) >= 1, old
    return ARMS.replace(old, new, 1)


def added(table: str) -> str:
    return f"{ARMS}\n{table}"


SPIN = 'drive = { kind = "spin-up", rate = 1.0, duration = 1.0 }'
GEAR = '[joints.gear]\nkind = "gear"\njoint1 = "shoulder"\njoint2 = "{}"\nratio = 2.0\n'
BAD = {
    "joint that is not closed": (
        replaced('b = "hand"\n', 'b = "hand.grip"\n'),
        "line 44: joints.elbow ... joint ... closed ... elbow: x ... off ... 0.5; [initial] project = true",
    ),
    "velocities that do not fit": (
        replaced("position = [1.0, 0.0, 0.0]", "position = [1.0, 0.0, 0.0]\nvelocity = [0.0, 3.0, 0.0]"),
        "joints.elbow ... velocities ... elbow: y ... rate 3 ... 0; [initial]",
    ),
    "zero inertia": (
        replaced("inertia = [0.1, 0.2, 0.2]", "inertia = [0.0, 0.2, 0.2]"),
        "line 13: bodies.arm.inertia = [0.0, 0.2, 0.2]: principal moments 0, 0.2, 0.2 kg m^2 ... positive",
    ),
    "inertia that is not positive definite": (
        replaced("inertia = [0.1, 0.2, 0.2]", "inertia = [0.1, 0.1, 0.2, 0.3, 0.0, 0.0]"),
        "line 13: bodies.arm.inertia = [0.1, 0.1, 0.2, 0.3, 0.0, 0.0]: principal moments -0.2, 0.2, 0.4 kg m^2",
    ),
    "inertia of no body": (
        replaced("inertia = [0.1, 0.2, 0.2]", "inertia = [0.1, 0.2, 0.5]"),
        "line 13: bodies.arm.inertia = [0.1, 0.2, 0.5]: principal moments 0.1, 0.2, 0.5 kg m^2 ... body ... moment",
    ),
    "inertia about the wrong point": (
        replaced("inertia = [0.1, 0.2, 0.2]", 'inertia = [0.1, 0.2, 0.2]\ninertia_about = "reference"'),
        "bodies.arm.inertia = [0.1, 0.2, 0.2]: principal moments ... mass -0.3, -0.3, 0.1 kg m^2",
    ),
    "axis that is no unit vector": (
        replaced("axis = [0.0, 0.0, 1.0]", "axis = [0.0, 0.0, 2.0]"),
        "line 42: joints.shoulder.axis = [0.0, 0.0, 2.0] ... unit vector ... length ... 2",
    ),
    "axes of a cross that are not perpendicular": (
        added('[joints.cross]\nkind = "universal"\na = "arm"\naxis = [1.0, 0.0, 0.0]\naxis2 = [0.6, 0.8, 0.0]\n'),
        "joints.cross.axis2 = [0.6, 0.8, 0.0] ... perpendicular ... axis ... 53.1301 degrees",
    ),
    "two drives on one motion": (
        replaced("axis = [0.0, 0.0, 1.0]", f"axis = [0.0, 0.0, 1.0]\n{SPIN}")
        + f'\n[joints.second]\nkind = "revolute"\na = "ground"\nb = "arm"\naxis = [0.0, 0.0, 1.0]\n{SPIN}\n',
        "joints.shoulder.drive: two drives ... motion: second, shoulder",
    ),
    "drive against a joint": (
        replaced("axis = [0.0, 0.0, 1.0]", f"axis = [0.0, 0.0, 1.0]\n{SPIN}")
        + '\n[joints.clamp]\nkind = "fixed"\na = "ground"\nb = "arm"\n',
        "line 43: joints.shoulder.drive ... drive moves ... joints ... shoulder ... clamp",
    ),
    "joint to a slope that is not there": (
        replaced('kind = "spherical"', 'kind = "fixed"').replace('b = "bob"', 'b = "rope.first"'),
        "joints.knot.b = 'rope.first': 'rope.node(0)' ... slope ... rotation ... fixed joint",
    ),
    "unknown body": (
        replaced('b = "hand"', 'b = "hend"'),
        "line 47: joints.elbow.b = 'hend' ... body 'hend' ... 'hand'",
    ),
    "unknown point": (replaced('"arm.tip"', '"arm.top"'), "line 46: joints.elbow.a = 'arm.top': "),
    "a joint of a body with itself": (
        replaced('b = "hand"', 'b = "arm"'),
        "joints.elbow: joins two points ... rigid body",
    ),
    "several nodes": (
        replaced('b = "bob"', 'b = "rope.all"'),
        "joints.knot.b = 'rope.all' ... 5 nodes ... single",
    ),
    "step and tolerance": (
        replaced("step = 0.01", "step = 0.01\ntolerance = 1e-6"),
        "line 6: time.tolerance = 1e-06 ... step, steps ... tolerance",
    ),
    "no step": (replaced("step = 0.01\n", ""), "time.step ... step, steps ... tolerance"),
    "negative tolerance": (
        replaced("step = 0.01", "tolerance = -1e-6"),
        "line 5: time.tolerance = -1e-06 ... positive number",
    ),
    "tolerance and a scheme without error estimate": (
        replaced("step = 0.01", "tolerance = 1e-6").replace('"generalized-alpha"', '"moreau-jean"\ntheta = 1.0'),
        "line 5: time.tolerance = 1e-06 ... error ... generalized-alpha, hht, newmark",
    ),
    "interval without tolerance": (
        added("[output]\ninterval = 0.01\n"),
        "output.interval = 0.01 ... time.tolerance ... step ... every",
    ),
    "interval that does not divide": (
        replaced("step = 0.01", "tolerance = 1e-6") + "\n[output]\ninterval = 0.03\n",
        "output.interval = 0.03 ... divide ... time span 0.1 ... whole intervals (3.33333)",
    ),
    "initial penetration": (
        replaced("point = [4.0, 0.0, 0.0]", "point = [2.25, 0.0, 0.0]"),
        "contacts.wall: initial penetration: contact 'wall' ... 0.25 m inside",
    ),
    "spheres that overlap": (
        added('[contacts.balls]\nkind = "sphere-sphere"\na = "arm"\nb = "hand"\nradius = 0.75\n'),
        "contacts.balls: initial penetration: contact 'balls' ... 0.5 m inside",
    ),
    "gear of an unknown joint": (
        added(GEAR.format("elbo")),
        "joints.gear.joint2 = 'elbo' ... joint ... 'elbow'?); joints ... angle: shoulder",
    ),
    "gear of a joint without angle": (
        added(GEAR.format("knot")),
        "joints.gear.joint2 = 'knot' ... joint ... angle; joints ... angle: shoulder, elbow",
    ),
    "spring on a joint without angle": (
        added('[loads.coil]\nkind = "torsion-spring"\njoint = "knot"\nstiffness = 1.0\n'),
        "loads.coil.joint = 'knot' ... joint ... angle; joints ... shoulder, elbow",
    ),
    "scheme of small motion": (
        replaced("generalized-alpha", "schatzman-paoli"),
        "line 8: scheme.name = 'schatzman-paoli' ... systems ... joints ... large rotations (rotors",
    ),
    "naive scheme": (
        replaced("generalized-alpha", "naive-hht"),
        "line 8: scheme.name = 'naive-hht' ... demonstration",
    ),
    "explicit scheme": (
        replaced('"generalized-alpha"', '"moreau-jean"\ntheta = 0.0'),
        "line 9: scheme.theta = 0.0 ... greater ... 0 ... systems ... joints ... large motion",
    ),
    "static start": (
        added('[initial]\nstatic = ["push"]\n'),
        "initial.static = ('push',) ... large motion ... weight",
    ),
    "project that is no word": (added("[initial]\nproject = 1\n"), "initial.project = 1 ... true ... false"),
    "table of a drive too short": (
        replaced(
            "axis = [0.0, 0.0, 1.0]",
            'axis = [0.0, 0.0, 1.0]\ndrive = { kind = "table", time = [0.0, 0.05], value = [0.0, 0.0] }',
        ),
        "line 43: joints.shoulder.drive.time ... table covers 0 ... 0.05 s ... 0 ... 0.1 s",
    ),
    "signal of a joint": (
        added('[output]\nsignals = ["joints.knot.angle"]\n'),
        "output.signals = 'joints.knot.angle' ... joint ... angle; joints ... shoulder, elbow",
    ),
    "signal of an unknown joint": (
        added('[[expect]]\nsignal = "joints.elbo.angle"\nreduce = "last"\nvalue = 0.0\natol = 1.0\n'),
        "expect.0.signal = 'joints.elbo.angle' ... joint ... 'elbow'",
    ),
    "row of a joint": (
        added('[[expect]]\nsignal = "joints.knot.force.3"\nreduce = "last"\nvalue = 0.0\natol = 1.0\n'),
        "expect.0.signal = 'joints.knot.force.3': 'joints.knot.force' ... component '3'",
    ),
    "surface mesh that is nowhere": (
        replaced("center = [0.5, 0.0, 0.0]", 'center = [0.5, 0.0, 0.0]\nmesh = "no.stl"'),
        "line 15: bodies.arm.mesh = ",
    ),
    "entry of a list of shapes": (
        replaced("center = [0.5, 0.0, 0.0]", 'center = [0.5, 0.0, 0.0]\nshape = [{ kind = "sphere", radius = -1.0 }]'),
        "line 15: bodies.arm.shape.0.radius = -1.0 ... positive",
    ),
    "unknown kind of joint": (
        replaced('kind = "revolute"', 'kind = "revolut"'),
        "line 39: joints.shoulder.kind = 'revolut' ... kind ... 'revolute'?); allowed",
    ),
    "number that overflows": (
        replaced("mass = 2.0", "mass = 1e300") + "\n[gravity]\nacceleration = [0.0, 0.0, -1e10]\n",
        "numbers ... large ... small ... compute ... linear F0 ... finite",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_is_named_with_part_and_residual(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, words = BAD[name]
    path = tmp_path / "arms.toml"
    path.write_text(text)
    assert main(["validate", str(path)]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"flexmb: error: {path}")
    assert says(said, words)
    assert said.count("\n") == 1


def test_the_arms_themselves_are_right(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "arms.toml"
    path.write_text(ARMS)
    assert main(["validate", str(path)]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert captured.out.endswith("ok (20 unknowns, 3 joints, 1 contact, 10 steps of 0.01 s, generalized-alpha)\n")


def placed(folder: Path, text: str) -> Path:
    path = folder / "arms.toml"
    path.write_text(text)
    return path


LOOSE = replaced('b = "hand"\n', 'b = "hand.grip"\n')
PROJECT = "\n[initial]\nproject = true\n"


def test_project_closes_what_is_open_and_says_how_far_it_moved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = placed(tmp_path, LOOSE + PROJECT)
    system = load_case(path).plan.system
    assert np.abs(system.g(0.0, system.q0)[: system.nj]).max() <= 1e-13
    assert np.abs(system.gdot(0.0, system.q0, system.v0)[: system.nj]).max() <= 1e-13
    assert main(["validate", str(path)]) == 0
    said = capsys.readouterr().err
    assert says(said, "initial state ... joints ... coordinates ... 0.")
    assert tomllib.loads(load_case(path).to_toml())["initial"] == {
        "static": [],
        "steady": False,
        "project": True,
        "penetration": 0.0,
    }


def test_what_project_cannot_close_is_named(tmp_path: Path) -> None:
    far = '[joints.far]\nkind = "distance"\na = "hand.grip"\npoint = [9.0, 0.0, 0.0]\nlength = 1.0\n'
    with pytest.raises(InputError, match=r"joints\.\w+.*closed.*\w+: \w+.* [\d.]+"):
        _ = load_case(placed(tmp_path, added(far) + PROJECT)).plan


def test_project_is_for_large_motion(tmp_path: Path) -> None:
    small = ARMS.split("[bodies.arm]")[0] + '[bodies.bob]\nkind = "particle"\nmass = 1.0\n'
    with pytest.raises(InputError, match=r"initial\.project = True.*systems.*large motion"):
        _ = load_case(placed(tmp_path, small + PROJECT)).plan


def test_redundant_joints_are_noted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    twice = '[joints.again]\nkind = "spherical"\na = "arm.tip"\nb = "hand"\n'
    assert main(["validate", str(placed(tmp_path, added(twice)))]) == 0
    said = capsys.readouterr().err
    assert said.startswith("note: redundant joints: ")
    assert "again" in said
    assert "elbow" in said


def test_a_tolerance_makes_an_even_grid_of_samples(tmp_path: Path) -> None:
    path = placed(tmp_path, replaced("step = 0.01", "tolerance = 1e-6"))
    plan = load_case(path).plan
    assert (plan.steps, plan.h, plan.tolerance) == (500, 0.1 / 500, 1e-6)
    assert tomllib.loads(load_case(path).to_toml())["output"]["interval"] == 0.1 / 500
    case = load_case(path, ["output.interval=0.02", "output.every=2"])
    assert (case.plan.steps, case.plan.h, case.plan.every) == (5, 0.02, 2)
    again = tmp_path / "again.toml"
    for asked in (case, load_case(path)):
        again.write_text(asked.to_toml())
        assert load_case(again).to_toml() == asked.to_toml()
        assert load_case(again).plan.h == asked.plan.h


def test_one_way_to_choose_steps_takes_the_place_of_another(tmp_path: Path) -> None:
    case = load_case(placed(tmp_path, ARMS), ["time.tolerance=1e-5"])
    assert says(only(case.values.notes), "time.step ... --set ... time.tolerance")
    assert case.plan.tolerance == 1e-5
    path = placed(tmp_path, replaced("step = 0.01", "tolerance = 1e-6") + "\n[output]\ninterval = 0.01\n")
    case = load_case(path, ["time.steps=7"])
    assert [note.split()[0] for note in case.values.notes] == ["time.tolerance", "output.interval"]
    assert (case.plan.steps, case.plan.tolerance) == (7, 0.0)
    with pytest.raises(InputError, match="step, steps.*tolerance"):
        _ = load_case(path, ["time.steps=7", "time.tolerance=1e-3"]).plan


def test_gears_may_stand_before_the_joints_they_couple(tmp_path: Path) -> None:
    text = ARMS.replace("[joints.shoulder]", GEAR.format("elbow") + "\n[joints.shoulder]")
    assert load_case(placed(tmp_path, text)).plan.system.joints.names == ("shoulder", "elbow", "knot", "gear")


def test_surface_meshes_are_found_beside_the_case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import meshio

    meshio.Mesh(np.eye(3), [("triangle", np.array([[0, 1, 2]]))]).write(tmp_path / "sail.vtu")
    text = replaced("center = [0.5, 0.0, 0.0]", 'center = [0.5, 0.0, 0.0]\nmesh = "sail.vtu"')
    path = placed(tmp_path, text)
    monkeypatch.chdir("/")
    case = load_case(path)
    assert len(case.plan.system.layout.triangles) == 1
    again = tmp_path / "sub" / "again.toml"
    again.parent.mkdir()
    again.write_text(case.to_toml())
    assert load_case(again).to_toml() == case.to_toml()
    path.write_text(text.replace("sail", "tail"))
    with pytest.raises(InputError, match=r"line 15: bodies\.arm\.mesh = '.*tail\.vtu'.*mesh file"):
        load_case(path)


def test_expectations_find_their_signals(tmp_path: Path) -> None:
    asked = ("joints.elbow.angle", "joints.elbow.force.0", "joints.elbow.position_error", "hand.orientation.3")
    asked = (*asked, "hand.kinetic_energy", "summary.newton_iterations", "arm.center.position.x")
    expect = '[[expect]]\nsignal = "{}"\n{}at_least = -1.0\n\n'
    entries = [expect.format(name, "" if name.startswith("summary") else 'reduce = "last"\n') for name in asked]
    text = added("".join(entries) + '[output]\nsignals = ["arm.tip.position"]\n')
    probes = [probe.name for probe in load_case(placed(tmp_path, text)).plan.system.probes]
    assert probes == [
        *("arm.tip.position", "joints.elbow.angle", "hand.orientation", "hand.kinetic_energy", "arm.center.position"),
    ]


def swinging() -> fm.Model:
    model = fm.Model(gravity=(0.0, 0.0, -9.81))
    model.add(fm.Rigid("box", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(1.0, 0.0, 0.0)))
    model.add(fm.Gear("gear", joint1="hinge", joint2="wheel", ratio=1.0))
    model.add(fm.Revolute("hinge", a="box", point=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
    model.add(fm.Rigid("disk", mass=1.0, inertia=(0.1, 0.1, 0.1)))
    model.add(fm.Revolute("wheel", a="disk", axis=(0.0, 1.0, 0.0)))
    return model


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"tolerance": 1e-6, "step": 0.1}, "step, steps.*tolerance"),
        ({"tolerance": "fine"}, r"time\.tolerance = 'fine'.*number"),
        ({"tolerance": 0.0}, r"time\.tolerance = 0\.0.*positive number"),
        ({"tolerance": 1e-6, "interval": "a"}, r"output\.interval = 'a'.*number"),
        ({"tolerance": 1e-6, "interval": 2.0}, r"output\.interval = 2\.0.*longer.*time span 1.*1\.0"),
        ({"step": 0.1, "interval": 0.1}, r"output\.interval = 0\.1.*time\.tolerance"),
    ],
)
def test_what_simulate_refuses(settings: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        fm.simulate(swinging(), fm.GeneralizedAlpha(), end=1.0, **settings)  # type: ignore[arg-type]


def test_a_run_by_tolerance_counts_its_steps() -> None:
    result = fm.simulate(swinging(), fm.GeneralizedAlpha(), end=0.5, tolerance=1e-6, interval=0.05)
    np.testing.assert_allclose(result.time, 0.05 * np.arange(11), rtol=0.0, atol=1e-15)
    summary = result.summary
    assert (summary["steps"], summary["joints"], summary["dofs"], summary["tolerance"]) == (10, 3, 12, 1e-6)
    assert summary["steps_taken"] > 10
    assert summary["newton_iterations"] >= summary["steps_taken"]
    np.testing.assert_allclose(
        result.signals["joints.hinge.angle"], -result.signals["joints.wheel.angle"], rtol=0, atol=1e-9
    )
    assert abs(result.signals["joints.hinge.angle"][-1]) > 0.5
    finer = fm.simulate(swinging(), fm.GeneralizedAlpha(), end=0.5, tolerance=1e-8, interval=0.05)
    assert finer.summary["steps_taken"] > 2 * summary["steps_taken"]
    steady = fm.simulate(swinging(), fm.GeneralizedAlpha(), end=0.5, step=0.05)
    assert (steady.summary["steps_taken"], steady.summary["tolerance"]) == (10, None)
