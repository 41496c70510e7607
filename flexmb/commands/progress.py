"""Progress of a run on stderr: a bar with the remaining time on a terminal, occasional lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from flexmb.commands.compiling import heard, named
from flexmb.commands.terminal import drawing_stream, visible

Progress = Callable[[int, int], None]
QUIET_SECONDS = 10.0
"""Seconds between two lines if the output is not a terminal."""


@contextmanager
def shown(title: str, quiet: bool, first: str = "starting", what: str = "step") -> Iterator[Progress | None]:
    """Provide a function to call with (steps done, total steps); until the first call a terminal shows ``first``."""
    if quiet:
        yield None
    elif sys.stderr.isatty():
        with _bar(visible(title), first) as advance:
            yield advance
    else:
        with named(quiet):
            yield _lines(title, what)


@contextmanager
def _bar(title: str, first: str) -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bar

    # the spinner and the elapsed time show that the process is alive during compilation
    words = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    columns = (*words, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Bar(*columns, console=Console(file=drawing_stream(sys.stderr)), transient=True) as bar:
        task = bar.add_task(f"{title}: {first}", total=None)
        with heard(lambda name: bar.update(task, description=f"{title}: compiling {name}", refresh=True)):
            yield lambda done, total: bar.update(task, description=title, completed=done, total=total)


def _lines(title: str, what: str) -> Progress:
    began, first, last = 0.0, -1, 0.0

    def advance(done: int, total: int) -> None:
        nonlocal began, first, last
        now = time.monotonic()
        if first < 0:
            # the rate counts from here: compilation may have taken place before the first call
            began, first, last = now, done, now
        elif now - last >= QUIET_SECONDS:
            last = now
            left = (now - began) * (total - done) / max(done - first, 1)
            print(f"{title}: {what} {done} of {total}, {left:.0f} s left", file=sys.stderr, flush=True)

    return advance
