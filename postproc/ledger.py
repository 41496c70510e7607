"""The energy ledger as a balance: initial energy and gains = present energy and losses.

At every time, with each work split into its gains and its losses,

    initial + sum of gains = kinetic + potential + sum of losses + residual

so both sides are stacks of parts that are never negative, and both reach the same height. A potential has no zero of
its own: where it falls below zero, or stays above zero by more than the energies change (gravity from a distant
origin), it is measured from its lowest value, on both sides.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.postproc.arrays import Array, largest
from flexmb.postproc.style import BLUE, BROWN, FAINT, GREEN, INK, OLIVE, ORANGE, PURPLE, SKY, TEAL, VERMILLION, WINE
from flexmb.record.result import Result

WORKS = (
    ("loads", SKY),
    ("drives", FAINT),
    ("cross-coupling", INK),
    ("damping", GREEN),
    ("contacts", VERMILLION),
    ("friction", BROWN),
    ("cohesion", OLIVE),
    ("closings", WINE),
    ("projections", TEAL),
    ("scheme", PURPLE),
)
"""Works that change the energy, and their colors."""


@dataclass(frozen=True)
class Part:
    """One part of the ledger over time.

    Parameters
    ----------
    word : str
    colour : str
    values : (n+1,) array
        J.
    """

    word: str
    colour: str
    values: Array


@dataclass(frozen=True)
class Ledger:
    """The balance of a result.

    Parameters
    ----------
    time : (n+1,) array
        s.
    kinetic, potential : (n+1,) arrays
        J, as recorded.
    works : tuple of Part
        Works since the start that are not zero throughout; their sum and the residual are the change of the energy.
    residual : (n+1,) array
        J.
    """

    time: Array
    kinetic: Array
    potential: Array
    works: tuple[Part, ...]
    residual: Array

    @property
    def total(self) -> Array:
        """Sum of kinetic and potential energy, J."""
        return self.kinetic + self.potential

    @property
    def lowest(self) -> float:
        """Reference of the potential energy in the stacks, J: zero, or its lowest value.

        The lowest value is the reference if it is negative or above the largest kinetic energy, work and change of the
        potential, which could not be seen beside it.
        """
        low = -largest(-self.potential)
        return low if low < 0.0 or low > self._exchanged(low) else 0.0

    def _exchanged(self, low: float) -> float:
        """Return the largest of kinetic energy, potential above ``low``, and works, J."""
        works = [largest(np.abs(part.values)) for part in self.works]
        return max(largest(self.kinetic), largest(self.potential) - low, *works, 0.0)

    @property
    def axis(self) -> str:
        """Label of the axis of the stacks."""
        return "energy − min V [J]" if self.lowest else "energy [J]"

    @property
    def gaps(self) -> str:
        """Note for energies that are not finite numbers, empty if all are."""
        columns = [self.kinetic, self.potential, self.residual, *(part.values for part in self.works)]
        bad = np.asarray(~np.isfinite(columns).all(axis=0))
        if not bad.any():
            return ""
        count, first = int(bad.sum()), float(self.time[int(np.argmax(bad))])
        return f"energies are not finite at {count} of {len(bad)} samples, the first at t = {first:.6g} s"

    @property
    def given(self) -> tuple[Part, ...]:
        """The stack of the initial energy and the gains."""
        start = np.full_like(self.time, self.total[0] - self.lowest)
        gains = tuple(Part(w.word, w.colour, np.maximum(w.values, 0.0)) for w in self.works)
        return (Part("initial", BLUE, start), *(part for part in gains if largest(part.values) > 0.0))

    @property
    def found(self) -> tuple[Part, ...]:
        """The stack of the present energy and the losses."""
        above = "potential (above its minimum)" if self.lowest else "potential"
        there = (Part("kinetic", BLUE, self.kinetic), Part(above, ORANGE, self.potential - self.lowest))
        losses = tuple(Part(f"lost to {w.word}", w.colour, np.maximum(-w.values, 0.0)) for w in self.works)
        return (*there, *(part for part in losses if largest(part.values) > 0.0))


def ledger_of(result: Result) -> Ledger | None:
    """Return the ledger of a result; None when it has no energies. Columns that older results lack are zero."""
    tree = result.tree
    if "/energy/kinetic" not in tree or "/energy/potential" not in tree:
        return None

    def column(name: str) -> Array:
        path = f"/energy/{name}"
        return np.asarray(tree[path][()]) if path in tree else np.zeros(len(result.time))

    drive, cross = column("work_drive"), column("work_cross")
    cohesion = column("work_cohesion")
    friction = column("work_friction") - cohesion
    before = [column("work_external") - drive - cross, drive, cross, column("work_damping"), column("work_contact")]
    after = [column(name) for name in ("work_closing", "work_projection", "numerical")]
    works = [*before, friction, cohesion, *after]
    scale = max(largest(np.abs(column(name))) for name in ("kinetic", "potential"))
    parts = tuple(
        Part(word, colour, values)
        for (word, colour), values in zip(WORKS, works, strict=True)
        if largest(np.abs(values)) > 1e-13 * scale or not np.isfinite(values).all()
    )
    return Ledger(result.time, column("kinetic"), column("potential"), parts, column("residual"))
