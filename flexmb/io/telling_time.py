"""When something happens in a result: the time that a picture of it shows."""

from __future__ import annotations

import numpy as np

from flexmb.io.structure import Tree


def telling_time(tree: Tree) -> float:
    """Return the middle of the contact with the largest impulse, s; the end of the run when there is none.

    A contact is an unbroken row of samples in which impulses act anywhere; its middle is when half of its impulse
    has been given.
    """
    time = np.asarray(tree["/time"][()])
    total = np.zeros(len(time))
    for name in tree:
        if name.startswith("/contacts/") and name.endswith("/impulse"):
            total += np.abs(np.asarray(tree[name][()])).reshape(len(time), -1).sum(axis=1)
    if not total.any():
        return float(time[-1])
    edges = np.diff(np.concatenate([[0], total > 0, [0]]).astype(np.int64))
    starts, stops = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
    sums = np.concatenate([[0.0], np.cumsum(total)])
    k = int(np.argmax(sums[stops] - sums[starts]))
    given = np.cumsum(total[starts[k] : stops[k]])
    return float(time[starts[k] + int(np.searchsorted(given, 0.5 * given[-1]))])
