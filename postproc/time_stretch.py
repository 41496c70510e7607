"""A time interval of a result, presented as a result of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from flexmb.postproc.arrays import Array
from flexmb.postproc.plotted import within
from flexmb.record.io.structure import Tree
from flexmb.record.result import Result

OVER_TIME = ("/time", "/step", "/signals/", "/contacts/", "/joints/", "/energy/")
"""Beginnings of the paths of arrays with one row per sample."""
SINCE_START = ("work_", "numerical", "residual")
"""Beginnings of the names of energy columns that accumulate over the run."""


class Stretch(Tree):
    """The arrays of a result at some of its samples; works of the ledger count from the first of them.

    Parameters
    ----------
    tree : Tree
    inside : (n+1,) array of bool
        The samples.
    """

    def __init__(self, tree: Tree, inside: Array) -> None:
        self._tree, self._inside = tree, inside

    def __getitem__(self, path: str) -> Any:
        if not path.startswith(OVER_TIME):
            return self._tree[path]
        values = np.asarray(self._tree[path][()])[self._inside]
        since_start = path.startswith("/energy/") and path.removeprefix("/energy/").startswith(SINCE_START)
        return values - values[0] if since_start else values

    def __iter__(self) -> Iterator[str]:
        return iter(self._tree)

    def __len__(self) -> int:
        return len(self._tree)


def stretch_of(result: Result, start: float | None, end: float | None) -> Result:
    """Return the result between two times; InputError if there are fewer than two samples."""
    if start is None and end is None:
        return result
    tree = Stretch(result.tree, within(result.time, start, end))
    return Result(tree, result.summary, result.case_text, result.folder)
