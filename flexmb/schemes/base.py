"""What every scheme has: parameters, a start, a pure step, and the terms of its own energy identity."""

from __future__ import annotations

import difflib
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np
from scipy import sparse

from flexmb.errors import NOT_FINITE, InputError, NotConverged
from flexmb.kernels.lcp import NEWTON
from flexmb.linalg import factor
from flexmb.nonsmooth.delassus import delassus
from flexmb.nonsmooth.problem import ContactProblem
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.schemes.many_contacts import Answer, Level, ManyContactsProblem, StepNumbers, pays
from flexmb.state import Array, IntArray, State, StepReport
from flexmb.system import LinearSystem

MILD = 500.0
"""Up to this size of c_K K over M a solution with S keeps 13 digits without a correction."""


class StepMatrix:
    """S = M + c_C (C + gyro) + c_K (K + cross), factorized: the matrix of every implicit step.

    Its symmetric part, M + c_C C + c_K K, is that of a system without spin: while it is positive definite S needs no
    pivoting. The band entries of a fine beam lose digits (see ``linalg.strain``), so a solution is corrected once by
    its residual, with K taken from the deformation modes. Flying bars do not need it.
    """

    def __init__(self, system: LinearSystem, c_C: float, c_K: float) -> None:
        self.c_C, self.c_K = c_C, c_K
        self.refine = needs_refinement(system, c_K)
        self._system = system
        self._factor = factor(self.matrix(system), self.skew(system) if system.skew else None)

    def matrix(self, system: LinearSystem) -> sparse.csr_array:
        """Return the symmetric part of S as a sparse matrix."""
        return sparse.csr_array(system.M + self.c_C * system.C + self.c_K * system.K)

    def skew(self, system: LinearSystem) -> sparse.csr_array:
        """Return the skew part of S as a sparse matrix."""
        return sparse.csr_array(self.c_C * system.gyro + self.c_K * system.cross)

    def solve(self, b: Array) -> Array:
        """Return S^-1 b for b of shape (nv,) or (nv, k)."""
        x = self._factor.solve(b)
        if not self.refine:
            return x
        s = self._system
        return x + self._factor.solve(b - s.M @ x - self.c_C * s.resisting(x) - self.c_K * s.restoring(x))


class PreparedContacts(ABC):
    """What every scheme prepares for its contacts: a dense matrix over their pairs, or a solver for many of them."""

    system: LinearSystem
    gain: float = 1.0

    @property
    @abstractmethod
    def numbers(self) -> StepNumbers:
        """The scalars of the contact problem."""

    @property
    @abstractmethod
    def row_matrix(self) -> Array:
        """The Delassus matrix of the rows of one level."""

    @property
    @abstractmethod
    def dense_response(self) -> Array:
        """Velocity a contact gains per unit of its impulse, from the Delassus matrix."""

    @cached_property
    def many(self) -> ManyContactsProblem | None:
        """The solver for many contacts; None where they are few."""
        there = self.numbers.scale > 0.0 and pays(self.system)
        return ManyContactsProblem(self.system, self.numbers) if there else None

    def many_for(self, solver: ContactSolver) -> ManyContactsProblem | None:
        """Return the solver for many contacts, unless a method is asked for by name that needs the whole matrix."""
        return self.many if solver.method == NEWTON else None

    @property
    def response(self) -> Array:
        """Velocity a contact gains per unit of its impulse, (nc,); W_ii times ``gain``."""
        nc = self.system.contacts.nc
        return self.dense_response if self.many is None else self.gain * self.many.own[-nc:]


@dataclass(frozen=True)
class StepFixed(PreparedContacts):
    """S factorized, and the Delassus matrix W = G^T S^-1 G once it is asked for."""

    S: StepMatrix
    system: LinearSystem

    @property
    def numbers(self) -> StepNumbers:
        """Those of S."""
        return StepNumbers(Level.ONE, self.S.c_C, self.S.c_K, self.S.refine)

    @cached_property
    def W(self) -> Array:
        """G^T S^-1 G."""
        return delassus(self.S.solve, self.system.contacts.G)

    @property
    def row_matrix(self) -> Array:
        """The Delassus matrix."""
        return self.W

    @property
    def dense_response(self) -> Array:
        """W_ii."""
        return np.diag(self.W)


def needs_refinement(system: LinearSystem, c_K: float) -> bool:
    """Return whether solutions with S gain digits by a correction: K is given by modes and is not a flying bar's.

    The digits lost go with c_K K over M. Rotors, whose runs are long and whose steps are short, are spared the
    correction where it would be below 1e-13.
    """
    if system.strain is None or system.laplacian or not system.strain.D.size:
        return False
    return not system.skew or c_K * float((system.K.diagonal() / system.M.diagonal()).max()) > MILD


class Fixed(Protocol):
    """What a scheme prepares once: factorizations and Delassus matrices."""

    S: StepMatrix

    @property
    def response(self) -> Array:
        """Velocity a contact gains per unit of its impulse, (nc,)."""
        ...


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

    def prepare(self, system: LinearSystem, h: float) -> Any:
        """Factor what is constant over the run."""
        ...

    def start(self, system: LinearSystem, state: State, h: float, fixed: Any, solver: ContactSolver) -> Memory:
        """Return the memory at the start of a run."""
        ...

    def step(
        self, system: LinearSystem, state: State, h: float, memory: Memory, fixed: Any, solver: ContactSolver
    ) -> tuple[State, Memory, StepReport]:
        """Go from t_n to t_n + h; a pure function of its arguments."""
        ...


def check_range(scheme: str, key: str, value: float, low: float, high: float) -> None:
    """Raise InputError unless ``low <= value <= high``."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        raise InputError(
            f"must be a number in [{low:g}, {high:g}] for '{scheme}'", where="scheme", key=key, value=value
        )


def check_flag(key: str, value: bool) -> None:
    """Raise InputError unless ``value`` is true or false."""
    if not isinstance(value, bool):
        raise InputError("must be true or false", where="scheme", key=key, value=value)


def check_choice(key: str, value: str, allowed: tuple[str, ...]) -> None:
    """Raise InputError unless ``value`` is one of ``allowed``."""
    if value not in allowed:
        near = difflib.get_close_matches(str(value), allowed, n=1)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        raise InputError(f"must be one of {', '.join(allowed)}{hint}", where="scheme", key=key, value=value)


def solve_contacts(
    W: Array, b: Array, rows: IntArray, system: LinearSystem, solver: ContactSolver, t: float
) -> tuple[Array, int]:
    """Solve 0 <= W z + b perp z >= 0 on the contacts ``rows``; return z and the iterations taken.

    Raises
    ------
    NotConverged
        Naming the time and the contact with the largest residual.
    """
    if not np.isfinite(b).all():
        bad = int(rows[int(np.flatnonzero(~np.isfinite(b))[0])])
        raise NotConverged(NOT_FINITE, time=t, step=-1, contact=system.contacts.labels[bad])
    try:
        solution = solver.solve(ContactProblem(W=W, b=b))
    except NotConverged as failure:
        failure.time = t
        row = int(rows[getattr(failure, "row", 0) % max(rows.size, 1)]) if rows.size else 0
        failure.contact = system.contacts.labels[row] if system.contacts.labels else ""
        raise
    return solution.z, solution.iterations


def solve_velocity(
    fixed: PreparedContacts, b: Array, rows: IntArray, guess: Array, solver: ContactSolver, t: float
) -> tuple[Array, int]:
    """Solve 0 <= W P + b perp P >= 0 on the contacts ``rows``; return P of all contacts and the iterations taken.

    Parameters
    ----------
    fixed : PreparedContacts
    b : (nc,) array
    rows : int array
    guess : (nc,) array
        Impulses of the step before, from which a solver for many contacts starts.
    solver : ContactSolver
    t : float
    """
    P = no_contacts(fixed.system)
    many = fixed.many_for(solver)
    if many is None:
        P[rows], iterations = solve_contacts(
            fixed.row_matrix[np.ix_(rows, rows)], b[rows], rows, fixed.system, solver, t
        )
        return P, iterations
    asked = np.zeros(P.size, dtype=bool)
    asked[rows] = True
    answer = many.solve(b, asked, guess, None, solver.tolerance)
    require_solved(answer, fixed.system, solver, t)
    return answer.z, answer.iterations


def require_solved(answer: Answer, system: LinearSystem, solver: ContactSolver, t: float) -> None:
    """Raise NotConverged, naming the contact, when an answer's residual is above the solver's tolerance."""
    if answer.residual <= solver.tolerance:
        return
    label = system.contacts.labels[answer.row % system.contacts.nc]
    if not np.isfinite(answer.residual):
        raise NotConverged(NOT_FINITE, time=t, step=-1, contact=label)
    raise NotConverged(
        f"contact solver '{solver.name}' did not reach {solver.tolerance:.3g} in {answer.iterations} iterations",
        time=t,
        step=-1,
        contact=label,
        residual=answer.residual,
    )


def load_works(system: LinearSystem, dq: Array, phi: Array) -> tuple[float, float]:
    """Return the work of the loads with amplitudes ``phi`` over ``dq``: of those that are no drives, of drives."""
    works = [0.0, 0.0]
    for load, amplitude in zip(system.loads, phi, strict=True):
        works[load.drive] += float(load.B @ dq) * float(amplitude)
    return works[0], works[1]


def quad(A: object, x: Array) -> float:
    """Return ``x^T A x``."""
    return float(x @ (A @ x))  # type: ignore[operator]


def no_contacts(system: LinearSystem) -> Array:
    """Return a zero vector over the contacts."""
    return np.zeros(system.contacts.nc)


def forecast_closes(
    system: LinearSystem, state: State, ahead: float, P_before: Array, response: Array, h: float
) -> IntArray:
    """Return the contacts whose forecast gap g + ahead U is <= 0, but for round-off.

    A node that was pressed stands on its plane with a gap and a velocity of either sign at round-off; taking a
    positive one at its word would lift the contact every other step and double the impulse in between.

    Parameters
    ----------
    system : LinearSystem
    state : State
    ahead : float
        How far to look ahead, s.
    P_before : (nc,) array
        Impulses of the step before.
    response : (nc,) array
        Velocity per unit impulse: ``response * P_before`` is the speed that was taken away.
    h : float
    """
    con = system.contacts
    g = con.g(state.t, state.q)
    noise = 1e-14 * (np.abs(con.g0) + np.abs(g - con.g0)) + 1e-13 * h * response * P_before
    return np.flatnonzero(g + ahead * con.U(state.t, state.v) <= noise)
