"""Runs that are killed while their files get their names: nothing is mixed, and --resume brings them to their end."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import fake_run
import numpy as np
import pytest
from fake_files import memory_result, written
from test_cli import BALL, FINISHED, assert_same_bits, environment

from flexmb import load
from flexmb.case import load_case
from flexmb.cli import main
from flexmb.errors import InputError
from flexmb.record.io.run_folder import RunFolder
from flexmb.record.samples import Checkpoint

SETS = ["time.step=2e-3", "output.checkpoint_every=1e-9"]


class Killed(BaseException):
    """Stands for the end of the process."""


@contextmanager
def killed_after(last: int | str, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Let files be renamed or removed up to that one (its number or its words), then nothing more; give all of them."""
    done: list[str] = []

    def over() -> bool:
        return last in done if isinstance(last, str) else len(done) >= last

    def counted(act: Callable[..., object]) -> Callable[..., object]:
        def perform(*args: object, **options: object) -> object:
            if over():
                raise Killed
            out = act(*args, **options)
            done.append(f"{act.__name__} {Path(str(args[-1])).name}")
            if over():
                raise Killed
            return out

        return perform

    with monkeypatch.context() as patch:
        for name in ("replace", "unlink"):
            patch.setattr(os, name, counted(getattr(os, name)))
        with suppress(Killed):
            yield done


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith(".lock"))


def test_a_run_killed_at_any_rename_is_resumed_to_the_same_bits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ball.toml").write_text(BALL)

    def run(folder: str, resume: bool = False) -> None:
        load_case("ball.toml", SETS).run(folder, resume=resume)

    with killed_after(10**6, monkeypatch) as all_of_them:
        run("whole")
    ends = list(dict.fromkeys(all_of_them))  # how many checkpoints there are is a matter of time
    assert {f"replace {name}" for name in (*FINISHED, "checkpoint.npz")} <= set(ends)
    for k, end in enumerate(ends):
        with killed_after(end, monkeypatch) as done:
            run(f"cut{k}")
        decided = any("summary.json" in word for word in done)
        if "replace summary.json" not in done:
            with pytest.raises(InputError, match="not finished"):
                load(f"cut{k}")
        before = Path(f"cut{k}/result.h5.part")
        stamp = before.stat().st_mtime_ns if decided and before.is_file() else None
        run(f"cut{k}", resume=True)
        assert stamp in (None, Path(f"cut{k}/result.h5").stat().st_mtime_ns), done  # what is there is not run again
        assert sorted(path.name for path in Path(f"cut{k}").iterdir()) == FINISHED, done
        assert_same_bits(Path(f"cut{k}"), Path("whole"))
        assert load(f"cut{k}").summary["status"] == "complete"


def test_a_run_killed_between_its_names_is_finished_from_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process is gone at once, as by kill -9."""
    monkeypatch.chdir(tmp_path)
    Path("ball.toml").write_text(BALL)
    code = """
import os, sys
from flexmb.cli import main
replace = os.replace
def then_die(source, target):
    replace(source, target)
    if os.path.basename(target) == "result.h5":
        os._exit(9)
os.replace = then_die
sys.exit(main(sys.argv[1:]))
"""
    command = [sys.executable, "-c", code, "run", "ball.toml", "-o", "cut"]
    assert subprocess.run(command, check=False, env=environment()).returncode == 9
    left = sorted(path.name for path in Path("cut").iterdir())
    assert "result.h5" in left
    assert "fields.vtkhdf.part" in left
    stamp = Path("cut/result.h5").stat().st_mtime_ns
    assert main(["run", "ball.toml", "-o", "whole", "--quiet"]) == 0
    assert main(["run", "ball.toml", "-o", "cut", "--quiet", "--resume"]) == 0
    assert Path("cut/result.h5").stat().st_mtime_ns == stamp  # it is not run again
    assert sorted(path.name for path in Path("cut").iterdir()) == FINISHED
    assert_same_bits(Path("cut"), Path("whole"))


def failed(folder: Path) -> None:
    """Write a run that fails after its second block."""
    run = fake_run.run_info()
    sink = RunFolder(folder, "a = 1\n")
    first, second, _ = fake_run.blocks(run)
    sink.begin(run)
    sink.append(first)
    sink.checkpoint(Checkpoint(2, 3, 1, {"x": np.arange(3.0)}))
    sink.append(second)
    sink.close_data()
    sink.finish({"status": "failed", "h": run.h})


def test_a_failed_run_killed_at_any_rename_is_closed_or_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with killed_after(10**6, monkeypatch) as all_of_them:
        failed(tmp_path / "whole")
    run = fake_run.run_info()
    for k in range(2, len(all_of_them) + 1):  # after the first there is no checkpoint yet
        folder = tmp_path / f"cut{k}"
        with killed_after(k, monkeypatch) as done:
            failed(folder)
        if any("summary.json" in word for word in done):
            with pytest.raises(InputError, match="failed.*resumed"):
                RunFolder(folder, "a = 1\n", resume=True)
        else:
            sink = RunFolder(folder, "a = 1\n", resume=True)
            assert sink.point is not None
            sink.begin(run)
            sink.append(fake_run.blocks(run)[1])
            sink.close_data()
            sink.finish({"status": "failed", "h": run.h})
        assert names(folder) == FINISHED, done
        assert_same_bits(folder, tmp_path / "whole")


@pytest.mark.parametrize("how", ["run", "save"])
def test_an_older_result_is_whole_or_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    """Whenever a process that replaces a result is killed, what can be loaded is one of the two."""
    run = fake_run.run_info()
    old = memory_result()
    old.tree["/energy/kinetic"] = 0.0 * old.tree["/energy/kinetic"]
    old.case_text, new = "old = 1\n", memory_result()

    def replace_it(folder: Path) -> None:
        if how == "save":
            new.case_text = "title = 1\n"
            new.save(folder, overwrite=True)
            return
        sink = RunFolder(folder, "title = 1\n", overwrite=True)
        sink.begin(run)
        for block in fake_run.blocks(run):
            sink.append(block)
        sink.close_data()
        sink.finish(new.summary)

    old.save(tmp_path / "whole")
    with killed_after(10**6, monkeypatch) as all_of_them:
        replace_it(tmp_path / "whole")
    loaded = []
    for k in range(1, len(all_of_them) + 1):
        folder = old.save(tmp_path / f"cut{k}")
        with killed_after(k, monkeypatch) as done:
            replace_it(folder)
        try:
            found = load(folder)
        except InputError:
            loaded.append("none")
        else:
            same = {"old = 1\n": old, "title = 1\n": new}[found.case_text]
            np.testing.assert_array_equal(found.energy.kinetic, same.energy.kinetic, err_msg=str(done))
            loaded.append("old" if same is old else "new")
    assert "new" in loaded
    assert "none" in loaded
    assert loaded == sorted(loaded, key=["old", "none", "new"].index)
    assert ("old" in loaded) == (how == "save")  # a saved result is written in full first


def test_what_lacks_its_summary_is_not_resumed(tmp_path: Path) -> None:
    folder = written(tmp_path / "r")
    (folder / "summary.json").unlink()
    with pytest.raises(InputError, match=r"case.toml, result.h5, fields.vtkhdf.*summary.json.*--overwrite"):
        RunFolder(folder, "title = 1\n", resume=True)
    assert names(folder) == ["case.toml", "fields.vtkhdf", "result.h5"]
