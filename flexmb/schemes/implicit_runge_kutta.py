"""Implicit Runge-Kutta methods with events: Radau IIA of order 3 and 5, Lobatto IIIA of order 2, 4, 6, IIIC of order 4.

The stages are those of ``smooth.implicit_stages``; the end of a step is its last stage, so nothing is evaluated twice.

The local error is estimated by what the acceleration a(t) at one more time (0 for Radau IIA and Lobatto IIIC, where it
is known; inside the step for IIIA) differs from the polynomial p through the accelerations of the stages:

    e = (1 - h gamma J)^-1 h gamma (a - p),      e ~ h^3 (orders 2, 3), h^4 (4, 5), h^5 (6)

For Radau IIA of order 5 this is the estimate of Hairer and Wanner (1996, eq IV.8.19 and 8.20, with gamma = 60^(-1/3)
for their 0.2749). The factor before it filters fast vibrations that the method damps; for h -> 0 it is 1. It is the
error of a method of lower order, so errors of a run are smaller than the tolerance.

Impacts are located and landed on by a step (``impacts = "located"``), or captured by one step of Moreau's scheme of a
critical length (``"captured"``, RR-7151; ``drive.events.capture``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmb.schemes.scheme import check_choice, check_range
from flexmb.schemes.smooth_scheme import SmoothScheme
from flexmb.smooth import implicit_tables
from flexmb.smooth.explicit_steps import amplification_of
from flexmb.smooth.implicit_stages import ImplicitStages, solve_stages
from flexmb.smooth.implicit_tables import ImplicitTable
from flexmb.smooth.phase import Phase
from flexmb.smooth.smooth_step import SmoothState, SmoothStep
from flexmb.smooth.stage_matrix import Pencil, StageMatrix
from flexmb.smooth.works import runge_kutta_works
from flexmb.state import Array

IMPACTS = ("located", "captured")
"""Treatment of a contact that closes or opens."""
KEPT = 8
"""Number of factorizations kept for a phase of a constant system."""


@dataclass(frozen=True)
class ImplicitRungeKutta(SmoothScheme):
    """An implicit Runge-Kutta method whose last stage is the end of the step.

    Parameters
    ----------
    impacts : str
        "located": events are found to round-off, and impacts happen there; "captured": events are found roughly, and
        one step of Moreau's scheme of the critical length goes over them.
    critical : float
        C of the critical length C h^(p+1) over T^p, p the order, T the time of the run; in [1e-6, 1e6]. With a
        tolerance the length is chosen by it.
    """

    impacts: str = "located"
    critical: float = 1.0

    explicit: ClassVar[bool] = False
    table: ClassVar[ImplicitTable] = implicit_tables.RADAU_IIA_5

    def __post_init__(self) -> None:
        check_choice("impacts", self.impacts, IMPACTS)
        check_range(self.name, "critical", self.critical, 1e-6, 1e6)

    @property
    def order(self) -> int:
        """Order on smooth motion, and through impacts."""
        return self.table.order

    @property
    def error_power(self) -> int:
        """Power of h in the error estimate."""
        return self.table.power

    def amplification(self, k: float, c: float) -> Array:
        """Return the map of (q, h v)."""
        return amplification_of(self.table.A, self.table.b, k, c)

    def smooth_step(self, phase: Phase, state: SmoothState, h: float) -> SmoothStep:
        """Advance from t to t + h."""
        table, matrix = self.table, self._matrix(phase, state, h)
        stages = solve_stages(phase, state, table, h, matrix)
        last, dq = stages.at[-1], stages.x[-1]
        end = SmoothState(state.t + h, last.q, last.v, stages.A[-1], stages.lam[-1], last)
        works = runge_kutta_works(phase, (state.here, last), h, (table.A, table.b), stages.at, stages.A, stages.lam)
        return SmoothStep(
            state,
            end,
            dq,
            h * (table.b @ stages.lam),
            works,
            errors=(matrix.filtered(*self._defect(phase, state, h, stages)),),
            lam_inside=stages.lam,
            evaluations=table.stages * (stages.iterations + 1),
            solves=stages.iterations,
        )

    def _matrix(self, phase: Phase, state: SmoothState, h: float) -> StageMatrix:
        """Return the matrix of the stages; for constant systems some are stored."""
        if not phase.system.linear:
            return StageMatrix(Pencil(phase, state), self.table, h, phase.nv)
        if not phase.kept:
            phase.kept.update(pencil=Pencil(phase, state), matrices={})
        pencil, matrices = phase.kept["pencil"], phase.kept["matrices"]
        found = matrices.pop(h, None) or StageMatrix(pencil, self.table, h, phase.nv)
        while len(matrices) >= KEPT:  # steps that end at events have individual lengths
            del matrices[next(iter(matrices))]
        matrices[h] = found
        return found

    def _defect(self, phase: Phase, state: SmoothState, h: float, stages: ImplicitStages) -> tuple[Array, Array]:
        """Return h gamma (a - p) for positions and velocities, (nv,) each."""
        table, weights = self.table, self.table.lagrange(self.table.defect)
        rate, a = state.v, state.a
        if table.defect > 0.0:
            inside = h * table.integrals(table.defect)
            x, v = inside @ stages.rates, state.v + inside @ stages.A
            system = phase.system
            at = phase.at(state.t + table.defect * h, system.advance(state.q, x), v)
            rate, a = system.toward(x, v), phase.index_one(at)[0]
        size = h * table.scale
        return np.asarray(size * (rate - weights @ stages.rates)), np.asarray(size * (a - weights @ stages.A))


@dataclass(frozen=True)
class RadauIIA3(ImplicitRungeKutta):
    """Radau IIA of order 3: L-stable, never gains energy on linear motion."""

    name: ClassVar[str] = "radau-iia-3"
    table: ClassVar[ImplicitTable] = implicit_tables.RADAU_IIA_3


@dataclass(frozen=True)
class RadauIIA5(ImplicitRungeKutta):
    """Radau IIA of order 5: L-stable, never gains energy on linear motion; for stiff models with events."""

    name: ClassVar[str] = "radau-iia-5"
    table: ClassVar[ImplicitTable] = implicit_tables.RADAU_IIA_5


@dataclass(frozen=True)
class LobattoIIIA2(ImplicitRungeKutta):
    """Lobatto IIIA of order 2, the trapezoidal rule; A-stable, conserves energy on linear motion."""

    name: ClassVar[str] = "lobatto-iiia-2"
    table: ClassVar[ImplicitTable] = implicit_tables.LOBATTO_IIIA_2


@dataclass(frozen=True)
class LobattoIIIA4(ImplicitRungeKutta):
    """Lobatto IIIA of order 4; A-stable, the energy of linear motion oscillates within bounds."""

    name: ClassVar[str] = "lobatto-iiia-4"
    table: ClassVar[ImplicitTable] = implicit_tables.LOBATTO_IIIA_4


@dataclass(frozen=True)
class LobattoIIIA6(ImplicitRungeKutta):
    """Lobatto IIIA of order 6; A-stable, the energy of linear motion oscillates within bounds."""

    name: ClassVar[str] = "lobatto-iiia-6"
    table: ClassVar[ImplicitTable] = implicit_tables.LOBATTO_IIIA_6


@dataclass(frozen=True)
class LobattoIIIC4(ImplicitRungeKutta):
    """Lobatto IIIC of order 4: L-stable, never gains energy on linear motion; damps fast modes, unlike IIIA."""

    name: ClassVar[str] = "lobatto-iiic-4"
    table: ClassVar[ImplicitTable] = implicit_tables.LOBATTO_IIIC_4
