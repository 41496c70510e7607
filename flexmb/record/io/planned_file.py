"""HDF5 files whose datasets have their final size before the first row is written.

Why: a run may be killed at any instant. The number of samples is known beforehand, so every dataset is laid out
contiguously and allocated when the file is created; afterwards only raw numbers are written to their positions, without
HDF5. The file is therefore valid at every instant, a resumed run overwrites the rows after its
checkpoint, and a full disk is noticed before the first step (the space is reserved), or is an ordinary error.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from flexmb.errors import InputError
from flexmb.record.io.h5_file import BROKEN, NewFile, new_h5, open_h5, write_at

SHORT = ".short"
"""Extension of a file that is rewritten with fewer rows."""


@dataclass(frozen=True)
class Rows:
    """A dataset that is filled during the run.

    Parameters
    ----------
    kind : str
        Counter of its rows: ``"sample"`` or ``"field"``.
    shape : tuple of int
        Shape of one row.
    dtype : type
        float64 or int64.
    per : int
        Rows per sample (field values of all points go one below the other: per = number of points).
    """

    kind: str
    shape: tuple[int, ...] = ()
    dtype: type = np.float64
    per: int = 1

    def shape_for(self, counts: Mapping[str, int]) -> tuple[int, ...]:
        """Return the shape of the complete dataset."""
        return (counts[self.kind] * self.per, *self.shape)

    def nbytes(self, counts: Mapping[str, int]) -> int:
        """Return the size of the complete dataset, bytes."""
        return int(np.prod(self.shape_for(counts), dtype=np.int64)) * np.dtype(self.dtype).itemsize


class PlannedFile:
    """An open HDF5 file with datasets of known size.

    Parameters
    ----------
    path : Path
    rows : mapping of str to Rows
        The datasets to be filled, by path in the file.
    counts : mapping of str to int
        Planned number of samples and fields.
    """

    def __init__(self, path: Path, rows: Mapping[str, Rows], counts: Mapping[str, int]) -> None:
        self.path = path
        self.rows = dict(rows)
        self.counts = dict(counts)
        self._raw: FileIO | None = None
        self._places: dict[str, int] = {}

    def create(self, static: Mapping[str, np.ndarray], attrs: Mapping[str, Mapping[str, Any]]) -> None:
        """Create the file: ``static`` datasets in full, the others reserved; ``attrs`` by group path."""
        with new_h5(self.path) as file:
            lay_out(file, self.rows, self.counts, static, attrs)
        _reserve(self.path)
        self.reopen()

    def reopen(self) -> None:
        """Reopen the file to continue writing; raise InputError if its layout differs from the plan."""
        self._places = _places(self.path, self.rows, self.counts)
        self._raw = FileIO(self.path, "r+")

    def write(self, name: str, first: int, values: np.ndarray) -> None:
        """Write consecutive rows of dataset ``name``, from sample or field number ``first`` on."""
        if self._raw is None:
            raise RuntimeError(f"{self.path} is not open")
        row = self.rows[name]
        block: np.ndarray = np.ascontiguousarray(values, dtype=row.dtype)
        start, room = first * row.per, row.shape_for(self.counts)[0]
        if block.shape[1:] != row.shape or start + len(block) > room:
            raise ValueError(f"{name}: rows {start} on of shape {block.shape} do not fit into {room} of {row.shape}")
        if block.nbytes:
            place = self._places[name] + start * (block.nbytes // len(block))
            write_at(self._raw, self.path, place, block.data.cast("B"))

    def flush(self) -> None:
        """Flush everything written so far to disk."""
        if self._raw is not None:
            os.fsync(self._raw.fileno())

    def close(self) -> None:
        """Close the file; closing twice is harmless."""
        if self._raw is not None:
            self._raw.close()
            self._raw = None

    def shorten(self, counts: Mapping[str, int], attrs: Mapping[str, Mapping[str, Any]] | None = None) -> None:
        """Close the file with fewer samples or fields than planned (a failed run): write another, shorter one.

        The planned file remains unchanged, so that the run can still be resumed from its checkpoint; ``path`` is then
        that of the shorter one, and ``attrs`` are the changed attributes, by group path.
        """
        self.close()
        if all(counts[kind] == n for kind, n in self.counts.items()):
            return
        short = self.path.with_name(self.path.name + SHORT)
        with open_h5(self.path) as old, new_h5(short) as new:
            _copy_short(old, new, self.rows, counts)
            for group, values_of in (attrs or {}).items():
                for key, value in values_of.items():
                    new[group].attrs[key] = value
        self.path = short
        self.counts = dict(counts)


def lay_out(
    file: h5py.File,
    rows: Mapping[str, Rows],
    counts: Mapping[str, int],
    static: Mapping[str, np.ndarray],
    attrs: Mapping[str, Mapping[str, Any]],
) -> None:
    """Create all datasets and attributes of a file."""
    for name, values in static.items():
        file.create_dataset(name, data=values)
    for name, row in rows.items():
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plist.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
        plist.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
        file.create_dataset(name, shape=row.shape_for(counts), dtype=row.dtype, dcpl=plist)
    for group, values_of in attrs.items():
        node = file.require_group(group) if group not in file else file[group]
        for key, value in values_of.items():
            node.attrs[key] = value


def sync(path: Path) -> None:
    """Wait until the contents of the file (or folder) are on the disk."""
    if os.name == "nt" and path.is_dir():
        return  # Windows cannot open folders, and does not need to flush them
    handle = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _places(path: Path, rows: Mapping[str, Rows], counts: Mapping[str, int]) -> dict[str, int]:
    """Return the position of each dataset in the file; InputError if one is not as planned."""
    anew = "start again with --overwrite"
    places = {}
    try:
        with open_h5(path) as file:
            for name, row in rows.items():
                shape, dtype = row.shape_for(counts), np.dtype(row.dtype)
                found = file.get(name)
                if not isinstance(found, h5py.Dataset):
                    raise InputError(f"'{path}' is damaged: it lacks {name}; {anew}")
                if found.shape != shape or found.dtype != dtype:
                    words = f"{name} should be {dtype} {shape} and is {found.dtype} {found.shape}"
                    raise InputError(f"'{path}' does not fit this run: {words}; {anew}")
                place = found.id.get_offset()
                if place is None and row.nbytes(counts):
                    raise InputError(f"'{path}' does not fit this run: {name} is not contiguous; {anew}")
                places[name] = int(place or 0)
    except BROKEN as err:
        raise InputError(f"'{path}' cannot be read ({err}); {anew}") from err
    return places


def _reserve(path: Path) -> None:
    """Reserve the file's blocks, so that the disk cannot become full while rows are written."""
    if not hasattr(os, "posix_fallocate") or path.stat().st_size == 0:
        return
    handle = os.open(path, os.O_RDWR)
    try:
        os.posix_fallocate(handle, 0, path.stat().st_size)
    except OSError as err:
        # some file systems cannot reserve; there a full disk is noticed while writing
        if err.errno not in (errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS):
            raise OSError(err.errno, err.strerror, str(path)) from err
    finally:
        os.close(handle)


def _copy_short(old: h5py.File, new: NewFile, rows: Mapping[str, Rows], counts: Mapping[str, int]) -> None:
    def visit(name: str, node: h5py.Group | h5py.Dataset) -> None:
        if isinstance(node, h5py.Group):
            made = new.require_group(name)
        else:
            row = rows.get("/" + name)
            # a dataset may be larger than memory; the rows of a failed run are copied dataset by dataset
            made = new.create_dataset(name, data=node[()] if row is None else node[: row.shape_for(counts)[0]])
        for key, value in node.attrs.items():
            made.attrs[key] = value
        new.check()

    for key, value in old.attrs.items():
        new.attrs[key] = value
    old.visititems(visit)
