"""The states of a result whose numbers are finite: a file that was overwritten in part still shows the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from flexmb.io.structure import Tree

MOST = 50_000_000
"""Of results with more numbers in their states, a bad one is found when it is looked at."""
LARGE = 1e100
"""Numbers beyond are as good as infinite: nothing can be drawn there, and squares of them overflow."""
BLOCK = 1024


def sound_states(tree: Tree) -> Any:
    """Return which states have finite numbers only, (f,) bool."""
    count = tree["/state/step"].shape[0]
    good = np.full(count, True)
    arrays = [tree["/state/q"], tree["/state/v"]]
    if count * sum(values.shape[1] for values in arrays) > MOST:
        return good
    for first in range(0, count, BLOCK):
        rows = slice(first, min(first + BLOCK, count))
        for values in arrays:
            good[rows] &= (np.abs(np.asarray(values[rows])) < LARGE).all(axis=1)  # nan is not, either
    return good


class SomeStates(Mapping[str, Any]):
    """A tree with some of its states.

    Parameters
    ----------
    tree : Tree
    which : (f,) bool array
    """

    def __init__(self, tree: Tree, which: Any) -> None:
        self._tree, self._which = tree, which
        self._read: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if not name.startswith("/state/"):
            return self._tree[name]
        if name not in self._read:
            self._read[name] = np.asarray(self._tree[name][()])[self._which]
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tree)

    def __len__(self) -> int:
        return len(self._tree)
