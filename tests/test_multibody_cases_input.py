"""Mechanisms that cannot be: the case reader says which part, where it stands, and by how much it is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from flexmb.cli import main

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
        "line 44: joints.elbow: the joint is not closed at the start: elbow: x is off by 0.5; [initial] project = true",
    ),
    "velocities that do not fit": (
        replaced("position = [1.0, 0.0, 0.0]", "position = [1.0, 0.0, 0.0]\nvelocity = [0.0, 3.0, 0.0]"),
        "joints.elbow: the velocities do not fit this joint: elbow: y has the rate 3 where it must be 0; [initial]",
    ),
    "zero inertia": (
        replaced("inertia = [0.1, 0.2, 0.2]", "inertia = [0.0, 0.2, 0.2]"),
        "line 13: bodies.arm.inertia = [0.0, 0.2, 0.2]: principal moments 0, 0.2, 0.2 kg m^2: all must be positive",
    ),
    "inertia that is not positive definite": (
        replaced("inertia = [0.1, 0.2, 0.2]", "inertia = [0.1, 0.1, 0.2, 0.3, 0.0, 0.0]"),
        "line 13: bodies.arm.inertia = [0.1, 0.1, 0.2, 0.3, 0.0, 0.0]: principal moments -0.2, 0.2, 0.4 kg m^2: all",
    ),
    "inertia of no body": (
        replaced("inertia = [0.1, 0.2, 0.2]", "inertia = [0.1, 0.2, 0.5]"),
        "line 13: bodies.arm.inertia = [0.1, 0.2, 0.5]: principal moments 0.1, 0.2, 0.5 kg m^2: no body has a moment",
    ),
    "inertia about the wrong point": (
        replaced("inertia = [0.1, 0.2, 0.2]", 'inertia = [0.1, 0.2, 0.2]\ninertia_about = "reference"'),
        "bodies.arm.inertia = [0.1, 0.2, 0.2]: principal moments about the centre of mass -0.3, -0.3, 0.1 kg m^2",
    ),
    "axis that is no unit vector": (
        replaced("axis = [0.0, 0.0, 1.0]", "axis = [0.0, 0.0, 2.0]"),
        "line 42: joints.shoulder.axis = [0.0, 0.0, 2.0]: must be a unit vector, but its length is 2",
    ),
    "axes of a cross that are not perpendicular": (
        added('[joints.cross]\nkind = "universal"\na = "arm"\naxis = [1.0, 0.0, 0.0]\naxis2 = [0.6, 0.8, 0.0]\n'),
        "joints.cross.axis2 = [0.6, 0.8, 0.0]: must be perpendicular to axis, but they are at 53.1301 degrees",
    ),
    "two drives on one motion": (
        replaced("axis = [0.0, 0.0, 1.0]", f"axis = [0.0, 0.0, 1.0]\n{SPIN}")
        + f'\n[joints.second]\nkind = "revolute"\na = "ground"\nb = "arm"\naxis = [0.0, 0.0, 1.0]\n{SPIN}\n',
        "joints.shoulder.drive: two drives on one motion: second, shoulder",
    ),
    "drive against a joint": (
        replaced("axis = [0.0, 0.0, 1.0]", f"axis = [0.0, 0.0, 1.0]\n{SPIN}")
        + '\n[joints.clamp]\nkind = "fixed"\na = "ground"\nb = "arm"\n',
        "line 43: joints.shoulder.drive: the drive moves what other joints hold: shoulder (with clamp)",
    ),
    "joint to a slope that is not there": (
        replaced('kind = "spherical"', 'kind = "fixed"').replace('b = "bob"', 'b = "rope.first"'),
        "joints.knot.b = 'rope.first': 'rope.node(0)' has no slope or rotation that a fixed joint could hold",
    ),
    "unknown body": (
        replaced('b = "hand"', 'b = "hend"'),
        "line 47: joints.elbow.b = 'hend': there is no body 'hend' (did you mean 'hand'?)",
    ),
    "unknown point": (replaced('"arm.tip"', '"arm.top"'), "line 46: joints.elbow.a = 'arm.top': "),
    "a joint of a body with itself": (
        replaced('b = "hand"', 'b = "arm"'),
        "joints.elbow: joins two points of one rigid body",
    ),
    "several nodes": (
        replaced('b = "bob"', 'b = "rope.all"'),
        "joints.knot.b = 'rope.all': means 5 nodes where a single one is needed",
    ),
    "step and tolerance": (
        replaced("step = 0.01", "step = 0.01\ntolerance = 1e-6"),
        "line 6: time.tolerance = 1e-06: give one of step, steps and tolerance",
    ),
    "no step": (replaced("step = 0.01\n", ""), "time.step: give one of step, steps and tolerance"),
    "negative tolerance": (
        replaced("step = 0.01", "tolerance = -1e-6"),
        "line 5: time.tolerance = -1e-06: must be a positive number",
    ),
    "tolerance and a scheme without error estimate": (
        replaced("step = 0.01", "tolerance = 1e-6").replace("generalized-alpha", "moreau-jean"),
        "line 5: time.tolerance = 1e-06: needs generalized-alpha, hht or newmark, whose error is known; with",
    ),
    "interval without tolerance": (
        added("[output]\ninterval = 0.01\n"),
        "output.interval = 0.01: belongs to time.tolerance; samples of a run with steps of one size",
    ),
    "interval that does not divide": (
        replaced("step = 0.01", "tolerance = 1e-6") + "\n[output]\ninterval = 0.03\n",
        "output.interval = 0.03: does not divide the time span 0.1 into whole intervals (3.33333); use ",
    ),
    "initial penetration": (
        replaced("point = [4.0, 0.0, 0.0]", "point = [2.25, 0.0, 0.0]"),
        "contacts.wall: initial penetration: contact 'wall' starts 0.25 m inside",
    ),
    "spheres that overlap": (
        added('[contacts.balls]\nkind = "sphere-sphere"\na = "arm"\nb = "hand"\nradius = 0.75\n'),
        "contacts.balls: initial penetration: contact 'balls' starts 0.5 m inside",
    ),
    "gear of an unknown joint": (
        added(GEAR.format("elbo")),
        "joints.gear.joint2 = 'elbo': there is no such joint (did you mean 'elbow'?); joints with an angle: shoulder",
    ),
    "gear of a joint without angle": (
        added(GEAR.format("knot")),
        "joints.gear.joint2 = 'knot': this joint has no angle; joints with an angle: shoulder, elbow",
    ),
    "spring on a joint without angle": (
        added('[loads.coil]\nkind = "torsion-spring"\njoint = "knot"\nstiffness = 1.0\n'),
        "loads.coil.joint = 'knot': this joint has no angle; joints with one: shoulder, elbow",
    ),
    "scheme of small motion": (
        replaced("generalized-alpha", "schatzman-paoli"),
        "line 8: scheme.name = 'schatzman-paoli': works on systems of small motion without joints only; here",
    ),
    "naive scheme": (replaced("generalized-alpha", "naive-hht"), "line 8: scheme.name = 'naive-hht': works on systems"),
    "explicit scheme": (
        replaced('"generalized-alpha"', '"moreau-jean"\ntheta = 0.0'),
        "line 9: scheme.theta = 0.0: must be greater than 0 for systems with joints or large motion",
    ),
    "static start": (
        added('[initial]\nstatic = ["push"]\n'),
        "initial.static = ('push',): is not available for models with joints or large motion",
    ),
    "project that is no word": (added("[initial]\nproject = 1\n"), "initial.project = 1: must be true or false"),
    "table of a drive too short": (
        replaced(
            "axis = [0.0, 0.0, 1.0]",
            'axis = [0.0, 0.0, 1.0]\ndrive = { kind = "table", time = [0.0, 0.05], value = [0.0, 0.0] }',
        ),
        "line 43: joints.shoulder.drive.time: the table covers 0 to 0.05 s, but it is needed from 0 to 0.1 s",
    ),
    "signal of a joint": (
        added('[output]\nsignals = ["joints.knot.angle"]\n'),
        "output.signals = 'joints.knot.angle': this joint has no angle; joints with one: shoulder, elbow",
    ),
    "signal of an unknown joint": (
        added('[[expect]]\nsignal = "joints.elbo.angle"\nreduce = "last"\nvalue = 0.0\natol = 1.0\n'),
        "expect.0.signal = 'joints.elbo.angle': there is no such joint (did you mean 'elbow'?)",
    ),
    "row of a joint": (
        added('[[expect]]\nsignal = "joints.knot.force.3"\nreduce = "last"\nvalue = 0.0\natol = 1.0\n'),
        "expect.0.signal = 'joints.knot.force.3': 'joints.knot.force' has no component '3'",
    ),
    "surface mesh that is nowhere": (
        replaced("center = [0.5, 0.0, 0.0]", 'center = [0.5, 0.0, 0.0]\nmesh = "no.stl"'),
        "line 15: bodies.arm.mesh = ",
    ),
    "entry of a list of shapes": (
        replaced("center = [0.5, 0.0, 0.0]", 'center = [0.5, 0.0, 0.0]\nshape = [{ kind = "sphere", radius = -1.0 }]'),
        "line 15: bodies.arm.shape.0.radius = -1.0: must be positive",
    ),
    "unknown kind of joint": (
        replaced('kind = "revolute"', 'kind = "revolut"'),
        "line 39: joints.shoulder.kind = 'revolut': unknown kind (did you mean 'revolute'?); allowed: ",
    ),
    "number that overflows": (
        replaced("mass = 2.0", "mass = 1e300") + "\n[gravity]\nacceleration = [0.0, 0.0, -1e10]\n",
        "holds numbers too large or too small to compute with: linear F0 not finite",
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
    assert words in said
    assert said.count("\n") == 1


def test_the_arms_themselves_are_right(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "arms.toml"
    path.write_text(ARMS)
    assert main(["validate", str(path)]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert captured.out.endswith("ok (20 unknowns, 3 joints, 1 contact, 10 steps of 0.01 s, generalized-alpha)\n")
