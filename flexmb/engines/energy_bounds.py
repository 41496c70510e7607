"""Whether the energies of a run can be believed: they are numbers, the ledger closes, the scheme has not made them up.

Physical growth is none of its business: what loads, drives and circulatory forces bring in is in the ledger.
"""

from __future__ import annotations

import numpy as np

from flexmb.errors import NOT_FINITE
from flexmb.record import ENERGY_COLUMNS
from flexmb.state import Array

CLOSES = 1e-6
"""What the ledger may leave over, over the energies and works of the run so far."""

MOST_GAIN = 100.0
"""Energy that the scheme (or contacts) may add, over all that was there and was brought in."""

DIGITS = 1e-9
"""Energy, over the potential, that round-off can make."""


class EnergyBounds:
    """Looks at the samples of a run as they come."""

    def __init__(self) -> None:
        self.scale = self.brought = self.stored = 0.0
        self.lowest = np.inf

    def first_bad(self, energy: Array) -> tuple[int, str]:
        """Return the first of these samples, (k, 9), that cannot be believed, and why; (-1, "") if there is none."""
        for k, row in enumerate(energy):
            words = self._look(row)
            if words:
                return k, words
        return -1, ""

    def _look(self, row: Array) -> str:
        if not np.isfinite(row).all():
            return NOT_FINITE
        value = dict(zip(ENERGY_COLUMNS, (float(x) for x in row), strict=True))
        works = [value[key] for key in ("work_external", "work_damping", "work_contact", "numerical")]
        kinetic, potential, residual = value["kinetic"], value["potential"], value["residual"]
        total = kinetic + potential
        start = total - sum(works) - residual
        self.lowest = min(self.lowest, potential, start)
        self.stored = max(self.stored, abs(potential), abs(start))
        self.scale = max(self.scale, kinetic, abs(total), sum(map(abs, works)))
        self.brought = max(self.brought, abs(value["work_external"]))
        if abs(residual) > CLOSES * self.scale + 1e-12 * self.stored:
            return (
                f"the energy ledger does not close: {residual:.3g} J are left over of {self.scale:.3g} J; the steps "
                "do not solve their equations there: take a smaller time.step"
            )
        made = value["numerical"] + max(0.0, value["work_contact"])
        there = start - self.lowest + self.brought
        if made > MOST_GAIN * there + DIGITS * self.stored:
            return (
                f"the energy leaves every bound: the scheme has added {made:.3g} J where {there:.3g} J were there or "
                "brought in; the scheme is unstable with this step: take a smaller time.step"
            )
        return ""
