"""A running Dask cluster instead of this machine; ``distributed`` is an optional package (``flexmb[cluster]``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, Self

from flexmb.checks.extras import require
from flexmb.errors import InputError
from flexmb.record.summary import versions
from flexmb.study.task import Task, flexmb_version, run_task

SECONDS = 10.0
"""Time within which a scheduler must answer, s."""
TRIES = 3
"""Number of resubmissions of a run after its reference curves were lost with the only worker that held them."""
AHEAD = 4
"""Queued tasks per thread of the cluster: it never idles, and a large study does not fill its memory."""


class Cluster:
    """The workers of a Dask scheduler; they read text, so nothing but flexmb itself must be installed there.

    Parameters
    ----------
    address : str
        ``tcp://HOST:PORT``.
    say : callable, optional
        Called with a message if there are no workers.
    """

    def __init__(self, address: str, say: Callable[[str], None] | None = None) -> None:
        require("cluster", f"--scheduler {address}")
        import distributed

        self._dask: Any = distributed
        self._address, self._say = address, say or (lambda words: None)

    def __enter__(self) -> Self:
        try:
            self._client = self._dask.Client(self._address, timeout=SECONDS, set_as_default=False)
        except (OSError, ValueError, TypeError, RuntimeError) as err:
            message = f"no scheduler responds there within {SECONDS:g} s ({_first_line(err)})"
            raise InputError(message, where="--scheduler", value=self._address) from err
        try:
            self._check_versions()
            if not self._client.nthreads():
                self._say(f"the scheduler at {self._address} has no workers yet; waiting for some")
        except BaseException:
            self._client.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(Exception):  # the scheduler may have stopped already
            self._client.close()

    def _check_versions(self) -> None:
        """Raise unless all workers have this version of flexmb; later ones are identified by their rows."""
        try:
            found = self._client.run(flexmb_version, on_error="return")
        except Exception as err:  # any error of a worker without flexmb
            raise self._wrong(f"its workers cannot run flexmb ({_first_line(err)})") from err
        mine = versions()["flexmb"]
        for worker, version in found.items():
            if isinstance(version, BaseException):
                raise self._wrong(f"its worker {worker} cannot run flexmb ({_first_line(version)})")
            if version != mine:
                raise self._wrong(f"its worker {worker} has flexmb {version}, and this is flexmb {mine}: use the same")

    def _wrong(self, words: str) -> InputError:
        return InputError(words, where="--scheduler", value=self._address)

    def warm(self, tasks: Sequence[Task]) -> None:
        """Do nothing: every machine of the cluster compiles for itself."""

    def run(self, tasks: Iterable[Task], curves: Callable[[str], Path]) -> Iterator[tuple[Task, str, str]]:
        """Run tasks; yield each with its row as JSON, or the reason for a missing one, as they end.

        Parameters
        ----------
        tasks : iterable of Task
        curves : callable
            Returns the file with the curves of a reference for its key; it is sent to the workers once.
        """
        sent = cache(lambda key: self._client.scatter(curves(key).read_bytes(), broadcast=True, hash=False))
        waiting = iter(tasks)
        running: dict[Any, tuple[Task, int]] = {}
        ended = self._dask.as_completed(loop=self._client.loop)
        sends = 1

        def submit(task: Task, tries: int = 1) -> None:
            own = {key: sent(key) for key in task.references.values()}
            future = self._client.submit(run_task, task.to_json(), own, pure=False)
            running[future] = task, tries
            ended.add(future)

        def fill() -> None:
            # requested each time, since workers come and go
            room = AHEAD * max(1, sum(self._client.nthreads().values())) - len(running)
            for task in islice(waiting, max(room, 0)):
                submit(task)

        fill()
        while running:
            future = next(ended)
            task, tries = running.pop(future)
            answer, why = "", ""
            try:
                answer = future.result()
            except self._dask.CancelledError as err:
                # the scheduler keeps one copy of what was sent to all workers; with its worker the curves are gone,
                # and every run that waits for them is dropped
                if tries == TRIES or self._client.status != "running":
                    raise self._wrong(
                        f"the scheduler has stopped, or has dropped the runs ({_first_line(err)})"
                    ) from err
                if tries >= sends:  # the first of those that were dropped together
                    sent.cache_clear()
                    sends += 1
                submit(task, tries + 1)
                continue
            except Exception as err:  # in particular KilledWorker, after the last retry by the scheduler
                why = f"no worker of the cluster completed it ({type(err).__name__}: {_first_line(err)})"
            fill()
            yield task, answer, why


def _first_line(err: BaseException) -> str:
    return (str(err).strip() or type(err).__name__).splitlines()[0]
