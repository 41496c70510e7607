"""Three balls above each other fall on a floor: the "vertical chain of 3 beads" of Haddouni (2015), section 4.3.1.

The thesis prints no data; these are ours. All impacts follow Newton's law, jointly over all touching contacts:
0 <= U+ + e U-, P >= 0, complementary. Balls fly on parabolas in between, so that events come in closed form.
"""

from __future__ import annotations

import itertools

import numpy as np

MASS, RADIUS, GRAVITY, RESTITUTION = 1.0, 0.1, 9.81, 0.7
START = np.array([0.6, 0.85, 1.2])
"""Heights of the centres: gaps 0.5, 0.05, 0.15."""
G = np.array([[1.0, -1.0, 0.0], [0.0, 1.0, -1.0], [0.0, 0.0, 1.0]])
"""Columns are the contacts: floor and lowest ball, lowest and second, second and third."""
DELASSUS = G.T @ G / MASS


def gaps(z):
    """Return the three gaps from the heights (..., 3)."""
    return z @ G - np.array([RADIUS, 2 * RADIUS, 2 * RADIUS])


def newton(U, touching, e=RESTITUTION):
    """Return the impulses (3,) on contacts that touch, from the approach velocities U."""
    out, rows = np.zeros(3), np.flatnonzero(touching)
    out[rows] = _lcp(DELASSUS[np.ix_(rows, rows)], (1.0 + e) * U[rows])
    return out


def trajectory(times, slow=1e-9):
    """Return heights (n, 3), velocities (n, 3) and the impacts [(time, impulses (3,))], event by event.

    A contact that opens slower than ``slow`` has come to its accumulation and is closed from then on, unless struck.
    """
    times = np.asarray(times, dtype=float)
    z, v, t = START.copy(), np.zeros(3), times[0]
    closed, opening, hits, pieces = np.zeros(3, bool), np.zeros(3, bool), [], []
    while True:
        a = np.where(np.logical_and.accumulate(closed), 0.0, -GRAVITY)  # what stands on the floor does not fall
        ahead = zip(gaps(z), v @ G, a @ G, opening, strict=True)
        s, k = min((np.inf if closed[i] else _crossing(*known), i) for i, known in enumerate(ahead))
        pieces.append((t, z, v, a))
        if t + s > times[-1]:
            break
        z, v, t = z + v * s + 0.5 * a * s**2, v + a * s, t + s
        touching = closed | (np.arange(3) == k)
        P = newton(v @ G, touching)
        hits.append((t, P))
        v = v + G @ P / MASS
        U = v @ G
        closed = touching & (np.abs(U) < slow)
        opening = touching & ~closed
        for i in np.flatnonzero(closed):  # no drift: exactly touching, exactly as fast
            z[i] = (z[i - 1] + RADIUS if i else 0.0) + RADIUS
            v[i] = v[i - 1] if i else 0.0
    return (*_sample(times, pieces), hits)


def _crossing(gap, rate, bend, opening):
    """Return when gap + rate s + bend s^2 / 2 falls to zero; ``opening`` means that it starts at zero, going up."""
    if opening:
        return -2.0 * rate / bend if bend < 0.0 else np.inf
    if bend == 0.0:
        return -gap / rate if rate < 0.0 else np.inf
    disc = rate**2 - 2.0 * bend * gap
    if disc < 0.0:
        return np.inf
    if bend > 0.0:
        return 2.0 * gap / (-rate + np.sqrt(disc)) if rate < 0.0 else np.inf
    return (rate + np.sqrt(disc)) / -bend


def _sample(times, pieces):
    starts = np.array([piece[0] for piece in pieces])
    z, v = np.empty((times.size, 3)), np.empty((times.size, 3))
    for n, i in enumerate(np.searchsorted(starts, times, side="right") - 1):
        t, z0, v0, a = pieces[i]
        s = times[n] - t
        z[n], v[n] = z0 + v0 * s + 0.5 * a * s**2, v0 + a * s
    return z, v


def time_stepping(end, steps):
    """Return times (n + 1,) and heights (n + 1, 3) of Moreau's scheme: a second method, first order in the step."""
    h = end / steps
    z, v = START.copy(), np.zeros(3)
    out = [z.copy()]
    for _ in range(steps):
        old = v @ G
        active = gaps(z) + 0.5 * h * old <= 0.0
        new = v - h * GRAVITY
        if active.any():
            rows = np.flatnonzero(active)
            q = (new @ G + RESTITUTION * old)[rows]
            new = new + G[:, rows] @ _lcp(DELASSUS[np.ix_(rows, rows)], q) / MASS
        z = z + 0.5 * h * (v + new)
        v = new
        out.append(z.copy())
    return np.linspace(0.0, end, steps + 1), np.array(out)


def _lcp(W, q):
    """Return P of 0 <= W P + q, P >= 0, complementary, by trying the index sets."""
    for size in range(len(q), -1, -1):
        for on in itertools.combinations(range(len(q)), size):
            on, P = list(on), np.zeros(len(q))
            if on:
                P[on] = np.linalg.solve(W[np.ix_(on, on)], -q[on])
            if P.min() >= -1e-13 and (W @ P + q).min() >= -1e-12:
                return P
    raise RuntimeError("no solution")
