"""The contact problem as plain data, its residual, and its solvers; arrays only, independent of bodies."""

from flexmb.nonsmooth.delassus import delassus
from flexmb.nonsmooth.formats import read_problem, write_problem
from flexmb.nonsmooth.problem import ContactProblem, ContactSolution, residual
from flexmb.nonsmooth.solvers import ContactNotConverged, ContactSolver

__all__ = [
    "ContactNotConverged",
    "ContactProblem",
    "ContactSolution",
    "ContactSolver",
    "delassus",
    "read_problem",
    "residual",
    "write_problem",
]
