"""``ContactSolver``: a solver as its name and two numbers; the algorithms are in ``methods`` and ``flexmb.kernels``."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from flexmb.errors import InputError, NotConverged
from flexmb.kernels.lcp.lcp import LEMKE, NEWTON, PGS, solve_lcp
from flexmb.nonsmooth.methods.registry import KERNELS, NAMES, run
from flexmb.nonsmooth.problem import ContactProblem, ContactSolution, impulses, kernel_arrays, residual, worst
from flexmb.state import frozen

METHODS: dict[str, int] = {"auto": NEWTON, "newton": NEWTON, "lemke": LEMKE, "pgs": PGS, "nsgs": PGS}
"""Solvers with their own code for frictionless problems (``flexmb.kernels.lcp.lcp``)."""


class ContactNotConverged(NotConverged):
    """A contact problem was not solved; the error has the problem, the worst contact (``block``) and its first row.

    ``time`` is nan and ``step`` -1 until the caller, who knows them, fills them in (and ``contact``, its name).
    ``what`` describes the problem and its solver if the user did not choose the latter.
    """

    def __init__(self, problem: ContactProblem, solution: ContactSolution, tolerance: float, what: str = "") -> None:
        self.problem = problem
        self.solution = solution
        self.block = worst(problem, solution.z)[0]
        self.row = int(problem.start[self.block]) if self.block >= 0 else -1
        row, z, w = self.row, solution.z, solution.w
        what = what or f"contact solver '{solution.solver}'"
        words = f"{what} did not reach {tolerance:.3g} in {solution.iterations} iterations"
        if row >= 0:
            data = f"W_ii = {problem.W[row, row]:.6g}, b_i = {problem.b[row]:.6g}"
            words += f"; worst at contact row {row} ({data}, w_i = {w[row]:.6g}, z_i = {z[row]:.6g})"
        super().__init__(
            words,
            time=float("nan"),
            step=-1,
            residual=solution.residual,
        )


@dataclass(frozen=True)
class ContactSolver:
    """Settings of the solution of contact problems.

    Parameters
    ----------
    name : str
        "auto" chooses by the problem and tries others if one fails. By name: "exact" (one contact), "nsgs",
        "psor", "newton", "proximal-newton", "apgd", "barzilai-borwein", "admm", "lemke", "clarabel" (needs
        ``pip install "flexmb[cone]"``) and "pgs" (nsgs). Without friction, "newton", "lemke" and "pgs" are followed by
        the others if they fail.
    tolerance : float
        Largest accepted residual (see ``flexmb.nonsmooth.residual``), dimensionless.
    max_iterations : int
        Largest number of index sets, pivots, sweeps or linear systems of the named solver; 0 chooses by the size of the
        problem. A limit for "lemke" or "pgs" applies to the whole solution: no other solver is tried then.
    """

    name: str = "auto"
    tolerance: float = 1e-10
    max_iterations: int = 0

    ALLOWED: ClassVar[tuple[float, float]] = (1e-15, 1e-2)

    def __post_init__(self) -> None:
        where = "ContactSolver"
        if self.name not in NAMES:
            near = difflib.get_close_matches(str(self.name), NAMES, n=1)
            hint = f"did you mean '{near[0]}'? " if near else ""
            raise InputError(f"{hint}known solvers: {', '.join(NAMES)}", where=where, key="name", value=self.name)
        low, high = self.ALLOWED
        if isinstance(self.tolerance, (bool, str)) or not low <= self.tolerance <= high:
            words = f"must be a number in [{low:g}, {high:g}]"
            raise InputError(words, where=where, key="tolerance", value=self.tolerance)
        whole = isinstance(self.max_iterations, (int, np.integer)) and not isinstance(self.max_iterations, bool)
        if not whole or self.max_iterations < 0:
            words = "must be an integer >= 0 (0: automatic)"
            raise InputError(words, where=where, key="max_iterations", value=self.max_iterations)

    @property
    def method(self) -> int:
        """Code of the solver in the kernel for problems without friction."""
        return METHODS.get(self.name, NEWTON)

    @property
    def compiled(self) -> bool:
        """Whether compiled loops can call the solver for problems with friction."""
        return self.name in KERNELS

    @property
    def cone_method(self) -> int:
        """Code of the solver in the kernel for problems with friction (``flexmb.kernels.cones.cones``)."""
        if not self.compiled:
            words = f"not a solver of compiled loops; these are {', '.join(KERNELS)}"
            raise InputError(words, where="ContactSolver", key="name", value=self.name)
        return KERNELS[self.name]

    def solve(self, problem: ContactProblem, z0: ArrayLike | None = None) -> ContactSolution:
        """Solve ``problem``, starting from ``z0``.

        Parameters
        ----------
        problem : ContactProblem
        z0 : (n,) array, optional
            Warm start, e.g. the impulses of the previous step; not modified.

        Raises
        ------
        ContactNotConverged
            If the residual remains above the tolerance.
        """
        z = np.zeros(problem.n) if z0 is None else impulses(problem, z0)
        if not np.isfinite(z).all():
            raise InputError("must be finite", where="ContactSolver.solve", key="z0")
        if problem.frictionless and self.name in METHODS:
            W, b, z = kernel_arrays(problem, z)
            iterations, r = solve_lcp(W, b, z, self.method, self.max_iterations, self.tolerance)
        else:  # iterates may diverge; their residual decides
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                z, iterations = run(self.name, problem, z, self.tolerance, self.max_iterations)
            r = residual(problem, z)
        with np.errstate(over="ignore", invalid="ignore"):  # of solutions refused below
            U = problem.w(z)
        solution = ContactSolution(frozen(z), frozen(U), float(r), int(iterations), self.name)
        if not r <= self.tolerance:
            raise ContactNotConverged(problem, solution, self.tolerance)
        return solution
