"""Step size control by the local error.

    err = rms over (q, v) of x / (1 + |y|),      h <- h min(5, max(0.2, 0.9 (tol / err)^(1/k)))

k is the power of h in the estimate: that of the local error, not the order of the method.
"""

from __future__ import annotations

import numpy as np

from flexmb.smooth.smooth_step import SmoothState, SmoothStep
from flexmb.state import Array
from flexmb.system.linear_system import LinearSystem
from flexmb.system.multibody_system import MultibodySystem

LARGEST, SMALLEST, SAFETY = 5.0, 0.2, 0.9


class ErrorNorm:
    """The norm of estimates of local errors."""

    def __init__(self, system: LinearSystem | MultibodySystem) -> None:
        if isinstance(system, MultibodySystem):
            place = system.tables.linear.q_of_v
            self._place, self._has = np.where(place >= 0, place, 0), place >= 0
        else:
            self._place, self._has = np.arange(system.nv), np.ones(system.nv, dtype=bool)

    def _sizes(self, state: SmoothState) -> Array:
        return np.where(self._has, np.abs(state.q[self._place]), 0.0) if state.v.size else state.v

    def of(self, step: SmoothStep) -> list[float]:
        """Return the norm of each pair of estimates of a step."""
        return [self.norm(step.end, e_q, e_v) for e_q, e_v in step.errors]

    def norm(self, state: SmoothState, x_q: Array, x_v: Array) -> float:
        """Return the norm of (x_q, x_v); an empty x_v is ignored."""
        parts = [x_q / (1.0 + self._sizes(state))]
        if x_v.size:
            parts.append(x_v / (1.0 + np.abs(state.v)))
        x = np.concatenate(parts)
        return float(np.sqrt(np.mean(x * x))) if x.size else 0.0

    def first_step(self, state: SmoothState, longest: float) -> float:
        """Return an initial step: a hundredth of the time scale of the state."""
        return float(min(longest, 0.01 * self.time_scale(state)))

    def time_scale(self, state: SmoothState) -> float:
        """Return the time scale of a state, s; infinite without motion."""
        here = self.norm(state, self._sizes(state), np.abs(state.v))
        rate = self.norm(state, state.v, state.a)
        return max(here, 1e-3) / rate if rate > 0.0 else float("inf")


def factor(err: float, tolerance: float, power: int) -> float:
    """Return the factor of the next step size."""
    if not np.isfinite(err):
        return SMALLEST
    if err <= 0.0:
        return LARGEST
    return float(min(LARGEST, max(SMALLEST, SAFETY * (tolerance / err) ** (1.0 / power))))
