"""Messages before the first run on a machine, which compiles the time loop and seems to hang."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from flexmb.drive.compiled_files import WORDS, WORDS_LARGE, will_compile, will_compile_large

if TYPE_CHECKING:
    from flexmb.case import Case


def announce(plan: Any, quiet: bool) -> str:
    """Print to stderr that a run of ``plan`` compiles first, if it does; return the name of its first activity."""
    if not quiet and plan.system.linear and will_compile(plan.scheme):
        print(WORDS, file=sys.stderr, flush=True)
        return "compiling"
    return "starting"


def announce_large(case: Case, quiet: bool) -> str:
    """Print to stderr that the assembly of a large-motion case compiles first; return the activity, or nothing."""
    if not quiet and case.model().large_motion and will_compile_large():
        print(WORDS_LARGE, file=sys.stderr, flush=True)
        return "compiling"
    return ""


LINE_SECONDS = 5.0
"""Seconds between two lines that name what is compiled, if the output is not a terminal."""


@contextmanager
def heard(show: Callable[[str], None]) -> Iterator[None]:
    """Call ``show`` with the name of each kernel that is compiled."""
    from flexmb.kernels.compilation.cache import listeners

    listeners.append(show)
    try:
        yield
    finally:
        listeners.remove(show)


@contextmanager
def named(quiet: bool) -> Iterator[None]:
    """Print what is compiled to stderr: one updated line on a terminal, occasional lines elsewhere."""
    last, count, terminal = -LINE_SECONDS, 0, sys.stderr.isatty()

    def show(name: str) -> None:
        nonlocal last, count
        count += 1
        if terminal:
            print(f"\r\x1b[Kcompiling {name} ({count})", end="", file=sys.stderr, flush=True)
        elif time.monotonic() - last >= LINE_SECONDS:
            last = time.monotonic()
            print(f"compiling {name} ({count})", file=sys.stderr, flush=True)

    if quiet:
        yield
        return
    try:
        with heard(show):
            yield
    finally:
        if terminal and count:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
