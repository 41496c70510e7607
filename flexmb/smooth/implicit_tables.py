"""Tables of implicit Runge-Kutta methods, computed from their nodes: Radau IIA, Lobatto IIIA and IIIC.

Radau IIA and Lobatto IIIA are collocation methods: a_ij is the integral of the j-th polynomial of Lagrange over the
nodes from 0 to c_i, b_j that up to 1 (Hairer, Wanner 1996, section IV.5). Lobatto IIIC has the same nodes and weights
as IIIA, a_i1 = b_1, and satisfies the first s - 1 of those integrals. In all of them c_s = 1 and a_sj = b_j: the end of
a step is its last stage.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from flexmb.state import Array

_R6, _R5 = 6.0**0.5, 5.0**0.5
NODES: dict[str, tuple[float, ...]] = {
    "radau-3": (1.0 / 3.0, 1.0),
    "radau-5": ((4.0 - _R6) / 10.0, (4.0 + _R6) / 10.0, 1.0),
    "lobatto-2": (0.0, 1.0),
    "lobatto-4": (0.0, 0.5, 1.0),
    "lobatto-6": (0.0, (5.0 - _R5) / 10.0, (5.0 + _R5) / 10.0, 1.0),
}
"""Zeros of the Radau (right) and Lobatto polynomials on [0, 1], by the order of the quadrature."""


@dataclass(frozen=True, eq=False)
class Mode:
    """An eigenvalue of a table, one of each conjugate pair: its row of T^-1, and its column of T, twice if complex."""

    value: complex
    left: NDArray[np.complex128] | Array
    right: NDArray[np.complex128] | Array


@dataclass(frozen=True, eq=False)
class ImplicitTable:
    """Coefficients of a method with s stages: V_i = v + h sum a_ij V'_j,  v_1 = v + h sum b_j V'_j.

    Parameters
    ----------
    A : (s, s) array
    b, c : (s,) arrays
    order : int
    defect : float
        Where the error is evaluated, as a fraction of the step: the difference of the acceleration there from the
        polynomial through the stages. It is 0, where the acceleration is known already, for methods whose first stage
        is not at 0.
    scale : float
        Factor of the defect times h in the error estimate.
    power : int
        Power of h in that estimate.
    """

    A: Array
    b: Array
    c: Array
    order: int
    defect: float
    scale: float
    power: int

    @property
    def stages(self) -> int:
        """Number of stages."""
        return int(self.c.size)

    @cached_property
    def modes(self) -> list[Mode]:
        """Eigenvalues of A, which are distinct; real ones as real numbers."""
        values, T = np.linalg.eig(self.A)
        inverse = np.linalg.inv(T)
        real = [Mode(float(x.real), inverse[k].real, T[:, k].real) for k, x in enumerate(values) if x.imag == 0.0]
        pairs = [Mode(complex(x), inverse[k], 2.0 * T[:, k]) for k, x in enumerate(values) if x.imag > 0.0]
        return real + pairs

    def lagrange(self, s: float) -> Array:
        """Return the polynomials of Lagrange over the nodes at s, (stages,)."""
        return np.asarray(np.linalg.solve(_powers(self.c), s ** np.arange(self.stages)), dtype=np.float64)

    def integrals(self, s: float) -> Array:
        """Return their integrals from 0 to s, (stages,)."""
        k = np.arange(1, self.stages + 1)
        return np.asarray(np.linalg.solve(_powers(self.c), s**k / k), dtype=np.float64)


def _powers(c: Array) -> Array:
    """Return c_j^k as row k, (s, s)."""
    return np.asarray(c[None, :] ** np.arange(c.size)[:, None])


def collocation(nodes: str, order: int, defect: float, scale: float, power: int) -> ImplicitTable:
    """Return the collocation method with the given nodes."""
    c = np.array(NODES[nodes])
    k = np.arange(1, c.size + 1)
    A = np.asarray(np.linalg.solve(_powers(c), (c[:, None] ** k / k).T).T, dtype=np.float64)
    A[c == 0.0] = 0.0
    return ImplicitTable(A, A[-1].copy(), c, order, defect, scale, power)


def lobatto_iiic(order: int, scale: float, power: int) -> ImplicitTable:
    """Return Lobatto IIIC: a_i1 = b_1, and the other columns integrate polynomials below degree s - 1."""
    c = np.array(NODES[f"lobatto-{order}"])
    k = np.arange(1, c.size)
    b = collocation(f"lobatto-{order}", order, 0.0, 1.0, 1).b
    A = np.zeros((c.size, c.size))
    moments = c[:, None] ** k / k - b[0] * (c[0] ** (k - 1))
    A[:, 0] = b[0]
    A[:, 1:] = np.linalg.solve(c[None, 1:] ** (k[:, None] - 1), moments.T).T
    A[-1] = b
    return ImplicitTable(A, b, c, order, 0.0, scale, power)


RADAU_IIA_3 = collocation("radau-3", 3, 0.0, 6.0**-0.5, 3)
RADAU_IIA_5 = collocation("radau-5", 5, 0.0, 60.0 ** (-1.0 / 3.0), 4)
LOBATTO_IIIA_2 = collocation("lobatto-2", 2, 0.5, 2.0 / 3.0, 3)
LOBATTO_IIIA_4 = collocation("lobatto-4", 4, 0.25, 1.0 / 3.0, 4)
LOBATTO_IIIA_6 = collocation("lobatto-6", 6, 0.5, 0.25, 5)
LOBATTO_IIIC_4 = lobatto_iiic(4, 1.0 / 3.0, 4)
