"""Workers on this machine: one process each, one run at a time, communication by plain text."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Self

from flexmb.study.task import Task

MOST_TRIES = 3
"""Number of attempts for a run whose worker dies."""
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
"""Every worker has one core; more threads would compete with each other."""


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class WorkerDied(Exception):  # noqa: N818
    """A worker ended during a run."""


def _same_path() -> dict[str, str]:
    """Return the arguments by which a process finds the same modules as this one, and none in its current folder."""
    return {"PYTHONSAFEPATH": "1", "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)}


class Worker:
    """A process that answers requests, see ``flexmb.study.worker``; it ends with this one."""

    def __init__(self) -> None:
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  (lives as long as the worker)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "flexmb.study.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=os.environ | ONE_THREAD | _same_path(),
            text=True,
            encoding="utf-8",
        )

    def ask(self, request: Mapping[str, Any]) -> str:
        """Return the answer to a request, one line."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except (OSError, ValueError) as err:
            raise WorkerDied(self._last_words()) from err
        if not answer.endswith("\n"):
            raise WorkerDied(self._last_words())
        return answer

    def _last_words(self) -> str:
        code = self.process.wait()
        self._log.seek(0)
        lines = self._log.read().decode(errors="replace").strip().splitlines()
        how = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
        return f"{how}: {lines[-1].strip()}" if lines else how

    def end(self) -> None:
        """Kill the process."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:  # pending output has no reader any more
                    continue


class Local:
    """A pool of workers; a dead one is replaced.

    Parameters
    ----------
    jobs : int
        Number of workers.
    """

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self._idle: list[Worker] = []
        self._all: set[Worker] = set()
        self._guard = threading.Lock()
        self._ended = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._guard:
            self._ended = True
            for worker in self._all:
                worker.end()
            self._all.clear()

    def warm(self, tasks: Sequence[Task]) -> None:
        """Compile the loops of some tasks, each in one worker while the others wait."""
        for _ in self._answers(tasks, lambda task: {"warm": task.to_json()}):
            pass

    def run(self, tasks: Iterable[Task], curves: Callable[[str], Path]) -> Iterator[tuple[Task, str, str]]:
        """Run tasks; yield each with its row as JSON, or the reason for a missing one, as they end.

        Parameters
        ----------
        tasks : iterable of Task
        curves : callable
            Returns the file with the curves of a reference for its key.
        """

        def request(task: Task) -> dict[str, Any]:
            return {"run": task.to_json(), "curves": {key: str(curves(key)) for key in task.references.values()}}

        return self._answers(tasks, request)

    def _answers(
        self, tasks: Iterable[Task], request: Callable[[Task], dict[str, Any]]
    ) -> Iterator[tuple[Task, str, str]]:
        todo = iter(tasks)
        done: SimpleQueue[tuple[Task, str, str] | BaseException | None] = SimpleQueue()

        def serve() -> None:
            try:
                while not self._ended:
                    with self._guard:
                        task = next(todo, None)
                    if task is None:
                        break
                    done.put((task, *self._ask(request(task))))
                done.put(None)
            except BaseException as err:  # passed on to the consumer of the answers
                done.put(err)

        for _ in range(self.jobs):
            threading.Thread(target=serve, daemon=True).start()
        serving = self.jobs
        while serving:
            found = done.get()
            if isinstance(found, BaseException):
                raise found
            if found is None:
                serving -= 1
            else:
                yield found

    def _ask(self, request: Mapping[str, Any]) -> tuple[str, str]:
        """Return the answer of a worker, or the reason for a missing one."""
        why = ""
        for _ in range(MOST_TRIES):
            worker = self._take()
            if worker is None:
                return "", "the study was stopped"
            try:
                answer = worker.ask(request)
            except WorkerDied as err:
                why = str(err)
                with self._guard:
                    self._all.discard(worker)
                worker.end()
                continue
            with self._guard:
                self._idle.append(worker)
            return answer, ""
        return "", f"its worker died {MOST_TRIES} times ({why})"

    def _take(self) -> Worker | None:
        with self._guard:
            if self._ended:
                return None
            if self._idle:
                return self._idle.pop()
            worker = Worker()
            self._all.add(worker)
            return worker
