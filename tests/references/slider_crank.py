"""Rigid slider-crank without clearance, in the crank's angle.

``FLORES`` holds the data of Flores, Leine, Glocker (2010), Multibody Syst. Dyn. 23, 165-190, ``HADDOUNI`` those of
Haddouni (2015), table 3.4, with l2 = 2 m, the only length for which its v0 = (4, -2) is consistent.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.integrate import quad

from references.ode import solve


@dataclass(frozen=True)
class Mechanism:
    """Lengths (m), masses (kg), moments of inertia about the centres (kg m^2); gravity along -y."""

    l1: float
    l2: float
    m1: float
    m2: float
    m3: float
    J1: float
    J2: float
    speed: float
    gravity: float = 9.81


FLORES = Mechanism(0.153, 0.306, 0.038, 0.038, 0.076, 7.4e-5, 5.9e-4, 150.0)
HADDOUNI = Mechanism(1.0, 2.0, 1.0, 1.0, 1.0, 1.0 / 12.0, 4.0 / 12.0, 4.0)


def _rod(p, a):
    """Return the rod's angle and its first two derivatives by the crank's angle a: l1 sin a + l2 sin b = 0."""
    b = -np.arcsin(p.l1 / p.l2 * np.sin(a))
    b1 = -p.l1 * np.cos(a) / (p.l2 * np.cos(b))
    b2 = (p.l1 * np.sin(a) / p.l2 + np.sin(b) * b1**2) / np.cos(b)
    return b, b1, b2


def reduced(p, a):
    """Return m(a), m'(a) of T = m a'^2 / 2, and V(a), V'(a)."""
    b, b1, b2 = _rod(p, a)
    sa, ca, sb, cb = np.sin(a), np.cos(a), np.sin(b), np.cos(b)
    rod = np.array([-p.l1 * sa - 0.5 * p.l2 * sb * b1, p.l1 * ca + 0.5 * p.l2 * cb * b1])
    rod1 = np.array(
        [
            -p.l1 * ca - 0.5 * p.l2 * (cb * b1**2 + sb * b2),
            -p.l1 * sa + 0.5 * p.l2 * (cb * b2 - sb * b1**2),
        ]
    )
    slide, slide1 = -p.l1 * sa - p.l2 * sb * b1, -p.l1 * ca - p.l2 * (cb * b1**2 + sb * b2)
    m = p.J1 + 0.25 * p.m1 * p.l1**2 + p.J2 * b1**2 + p.m2 * (rod @ rod) + p.m3 * slide**2
    m1 = 2.0 * (p.J2 * b1 * b2 + p.m2 * (rod @ rod1) + p.m3 * slide * slide1)
    weight = p.gravity * (0.5 * p.m1 * p.l1 + p.m2 * p.l1)
    V = weight * sa + 0.5 * p.m2 * p.gravity * p.l2 * sb
    V1 = weight * ca + 0.5 * p.m2 * p.gravity * p.l2 * cb * b1
    return m, m1, V, V1


def trajectory(p, times):
    """Return the crank's angle, its rate, the rod's angle, the slider's place and velocity, each (n,)."""

    def rhs(t, y):
        m, m1, _, V1 = reduced(p, y[0])
        return [y[1], -(0.5 * m1 * y[1] ** 2 + V1) / m]

    a, v = solve(rhs, [0.0, p.speed], times, rtol=3e-14, atol=1e-13).T
    b, b1, _ = _rod(p, a)
    x = p.l1 * np.cos(a) + p.l2 * np.cos(b)
    return a, v, b, x, (-p.l1 * np.sin(a) - p.l2 * np.sin(b) * b1) * v


def time_at(p, angle):
    """Return when the crank passes ``angle``, by quadrature of the energy integral: a second method."""
    m0, _, V0, _ = reduced(p, 0.0)
    energy = 0.5 * m0 * p.speed**2 + V0

    def slowness(a):
        m, _, V, _ = reduced(p, a)
        return np.sqrt(m / (2.0 * (energy - V)))

    parts = np.linspace(0.0, angle, 1 + int(np.ceil(angle)))
    return sum(quad(slowness, a, b, epsabs=1e-15, epsrel=1e-13)[0] for a, b in zip(parts, parts[1:], strict=False))
