"""When something happens in a result: the time that a picture of it shows, and the state that holds it."""

from __future__ import annotations

import numpy as np

from flexmb.io.structure import Tree
from flexmb.state import Array

BEYOND = 1e100
"""Numbers of this size belong to a motion that has diverged; they tell nothing."""


def telling_time(tree: Tree) -> float:
    """Return the middle of the contact with the largest impulse, s; the end of the run when there is none.

    A contact is an unbroken row of samples in which impulses act anywhere; its middle is when half of its impulse
    has been given. Samples without any number neither add to a contact nor break it.
    """
    all_times = np.asarray(tree["/time"][()])
    total, known = _impulses(tree, len(all_times))
    time, total = all_times[known], total[known]
    if not total.any():
        return float(all_times[-1])
    edges = np.diff(np.concatenate([[0], total > 0, [0]]).astype(np.int64))
    starts, stops = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
    sums = np.concatenate([[0.0], np.cumsum(total)])
    k = int(np.argmax(sums[stops] - sums[starts]))
    given = np.cumsum(total[starts[k] : stops[k]])
    return float(time[starts[k] + int(np.searchsorted(given, 0.5 * given[-1]))])


def telling_state(tree: Tree) -> int:
    """Return the number of the kept state that holds what happens at ``telling_time``.

    A state holds the impulses since the one before it, so that it is not always the nearest.
    """
    times = np.asarray(tree["/state/time"][()])
    return min(int(np.searchsorted(times, telling_time(tree))), len(times) - 1)


def _impulses(tree: Tree, samples: int) -> tuple[Array, np.ndarray]:
    """Return the sizes of impulses at the samples, N s, and which samples have any that are numbers."""
    total, damaged = np.zeros(samples), np.zeros(samples, dtype=bool)
    for name in tree:
        if name.startswith("/contacts/") and name.endswith("/impulse"):
            size = np.abs(np.asarray(tree[name][()])).reshape(samples, -1)
            good = size < BEYOND  # false for nan
            total += np.where(good, size, 0.0).sum(axis=1)
            damaged |= ~good.all(axis=1)
    return total, ~damaged | (total > 0.0)
