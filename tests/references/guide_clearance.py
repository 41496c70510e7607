"""Slider-crank whose slider has play in its guide: Flores, Leine, Glocker (2010), Multibody Syst. Dyn. 23, 165-190.

q = (crank, rod, slider) angles against the guide. The four corners of the slider touch the guide's faces y = +- d/2.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

from references.frictional_impact import solve

L1, L2, A, B, PLAY = 0.153, 0.306, 0.05, 0.025, 0.001
M1, M2, M3, J1, J2, J3 = 0.038, 0.038, 0.076, 7.4e-5, 5.9e-4, 2.7e-6
GRAVITY, RESTITUTION, MU = 9.81, 0.4, 0.01
START = np.array([0.0, 0.0, 0.0, 150.0, -75.0, 0.0])
CORNERS = np.array([[-A, B], [A, B], [-A, -B], [A, -B]])
"""In the slider's axes: two above, two below."""


def mass_matrix(q):
    """Return M (3, 3)."""
    c = (0.5 * M2 + M3) * L1 * L2 * np.cos(q[0] - q[1])
    first, second = J1 + 0.25 * M1 * L1**2 + (M2 + M3) * L1**2, J2 + 0.25 * M2 * L2**2 + M3 * L2**2
    return np.array([[first, c, 0.0], [c, second, 0.0], [0.0, 0.0, J3]])


def forces(q, v):
    """Return what is on the right of M a: gravity and the velocities' part."""
    s = (0.5 * M2 + M3) * L1 * L2 * np.sin(q[0] - q[1])
    one = -GRAVITY * (0.5 * M1 + M2 + M3) * L1 * np.cos(q[0]) - s * v[1] ** 2
    two = -GRAVITY * (0.5 * M2 + M3) * L2 * np.cos(q[1]) + s * v[0] ** 2
    return np.array([one, two, 0.0])


def slider(q):
    """Return x and y of the slider's centre."""
    return L1 * np.cos(q[0]) + L2 * np.cos(q[1]), L1 * np.sin(q[0]) + L2 * np.sin(q[1])


def gap(q, k):
    """Return the distance of corner k from its face."""
    side = 1.0 if k < 2 else -1.0
    _, y = slider(q)
    corner = np.sin(q[2]) * CORNERS[k, 0] + np.cos(q[2]) * CORNERS[k, 1]
    return B + PLAY - side * (y + corner)


def rows(q, k):
    """Return G (3, 2): columns normal (into the guide) and tangential (along x)."""
    side = 1.0 if k < 2 else -1.0
    s, c = np.sin(q[2]), np.cos(q[2])
    up = np.array([L1 * np.cos(q[0]), L2 * np.cos(q[1]), c * CORNERS[k, 0] - s * CORNERS[k, 1]])
    along = np.array([-L1 * np.sin(q[0]), -L2 * np.sin(q[1]), -s * CORNERS[k, 0] - c * CORNERS[k, 1]])
    return np.array([-side * up, along]).T


def energy(y):
    """Return kinetic and potential energy."""
    q, v = y[:3], y[3:]
    height = 0.5 * M1 * L1 * np.sin(q[0]) + M2 * (L1 * np.sin(q[0]) + 0.5 * L2 * np.sin(q[1])) + M3 * slider(q)[1]
    return 0.5 * v @ mass_matrix(q) @ v + GRAVITY * height


def trajectory(h, steps, mu=MU, e=RESTITUTION):
    """Return times (n,), y (n, 6) = (q, v) and impulses (n, 4, 2) of corners, by Moreau's midpoint scheme.

    Two corners can strike at once, so that event-driven flights would need a rule of their own for it; the contact
    problem of a step is solved corner by corner until nothing changes.
    """
    q, v = START[:3].copy(), START[3:].copy()
    out, given = np.empty((steps + 1, 6)), np.zeros((steps + 1, 4, 2))
    out[0] = START
    for n in range(steps):
        middle = q + 0.5 * h * v
        M = mass_matrix(middle)
        new = v + h * np.linalg.solve(M, forces(middle, v))
        new = v + h * np.linalg.solve(M, forces(middle, 0.5 * (v + new)))  # velocity terms at the middle
        active = [k for k in range(4) if gap(middle, k) <= 0.0]
        new, P = _struck(middle, v, new, active, mu, e)
        q, v = q + 0.5 * h * (v + new), new
        out[n + 1, :3], out[n + 1, 3:] = q, v
        for k in active:
            given[n + 1, k] = P[k]
    return np.arange(steps + 1) * h, out, given


def _struck(q, before, v, active, mu, e, sweeps=200):
    """Return the velocities after an impact of corners, and their impulses; ``before`` are those that rebound."""
    P, G, inverse = {k: np.zeros(2) for k in active}, {k: rows(q, k) for k in active}, np.linalg.inv(mass_matrix(q))
    for _ in range(sweeps if len(active) > 1 else 1):
        change = 0.0
        for k in active:
            W = G[k].T @ inverse @ G[k]
            b = G[k].T @ v - W @ P[k] + np.array([e, 0.0]) * (G[k].T @ before)
            found = solve(W, b, mu)
            v = v + inverse @ G[k] @ (found - P[k])
            change, P[k] = max(change, np.abs(found - P[k]).max()), found
        if change < 1e-15:
            break
    return v, P


def flights(end, mu=MU, e=RESTITUTION):
    """Return (q, v) at the end and the times of the impacts: flights between located impacts, no closed corners.

    Only for the time before impacts accumulate, the first 9 ms.
    """
    events = [lambda t, y, k=k: gap(y[:3], k) for k in range(4)]
    for event in events:
        event.terminal, event.direction = True, -1.0
    t, y, hits = 0.0, START.copy(), []
    while True:
        options = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-14, "events": events}
        run = solve_ivp(lambda t, y: np.append(y[3:], accelerations(y[:3], y[3:])), (t, end), y, **options)
        t, y = run.t[-1], run.y[:, -1]
        if run.status == 0:
            return y, np.array(hits)
        hits.append(t)
        active = [k for k in range(4) if abs(gap(y[:3], k)) < 1e-10]
        y[3:], _ = _struck(y[:3], y[3:], y[3:], active, mu, e, sweeps=2000)


def accelerations(q, v):
    """Return those of a flight, (3,)."""
    return np.linalg.solve(mass_matrix(q), forces(q, v))
