"""Comparison of solvers of contact problems: the residual of each against time."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from flexmb.errors import InputError
from flexmb.nonsmooth.formats import SUFFIXES
from flexmb.nonsmooth.methods.registry import NAMES
from flexmb.nonsmooth.problem import ContactProblem
from flexmb.nonsmooth.solvers import ContactNotConverged, ContactSolver

SOLVERS = tuple(name for name in NAMES if name not in ("exact", "pgs", "clarabel"))
"""Solvers that are compared by default."""
LIMITS = {"nsgs": 20_000, "psor": 20_000, "apgd": 20_000, "barzilai-borwein": 20_000, "admm": 5_000}
"""Iteration limits of solvers in a comparison; others use their own limit."""
LARGEST = {"lemke": 400, "newton": 6000, "admm": 6000, "clarabel": 3000}
"""Maximum number of rows for a solver: dense pivoting with thousands of rows takes minutes."""
TARGETS = (1e-2, 1e-4, 1e-6, 1e-8, 1e-10)
"""Target residuals, in this order."""
RUNS = 20
"""Maximum number of repetitions of which the shortest time is used."""


@dataclass(frozen=True)
class Reached:
    """The result of a solver.

    Parameters
    ----------
    target, residual : float
        Requested and attained.
    seconds : float
        Shortest processor time from a zero start.
    iterations : int
    """

    target: float
    residual: float
    seconds: float
    iterations: int

    @property
    def solved(self) -> bool:
        """Whether the requested residual is attained."""
        return self.residual <= self.target


def reach(name: str, problem: ContactProblem, target: float, seconds: float) -> Reached:
    """Return the result of a solver; runs are repeated until they have taken a fifth of ``seconds``.

    Raises
    ------
    InputError
        If the solver cannot treat the problem.
    """
    solver = ContactSolver(name, target, LIMITS.get(name, 0))
    best, total = np.inf, 0.0
    for _ in range(RUNS):
        began = time.process_time()
        try:
            solution = solver.solve(problem)
        except ContactNotConverged as err:
            solution = err.solution
        passed = time.process_time() - began
        best, total = min(best, passed), total + passed
        if total > 0.2 * seconds:
            break
    return Reached(target, solution.residual, float(best), solution.iterations)


def course(name: str, problem: ContactProblem, seconds: float) -> list[Reached]:
    """Return the results of a solver for successive targets, until it fails or takes more than ``seconds``.

    The result is empty if it cannot treat the problem.
    """
    found: list[Reached] = []
    if problem.n > LARGEST.get(name, problem.n):
        return found
    for target in TARGETS:
        try:
            found.append(reach(name, problem, target, 0.1 * seconds))
        except InputError:
            return found
        if not found[-1].solved or found[-1].seconds > seconds:
            break
    return found


def files_of(places: Iterable[str | Path]) -> Iterator[Path]:
    """Return files, and those of folders in alphabetical order.

    Raises
    ------
    InputError
        If a folder has none.
    """
    for place in map(Path, places):
        if not place.is_dir():
            yield place
            continue
        inside = sorted(path for path in place.iterdir() if path.suffix in SUFFIXES)
        if not inside:
            raise InputError(f"has no contact problems ({', '.join(SUFFIXES)})", key="folder", value=str(place))
        yield from inside
