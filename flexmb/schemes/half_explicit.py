"""Half-explicit Runge-Kutta methods of order 5: HEM5 (Brasey and Hairer) and PHEM56 (Murua).

Rows are held on the velocity level at places known before the accelerations are (``smooth.explicit_steps``), so that
velocities do not drift at all and joints do no work.

HEM5, 8 stages. Its error is err1^2 / (err1 + c err2) with c = 0.1, of order h^5, of

    err1 = |y_1 - Y_8|,      err2 = |y_1 - y - h (5/2 Y'_7 - 3/2 Y'_8)|

PHEM56, 6 stages on Dormand-Prince's table with the embedded method of that; the acceleration at the end is that of
index 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmb.schemes.explicit_runge_kutta import with_end
from flexmb.schemes.scheme import check_choice
from flexmb.schemes.smooth_scheme import SmoothScheme
from flexmb.smooth.explicit_steps import Stages, Tableau, amplification_of, finish, made, take_stages
from flexmb.smooth.phase import Phase
from flexmb.smooth.smooth_step import SmoothState, SmoothStep
from flexmb.smooth.tableaus import (
    DOPRI_A,
    DOPRI_B,
    DOPRI_B_HAT,
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

BRASEY_HAIRER = Tableau(
    HEM5_A, HEM5_B, HEM5_C, np.concatenate([HEM5_A[1:], HEM5_B[None, :]]), np.append(HEM5_C[1:], 1.0), carries=False
)
MURUA = Tableau(DOPRI_A, DOPRI_B, DOPRI_C, PHEM_BAR, PHEM_BAR_C)
WEIGHT = 0.1
"""c of HEM5's error; 0.01, as in the published code, takes 30 to 50 % more steps."""


@dataclass(frozen=True)
class Hem5(SmoothScheme):
    """Brasey and Hairer's half-explicit method of order 5 with located events.

    Parameters
    ----------
    dense : str
        What lies inside a step: "hermite" (the quintic, order 5) or "own" (the method's, order 4).
    """

    dense: str = "hermite"

    name: ClassVar[str] = "hem5"
    stability: ClassVar[float] = 3.46

    def __post_init__(self) -> None:
        check_choice("dense", self.dense, ("hermite", "own"))

    @property
    def order(self) -> int:
        """Order on smooth motion."""
        return 5

    @property
    def error_power(self) -> int:
        """err1 is of order 4, err2 of order 3."""
        return 5

    def local_error(self, norms: Sequence[float]) -> float:
        """Return err1^2 / (err1 + c err2)."""
        one, two = norms
        return one * one / (one + WEIGHT * two) if one > 0.0 else 0.0

    def amplification(self, k: float, c: float) -> Array:
        """Return the map of (q, h v)."""
        return amplification_of(BRASEY_HAIRER.A, BRASEY_HAIRER.b, k, c)

    def smooth_step(self, phase: Phase, state: SmoothState, h: float) -> SmoothStep:
        """Go from t to t + h."""
        stages = take_stages(phase, state, h, BRASEY_HAIRER)
        end, dq = finish(phase, state, h, BRASEY_HAIRER, stages)
        dv = end.v - state.v
        last = HEM5_A[7]
        two = np.zeros(8)
        two[6:] = 2.5 * h, -1.5 * h
        errors = (
            (dq - h * (last @ stages.K), dv - h * (last @ stages.A)),
            (dq - two @ stages.K, dv - two @ stages.A),
        )
        inside = OwnInside(phase, state, end, dq, stages) if self.dense == "own" else None
        return made(phase, state, end, dq, BRASEY_HAIRER, stages, errors, inside)


class OwnInside:
    """HEM5's own dense output, of order 4: from the stages 4 to 8 and a tenth one at 0.05 h, solved when asked for."""

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
class Phem56(SmoothScheme):
    """Murua's partitioned half-explicit method of order 5 with located events; the best choice with joints."""

    name: ClassVar[str] = "phem56"
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
        return amplification_of(MURUA.A, MURUA.b, k, c)

    def smooth_step(self, phase: Phase, state: SmoothState, h: float) -> SmoothStep:
        """Go from t to t + h."""
        stages = take_stages(phase, state, h, MURUA)
        end, dq = finish(phase, state, h, MURUA, stages)
        differ = h * (np.append(DOPRI_B, 0.0) - DOPRI_B_HAT)
        K, A = with_end(stages.K, phase.system.toward(dq, end.v)), with_end(stages.A, end.a)
        return made(phase, state, end, dq, MURUA, stages, ((differ @ K, differ @ A),))
