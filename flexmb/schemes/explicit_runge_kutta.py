"""Explicit Runge-Kutta methods on the index-1 form: Dormand-Prince 5(4) and Fehlberg 4(5), projected by the driver.

Joints and closed contacts are differentiated twice, G^T v' = -bias; the driver takes the drift away. Local errors are
the differences of the embedded methods, of order h^5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmb.schemes.smooth_scheme import SmoothScheme
from flexmb.smooth.explicit_steps import Tableau, amplification_of, finish, made, take_stages
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

DORMAND_PRINCE = Tableau(DOPRI_A, DOPRI_B, DOPRI_C)
FEHLBERG = Tableau(FEHLBERG_A, FEHLBERG_B, FEHLBERG_C)


def with_end(rows: Array, last: Array) -> Array:
    """Return rows of the stages with that of the end of the step below."""
    return np.concatenate([rows, last[None, :]])


@dataclass(frozen=True)
class Dopri5(SmoothScheme):
    """Dormand-Prince's explicit method of order 5 with located events; the best choice without joints."""

    name: ClassVar[str] = "dopri5"
    stability: ClassVar[float] = 1.72

    @property
    def order(self) -> int:
        """Order on smooth motion."""
        return 5

    @property
    def error_power(self) -> int:
        """The embedded method is of order 4."""
        return 5

    def amplification(self, k: float, c: float) -> Array:
        """Return the map of (q, h v)."""
        return amplification_of(DORMAND_PRINCE.A, DORMAND_PRINCE.b, k, c)

    def smooth_step(self, phase: Phase, state: SmoothState, h: float) -> SmoothStep:
        """Go from t to t + h."""
        stages = take_stages(phase, state, h, DORMAND_PRINCE)
        end, dq = finish(phase, state, h, DORMAND_PRINCE, stages)
        differ = h * (np.append(DOPRI_B, 0.0) - DOPRI_B_HAT)
        K, A = with_end(stages.K, phase.system.toward(dq, end.v)), with_end(stages.A, end.a)
        return made(phase, state, end, dq, DORMAND_PRINCE, stages, ((differ @ K, differ @ A),))


@dataclass(frozen=True)
class Rkf45(SmoothScheme):
    """Fehlberg's explicit method of order 4 with located events."""

    name: ClassVar[str] = "rkf45"
    stability: ClassVar[float] = 1.38

    @property
    def order(self) -> int:
        """Order on smooth motion."""
        return 4

    @property
    def error_power(self) -> int:
        """The local error of the method of order 4."""
        return 5

    def amplification(self, k: float, c: float) -> Array:
        """Return the map of (q, h v)."""
        return amplification_of(FEHLBERG.A, FEHLBERG.b, k, c)

    def smooth_step(self, phase: Phase, state: SmoothState, h: float) -> SmoothStep:
        """Go from t to t + h."""
        stages = take_stages(phase, state, h, FEHLBERG)
        end, dq = finish(phase, state, h, FEHLBERG, stages)
        differ = h * (FEHLBERG_B_HAT - FEHLBERG_B)
        return made(phase, state, end, dq, FEHLBERG, stages, ((differ @ stages.K, differ @ stages.A),))
