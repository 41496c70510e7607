"""Notes of a run as Python warnings.

What a run says about itself stands in ``summary["notes"]``, in ``summary.json`` and on the report page. Programs that
call flexmb also hear it as ``RunWarning``: what is known before the first step before it, the rest at the end. The
command line prints notes itself, and asks for no warnings; those about folders become notes there.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from flexmb.errors import FolderWarning, RunWarning

PACKAGE = __name__.partition(".")[0]


def warn_notes(notes: Iterable[str], told: Collection[str] = (), kind: type[Warning] = RunWarning) -> None:
    """Warn of notes, but for those that were told before; they point to the line that called flexmb."""
    for words in dict.fromkeys(notes):
        if words not in told:
            warnings.warn(words, kind, stacklevel=_caller())


@contextmanager
def no_run_warnings() -> Iterator[None]:
    """Keep notes out of the warnings: who asks for it prints or stores them itself."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)
        yield


@contextmanager
def folder_warnings_as_notes(quiet: bool) -> Iterator[None]:
    """Print what is to be known about folders as notes on stderr, without the place in the source; not if ``quiet``."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore" if quiet else "always", FolderWarning)
        other = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
            if issubclass(category, FolderWarning):
                print(f"note: {message}", file=sys.stderr)
            else:
                other(message, category, *place, **more)

        warnings.showwarning = show
        yield


def _caller() -> int:
    """Return the stacklevel, seen from ``warn_notes``, of the first frame that is not flexmb's own."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == PACKAGE:
        frame, level = frame.f_back, level + 1
    return level
