"""What every integrator does: resumed runs with the same bits, signals, studies, reports, pictures, continued runs."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from event_runs import ball
from pictures import require_drawing
from study_files import Inline
from test_cli import assert_same_bits

import flexmb as fm
from flexmb.case import load_case
from flexmb.cli import main
from flexmb.study.study import load_study

BALL = """
[time]
end = 3.2
{time}

[scheme]
{scheme}

[gravity]
acceleration = [0.0, 0.0, -2.0]

[bodies.ball]
kind = "particle"
mass = 1.0
position = [0.0, 0.0, 1.0]
axes = "{axes}"

[loads.spring]
kind = "spring"
node = "ball"
direction = [0.0, 0.0, 1.0]
stiffness = 0.5

[contacts.floor]
kind = "node-plane"
node = "ball"
normal = [0.0, 0.0, 1.0]
restitution = {bounces}
{law}

[output]
checkpoint_every = 1e-9
"""
"""Impacts at 1.022, 2.197, 2.811, ... s; a checkpoint after every block."""

PLATE = BALL.replace(
    """kind = "particle"
mass = 1.0
position = [0.0, 0.0, 1.0]
axes = "{axes}"
""",
    """kind = "rigid"
mass = 1.0
inertia = [0.1, 0.2, 0.25]
position = [0.0, 0.0, 1.0]
angular_velocity = [1.0, 0.5, 0.2]
points = {{ corner = [0.3, 0.2, 0.0] }}
""",
).replace('node = "ball"', 'node = "ball.corner"')
"""A body that turns about all axes and falls onto one of its points: large motion."""

EVENTS = "events = true"
ALPHA = ("newmark", "hht", "generalized-alpha")
OPTIONS = {
    "radau-iia-5, captured": {"impacts": "captured"},
    "lobatto-iiia-4, captured": {"impacts": "captured"},
    "hem5, own dense output": {"dense": "own"},
    "hybrid, in time stepping": {"most_events": 2, "shortest": 1e-3},
    "potra, II": {"variant": "II"},
    "schatzman-paoli, theta": {"weighting": "theta"},
    **{f"{name}, events": {} for name in ALPHA},
}
RUNS = {**{name: {} for name in fm.SCHEMES}, **OPTIONS}
"""Every scheme and its ways to run, with the options of each."""
BY_ERROR = [name for name, scheme in fm.SCHEMES.items() if scheme().has_error_estimate]
STEPPED_IN_LARGE_MOTION = [
    name for name, cls in fm.SCHEMES.items() if cls.driver == "steps" and name not in ("naive-hht", "schatzman-paoli")
]


def restitution(run: str) -> float:
    """Return the restitution of a run: the linearized Euler method has none."""
    return 0.0 if run == "euler-linearized" else 0.5


def scheme_of(run: str) -> str:
    """Return the name of the scheme of a run."""
    return run.partition(",")[0]


def case_of(run: str, time: str, text: str = BALL, axes: str = "z", law: str = "") -> str:
    """Return a case file."""
    options = {"name": scheme_of(run), **RUNS[run]}
    table = "\n".join(f"{key} = {value!r}".replace("'", '"') for key, value in options.items())
    events = EVENTS if run.endswith(", events") else ""
    return text.format(time=f"{time}\n{events}", scheme=table, bounces=restitution(run), axes=axes, law=law)


def puck() -> str:
    """Return the case of a puck with friction in space, which is in time stepping from the start."""
    scheme = 'name = "hybrid"\nshortest = 5e-3'
    text = BALL.format(time="steps = 16", scheme=scheme, bounces=0.5, axes="xyz", law="friction = 0.1")
    return text.replace("position = [0.0, 0.0, 1.0]", "velocity = [0.3, 0.4, 0.0]")


def interrupted_and_whole(text: str, folder: Path, after: float, calls: int = 1) -> tuple[Path, Path]:
    """Return folders of a run that was interrupted behind a fraction of its intervals, and of a whole one.

    The run is interrupted when its progress is called for the given time with the same number of steps.
    """
    (folder / "case.toml").write_text(text)
    case = str(folder / "case.toml")

    told: list[int] = []

    def stop(done: int, of: int) -> None:
        told.append(done)
        if done > after * of and told.count(done) == calls:
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
    monkeypatch.setattr("flexmb.drive.run._most_steps", lambda plan: 1)


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.filterwarnings("ignore::flexmb.RunWarning")
def test_a_resumed_run_with_fixed_steps_gives_the_same_bits(run: str, tmp_path: Path) -> None:
    """Interrupted between the second and the third impact; flight until 1.022 s."""
    part, whole = interrupted_and_whole(case_of(run, "steps = 32"), tmp_path, 0.7)
    assert_same(part, whole)
    result = fm.load(whole)
    located = fm.SCHEMES[scheme_of(run)].driver == "events" or run.endswith(", events")
    assert not located or result.summary["events"]["impacts"] >= 3
    flight = 4.0 * np.cos(np.sqrt(0.5) * result.time[:10]) - 3.0
    np.testing.assert_allclose(result.signals["ball.position"][:10, 2], flight, atol=5e-3 if located else 0.1)
    assert result.contacts["floor"].impulse.sum() > 1.0


@pytest.mark.parametrize("run", [*BY_ERROR, *(f"{name}, events" for name in ALPHA)])
@pytest.mark.filterwarnings("ignore::flexmb.RunWarning")
def test_a_resumed_run_with_a_tolerance_gives_the_same_bits(run: str, tmp_path: Path) -> None:
    """The step that was planned is part of a checkpoint."""
    law = 'impact = "poisson"' if fm.SCHEMES[scheme_of(run)].driver == "events" else ""
    text = case_of(run, "tolerance = 1e-6", law=law) + "interval = 0.1\n"
    part, whole = interrupted_and_whole(text, tmp_path, 0.7)
    assert_same(part, whole)


@pytest.mark.parametrize(
    ("run", "time"),
    [
        (run, time)
        for run in (*STEPPED_IN_LARGE_MOTION, "dopri5", "radau-iia-5")
        for time in ("steps = 32", "tolerance = 1e-4")
        if time.startswith("steps") or run in BY_ERROR
    ],
)
@pytest.mark.filterwarnings("ignore::flexmb.RunWarning")
def test_a_resumed_run_in_large_motion_gives_the_same_bits(run: str, time: str, tmp_path: Path) -> None:
    text = case_of(run, time, PLATE) + ("interval = 0.1\n" if "tolerance" in time else "")
    part, whole = interrupted_and_whole(text, tmp_path, 0.7)
    assert_same(part, whole)
    assert fm.load(whole).contacts["floor"].impulse.sum() > 1.0


@pytest.mark.parametrize("run", ["phem56", "hybrid"])
def test_a_run_interrupted_between_steps_of_an_interval_gives_the_same_bits(
    run: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three steps behind a sample; the puck is in time stepping."""
    monkeypatch.setattr("flexmb.drive.events.event_engine.SECONDS", 0.0)
    text = puck() if run == "hybrid" else case_of(run, "tolerance = 1e-8") + "interval = 0.8\n"
    part, whole = interrupted_and_whole(text, tmp_path, 0.5, calls=4)
    assert_same(part, whole)


def test_a_resumed_run_in_time_stepping_gives_the_same_bits(tmp_path: Path) -> None:
    """A puck with friction in space: from the start on in steps of Moreau's scheme."""
    part, whole = interrupted_and_whole(puck(), tmp_path, 0.5)
    assert_same(part, whole)
    assert fm.load(whole).summary["events"]["time_steps"] >= 500


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.filterwarnings("ignore::flexmb.RunWarning")
def test_a_run_is_reported_drawn_and_continued(run: str, tmp_path: Path) -> None:
    """The page and the picture are of this run; a run from its last state on starts where it ended."""
    require_drawing()
    scheme, options = fm.SCHEMES[scheme_of(run)](**RUNS[run]), {"events": True} if run.endswith(", events") else {}
    model = partial(ball, restitution(run))
    first = fm.simulate(model(), scheme, step=0.1, end=1.5, **options)
    folder = str(first.save(tmp_path / "run"))
    assert main(["report", folder]) == 0
    assert scheme.name in (tmp_path / "run/report.html").read_text()
    assert main(["view", folder, "--screenshot", str(tmp_path / "end.png"), "--size", "640x360"]) == 0
    assert (tmp_path / "end.png").stat().st_size > 5000
    later = fm.simulate(model(), scheme, step=0.1, end=1.8, start_from=first, **options)
    assert (later.time[0], later.complete) == (first.time[-1], True)
    for signal in ("ball.position", "ball.velocity"):
        np.testing.assert_array_equal(later.signals[signal][0], first.signals[signal][-1])


@pytest.mark.filterwarnings("ignore::flexmb.RunWarning")
def test_a_study_runs_every_integrator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row for each, with the numbers of the run that is made by itself, bit by bit."""
    monkeypatch.setattr("flexmb.study.study.Local", Inline)
    (tmp_path / "ball.toml").write_text(case_of("moreau-jean", "steps = 16"))
    choices = []
    for run in RUNS:
        keys = {"name": scheme_of(run), **RUNS[run]}
        events = ['"time.events" = true'] if run.endswith(", events") else []
        sets = [f'"scheme.{key}" = {value!r}'.replace("'", '"') for key, value in keys.items()]
        sets += [f'"contacts.floor.restitution" = {restitution(run)}']
        choices.append(f'{{ label = "{run}", set = {{ {", ".join(sets + events)} }} }},')
    (tmp_path / "study.toml").write_text(
        'title = "all"\ncase = "ball.toml"\n\n[[axis]]\nname = "run"\nchoices = [\n'
        + "\n".join(choices)
        + '\n]\n\n[[measure]]\nname = "z"\nsignal = "ball.position.z"\nreduce = "last"\n'
    )
    table = load_study(tmp_path / "study.toml").run(tmp_path / "out")
    assert [row.axes["run"] for row in table.rows] == list(RUNS)
    for row in table.rows:
        (tmp_path / "alone.toml").write_text(case_of(str(row.axes["run"]), "steps = 16"))
        alone = load_case(str(tmp_path / "alone.toml")).run()
        assert row.numbers["z"] == alone.signals["ball.position"][-1, 2], row.axes
