"""Which points with contact impulses slip, for the colour of their arrows."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.postproc.arrays import Array
from flexmb.record.result import Result
from flexmb.record.series import STATUS_WORDS

OPEN, SLIP = ({word: k for k, word in STATUS_WORDS.items()}[word] for word in ("open", "slip"))


class Slipping:
    """The status of the contacts on some points.

    Parameters
    ----------
    result : Result
    points : (t,) int array
        Numbers of the points, rising.
    """

    def __init__(self, result: Result, points: Any) -> None:
        self.points, self._tree, self._contacts = points, result.tree, []
        if "/layout/laws/slides" not in result.tree or "/layout/contacts" not in result.tree:
            return
        slides = np.asarray(result.tree["/layout/laws/slides"][()])
        first, wide = 0, 3 if result.layout.carriers is not None else 1  # in large motion impulses are vectors
        pushed = result.fields.maps.impulse.tocsc()
        for name in (name.decode() for name in result.tree["/layout/contacts"][()]):
            size = int(np.prod(result.tree[f"/contacts/{name}/gap"].shape[1:], dtype=np.int64))
            for k in range(size):
                own = pushed[:, wide * (first + k) : wide * (first + k + 1)]
                touched = np.unique(own.indices[own.data != 0.0] // 3)
                if slides[first + k]:
                    self._contacts.append((name, k if size > 1 else None, np.searchsorted(points, touched)))
            first += size

    @property
    def any(self) -> bool:
        """Whether any contact has friction."""
        return bool(self._contacts)

    def between(self, first: int, last: int) -> Any:
        """Return which points slip in the states first .. last, (t,) bool: at the last closed sample."""
        out = np.zeros(len(self.points), dtype=bool)
        if not self._contacts:
            return out
        steps, states = self._steps
        start = np.searchsorted(steps, states[first - 1], side="right") if first > 0 else 0
        end = np.searchsorted(steps, states[last], side="right")
        known: dict[str, Array] = {}
        for name, column, touched in self._contacts:
            if name not in known:
                known[name] = np.asarray(self._tree[f"/contacts/{name}/status"][start:end])
            own = known[name] if column is None else known[name][:, column]
            closed = own[own != OPEN]
            out[touched] |= bool(closed.size and closed[-1] == SLIP)
        return out

    @property
    def _steps(self) -> tuple[Array, Array]:
        return np.asarray(self._tree["/step"][()]), np.asarray(self._tree["/state/step"][()])
