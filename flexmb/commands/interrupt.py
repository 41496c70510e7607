"""Ctrl-C or SIGTERM during a run: stop between two blocks of steps, never while a file is being written."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

Progress = Callable[[int, int], None]


@contextmanager
def stops_between_blocks(progress: Progress | None) -> Iterator[Progress]:
    """Provide a progress function that raises KeyboardInterrupt(number) after the signal of Ctrl-C or SIGTERM.

    Before the first block is done, and at the second signal, the interrupt is raised immediately.
    """
    running, asked = False, 0

    def advance(done: int, total: int) -> None:
        nonlocal running
        running = True
        if progress is not None:
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
    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield advance
    finally:
        for number, former in before.items():
            signal.signal(number, former)
