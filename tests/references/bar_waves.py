"""Free-free elastic bars that are pushed at one end: d'Alembert's waves and their images.

All bars have E = 900, rho = A = 1, L = 10: c = 30, mass 10. ``BouncingBar`` is that of Doyen, Ern, Piperno (2011).
"""

from __future__ import annotations

import numpy as np

C, L, MASS = 30.0, 10.0, 10.0
"""Wave speed, length and mass of all bars here."""


def images(F, x, s):
    """Return the motion of a free-free bar pushed at x = 0; F is the way that end would go if L were infinite.

    d'Alembert: F runs up, is reflected at the free ends with its sign kept, and so on. s is the time since the start.
    """
    out = np.zeros_like(s)
    for k in range(12):
        out += F(s - (2 * k * L + x) / C) + F(s - (2 * (k + 1) * L - x) / C)
    return out


class BouncingBar:
    """Doyen, Ern, Piperno (2011): E = 900, rho = A = 1, L = 10, gravity 10, drop 5."""

    touch = ((1.0, 5.0 / 3.0), (11.0 / 3.0, 13.0 / 3.0))
    period = 16.0 / 3.0

    @staticmethod
    def force(t):
        """Return 300 + 300 (t - 1), and the same backwards in time."""
        (a, b), (c, d) = BouncingBar.touch
        first = np.where((t >= a) & (t < b), 300.0 + 300.0 * (t - a), 0.0)
        return first + np.where((t >= c) & (t < d), 300.0 + 300.0 * (d - t), 0.0)

    @staticmethod
    def displacement(x, t):
        """Return u(x, t) from the bar standing unstressed on the floor."""

        def pushed(s):
            """Return the integral of force / (rho A c), in the time s since t = 1."""
            s1, s2 = np.clip(s, 0.0, 2.0 / 3.0), np.clip(s - 8.0 / 3.0, 0.0, 2.0 / 3.0)
            return 10.0 * s1 + 5.0 * s1**2 + (50.0 / 3.0) * s2 - 5.0 * s2**2

        return 5.0 - 5.0 * t**2 + images(pushed, x, t - 1.0)


def two_bars(x, s, speed):
    """Return displacement of (hammer, anvil) at distance x from the touching ends, s after the impact."""

    def pushed(r):
        return 0.5 * speed * np.clip(r, 0.0, 2.0 * L / C)

    push = images(pushed, x, s)
    return speed * s - push, push
