"""Housner's rocking block: swings about one corner after the other; Housner (1963), Bull. Seismol. Soc. Am. 53, 403."""

from __future__ import annotations

import numpy as np

from references.ode import march

HALF_WIDTH, HALF_HEIGHT, GRAVITY = 0.1, 0.4, 9.81
REACH = np.hypot(HALF_WIDTH, HALF_HEIGHT)
SLENDER = np.arctan2(HALF_WIDTH, HALF_HEIGHT)
RATE = np.sqrt(0.75 * GRAVITY / REACH)
RATIO = 1.0 - 1.5 * np.sin(SLENDER) ** 2
TILT = np.pi / 36.0
"""5 degrees."""


def trajectory(times, angle=TILT):
    """Return the tilt (n,), its rate (n,) and the impacts [(time, rate before)]; it swings down from ``angle``.

    Tilt y about the corner on the side of its sign: y'' = -RATE^2 sin(SLENDER - |y|) sign y; impacts y' -> RATIO y'.
    """

    def rhs(t, y):
        return [y[1], -(RATE**2) * np.sin(SLENDER - y[0])]

    def impact(k, y):
        y[:] = 0.0, -RATIO * y[1]  # |tilt| falls to zero and rises again about the other corner
        return y

    y, hits = march(rhs, [angle, 0.0], times, [lambda y: y[0]], impact, max_step=0.02)
    impacts = np.array([hit[0] for hit in hits])
    side = (-1.0) ** np.searchsorted(impacts, np.asarray(times), side="right")
    return side * y[:, 0], side * y[:, 1], [(hit[0], hit[2][1]) for hit in hits]


def center(tilt):
    """Return x and y of the centre over the middle of the foot, for a tilt to the left where positive."""
    size, side = np.abs(tilt), np.where(np.asarray(tilt) >= 0.0, 1.0, -1.0)
    x = side * (REACH * np.sin(SLENDER - size) - HALF_WIDTH)
    return x, REACH * np.cos(SLENDER - size)


def largest(rate):
    """Return the largest tilt after a landing: RATE^2 (cos(SLENDER - y) - cos SLENDER) = rate^2 / 2."""
    return SLENDER - np.arccos(0.5 * rate**2 / RATE**2 + np.cos(SLENDER))
