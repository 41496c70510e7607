"""Campbell map: modes over speeds, each followed along its line; critical speeds and onsets of instability."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from flexmb.analysis.rotors.crossings import CriticalSpeed, Onset, line_crossings, line_onsets
from flexmb.analysis.rotors.eigenpairs import ComplexArray, Matrices
from flexmb.analysis.rotors.growth import fastest
from flexmb.analysis.rotors.rates import Rates
from flexmb.analysis.rotors.tracking import Followed, Tracker
from flexmb.analysis.rotors.undamped import undamped_critical
from flexmb.analysis.rotors.whirl import Motions
from flexmb.analysis.rotors.whirl_modes import checked_count
from flexmb.errors import InputError
from flexmb.linalg.one_thread import one_thread
from flexmb.state import Array
from flexmb.system.model import Model
from flexmb.system.rotating import HasModel, RotatingSystem, rotating_system

Progress = Callable[[int, int], None]
FAR = 5.0
"""Ratio to the second critical speed, and the model's highest, above which others are not in the default range."""


@dataclass(frozen=True)
class Campbell(Rates):
    """Campbell diagram: modes over speeds; line j is one mode, tracked through crossings.

    Parameters
    ----------
    speeds : (n,) array
        rad/s.
    eigenvalues : (n, k) complex array
        1/s; nan where a mode does not oscillate or is no longer among the computed ones.
    whirl : tuple of n tuples of k str
        As in ``RotorModes``; empty where there is no eigenvalue.
    critical : tuple of CriticalSpeed
        Intersections of the lines with ``order`` times the speed, for all orders, in the range.
    onsets : tuple of Onset
        Speeds at which a mode becomes unstable or stable.
    orders : tuple of float
    growth : (n,) array
        Largest growth rate of all modes, also of those without a line (above them, or not oscillating), 1/s; 0 if all
        are stable.
    """

    speeds: Array
    eigenvalues: ComplexArray
    whirl: tuple[tuple[str, ...], ...]
    critical: tuple[CriticalSpeed, ...]
    onsets: tuple[Onset, ...]
    orders: tuple[float, ...]
    growth: Array


def campbell(
    model: Model | HasModel | RotatingSystem,
    speeds: Sequence[float] | Array | None = None,
    *,
    count: int | None = None,
    orders: Sequence[float] = (1.0,),
    progress: Progress | None = None,
) -> Campbell:
    """Return the Campbell diagram of a model with rotors.

    Parameters
    ----------
    model : Model, Case or RotatingSystem
    speeds : (n,) array_like, optional
        Increasing, rad/s; by default 61 from 0 to ``default_top``.
    count : int, optional
        Number of modes: those with the lowest |lam| where the lines begin; by default 8, or all when there are fewer.
    orders : sequence of float
        Excitation orders: at critical speeds a frequency is one of these multiples of the speed.
    progress : callable, optional
        Called with (speeds done, total speeds).
    """
    system = rotating_system(model)
    orders = tuple(float(k) for k in orders)
    if any(not 0.0 < k < np.inf for k in orders):
        raise InputError("must be positive numbers", key="orders", value=orders)
    count = checked_count(count, 8, system)
    with one_thread(system.nv):
        grid = np.linspace(0.0, default_top(system), 61) if speeds is None else checked_speeds(speeds)
        return _map(system, grid, count, orders, progress)


def _map(
    system: RotatingSystem, grid: Array, count: int, orders: tuple[float, ...], progress: Progress | None
) -> Campbell:
    """Return the map over the speeds of ``grid``."""
    tracker = Tracker(system, count, count + 6)
    lines = _lines(tracker, grid, progress)
    motions = Motions(system)
    # the partner of a mode at rest may be one without a line
    resting = tracker.modes(0.0)[0] if (grid == 0.0).any() else None
    words = tuple(motions.words(at.lam, at.X, at.speed, resting if at.speed == 0.0 else None) for at in lines)
    critical = [c for k in orders for c in line_crossings(system, lines, k)]
    eigenvalues = np.array([at.lam for at in lines])
    grown = [fastest(Matrices(*system.at(speed)), speed) for speed in grid.tolist()]
    growth = np.array([0.0 if mode is None else mode.eigenvalue.real for mode in grown])
    return Campbell(grid, eigenvalues, words, tuple(critical), tuple(line_onsets(system, lines)), orders, growth)


def default_top(system: RotatingSystem) -> float:
    """Return the end of the default range.

    1.5 times the model's highest speed, but at least 1.2 times its lowest two critical speeds without damping: those of
    the first bending mode, whirling backward and forward; the next two, too, unless they are far above.
    """
    top = 1.5 * max(abs(v) for v in system.span)
    speeds = [c.speed for c in undamped_critical(system, 4)]
    if not speeds and not top > 0.0:
        raise InputError("the model has no speed; give the speeds", key="speeds")
    far = FAR * max([top / 1.5, *speeds[:2]])
    return max([top, *(1.2 * speed for k, speed in enumerate(speeds) if k < 2 or speed <= far)])


def checked_speeds(speeds: Sequence[float] | Array) -> Array:
    """Return speeds as an array."""
    grid = np.asarray(speeds, dtype=np.float64)
    if grid.ndim != 1 or grid.size < 2 or not np.isfinite(grid).all() or (np.diff(grid) <= 0.0).any():
        raise InputError("must be two or more increasing numbers, rad/s", key="speeds", value=speeds)
    return grid


def _lines(tracker: Tracker, grid: Array, progress: Progress | None) -> list[Followed]:
    """Return the modes at all speeds, in the order of their lines.

    At rest the two modes of a round shaft are equal, so lines begin at the second speed and are followed in both
    directions.
    """
    begin = int(grid[0] == 0.0)
    at = {begin: tracker.start(float(grid[begin]))}
    for k in [*range(begin - 1, -1, -1), *range(begin + 1, grid.size)]:
        at[k] = tracker.follow(at[k + 1 if k < begin else k - 1], float(grid[k]))
        if progress is not None:
            progress(len(at), grid.size)
    return [at[k] for k in range(grid.size)]
