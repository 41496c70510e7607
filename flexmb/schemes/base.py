"""What every scheme has: parameters, a start, a pure step, and the terms of its own energy identity."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace
from typing import ClassVar, Protocol, TypeVar

import numpy as np

from flexmb.errors import InputError, NotConverged
from flexmb.nonsmooth.problem import ContactProblem
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.state import Array, State, StepReport
from flexmb.system import LinearSystem

Fixed = TypeVar("Fixed")


@dataclass(frozen=True)
class Memory:
    """What a scheme carries from step to step besides (q, v), as plain arrays.

    Parameters
    ----------
    vectors : (k, nv) array
        Vectors over the unknowns (which ones, the scheme's docstring says).
    contacts : (m, nc) array
        Vectors over the contacts.
    loads : (1, nl) array
        A number per load.
    scalars : (s,) array
    """

    vectors: Array
    contacts: Array
    loads: Array
    scalars: Array

    def with_(self, **changes: Array) -> Memory:
        """Return a copy with some arrays replaced."""
        return replace(self, **changes)


class Scheme(Protocol):
    """A time-stepping scheme for constant systems."""

    name: ClassVar[str]

    @property
    def order(self) -> int:
        """Order on smooth motion."""
        ...

    def prepare(self, system: LinearSystem, h: float) -> object:
        """Factor what is constant over the run."""
        ...

    def start(self, system: LinearSystem, state: State, h: float, fixed: object, solver: ContactSolver) -> Memory:
        """Return the memory at the start of a run."""
        ...

    def step(
        self, system: LinearSystem, state: State, h: float, memory: Memory, fixed: object, solver: ContactSolver
    ) -> tuple[State, Memory, StepReport]:
        """Go from t_n to t_n + h; a pure function of its arguments."""
        ...


def check_range(scheme: str, key: str, value: float, low: float, high: float) -> None:
    """Raise InputError unless ``low <= value <= high``."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        raise InputError(
            f"must be a number in [{low:g}, {high:g}] for '{scheme}'", where="scheme", key=key, value=value
        )


def check_choice(key: str, value: str, allowed: tuple[str, ...]) -> None:
    """Raise InputError unless ``value`` is one of ``allowed``."""
    if value not in allowed:
        near = difflib.get_close_matches(str(value), allowed, n=1)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        raise InputError(f"must be one of {', '.join(allowed)}{hint}", where="scheme", key=key, value=value)


def solve_contacts(
    W: Array, b: Array, rows: Array, system: LinearSystem, solver: ContactSolver, t: float
) -> tuple[Array, int]:
    """Solve 0 <= W z + b perp z >= 0 on the contacts ``rows``; return z and the iterations taken.

    Raises
    ------
    NotConverged
        Naming the time and the contact with the largest residual.
    """
    try:
        solution = solver.solve(ContactProblem(W=W, b=b))
    except NotConverged as failure:
        failure.time = t
        row = int(rows[getattr(failure, "row", 0) % max(rows.size, 1)]) if rows.size else 0
        failure.contact = system.contacts.labels[row] if system.contacts.labels else ""
        raise
    return solution.z, solution.iterations


def quad(A: object, x: Array) -> float:
    """Return ``x^T A x``."""
    return float(x @ (A @ x))  # type: ignore[operator]


def no_contacts(system: LinearSystem) -> Array:
    """Return a zero vector over the contacts."""
    return np.zeros(system.contacts.nc)
