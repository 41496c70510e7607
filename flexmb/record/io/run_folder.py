"""Creation, completion and removal of a result folder.

During a run its files end in ``.part`` (in addition to ``checkpoint.npz``), and a lock excludes other processes. At the
end they are renamed, ``summary.json`` last: a killed run never leaves a file that looks complete, and one that is
killed during the renaming is completed by ``--resume`` (see ``finish_run``). A failed run is closed in the same way
with its partial data, and its summary contains ``"status": "failed"``.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from flexmb.errors import InputError
from flexmb.record.io.checkpoint import ANEW, read_checkpoint, write_checkpoint
from flexmb.record.io.disk_space import existing_parent, reason, require_space
from flexmb.record.io.finish_run import CHECKPOINT, DECISION, PART, SUMMARY, carry_out, decide, decided
from flexmb.record.io.folder_lock import FolderLock, make_folder, remove_made
from flexmb.record.io.frames import PointMaps
from flexmb.record.io.planned_file import SHORT, sync
from flexmb.record.io.result_h5 import H5Tree, ResultWriter
from flexmb.record.io.structure import DIGEST, Tree, counts_of, sample_rows, static_arrays
from flexmb.record.io.summary_json import read_summary
from flexmb.record.io.toml_text import comments_of
from flexmb.record.io.vtkhdf import FieldsWriter, planned_bytes
from flexmb.record.samples import Block, Checkpoint, RunInfo

CASE, RESULT, FIELDS = "case.toml", "result.h5", "fields.vtkhdf"
REPORT, REPORT_MARK = "report.html", '<meta name="generator" content="flexmb report">'
"""File that ``flexmb report`` writes into a folder, and a line near its beginning that identifies it."""
FIT = "fit.json"
"""Summary of the folder of a fit, which is no result folder."""
PROBLEM = "contact_problem.npz"
"""The contact problem on which a run failed."""
DATA = (CASE, RESULT, FIELDS)
__all__ = [
    "CASE",
    "FIT",
    "CHECKPOINT",
    "DATA",
    "FIELDS",
    "PART",
    "PROBLEM",
    "REPORT",
    "REPORT_MARK",
    "RESULT",
    "SUMMARY",
    "RunFolder",
]
__all__ += ["clear_unfinished", "refuse_if_taken", "remove_report", "taken_by"]


class RunFolder:
    """A sink that writes a result folder.

    Parameters
    ----------
    folder : Path
        Folder, created if necessary; nothing is written before ``begin``.
    case_text : str
        The case as run, kept as ``case.toml``; a resumed run must have the same.
    overwrite : bool
        Replace an existing run.
    resume : bool
        Continue an existing unfinished run.
    """

    def __init__(self, folder: Path, case_text: str = "", *, overwrite: bool = False, resume: bool = False) -> None:
        self.folder = folder
        self.case_text = case_text
        self.point: Checkpoint | None = None
        self.step = 0
        self._overwrite = overwrite
        self._begun = False
        self._made: list[Path] = []
        self._sampled = False
        self._lock: FolderLock | None = None
        _require_usable(folder)
        if folder.is_dir():
            self._lock = FolderLock(folder)
        try:
            if resume and not overwrite:
                self._look_for_checkpoint()
            elif not overwrite:
                refuse_if_taken(folder)
        except BaseException:
            self.release()
            raise

    def release(self) -> None:
        """Release the folder for other processes; ``finish``, ``abandon`` and ``discard`` do this as well."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    @property
    def complete(self) -> bool:
        """Whether the folder already holds the finished run of this case (only relevant with ``resume``)."""
        path = self.folder / SUMMARY
        return path.is_file() and read_summary(path).get("status") == "complete"

    @property
    def has_samples(self) -> bool:
        """Whether at least one sample of this run was recorded."""
        return self._begun and (self._sampled or self.point is not None)

    def begin(self, run: RunInfo) -> None:
        """Check the free disk space, create the folder and its files (or reopen them)."""
        self.run = run
        maps, counts = PointMaps.of(run.system), counts_of(run)
        self.result = ResultWriter(self._part(RESULT))
        self.fields = FieldsWriter(self._part(FIELDS), maps, counts["field"])
        self._digest = _digest(self.case_text, run)
        if self.point is not None:
            self._open_again(run, self.point)
        else:
            size = sum(rows.nbytes(counts) for rows in sample_rows(run).values()) + planned_bytes(maps, counts["field"])
            require_space(self.folder, size)
            self._make_files(run)
        self._begun = True

    def _open_again(self, run: RunInfo, point: Checkpoint) -> None:
        if point.run != self._digest:
            path = self.folder / CHECKPOINT
            message = f"the checkpoint '{path}' belongs to another model (a mesh that has changed?) or another scheme"
            raise InputError(f"{message}; {ANEW}")
        for name in DATA:  # remains of a file that was being written when the run was killed
            (self.folder / (name + PART + SHORT)).unlink(missing_ok=True)
        self.result.begin(run, point.samples, point.fields)
        self.fields.begin(point.fields)

    def _make_files(self, run: RunInfo) -> None:
        try:
            self._made = make_folder(self.folder)
            if self._lock is None:
                self._lock = FolderLock(self.folder)
                if not self._overwrite:  # another process may have been faster
                    refuse_if_taken(self.folder)
            _clear(self.folder)
            fresh = self._part(CASE + PART)
            fresh.write_text(self.case_text, encoding="utf-8")
            os.replace(fresh, self._part(CASE))
            self.result.begin(run)
            self.fields.begin()
        except InputError:
            self.release()
            remove_made(self._made)
            raise
        except OSError as err:
            self._close()
            self._remove_files()
            name = f"{Path(err.filename).name}: " if err.filename else ""
            raise InputError(f"the result files cannot be created in '{self.folder}': {name}{reason(err)}") from err

    def _remove_files(self) -> None:
        """Remove the files created by ``begin``, and the folder if it did not exist before."""
        if self._lock is not None:
            _clear(self.folder)
        self.release()
        remove_made(self._made)

    def _close(self) -> None:
        for writer in (self.result, self.fields):
            if hasattr(writer, "out"):
                writer.out.close()

    def append(self, block: Block) -> None:
        """Write the samples and states of a block."""
        self._sampled = self._sampled or len(block.step) > 0
        self.step = int(block.step[-1]) if len(block.step) else self.step
        self.result.append(block)
        self.fields.append_block(self.run, block)

    def checkpoint(self, point: Checkpoint) -> None:
        """Flush all data to disk, then write the checkpoint that refers to it."""
        self.result.flush()
        self.fields.flush()
        write_checkpoint(self.folder / CHECKPOINT, replace(point, run=self._digest))

    def close_data(self) -> Tree:
        """Close the files at their last sample and return the tree of arrays (files are not renamed yet)."""
        self.result.finish()
        self.fields.finish()
        return H5Tree(self.result.out.path)

    def finish(self, summary: dict[str, Any]) -> None:
        """Give the files their final names, the summary last."""
        remove_report(self.folder)
        decide(self.folder, DATA, summary)
        carry_out(self.folder, DATA)
        self.release()

    def abandon(self) -> None:
        """Close the files of an interrupted run: they remain ``.part`` and the run can be resumed."""
        if self._begun:
            self._close()
        self.release()

    def discard(self) -> None:
        """Remove all files of a run that failed before its first sample; earlier content of the folder is kept."""
        if self._begun:
            self._close()
            self._remove_files()
            self._begun = False
        self.release()

    def _part(self, name: str) -> Path:
        return self.folder / (name + PART)

    def _look_for_checkpoint(self) -> None:
        """Look for a checkpoint to continue from; a run that had ended gets its final file names."""
        names = taken_by(self.folder)
        if decided(self.folder) is not None:
            _require_same_case(self._part(CASE) if CASE + PART in names else self.folder / CASE, self.case_text)
            carry_out(self.folder, DATA)
        if (self.folder / SUMMARY).is_file():
            self._require_this_run()
        elif found := [name for name in names if name in DATA]:
            raise InputError(
                f"the folder '{self.folder}' holds {', '.join(found)} of a run without its {SUMMARY}, which cannot be "
                "resumed; --overwrite starts again"
            )
        elif CHECKPOINT in names:
            if missing := [name + PART for name in DATA if name + PART not in names]:
                where = f"the run in '{self.folder}'"
                raise InputError(f"{where} cannot be resumed: {', '.join(missing)} is missing; {ANEW}")
            _require_same_case(self._part(CASE), self.case_text)
            self.point = read_checkpoint(self.folder / CHECKPOINT)
        elif CASE + PART in names:
            _require_same_case(self._part(CASE), self.case_text)

    def _require_this_run(self) -> None:
        """Raise InputError unless the existing run ended successfully and belongs to this case."""
        if not self.complete:
            raise InputError(
                f"the run in '{self.folder}' failed and cannot be resumed; see {SUMMARY} there, "
                "and start again with --overwrite"
            )
        if not (self.folder / CASE).is_file():
            refuse_if_taken(self.folder)
        _require_same_case(self.folder / CASE, self.case_text)


def taken_by(folder: Path) -> list[str]:
    """Return the names of the files in ``folder`` that belong to a run."""
    names = [*(n for name in DATA for n in (name, name + PART)), SUMMARY, DECISION, CHECKPOINT]
    return [name for name in names if (folder / name).exists()]


def refuse_if_taken(folder: Path) -> None:
    """Raise InputError if the folder contains a run."""
    names = taken_by(folder)
    if not names:
        return
    unfinished = any(name.endswith(PART) for name in names)
    what = "an unfinished run" if unfinished else "another run"
    ways = "--resume continues it, --overwrite replaces it" if unfinished else "--overwrite replaces it"
    raise InputError(f"the folder '{folder}' holds {what} ({', '.join(names)}); {ways}, or choose another with -o DIR")


def remove_report(folder: Path) -> None:
    """Remove the report of an earlier run, which would be mistaken for that of the new one; other pages are kept."""
    path = folder / REPORT
    try:
        with path.open(encoding="utf-8", errors="replace") as page:
            ours = REPORT_MARK in page.read(4000)
        if ours:
            path.unlink()
    except OSError:
        return  # there is none, or it cannot be removed and is left


def _clear(folder: Path) -> None:
    """Remove the files of the previous run and its report; other files in the folder are kept.

    The summary is removed first, then the checkpoint: if this is interrupted, the rest is neither read nor resumed.
    """
    remove_report(folder)
    (folder / SUMMARY).unlink(missing_ok=True)
    (folder / PROBLEM).unlink(missing_ok=True)
    sync(folder)
    clear_unfinished(folder)
    for name in taken_by(folder):
        (folder / name).unlink()


def clear_unfinished(folder: Path) -> None:
    """Remove the files of an unfinished run; an existing result is kept."""
    halves = [name + PART for name in (CASE + PART, DECISION, CHECKPOINT)]
    for name in (DECISION, CHECKPOINT, *halves, *(name + PART + end for name in DATA for end in ("", SHORT))):
        (folder / name).unlink(missing_ok=True)


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
    old, new = (_without_comments(words) for words in (stored.read_text(encoding="utf-8"), text))
    for (number, a), (_, b) in zip(old, new, strict=False):
        if a != b:
            raise InputError(
                f"the run in '{stored.parent}' belongs to another case and cannot be resumed: line {number} of its "
                f"{CASE} reads '{a}', now it is '{b}'; --overwrite starts again"
            )
    if len(old) != len(new):
        longer = old if len(old) > len(new) else new
        number, line = longer[min(len(old), len(new))]
        raise InputError(
            f"the run in '{stored.parent}' belongs to another case and cannot be resumed: line "
            f"{number}, '{line}', is only in "
            f"{'the stored' if longer is old else 'the new'} case; --overwrite starts again"
        )


def _without_comments(text: str) -> list[tuple[int, str]]:
    """Return the lines of a case as run, numbered, without comments, which do not affect the run."""
    comments = comments_of(text)
    bare = [(k, line[: comments[k][0]] if k in comments else line) for k, line in enumerate(text.splitlines(), start=1)]
    return [(k, line.rstrip()) for k, line in bare if line.strip()]


def _digest(case_text: str, run: RunInfo) -> str:
    """Return a checksum of the run: its case, its engine, and the stored data of its model.

    Of numbers computed by a solver (shapes of modes) only the array shape is included, since their last bits may
    vary.
    """
    out = hashlib.blake2b(digest_size=32)
    case = [line for _, line in _without_comments(case_text)]
    out.update(repr((case, run.steps, run.every, run.fields_every, run.engine)).encode())
    for name, values in sorted(static_arrays(run).items()):
        if name == DIGEST:  # depends on every bit
            continue
        out.update(repr((name, values.dtype.str, values.shape)).encode())
        if name == "/layout/points" or values.dtype.kind != "f":
            out.update(np.ascontiguousarray(values).tobytes())
    return out.hexdigest()
