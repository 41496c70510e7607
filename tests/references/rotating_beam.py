"""Slender beam clamped to a turning hub: small bending, stiffened by the centrifugal tension (Rayleigh-Ritz).

    out of the plane   m w.. + EI w'''' - (N w')' = p
    in it              m w.. + EI w'''' - (N w')' - m W^2 w = p           seen from the hub
    N(x) = m W^2 (r (L - x) + (L^2 - x^2) / 2)

x from the clamp, which is at the distance r (along the beam) from the axis of the hub. Shapes x^2 P_k with Legendre's
polynomials: 14 of them give the lowest frequencies to ten digits. Shear and rotary inertia are left out.
"""  # noqa: D205

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.polynomial import legendre
from scipy.linalg import eigh


@dataclass(frozen=True)
class RotatingBeam:
    """Length and hub radius (m), bending stiffness (N m^2), mass per length (kg/m), speed (rad/s)."""

    length: float
    radius: float
    EI: float
    mass: float
    speed: float
    in_plane: bool = False
    stiffened: bool = True
    shapes: int = 14

    def __post_init__(self):
        z, weight = legendre.leggauss(2 * self.shapes + 8)
        L, s, weight = self.length, 0.5 * (z + 1.0), 0.5 * self.length * weight  # s = x / L
        each = np.eye(self.shapes)
        P, dP, ddP = (np.array([2.0**k * legendre.legval(z, legendre.legder(e, k)) for e in each]) for k in (0, 1, 2))
        phi, slope = s**2 * P, (2.0 * s * P + s**2 * dP) / L
        bend = (2.0 * P + 4.0 * s * dP + s**2 * ddP) / L**2
        N = self.mass * self.speed**2 * L * (1.0 - s) * (self.radius + 0.5 * L * (1.0 + s))
        M, K = self.mass * (phi * weight) @ phi.T, self.EI * (bend * weight) @ bend.T
        if self.stiffened:
            K = K + (slope * weight * N) @ slope.T
        if self.in_plane:
            K = K - self.speed**2 * M
        self.__dict__.update(M=M, K=K, x=L * s, phi=phi, weight=weight, tip=np.ones(self.shapes))
        self.__dict__["slopes"] = (slope * weight) @ slope.T

    def frequencies(self, count=3):
        """Return the lowest frequencies, rad/s; nan where nothing holds the shape."""
        with np.errstate(invalid="ignore"):
            return np.sqrt(eigh(self.K, self.M, eigvals_only=True)[:count])

    def steady(self, load):
        """Return the deflection of the tip under a uniform load in N/m, m."""
        return float(self.tip @ np.linalg.solve(self.K, load * self.phi @ self.weight))

    def step_response(self, load, times, start=None):
        """Return the deflection of the tip (n,) when the straight beam meets a uniform load (N/m) at t = 0, and by how
        much bending draws the tip inwards (n,), half the integral of w'^2.

        ``start`` is the velocity the beam has then, a function of x.
        """  # noqa: D205
        squares, modes = eigh(self.K, self.M)
        rate = np.sqrt(squares)
        y = (1.0 - np.cos(np.outer(times, rate))) * (modes.T @ (load * self.phi @ self.weight) / squares)
        if start is not None:
            momentum = self.phi @ (self.weight * self.mass * start(self.x))
            y += np.sin(np.outer(times, rate)) * (modes.T @ momentum / rate)
        y = y @ modes.T
        return y @ self.tip, 0.5 * np.einsum("ti,ij,tj->t", y, self.slopes, y)


@dataclass(frozen=True)
class Stretching:
    """The straight beam pulled by its own centrifugal force: X'' = -k^2 X, X(0) = r, X'(L) = 1, k^2 = m W^2 / EA."""

    length: float
    radius: float
    EA: float
    mass: float
    speed: float

    def extension(self, x):
        """Return by how much the section x has moved outwards, m."""
        k, r = np.sqrt(self.mass * self.speed**2 / self.EA), self.radius
        c, s = np.cos(k * self.length), np.sin(k * self.length)
        return r * np.cos(k * x) + (1.0 / k + r * s) / c * np.sin(k * x) - r - x

    def thrown_back(self, x):
        """Return the velocity across, in the turning frame, that stretching leaves behind: m (w. + 2 W u) is kept."""
        return -2.0 * self.speed * self.extension(x)


class Eccentric:
    """The case ``rotating_beam_eccentric``: beam of the spin-up, beside the radius of a hub, under gravity."""

    EA, GA, ROTARY, GRAVITY, ECCENTRICITY = 2.8e7, 1e7, 6e-4, 9.81, 0.02
    numbers = {"length": 10.0, "radius": 2.0, "mass": 1.2, "speed": 4.0 * np.pi}
    flap, lag = RotatingBeam(EI=1.4e4, **numbers), RotatingBeam(EI=1.4e4, in_plane=True, **numbers)
    stretching = Stretching(EA=EA, **numbers)

    @classmethod
    def tip(cls, times):
        """Return the tip in the axes of the hub (n, 3): along the beam, across in the plane, along the hub's axis.

        The waves of the sudden stretching are left out; what they leave behind across is in it.
        """
        m, W = cls.numbers["mass"], cls.numbers["speed"]
        z, down = cls.flap.step_response(-m * cls.GRAVITY, times)
        y, back = cls.lag.step_response(m * W**2 * cls.ECCENTRICITY, times, cls.stretching.thrown_back)
        L = cls.numbers["length"]
        x = cls.numbers["radius"] + L + cls.stretching.extension(L) - down - back
        return np.column_stack([x, y + cls.ECCENTRICITY, z])


def in_hub_axes(position, angle):
    """Return places in space (n, 3) in axes that have turned by ``angle`` (n,) about z."""
    c, s = np.cos(angle), np.sin(angle)
    x, y = position[:, 0], position[:, 1]
    return np.column_stack([c * x + s * y, c * y - s * x, position[:, 2]])
