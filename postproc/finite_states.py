"""The states of a result with finite numbers: a partly overwritten file still shows the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from flexmb.record.io.structure import Tree

MOST = 50_000_000
"""Number of values in the states up to which all are checked when a result is opened."""
LARGE = 1e100
"""Larger values count as infinite: they cannot be drawn, and their squares overflow."""
BLOCK = 1024
LATE_NUMBERS = 65_536
"""Number of values read at once around a state."""
IMPULSE = "/state/impulse"


def finite_states(tree: Tree) -> Any:
    """Return which states have finite numbers only, (f,) bool."""
    return _sound_rows([tree["/state/q"], tree["/state/v"]])


def _sound_rows(arrays: list[Any]) -> Any:
    """Return which rows of some arrays are finite, (f,) bool; too many are not checked but accepted."""
    count = arrays[0].shape[0]
    good = np.full(count, True)
    if count * sum(values.shape[1] for values in arrays) > MOST:
        return good
    for first in range(0, count, BLOCK):
        rows = slice(first, min(first + BLOCK, count))
        good[rows] = _finite(arrays, rows)
    return good


def _finite(arrays: list[Any], rows: slice) -> Any:
    good = [(np.abs(np.asarray(values[rows])) < LARGE).all(axis=1) for values in arrays]  # also excludes nan
    return np.logical_and.reduce(good)


class LateCheck:
    """The states that can be drawn, checked on demand, since a result may be too large to read in advance.

    Parameters
    ----------
    q, v : (f, n) array-likes
    """

    def __init__(self, q: Any, v: Any) -> None:
        self._arrays = [q, v]
        self._size = max(1, LATE_NUMBERS // max(1, q.shape[1] + v.shape[1]))
        self._known: dict[int, Any] = {}
        self.left_out: set[int] = set()

    def finite(self, k: int) -> int:
        """Return state k; if it cannot be drawn the nearest earlier drawable one, else the next; k if there is none."""
        own, blocks = k // self._size, -(-self._arrays[0].shape[0] // self._size)
        for block in range(own, -1, -1):
            before = self._good(block)
            before = before[before <= k]
            if len(before):
                if before[-1] != k:
                    self.left_out.add(k)
                return int(before[-1])
        self.left_out.add(k)
        for block in range(own, blocks):
            if len(after := self._good(block)):
                return int(after[0])
        return k

    def _good(self, block: int) -> Any:
        """Return the numbers of the states of a block that can be drawn."""
        if block not in self._known:
            first = block * self._size
            rows = slice(first, min(first + self._size, self._arrays[0].shape[0]))
            self._known[block] = first + np.flatnonzero(_finite(self._arrays, rows))
        return self._known[block]


class SomeStates(Mapping[str, Any]):
    """A tree restricted to some of its states.

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


def finite_impulses(tree: Tree, notes: list[str]) -> Tree:
    """Return a tree whose states have finite impulses only; the others are mentioned in the notes."""
    impulses = tree[IMPULSE]
    good = _sound_rows([impulses]) if impulses.shape[1] else np.full(impulses.shape[0], True)
    if not good.all():
        first = float(tree["/state/time"][int(np.argmin(good))])
        words = f"impulses of {int(np.sum(~good))} of {len(good)} states are not finite and not drawn"
        notes.append(f"{words}, the first at t = {first:.6g} s")
    elif impulses.shape[0] * impulses.shape[1] <= MOST:
        return tree
    return _Replaced(tree, IMPULSE, _Finite(impulses))


class _Replaced(Mapping[str, Any]):
    """A tree with one of its arrays replaced."""

    def __init__(self, tree: Tree, name: str, values: Any) -> None:
        self._tree, self._name, self._values = tree, name, values

    def __getitem__(self, name: str) -> Any:
        return self._values if name == self._name else self._tree[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tree)

    def __len__(self) -> int:
        return len(self._tree)


class _Finite:
    """A dataset that is read in slices, with zeros for numbers that are not finite."""

    def __init__(self, values: Any) -> None:
        self._values, self.shape, self.dtype = values, values.shape, values.dtype

    def __len__(self) -> int:
        return int(self.shape[0])

    def __getitem__(self, part: Any) -> Any:
        values = np.asarray(self._values[part])
        return np.where(np.abs(values) < LARGE, values, 0.0)
