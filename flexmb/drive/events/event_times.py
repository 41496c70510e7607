"""Times of the last events, and whether they accumulate."""

from __future__ import annotations

import numpy as np

from flexmb.state import Array

MOST_EVENTS = 1000
"""Number of events after which it is asked whether they accumulate, or come to no end."""
SHRINK = 0.1
"""Ratio of the intervals of each third of them to those of the third before, below which they accumulate."""


class EventTimes:
    """Times of events since the count began, at most one more than ``MOST_EVENTS``; the count begins at the first."""

    def __init__(self) -> None:
        self.most = MOST_EVENTS
        self.times = np.full(self.most + 1, np.inf)

    @property
    def count(self) -> int:
        """Number of events counted."""
        return int(np.count_nonzero(self.times < np.inf))

    @property
    def full(self) -> bool:
        """Whether enough events were counted to test for accumulation."""
        return bool(self.times[-1] < np.inf)

    @property
    def span(self) -> float:
        """Time from the first to the last event of a full count, s."""
        return float(self.times[-1] - self.times[0])

    @property
    def second_half(self) -> Array:
        """Intervals between the events of the second half of a full count, s."""
        return np.diff(self.times[self.most // 2 :])

    def add(self, t: float) -> None:
        """Count an event."""
        self.times[self.count] = t

    def clear(self) -> None:
        """Restart the count at the next event."""
        self.times[:] = np.inf

    def shrink(self) -> bool:
        """Tell whether the intervals of a full count become shorter from each third of it to the next, and fast.

        Their sum and their median must both do so. A calm period between two events adds to a sum and not to a
        median; of groups of simultaneous events, far apart, the median may become zero, and the sum does not.
        """
        thirds = np.array_split(np.diff(self.times), 3)
        sums, middle = (np.array([measure(third) for third in thirds]) for measure in (np.sum, np.median))
        return bool(np.all(sums[1:] < SHRINK * sums[:-1]) and np.all(middle[1:] < SHRINK * middle[:-1]))
