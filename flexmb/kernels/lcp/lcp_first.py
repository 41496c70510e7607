"""Contact problems in compiled loops: Newton's method at hand, the others by address, compiled when first needed.

Newton's method solves nearly every contact problem of nearly every run. The others, and the refinement, are a rare
stage (``lcp_others.py``), to which a problem is sent in one array.
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.compilation.jit import allocating
from flexmb.kernels.compilation.stages import call
from flexmb.kernels.lcp.lcp_newton import ROUND_OFF, begin_newton
from flexmb.kernels.lcp.lcp_residual import lcp_worst, violation
from flexmb.kernels.lcp.solver_settings import NEWTON, SolverSettings
from flexmb.state import Array

METHOD, LIMIT, TOLERANCE, ITERATIONS, SOLVED, RESIDUAL, HEAD = 0, 1, 2, 3, 4, 5, 6
"""Places in the head of the array, which W, b and z follow."""


@allocating
def solve_problem(W: Array, b: Array, z: Array, jd: SolverSettings) -> tuple[int, float]:
    """Do what ``solve_lcp`` does; what Newton's method does not solve at once is sent to the others."""
    n = b.size
    iterations, ok = -1, False
    if jd.method == NEWTON:
        iterations, ok = begin_newton(W, b, z, jd.max_iter)
        _, worst, given, _ = violation(W, b, z)
        residual = lcp_worst(W, b, z)[1]
        if worst <= jd.tol * given and ((ok and residual <= jd.tol) or residual <= ROUND_OFF):
            return iterations, residual
    sent = np.empty(HEAD + n * n + 2 * n)
    sent[METHOD], sent[LIMIT], sent[TOLERANCE] = float(jd.method), float(jd.max_iter), jd.tol
    sent[ITERATIONS], sent[SOLVED], sent[RESIDUAL] = float(iterations), 1.0 if ok else 0.0, np.inf
    for i in range(n):
        sent[HEAD + n * n + i] = b[i]
        sent[HEAD + n * n + n + i] = z[i]
        for j in range(n):
            sent[HEAD + n * i + j] = W[i, j]
    call(jd.others, sent.ctypes.data, n)
    for i in range(n):
        z[i] = sent[HEAD + n * n + n + i]
    return int(sent[ITERATIONS]), sent[RESIDUAL]
