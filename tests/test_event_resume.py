"""Runs with located events that are interrupted and resumed give the same bits, for every integrator."""

from __future__ import annotations

from pathlib import Path

import pytest
from event_runs import SCHEMES
from test_cli import assert_same_bits

import flexmb as fm
from flexmb.case import load_case

BALL = """
[time]
end = 3.2
{steps}
events = true

[scheme]
{scheme}

[gravity]
acceleration = [0.0, 0.0, -2.0]

[bodies.ball]
kind = "particle"
mass = 1.0
position = [0.0, 0.0, 1.0]
axes = "{axes}"

[contacts.floor]
kind = "node-plane"
node = "ball"
normal = [0.0, 0.0, 1.0]
restitution = 0.5
{law}

[output]
checkpoint_every = 1e-9
"""
"""Impacts at 1, 2, 2.5, ... s, rest from 3 s; a checkpoint after every block."""

RUNS = {name: f'name = "{name}"' for name in (*SCHEMES, "newmark", "hht", "generalized-alpha")}
RUNS |= {f"{name}, captured": f'name = "{name}"\nimpacts = "captured"' for name in ("radau-iia-5", "lobatto-iiia-4")}
RUNS |= {
    "hem5, own dense output": 'name = "hem5"\ndense = "own"',
    "hybrid in time stepping": 'name = "hybrid"\nmost_events = 2\nshortest = 1e-3',
}


def interrupted_and_whole(text: str, folder: Path, after: float) -> tuple[Path, Path]:
    """Return folders of a run that was interrupted behind a fraction of its intervals, and of a whole one."""
    (folder / "case.toml").write_text(text)
    case = str(folder / "case.toml")

    def stop(done: int, of: int) -> None:
        if done > after * of:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        load_case(case).run(folder / "part", progress=stop)
    assert (folder / "part/checkpoint.npz").is_file()
    load_case(case).run(folder / "part", resume=True)
    load_case(case).run(folder / "whole")
    return folder / "part", folder / "whole"


def assert_same(part: Path, whole: Path) -> None:
    """Compare all samples and the figures of the summaries, events and switches included."""
    assert_same_bits(part, whole)
    one, two = fm.load(part).summary, fm.load(whole).summary
    for key in ("energy", "events", "event_list", "switches", "steps", "notes", "max_penetration"):
        assert one[key] == two[key], key


@pytest.fixture(autouse=True)
def short_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every block be one interval, so that there is a checkpoint before the end of a short run."""
    monkeypatch.setattr("flexmb.drive.run._next_size", lambda size, seconds: 1)


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.filterwarnings("ignore::flexmb.RunWarning")
def test_a_resumed_run_with_fixed_steps_gives_the_same_bits(name: str, tmp_path: Path) -> None:
    """Interrupted between the second and the third impact."""
    text = BALL.format(steps="steps = 32", scheme=RUNS[name], axes="z", law="")
    part, whole = interrupted_and_whole(text, tmp_path, 0.7)
    assert_same(part, whole)
    assert fm.load(whole).summary["events"]["impacts"] >= 3


@pytest.mark.parametrize("name", ["dopri5", "hem5", "phem56", "rkf45", "radau-iia-5", "hybrid", "generalized-alpha"])
def test_a_resumed_run_with_a_tolerance_gives_the_same_bits(name: str, tmp_path: Path) -> None:
    """The step that was planned is part of a checkpoint."""
    text = BALL.format(steps="tolerance = 1e-6", scheme=RUNS[name], axes="z", law='impact = "poisson"')
    part, whole = interrupted_and_whole(text + "interval = 0.1\n", tmp_path, 0.7)
    assert_same(part, whole)


def test_a_resumed_run_in_time_stepping_gives_the_same_bits(tmp_path: Path) -> None:
    """A puck with friction in space: from the start on in steps of Moreau's scheme."""
    scheme = 'name = "hybrid"\nshortest = 5e-3'
    text = BALL.format(steps="steps = 16", scheme=scheme, axes="xyz", law="friction = 0.1")
    text = text.replace("position = [0.0, 0.0, 1.0]", "velocity = [0.3, 0.4, 0.0]")
    part, whole = interrupted_and_whole(text, tmp_path, 0.5)
    assert_same(part, whole)
    assert fm.load(whole).summary["events"]["time_steps"] >= 500
