"""The rows written so far to the result file of an unfinished run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from flexmb.record.io.checkpoint import read_checkpoint
from flexmb.record.io.structure import Tree


class WrittenRows(Mapping[str, Any]):
    """The rows written by an unfinished run; its datasets have their final length, padded with zeros.

    Parameters
    ----------
    tree : Tree
        The unfinished file.
    checkpoint : Path
        File with the number of rows surely on the disk, if it exists.
    """

    def __init__(self, tree: Tree, checkpoint: Path) -> None:
        self._tree = tree
        if checkpoint.is_file():
            point = read_checkpoint(checkpoint)
            self._rows = {"sample": point.samples, "field": point.fields}
        else:
            self._rows = _rows_written(tree)

    @property
    def begun(self) -> bool:
        """Whether there is any sample and state."""
        return min(self._rows.values()) > 0

    def __getitem__(self, name: str) -> Any:
        values = self._tree[name]
        if name.startswith("/layout/"):
            return values
        if name in ("/state/q", "/state/v", "/state/impulse"):  # whole states are large, and read one by one
            return FirstRows(values, self._rows["field"])
        return np.asarray(values[: self._rows["field" if name.startswith("/state/") else "sample"]])

    def __iter__(self) -> Iterator[str]:
        return iter(self._tree)

    def __len__(self) -> int:
        return len(self._tree)


class FirstRows:
    """The first rows of a dataset, read in slices.

    Parameters
    ----------
    values : array-like
    count : int
        Number of rows.
    """

    def __init__(self, values: Any, count: int) -> None:
        self._values, self.dtype = values, values.dtype
        self.shape = (min(count, values.shape[0]), *values.shape[1:])

    def __len__(self) -> int:
        return int(self.shape[0])

    def __getitem__(self, part: Any) -> Any:
        rows, *columns = (part if isinstance(part, tuple) else (part,)) or (...,)
        if rows is ...:
            rows = slice(None)
        # the file has its final length: negative indices must count from the last written row
        own = slice(*rows.indices(len(self))) if isinstance(rows, slice) else np.arange(len(self))[rows]
        return self._values[(own, *columns)]


def _rows_written(tree: Tree) -> dict[str, int]:
    """Return the numbers of samples and of states in the file.

    The step of the start is zero, like that of a row to come. The start has been written when there is a row after it,
    or any number in it; where bodies rotate freely, coordinates are never all zero.
    """
    rows = {"sample": _before_zero(tree, "/step"), "field": _before_zero(tree, "/state/step")}
    if max(rows.values()) <= 1 and not any(_first_row_has_numbers(tree, name) for name in tree):
        return {"sample": 0, "field": 0}
    turning = "/layout/carriers/q0" in tree and np.any(tree["/layout/carriers/q0"][()])
    if turning and "/state/q" in tree:
        while rows["field"] and not np.any(tree["/state/q"][rows["field"] - 1]):
            rows["field"] -= 1  # killed while the row was being written
    return rows


def _before_zero(tree: Tree, name: str) -> int:
    """Return the number of rows before the first zero one after the start."""
    if name not in tree or not len(tree[name]):
        return 0
    steps = np.asarray(tree[name][()])
    empty = np.flatnonzero(steps[1:] == 0)
    return int(empty[0]) + 1 if empty.size else len(steps)


def _first_row_has_numbers(tree: Tree, name: str) -> bool:
    return not name.startswith("/layout/") and len(tree[name].shape) > 0 and bool(np.any(tree[name][:1]))
