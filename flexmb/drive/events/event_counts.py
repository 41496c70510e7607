"""Counters of the event driver, and the list of its first events; plain arrays, so that runs can be resumed."""

from __future__ import annotations

import numpy as np

from flexmb.record.samples import EVENT_KINDS as KINDS
from flexmb.record.samples import EVENT_NUMBERS as COUNTED
from flexmb.state import Array

LISTED = 1000
"""Maximum length of the list of events."""


class EventCounts:
    """Counters of a run, and its first events as rows (time, kind, contact)."""

    def __init__(self) -> None:
        self.numbers = np.zeros(len(COUNTED))
        self.listed = np.full((LISTED, 3), np.nan)

    def add(self, what: str, amount: float = 1.0) -> None:
        """Increase a counter."""
        self.numbers[COUNTED.index(what)] += amount

    def get(self, what: str) -> float:
        """Return the value of a counter."""
        return float(self.numbers[COUNTED.index(what)])

    def event(self, t: float, kind: str, contact: int = -1) -> None:
        """Count an event, and append it to the list."""
        n = int(self.get("count"))
        if n < LISTED:
            self.listed[n] = t, KINDS.index(kind), contact
        self.add("count")
        counted = {"impact": "impacts", "closing": "closings", "release": "releases", "kink": "kinks"}
        counted |= {"slip": "slips", "stick": "sticks", "edge": "edges"}
        if kind in counted:
            self.add(counted[kind])

    def events(self, labels: tuple[str, ...]) -> list[tuple[float, str, str]]:
        """Return the first events as (time, kind, label of the contact)."""
        rows = self.listed[: min(LISTED, int(self.get("count")))]
        return [(float(t), KINDS[int(k)], labels[int(c)] if c >= 0 else "") for t, k, c in rows]

    def figures(self) -> dict[str, float]:
        """Return the counters by name."""
        return {
            name: float(x) if name.endswith("_work") else int(x) for name, x in zip(COUNTED, self.numbers, strict=True)
        }

    def arrays(self) -> dict[str, Array]:
        """Return the arrays of a snapshot."""
        return {"event_numbers": self.numbers, "event_list": self.listed}

    def restore(self, arrays: dict[str, Array]) -> None:
        """Continue from a snapshot."""
        self.numbers, self.listed = arrays["event_numbers"].copy(), arrays["event_list"].copy()
