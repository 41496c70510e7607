"""Removal of drift: projection of positions and velocities onto the enforced rows in the mass norm.

M dq = G Lam,  g(q (+) dq) = 0   by Newton's method;        M dv = G Lam,  G^T (v + dv) + g_t = 0
"""

from __future__ import annotations

import numpy as np

from flexmb.smooth.phase import Phase
from flexmb.state import Array

ROUNDS = 6
"""Maximum number of Newton iterations on the positions."""


def drift_scale(phase: Phase, q: Array, reach: Array) -> float:
    """Return the reference length for positions of the rows, m."""
    largest = float(np.abs(q).max(initial=0.0))
    return max(largest, float(reach.max(initial=0.0)), 1e-30)


def on_positions(phase: Phase, t: float, q: Array, v: Array, close: float) -> Array:
    """Return q with the rows satisfied at position level, to within ``close``."""
    last = np.inf
    for _ in range(ROUNDS):
        at = phase.at(t, q, v)
        size = float(np.abs(at.gap).max(initial=0.0))
        if size <= close or size >= 0.5 * last:
            break
        last = size
        gap = at.gap
        dq, _ = phase.impulses(at, -gap)
        q = phase.system.advance(q, dq)
    return q


def on_velocities(phase: Phase, t: float, q: Array, v: Array) -> Array:
    """Return v with the rows satisfied at velocity level."""
    if not phase.nr:
        return v
    at = phase.at(t, q, v)
    return np.asarray(v + phase.impulses(at, -at.rates)[0])
