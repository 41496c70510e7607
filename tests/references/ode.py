"""Smooth integration at tight tolerances, and a loop over impacts located to round-off."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq


def solve(rhs, y0, times, *, method="DOP853", rtol=1e-12, atol=1e-12, max_step=np.inf):
    """Integrate y' = rhs(t, y) from times[0] and return y at ``times``, shape (n, len(y0))."""
    times = np.asarray(times, dtype=float)
    if times.size == 1:
        return np.array(y0, dtype=float)[None, :]
    found = solve_ivp(
        rhs, (times[0], times[-1]), y0, method=method, t_eval=times, rtol=rtol, atol=atol, max_step=max_step
    )
    if not found.success:
        raise RuntimeError(found.message)
    return found.y.T


def march(rhs, y0, times, gaps, impact, *, rtol=1e-13, atol=1e-13, max_step=np.inf, at_rest=None):
    """Integrate between impacts.

    Parameters
    ----------
    gaps : list of functions y -> float; an impact comes where one of them crosses zero from above.
    impact : function (k, y) -> y after the impact of gap k.
    max_step : number, or function y -> number asked at the start of every flight, which must take several steps.
    at_rest : function (t, y) -> bool, asked after every impact; if true the state stays what it is.

    Returns
    -------
    y at ``times`` (n, m), and the list of impacts (time, k, y before, y after).
    """
    times = np.asarray(times, dtype=float)
    out, hits = np.empty((times.size, len(y0))), []
    t, y, end, done = times[0], np.array(y0, dtype=float), times[-1], 0
    events = [_event(gap) for gap in gaps]
    while True:
        most = max_step(y) if callable(max_step) else max_step
        run = solve_ivp(
            rhs, (t, end), y, method="DOP853", rtol=rtol, atol=atol, max_step=most, events=events, dense_output=True
        )
        found = [(run.t_events[k][0], k) for k in range(len(gaps)) if run.t_events[k].size]
        stop, k = min(found) if found else (end, -1)
        if found:  # the event of solve_ivp is located on the dense output to a few eps; polish it
            stop = _polish(lambda s, k=k, sol=run.sol: gaps[k](sol(s)), stop, t, end)
        count = int(np.searchsorted(times, stop, side="right" if not found else "left"))
        if count > done:
            out[done:count] = run.sol(times[done:count]).T
            done = count
        if not found or done == times.size:
            return out, hits
        before = run.sol(stop)
        after = np.asarray(impact(k, before.copy()), dtype=float)
        hits.append((float(stop), k, before, after))
        t, y = stop, after
        if at_rest is not None and at_rest(t, y):
            out[done:] = y
            return out, hits


def _event(gap):
    def event(t, y):
        return gap(y)

    event.terminal, event.direction = True, -1
    return event


def _polish(f, t, low, high, width=1e-9):
    a, b = max(low, t - width), min(high, t + width)
    return brentq(f, a, b, xtol=1e-15, rtol=4 * np.finfo(float).eps) if f(a) * f(b) < 0.0 else t
