"""Full disks and size limits: an error in words, an exit code, and no file that looks whole and is not.

What used to crash crashes in C, perhaps when the process ends: so commands run in a process of their own, which tells
the exit codes of all of them.
"""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from fake_files import written
from test_cli import BALL, assert_same_bits, environment

from flexmb.cli import main
from flexmb.record.io.whole_file import whole_file

CODE = """
import json, resource, sys
from pathlib import Path
from flexmb.cli import main
from flexmb.record.io.run_folder import RunFolder

def set_limit(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

append, answers = RunFolder.append, {}
for name, limit, words in json.load(sys.stdin):
    def limited(self, block):
        if self.step > 0:
            set_limit(-limit)
        append(self, block)
    RunFolder.append = limited if limit < resource.RLIM_INFINITY else append
    set_limit(max(limit, resource.RLIM_INFINITY))
    answers[name] = main(words)
    set_limit(resource.RLIM_INFINITY)
print("answers", json.dumps(answers), flush=True)
"""
"""Commands under limits of the size of files: names, limits (bytes; below zero: from step 1 on) and arguments."""
FORMATS = ("xdmf", "paraview", "pvd", "csv")
NONE = resource.RLIM_INFINITY


def answers(tmp_path: Path, jobs: list[tuple[str, int, list[str]]]) -> tuple[dict[str, int], list[str]]:
    """Return the exit codes of commands, and what they said."""
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        input=json.dumps(jobs),
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment(),
        check=False,
    )
    assert done.returncode == 0, done.stderr  # -11 is a crash
    assert "internal error" not in done.stderr
    said = [line for line in done.stderr.splitlines() if line.startswith("flexmb: error")]
    [answer] = [line for line in done.stdout.splitlines() if line.startswith("answers ")]
    return json.loads(answer.removeprefix("answers ")), said


def test_exports_and_pages_under_a_limit_of_file_sizes(tmp_path: Path) -> None:
    written(tmp_path / "r")
    jobs = [
        (f"{form} {limit}", limit, ["export", "r", "--format", form, "-o", f"out/{form}-{limit}"])
        for limit in (100, 5000)
        for form in FORMATS
    ]
    jobs.append(("report", 2000, ["report", "r", "-o", "page.html"]))
    jobs.append(("modes", 500, ["modes", "bouncing_bar", "-o", "modes"]))
    codes, said = answers(tmp_path, jobs)
    fits = {name for name, code in codes.items() if code == 0}
    assert fits == {"pvd 5000", "csv 5000"}
    assert set(codes.values()) <= {0, 2}
    refused = [name for name in codes if name not in fits]
    assert len(said) == len(refused)
    for name, line in zip(refused, said, strict=True):
        place = f"out/{name.replace(' ', '-')}" if name not in ("report", "modes") else name
        assert place.replace("report", "page.html") in line
        assert not (tmp_path / place).exists() or name == "modes"
    left = {path.relative_to(tmp_path).parts[1] for path in (tmp_path / "out").rglob("*")}
    assert left == {name.replace(" ", "-") for name in fits}
    assert not (tmp_path / "page.html").exists()
    assert [path.name for path in (tmp_path / "modes").iterdir()] == ["modes.csv"]  # small enough


def test_templates_and_the_schema_are_there_in_full_or_not_at_all(tmp_path: Path) -> None:
    jobs = [("bar.toml", 100, ["init", "bar"]), ("s.json", 100, ["schema", "-o", "s.json"])]
    codes, said = answers(tmp_path, jobs)
    assert codes == {"bar.toml": 2, "s.json": 2}
    assert all(f"'{name}'" in line for name, line in zip(codes, said, strict=True))
    assert list(tmp_path.iterdir()) == []


def test_two_processes_may_write_one_file(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    with whole_file(path) as one, whole_file(path) as other:
        one.write_text("one")
        other.write_text("other")
    assert path.read_text() == "one"  # the last to end
    assert list(tmp_path.iterdir()) == [path]


def test_runs_under_a_limit_of_file_sizes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the result files do not fit nothing is left; where rows cannot be written the run can be resumed."""
    monkeypatch.chdir(tmp_path)
    Path("ball.toml").write_text(BALL)
    run = ["run", "ball.toml", "--quiet", "--set", "time.step=1e-3", "-o"]
    assert main([*run, "whole"]) == 0
    sizes = {name: Path("whole", name).stat().st_size for name in ("result.h5", "fields.vtkhdf")}
    jobs = [(name, size - 1, [*run, name]) for name, size in sizes.items()] + [("tiny", 10, [*run, "tiny"])]
    later = [("later", -1000, [*run, "later"]), ("again", NONE, [*run, "later", "--resume"])]
    codes, said = answers(tmp_path, [*jobs, *later])
    assert codes == {"result.h5": 2, "fields.vtkhdf": 2, "tiny": 2, "later": 3, "again": 0}
    assert all(f"'{name}'" in line for name, line in zip(codes, said, strict=False))
    assert not any(Path(name).exists() for name in (*sizes, "tiny"))
    assert "result.h5.part" in said[3]
    assert "--resume" in said[3]
    assert_same_bits(Path("later"), Path("whole"))


def test_exports_onto_a_full_disk(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)]
    if not shutil.which("mount") or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("disks cannot be mounted here")
    try:
        written(tmp_path / "r")
        (disk / "fill").write_bytes(bytes(2**20 - 2**14))
        jobs = [(form, NONE, ["export", "r", "--format", form, "-o", f"disk/{form}"]) for form in ("xdmf", "paraview")]
        codes, said = answers(tmp_path, jobs)
        assert codes == {"xdmf": 2, "paraview": 2}
        assert all(f"'disk/{form}'" in line for form, line in zip(codes, said, strict=True))
        assert [path.name for path in disk.iterdir()] == ["fill"]
    finally:
        subprocess.run(["umount", str(disk)], check=True)
