"""Comparison of solvers of contact problems: residual against time, and the fraction of problems solved."""

from __future__ import annotations

from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from flexmb.postproc.style import BROWN, CYCLE, FAINT, INK, OLIVE, STYLE

MOST = 5
"""Maximum number of problems with their own panel: the largest ones."""
MARKS = "osD^vP*X<>"
FLOOR = 1e-17
"""Smallest residual drawn."""

Courses = dict[str, dict[str, list[Any]]]
"""Results of each solver on each problem (``flexmb.nonsmooth.compare.Reached``)."""


def plot_solvers(courses: Courses, sizes: dict[str, int], tolerance: float) -> Figure:
    """Return the figure: the largest problems, and for several the fraction solved within a multiple of the best time.

    Parameters
    ----------
    courses : dict
    sizes : dict
        Contacts of each problem.
    tolerance : float
        Residual at which a problem counts as solved.
    """
    solvers = list(dict.fromkeys(name for found in courses.values() for name in found))
    colours = [*CYCLE, BROWN, OLIVE, INK, FAINT]
    looks = {name: (colours[k % len(colours)], MARKS[k % len(MARKS)]) for k, name in enumerate(solvers)}
    shown = sorted(courses, key=lambda name: (-sizes[name], name))[:MOST]
    with matplotlib.rc_context(STYLE):
        count = len(shown) + (len(courses) > 1)
        columns, rows = min(count, 3), -(-count // 3)
        figure = Figure(figsize=(max(6.5, 3.67 * columns), 1.0 + 2.7 * rows + 0.8 * (rows == 1)), layout="constrained")
        axes = figure.subplots(rows, columns, squeeze=False).ravel()
        for ax, problem in zip(axes, shown, strict=False):
            _course(ax, problem, sizes[problem], courses[problem], looks, tolerance)
        for ax in axes[count:]:
            ax.remove()
        if len(courses) > 1:
            _profile(axes[len(shown)], courses, looks, tolerance)
        handles = [
            matplotlib.lines.Line2D([], [], color=c, marker=m, ms=4, label=name) for name, (c, m) in looks.items()
        ]
        figure.legend(handles=handles, loc="outside lower center", ncols=min(len(handles), 5))
    return figure


def _course(
    ax: Any, problem: str, contacts: int, found: dict[str, list[Any]], looks: dict[str, Any], tolerance: float
) -> None:
    """Draw residuals over times; a hollow mark shows where a solver ended above the requested tolerance."""
    for name, course in found.items():
        colour, mark = looks[name]
        x = [max(r.seconds, 1e-6) for r in course]
        y = [max(min(r.residual, 1.0), FLOOR) for r in course]
        ax.plot(x, y, color=colour, lw=1.0)
        for r, a, b in zip(course, x, y, strict=True):
            ax.plot(a, b, mark, ms=4, color=colour, mfc=colour if r.solved else "none")
    ax.set(xscale="log", yscale="log", xlabel="time, s", ylabel="residual")
    low, high = ax.get_xlim()
    if high > 10.0 * low:  # labels between decades would overlap
        ax.xaxis.set_minor_formatter(NullFormatter())
    ax.axhline(tolerance, color=FAINT, lw=0.7, ls=":")
    ax.set_title(f"{problem}: {contacts} contact{'s' if contacts > 1 else ''}")


def _profile(ax: Any, courses: Courses, looks: dict[str, Any], tolerance: float) -> None:
    """Draw the fraction of problems that each solver solves within a multiple of the best time."""
    ratios: dict[str, list[float]] = {name: [] for name in looks}
    for found in courses.values():
        times = {name: c[-1].seconds for name, c in found.items() if c and c[-1].residual <= tolerance}
        best = min(times.values(), default=np.nan)
        for name, seconds in times.items():
            ratios[name].append(max(seconds / best, 1.0))
    top = max((max(r) for r in ratios.values() if r), default=10.0)
    for name, (colour, _) in looks.items():
        x = np.sort(ratios[name])
        share = np.arange(1, x.size + 1) / max(len(courses), 1)
        ax.step([1.0, *x, 2.0 * top], [0.0, *share, share[-1] if x.size else 0.0], where="post", color=colour, lw=1.2)
    ax.set(xscale="log", xlim=(1.0, 2.0 * top), ylim=(0.0, 1.02), xlabel="time over that of the best solver")
    ax.set_ylabel(f"fraction of {len(courses)} solved to {tolerance:g}")
    ax.set_title("all problems")
