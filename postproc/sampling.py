"""Reading many states of a result in blocks, or a selection of them if there are too many."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from flexmb.postproc.arrays import Array, IntArray

BLOCK = 256
"""Number of states read at a time; more if they are small, fewer if they are large."""
BLOCK_NUMBERS, MOST_NUMBERS = 65_536, 4_000_000
APART = 32_768
"""Rows less than this many bytes apart are read at once, together with those between them, which is faster."""
GOLDEN = 0.5 * (np.sqrt(5.0) - 1.0)


def some_of(states: IntArray, most: int) -> IntArray:
    """Return at most a given number of states, including the first and the last; one from each of equal intervals.

    Where in its stretch each is taken from changes from stretch to stretch, by the golden ratio: states evenly spaced
    would show a vibration of the same period always at the same place.

    Parameters
    ----------
    states : (k,) int array
        Ascending.
    most : int
        At least 2.
    """
    if len(states) <= most:
        return states
    ends = np.linspace(0, len(states), most + 1).astype(np.int64)
    part = np.arange(most) * GOLDEN % 1.0
    chosen = ends[:-1] + (part * np.diff(ends)).astype(np.int64)
    chosen[-1] = len(states) - 1  # the first is included anyway: its interval is empty
    return np.asarray(states[chosen])


def blocks(states: IntArray, width: int) -> Iterator[IntArray]:
    """Yield states of ``width`` numbers in blocks."""
    size = min(max(BLOCK, BLOCK_NUMBERS // max(width, 1)), max(1, MOST_NUMBERS // max(width, 1)))
    for k in range(0, len(states), size):
        yield states[k : k + size]


def rows_of(values: Any, states: IntArray) -> Array:
    """Return rows of a dataset: in one read with the rows between them, if these are few."""
    first, last = int(states[0]), int(states[-1])
    row = 8 * max(int(np.prod(values.shape[1:], dtype=np.int64)), 1)
    if last - first < max(4, APART // row) * len(states):
        return np.asarray(values[first : last + 1])[states - first]
    return np.array([values[int(k)] for k in states])
