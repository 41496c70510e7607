"""Flexible pendulum that swings against a stop, e = 0: a truss of six masses hung from one point, written out by hand.

Masses stand in pairs at three levels; springs along the rails, the rungs and both diagonals make it stiff in bending.
Smooth phases are integrated with DOP853 at 1e-13; impacts and releases are landed on by integrating again up to them;
in persistent contact the mass at the stop does not move across it, and what holds it back is the force of the stop.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

MASS, STIFFNESS, GRAVITY, TILT = 0.1, 500.0, 9.81, 0.3
LEVELS, HALF, BAY = 3, 0.1, 0.3
STOP = -HALF
"""The lowest mass on the left stays at x >= STOP, where it is when the pendulum hangs straight."""
TIP = 2 * (LEVELS - 1)
"""Number of that mass; masses are numbered from the top, left before right."""


def _straight():
    return np.array([(side * HALF, -BAY * (1 + level)) for level in range(LEVELS) for side in (-1.0, 1.0)])


def start():
    """Return the positions (6, 2) at the start: turned by TILT to the right, at rest."""
    c, s = np.cos(TILT), np.sin(TILT)
    return _straight() @ np.array([[c, s], [-s, c]])


def springs():
    """Return the springs as (mass, mass or -1 for the point of suspension, natural length)."""
    pairs = [(0, -1), (1, -1), (0, 1)]
    for k in range(0, TIP, 2):
        pairs += [(k, k + 2), (k + 1, k + 3), (k, k + 3), (k + 1, k + 2), (k + 2, k + 3)]
    x = np.vstack([_straight(), np.zeros((1, 2))])
    return [(i, j, float(np.linalg.norm(x[i] - x[j]))) for i, j in pairs]


SPRINGS = springs()
_I, _J, _LENGTH = (np.array(column) for column in zip(*SPRINGS, strict=True))


def forces(y):
    """Return gravity and the forces of the springs, (6, 2)."""
    x = np.vstack([y[: 4 * LEVELS].reshape(-1, 2), np.zeros((1, 2))])
    d = x[_I] - x[_J]
    size = np.linalg.norm(d, axis=1)
    pull = (STIFFNESS * (1.0 - _LENGTH / size))[:, None] * d
    F = np.zeros_like(x)
    np.add.at(F, _I, -pull)
    np.add.at(F, _J, pull)
    F[:, 1] -= MASS * GRAVITY
    return F[:-1]


def _rhs(closed):
    def rhs(t, y):
        a = forces(y) / MASS
        if closed:
            a[TIP, 0] = 0.0
        return np.concatenate([y[4 * LEVELS :], a.ravel()])

    return rhs


def _gap(t, y):
    return y[2 * TIP] - STOP


def _held(t, y):
    return -forces(y)[TIP, 0]


def trajectory(times):
    """Return states (n, 24) at rising times from 0 on, and the events as (time, "impact" or "release")."""
    y, t, closed = np.concatenate([start().ravel(), np.zeros(4 * LEVELS)]), 0.0, False
    out, events = [], []
    for end in times:
        while t < end:
            t, y, event = _phase(t, y, end, closed)
            if event == "impact":
                y[2 * TIP], y[4 * LEVELS + 2 * TIP] = STOP, 0.0
                closed = _held(t, y) > 0.0
            elif event == "release":
                closed = False
            if event:
                events.append((t, event))
        out.append(y.copy())
    return np.array(out), events


def _phase(t, y, end, closed):
    """Integrate to an event or to the end; return time, state and the event, if there is one."""
    rhs, function = _rhs(closed), _held if closed else _gap

    def event(s, x):
        return function(s, x)

    event.terminal, event.direction = True, -1
    how = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-14, "max_step": 1e-3}
    run = solve_ivp(rhs, (t, end), y, events=[event], **how)
    if not run.t_events[0].size:
        return end, run.y[:, -1], ""
    stop, before = float(run.t_events[0][0]), None
    for _ in range(4):  # land by integration, with the secant through the last two; with the speed at first
        state = solve_ivp(rhs, (t, stop), y, **how).y[:, -1]
        value = function(stop, state)
        slope = (function(stop, state + 1e-7 * rhs(stop, state)) - value) / 1e-7
        if before is not None and abs(value) >= abs(before[2]):
            break
        before = (stop, state, value)
        if abs(value) < 1e-15:
            break
        stop -= value / slope
    assert before is not None
    assert abs(before[2]) < 1e-11
    return before[0], before[1], "release" if closed else "impact"
