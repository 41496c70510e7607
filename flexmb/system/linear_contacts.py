"""The contacts of a constant system as arrays: gaps, directions, rows beside the normals, motions of planes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from flexmb.state import Array, IntArray, TimeFunction
from flexmb.system.contact_blocks import Blocks

FEW = 40_000
"""Number of entries up to which the directions of all rows are one dense array."""


@dataclass(frozen=True)
class Contacts:
    """All unilateral contacts as arrays; one row per contact, groups as in the case file.

    Parameters
    ----------
    names : tuple of str
        Group names; group j owns the rows ``start[j]:start[j + 1]``.
    start : (ngroups + 1,) int array
    labels : tuple of str
        One readable name per row (``wall`` or ``floor[rod.node(3)]``), for error messages.
    g0 : (nc,) array
        Gap at q = 0 without prescribed motion, m.
    G : (nv, nc) sparse array, CSC
        Force directions as columns.
    e : (nc,) array
        Restitution.
    motions : tuple of TimeFunction
        Prescribed motions s(t), m.
    motion_of : (nc,) int array
        Which motion a contact follows, -1 for none.
    motion_coef : (nc,) array
        Its factor in the gap.
    blocks : Blocks
        Rows beside the normals, and the numbers of the laws; none by default.
    H : (nv, nt) sparse array, CSC
        Directions of those rows as columns.
    slide_of : (nt,) int array
        Which motion the surface of such a row follows, -1 for none.
    slide_coef : (nt,) array
        Its factor in the rate of the row.
    drift : (nt,) array
        Constant speed of the surface along the row, subtracted already: U_T = H^T v + drift + slide_coef s'(t).
    points : (nc, 2) int array
        The points on which each acts; -1 for none.
    """

    names: tuple[str, ...]
    start: IntArray
    labels: tuple[str, ...]
    g0: Array
    G: sparse.csc_array
    e: Array
    motions: tuple[TimeFunction, ...]
    motion_of: IntArray
    motion_coef: Array
    blocks: Blocks = None  # type: ignore[assignment]  # normals only when not given
    H: sparse.csc_array = None  # type: ignore[assignment]
    slide_of: IntArray = None  # type: ignore[assignment]
    slide_coef: Array = None  # type: ignore[assignment]
    drift: Array = None  # type: ignore[assignment]
    points: IntArray = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        if self.points is None:
            object.__setattr__(self, "points", np.full((self.nc, 2), -1))
        if self.blocks is not None:
            return
        none = np.zeros(0)
        rest = (Blocks.frictionless(self.nc), sparse.csc_array((self.G.shape[0], 0)), none.astype(np.int64), none, none)
        for name, value in zip(("blocks", "H", "slide_of", "slide_coef", "drift"), rest, strict=True):
            object.__setattr__(self, name, value)

    @property
    def nc(self) -> int:
        """Number of contacts."""
        return int(self.g0.size)

    @cached_property
    def dense(self) -> Array | None:
        """Directions of normals and of the rows beside them, (nv, nc + nt), as one array if they are few."""
        if self.G.shape[0] * (self.G.shape[1] + self.H.shape[1]) > FEW:
            return None
        return np.concatenate([self.G.toarray(), self.H.toarray()], axis=1)

    @cached_property
    def G_T(self) -> Array | sparse.csr_array:
        """Velocities -> rates of the normals, (nc, nv)."""
        return sparse.csr_array(self.G.T) if self.dense is None else self.dense[:, : self.nc].T

    @cached_property
    def H_T(self) -> Array | sparse.csr_array:
        """Velocities -> rates of the rows beside them, (nt, nv)."""
        return sparse.csr_array(self.H.T) if self.dense is None else self.dense[:, self.nc :].T

    @cached_property
    def magnitudes(self) -> Array | sparse.csr_array:
        """Magnitudes of the entries of ``G_T``."""
        return np.abs(self.G_T) if isinstance(self.G_T, np.ndarray) else abs(self.G_T)

    def offset(self, t: float) -> Array:
        """Return the part of the gap that comes from prescribed motion, (nc,)."""
        return self._follow([float(s.value(t)) for s in self.motions])

    def g_t(self, t: float) -> Array:
        """Return the partial time derivative of the gap, (nc,)."""
        return self._follow([float(s.rate(t)) for s in self.motions])

    def g_tt(self, t: float) -> Array:
        """Return the second partial time derivative of the gap, (nc,)."""
        return self._follow([float(s.second(t)) for s in self.motions])

    def g(self, t: float, q: Array) -> Array:
        """Return the gaps, (nc,)."""
        return np.asarray(self.g0 + self.G_T @ q + self.offset(t))

    def U(self, t: float, v: Array) -> Array:
        """Return the relative velocities along the normals, (nc,)."""
        return np.asarray(self.G_T @ v + self.g_t(t))

    def H_t(self, t: float) -> Array:
        """Return what surfaces that move add to the rates of the rows beside the normals, (nt,)."""
        out = self.drift.copy()
        for m, s in enumerate(self.motions):
            rows = self.slide_of == m
            if rows.any():
                out[rows] += self.slide_coef[rows] * float(s.rate(t))
        return out

    def H_tt(self, t: float) -> Array:
        """Return the rates of ``H_t``, (nt,)."""
        out = np.zeros(self.drift.size)
        for m, s in enumerate(self.motions):
            rows = self.slide_of == m
            if rows.any():
                out[rows] += self.slide_coef[rows] * float(s.second(t))
        return out

    def _follow(self, values: list[float]) -> Array:
        out = np.zeros(self.nc)
        for m, s in enumerate(values):
            rows = self.motion_of == m
            out[rows] = self.motion_coef[rows] * s
        return out
