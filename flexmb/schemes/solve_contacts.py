"""Contact problems of one level, solved for the scheme definitions; errors give the time and the contact."""

from __future__ import annotations

import numpy as np

from flexmb.errors import NOT_FINITE, NotConverged
from flexmb.nonsmooth.problem import ContactProblem
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.schemes.many_contacts import Answer
from flexmb.schemes.scheme import PreparedContacts, no_contacts
from flexmb.state import Array, IntArray
from flexmb.system.linear_system import LinearSystem
from flexmb.system.protocol import System


def solve_contacts(
    W: Array, b: Array, rows: IntArray, system: System, solver: ContactSolver, t: float
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
    """Raise NotConverged, naming the contact, if a residual is above the solver's tolerance."""
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
