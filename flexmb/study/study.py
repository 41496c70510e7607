"""``Study``: a checked study file, ready to run."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flexmb.errors import InputError
from flexmb.study.local import Local, cores
from flexmb.study.plan import Runs
from flexmb.study.read import StudyFile, read_study
from flexmb.study.session import Progress, Session
from flexmb.study.study_schema import StudyTables
from flexmb.study.table import Row, Table


@dataclass(frozen=True)
class Study:
    """A study file, read and checked.

    Parameters
    ----------
    file : StudyFile
        Content of the file.
    """

    file: StudyFile

    def __repr__(self) -> str:
        return f"<Study {self.name!r}: {self.title!r}, {self.count} runs>"

    @property
    def name(self) -> str:
        """Name of the file without its ending."""
        return self.file.name

    @property
    def title(self) -> str:
        """Title of the study."""
        return self.file.tables.title

    @property
    def tables(self) -> StudyTables:
        """The entries of the file."""
        return self.file.tables

    @property
    def count(self) -> int:
        """Number of runs."""
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
        """Execute the missing runs, and return the table.

        Parameters
        ----------
        out : path, optional
            Study folder; without it only the table is kept.
        jobs : int, optional
            Number of simultaneous runs on this machine; default: the number of cores.
        scheduler : str, optional
            Address of a running Dask cluster, ``tcp://...``, used instead of this machine.
        yes : bool
            Confirms more than a million runs.
        progress : callable, optional
            Called with (runs done, runs to do).
        say : callable, optional
            Called with a line of information, e.g. on long operations.
        """
        if jobs is not None and jobs < 1:
            raise InputError("must be at least 1", key="jobs", value=jobs)
        say = say or (lambda words: None)
        place: AbstractContextManager[str] = tempfile.TemporaryDirectory() if out is None else nullcontext(str(out))
        Runs(self.file).check_count(yes)
        with place as name:
            return Session(self.file, Path(name), progress, say).run(_scheduler(scheduler, jobs, self.count, say))

    def run_one(self, index: int, out: str | Path) -> Row:
        """Execute one run of the study, unless it exists.

        Parameters
        ----------
        index : int
            Its index in the study, from 0.
        out : path
            Study folder; other processes may run other runs into it at the same time.
        """
        if not 0 <= index < self.count:
            raise InputError(f"the study has the runs 0 to {self.count - 1}", key="run", value=index)
        return Session(self.file, Path(out)).run_one(index, lambda: Local(1))


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


def _scheduler(address: str | None, jobs: int | None, count: int, say: Callable[[str], None]) -> Callable[[], Any]:
    if address is None:
        return lambda: Local(min(jobs or cores(), max(count, 1)))
    from flexmb.study.cluster import Cluster

    return lambda: Cluster(address, say)
