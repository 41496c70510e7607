"""Ctrl-C or SIGTERM: a run stops between two blocks or within a block, never while a file is being written."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

Progress = Callable[[int, int], None]
Handler = Callable[[int, FrameType | None], None]


@contextmanager
def stops_between_blocks(progress: Progress | None) -> Iterator[Progress]:
    """Provide a progress function that raises KeyboardInterrupt(number) after the signal of Ctrl-C or SIGTERM.

    Before the first block is done, and at the second signal, the interrupt is raised immediately.
    """
    running, asked, told = False, 0, -1

    def advance(done: int, total: int) -> None:
        nonlocal running, told
        running = True
        if progress is not None and done != told:
            told = done
            progress(done, total)
        if asked:
            raise KeyboardInterrupt(asked)

    def handle(number: int, frame: FrameType | None) -> None:
        nonlocal asked
        if asked or not running:
            raise KeyboardInterrupt(number)
        asked = number
        print("\nflexmb: stopping (interrupt again to stop at once)", file=sys.stderr)

    if threading.current_thread() is not threading.main_thread():
        yield advance  # signals reach the main thread only
        return
    with _handled(handle, signal.SIGINT, signal.SIGTERM):
        yield advance


@contextmanager
def stops_like_ctrl_c() -> Iterator[None]:
    """Raise KeyboardInterrupt(number) at SIGTERM, as Ctrl-C does: for commands that store each finished run."""

    def handle(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt(number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with _handled(handle, signal.SIGTERM):
        yield


def exit_code(stopped: KeyboardInterrupt) -> int:
    """Return the exit code of a command that a signal has stopped, 128 + its number."""
    return 128 + int(stopped.args[0] if stopped.args else signal.SIGINT)


@contextmanager
def _handled(handle: Handler, *numbers: signal.Signals) -> Iterator[None]:
    """Handle signals by a function for the duration of a block."""
    before = {number: signal.signal(number, handle) for number in numbers}
    try:
        yield
    finally:
        for number, former in before.items():
            signal.signal(number, former)
