"""The command line: exit codes, words, files; a killed run; a full disk."""

from __future__ import annotations

import errno
import json
import os
import resource
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import h5py
import numpy as np
import pytest
from messages import says

from flexmb import load
from flexmb.case import load_case
from flexmb.cli import main
from flexmb.commands.compiling import WORDS, will_compile
from flexmb.commands.progress import shown
from flexmb.errors import InputError
from flexmb.kernels.compilation import cache
from flexmb.record.io.run_folder import RunFolder
from flexmb.record.summary_text import energy_lines
from flexmb.schemes import SCHEMES

ROOT = Path(__file__).parents[1]
FINISHED = ["case.toml", "fields.vtkhdf", "result.h5", "summary.json"]

BALL = """\
title = "a ball on a table"

[time]
end = 1.0
step = 0.01

[scheme]
name = "moreau-jean"

[gravity]
acceleration = [0.0, 0.0, -10.0]

[bodies.ball]
kind = "particle"
mass = 2.0
position = [0.0, 0.0, 0.5]
axes = "z"

[contacts.table]
kind = "node-plane"
node = "ball"
normal = [0.0, 0.0, 1.0]
restitution = 0.5

[[expect]]
signal = "ball.position.z"
reduce = "max"
value = 0.5
atol = 1e-12
source = "it starts there"
"""


def flexmb(*args: str, cwd: Path | None = None, **options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "flexmb", *args]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False, env=environment(), **options)  # type: ignore[call-overload]


def environment() -> dict[str, str]:
    """Return an environment in which ``flexmb`` is found from any folder, installed or not."""
    return os.environ | {"PYTHONPATH": str(ROOT)}


@pytest.fixture
def ball(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "ball.toml"
    path.write_text(BALL)
    return path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def assert_same_bits(a: Path, b: Path) -> None:
    with h5py.File(a / "result.h5") as one, h5py.File(b / "result.h5") as two:
        found: list[str] = []
        one.visititems(lambda name, node: found.append(name) if isinstance(node, h5py.Dataset) else None)
        assert "energy/residual" in found
        for name in found:
            np.testing.assert_array_equal(one[name][()], two[name][()], err_msg=name)
    assert (a / "fields.vtkhdf").read_bytes() == (b / "fields.vtkhdf").read_bytes()


def test_run_writes_the_result_folder_and_says_where(ball: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "ball.toml"]) == 0
    out = capsys.readouterr().out
    assert "results in results/ball: summary.json" in out
    for words in ("a ball on a table", "moreau-jean (theta = 0.5", "100 of 0.01 s", "penetration", "work of contacts"):
        assert words in out
    assert says(out, "ok max ... ball.position.z = 0.5 (atol 1e-12) ... 0.5")
    folder = ball.parent / "results/ball"
    assert names(folder) == FINISHED
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["status"] == "complete"
    assert (summary["title"], summary["steps"], summary["dofs"], summary["contacts"]) == (
        "a ball on a table",
        100,
        1,
        1,
    )
    assert summary["expectations"][0]["ok"] is True
    assert tomllib.loads((folder / "case.toml").read_text())["scheme"]["theta"] == 0.5
    result = load(folder)
    assert result.time.shape == (101,)
    assert result.signals["ball.position"].shape == (101, 3)
    assert result.contacts["table"].impulse.sum() > 0


def test_run_of_the_written_case_gives_the_same_bits(ball: Path) -> None:
    assert main(["run", "ball.toml", "-o", "a", "--set", "time.step=0.02", "--quiet"]) == 0
    assert main(["run", "a/case.toml", "-o", "b", "--quiet"]) == 0
    assert_same_bits(Path("a"), Path("b"))
    assert load("b").summary["h"] == 0.02


def test_a_case_cut_short_can_be_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["run", "impacting_bar", "--set", "time.end=1.0", "-o", "a", "--quiet"]) == 0
    assert main(["run", "a/case.toml", "-o", "b", "--quiet"]) == 0
    kept = tomllib.loads(Path("a/case.toml").read_text())["expect"]
    assert max(entry.get("time", 0.0) for entry in kept) == 1.0
    shipped = tomllib.loads(load_case("impacting_bar").file.read_text())["expect"]
    assert len(kept) == len([entry for entry in shipped if entry.get("time", 0.0) <= 1.0]) < len(shipped)


def test_a_file_whose_wrong_time_is_overridden_can_be_run(ball: Path) -> None:
    text = ball.read_text()
    assert "end = 1.0" in text
    ball.write_text(text.replace("end = 1.0", 'end = "two"'))
    assert main(["run", "ball.toml", "-o", "a", "--set", "time.end=1.0", "--quiet"]) == 0
    (note,) = load("a").summary["expectation_notes"]
    assert "end = 'two'" in note


def test_overwrite_and_resume_exclude_each_other(ball: Path) -> None:
    assert main(["run", "ball.toml", "-o", "r", "--quiet"]) == 0
    before = {path.name: path.read_bytes() for path in Path("r").iterdir()}
    other = load_case("ball.toml", ["time.end=0.5"])
    with pytest.raises(InputError, match=r"overwrite.*resume"):
        other.run("r", overwrite=True, resume=True)
    assert {path.name: path.read_bytes() for path in Path("r").iterdir()} == before


def test_quiet_prints_nothing(ball: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "ball.toml", "--quiet"]) == 0
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""


def test_a_taken_folder_is_refused(ball: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "ball.toml", "-o", "r", "--quiet"]) == 0
    before = (ball.parent / "r/result.h5").stat().st_mtime_ns
    assert main(["run", "ball.toml", "-o", "r"]) == 2
    assert "holds another run" in (err := capsys.readouterr().err)
    assert "--overwrite" in err
    assert (ball.parent / "r/result.h5").stat().st_mtime_ns == before
    assert main(["run", "ball.toml", "-o", "r", "--overwrite", "--set", "time.end=2.0", "--quiet"]) == 0
    assert len(load("r").time) == 201
    assert main(["run", "ball.toml", "-o", "r", "--overwrite", "--resume"]) == 2


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["run", "ball.toml", "--set", "bodies.ball.mass=-1"], "bodies.ball.mass = -1 ... positive"),
        (["run", "ball.toml", "--set", "bodies.ball.position=[0.0, 0.0, -1.0]"], "initial penetration"),
        (["run", "bal.toml"], "case file 'bal.toml'"),
        (["run", "."], "is a folder"),
        (["run", "ball.toml", "-o", "ball.toml"], "is a file"),
        (
            ["run", "ball.toml", "--set", "time.steps=1000000000000000", "--set", "time.step=1"],
            "step, steps ... tolerance",
        ),
        (["run", "ball.toml", "--set", "time.end=1e15", "--set", "time.step=1"], "not enough disk space"),
        (["validate", "ball.toml", "--set", "time.step=0.3"], "does not divide"),
        (["modes", "ball.toml", "-n", "5"], "= 5 ... 1 ... number ... unknowns, 1"),
        (["export", "nowhere", "--format", "csv"], "result folder 'nowhere'"),
        (["export", ".", "--format", "csv"], "is not a result folder"),
    ],
)
def test_wrong_input_is_exit_code_2_and_nothing_written(
    ball: Path, args: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(args) == 2
    captured = capsys.readouterr()
    assert says(captured.err, words)
    assert "Traceback" not in captured.err
    assert captured.err.replace(f"{WORDS}\n", "").count("\n") == 1
    assert names(ball.parent) == ["ball.toml"]


def test_debug_shows_the_traceback(ball: Path) -> None:
    done = flexmb("run", "nothing.toml", "--debug", cwd=ball.parent)
    assert done.returncode != 0
    assert "Traceback" in done.stderr
    done = flexmb("run", "nothing.toml", cwd=ball.parent)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_a_run_that_blows_up_is_exit_code_3_and_keeps_what_it_has(
    ball: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    load_text = '\n[loads.blast]\nkind = "force"\nnode = "ball"\nforce = [0.0, 0.0, 1e150]\n'
    ramp = 'function = { kind = "ramp", start_time = 0.5, end_time = 0.51, end_value = 1e10 }\n'
    ball.write_text(BALL + load_text + ramp)
    assert main(["run", "ball.toml", "-o", "r"]) == 3
    err = capsys.readouterr().err
    assert "not a finite number" in err
    assert "t = 0.51" in err
    assert "kept in 'r'" in err
    assert names(ball.parent / "r") == FINISHED
    result = load("r")
    assert result.summary["status"] == "failed"
    assert result.summary["failure"]["step"] == 51
    assert "not a finite number" in result.summary["failure"]["error"]
    assert result.time[-1] == pytest.approx(0.5, abs=1e-12)
    assert np.isfinite(result.energy.total).all()
    assert main(["run", "ball.toml", "-o", "r", "--resume"]) == 2
    assert says(capsys.readouterr().err, "failed ... resumed")
    # up to there nothing differs from a run that ends there
    ball.write_text(BALL)
    assert main(["run", "ball.toml", "-o", "s", "--set", "time.end=0.5", "--quiet"]) == 0
    good = load("s").summary
    assert good["contact_steps"] > 0
    for key in ("steps", "contact_steps", "solver_iterations", "min_gap", "min_gap_time", "energy"):
        assert result.summary[key] == good[key], key


SQUEEZE = """\

[contacts.lid]
kind = "node-plane"
node = "ball"
normal = [0.0, 0.0, -1.0]
point = [0.0, 0.0, 0.0]
motion = { kind = "ramp", start_time = -1.0, end_time = 1.0, start_value = -1.0, end_value = 1.0 }
"""


def test_a_run_that_fails_at_its_very_start_is_exit_code_3_and_leaves_nothing(
    ball: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Schatzman-Paoli solves a contact problem before the first step; a ball held on both sides has no answer."""
    text = BALL.replace("moreau-jean", "schatzman-paoli").replace("0.0, 0.5]\naxes", "0.0, 0.0]\naxes")
    ball.write_text(text + SQUEEZE)
    assert main(["run", "ball.toml", "-o", "r"]) == 3
    err = capsys.readouterr().err
    assert "internal error" not in err
    assert says(err, "contact solver 'auto'")
    assert "at t = 0 s" in err
    assert names(ball.parent) == ["ball.toml"]


def test_a_checkpoint_of_the_other_engine_is_refused(ball: Path) -> None:
    overrides = ["output.checkpoint_every=1e-9", "time.step=1e-4"]
    steps = iter(range(2))

    def stop(done: int, of: int) -> None:
        if next(steps, None) is None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        load_case("ball.toml", overrides).run("r", progress=stop, engine="general")
    before = names(ball.parent / "r")
    assert "checkpoint.npz" in before
    with pytest.raises(InputError, match="general engine"):
        load_case("ball.toml", overrides).run("r", resume=True, engine="compiled")
    assert names(ball.parent / "r") == before
    load_case("ball.toml", overrides).run("r", resume=True, engine="general")
    load_case("ball.toml", overrides).run("s", engine="general")
    assert_same_bits(Path("r"), Path("s"))


def test_a_disk_that_fills_up_is_exit_code_3_and_can_be_resumed(
    ball: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    full = OSError(errno.ENOSPC, "No space left on device")
    with monkeypatch.context() as patch:
        append = RunFolder.append

        def refuse(self: RunFolder, block: object) -> None:
            if self.step > 0:
                raise full
            append(self, block)  # type: ignore[arg-type]

        patch.setattr(RunFolder, "append", refuse)
        assert main(["run", "ball.toml", "-o", "r", "--set", "time.step=1e-4"]) == 3
    err = capsys.readouterr().err
    assert "is full" in err
    assert "--resume" in err
    assert not [name for name in names(ball.parent / "r") if not name.endswith(".part")]
    assert main(["run", "ball.toml", "-o", "r", "--set", "time.step=1e-4", "--resume"]) == 0
    assert main(["run", "ball.toml", "-o", "s", "--set", "time.step=1e-4"]) == 0
    assert_same_bits(Path("r"), Path("s"))


def test_files_that_cannot_be_made_leave_nothing(ball: Path) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    done = flexmb("run", "ball.toml", "-o", "r", "--set", "time.step=1e-5", cwd=ball.parent, preexec_fn=limit)
    assert done.returncode == 2, done.stderr
    assert "cannot be created in 'r'" in done.stderr
    assert "Traceback" not in done.stderr
    assert names(ball.parent) == ["ball.toml"]


def start(folder: Path, *args: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "flexmb", "run", *args]
    return subprocess.Popen(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment()
    )


def wait_for(path: Path, run: subprocess.Popen[str]) -> None:
    limit = time.monotonic() + 300  # the very first run compiles
    while not path.exists():
        assert run.poll() is None, f"the run ended before it could be stopped: {run.communicate()[1]}"
        assert time.monotonic() < limit
        time.sleep(0.01)


LONG = [
    *("impacting_bar", "--quiet"),
    *("--set", "time.step=2e-6", "--set", "output.every=70", "--set", "output.fields_every=9999"),
    *("--set", "output.checkpoint_every=1e-9"),
]
"""A million steps, seconds on any machine, with a checkpoint after every block: there is time to stop it."""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_stopped_run_looks_unfinished_and_resumes_to_the_same_bits(tmp_path: Path, how: signal.Signals) -> None:
    run = start(tmp_path, *LONG, "-o", "r")
    wait_for(tmp_path / "r/checkpoint.npz", run)
    run.send_signal(how)
    err = run.communicate(timeout=30)[1]
    assert run.returncode == (-how if how == signal.SIGKILL else 128 + how)
    if how != signal.SIGKILL:
        assert "interrupted" in err
        assert "--resume" in err
    left = [name for name in names(tmp_path / "r") if not name.endswith(".part")]
    assert left == ["checkpoint.npz"]
    done = flexmb("run", *LONG, "-o", "r", cwd=tmp_path)
    assert done.returncode == 2
    assert "unfinished run" in done.stderr
    other = flexmb("run", *LONG, "-o", "r", "--resume", "--set", "bodies.rod.elements=100", cwd=tmp_path)
    assert other.returncode == 2
    assert says(other.stderr, "'elements = 200' ... 'elements = 100'")
    assert flexmb("run", *LONG, "-o", "r", "--resume", cwd=tmp_path).returncode == 0
    assert flexmb("run", *LONG, "-o", "s", cwd=tmp_path).returncode == 0
    assert names(tmp_path / "r") == FINISHED
    assert_same_bits(tmp_path / "r", tmp_path / "s")
    one, two = load(tmp_path / "r").summary, load(tmp_path / "s").summary
    for key in ("energy", "max_penetration", "contact_steps", "steps", "expectations"):
        assert one[key] == two[key], key


def test_resume_of_nothing_starts_and_of_a_finished_run_does_nothing(ball: Path) -> None:
    assert main(["run", "ball.toml", "-o", "r", "--resume", "--quiet"]) == 0
    before = (ball.parent / "r/result.h5").stat().st_mtime_ns
    assert main(["run", "ball.toml", "-o", "r", "--resume", "--quiet"]) == 0
    assert (ball.parent / "r/result.h5").stat().st_mtime_ns == before
    assert main(["run", "ball.toml", "-o", "r", "--resume", "--quiet", "--set", "time.end=2.0"]) == 2


def test_check_compares_and_tells_by_its_exit_code(ball: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "ball.toml"]) == 0
    assert says(capsys.readouterr().out, "ok max ... ball.position.z = 0.5 (atol 1e-12) ... 0.5")
    assert main(["check", "ball.toml", "--set", "expect.0.value=0.6"]) == 1
    assert "FAIL  max of ball.position.z = 0.6" in capsys.readouterr().out
    (ball.parent / "plain.toml").write_text(BALL.split("[[expect]]")[0])
    assert main(["check", "plain.toml"]) == 0
    assert "has no expectations" in capsys.readouterr().out
    assert main(["check", "nowhere.toml", "ball.toml"]) == 2
    captured = capsys.readouterr()
    assert "no case file 'nowhere.toml'" in captured.err
    assert "ball: 1 expectation" in captured.out
    assert names(ball.parent) == ["ball.toml", "plain.toml"]


def test_validate_goes_on_after_a_wrong_case(ball: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (ball.parent / "bad.toml").write_text(BALL.replace("mass = 2.0", "mas = 2.0"))
    assert main(["validate", "bad.toml", "ball.toml", "impacting_bar"]) == 2
    captured = capsys.readouterr()
    assert "did you mean 'mass'?" in captured.err
    assert says(captured.out, "ball.toml: ok (1 ... 1 contact, 100 steps ... 0.01 s, moreau-jean")
    assert "impacting_bar: ok (201 unknowns" in captured.out


def test_what_an_override_leaves_out_is_told(ball: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ball.write_text(BALL.replace('"moreau-jean"', '"moreau-jean"\ntheta = 0.6'))
    overrides = ["--set", "scheme.name=newmark", "--set", "time.steps=50"]
    notes = [
        "note: scheme.theta of the case file is not an option of 'newmark' and is left out",
        "note: time.step of the case file is left out, because --set gives time.steps",
    ]
    for command in ("validate", "check", "modes", "run"):
        assert main([command, "ball.toml", *overrides]) == 0
        captured = capsys.readouterr()
        scheme = [
            "note: the expectations were written for the file's own scheme (moreau-jean)",
            "note: the expectations were written for the file's own time (end = 1, step = 0.01)",
        ]
        said = [line for line in captured.err.splitlines() if line.startswith("note")]
        assert said == notes + (scheme if command in ("check", "run") else []), command
    assert "50 of 0.02 s" in captured.out


def test_the_first_run_says_that_it_compiles(
    ball: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "ball.toml", "-o", "a", "--quiet"]) == 0
    assert not any(will_compile(cls()) for name, cls in SCHEMES.items() if name.startswith("moreau"))
    assert main(["run", "ball.toml", "-o", "b"]) == 0
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(cache, "kept_signatures", lambda loop: [])
    assert all(will_compile(cls()) for cls in SCHEMES.values() if cls.driver == "steps" and not cls.any_system)
    assert main(["check", "ball.toml", "--quiet"]) == 0
    assert main(["run", "ball.toml", "-o", "c", "--quiet"]) == 0
    assert capsys.readouterr().err == ""
    for args in (["run", "ball.toml", "-o", "d"], ["check", "ball.toml"]):
        assert main(args) == 0
        assert capsys.readouterr().err == f"{WORDS}\n"
    monkeypatch.delattr(cache, "kept_signatures")  # what is kept may be unknown: then nothing is said
    assert main(["run", "ball.toml", "-o", "e"]) == 0
    assert capsys.readouterr().err == ""


def test_cases_and_schemes_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cases"]) == 0
    assert "impacting_bar" in (out := capsys.readouterr().out)
    assert "Elastic bar thrown against a wall" in out
    assert main(["schemes"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(SCHEMES)
    assert any("[rho_inf = 0.8, ggl = true, constraints = auto]" in line for line in lines)


def test_modes_are_printed_and_written(ball: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import meshio

    assert main(["modes", "impacting_bar", "-n", "3", "-o", "m"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()[2:5]]
    assert rows[0] == ["1", "0", "0", "rigid"]
    assert float(rows[1][1]) == pytest.approx(1.5, rel=1e-4)  # c / 2 L
    table = np.loadtxt("m/modes.csv", delimiter=",", skiprows=1)
    assert float(rows[2][2]) == pytest.approx(table[2, 1], rel=1e-8)
    mesh = meshio.read("m/modes.vtu")
    x = mesh.points[:, 0] - 5.0
    shape = mesh.point_data["mode_02"][:, 0]
    np.testing.assert_allclose(shape * np.sign(shape[0]), np.cos(np.pi * x / 10.0), atol=1e-3)


@pytest.mark.parametrize(("form", "file"), [("pvd", "fields.pvd"), ("xdmf", "fields.xdmf"), ("csv", "energy.csv")])
def test_export(ball: Path, form: str, file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "ball.toml", "-o", "r", "--quiet"]) == 0
    assert main(["export", "r", "--format", form]) == 0
    assert f"r/{form}/{file}" in capsys.readouterr().out
    assert (ball.parent / "r" / form / file).is_file()
    assert names(ball.parent) == ["ball.toml", "r"]
    assert main(["run", "ball.toml", "-o", "r", "--quiet", "--overwrite"]) == 0


def test_view_writes_a_picture(ball: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "ball.toml", "-o", "r", "--quiet"]) == 0
    assert main(["view", "r", "--screenshot", "p.png", "--time", "0.5"]) == 0
    assert "written: p.png (t = 0.5 s)" in capsys.readouterr().out
    assert (ball.parent / "p.png").read_bytes().startswith(b"\x89PNG")
    assert main(["view", "nowhere", "--screenshot", "q.png"]) == 2
    assert names(ball.parent) == ["ball.toml", "p.png", "r"]


def test_progress_without_a_terminal_is_a_line_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([100.0, 104.0, 110.0, 111.0, 130.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    with shown("bar", quiet=False) as advance:
        assert advance is not None
        for done in (10, 14, 20, 21, 40):
            advance(done, 100)
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["bar: step 20 of 100, 80 s left", "bar: step 40 of 100, 60 s left"]
    with shown("bar", quiet=True) as advance:
        assert advance is None


def test_energy_added_by_contacts_is_told() -> None:
    energy = {"initial": 1.0, "final": 2.0, "gain_steps": 3, "gain_max": 0.5, "gain_time": 0.25}
    words = "  warning: in 3 steps a contact added energy, at most 0.5 J at t = 0.25 s; see docs/energy.md"
    assert energy_lines(energy)[-1] == words
    assert not any("warning" in line for line in energy_lines(energy | {"gain_steps": 0}))


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    for args in (["--help"], ["--version"], ["run", "--help"]):
        with pytest.raises(SystemExit) as leaving:
            main(args)
        assert leaving.value.code == 0
    out = capsys.readouterr().out
    for command in ("run", "check", "validate", "cases", "schemes", "modes", "export", "view"):
        assert command in out


def test_every_package_is_shipped() -> None:
    shipped = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    found = {".".join(path.parent.relative_to(ROOT).parts) for path in (ROOT / "flexmb").rglob("__init__.py")}
    pictures = {path.parent.relative_to(ROOT).parts for path in (ROOT / "postproc").rglob("__init__.py")}
    beside = {".".join(("flexmb", *parts)) for parts in pictures} | {"flexmb.cases", "flexmb.meshes"}
    assert set(shipped["packages"]) == found | beside
