"""One execution of a study: missing runs are executed, stored immediately, and finally collected."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

from flexmb.errors import InputError
from flexmb.record.summary import versions
from flexmb.study.expectations import evaluate
from flexmb.study.folder import StudyFolder
from flexmb.study.plan import Runs
from flexmb.study.read import StudyFile
from flexmb.study.table import FAILED, RUNS, Row, Table, load_table, row_of, row_to_json
from flexmb.study.task import Task, flexmb_version

Progress = Callable[[int, int], None]
BAD_REFERENCE = "reference run"
"""Beginning of the error message of a run whose reference failed."""


class Scheduler(Protocol):
    """Executes tasks: in processes of this machine, or on a cluster."""

    def warm(self, tasks: Sequence[Task]) -> None:
        """Compile the loops of some tasks."""
        ...

    def run(self, tasks: Iterable[Task], curves: Callable[[str], Path]) -> Iterator[tuple[Task, str, str]]:
        """Yield each task with its row as JSON, or why it is missing; ``curves`` returns files of references."""
        ...


Start = Callable[[], AbstractContextManager[Scheduler]]


class Session:
    """One execution of a study.

    Parameters
    ----------
    file : StudyFile
    folder : Path
        Folder of the study, created if necessary.
    progress : callable, optional
        Called with (runs done, runs to do).
    say : callable, optional
        Called with a line of information, e.g. on long operations.
    """

    def __init__(
        self,
        file: StudyFile,
        folder: Path,
        progress: Progress | None = None,
        say: Callable[[str], None] | None = None,
    ) -> None:
        self.file, self._place = file, folder
        self._progress, self._say = progress, say or (lambda words: None)
        self.runs = Runs(file, folder / RUNS)
        self._done = self._total = 0

    def run(self, start: Start) -> Table:
        """Execute the missing runs; return the whole table."""
        began = time.perf_counter()
        missing = self.runs.check(self._say)
        self.folder = StudyFolder(self._place, self.file)
        with self.folder.locked():
            self.folder.begin()
            places = self._places()
            self.folder.put_aside({*self._names(places), *self._references(own[0] for own in places.values())})
            todo = [own[0] for key, own in places.items() if self.folder.read(key) is None]
            if todo and len(todo) < len(places):
                self._say(f"{len(places) - len(todo)} of {len(places)} runs are finished already")
            if todo:
                with start() as workers:
                    if missing:
                        workers.warm(missing)
                    self._run_all(workers, todo)
            self._write_places(places)
            table = load_table(self._place)
            self.folder.finish(table, self._summary(table, time.perf_counter() - began, len(todo)))
        return table

    def run_one(self, index: int, start: Start) -> Row:
        """Execute one run, unless it exists; other processes may run into the same folder."""
        self.runs.check_first()
        task = self.task(index)
        self.folder = StudyFolder(self._place, self.file)
        self.folder.begin()
        if (found := self.folder.read(task.key)) is None:
            with start() as workers:
                bad: dict[str, str] = {}
                for key, reference in self._references([index]).items():
                    # if several processes need the same reference, one of them runs it
                    with self.folder.locked(f".{key}.lock", wait=True):
                        bad |= self._run_references(workers, [reference])
                [found] = self._run_tasks(workers, [index], bad)
        return row_of(found)

    def task(self, index: int) -> Task:
        """Return the run at an index of the grid."""
        return self.runs.task(self.file.grid[index])

    def _places(self) -> dict[str, list[int]]:
        """Return the indices of the grid by the keys of their runs, so that identical runs are executed once."""
        out: dict[str, list[int]] = {}
        for index in range(self.file.grid.count):
            out.setdefault(self.task(index).key, []).append(index)
        return out

    def _names(self, places: Mapping[str, list[int]]) -> Iterator[str]:
        """Yield the names under which rows are stored."""
        return (_name(key, n) for key, own in places.items() for n in range(len(own)))

    def _references(self, places: Iterable[int]) -> dict[str, Task]:
        """Return the reference runs of some points by their keys."""
        found = (self.runs.references(self.file.grid[index]).values() for index in places)
        return {task.key: task for tasks in found for task in tasks}

    def _run_all(self, workers: Scheduler, todo: list[int]) -> None:
        references = self._references(todo).values()
        self._done, self._total = 0, len(todo) + sum(not self._there(task) for task in references)
        bad = self._run_references(workers, references)
        for _ in self._run_tasks(workers, todo, bad):
            pass

    def _keep(self, data: dict[str, Any]) -> None:
        self.folder.write(data)
        self._done += 1
        if self._progress is not None:
            self._progress(self._done, self._total)

    def _there(self, reference: Task) -> bool:
        """Return whether a reference run has ended, successfully or not."""
        found = self.folder.read(reference.key)
        return found is not None and (found["status"] == FAILED or self.folder.curves(reference.key).is_file())

    def _run_references(self, workers: Scheduler, references: Iterable[Task]) -> dict[str, str]:
        """Execute the missing references; return the reasons of failures by their keys."""
        tasks = list(references)
        lost: dict[str, str] = {}
        for data in self._rows(workers, [task for task in tasks if not self._there(task)]):
            self._keep(data)
            if data["status"] == FAILED:
                lost[data["key"]] = str(data["error"])
        for task in tasks:
            found = self.folder.read(task.key)
            if found is not None and found["status"] == FAILED:
                lost[task.key] = str(found["error"])
        return lost

    def _run_tasks(self, workers: Scheduler, places: list[int], bad: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        """Execute and store runs, and yield the rows; those with a failed reference fail without being executed."""
        ready = []
        for index in places:
            references = self.runs.references(self.file.grid[index]).items() if bad else ()
            why = [f"{BAD_REFERENCE} '{name}' failed: {bad[task.key]}" for name, task in references if task.key in bad]
            if not why:
                ready.append(index)
                continue
            data = _lost(self.task(index), why[0])
            self._keep(data)
            yield data
        for data in self._rows(workers, (self.task(index) for index in ready)):
            self._keep(data)
            yield data

    def _rows(self, workers: Scheduler, tasks: Iterable[Task]) -> Iterator[dict[str, Any]]:
        mine = flexmb_version()
        for task, answer, why in workers.run(tasks, self.folder.curves):
            data = json.loads(answer) if answer else _lost(task, why)
            other = data.get("versions", {}).get("flexmb", mine)
            if other != mine:
                raise InputError(f"a worker runs flexmb {other}, and this is flexmb {mine}: use the same")
            yield data

    def _write_places(self, places: Mapping[str, list[int]]) -> None:
        """Rewrite rows whose run belongs to several points, or to another point than when it was executed."""
        for key, own in places.items():
            data = json.loads((self.folder.runs / f"{key}.json").read_text(encoding="utf-8"))
            for n, index in enumerate(own):
                place = {"key": _name(key, n), "index": index, "axes": dict(self.file.grid[index].axes)}
                if any(data[word] != value for word, value in place.items()):
                    self.folder.write(data | place)

    def _summary(self, table: Table, seconds: float, ran: int) -> dict[str, Any]:
        tables = self.file.tables
        done = sum(row.done for row in table.rows)
        return {
            "title": tables.title,
            "name": self.file.name,
            "case": tables.case,
            "runs": len(table.rows),
            "done": done,
            "failed": len(table.rows) - done,
            "run_now": ran,
            "timed": tables.timed,
            "expectations": evaluate(tables.expect, table),
            "wall_time_s": seconds,
            "versions": versions(),
        }


def _name(key: str, n: int) -> str:
    """Return the name of the row at the n-th point of a run."""
    return key if n == 0 else f"{key}-{n + 1}"


def _lost(task: Task, why: str) -> dict[str, Any]:
    """Return the row of a run that was not completed; it is repeated when the study is started again."""
    row = Row(task.index, task.key, task.axes, FAILED, why)
    found: dict[str, Any] = json.loads(row_to_json(row, final=False))
    return found
