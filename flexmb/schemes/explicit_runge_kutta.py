"""Explicit Runge-Kutta methods on the index-1 form: Dormand-Prince 5(4) and Fehlberg 4(5), projected by the driver.

Joints and closed contacts are differentiated twice, G^T v' = -bias; the driver takes the drift away. Local errors are
the differences of the embedded methods, of order h^5. The stages are those of ``smooth.explicit_steps``; between events
the same table is stepped by the compiled loop of ``kernels.smooth.smooth_march``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmb.schemes.smooth_scheme import SmoothScheme
from flexmb.smooth.dense import Inside
from flexmb.smooth.explicit_steps import Stages, Tableau, amplification_of, finish, made, take_stages
from flexmb.smooth.phase import Phase
from flexmb.smooth.smooth_step import SmoothState, SmoothStep
from flexmb.smooth.tableaus import (
    DOPRI_A,
    DOPRI_B,
    DOPRI_B_HAT,
    DOPRI_C,
    FEHLBERG_A,
    FEHLBERG_B,
    FEHLBERG_B_HAT,
    FEHLBERG_C,
)
from flexmb.state import Array

DOPRI_ERRORS = (np.append(DOPRI_B, 0.0) - DOPRI_B_HAT)[None, :]
DORMAND_PRINCE = Tableau(DOPRI_A, DOPRI_B, DOPRI_C, DOPRI_ERRORS)
FEHLBERG = Tableau(FEHLBERG_A, FEHLBERG_B, FEHLBERG_C, np.append(FEHLBERG_B_HAT - FEHLBERG_B, 0.0)[None, :])


class ExplicitRungeKutta(SmoothScheme):
    """A method that is its table, explicit or half-explicit."""

    table: ClassVar[Tableau]

    @property
    def order(self) -> int:
        """Order on smooth motion."""
        return 5

    @property
    def error_power(self) -> int:
        """The embedded methods are of order 4."""
        return 5

    def local_error(self, norms: Sequence[float]) -> float:
        """Return the norm of the estimate; of two, err_1^2 / (err_1 + c err_2)."""
        if not self.table.second:
            return norms[0]
        one, two = norms
        return one * one / (one + self.table.second * two) if one > 0.0 else 0.0

    def amplification(self, k: float, c: float) -> Array:
        """Return the map of (q, h v)."""
        return amplification_of(self.table.A, self.table.b, k, c)

    def inside(self, phase: Phase, state: SmoothState, end: SmoothState, dq: Array, stages: Stages) -> Inside | None:
        """Return the dense output of the method's own; none: the quintic of Hermite."""
        return None

    def smooth_step(self, phase: Phase, state: SmoothState, h: float) -> SmoothStep:
        """Advance from t to t + h."""
        stages = take_stages(phase, state, h, self.table)
        end, dq = finish(phase, state, h, self.table, stages)
        return made(phase, state, end, dq, self.table, stages, h, self.inside(phase, state, end, dq, stages))


@dataclass(frozen=True)
class Dopri5(ExplicitRungeKutta):
    """Dormand-Prince's explicit method of order 5 with located events; the best choice without joints."""

    name: ClassVar[str] = "dopri5"
    stability: ClassVar[float] = 1.72
    table: ClassVar[Tableau] = DORMAND_PRINCE


@dataclass(frozen=True)
class Rkf45(ExplicitRungeKutta):
    """Fehlberg's explicit method of order 4 with located events."""

    name: ClassVar[str] = "rkf45"
    stability: ClassVar[float] = 1.38
    table: ClassVar[Tableau] = FEHLBERG

    @property
    def order(self) -> int:
        """Order on smooth motion."""
        return 4
