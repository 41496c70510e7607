"""The matrix of the stages of an implicit Runge-Kutta step, by one factorization for each eigenvalue of the table.

The blocks delta_ij M + h a_ij C + h^2 (A^2)_ij K, bordered by the rows, are all polynomials in A. With A = T Lam T^-1
the stages are uncoupled (Hairer, Wanner 1996, section IV.8): for each eigenvalue lam

    [M + h lam C + (h lam)^2 K, -D; G^T, 0] z = (T^-1 r)_lam,      d = T z

Complex eigenvalues come in conjugate pairs, of which one is solved. Radau IIA of order 5 takes one real and one complex
factorization of the size of the system.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from flexmb.errors import NotConverged
from flexmb.smooth.implicit_tables import ImplicitTable
from flexmb.smooth.phase import Phase
from flexmb.smooth.smooth_step import SmoothState
from flexmb.state import Array, IntArray
from flexmb.system.bordered_factor import FullFactor, LeastNorm, bordered
from flexmb.system.multibody_system import MultibodySystem

DENSE = 60
"""Number of unknowns and rows up to which matrices are factorized densely."""


class Pencil:
    """M + c C + c^2 K of a phase at a state, bordered by its rows, for any number c, real or complex."""

    def __init__(self, phase: Phase, state: SmoothState) -> None:
        here, system = state.here, phase.system
        if isinstance(system, MultibodySystem):
            lam = np.ascontiguousarray(state.lam[: phase.nj])
            self.M, C, self.K = system.tangents(here.t, here.q, here.v, lam)
        else:
            self.M, C, self.K = system.matrices(here.here)
        self.size, self._t, self._redundant = phase.nv + phase.nr, here.t, phase.depends(here)
        D, G = here.D, here.G
        self._dense = self.size <= DENSE or self._redundant
        self._parts: tuple[Array, Array, Array]
        if self._dense:
            full = np.zeros((3, self.size, self.size))
            for part, A in zip(full, (self.M, C, self.K), strict=True):
                part[: phase.nv, : phase.nv] = A.toarray()
            full[0, : phase.nv, phase.nv :], full[0, phase.nv :, : phase.nv] = -D, G.T
            self._parts = full[0], full[1], full[2]
            return
        self._align(bordered(self.M, sparse.csc_array(G), sparse.csc_array(D)), C, self.K)

    def _align(self, *matrices: sparse.csr_array | Array) -> None:
        """Put the entries of the matrices on one pattern of columns."""
        entries = [sparse.coo_array(A) for A in matrices]
        keys = [A.col.astype(np.int64) * self.size + A.row for A in entries]
        all_keys = np.unique(np.concatenate(keys))
        parts = np.zeros((3, all_keys.size))
        for part, key, A in zip(parts, keys, entries, strict=True):
            np.add.at(part, np.searchsorted(all_keys, key), A.data)
        self._parts = parts[0], parts[1], parts[2]
        self._rows: IntArray = (all_keys % self.size).astype(np.int32)
        self._starts: IntArray = np.searchsorted(all_keys // self.size, np.arange(self.size + 1)).astype(np.int32)

    def factor(self, c: complex) -> Callable[[Any], Any]:
        """Return b -> x with the matrix of c; of least norm in the forces if rows are linearly dependent."""
        M, C, K = self._parts
        S = M + c * C + (c * c) * K
        try:
            if self._redundant:
                return LeastNorm(sparse.csr_array(S)).solve
            if self._dense:
                return FullFactor(S).solve
            return splu(sparse.csc_array((S, self._rows, self._starts), shape=(self.size, self.size))).solve
        except (RuntimeError, ValueError):  # LinAlgError of LeastNorm is one
            raise NotConverged("the matrix of the stages is singular", time=self._t, step=-1) from None


class StageMatrix:
    """The matrix of the stages of a step of h, and the filter of its error."""

    def __init__(self, pencil: Pencil, table: ImplicitTable, h: float, nv: int) -> None:
        self._pencil, self._modes, self._nv, self._s = pencil, table.modes, nv, table.stages
        self._solves = [pencil.factor(h * mode.value) for mode in table.modes]
        self._reach = h * table.scale
        self._filter = pencil.factor(self._reach)

    def solve(self, r: Array) -> Array:
        """Return the correction for residuals of all motions, then of all rows, of the stages."""
        s, n = self._s, self._s * self._nv
        stacked = np.concatenate([r[:n].reshape(s, -1), r[n:].reshape(s, -1)], axis=1)
        out = np.zeros(stacked.shape)
        for mode, solve in zip(self._modes, self._solves, strict=True):
            out += np.multiply.outer(mode.right, solve(mode.left @ stacked)).real
        return np.concatenate([out[:, : self._nv].ravel(), out[:, self._nv :].ravel()])

    def filtered(self, e_q: Array, e_v: Array) -> tuple[Array, Array]:
        """Return errors without the contribution of fast vibrations, which the method damps: (1 - h gamma J)^-1 e."""
        b = np.zeros(self._pencil.size)
        b[: self._nv] = self._pencil.M @ e_v - self._reach * (self._pencil.K @ e_q)
        dv = self._filter(b)[: self._nv]
        return e_q + self._reach * dv, dv
