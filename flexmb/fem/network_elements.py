"""Bars and Euler-Bernoulli beams between any two points: matrices over unknowns along the axes of space.

In the axes d, y, z of an element of length l, with displacements u and turns t of its ends A and B, half of

    EA/l (d.(u_B - u_A))^2 + GJ/l (d.(t_B - t_A))^2
    + EI_z/l (z.(t_B - t_A))^2 + 3 EI_z/l (z.(t_A + t_B) - 2/l y.(u_B - u_A))^2
    + EI_y/l (y.(t_B - t_A))^2 + 3 EI_y/l (y.(t_A + t_B) + 2/l z.(u_B - u_A))^2

is stored: the modes of ``bar.stretching_modes`` and ``beam.bending_modes``, turned into space.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from flexmb.fem.beam import add_elements, assemble_elements, unit_hermite
from flexmb.linalg.strain import Strain, regular, stack
from flexmb.state import Array, IntArray


@dataclass(frozen=True)
class Network:
    """Elements and the unknowns of their ends.

    Parameters
    ----------
    length : (m,) array
        m.
    axes : (m, 3, 3) array
        d, y, z of the elements as columns, in space.
    shift : (p, 3) array
        Unit vectors, perpendicular to each other, along which ends move.
    turn : (r, 3) array
        The same about which they turn; r = 0 for bars.
    moves : (m, 2, p) int array
        Unknowns of the displacements of both ends.
    turns : (m, 2, r) int array
        Those of their turns.
    size : int
        Number of unknowns.
    """

    length: Array
    axes: Array
    shift: Array
    turn: Array
    moves: IntArray
    turns: IntArray
    size: int

    def strain(self, EA: Array, GJ: Array, EIy: Array, EIz: Array) -> Strain:
        """Return the stiffness as deformation modes; the stiffnesses are (m,) each."""
        d, y, z = (self.axes[:, :, k] for k in range(3))
        h = self.length
        parts = [self._modes(d, None, EA / h)]
        if len(self.turn):
            parts += [
                self._modes(None, (d, -1.0), GJ / h),
                self._modes(None, (z, -1.0), EIz / h),
                self._modes(-2.0 / h[:, None] * y, (z, 1.0), 3.0 * EIz / h),
                self._modes(None, (y, -1.0), EIy / h),
                self._modes(2.0 / h[:, None] * z, (y, 1.0), 3.0 * EIy / h),
            ]
        return stack([part for part in parts if part is not None], self.size)

    def _modes(self, along: Array | None, about: tuple[Array, float] | None, D: Array) -> Strain | None:
        """Return the modes ``along.(u_B - u_A) + about.(t_B + sign t_A)``; those without stiffness are left out."""
        on = np.flatnonzero(D > 0.0)
        i, j, c = [], [], []
        if along is not None:
            i.append(self.moves[on, 1])
            j.append(self.moves[on, 0])
            c.append(along[on] @ self.shift.T)
        if about is not None:
            weight = about[0][on] @ self.turn.T
            if about[1] < 0.0:
                i.append(self.turns[on, 1])
                j.append(self.turns[on, 0])
                c.append(weight)
            else:
                i += [self.turns[on, 0], self.turns[on, 1]]
                j += [np.full_like(self.turns[on, 0], -1)] * 2
                c += [weight, weight]
        if not on.size:
            return None
        return regular(np.hstack(i), np.hstack(j), np.hstack(c), D[on], self.size)

    def mass(self, rho_A: Array, rho_Ip: Array, *, lumped: bool) -> sparse.csr_array:
        """Return the mass matrix; mass and polar inertia per length are (m,) each."""
        M = self._local_mass(rho_A, rho_Ip, lumped)
        T, dofs = self._into_axes(), self._dofs
        return assemble_elements(np.einsum("mai,mab,mbj->mij", T, M, T), dofs, self.size)

    def gravity(self, rho_A: Array) -> Array:
        """Return acceleration -> consistent forces, (size, 3), kg."""
        h, T, load = self.length, self._into_axes(), np.zeros((len(self.length), 12, 3))
        unit = unit_hermite().load
        d, y, z = (self.axes[:, :, k] for k in range(3))
        whole = (rho_A * h)[:, None]
        load[:, 0] = load[:, 6] = 0.5 * whole * d
        for k, end in ((0, 0), (2, 6)):
            load[:, end + 1], load[:, end + 2] = unit[k] * whole * y, unit[k] * whole * z
            load[:, end + 5] = unit[k + 1] * whole * h[:, None] * y
            load[:, end + 4] = -unit[k + 1] * whole * h[:, None] * z
        if not len(self.turn):  # straight shapes instead of Hermite's
            load[:, 1] = load[:, 7] = 0.5 * whole * y
            load[:, 2] = load[:, 8] = 0.5 * whole * z
        parts = np.einsum("mai,mak->mik", T, load)
        return np.column_stack([add_elements(parts[:, :, k], self._dofs, self.size) for k in range(3)])

    def rotary(self, inertia: Array) -> Array:
        """Return half of the inertia of each element, from ``inertia`` (m, 3) per length about d, y, z, in space."""
        half = 0.5 * self.length[:, None] * inertia
        return np.asarray(np.einsum("mia,ma,mja->mij", self.axes, half, self.axes))

    @property
    def _dofs(self) -> IntArray:
        """Unknowns of the elements, (m, 2 p + 2 r): displacements and turns of A, then of B."""
        return np.concatenate([self.moves[:, 0], self.turns[:, 0], self.moves[:, 1], self.turns[:, 1]], axis=1)

    def _into_axes(self) -> Array:
        """Return the unknowns -> (u, v, w, phi, theta_y, theta_z) of both ends along d, y, z, (m, 12, 2 p + 2 r)."""
        p, r = len(self.shift), len(self.turn)
        T = np.zeros((len(self.length), 12, 2 * (p + r)))
        for end in (0, 1):
            at = end * (p + r)
            T[:, 6 * end : 6 * end + 3, at : at + p] = np.einsum("mia,pi->map", self.axes, self.shift)
            T[:, 6 * end + 3 : 6 * end + 6, at + p : at + p + r] = np.einsum("mia,ri->mar", self.axes, self.turn)
        return T

    def _local_mass(self, rho_A: Array, rho_Ip: Array, lumped: bool) -> Array:
        """Return the element masses in the axes of the elements, (m, 12, 12)."""
        h, unit = self.length, unit_hermite().M
        out = np.zeros((len(h), 12, 12))
        line = np.array([[0.5, 0.0], [0.0, 0.5]]) if lumped else np.array([[2.0, 1.0], [1.0, 2.0]]) / 6.0
        ends = np.array([0, 6])
        straight = [(0, rho_A), (1, rho_A), (2, rho_A)] if not len(self.turn) else [(0, rho_A), (3, rho_Ip)]
        for k, per_length in straight:
            out[np.ix_(np.arange(len(h)), ends + k, ends + k)] = (per_length * h)[:, None, None] * line
        if not len(self.turn):
            return out
        if lumped:  # by HRZ, see ``bending_field``
            unit = np.diag(np.diag(unit)) / (unit[0, 0] + unit[2, 2])
        scale = np.stack([np.ones_like(h), h, np.ones_like(h), h], axis=1)
        for deflection, slope, sign in ((1, 5, 1.0), (2, 4, -1.0)):
            at = np.array([deflection, slope, deflection + 6, slope + 6])
            signed = scale * np.array([1.0, sign, 1.0, sign])
            block = (rho_A * h)[:, None, None] * unit * signed[:, :, None] * signed[:, None, :]
            out[np.ix_(np.arange(len(h)), at, at)] = block
        return out
