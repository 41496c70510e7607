"""Four-bar linkage and double pendulum with wall for scipy's DOP853, in angles, and on the right-hand side of flexmb.

Data as in the cases ``four_bar_half_explicit`` and ``double_pendulum_events``. Each function returns the
final positions and the number of evaluations.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
from scipy.integrate import DOP853, solve_ivp

import flexmb as fm
from flexmb.smooth.phase import Phase

Ends = tuple[np.ndarray, int]
L1, L2, L3, SPAN, GRAVITY, TORQUE = 0.3, math.sqrt(0.13), 0.4, 0.7, 9.81, 6.0
START = [math.pi / 3, math.atan2(math.sqrt(3.0) / 20.0, 0.35), 2.0 * math.pi / 3, 0.0, 0.0, 0.0]
FOUR_BAR = np.array([0.2701647216739, -1.2613123892181, 3.8602783870458])
"""Angles at t = 2, integrated at 3e-14; Haddouni (2015), section 3.1.1."""
PENDULUM = np.array([0.0219462575638, -0.9997591518856, 0.0238513095094, -1.9997573372725])
"""Positions at t = 2.5, after five impacts; Potra et al. (2006), section 10.1, recomputed."""
WALL = 0.1
"""Restitution of the wall."""


def scalar_rates(t: float, y: np.ndarray) -> list[float]:
    """Return the rates of three angles and their speeds; the loop is eliminated in closed form, without arrays."""
    a, b, c, w, u, v = y.tolist()
    sa, ca, sb, cb, sc, cc = math.sin(a), math.cos(a), math.sin(b), math.cos(b), math.sin(c), math.cos(c)
    free = L2 * L3 * (sb * cc - sc * cb)  # (free, kb, kc) moves the loop without opening it
    x, z = L1 * ca * w * w + L2 * cb * u * u - L3 * cc * v * v, L1 * sa * w * w + L2 * sb * u * u - L3 * sc * v * v
    kb, kc = -L1 * L3 * (sa * cc - ca * sc), L1 * L2 * (sb * ca - cb * sa)
    gb, gc = (-x * L3 * cc - z * L3 * sc) / free, (-L2 * sb * z - L2 * cb * x) / free
    m11, m22, m33 = L1 * L1 * (1.25 + 1.0 / 12.0), L2 * L2 / 3.0, L3 * L3 / 3.0
    m12, s12 = 0.5 * L1 * L2 * (ca * cb + sa * sb), 0.5 * L1 * L2 * (sa * cb - ca * sb)
    f1 = TORQUE - s12 * u * u - 1.5 * GRAVITY * L1 * ca
    f2, f3 = s12 * w * w - 0.5 * GRAVITY * L2 * cb, -0.5 * GRAVITY * L3 * cc
    mass = m11 * free * free + 2.0 * m12 * free * kb + m22 * kb * kb + m33 * kc * kc
    s = (free * (f1 - m12 * gb) + kb * (f2 - m22 * gb) + kc * (f3 - m33 * gc)) / mass
    return [w, u, v, free * s, kb * s + gb, kc * s + gc]


def loop(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return what the loop of the three bars is open by, and its derivatives."""
    s, c = np.sin(q), np.cos(q)
    open_by = np.array([L1 * c[0] + L2 * c[1] - L3 * c[2] - SPAN, L1 * s[0] + L2 * s[1] - L3 * s[2]])
    return open_by, np.array([[-L1 * s[0], -L2 * s[1], L3 * s[2]], [L1 * c[0], L2 * c[1], -L3 * c[2]]])


def array_rates(t: float, y: np.ndarray) -> np.ndarray:
    """Return the same rates by the bordered matrix of index 1, with numpy."""
    q, v = y[:3], y[3:]
    G, (s, c) = loop(q)[1], (np.sin(q), np.cos(q))
    couple, turn = 0.5 * L1 * L2 * math.cos(q[0] - q[1]), 0.5 * L1 * L2 * math.sin(q[0] - q[1])
    A = np.zeros((5, 5))
    A[:3, :3] = [[L1 * L1 * (1.25 + 1.0 / 12.0), couple, 0.0], [couple, L2 * L2 / 3.0, 0.0], [0.0, 0.0, L3 * L3 / 3.0]]
    A[:3, 3:], A[3:, :3] = -G.T, G
    force = -GRAVITY * np.array([1.5 * L1, 0.5 * L2, 0.5 * L3]) * c
    force += np.array([TORQUE - turn * v[1] ** 2, turn * v[0] ** 2, 0.0])
    arms = np.array([L1, L2, -L3]) * v * v
    return np.concatenate([v, np.linalg.solve(A, np.concatenate([force, [arms @ c, arms @ s]]))[:3]])


def projected(y: np.ndarray) -> np.ndarray:
    """Return a state with the loop closed, in positions and speeds."""
    q, v = y[:3].copy(), y[3:]
    for _ in range(3):
        g, G = loop(q)
        if np.abs(g).max() < 1e-15:
            break
        q -= np.linalg.lstsq(G, g, rcond=None)[0]
    G = loop(q)[1]
    return np.concatenate([q, v - np.linalg.lstsq(G, G @ v, rcond=None)[0]])


def four_bar(rates: Callable[[float, np.ndarray], object], tolerance: float, project: bool = False) -> Ends:
    """Integrate the linkage in its angles to t = 2; the loop is closed again after each step if asked for."""
    solver = DOP853(rates, 0.0, START, 2.0, rtol=tolerance, atol=tolerance)
    while solver.status == "running":
        solver.step()
        if project:
            solver.y = projected(solver.y)
            solver.f = solver.fun(solver.t, solver.y)
    return solver.y[:3], solver.nfev


@cache
def linkage() -> Phase:
    """Return the joints and bodies of the case; made once, as only the integration is timed."""
    return Phase(fm.load_case("four_bar_half_explicit").plan.system)


def four_bar_of_flexmb(tolerance: float) -> Ends:
    """Integrate the bodies of the case by DOP853 with the accelerations of flexmb, index 1, without projection."""
    phase = linkage()
    system, q0, nv = phase.system, phase.system.start, phase.nv

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        x, v = y[:nv], y[nv:]
        return np.concatenate([v, phase.index_one(phase.at(t, system.advance(q0, x), v))[0]])

    y0 = np.concatenate([np.zeros(nv), system.v0])
    found = solve_ivp(rates, (0.0, 2.0), y0, method="DOP853", rtol=tolerance, atol=tolerance)
    return np.array(START[:3]) + found.y[:nv, -1].reshape(3, 3)[:, 2], found.nfev


def pendulum_rates(t: float, y: np.ndarray) -> list[float]:
    """Return the rates of the two angles of a double pendulum of unit masses and rods, and of their speeds."""
    a, b, u, v = y.tolist()
    s, c = math.sin(a - b), math.cos(a - b)
    f, g = -s * v * v - 2.0 * GRAVITY * math.sin(a), s * u * u - GRAVITY * math.sin(b)
    det = 2.0 - c * c
    return [u, v, (f - c * g) / det, (2.0 * g - c * f) / det]


def upper_gap(t: float, y: np.ndarray) -> float:
    """Distance of the upper mass from the wall."""
    return math.sin(y[0])


def lower_gap(t: float, y: np.ndarray) -> float:
    """Distance of the lower mass from the wall."""
    return math.sin(y[0]) + math.sin(y[1])


for function in (upper_gap, lower_gap):
    function.terminal, function.direction = True, -1.0  # type: ignore[attr-defined]


def pendulum(tolerance: float) -> Ends:
    """Integrate the double pendulum with its impacts to t = 2.5, each located by ``events`` of scipy."""
    t, y, count = 0.0, np.array([math.pi / 3, math.pi / 5, 0.0, 0.0]), 0
    while t < 2.5:
        asked = {"method": "DOP853", "rtol": tolerance, "atol": tolerance, "events": [upper_gap, lower_gap]}
        found = solve_ivp(pendulum_rates, (t, 2.5), y, **asked)
        t, y, count = float(found.t[-1]), found.y[:, -1].copy(), count + found.nfev
        if found.status == 1:
            y[2:] = after_impact(y, lower=bool(found.t_events[1].size))
    x, z = math.sin(y[0]), -math.cos(y[0])
    return np.array([x, z, x + math.sin(y[1]), z - math.cos(y[1])]), count


def after_impact(y: np.ndarray, lower: bool) -> np.ndarray:
    """Return the speeds of the angles after an impact of one of the masses."""
    n = np.array([math.cos(y[0]), math.cos(y[1]) if lower else 0.0])
    c = math.cos(y[0] - y[1])
    push = np.linalg.solve(np.array([[2.0, c], [c, 1.0]]), n)
    return np.asarray(y[2:] - (1.0 + WALL) * float(n @ y[2:]) / float(n @ push) * push)
