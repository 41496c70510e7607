"""Contacts with the convex relaxation of Coulomb's law (Anitescu 2006; Tasora 2017, eqs 120-122): associated sliding.

    U = W P + b,     K* contains U  perp  P in K

Without the term mu |U_T| on the normal rate of ``cones.cones`` the problem is the optimality condition of the minimum
of P^T W P / 2 + b^T P over K, with a unique U at any friction; but a sliding contact also opens, U_N = mu |U_T|.
The residual is that of the true law, without that term.

Newton's method on P = proj_K(P - r U), started from the solutions of regularized problems with W + a 1 if it does not
converge.
"""

from __future__ import annotations

import numpy as np

from flexmb.errors import NotConverged
from flexmb.state import Array, IntArray

STEPS, PROBLEMS, HALVINGS = 40, 60, 12
"""Maximum numbers of Newton steps, of regularized problems, and of halvings of a step."""
RELAXED = 0.1
"""Initial a, relative to the mean of the diagonal of W."""


class ConvexCones:
    """Cones |P_T| <= mu P_N of some contacts, including those of rolling and spinning, and problems over them.

    Parameters
    ----------
    shape : (nb, 3) int array
        Rows of sliding, rolling and spinning of each block, behind its normal.
    law : (nb, 3) array
        Their coefficients.
    """

    def __init__(self, shape: IntArray, law: Array) -> None:
        sizes = 1 + shape.sum(axis=1)
        self.first: IntArray = np.cumsum(sizes) - sizes
        self.sizes, self.n, self.discs = sizes, int(sizes.sum()), []
        for i, at in enumerate(self.first):
            parts, row = [], int(at) + 1
            for k in range(3):
                if shape[i, k]:
                    parts.append((slice(row, row + int(shape[i, k])), float(law[i, k])))
                row += int(shape[i, k])
            self.discs.append(parts)

    def project(self, x: Array) -> tuple[Array, Array]:
        """Return the projection onto the cones, (n,), and its derivative, (n, n) with blocks."""
        y, J = x.copy(), np.eye(self.n)
        for i, at in enumerate(self.first):
            block, n = slice(int(at), int(at + self.sizes[i])), float(x[at])
            sizes = [(rows, mu, float(np.linalg.norm(x[rows]))) for rows, mu in self.discs[i]]
            beyond = [(rows, mu, t) for rows, mu, t in sizes if t > mu * n]
            while True:  # for a larger n fewer discs are violated
                kappa = 1.0 / (1.0 + sum(mu * mu for _, mu, _ in beyond))
                n = kappa * (float(x[at]) + sum(mu * t for _, mu, t in beyond))
                still = [(rows, mu, t) for rows, mu, t in beyond if t > mu * n]
                if len(still) == len(beyond):
                    break
                beyond = still
            if n <= 0.0:
                y[block], J[block, block] = 0.0, 0.0
                continue
            y[at], J[at, at] = n, kappa
            along = {rows.start: x[rows] / t for rows, _, t in beyond}
            for rows, mu, _ in beyond:
                J[at, rows] = kappa * mu * along[rows.start]
            for rows, mu, t in beyond:
                e = along[rows.start]
                y[rows] = mu * n * e
                J[rows, block] = mu * np.outer(e, J[at, block])
                J[rows, rows] += mu * n / t * (np.eye(e.size) - np.outer(e, e))
        return y, J

    def residual(self, W: Array, b: Array, P: Array) -> float:
        """Return the largest |P - proj_K(P - r U)| of a block over the size of the problem; r = rows / trace of W."""
        r = self._lengths(W)
        wrong = P - self.project(P - r * (W @ P + b))[0]
        size = max(float(np.abs(P).max(initial=0.0)), float(np.abs(r * b).max(initial=0.0)))
        return float(np.abs(wrong).max(initial=0.0)) / size if size > 0.0 else 0.0

    def _lengths(self, W: Array) -> Array:
        """Return r of each row, (n,)."""
        trace = np.add.reduceat(np.diag(W), self.first)
        return np.repeat(self.sizes / np.where(trace > 0.0, trace, 1.0), self.sizes)

    def solve(self, W: Array, b: Array, P: Array, tolerance: float) -> tuple[Array, int]:
        """Return the impulses (n,), started at P (n,), and the number of linear systems solved.

        Raises
        ------
        NotConverged
            With the attained residual; its ``row`` is the worst one.
        """
        r, steps = self._lengths(W), 0
        found, k = self._newton(W, b, P, r, tolerance)
        steps += k
        a = RELAXED * float(np.diag(W).mean()) if W.size else 0.0
        for _ in range(PROBLEMS):
            if self.residual(W, b, found) <= tolerance:
                return found, steps
            near, k = self._newton(W + a * np.eye(self.n), b - a * P, P, r, 0.1 * tolerance)
            steps, moved = steps + k, self.residual(W, b, near) <= 2.0 * self.residual(W, b, P)
            P, a = (near, 0.3 * a) if moved else (P, 5.0 * a)
            found = P
        worst = self.residual(W, b, found)
        if worst <= tolerance:
            return found, steps
        words = f"the convex contact problem was not solved to {tolerance:.3g} in {steps} linear systems"
        raise NotConverged(words, time=float("nan"), step=-1, residual=worst)

    def _newton(self, W: Array, b: Array, P: Array, r: Array, tolerance: float) -> tuple[Array, int]:
        """Return the result of a damped Newton iteration from P."""
        best, least = P, np.inf
        for k in range(STEPS):
            y, J = self.project(P - r * (W @ P + b))
            wrong = P - y
            size = float(np.linalg.norm(wrong))
            if size < least:
                best, least = P, size
            if size <= 0.01 * tolerance * max(float(np.abs(P).max(initial=0.0)), 1e-300):
                return P, k
            A = np.eye(self.n) - J @ (np.eye(self.n) - r[:, None] * W)
            try:
                d = -np.linalg.solve(A, wrong)
            except np.linalg.LinAlgError:
                d = -np.linalg.lstsq(A, wrong, rcond=None)[0]
            step = 1.0
            for _ in range(HALVINGS):
                new = P + step * d
                if np.linalg.norm(new - self.project(new - r * (W @ new + b))[0]) < (1.0 - 1e-4 * step) * size:
                    break
                step *= 0.5
            else:
                new = y  # a projected gradient step instead
            P = new
        return best, STEPS
