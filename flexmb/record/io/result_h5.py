"""``result.h5``: written row by row during the run, read on demand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from flexmb.errors import InputError
from flexmb.record.io.h5_file import BROKEN, new_h5, open_h5
from flexmb.record.io.planned_file import PlannedFile
from flexmb.record.io.structure import Tree, counts_of, sample_rows, split, static_arrays, unit
from flexmb.record.samples import Block, RunInfo

LARGEST_RATIO, SMALL = 1032, 1_000_000
"""Largest ratio of the size of an array to that of its file (HDF5 compresses no better), except for small arrays."""


class ResultWriter:
    """Streams blocks into an HDF5 file.

    Parameters
    ----------
    path : Path
        File to write.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.samples = 0
        self.fields = 0

    def begin(self, run: RunInfo, samples: int | None = None, fields: int = 0) -> None:
        """Create the file, or reopen it after ``samples`` samples and ``fields`` fields."""
        self.run = run
        self.out = PlannedFile(self.path, sample_rows(run), counts_of(run))
        if samples is None:
            attrs = {"/": {"h": run.h, "t0": run.t0, "steps": run.steps, "every": run.every, "engine": run.engine}}
            self.out.create(static_arrays(run), attrs | _unit_attrs(self.out.rows))
        else:
            self.samples, self.fields = samples, fields
            self.out.reopen()

    def append(self, block: Block) -> None:
        """Write the rows of a block after the existing ones."""
        for name, values in split(self.run, block).items():
            if len(values):
                first = self.samples if self.out.rows[name].kind == "sample" else self.fields
                self.out.write(name, first, values)
        self.samples += len(block.step)
        self.fields += len(block.field_step)

    def flush(self) -> None:
        """Flush everything written so far to disk."""
        self.out.flush()

    def finish(self) -> None:
        """Close the file with the samples written so far."""
        self.out.shorten({"sample": self.samples, "field": self.fields})


def _unit_attrs(names: Mapping[str, object]) -> dict[str, dict[str, Any]]:
    units = {name: unit(name) for name in names}
    return {name: {"unit": text} for name, text in units.items() if text}


class H5Tree(Mapping[str, Any]):
    """The datasets of an HDF5 file by path, read in slices."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._file = open_h5(path)
            self._names = _datasets(self._file)
            self._bytes = path.stat().st_size
        except BROKEN as err:
            raise InputError(f"'{path}' cannot be read as a result file: {err}") from err

    def __getitem__(self, name: str) -> Any:
        if name not in self._names:
            raise KeyError(name)
        try:
            data = self._file[name]
            if data.shape is None:
                raise InputError(f"'{self.path}' is damaged: {name} is empty")
            if data.nbytes > LARGEST_RATIO * self._bytes + SMALL:
                words = f"{name} of shape {data.shape} would have {data.nbytes:.3g} bytes in a file of {self._bytes}"
                raise InputError(f"'{self.path}' is damaged: {words}")
            return Stored(data, f"'{self.path}' is damaged: {name} cannot be read")
        except BROKEN as err:
            raise InputError(f"'{self.path}' is damaged: {name} cannot be read ({err})") from err

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _datasets(file: h5py.File) -> list[str]:
    names: list[str] = []
    file.visititems(lambda name, node: names.append("/" + name) if isinstance(node, h5py.Dataset) else None)
    return names


class Stored:
    """A dataset that is read in slices; InputError if the file is damaged.

    Parameters
    ----------
    data : h5py.Dataset
    complaint : str
        Message of the error.
    """

    def __init__(self, data: h5py.Dataset, complaint: str) -> None:
        self._data, self._complaint = data, complaint
        self.shape, self.dtype = data.shape, data.dtype

    def __len__(self) -> int:
        return int(self.shape[0])

    def __getitem__(self, part: Any) -> Any:
        try:
            return self._data[part]
        except (OSError, RuntimeError, MemoryError) as err:
            raise InputError(f"{self._complaint} ({err})") from err

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(self[()], dtype=dtype)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def attrs(self) -> Any:
        """Attributes of the dataset."""
        return self._data.attrs


def write_tree(tree: Tree, path: Path) -> None:
    """Write a complete tree at once."""
    with new_h5(path) as file:
        for name in tree:
            made = file.create_dataset(name, data=np.asarray(tree[name][()]))
            if words := unit(name):
                made.attrs["unit"] = words
            file.check()
