"""Half-explicit Runge-Kutta methods of order 5: HEM5 (Brasey and Hairer) and PHEM56 (Murua).

Rows are held on the velocity level at places known before the accelerations are (``smooth.explicit_steps``), so that
velocities do not drift at all and joints do no work.

HEM5, 8 stages. Its error is err1^2 / (err1 + c err2) with c = 0.1, of order h^5, of

    err1 = |y_1 - Y_8|,      err2 = |y_1 - y - h (5/2 Y'_7 - 3/2 Y'_8)|

PHEM56, 6 stages on Dormand-Prince's table with the embedded method of that; the acceleration at the end is that of
index 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmb.schemes.explicit_runge_kutta import DOPRI_ERRORS, ExplicitRungeKutta
from flexmb.schemes.scheme import check_choice
from flexmb.smooth.dense import Inside
from flexmb.smooth.explicit_steps import Stages, Tableau, with_end
from flexmb.smooth.phase import Phase
from flexmb.smooth.smooth_step import SmoothState
from flexmb.smooth.tableaus import (
    DOPRI_A,
    DOPRI_B,
    DOPRI_C,
    HEM5_A,
    HEM5_B,
    HEM5_C,
    HEM5_DENSE,
    HEM5_INSIDE_A,
    HEM5_INSIDE_C,
    PHEM_BAR,
    PHEM_BAR_C,
)
from flexmb.state import Array

LAST_TWO = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.5, -1.5])
"""Weights of the second estimate of HEM5 on the rates of its stages."""
BRASEY_HAIRER = Tableau(
    HEM5_A,
    HEM5_B,
    HEM5_C,
    np.stack([np.append(HEM5_B - HEM5_A[7], 0.0), np.append(HEM5_B - LAST_TWO, 0.0)]),
    np.concatenate([HEM5_A[1:], HEM5_B[None, :]]),
    np.append(HEM5_C[1:], 1.0),
    carries=False,
    second=0.1,  # 0.01, as in the published code, takes 30 to 50 % more steps
)
MURUA = Tableau(DOPRI_A, DOPRI_B, DOPRI_C, DOPRI_ERRORS, PHEM_BAR, PHEM_BAR_C)


@dataclass(frozen=True)
class Hem5(ExplicitRungeKutta):
    """Brasey and Hairer's half-explicit method of order 5 with located events.

    Parameters
    ----------
    dense : str
        Dense output: "hermite" (quintic, order 5) or "own" (of the method, order 4).
    """

    dense: str = "hermite"

    name: ClassVar[str] = "hem5"
    stability: ClassVar[float] = 3.46
    table: ClassVar[Tableau] = BRASEY_HAIRER

    def __post_init__(self) -> None:
        check_choice("dense", self.dense, ("hermite", "own"))

    def inside(self, phase: Phase, state: SmoothState, end: SmoothState, dq: Array, stages: Stages) -> Inside | None:
        """Return the method's own dense output if it was chosen."""
        return OwnInside(phase, state, end, dq, stages) if self.dense == "own" else None


class OwnInside:
    """Dense output of HEM5, of order 4: from the stages 4 to 8 and a tenth one at 0.05 h, solved on demand."""

    def __init__(self, phase: Phase, state: SmoothState, end: SmoothState, dq: Array, stages: Stages) -> None:
        self.phase, self.state, self.h = phase, state, end.t - state.t
        self._stages, self._end, self._dq = stages, end, dq
        self._K: Array | None = None

    def _rates(self) -> Array:
        phase, state, h = self.phase, self.state, self.h
        K = with_end(self._stages.K, phase.system.toward(self._dq, self._end.v))
        A = with_end(self._stages.A, self._end.a)
        x, V = np.zeros(phase.nv), state.v
        for j, weight in HEM5_INSIDE_A.items():
            x, V = x + h * weight * K[j], V + h * weight * A[j]
        at = phase.at(state.t + HEM5_INSIDE_C * h, phase.system.advance(state.q, x), V)
        a, _ = phase.index_one(at)
        self.A = np.concatenate([self._stages.A[3:8], a[None, :]])
        return np.concatenate([self._stages.K[3:8], phase.system.toward(x, V)[None, :]])

    def at(self, s: float) -> tuple[Array, Array]:
        """Return the increment at s, and its rate."""
        if self._K is None:
            self._K = self._rates()
        k = np.arange(1, 5)
        weights = s**k @ HEM5_DENSE
        x = self.h * (weights @ self._K)
        v = self.state.v + self.h * (weights @ self.A)
        return x, self.phase.system.toward(x, v)


@dataclass(frozen=True)
class Phem56(ExplicitRungeKutta):
    """Murua's partitioned half-explicit method of order 5 with located events; the best choice with joints."""

    name: ClassVar[str] = "phem56"
    stability: ClassVar[float] = 1.72
    table: ClassVar[Tableau] = MURUA
