"""Two processes and one folder: the second is refused and changes nothing; a lock dies with its process."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
from pathlib import Path

import fake_run
import pytest
from fake_files import Reached, memory_result
from test_cli import BALL, FINISHED, environment

from flexmb import load
from flexmb.cli import main
from flexmb.errors import InputError
from flexmb.record.io.export import export
from flexmb.record.io.run_folder import RunFolder
from flexmb.record.samples import Checkpoint, Tally
from flexmb.record.summary import summarize


def state(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in sorted(folder.iterdir())}


def test_a_second_run_into_the_folder_of_a_running_one_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ball.toml").write_text(BALL)
    append, answers = RunFolder.append, []

    def meanwhile(self: RunFolder, block: object) -> None:
        append(self, block)  # type: ignore[arg-type]
        if not answers:
            before = state(self.folder)
            for way in ("--overwrite", "--resume", "--quiet"):
                answers.append(main(["run", "ball.toml", "-o", "r", way, "--set", "time.step=0.02"]))
            assert state(self.folder) == before

    monkeypatch.setattr(RunFolder, "append", meanwhile)
    assert main(["run", "ball.toml", "-o", "r", "--quiet"]) == 0
    assert answers == [2, 2, 2]
    assert capsys.readouterr().err.count("another process writes to 'r'") == 3
    assert len(load("r").time) == 101
    assert "step = 0.01" in Path("r/case.toml").read_text()
    assert sorted(path.name for path in Path("r").iterdir()) == FINISHED


def test_nothing_else_is_written_to_the_folder_of_a_running_run(tmp_path: Path) -> None:
    run, folder = fake_run.run_info(), tmp_path / "r"
    sink = RunFolder(folder, "")
    late = RunFolder(folder, "")  # looked when there was no folder yet
    sink.begin(run)
    for block in fake_run.blocks(run):
        sink.append(block)
    sink.checkpoint(Checkpoint(2, 3, 1, {}))
    before = state(folder)
    result = memory_result()
    for writes in (
        lambda: result.save(folder, overwrite=True),
        lambda: late.begin(run),
        lambda: RunFolder(folder, "", resume=True),
        lambda: export(result.tree, "csv", folder),
    ):
        with pytest.raises(InputError, match="r'|run"):
            writes()
        assert state(folder) == before
    sink.finish(summarize(sink.close_data(), run, Reached(Tally(steps=10))))
    assert sorted(state(folder)) == FINISHED
    result.save(folder, overwrite=True)
    assert sorted(state(folder)) == ["fields.vtkhdf", "result.h5", "summary.json"]


def test_two_exports_into_one_folder_do_not_mix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from flexmb.record.io import csv_tables

    tree, write, answers = memory_result().tree, csv_tables.write_csv, []

    def meanwhile(*args: object, **options: object) -> list[Path]:
        with pytest.raises(InputError, match="process.*'.*out'"):
            export(tree, "pvd", tmp_path / "out")
        answers.append(1)
        return write(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(csv_tables, "write_csv", meanwhile)
    export(tree, "csv", tmp_path / "out")
    assert answers
    assert {path.suffix for path in (tmp_path / "out").iterdir()} == {".csv", ""}
    export(tree, "pvd", tmp_path / "out")
    assert {path.suffix for path in (tmp_path / "out").iterdir()} == {".pvd", ".vtu", ""}


def test_a_lock_dies_with_its_process(tmp_path: Path) -> None:
    from flexmb.record.io.folder_lock import FolderLock

    words = "from pathlib import Path; from flexmb.record.io.folder_lock import FolderLock"
    hold = f"{words}; lock = FolderLock(Path('.')); print('held', flush=True); input()"
    holder = subprocess.Popen(
        [sys.executable, "-c", hold],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(InputError, match=f"'{tmp_path}'"):
        FolderLock(tmp_path)
    holder.kill()
    holder.communicate()
    assert list(tmp_path.iterdir())  # what it had no time to remove
    FolderLock(tmp_path).release()
    assert list(tmp_path.iterdir()) == []


def test_the_file_of_a_lock_may_be_removed_while_others_wait(tmp_path: Path) -> None:
    """Each holder removes the file; no two may hold the lock on files that once had the name."""
    from flexmb.record.io.folder_lock import sole_writer

    inside, most = 0, 0

    def enter() -> None:
        nonlocal inside, most
        for _ in range(50):
            with sole_writer(tmp_path, wait=True):
                inside += 1
                most = max(most, inside)
                threading.Event().wait(1e-4)
                inside -= 1

    threads = [threading.Thread(target=enter) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1
    assert list(tmp_path.iterdir()) == []


def test_a_fork_does_not_release_the_lock_of_its_parent(tmp_path: Path) -> None:
    from flexmb.record.io.folder_lock import LOCK

    code = """
import os, sys
from pathlib import Path
from flexmb.record.io.folder_lock import FolderLock
lock = FolderLock(Path("."))
child = os.fork()
if child == 0:
    del lock
    sys.exit(0)
os.waitpid(child, 0)
print(sorted(os.listdir(".")))
"""
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, env=environment(), check=True)
    assert done.stdout.strip() == str([LOCK])
    assert list(tmp_path.iterdir()) == []


def test_a_disk_without_locks_is_told_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from flexmb.errors import FolderWarning
    from flexmb.record.io.folder_lock import FolderLock

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("flexmb.record.io.folder_lock._lock", refuse)
    Path("ball.toml").write_text(BALL)
    for options in ([], ["--quiet"]):
        assert main(["run", "ball.toml", "-o", f"r{len(options)}", *options]) == 0
        lines = [line for line in capsys.readouterr().err.splitlines() if "lock" in line]
        assert [line.startswith("note: ") and "'r0'" in line for line in lines] == [True] * (1 - len(options))
    with pytest.warns(FolderWarning, match="'r0'") as heard:
        FolderLock(Path("r0")).release()
    assert heard[0].filename == __file__
