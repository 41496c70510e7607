"""The representative time of a result, shown in pictures, and the state nearest to it."""

from __future__ import annotations

import numpy as np

from flexmb.record.io.structure import Tree
from flexmb.state import Array

BEYOND = 1e100
"""Values of this size belong to a motion that has diverged; they carry no information."""

REST = 1e-3
"""Fraction of the largest kinetic energy below which bodies count as at rest."""


def telling_time(tree: Tree) -> float:
    """Return the middle of the contact with the largest impulse, s; the end of the run if there is none.

    A contact is an uninterrupted sequence of samples with impulses at any contact; its middle is the time at which half
    of its impulse has been transmitted. Samples without finite numbers neither contribute nor interrupt it. A contact
    at rest, in which the run ends, is only used if there is no other.
    """
    all_times = np.asarray(tree["/time"][()])
    total, known = _impulses(tree, len(all_times))
    time, total = all_times[known], total[known]
    if not total.any():
        return float(all_times[-1])
    edges = np.diff(np.concatenate([[0], total > 0, [0]]).astype(np.int64))
    starts, stops = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
    sums = np.concatenate([[0.0], np.cumsum(total)])
    given = sums[stops] - sums[starts]
    if len(given) > 1 and stops[-1] == len(total) and _at_rest(tree, known, (starts[-1] + stops[-1]) // 2):
        given[-1] = 0.0
    k = int(np.argmax(given))
    given = np.cumsum(total[starts[k] : stops[k]])
    return float(time[starts[k] + int(np.searchsorted(given, 0.5 * given[-1]))])


def _at_rest(tree: Tree, known: np.ndarray, first: int) -> bool:
    """Return whether all motion is negligible from a sample on."""
    if "/energy/kinetic" not in tree:
        return False
    kinetic = np.nan_to_num(np.asarray(tree["/energy/kinetic"][()])[known], posinf=0.0, neginf=0.0)
    return bool(kinetic[first:].max() <= REST * kinetic.max())


def telling_state(tree: Tree) -> int:
    """Return the index of the stored state that represents ``telling_time``.

    A state holds the impulses since the previous one, so that it is not always the nearest.
    """
    times = np.asarray(tree["/state/time"][()])
    return min(int(np.searchsorted(times, telling_time(tree))), len(times) - 1)


def _impulses(tree: Tree, samples: int) -> tuple[Array, np.ndarray]:
    """Return the magnitudes of impulses at the samples, N s, and which samples have any finite ones."""
    total, damaged = np.zeros(samples), np.zeros(samples, dtype=bool)
    for name in tree:
        if name.startswith("/contacts/") and name.endswith("/impulse"):
            size = np.abs(np.asarray(tree[name][()])).reshape(samples, -1)
            good = size < BEYOND  # also false for nan
            total += np.where(good, size, 0.0).sum(axis=1)
            damaged |= ~good.all(axis=1)
    return total, ~damaged | (total > 0.0)
