"""Newton's and the proximal method for problems with many contacts, with sparse instead of dense factors.

The iterations are those of ``flexmb.kernels.cones.cone_newton`` and ``cone_proximal``, whose formulas they use.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import MatrixRankWarning, splu

from flexmb.kernels.cones.cone_linear import linearize, step_lengths
from flexmb.kernels.cones.cone_newton import HALVINGS, VAIN
from flexmb.kernels.cones.cone_project import LARGEST
from flexmb.kernels.cones.cone_proximal import FIRST, LEAST, MOST, SHARE, STEPS
from flexmb.kernels.cones.cone_residual import cone_worst
from flexmb.nonsmooth.problem import ContactProblem
from flexmb.state import Array


class Schedule(NamedTuple):
    """Parameters of the proximal method: the sequence of its regularization alpha."""

    first: float = FIRST  # alpha at the start
    share: float = SHARE  # of the residual, to which each problem is solved
    fall: float = 0.1  # factor on alpha after a success
    rise: float = 5.0  # and after a failure
    vain: int = VAIN  # steps of Newton's method without a smaller residual that are a failure


QUICK = Schedule()
"""The schedule of ``kernels.cones.cone_proximal``."""


class SparseNewton:
    """Newton's method on one problem with W + ``alpha D^-2``."""

    def __init__(self, problem: ContactProblem) -> None:
        self.W = sparse.csr_array(problem.W)
        self.b, self.D, self.shape = problem.b.copy(), problem.scales, problem.shape.copy()
        self.start, self.law, self.n, self.nc = problem.start, problem.law, problem.n, problem.nc
        self.A, self.B = (np.zeros((self.nc, LARGEST, LARGEST)) for _ in range(2))
        self.closed = np.empty(self.nc, dtype=np.int64)
        self.Phi = np.empty(self.n)
        sizes = np.diff(self.start)
        k, j = np.meshgrid(np.arange(LARGEST), np.arange(LARGEST), indexing="ij")
        inside = (k < sizes[:, None, None]) & (j < sizes[:, None, None])
        self.inside = inside
        first = self.start[:-1, None, None]
        self.at = (first + k)[inside], (first + j)[inside]

    def residual(self, U: Array, P: Array) -> float:
        """Return the residual of P with velocities U."""
        return float(cone_worst(U, self.b, P, self.D, self.shape, self.start, self.law)[1])

    def _block_diagonal(self, A: Array) -> sparse.csr_array:
        """Return blocks as a matrix."""
        return sparse.csr_array(sparse.coo_array((A[self.inside], self.at), shape=(self.n, self.n)))

    def _linearize(self, U: Array, P: Array, r: Array) -> float:
        linearize(U, P, r, self.shape, self.start, self.law, self.Phi, self.A, self.B, self.closed)
        return float(np.linalg.norm(self.Phi / self.D))

    def _direction(self, W: Any, P: Array) -> Array | None:
        """Return the step, or None where the linear system is singular."""
        rows = np.repeat(self.closed, np.diff(self.start)) > 0
        dP = np.where(rows, 0.0, -P)
        inside = np.flatnonzero(rows)
        J = (self._block_diagonal(self.A) @ W + self._block_diagonal(self.B))[inside]
        x = -self.Phi[inside] - J @ dP
        D = self.D[inside]
        J = sparse.diags_array(1.0 / D) @ J[:, inside] @ sparse.diags_array(D)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", MatrixRankWarning)
                y = splu(sparse.csc_array(J)).solve(x / D)
        except (RuntimeError, MatrixRankWarning):
            return None
        if not np.isfinite(y).all():
            return None
        dP[inside] = D * y
        return dP

    def solve(
        self, P: Array, alpha: float, anchor: Array, max_iter: int, tol: float, most_vain: int = VAIN
    ) -> tuple[Array, int, float]:
        """Return the best iterate, the number of linear systems, and its residual (``cones.cone_newton.newton``)."""
        raised = alpha / self.D**2
        W, b = self.W + sparse.diags_array(raised), self.b - raised * anchor
        r = step_lengths(W.diagonal(), self.shape, self.start)
        U = W @ P + b
        best, least = P, self.residual(U, P)
        iterations = vain = 0
        while least > tol and iterations < max_iter and vain < most_vain:
            size = self._linearize(U, P, r)
            iterations += 1
            dP = self._direction(W, P)
            if dP is None:
                break
            share = 1.0
            for _ in range(HALVINGS if alpha > 0.0 else 1):
                trial = P + share * dP
                U = W @ trial + b
                if alpha == 0.0 or self._linearize(U, trial, r) < (1.0 - 1e-4 * share) * size:
                    break
                share *= 0.5
            P = trial
            residual = self.residual(U, P)
            vain += 1
            if residual < least:
                best, least, vain = P, residual, 0
            if not residual < np.inf:
                break
        return best, iterations, least


def sparse_proximal(
    problem: ContactProblem, P: Array, max_iter: int, tol: float, how: Schedule = QUICK
) -> tuple[Array, int, float]:
    """Return the best iterate of the proximal method, the number of linear systems solved, and its residual."""
    method = SparseNewton(problem)
    at = best = P
    residual = least = method.residual(problem.w(P), P)
    alpha, iterations = how.first, 0
    while least > tol and iterations < max_iter and alpha <= MOST:
        target = how.share * max(residual, tol)
        x, k, reached = method.solve(at, alpha, at, min(STEPS, max_iter - iterations), target, how.vain)
        iterations += max(k, 1)
        if not reached <= min(2.0 * how.share, 0.5) * max(residual, tol):
            alpha *= how.rise
            continue
        alpha = max(how.fall * alpha, LEAST)
        at = x
        residual = method.residual(problem.w(at), at)
        if residual < least:
            best, least = at, residual
    return best, iterations, least
