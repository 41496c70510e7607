"""Cohesion in a step: impulses of bonds (``flexmb.laws.cohesion``).

A bond pulls with beta^2 C times the mean of its elongations at both ends of the step, beta that at its start,

    c = -h beta^2 C (x_k + dx / 2),      dx = h (weight U_{k+1} + (1 - weight) U_k)

so its work c . dx / h is the change of -beta^2 C x^2 / 2 exactly: a bond that holds neither gains nor loses energy, and
the step is stable for any stiffness. U_{k+1} depends on c: with c = -(D U_{k+1} + c_0) and U_{k+1} = u + W (z + c),

    U_{k+1} = (1 + W D)^-1 (u - W c_0) + W~ z,      W~ = (1 + W D)^-1 W

is the contact problem that the impulses z of the other laws see.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.kernels.laws.law_codes import BETA
from flexmb.schemes.law_state import tangent_displacements
from flexmb.state import Array, IntArray
from flexmb.system.contact_blocks import Blocks


@dataclass(frozen=True, eq=False)
class Bonds:
    """Bonds of one step: c = -(D U + c_0) on some rows of (normals, rows beside them).

    Parameters
    ----------
    rows : (m,) int array
    D : (m,) array
        N s per m/s.
    c_0 : (m,) array
        N s.
    """

    rows: IntArray
    D: Array
    c_0: Array

    @classmethod
    def of(cls, blocks: Blocks, laws: Array, h: float, weight: float, g: Array, U: Array, U_T: Array) -> Bonds:
        """Return the bonds that are not broken.

        Parameters
        ----------
        blocks : Blocks
        laws : (4, nc) array
            State at the start of the step.
        h, weight : float
            The step, and the weight of its end in displacements.
        g, U, U_T : (nc,), (nc,) and (nt,) arrays
            Gaps, their rates, and those of the rows beside the normals at the start.
        """
        x, rate = np.concatenate([g, tangent_displacements(blocks, laws)]), np.concatenate([U, U_T])
        owner = blocks.owner
        C = np.concatenate([blocks.cohesion[:, 0], np.where(blocks.tangent, blocks.cohesion[owner, 1], 0.0)])
        k = C * np.concatenate([laws[BETA], laws[BETA, owner]]) ** 2
        rows = np.flatnonzero(k)
        k, x, rate = k[rows], x[rows], rate[rows]
        return cls(rows, 0.5 * h * h * weight * k, h * k * (x + 0.5 * h * (1.0 - weight) * rate))

    def seen(self, W: Array, u: Array, at: IntArray) -> tuple[Array, Array]:
        """Return W~ and the rates without the impulses of the other laws; ``at`` are the indices of the bonds in W."""
        W_D = W[:, at]
        A = np.eye(W.shape[0])
        A[:, at] += W_D * self.D
        solved: Array = np.asarray(np.linalg.solve(A, np.column_stack([W, u - W_D @ self.c_0])), dtype=np.float64)
        return solved[:, :-1], solved[:, -1]

    def impulses(self, U: Array) -> Array:
        """Return c (m,) from the rates of the rows at the end, (m,)."""
        return -(self.D * U + self.c_0)
