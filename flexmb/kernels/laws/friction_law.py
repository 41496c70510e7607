"""mu of a step and how steeply it falls, from the numbers of a law, the slip speed at the start and the law's state.

coulomb (0)          mu = row[0]
stribeck (1)         mu = dynamic + (static - dynamic) exp(-(V / speed)^exponent),      row = static, 1, dynamic,
                     speed, exponent
rate-and-state (2)   mu = [mu_0 + a asinh(V / (2 V_0)) + b ln(theta V_0 / D_c)]_+,      row = mu_0, 2, a, b, V_0,
                     D_c, theta at the start
"""

from __future__ import annotations

import math

from flexmb.kernels.compilation.jit import kernel
from flexmb.kernels.laws.law_codes import RATE_AND_STATE, STRIBECK
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


@kernel
def falling_steepness(row: Array, slip: float, state: float, h: float) -> float:
    """Return how steeply mu falls with the slip speed, s/m; 0 where it does not fall.

    With rate and state theta follows the speed within the step, as in ``state_after``. mu of a step is that of the slip
    speed at its start; were it that at its end, the problem of a contact that slips would have one answer only for
    ``W_TT P_N`` times this number below 1.
    """
    slope = 0.0
    if row[1] == STRIBECK:
        ratio = slip / row[3]
        if ratio > 0.0:
            power = ratio ** row[4]
            slope = (row[2] - row[0]) * row[4] * power / slip * math.exp(-power)
    elif row[1] == RATE_AND_STATE:
        x, speed = slip * h / row[5], math.sqrt(slip * slip + 4.0 * row[4] * row[4])
        after = state_after(row, slip, state, h)
        # the derivative of state exp(-x) + h (1 - exp(-x)) / x; below 1e-4 by its series
        grown = (math.expm1(-x) + x * math.exp(-x)) / (x * x) if x > 1e-4 else x / 3.0 - 0.5
        of_theta = h / row[5] * (h * grown - state * math.exp(-x))
        slope = row[2] / speed + row[3] * of_theta / after
    return max(0.0, -slope)


@kernel
def falling_share(row: Array, slip: float, state: float, h: float, response: float, P_N: float) -> float:
    """Return ``W_TT P_N |mu'|`` of a contact that slips, with W_TT in ``response``; 0 where mu does not fall."""
    return response * P_N * falling_steepness(row, slip, state, h) if row[1] > 0.0 and P_N > 0.0 else 0.0
