"""Numbers of the compiled loops read as matrices over the unknowns, and as words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from flexmb.kernels.algebra.sparse_lu import Symbolic
from flexmb.kernels.geometry.tables import ANGLE, DOT, Rotors, System
from flexmb.kernels.multibody import spin
from flexmb.state import Array


class ValuePattern:
    """Which values of the bordered matrices, joints included, are those over the unknowns, row by row.

    Parameters
    ----------
    sym : Symbolic
        The pattern of the bordered matrices.
    nv : int
        Number of unknowns.
    """

    def __init__(self, sym: Symbolic, nv: int) -> None:
        rows = sym.perm[np.repeat(np.arange(sym.perm.size), np.diff(sym.ptr))]
        cols = sym.perm[sym.col]
        inside = np.flatnonzero((rows < nv) & (cols < nv))
        self.nv = nv
        self.order = inside[np.lexsort((cols[inside], rows[inside]))]
        self.rows, self.columns = rows[self.order], cols[self.order]
        ends = np.cumsum(np.bincount(self.rows, minlength=nv))
        self._ptr = np.concatenate([[0], ends]).astype(np.int32)

    def matrix(self, values: Array) -> sparse.csr_array:
        """Return the values as a sparse matrix, (nv, nv)."""
        indices = self.columns.astype(np.int32)
        return sparse.csr_array((values[self.order], indices, self._ptr.copy()), shape=(self.nv, self.nv))

    def dense(self, values: Array) -> Array:
        """Return the values as a full matrix, (nv, nv)."""
        out = np.zeros((self.nv, self.nv))
        out[self.rows, self.columns] = values[self.order]
        return out

    def product(self, values: Array, x: Array) -> Array:
        """Return the product of the matrix with x (nv,)."""
        terms = values[self.order] * x[self.columns]
        return np.asarray(np.bincount(self.rows, weights=terms, minlength=self.nv), dtype=np.float64)


def outside_words(rotors: Rotors, names: Sequence[tuple[str, str]], v: Array) -> str:
    """Return how a free spin has left the table of a bearing at the velocities v, nothing when none has.

    Parameters
    ----------
    rotors : Rotors
    names : sequence of (rotor, bearing)
        Whose speed counts and where the bearing is, for each table.
    v : (nv,) array
    """
    k = int(spin.outside(rotors, np.ascontiguousarray(v)))
    if k < 0:
        return ""
    rotor, bearing = names[k]
    b = int(np.searchsorted(rotors.table_ptr, k, side="right")) - 1
    first, n = rotors.table[k, :2]
    low, high = rotors.speed[first], rotors.speed[first + n - 1]
    return (
        f"extend the table of the bearing at {bearing}: it covers {low:g} to {high:g} rad/s, but rotor '{rotor}' "
        f"turns at {v[rotors.who[b, spin.PHI_V]]:.6g} rad/s"
    )


def scales_of_rows(tables: System, length: float, angle: float) -> Array:
    """Return what rows of joints and contacts are compared with: a length, or an angle by its factors, (nj + nc,)."""
    rows, count = tables.rows, tables.joints + tables.contacts
    kind = rows.kind[:count]
    weight = np.where(kind == ANGLE, np.abs(rows.b[:count, :2]).sum(axis=1), 1.0)
    return np.where(np.isin(kind, (DOT, ANGLE)), angle * weight, length)
