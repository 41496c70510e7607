"""Studies on a Dask cluster: the same bits as on this machine, also when a worker is killed; what is refused."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from messages import says
from study_files import STUDY, Inline, without_times, write_study

from flexmb.checks.extras import install_command
from flexmb.cli import main
from flexmb.errors import InputError
from flexmb.study.study import load_study

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as found:
        yield found


@pytest.mark.parametrize("killed", [1, 2])  # with both, the reference curves they were sent are lost
def test_the_same_bits_as_here_with_workers_killed_on_the_way(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, killed: int
) -> None:
    path = write_study(tmp_path, STUDY.replace("[20, 40, 80]", "[20, 200000]"))
    pids = [nanny.pid for nanny in cluster.workers.values()]

    def kill(done: int, total: int) -> None:
        if done == 3:  # both references and a run; the others are on their way
            for pid in pids[:killed]:
                os.kill(pid, signal.SIGKILL)

    there = load_study(path).run(tmp_path / "there", scheduler=cluster.scheduler_address, progress=kill)
    assert all(row.done for row in there.rows)
    assert not set(pids[:killed]) & {nanny.pid for nanny in cluster.workers.values()}
    monkeypatch.setattr("flexmb.study.study.Local", Inline)
    here = load_study(path).run(tmp_path / "here")
    assert without_times(there.to_csv(), ["seconds"]) == without_times(here.to_csv(), ["seconds"])
    assert [row.arrays for row in there.rows] == [row.arrays for row in here.rows]
    assert {p.name for p in (tmp_path / "there" / "runs").iterdir()} == {
        p.name for p in (tmp_path / "here" / "runs").iterdir()
    }


def test_workers_with_another_version_are_refused(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("flexmb.study.cluster.versions", lambda: {"flexmb": "99.0"})
    path = write_study(tmp_path)
    assert main(["study", str(path), "-o", str(tmp_path / "out"), "--scheduler", cluster.scheduler_address]) == 2
    assert says(capsys.readouterr().err, "flexmb 99.0")


def test_a_scheduler_that_does_not_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("flexmb.study.cluster.SECONDS", 0.3)
    path = write_study(tmp_path)
    for address in ("tcp://127.0.0.1:9", "nonsense://x", ""):
        assert main(["study", str(path), "-o", str(tmp_path / "out"), "--scheduler", address]) == 2
        told = capsys.readouterr().err
        assert says(told, "scheduler ... 0.3 s")
        assert "Traceback" not in told


def test_without_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match=re.escape(install_command("cluster"))):
        load_study(write_study(tmp_path)).run(tmp_path / "out", scheduler="tcp://127.0.0.1:8786")
