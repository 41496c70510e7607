"""The methods that follow where Newton's fails in a compiled loop: a rare stage (``stages.py``)."""

from __future__ import annotations

from numba import carray  # type: ignore[attr-defined]

from flexmb.kernels.compilation.pointers import floats
from flexmb.kernels.compilation.stages import Stage
from flexmb.kernels.lcp.lcp import go_on
from flexmb.kernels.lcp.lcp_first import HEAD, ITERATIONS, LIMIT, METHOD, RESIDUAL, SOLVED, TOLERANCE
from flexmb.kernels.lcp.solver_settings import NEWTON, SolverSettings


def solve_by_others(at: int, n: int) -> int:
    """Go on with the problem of n contacts at an address as ``solve_lcp`` does; its array gets the answer."""
    sent = carray(floats(at), (HEAD + n * n + 2 * n,))
    W = sent[HEAD : HEAD + n * n].reshape((n, n))
    b = sent[HEAD + n * n : HEAD + n * n + n]
    z = sent[HEAD + n * n + n :]
    iterations, residual = go_on(
        W, b, z, int(sent[METHOD]), int(sent[LIMIT]), sent[TOLERANCE], int(sent[ITERATIONS]), sent[SOLVED] > 0.0
    )
    sent[ITERATIONS] = float(iterations)
    sent[RESIDUAL] = residual
    return 0


OTHERS = Stage(solve_by_others)


def solver_settings(method: int = NEWTON, max_iter: int = 0, tol: float = 1e-10) -> SolverSettings:
    """Return how compiled loops solve contact problems: method, limit of iterations (0: automatic) and tolerance."""
    return SolverSettings(method, max_iter, float(tol), OTHERS.door())
