"""When gaps close inside a step: first roots of their cubics between the ends (Potra et al. 2006, section 10)."""

from __future__ import annotations

import numpy as np
import scipy  # loads its subpackages when they are used

from flexmb.state import Array

LOOKS = 16
"""Number of points in a step at which a gap is evaluated; shorter flights are not detected."""


def first_contact(g: tuple[Array, Array], U: tuple[Array, Array], s: float, noise: Array) -> tuple[float, int]:
    """Return the earliest time in (0, s] at which a gap closes, by its cubic Hermite polynomial, and which (-1: none).

    Parameters
    ----------
    g, U : pairs of (n,) arrays
        Gaps and their rates at both ends.
    s : float
        Length of the step, s.
    noise : (n,) array
        Gaps up to here are closed. Those that start so are about to open: the root at 0 is divided out.
    """
    c_0, c_1 = g[0], s * U[0]
    c_2 = 3.0 * (g[1] - g[0]) - s * (2.0 * U[0] + U[1])
    c_3 = 2.0 * (g[0] - g[1]) + s * (U[0] + U[1])
    opened = c_0 <= noise
    cubics = np.where(opened, [c_1, c_2, c_3, np.zeros(c_0.size)], [c_0, c_1, c_2, c_3])
    x = np.linspace(0.0, 1.0, LOOKS + 1)[1:]
    below = x[:, None] ** np.arange(4) @ cubics < -np.where(opened, 0.0, noise)
    first, which = np.inf, -1
    for i in np.flatnonzero(below.any(axis=0)):
        k = int(np.argmax(below[:, i]))
        low, high = (x[k - 1] if k else 0.0), x[k]
        a, b, c, d = cubics[:, i]

        def gap(y: float, a: float = a, b: float = b, c: float = c, d: float = d) -> float:
            return float(a + y * (b + y * (c + y * d)))

        root = low if gap(low) <= 0.0 else scipy.optimize.brentq(gap, low, high, xtol=1e-15)
        if s * root < first:
            first, which = s * float(root), int(i)
    return first, which
