"""Progress of a run on stderr: a bar with the remaining time on a terminal, occasional lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

from flexmb.commands.compiling import heard, named
from flexmb.commands.terminal import drawing_stream, visible

Progress = Callable[[int, int], None]
QUIET_SECONDS = 10.0
"""Seconds between two lines if the output is not a terminal."""
RECENT_SECONDS = 30.0
RECENT_CALLS = 10
"""The remaining time follows from the rate of about this many last seconds, or intervals between calls if these take
longer."""


class Remaining:
    """The remaining time, from the rate of the recent intervals between calls in which nothing was compiled.

    What precedes the first call is not counted.
    """

    def __init__(self) -> None:
        self._last: tuple[float, int] | None = None
        self._recent: deque[tuple[float, int]] = deque()
        self._compiled = False

    def compiling(self, _name: str) -> None:
        """Leave out the present interval: its time is not that of steps."""
        self._compiled = True

    @property
    def _seconds(self) -> float:
        return sum(t for t, _ in self._recent)

    def after(self, done: int, total: int, now: float) -> float | None:
        """Return the remaining time after ``done`` of ``total`` steps at ``now``, s; None if no rate is known yet."""
        if self._last is not None and not self._compiled:
            self._recent.append((now - self._last[0], done - self._last[1]))
            while len(self._recent) > RECENT_CALLS and self._seconds - self._recent[0][0] > RECENT_SECONDS:
                self._recent.popleft()
        self._last, self._compiled = (now, done), False
        steps = sum(n for _, n in self._recent)
        return self._seconds * (total - done) / steps if steps > 0 else None


@contextmanager
def shown(title: str, quiet: bool, first: str = "starting", what: str = "step") -> Iterator[Progress | None]:
    """Provide a function to call with (steps done, total steps); until the first call a terminal shows ``first``."""
    if quiet:
        yield None
    elif sys.stderr.isatty():
        with _bar(visible(title), first) as advance:
            yield advance
    else:
        with named(quiet), _lines(title, what) as advance:
            yield advance


@contextmanager
def _bar(title: str, first: str) -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    # the spinner and the elapsed time show that the process is alive during compilation
    words = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    columns = (*words, BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[left]}", style="progress.remaining"))
    remaining = Remaining()
    with Bar(*columns, console=Console(file=drawing_stream(sys.stderr)), transient=True) as bar:
        task = bar.add_task(f"{title}: {first}", total=None, left="-:--:--")

        def compiling(name: str) -> None:
            remaining.compiling(name)
            bar.update(task, description=f"{title}: compiling {name}", refresh=True)

        def advance(done: int, total: int) -> None:
            left = remaining.after(done, total, time.monotonic())
            words = "-:--:--" if left is None else str(timedelta(seconds=round(left)))
            bar.update(task, description=title, completed=done, total=total, left=words)

        with heard(compiling):
            yield advance


@contextmanager
def _lines(title: str, what: str) -> Iterator[Progress]:
    remaining, last = Remaining(), -1.0

    def advance(done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        left = remaining.after(done, total, now)
        if last < 0.0:
            last = now
        elif now - last >= QUIET_SECONDS:
            last = now
            words = "" if left is None else f", {left:.0f} s left"
            print(f"{title}: {what} {done} of {total}{words}", file=sys.stderr, flush=True)

    with heard(remaining.compiling):
        yield advance
