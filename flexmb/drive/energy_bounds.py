"""Plausibility of the energies of a run: finite numbers, a closed ledger, no unbounded increase.

Physical growth is allowed: energy supplied by loads, drives and circulatory forces is in the ledger.
"""

from __future__ import annotations

import numpy as np

from flexmb.errors import NOT_FINITE
from flexmb.record.samples import ENERGY_COLUMNS, EVENT_WORKS
from flexmb.state import Array

CLOSES = 1e-6
"""Largest residual of the ledger, relative to the energies and works of the run so far."""

CLOSES_STORED = 1e-12
"""The same, relative to the potential energy, for its round-off."""

MOST_GAIN = 1e12
"""Energy that the scheme (or contacts) may add, over all that was stored or brought in. In the first steps schemes may
overshoot by (h omega)^4, with vibrations far too fast for the step, and damp them later: 1e12 is h omega = 1e3. What
grows without a bound passes it soon."""

EXPLICIT_GAIN = 10.0
"""The same for explicit integrators between events: they have no overshoot, what they add is an instability."""

DIGITS = 1e-9
"""Energy, relative to the potential, that round-off can produce."""


class EnergyBounds:
    """Checks the samples of a run as they arrive, and stores their extremes.

    Parameters
    ----------
    floor : float
        Energy that round-off may make of a system at rest, J.
    gain : float
        Energy that the scheme may add, over all that was stored or brought in.
    damping_takes : bool
        Whether the damping of the model can only dissipate: what the steps book as supplied by it is then energy that
        the scheme has added.
    correction : float
        Energy that moving contacts out of their initial penetration may add, J; counted as brought in.
    """

    def __init__(
        self, floor: float = 0.0, gain: float = MOST_GAIN, damping_takes: bool = False, correction: float = 0.0
    ) -> None:
        self.floor, self.gain, self.damping_takes, self.correction = floor, gain, damping_takes, correction
        self.scale = self.brought = self.stored = 0.0
        self.lowest = np.inf

    @property
    def numbers(self) -> Array:
        """The state of the bounds, for a checkpoint."""
        return np.array([self.scale, self.brought, self.stored, self.lowest])

    @numbers.setter
    def numbers(self, values: Array) -> None:
        self.scale, self.brought, self.stored, self.lowest = (float(value) for value in values)

    def first_bad(self, energy: Array) -> tuple[int, str]:
        """Return the first of these samples, (k, COLUMNS), that is implausible, and the reason; (-1, "") if none."""
        finite = np.isfinite(energy).all(axis=1)
        count = len(energy) if finite.all() else int(np.argmin(finite))
        bad, words = self._look(energy[:count]) if count else (-1, "")
        return (count, NOT_FINITE) if bad < 0 and count < len(energy) else (bad, words)

    def _look(self, energy: Array) -> tuple[int, str]:
        """Check finite samples; those after the first bad one are not included in the extremes."""
        value = dict(zip(ENERGY_COLUMNS, energy.T, strict=True))
        kinetic, potential, residual = value["kinetic"], value["potential"], value["residual"]
        with np.errstate(over="ignore", invalid="ignore"):  # sums may overflow; fmin and fmax ignore nan
            total = kinetic + potential
            works, moved = np.zeros_like(total), np.zeros_like(total)
            for key in ("work_external", "work_damping", "work_contact", "work_friction", "numerical", *EVENT_WORKS):
                works, moved = works + value[key], moved + np.abs(value[key])
            start = total - works - residual
            lowest = _running(np.fmin, self.lowest, potential, start)
            stored = _running(np.fmax, self.stored, np.abs(potential), np.abs(start))
            scale = _running(np.fmax, self.scale, kinetic, np.abs(total), moved)
            # bonds return their initial energy, which is not part of any potential
            bonds = value["work_cohesion"]
            brought = _running(np.fmax, self.brought, np.abs(value["work_external"]), np.maximum(0.0, bonds))
            at_contacts = value["work_contact"] + value["work_closing"] + value["work_friction"]
            made = value["numerical"] + value["work_projection"] + np.maximum(0.0, at_contacts - bonds)
            if self.damping_takes:
                made = made + np.maximum(0.0, value["work_damping"])
            there = start - lowest + brought + self.correction
            open_ = np.abs(residual) > CLOSES * scale + CLOSES_STORED * stored + self.floor
            wrong = open_ | (made > self.gain * there + DIGITS * stored + self.floor)
        bad = int(np.argmax(wrong)) if wrong.any() else -1
        self.numbers = np.array([scale[bad], brought[bad], stored[bad], lowest[bad]])
        if bad < 0:
            return -1, ""
        if open_[bad]:
            return bad, (
                f"the energy ledger does not close: {residual[bad]:.3g} J are unaccounted for of {scale[bad]:.3g} J; "
                f"the equations of the steps are not solved accurately: take a smaller time.step, and check that all "
                f"values are in SI units (Pa, m, kg)"
            )
        return bad, (
            f"the energy is unbounded: the scheme has added {made[bad]:.3g} J where {there[bad]:.3g} J were stored "
            f"or supplied; the scheme is unstable with this step: take a smaller time.step"
        )


def _running(extreme: np.ufunc, before: float, *columns: Array) -> Array:
    """Return the extreme of ``before`` and of all columns up to each row."""
    together = columns[0]
    for column in columns[1:]:
        together = extreme(together, column)
    seen: Array = extreme.accumulate(np.concatenate([[before], together]))[1:]
    return seen
