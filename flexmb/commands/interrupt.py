"""Ctrl-C during a run: stop between two blocks of steps, never while a file is being written."""

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
    """Provide a progress function that raises KeyboardInterrupt after Ctrl-C was pressed.

    Before the first block is done, and at the second Ctrl-C, the interrupt is raised immediately.
    """
    running = asked = False

    def advance(done: int, total: int) -> None:
        nonlocal running
        running = True
        if progress is not None:
            progress(done, total)
        if asked:
            raise KeyboardInterrupt

    def handle(number: int, frame: FrameType | None) -> None:
        nonlocal asked
        if asked or not running:
            raise KeyboardInterrupt
        asked = True
        print("\nflexmb: stopping (Ctrl-C again: at once)", file=sys.stderr)

    if threading.current_thread() is not threading.main_thread():
        yield advance  # signals reach the main thread only
        return
    before = signal.signal(signal.SIGINT, handle)
    try:
        yield advance
    finally:
        signal.signal(signal.SIGINT, before)
