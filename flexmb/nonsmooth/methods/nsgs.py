"""``nsgs``: nonsmooth Gauss-Seidel with exact single contacts; ``psor`` is the same with over-relaxation."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from flexmb.kernels.cones.cone_limits import SWEEPS
from flexmb.kernels.cones.cone_nsgs import solve_nsgs
from flexmb.kernels.cones.cone_rows import SparseRows
from flexmb.nonsmooth.problem import ContactProblem
from flexmb.state import Array


def sparse_rows_of(problem: ContactProblem) -> SparseRows:
    """Return W as the compressed rows of ``kernels.cones.cone_rows``."""
    W = sparse.csr_array(problem.W)
    W.sort_indices()
    return SparseRows(W.indptr.astype(np.int64), W.indices.astype(np.int64), W.data.astype(np.float64))


def sweep(
    problem: ContactProblem, rows: SparseRows, P: Array, omega: float, sweeps: int, tolerance: float
) -> tuple[int, float]:
    """Sweep over the contacts, P in place; return the number of sweeps and the residual (``cones.cone_nsgs``)."""
    blocks = problem.shape.copy(), problem.start, problem.law
    k, r = solve_nsgs(rows, problem.b.copy(), problem.scales, *blocks, P, omega, sweeps, tolerance)
    return int(k), float(r)


def solve(
    problem: ContactProblem, P: Array, tolerance: float, max_iterations: int, omega: float = 1.0
) -> tuple[Array, int]:
    """Return the impulses and the number of sweeps."""
    k, _ = sweep(problem, sparse_rows_of(problem), P, omega, max_iterations or SWEEPS, tolerance)
    return P, k
