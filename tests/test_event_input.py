"""Input that runs with events refuse."""

from __future__ import annotations

from pathlib import Path

import pytest
from event_runs import ball

import flexmb as fm
from flexmb.cli import main
from flexmb.errors import InputError

CASE = """
[time]
end = 0.5
tolerance = 1e-8

[scheme]
name = "phem56"

[gravity]
acceleration = [0.0, 0.0, -9.81]

[bodies.ball]
kind = "particle"
mass = 1.0
position = [0.0, 0.0, 1.0]

[contacts.floor]
kind = "node-plane"
node = "ball"
normal = [0.0, 0.0, 1.0]

[contacts.track]
kind = "node-curve"
node = "ball"
y_axis = [0.0, 0.0, 1.0]
pieces = [
  { kind = "segment", start = [-2.0, -1.0], end = [0.0, -1.0] },
  { kind = "segment", start = [0.0, -1.0], end = [2.0, -1.0] },
]

[output]
interval = 0.1
"""
BELOW = ("time.tolerance = 1e-17", "double precision")
SPACE = ("friction in space", "contact 'floor'", "hybrid")
WRONG = {
    **{
        f"tolerance, {name}": ([("1e-8", "1e-17"), ("phem56", name)], (*BELOW, f"at least {least}\n"))
        for name, least in {
            "phem56": "1e-14",
            "hybrid": "1e-14",
            "radau-iia-5": "1e-14",
            "generalized-alpha": "1e-14",
            "moreau-jean": "1e-13",
        }.items()
    },
    "tolerance, large motion": (
        [("1e-8", "1e-17"), ("phem56", "newmark"), ('"particle"', '"rigid"\ninertia = [1.0, 1.0, 1.0]')],
        (*BELOW, "at least 1e-14\n"),
    ),
    "friction": ([("normal = [0.0, 0.0, 1.0]", "normal = [0.0, 0.0, 1.0]\nfriction = 0.3")], SPACE),
    "friction, alpha family": (
        [
            ("normal = [0.0, 0.0, 1.0]", "normal = [0.0, 0.0, 1.0]\nfriction = 0.3"),
            ("phem56", "newmark"),
            ("end = 0.5", "end = 0.5\nevents = true"),
        ],
        (*SPACE, "newmark"),
    ),
    "edges": (
        [("start = [0.0, -1.0]", "start = [0.0, -0.75]")],
        ("contacts.track.pieces.1.start", "piece 2", "piece 1", "(0, -1)", "0.25 m"),
    ),
}
"""What is changed in the case, and the words of the message."""


@pytest.mark.parametrize("changed", WRONG)
@pytest.mark.parametrize("command", ["validate", "run"])
def test_the_command_line_refuses_by_name(
    command: str, changed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The case as it stands is accepted; nothing is written of one that is refused."""
    monkeypatch.chdir(tmp_path)
    path, text = tmp_path / "case.toml", CASE
    path.write_text(text)
    assert main(["validate", "case.toml"]) == 0
    edits, words = WRONG[changed]
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    path.write_text(text)
    capsys.readouterr()
    assert main([command, "case.toml"]) == 2
    said = capsys.readouterr().err
    assert "Traceback" not in said
    assert all(word in said for word in ("case.toml", *words)), said
    assert [entry.name for entry in tmp_path.iterdir()] == ["case.toml"]


@pytest.mark.parametrize("scheme", ["phem56", "hybrid", "radau-iia-5"])
def test_events_cannot_be_false_with_an_integrator_between_events(scheme):
    with pytest.raises(InputError, match=scheme) as found:
        fm.simulate(ball(), scheme, step=0.1, end=0.1, events=False)
    assert (found.value.where, found.value.key, found.value.value) == ("time", "events", False)
    assert fm.simulate(ball(), scheme, step=0.1, end=0.1).complete


def test_events_false_in_a_case_file_is_refused_with_its_place():
    with pytest.raises(InputError, match="phem56"):
        fm.load_case("double_pendulum_wall", ["scheme={name='phem56'}", "time.events=false"]).plan  # noqa: B018
    assert not fm.load_case("double_pendulum_wall", ["time.events=false"]).plan.with_events


@pytest.mark.parametrize("static", [0.0, 0.3])
@pytest.mark.parametrize("scheme", ["phem56", "hybrid", "newmark"])
def test_friction_that_depends_on_the_slip_is_refused(scheme, static):
    """Also without friction at rest, where the first number of the law is zero."""
    model = fm.Model(gravity=(6.0, 0.0, -9.81))
    model.add(fm.Particle("block", mass=2.0, axes="xz"))
    law = {"kind": "stribeck", "static": static, "dynamic": 0.2, "speed": 0.1}
    model.add(fm.NodePlane("floor", node="block", normal=(0.0, 0.0, 1.0), friction=law))
    with pytest.raises(InputError, match="floor"):
        fm.simulate(model, scheme, step=0.01, end=0.01, events=True)


def test_times_of_events_are_expected_by_kind_and_number(tmp_path):
    """The ball of RR-7151 hits at 1 and 2 s; a third impact before 2.2 s does not exist, and its expectation fails."""
    text = (Path(fm.load_case("event_ball").file).read_text()).split("[[expect]]")[0]
    entry = '[[expect]]\nsignal = "summary.event_list.{}"\nvalue = {}\natol = 1e-12\n'
    file = tmp_path / "ball.toml"
    file.write_text(text + "".join(entry.format(f"impact.{k}", t) for k, t in enumerate((1.0, 2.0, 2.5))))
    case = fm.load_case(file, ["time.end=2.2"])
    assert [e["ok"] for e in case.check(case.run())] == [True, True, False]
    for wrong in ("bounce.0", "impact.first", "impact"):
        file.write_text(text + entry.format(wrong, 1.0))
        with pytest.raises(InputError, match=rf"summary\.event_list\.{wrong}"):
            fm.load_case(file).plan  # noqa: B018
