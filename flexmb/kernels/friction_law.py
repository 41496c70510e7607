"""mu of a step, from the parameters of a law of friction, the slip speed at its start and the state of the law.

coulomb (0)          mu = row[0]
stribeck (1)         mu = dynamic + (static - dynamic) exp(-(V / speed)^exponent),      row = static, 1, dynamic,
                     speed, exponent
rate-and-state (2)   mu = [mu_0 + a asinh(V / (2 V_0)) + b ln(theta V_0 / D_c)]_+,      row = mu_0, 2, a, b, V_0,
                     D_c, theta at the start
"""

from __future__ import annotations

import math

from flexmb.kernels.jit import kernel
from flexmb.kernels.law_codes import RATE_AND_STATE, STRIBECK
from flexmb.state import Array


@kernel
def friction_coefficient(row: Array, slip: float, state: float) -> float:
    """Return the coefficient of friction mu.

    Parameters
    ----------
    row : (8,) array
        Numbers of the law.
    slip : float
        V, m/s.
    state : float
        theta of rate and state, s; not read by the other laws.
    """
    if row[1] == STRIBECK:
        return row[2] + (row[0] - row[2]) * math.exp(-((slip / row[3]) ** row[4]))
    if row[1] == RATE_AND_STATE:
        mu = row[0] + row[2] * math.asinh(0.5 * slip / row[4]) + row[3] * math.log(state * row[4] / row[5])
        return max(0.0, mu)
    return row[0]


@kernel
def state_after(row: Array, slip: float, state: float, h: float) -> float:
    """Return theta after a step h, exactly for a constant V; other laws keep their state."""
    if row[1] != RATE_AND_STATE:
        return state
    x = slip * h / row[5]
    grown = h if x == 0.0 else -h * math.expm1(-x) / x
    return state * math.exp(-x) + grown
