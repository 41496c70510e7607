"""``Study``: a checked study file, ready to run."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from flexmb.errors import InputError
from flexmb.study.axes import Point
from flexmb.study.expectations import evaluate
from flexmb.study.folder import StudyFolder
from flexmb.study.local import Local, cores
from flexmb.study.plan import Runs
from flexmb.study.read import StudyFile, read_study
from flexmb.study.schema import StudyTables
from flexmb.study.table import FAILED, Row, Table, load_table, row_from_json, row_to_json
from flexmb.study.task import Task, flexmb_version
from flexmb.summary import versions

Progress = Callable[[int, int], None]


class Scheduler(Protocol):
    """Who runs tasks: processes of this machine, or a cluster."""

    def warm(self, tasks: Sequence[Task]) -> None:
        """Compile the loops of some tasks."""
        ...

    def run(self, tasks: Sequence[Task], curves: Mapping[str, Path]) -> Iterator[tuple[Task, str, str]]:
        """Yield each task with its row as JSON, or with why there is none."""
        ...


@dataclass(frozen=True)
class Study:
    """A study file, read and checked.

    Parameters
    ----------
    file : StudyFile
        What the file says.
    """

    file: StudyFile

    @property
    def name(self) -> str:
        """Name of the file without its ending."""
        return self.file.name

    @property
    def title(self) -> str:
        """What it calls itself."""
        return self.file.tables.title

    @property
    def tables(self) -> StudyTables:
        """The entries of the file."""
        return self.file.tables

    @property
    def count(self) -> int:
        """How many runs it has."""
        return self.file.grid.count

    def run(
        self,
        out: str | Path | None = None,
        jobs: int | None = None,
        *,
        scheduler: str | None = None,
        yes: bool = False,
        progress: Progress | None = None,
        say: Callable[[str], None] | None = None,
    ) -> Table:
        """Run what is not there yet, and return the table.

        Parameters
        ----------
        out : path, optional
            Study folder; without it nothing is kept but the table.
        jobs : int, optional
            How many runs at a time on this machine; default: as many as there are cores.
        scheduler : str, optional
            Address of a running Dask cluster, ``tcp://...``, which takes the place of this machine.
        yes : bool
            More than a million runs are meant.
        progress : callable, optional
            Called with (runs done, runs to do).
        say : callable, optional
            Called with a line of text when something takes long or is worth knowing.
        """
        if jobs is not None and jobs < 1:
            raise InputError("must be at least 1", key="jobs", value=jobs)
        say = say or (lambda words: None)
        place: AbstractContextManager[str] = tempfile.TemporaryDirectory() if out is None else nullcontext(str(out))
        Runs(self.file).check_count(yes)
        with place as name:
            return _Session(self.file, Path(name), progress, say).run(_scheduler(scheduler, jobs, self.count))

    def run_one(self, index: int, out: str | Path) -> Row:
        """Run one run of the study, unless it is there already.

        Parameters
        ----------
        index : int
            Its place in the study, from 0.
        out : path
            Study folder; other processes may run other runs into it at the same time.
        """
        if not 0 <= index < self.count:
            raise InputError(f"the study has the runs 0 to {self.count - 1}", key="run", value=index)
        return _Session(self.file, Path(out), None, lambda words: None).run_one(self.file.grid[index])


def load_study(source: str | Path, overrides: Iterable[str] = ()) -> Study:
    """Read a study.

    Parameters
    ----------
    source : path or str
        A study file, or the name of a shipped study.
    overrides : iterable of str
        ``"time.end=1.0"`` and the like: keys of the case, for all runs.
    """
    return Study(read_study(source, overrides))


def _scheduler(address: str | None, jobs: int | None, count: int) -> Callable[[], Any]:
    if address is None:
        return lambda: Local(min(jobs or cores(), max(count, 1)))
    from flexmb.study.cluster import Cluster

    return lambda: Cluster(address)


class _Session:
    """One go at a study."""

    def __init__(self, file: StudyFile, folder: Path, progress: Progress | None, say: Callable[[str], None]) -> None:
        self.file, self._progress, self._say = file, progress, say
        self._place = folder
        self.runs = Runs(file, folder / "runs")

    def run(self, scheduler: Callable[[], Any]) -> Table:
        began = time.perf_counter()
        missing = self.runs.check(self._say)
        self.folder = StudyFolder(self._place, self.file)
        with self.folder.locked():
            self.folder.begin()
            points = self._points()
            todo = {key: own[0] for key, own in points.items() if self.folder.read(key) is None}
            found = len(points) - len(todo)
            if found and todo:
                self._say(f"{found} of {len(points)} runs are there already")
            if todo:
                with scheduler() as workers:
                    if missing:
                        workers.warm(missing)
                    self._run_all(workers, todo)
            return self._collect(points, time.perf_counter() - began, len(todo))

    def run_one(self, point: Point) -> Row:
        task = self.runs.task(point)
        self.folder = StudyFolder(self._place, self.file)
        self.folder.begin()
        if (found := self.folder.read(task.key)) is None:
            with Local(1) as workers:
                bad: dict[str, str] = {}
                for reference in self.runs.references(point).values():
                    # of processes that need the same reference one runs it
                    with self.folder.locked(f".{reference.key}.lock", wait=True):
                        bad |= self._run_references(workers, [reference])
                found = self._run_tasks(workers, [task], bad)[0]
        return row_from_json(json.dumps(found))

    def _points(self) -> dict[str, list[Point]]:
        """Return the points of the grid by the keys of their runs: what is the same run is run once."""
        out: dict[str, list[Point]] = {}
        for point in self.file.grid:
            out.setdefault(self.runs.task(point).key, []).append(point)
        return out

    def _run_all(self, workers: Scheduler, todo: Mapping[str, Point]) -> None:
        references = {task.key: task for point in todo.values() for task in self.runs.references(point).values()}
        self._done, self._total = 0, len(todo) + sum(not self._there(task) for task in references.values())
        self._advance(0)
        bad = self._run_references(workers, references.values())
        self._run_tasks(workers, [self.runs.task(point) for point in todo.values()], bad)

    _done = _total = 0

    def _advance(self, count: int = 1) -> None:
        self._done += count
        if self._progress is not None:
            self._progress(self._done, self._total)

    def _there(self, reference: Task) -> bool:
        """Tell whether a reference has run, well or not."""
        found = self.folder.read(reference.key)
        return found is not None and (found["status"] == FAILED or self.folder.curves(reference.key).is_file())

    def _run_references(self, workers: Scheduler, references: Iterable[Task]) -> dict[str, str]:
        """Run the references that are not there; return why those failed that did, by their keys."""
        tasks = list(references)
        for data in self._rows(workers, [task for task in tasks if not self._there(task)]):
            self.folder.write(data)
            self._advance()
        found = {task.key: self.folder.read(task.key) for task in tasks}
        return {
            key: "it was not run" if data is None else str(data["error"])
            for key, data in found.items()
            if data is None or data["status"] == FAILED
        }

    def _run_tasks(self, workers: Scheduler, tasks: list[Task], bad: Mapping[str, str]) -> list[dict[str, Any]]:
        """Run tasks and keep their rows; those with a bad reference fail without being run."""
        out = []
        ready = []
        for task in tasks:
            lost = [(name, bad[key]) for name, key in task.references.items() if key in bad]
            if lost:
                out.append(_lost(task, f"reference run '{lost[0][0]}' failed: {lost[0][1]}"))
                self.folder.write(out[-1])
                self._advance()
            else:
                ready.append(task)
        for data in self._rows(workers, ready):
            self.folder.write(data)
            out.append(data)
            self._advance()
        return out

    def _rows(self, workers: Scheduler, tasks: list[Task]) -> Iterator[dict[str, Any]]:
        curves = {key: self.folder.curves(key) for task in tasks for key in task.references.values()}
        for task, answer, why in workers.run(tasks, curves):
            data = json.loads(answer) if answer else _lost(task, why)
            if data.get("versions", {}).get("flexmb", flexmb_version()) != flexmb_version():
                other = data["versions"]["flexmb"]
                raise InputError(f"a worker runs flexmb {other}, and this is flexmb {flexmb_version()}: use the same")
            yield data

    def _collect(self, points: Mapping[str, list[Point]], seconds: float, ran: int) -> Table:
        """Write rows for all points, the table and the summary."""
        names = {task.key for own in points.values() for task in self.runs.references(own[0]).values()}
        for key, own in points.items():
            path = self.folder.runs / f"{key}.json"
            data = json.loads(path.read_text(encoding="utf-8"))
            for n, point in enumerate(own):
                # the same run may stand at several places, and at another one than when it was run
                name = key if n == 0 else f"{key}-{n + 1}"
                names.add(name)
                place = {"key": name, "index": point.index, "axes": dict(point.axes)}
                if any(data[word] != value for word, value in place.items()) or n > 0:
                    self.folder.write(data | place)
        self.folder.put_aside(names)
        table = load_table(self._place)
        self.folder.finish(table, self._summary(table, seconds, ran))
        return table

    def _summary(self, table: Table, seconds: float, ran: int) -> dict[str, Any]:
        tables = self.file.tables
        return {
            "title": tables.title,
            "name": self.file.name,
            "case": tables.case,
            "runs": len(table.rows),
            "done": sum(row.done for row in table.rows),
            "failed": sum(not row.done for row in table.rows),
            "run_now": ran,
            "timed": tables.timed,
            "expectations": evaluate(tables.expect, table),
            "wall_time_s": seconds,
            "versions": versions(),
        }


def _lost(task: Task, why: str) -> dict[str, Any]:
    """Return the row of a run that was not run to an end; it is repeated when the study is started again."""
    row = Row(task.index, task.key, task.axes, FAILED, why)
    found: dict[str, Any] = json.loads(row_to_json(row, final=False))
    return found
