"""Notes of a run as Python warnings.

The notes of a run are in ``summary["notes"]``, in ``summary.json`` and in the report. Programs that call flexmb also
get them as ``RunWarning``: those known in advance before the first step, the others at the end; they are logged by the
logger ``flexmb`` as well. The command line prints notes itself and suppresses
warnings; those about folders become notes there.
"""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from flexmb.errors import FolderWarning, RunWarning

PACKAGE = __name__.partition(".")[0]
LOGGER = logging.getLogger(PACKAGE)
LOGGER.addHandler(logging.NullHandler())  # silent until a program configures its log


def warn_notes(notes: Iterable[str], told: Collection[str] = (), kind: type[Warning] = RunWarning) -> None:
    """Issue warnings for notes that were not issued before; they refer to the line that called flexmb."""
    for words in dict.fromkeys(notes):
        if words not in told:
            LOGGER.warning("%s", words)
            warnings.warn(words, kind, stacklevel=_caller())


@contextmanager
def no_run_warnings() -> Iterator[None]:
    """Suppress warnings for notes: the caller prints or stores them itself."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)
        yield


@contextmanager
def folder_warnings_as_notes(quiet: bool) -> Iterator[None]:
    """Print warnings about folders as notes on stderr, without source location; not if ``quiet``."""
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
