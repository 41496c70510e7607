r"""Exact solution of an elastic bar against a plane, with or without weight, for any number of contacts.

In the frame that falls with the free bar, its displacement is w = F(t - x/c) + B(t + x/c), x from the contacting end.
The other end is free, so B'(t) = F'(t - T) with T = 2 L / c, and one function p = F' remains. At the contacting end

    in flight   no force:              p(t) = p(t - T)
    in contact  it moves as the plane: p(t) = V(t) - p(t - T),    V(t) = weight t - velocity

with the force rho A c (p(t) - p(t - T)), and p = 0 before the start. So p is piecewise linear and the gap piecewise
quadratic: impacts and separations are roots of quadratics. A contact ends when the end, if free, would separate; the
end of a bar has no mass, so that restitution has no effect.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.analysis.exact.case_tables import Tables, approach, require, unit
from flexmb.analysis.exact.solution import Curve, Exact, along
from flexmb.state import Array

MOST_PIECES = 100_000


@dataclass(frozen=True)
class Waves:
    """The function p, piecewise linear.

    Parameters
    ----------
    start, value, slope : (k,) arrays
        Data of the pieces; the first starts at 0, the last has no end.
    period : float
        T, s.
    """

    start: Array
    value: Array
    slope: Array
    period: float

    def at(self, t: Array) -> Array:
        """Return p(t); the value after a jump, zero before the start."""
        k, s = self._piece(t)
        return np.asarray(np.where(t >= 0.0, self.value[k] + self.slope[k] * s, 0.0))

    def integral(self, t: Array) -> Array:
        """Return the integral of p from 0 to t; zero before the start."""
        length = np.diff(self.start)
        whole = np.concatenate([[0.0], np.cumsum(length * (self.value[:-1] + 0.5 * self.slope[:-1] * length))])
        k, s = self._piece(t)
        return np.asarray(np.where(t >= 0.0, whole[k] + s * (self.value[k] + 0.5 * self.slope[k] * s), 0.0))

    def _piece(self, t: Array) -> tuple[Array, Array]:
        k = np.maximum(np.searchsorted(self.start, t, side="right") - 1, 0)
        return k, t - self.start[k]


def waves(gap: float, velocity: float, weight: float, period: float, end: float) -> Waves:
    """Return p up to a time.

    Parameters
    ----------
    gap, velocity, weight : float
        Initial distance (m), velocity along the normal (m/s), acceleration towards the plane (m/s^2).
    period : float
        T, s.
    end : float
        s.
    """
    start: list[float] = []
    value: list[float] = []
    slope: list[float] = []
    t, y, touching, behind = 0.0, gap, False, -1  # behind: the piece valid at t - T
    small = 1e-12 * (abs(velocity) + abs(weight) * end)
    while t < end:
        require(len(start) < MOST_PIECES, "there are too many wave reflections to compute them all")
        while behind + 1 < len(start) and start[behind + 1] + period <= t:
            behind += 1
        old, q = 0.0, 0.0
        if behind >= 0:
            old, q = value[behind] + slope[behind] * (t - period - start[behind]), slope[behind]
        news = (start[behind + 1] if behind + 1 < len(start) else t) + period  # when the next piece returns
        stretch = news - t
        u, du = velocity - weight * t + 2.0 * old, 2.0 * q - weight  # of the end, if free
        if touching or y <= 0.0:
            touching, y = u < -small or (u <= small and du < 0.0), 0.0
        if touching:
            p, dp = weight * t - velocity - old, weight - q
            change = -u / du if du > 0.0 else np.inf
        else:
            p, dp = old, q
            change = _falls_to_zero(y, u, du)
            y = y + stretch * (u + 0.5 * du * stretch) if change > stretch else 0.0
        start.append(t)
        value.append(p)
        slope.append(dp)
        t = t + change if change < stretch else news  # t + stretch may remain below it due to round-off
    return Waves(np.array(start), np.array(value), np.array(slope), period)


def _falls_to_zero(y: float, u: float, du: float) -> float:
    """Return the first positive zero of y + u s + du s^2 / 2 from above; infinity if there is none."""
    if y <= 0.0:
        return -2.0 * u / du if u > 0.0 and du < 0.0 else np.inf
    root = u * u - 2.0 * du * y
    if root < 0.0 or (u >= 0.0 and du >= 0.0):
        return np.inf
    # the form of the root without cancellation
    return float((u + np.sqrt(root)) / -du if u > 0.0 else 2.0 * y / (-u + np.sqrt(root)))


def impacting_bar(case: Tables) -> Exact:
    """Return the solution of a free, undamped, uniform bar that hits a plane axially.

    Curves: positions and velocities of its ends and its middle, gap, velocity and force of the contact, total energy.
    """
    from flexmb.fem.section import Section

    way = approach(case, "bar")
    body, direction = way.body, unit(way.body.get("direction", (1, 0, 0)))
    sense = float(direction @ way.normal)
    require(abs(abs(sense) - 1.0) < 1e-12, "the bar is not parallel to the normal of the plane")
    touching, free = ("first", "last") if sense > 0.0 else ("last", "first")
    node = str(case["contacts"][way.contact]["node"])
    require(node == f"{way.name}.{touching}", f"the contact is not at {way.name}.{touching}")
    material = body.get("material") or body
    area = Section(**body["section"]).values().A if "section" in body else float(body["area"])
    density, L = float(material["density"]), float(body["length"])
    c = float(np.sqrt(float(material["young"]) / density))
    p = waves(way.gap, way.velocity, way.weight, 2.0 * L / c, way.end)

    def position(x: float) -> Curve:
        return lambda t: (
            way.velocity * t - 0.5 * way.weight * t**2 + p.integral(t - x / c) + p.integral(t + x / c - p.period)
        )

    def velocity(x: float) -> Curve:
        return lambda t: way.velocity - way.weight * t + p.at(t - x / c) + p.at(t + x / c - p.period)

    curves: dict[str, Curve] = {}
    for end, x in ((touching, 0.0), ("mid", 0.5 * L), (free, L)):
        curves |= along(f"{way.name}.{end}", way.start + x * way.normal, way.normal, position(x), velocity(x))
    contact = f"contacts.{way.contact}"
    mass = density * area * L
    height = float(way.normal @ (way.start + 0.5 * L * way.normal))
    energy = 0.5 * mass * way.velocity**2 + mass * way.weight * height
    curves[f"{contact}.gap"] = lambda t: way.gap + position(0.0)(t)
    curves[f"{contact}.velocity"] = velocity(0.0)
    curves[f"{contact}.force"] = lambda t: density * area * c * (p.at(t) - p.at(t - p.period))
    curves["energy.total"] = lambda t: np.full_like(t, energy)
    jumps = np.unique(np.concatenate([p.start + k * L / c for k in range(3)]))
    given: dict[str, Curve] = {
        way.contact: lambda t: density * area * c * (p.integral(t) - p.integral(t - p.period)),
    }
    breaks = jumps[(jumps > 0.0) & (jumps < way.end)]
    return Exact("impacting-bar", "wave theory (d'Alembert)", curves, breaks, way.end, given)
