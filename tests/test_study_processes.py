"""Studies in real processes: signals, kills, and nothing that is run twice, lost or left behind."""

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from study_files import STUDY, Inline, without_times, write_study

from flexmb.study.local import MOST_TRIES, Local
from flexmb.study.plan import Runs
from flexmb.study.study import load_study
from flexmb.study.table import load_table

ROOT = Path(__file__).parents[1]
LONG = STUDY.replace("[20, 40, 80]", "[20, 2000000]").replace(
    '"time.end" = 1.0', '"time.end" = 1.0\n"output.every" = 40'
)
"""Two of its four runs take seconds, so that a signal comes in the middle of them."""
PATIENCE = 120.0


def start(path: Path, out: Path, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "flexmb", "study", str(path), "-o", str(out), "--no-figures", *options]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}

    def hears() -> None:  # a shell starts what it puts into the background with Ctrl-C ignored
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    quiet = {"stderr": subprocess.PIPE, "stdout": subprocess.DEVNULL}
    return subprocess.Popen(command, **quiet, text=True, env=environment, preexec_fn=hears)


def wait_for(question: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not question():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)


def finished(out: Path) -> dict[str, int]:
    """Return the runs on the disk that are done, and when they were written."""
    paths = list((out / "runs").glob("*.json"))
    for path in paths:
        json.loads(path.read_text())  # there in full or not at all
    return {path.stem: path.stat().st_mtime_ns for path in paths}


def children(pid: int) -> list[int]:
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    return [int(word) for word in found.stdout.split()]


def alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for orphans in /proc")
def test_interrupted_and_killed_studies_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, out = write_study(tmp_path, LONG), tmp_path / "out"
    # Ctrl-C: the terminal sends it to all processes; the workers leave it to the parent
    first = start(path, out, "--jobs", "1")
    wait_for(lambda: len(finished(out)) >= 3)  # the references and a short run
    workers = children(first.pid)
    for pid in [*workers, first.pid]:
        os.kill(pid, signal.SIGINT)
    assert first.wait(PATIENCE) == 128 + signal.SIGINT
    assert first.stderr is not None
    assert f"flexmb study {path} -o {out}" in first.stderr.read()
    kept = finished(out)
    # SIGTERM, as queues send it to the parent
    other = start(path, out, "--jobs", "1")
    wait_for(lambda: children(other.pid))
    workers += children(other.pid)
    other.send_signal(signal.SIGTERM)
    assert other.wait(PATIENCE) == 128 + signal.SIGTERM
    assert other.stderr is not None
    assert f"flexmb study {path} -o {out}" in other.stderr.read()
    # kill -9 of the parent, in the middle of a run
    second = start(path, out, "--jobs", "1")
    wait_for(lambda: len(finished(out)) > len(kept) and children(second.pid))
    workers += children(second.pid)
    second.kill()
    second.wait()
    wait_for(lambda: not any(alive(pid) for pid in workers))  # no orphans
    later = finished(out)
    assert {key: later[key] for key in kept} == kept  # nothing of the first go was run again
    assert not (out / "table.csv").exists()
    # the rest
    there = load_table(out).rows
    monkeypatch.setattr("flexmb.study.study.Local", Inline)
    table = load_study(path).run(out)
    last = finished(out)
    assert {key: last[key] for key in later} == later
    assert len(table.rows) == 4
    assert all(row.done for row in table.rows)
    assert [table.rows[row.index] for row in there] == list(there)


def test_a_killed_worker_is_replaced_and_its_run_repeated(tmp_path: Path) -> None:
    study = load_study(write_study(tmp_path, LONG))
    runs = Runs(study.file)
    short, long = (runs.reference("fine", study.file.grid[0]), runs.task(study.file.grid[1]))
    with Local(1) as local:
        [(_, answer, _)] = local.run([short], Path)
        curves = tmp_path / "curves.npz"
        curves.write_bytes(base64.b64decode(json.loads(answer)["curves"]))
        [first] = local._all
        threading.Timer(0.3, first.process.kill).start()  # in the middle of the long run
        [(task, answer, why)] = local.run([long], lambda key: curves)
        [second] = local._all
        assert second.process.stdin is not None
        second.process.stdin.close()  # as when the parent is gone; an idle worker must notice, too
        assert second.process.wait(PATIENCE) == 0
    assert (task, why) == (long, "")
    assert json.loads(answer)["status"] == "done"
    assert second.process.pid != first.process.pid


def test_a_run_that_kills_its_workers_is_a_failed_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = load_study(write_study(tmp_path))
    reference = Runs(study.file).reference("fine", study.file.grid[0])
    deadly = tmp_path / "deadly"
    deadly.write_text("#!/bin/sh\nkill -9 $$\n")
    deadly.chmod(0o755)
    monkeypatch.setattr("flexmb.study.local.sys.executable", str(deadly))
    with Local(1) as local:
        [(_, answer, why)] = local.run([reference], Path)
    assert answer == ""
    assert why == f"its worker died {MOST_TRIES} times (killed by signal 9)"


def test_one_command_per_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two runs at the same time that need the same reference, then the rest; the same bits as in one go."""
    path, out = write_study(tmp_path, STUDY.replace("[20, 40, 80]", "[20, 40]")), tmp_path / "out"
    both = [start(path, out, "--run", str(k)) for k in (0, 1)]
    assert [run.wait(PATIENCE) for run in both] == [0, 0]
    there = finished(out)
    assert len(there) == 3
    monkeypatch.setattr("flexmb.study.study.Local", Inline)
    table = load_study(path).run(out)
    assert {key: finished(out)[key] for key in there} == there
    other = load_study(path).run()
    assert without_times(table.to_csv(), ["seconds"]) == without_times(other.to_csv(), ["seconds"])
