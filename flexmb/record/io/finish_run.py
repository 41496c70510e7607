"""Atomic completion of a run, safe against being killed at any time.

First all data files are complete and on the disk, as ``NAME.part`` (``NAME.part.short`` if the run ended early). Then
``summary.json.part`` is written completely, which marks the end of the run. Before it the run is unfinished and its
checkpoint is valid; after it the remaining steps are done by ``carry_out``, in the same process or in the next one that
resumes the run. Repeating them is harmless.

An older result in the folder remains complete up to this mark; then its summary is removed first, so that its files
are never mistaken for a result together with new ones.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from flexmb.errors import InputError
from flexmb.record.io.planned_file import SHORT, sync
from flexmb.record.io.summary_json import read_summary, write_summary

PART = ".part"
SUMMARY, CHECKPOINT = "summary.json", "checkpoint.npz"
DECISION = SUMMARY + PART


def decide(folder: Path, data: Sequence[str], summary: dict[str, Any]) -> None:
    """Flush the data files to disk, then the mark that the run has ended."""
    for name in data:
        sync(_written(folder, name))
    write_summary(folder / DECISION, summary)
    sync(folder)


def decided(folder: Path) -> dict[str, Any] | None:
    """Return the summary of a run that has ended but whose files do not have their final names yet; otherwise None."""
    if not (folder / DECISION).is_file():
        return None
    try:
        return read_summary(folder / DECISION)
    except InputError:
        return None  # written by a version of flexmb that did not write it atomically


def carry_out(folder: Path, data: Sequence[str]) -> None:
    """Give the files of a finished run their final names, the summary last, and remove its checkpoint."""
    for name in data:
        if not (_written(folder, name).is_file() or (folder / name).is_file()):
            words = f"the run in '{folder}' has ended, but {name}{PART} is missing"
            raise InputError(f"{words}; start again with --overwrite")
    (folder / SUMMARY).unlink(missing_ok=True)
    sync(folder)
    for name in data:
        written = _written(folder, name)
        if written.name.endswith(
            SHORT
        ):  # the longer file is removed first: otherwise it would be mistaken for the result
            (folder / (name + PART)).unlink(missing_ok=True)
        if written.is_file():
            os.replace(written, folder / name)
    for name in (CHECKPOINT, CHECKPOINT + PART):
        (folder / name).unlink(missing_ok=True)
    sync(folder)
    os.replace(folder / DECISION, folder / SUMMARY)
    sync(folder)


def _written(folder: Path, name: str) -> Path:
    """Return the data file of a run that gets the final name: the shortened one if it exists."""
    part = folder / (name + PART)
    short = part.with_name(part.name + SHORT)
    return short if short.is_file() else part
