"""What the commands say: notes on changed schemes and resumed runs, the report, hints for keys without their table."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from messages import only, says
from test_cli import BALL

from flexmb.case import load_case
from flexmb.case.shipped import shipped_cases
from flexmb.cli import main
from flexmb.commands import check
from flexmb.commands.compiling import WORDS, announce
from flexmb.commands.progress import shown
from flexmb.kernels.compilation.cache import listeners
from flexmb.record.summary_text import counted, energy_lines, summary_lines

SCHEME_NOTE = "note: the expectations were written for the file's own scheme (moreau-jean)"


@pytest.fixture
def ball(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ball.toml").write_text(BALL)
    return tmp_path


def notes(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return [line for line in capsys.readouterr().err.splitlines() if line.startswith("note")]


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("scheme.theta=0.6", [SCHEME_NOTE]),
        ("scheme.name=schatzman-paoli", [SCHEME_NOTE]),
        ("scheme.theta=0.5", []),
        ("bodies.ball.mass=3.0", []),
    ],
)
def test_another_scheme_than_the_files_is_told(
    ball: Path, override: str, said: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    main(["check", "ball.toml", "--set", override])
    assert notes(capsys) == said
    main(["run", "ball.toml", "--set", override])
    assert notes(capsys) == said
    main(["run", "ball.toml", "--set", override, "--overwrite", "--quiet"])
    assert notes(capsys) == []
    main(["validate", "ball.toml", "--set", override])
    assert notes(capsys) == []


def test_quiet_commands_tell_no_notes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    override = ["--set", "scheme.name=moreau-jean", "--set", "time.end=0.5"]
    assert main(["run", "impacting_bar", "-o", str(tmp_path / "loud"), *override]) == 0
    assert capsys.readouterr().err.count("note: ") > 1  # keys of the other scheme, and the expectations
    assert main(["run", "impacting_bar", "-o", str(tmp_path / "r"), "--quiet", *override]) == 0
    assert capsys.readouterr() == ("", "")
    main(["check", "impacting_bar", *override])
    assert "note: " in capsys.readouterr().err
    main(["check", "impacting_bar", "--quiet", *override])
    answer = load_case("impacting_bar", override[1::2]).expectation_notes  # what the expectations were written for
    assert capsys.readouterr().err.splitlines() == [f"note: {words}" for words in answer]


def test_a_quiet_check_keeps_warnings_of_energies_to_itself(
    ball: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("flexmb.record.summary_text.energy_warnings", lambda energy: ["energy was added"])
    assert main(["check", "ball.toml"]) == 0
    assert "energy was added" in capsys.readouterr().out
    assert main(["check", "ball.toml", "--quiet"]) == 0
    assert "energy was added" not in capsys.readouterr().out


def test_nothing_is_told_of_the_scheme_of_a_case_that_expects_nothing(
    ball: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (ball / "plain.toml").write_text(BALL.split("[[expect]]")[0])
    assert main(["check", "plain.toml", "--set", "scheme.theta=0.6"]) == 0
    assert notes(capsys) == []


def test_resume_says_that_there_is_nothing_to_resume(ball: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "ball.toml", "-o", "r", "--resume"]) == 0
    assert says(only(notes(capsys)), "no run in 'r'")
    assert main(["run", "ball.toml", "-o", "r", "--resume"]) == 0
    assert says(only(notes(capsys)), "'r' ... finished")
    (ball / "r/summary.json").unlink()
    for name in ("case.toml", "result.h5", "fields.vtkhdf"):
        (ball / "r" / name).rename(ball / "r" / f"{name}.part")
    assert main(["run", "ball.toml", "-o", "r", "--resume"]) == 0
    assert says(only(notes(capsys)), "'r' ... checkpoint.npz")


def test_a_failed_run_that_was_killed_at_its_end_does_not_start_again(
    ball: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its end was decided, and its checkpoint had gone, or there was none yet."""
    assert main(["run", "ball.toml", "-o", "r", "--quiet"]) == 0
    path = ball / "r" / "summary.json"
    path.write_text(path.read_text().replace('"status": "complete"', '"status": "failed"'))
    for name in ("case.toml", "result.h5", "fields.vtkhdf", "summary.json"):
        (ball / "r" / name).rename(ball / "r" / f"{name}.part")
    assert main(["run", "ball.toml", "-o", "r", "--resume"]) == 2
    said = capsys.readouterr().err
    assert "'r'" in said
    assert "note" not in said


@pytest.mark.parametrize(
    ("override", "hint"),
    [
        ("rho_inf=0.5", "--set: rho_inf = 0.5 ... key ... scheme.rho_inf"),
        ("step=0.5", "--set: step = 0.5 ... key ... time.step"),
        ("restitution=1", "--set: restitution = 1 ... key ... contacts.table.restitution"),
        ("name=1", "--set ... = 1 ... key ... solver.name ... scheme.name"),
        ("tite=1", "--set: tite = 1 ... key ... 'title'?); allowed: title"),
    ],
)
def test_a_key_without_its_table_is_answered_with_the_whole_name(
    ball: Path, override: str, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["validate", "ball.toml", "--set", override]) == 2
    assert says(capsys.readouterr().err, hint)


def test_report_of_the_time_a_run_took() -> None:
    summary = {
        "scheme": {"name": "newmark", "ggl": True},
        **{"steps": 1000, "h": 0.002, "us_per_step": 6.712, "engine": "compiled", "wall_time_s": 0.0525},
        **{"dofs": 201, "contacts": 1, "max_penetration": 0.0, "energy": {}},
    }
    lines = summary_lines(summary)
    assert says(lines[1], "steps ... 1000 ... 0.002 s ... 6.71 us ... compiled ... 0.0525 s")
    assert says(lines[2], "201 unknowns ... 1 contact")


def test_counts_in_words() -> None:
    assert [counted(n, "contact") for n in (0, 1, 2)] == ["0 contacts", "1 contact", "2 contacts"]


ENERGY = {"initial": 3.0, "final": 2.0, "contact": -0.709, "numerical": -0.1, "residual_max": 1e-15}


def test_work_of_contacts_is_split_where_positions_are_corrected() -> None:
    found = [line.rsplit(maxsplit=1) for line in energy_lines(ENERGY | {"contact_projection": 1.921})]
    at = next(k for k, (words, _) in enumerate(found) if words == "  work of contacts")
    assert found[at : at + 4] == [
        ["  work of contacts", "-0.709"],
        ["    impact law", "-2.63"],
        ["    position correction (GGL)", "+1.921"],
        ["  work of the scheme", "-0.1"],
    ]
    for none in ({}, {"contact_projection": 0.0}):
        assert not any("impact law" in line for line in energy_lines(ENERGY | none))
    assert len({len(line) for line in energy_lines(ENERGY | {"contact_projection": 1.921})[1:]}) == 1


def test_the_gain_warning_says_where_to_read_on() -> None:
    energy = ENERGY | {"gain_steps": 1, "gain_max": 0.5, "gain_time": 0.25}
    words = "  warning: in 1 step a contact added energy, at most 0.5 J at t = 0.25 s; see docs/energy.md"
    assert energy_lines(energy)[-1] == words
    assert (Path(__file__).parents[1] / "docs/energy.md").is_file()


def test_friction_gains_of_round_off_are_no_warning() -> None:
    energy = ENERGY | {"scale": 2.0, "friction_gain_steps": 7, "friction_gain_max": 1e-11}
    assert not any("friction added" in line for line in energy_lines(energy))
    assert any("friction added" in line for line in energy_lines(energy | {"friction_gain_max": 1e-9}))


def test_check_without_a_case_checks_the_shipped_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    monkeypatch.setattr(check, "_check", lambda name, overrides, quiet: seen.append(name) or 0)
    assert main(["check"]) == 0
    assert seen == list(shipped_cases())
    assert main(["check", "two_bars"]) == 0
    assert seen[len(shipped_cases()) :] == ["two_bars"]


def test_a_terminal_shows_that_the_compiler_is_at_work(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    class Plan:
        class system:  # noqa: N801
            linear = True

        scheme = None

    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("flexmb.commands.compiling.will_compile", lambda scheme: True)
    first = announce(Plan, quiet=False)
    assert screen.getvalue() == f"{WORDS}\n"
    with shown("bar", False, first):
        pass
    assert "bar: compiling" in screen.getvalue()
    assert announce(Plan, quiet=True) == "starting"


def test_the_remaining_time_is_that_of_steps(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A kernel compiled after the first block (at the first contact, 32 s) is not counted; old blocks are forgotten."""
    now = 0.0
    monkeypatch.setattr("flexmb.commands.progress.time.monotonic", lambda: now)
    with shown("rub", quiet=False) as advance:
        assert advance is not None
        advance(256, 8000)
        listeners[-1]("friction")
        now = 32.0
        advance(274, 8000)
        assert capsys.readouterr().err == "rub: step 274 of 8000\n"  # no rate is known yet
        now = 33.0
        advance(474, 8000)
        now = 43.0
        advance(2474, 8000)
        assert capsys.readouterr().err == "rub: step 2474 of 8000, 28 s left\n"  # 2200 steps in 11 s
        for k in range(1, 13):
            now = 43.0 + 10.0 * k
            advance(2474 + 10 * k, 8000)
        assert capsys.readouterr().err.splitlines()[-1] == "rub: step 2594 of 8000, 5406 s left"
    assert not listeners


def test_no_command_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    out = capsys.readouterr().out
    assert out.startswith("usage: flexmb")
    assert "List the shipped cases" in out


def test_a_mesh_that_is_nowhere_is_answered_with_the_shipped_ones(
    ball: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bar = '[bodies.rod]\nkind = "bar"\nmesh = "no.msh"\narea = 1.0\nyoung = 1.0\ndensity = 1.0\n\n[contacts.table]'
    (ball / "ball.toml").write_text(BALL.replace("[contacts.table]", bar))
    assert main(["validate", "ball.toml"]) == 2
    assert says(capsys.readouterr().err, "no.msh' ... mesh file; shipped: ... cantilever.vtu, graded_rod.msh")
