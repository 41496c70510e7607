"""Flights between impacts that are too short to be located: they end a sequence of impacts.

Ending the velocities of a contact at once, in place of the rest of its impacts, moves what it is coupled with by about
|g''| h*^3 / T, where h* is the flight, g'' the second derivative of the gap and T the time scale of the motion. So

    h* = (tol T / |g''|)^(1/3)        with a tolerance; T = size of (q, v) over size of (v, a), in the norm of errors
    h* = T (h / T)^(p/3)              with steps of one size and order p; T the time of the run
"""

from __future__ import annotations

import numpy as np

from flexmb.drive.events.step_control import ErrorNorm
from flexmb.smooth.smooth_step import SmoothState
from flexmb.state import Array


class ShortFlights:
    """Largest duration of flights that are ended.

    Parameters
    ----------
    norm : ErrorNorm
    order : int
        Of the integrator.
    h, span : float
        Step, and time of the run, s.
    tolerance : float
        Of the local error; 0 for steps of one size.
    """

    def __init__(self, norm: ErrorNorm, order: int, h: float, span: float, tolerance: float) -> None:
        self.norm, self.span, self.tolerance = norm, span, tolerance
        self.fixed = span * (h / span) ** (order / 3.0)

    def times(self, state: SmoothState, bend: Array) -> Array:
        """Return h* for second derivatives of gaps, s."""
        if not self.tolerance:
            return np.full(bend.shape, self.fixed)
        T = min(self.span, self.norm.time_scale(state))
        return np.asarray(np.cbrt(self.tolerance * T / np.maximum(np.abs(bend), 1e-300)))
