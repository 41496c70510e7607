"""S = M + c_C (C + gyro) + c_K (K + cross): the matrix of every implicit step of a constant system."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from flexmb.linalg import factor
from flexmb.state import Array

if TYPE_CHECKING:
    from flexmb.system.linear_system import LinearSystem

MILD = 500.0
"""Ratio of c_K K to M up to which a solution with S has 13 digits without iterative refinement."""


class StepMatrix:
    """S = c_M M + c_C (C + gyro) + c_K (K + cross), factorized: the matrix of every implicit step.

    Its symmetric part, c_M M + c_C C + c_K K, is that of a system without spin: while it is positive definite S needs
    no pivoting. The band entries of a fine beam lose digits (see ``linalg.strain``), so a solution is corrected once by
    its residual, with K taken from the deformation modes. Flying bars do not need it.
    """

    def __init__(self, system: LinearSystem, c_C: float, c_K: float, c_M: float = 1.0) -> None:
        self.c_M, self.c_C, self.c_K = c_M, c_C, c_K
        self.refine = c_K > 0.0 and needs_refinement(system, c_K / c_M if c_M > 0.0 else np.inf)
        self._system = system
        self._factor = factor(self.matrix(system), self.skew(system) if system.skew else None)

    def matrix(self, system: LinearSystem) -> sparse.csr_array:
        """Return the symmetric part of S as a sparse matrix."""
        return sparse.csr_array(self.c_M * system.M + self.c_C * system.C + self.c_K * system.K)

    def skew(self, system: LinearSystem) -> sparse.csr_array:
        """Return the skew part of S as a sparse matrix."""
        return sparse.csr_array(self.c_C * system.gyro + self.c_K * system.cross)

    def solve(self, b: Array) -> Array:
        """Return S^-1 b for b of shape (nv,) or (nv, k)."""
        x = self._factor.solve(b)
        if not self.refine:
            return x
        s = self._system
        return x + self._factor.solve(b - self.c_M * (s.M @ x) - self.c_C * s.resisting(x) - self.c_K * s.restoring(x))

    def solve_both(self, b: Array, rho: Array) -> tuple[Array, Array]:
        """Return S^-1 b, and the multipliers of joints: none."""
        return self.solve(b), rho


def needs_refinement(system: LinearSystem, c_K: float) -> bool:
    """Return whether solutions with S gain digits by a correction: K is given by modes and is not a flying bar's.

    The digits lost go with c_K K over M. Rotors, whose runs are long and whose steps are short, are spared the
    correction where it would be below 1e-13.
    """
    if system.strain is None or system.laplacian or not system.strain.D.size:
        return False
    return not system.skew or c_K * float((system.K.diagonal() / system.M.diagonal()).max()) > MILD
