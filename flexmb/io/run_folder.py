"""The life of a result folder.

While a run goes on, its files end in ``.part`` (beside ``checkpoint.npz``). When it is done they are renamed,
``summary.json`` last: a killed run never leaves a file that looks complete. A failed run is closed in the same way,
with what it has, and its summary says ``"status": "failed"``.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from flexmb.errors import InputError
from flexmb.io.checkpoint import read_checkpoint, write_checkpoint
from flexmb.io.disk_space import existing_parent, reason, require_space
from flexmb.io.frames import PointMaps
from flexmb.io.planned_file import sync
from flexmb.io.result_h5 import H5Tree, ResultWriter
from flexmb.io.structure import Tree, counts_of, sample_rows
from flexmb.io.summary_json import read_summary, write_summary
from flexmb.io.vtkhdf import FieldsWriter, planned_bytes
from flexmb.record import Block, Checkpoint, RunInfo

CASE, RESULT, FIELDS, SUMMARY, CHECKPOINT = "case.toml", "result.h5", "fields.vtkhdf", "summary.json", "checkpoint.npz"
REPORT, REPORT_MARK = "report.html", '<meta name="generator" content="flexmb report">'
"""What ``flexmb report`` writes into a folder, and a line near its beginning that tells it from other pages."""
PART = ".part"
_DATA = (CASE, RESULT, FIELDS)


class RunFolder:
    """A sink that writes a result folder.

    Parameters
    ----------
    folder : Path
        Need not exist yet; nothing is written before ``begin``.
    case_text : str
        The case as run, kept as ``case.toml``; a resumed run must have the same.
    overwrite : bool
        Replace a run that is there.
    resume : bool
        Go on with an unfinished run that is there.
    """

    def __init__(self, folder: Path, case_text: str = "", *, overwrite: bool = False, resume: bool = False) -> None:
        self.folder = folder
        self.case_text = case_text
        self.point: Checkpoint | None = None
        self.step = 0
        self._begun = False
        self._made = False
        self._sampled = False
        _require_usable(folder)
        if resume and not overwrite:
            self._look_for_checkpoint()
        elif not overwrite:
            refuse_if_taken(folder)

    @property
    def complete(self) -> bool:
        """Whether the folder already holds the finished run of this very case (only asked with ``resume``)."""
        path = self.folder / SUMMARY
        return path.is_file() and read_summary(path).get("status") == "complete"

    @property
    def has_samples(self) -> bool:
        """Whether there is anything of this run worth keeping."""
        return self._begun and (self._sampled or self.point is not None)

    def begin(self, run: RunInfo) -> None:
        """Check the room on the disk, make the folder and its files (or open them again)."""
        self.run = run
        maps, counts = PointMaps.of(run.system), counts_of(run)
        self.result = ResultWriter(self._part(RESULT))
        self.fields = FieldsWriter(self._part(FIELDS), maps, counts["field"])
        if self.point is not None:
            self.result.begin(run, self.point.samples, self.point.fields)
            self.fields.begin(self.point.fields)
        else:
            size = sum(rows.nbytes(counts) for rows in sample_rows(run).values()) + planned_bytes(maps, counts["field"])
            require_space(self.folder, size)
            self._make_files(run)
        self._begun = True

    def _make_files(self, run: RunInfo) -> None:
        self._made = not self.folder.exists()
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            _clear(self.folder)
            self._part(CASE).write_text(self.case_text, encoding="utf-8")
            self.result.begin(run)
            self.fields.begin()
        except OSError as err:
            self.result.out.close()
            self._remove_files()
            raise InputError(f"the result files cannot be made in '{self.folder}': {reason(err)}") from err

    def _remove_files(self) -> None:
        """Remove what ``begin`` made, and the folder if it was not there before."""
        if self.folder.is_dir():
            _clear(self.folder)
            if self._made:
                self.folder.rmdir()

    def append(self, block: Block) -> None:
        """Write the samples and states of a block."""
        self._sampled = self._sampled or len(block.step) > 0
        self.step = int(block.step[-1]) if len(block.step) else self.step
        self.result.append(block)
        self.fields.append_block(self.run, block)

    def checkpoint(self, point: Checkpoint) -> None:
        """Bring everything onto the disk, then the checkpoint that refers to it."""
        self.result.flush()
        self.fields.flush()
        write_checkpoint(self.folder / CHECKPOINT, point)

    def close_data(self) -> Tree:
        """Close the files at the samples they got and give the tree of arrays to read (still ``.part``)."""
        self.result.finish()
        self.fields.finish()
        return H5Tree(self._part(RESULT))

    def finish(self, summary: dict[str, Any]) -> None:
        """Give the files their names, the summary last; the checkpoint has served."""
        remove_report(self.folder)
        for name in _DATA:
            sync(self._part(name))
            os.replace(self._part(name), self.folder / name)
        sync(self.folder)
        write_summary(self.folder / SUMMARY, summary)
        (self.folder / CHECKPOINT).unlink(missing_ok=True)
        sync(self.folder)

    def abandon(self) -> None:
        """Close the files as they are (interrupted run): they stay ``.part`` and can be resumed."""
        if self._begun:
            self.result.out.close()
            self.fields.out.close()

    def discard(self) -> None:
        """Leave nothing of a run that failed before its first sample; what stood there before ``begin`` stays."""
        self.abandon()
        if self._begun:
            self._remove_files()

    def _part(self, name: str) -> Path:
        return self.folder / (name + PART)

    def _look_for_checkpoint(self) -> None:
        stored = next((p for p in (self._part(CASE), self.folder / CASE) if p.is_file()), None)
        if stored is None:
            refuse_if_taken(self.folder)
            return
        if (self.folder / SUMMARY).is_file() and not self.complete:
            raise InputError(
                f"the run in '{self.folder}' failed and cannot be resumed; see {SUMMARY} there, "
                "and start anew with --overwrite"
            )
        _require_same_case(stored, self.case_text)
        if (self.folder / CHECKPOINT).is_file() and self._part(RESULT).is_file() and self._part(FIELDS).is_file():
            self.point = read_checkpoint(self.folder / CHECKPOINT)


def taken_by(folder: Path) -> list[str]:
    """Return the names of the files in ``folder`` that belong to a run."""
    names = [*(n for name in _DATA for n in (name, name + PART)), SUMMARY, CHECKPOINT]
    return [name for name in names if (folder / name).exists()]


def refuse_if_taken(folder: Path) -> None:
    """Raise InputError when the folder holds a run."""
    names = taken_by(folder)
    if not names:
        return
    unfinished = any(name.endswith(PART) for name in names)
    what = "an unfinished run" if unfinished else "another run"
    ways = "--resume goes on with it, --overwrite replaces it" if unfinished else "--overwrite replaces it"
    raise InputError(f"the folder '{folder}' holds {what} ({', '.join(names)}); {ways}, or choose another with -o DIR")


def remove_report(folder: Path) -> None:
    """Remove the report of an earlier run, which would be taken for that of the new one; other pages stay."""
    path = folder / REPORT
    try:
        with path.open(encoding="utf-8", errors="replace") as page:
            ours = REPORT_MARK in page.read(4000)
        if ours:
            path.unlink()
    except OSError:
        return  # there is none, or it cannot be touched: then it is no harm that it stays


def _clear(folder: Path) -> None:
    """Remove the files of the run before and its report; whatever else is in the folder stays."""
    remove_report(folder)
    for name in taken_by(folder):
        (folder / name).unlink()


def _require_usable(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise InputError(f"the output folder '{folder}' is a file; choose another with -o DIR")
    parent = existing_parent(folder)
    in_the_way = next((p for p in folder.parents if p.exists() and not p.is_dir()), None)
    if in_the_way is not None:
        raise InputError(f"the output folder '{folder}' cannot be made: '{in_the_way}' is a file")
    if not os.access(parent, os.W_OK | os.X_OK):
        raise InputError(f"the output folder '{folder}' cannot be written: no permission in '{parent}'")


def _require_same_case(stored: Path, text: str) -> None:
    old, new = stored.read_text(encoding="utf-8").splitlines(), text.splitlines()
    for number, (a, b) in enumerate(zip(old, new, strict=False), start=1):
        if a != b:
            raise InputError(
                f"the run in '{stored.parent}' belongs to another case and cannot be resumed: line {number} of its "
                f"{CASE} reads '{a}', now it is '{b}'; --overwrite starts anew"
            )
    if len(old) != len(new):
        longer = old if len(old) > len(new) else new
        raise InputError(
            f"the run in '{stored.parent}' belongs to another case and cannot be resumed: line "
            f"{min(len(old), len(new)) + 1}, '{longer[min(len(old), len(new))]}', is only in "
            f"{'the stored' if longer is old else 'the new'} case; --overwrite starts anew"
        )
