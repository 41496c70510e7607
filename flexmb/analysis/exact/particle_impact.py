"""A point mass that bounces on a plane: under its weight, or on a spring and a damper."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from flexmb.analysis.exact.case_tables import Approach, Tables, approach, parallel, require, require_keys, unit, vector
from flexmb.analysis.exact.solution import Curve, Exact, along
from flexmb.state import Array

MOST_FLIGHTS = 100_000
TOO_OFTEN = f"it has more than {MOST_FLIGHTS} impacts"
LOAD_KEYS = {"spring": ("stiffness", "length"), "damper": ("coefficient",)}
Flight = Callable[[Array, float, float], tuple[Array, Array]]
"""Height and velocity after the time s, from a height and a velocity."""


@dataclass(frozen=True)
class Flights:
    """Motion composed of flights between impacts.

    Parameters
    ----------
    start, height, speed : (k,) arrays
        Time, height and velocity at the start of each flight; the last one has no end.
    flight : callable
    """

    start: Array
    height: Array
    speed: Array
    flight: Flight

    def at(self, t: Array) -> tuple[Array, Array]:
        """Return height, m, and velocity, m/s; at an impact the values after it."""
        k = np.maximum(np.searchsorted(self.start, t, side="right") - 1, 0)
        return self.flight(t - self.start[k], self.height[k], self.speed[k])  # type: ignore[arg-type]


def bouncing_ball(case: Tables) -> Exact:
    """Return the flights of a ball under its weight; with restitution below one the ball finally comes to rest.

    A flight that begins at the plane with the speed v lasts 2 v / g; speeds fall by the factor e. (Ballard; Acary 2009,
    RR-7151, eq. 10, for g = 2, e = 1/2.)
    """
    way = _approach(case)
    g = way.weight
    require(g > 0.0, "the ball does not fall towards the plane")

    def flight(s: Array, q: float, v: float) -> tuple[Array, Array]:
        return q + v * s - 0.5 * g * s**2, v - g * s

    hits = (way.velocity + np.sqrt(way.velocity**2 + 2.0 * g * way.gap)) / g
    first = abs(float(flight(np.asarray(hits), way.gap, way.velocity)[1]))
    start, speed = [0.0, hits], [way.velocity, way.restitution * first]
    while start[-1] < way.end and speed[-1] > 1e-15 * first:
        require(len(start) < MOST_FLIGHTS, TOO_OFTEN)
        start.append(start[-1] + 2.0 * speed[-1] / g)
        speed.append(way.restitution * speed[-1])
    times, speeds = np.array(start), np.array(speed)
    moving = Flights(times, np.concatenate([[way.gap], np.zeros(len(times) - 1)]), speeds, flight)
    ended = times[-1] if speeds[-1] <= 1e-15 * first else np.inf

    def motion(t: Array) -> tuple[Array, Array]:
        q, v = moving.at(np.minimum(t, times[-1]))
        return np.where(t >= ended, 0.0, q), np.where(t >= ended, 0.0, v)

    def given(t: Array) -> Array:  # from the balance of momentum
        return np.asarray(float(way.body["mass"]) * (motion(t)[1] - way.velocity + g * t))

    return _exact("bouncing-ball", "Ballard; Acary (2009), RR-7151, eq. (10)", way, motion, times, given)


def impacting_oscillator(case: Tables) -> Exact:
    """Return the motion of a mass on a spring and a damper against a stop at its equilibrium.

    With a = c / 2m, w^2 = k / m - a^2 the time between impacts is pi / w, and rebounds are (v / w) exp(-a s) sin w s,
    each starting with e exp(-a pi / w) times the previous speed (Acary 2009, RR-7151, eq. 11).
    """
    way = _approach(case, loads=True)
    m, k, c = float(way.body["mass"]), *_links(case, way)
    require(way.weight == 0.0, "there is gravity")
    a = c / (2.0 * m)
    require(k / m > a * a, "the oscillator is overdamped")
    require(way.gap > 0.0, "it does not start away from the stop")
    w = float(np.sqrt(k / m - a * a))

    def flight(s: Array, q: float, v: float) -> tuple[Array, Array]:
        B = (v + a * q) / w
        fade, cos, sin = np.exp(-a * s), np.cos(w * s), np.sin(w * s)
        return fade * (q * cos + B * sin), fade * ((B * w - a * q) * cos - (q * w + a * B) * sin)

    hits = (np.arctan2((way.velocity + a * way.gap) / w, way.gap) + 0.5 * np.pi) / w
    count = max(1, int((way.end - hits) * w / np.pi) + 2)
    require(count < MOST_FLIGHTS, TOO_OFTEN)
    first = abs(float(flight(np.asarray(hits), way.gap, way.velocity)[1]))
    speeds = first * (way.restitution * np.exp(-a * np.pi / w)) ** np.arange(count)  # before each impact
    times = np.concatenate([[0.0], hits + np.arange(count) * np.pi / w])
    after = np.concatenate([[way.velocity], way.restitution * speeds])
    moving = Flights(times, np.concatenate([[way.gap], np.zeros(count)]), after, flight)
    sums = m * (1.0 + way.restitution) * np.concatenate([[0.0], np.cumsum(speeds)])

    def given(t: Array) -> Array:
        return np.asarray(sums[np.searchsorted(times[1:], t, side="right")])

    return _exact("impacting-oscillator", "Acary (2009), RR-7151, eq. (11); by hand", way, moving.at, times, given)


def _links(case: Tables, way: Approach) -> tuple[float, float]:
    """Return stiffness and damping of the springs and dampers on the body; they must act along the normal."""
    k = c = 0.0
    for name, load in case.get("loads", {}).items():
        held = str(load.get("node", "")).partition(".")[0] == way.name and "anchor" in load
        require(held and load.get("kind") in LOAD_KEYS, f"load '{name}' is not a spring or damper on the body")
        require_keys(load, ("node", "anchor", *LOAD_KEYS[load["kind"]]), f"load '{name}'")
        arm = way.start - vector(load["anchor"])
        require(parallel(arm, way.normal), f"load '{name}' does not act along the normal of the plane")
        if load["kind"] == "damper":
            c += float(load["coefficient"])
            continue
        k += float(load["stiffness"])
        length = float(np.linalg.norm(arm) if load.get("length") is None else load["length"])
        relaxed = vector(load["anchor"]) + length * unit(arm)
        above = float(way.normal @ (relaxed - way.start)) + way.gap
        require(abs(above) <= 1e-12 * float(np.linalg.norm(arm)), f"spring '{name}' is not unstretched at the stop")
    require(k > 0.0, "there is no spring")
    return k, c


def _approach(case: Tables, loads: bool = False) -> Approach:
    """Return the initial approach of the particle to its plane; it must be free to move along the normal."""
    way = approach(case, "particle", loads)
    axes = str(way.body.get("axes", "xyz"))
    free = all(axis in axes for axis, n in zip("xyz", way.normal, strict=True) if n)
    require(free, f"body '{way.name}' cannot move along the normal of the plane")
    return way


def _exact(
    name: str,
    source: str,
    way: Approach,
    motion: Callable[[Array], tuple[Array, Array]],
    times: Array,
    given: Curve,
) -> Exact:
    contact = f"contacts.{way.contact}"
    curves = along(way.name, way.start, way.normal, lambda t: motion(t)[0] - way.gap, lambda t: motion(t)[1])
    curves |= {f"{contact}.gap": lambda t: motion(t)[0], f"{contact}.velocity": lambda t: motion(t)[1]}
    breaks = times[(times > 0.0) & (times < way.end)]
    return Exact(name, source, curves, breaks, way.end, {way.contact: given})
