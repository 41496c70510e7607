"""Axial (and torsional) elements: linear or quadratic Lagrange on a line, assembled by scikit-fem."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from flexmb.linalg.strain import Strain, regular, stack
from flexmb.state import Array


class FieldMatrices(NamedTuple):
    """Matrices of one field along the axis, for unit stiffness and unit mass per length.

    Parameters
    ----------
    K : (k, k) sparse array
        Stiffness: int N' N'^T dx, 1/m (bending: int N'' N''^T dx).
    M : (k, k) sparse array
        Mass: int N N^T dx, m, or a diagonal one.
    load : (k,) array
        int N dx: load vector of a unit force per length, m.
    strain : Strain
        K again, as deformation modes of the elements.
    """

    K: sparse.csr_array
    M: sparse.csr_array
    load: Array
    strain: Strain


def values(u: Any, v: Any, w: Any) -> Any:
    """Integrand of the mass form, with the arguments of scikit-fem."""
    return u * v


def slopes(u: Any, v: Any, w: Any) -> Any:
    """Integrand of the stretching form."""
    return u.grad[0] * v.grad[0]


def unit_load(v: Any, w: Any) -> Any:
    """Integrand of a unit force per length."""
    return 1.0 * v


def node_positions(vertices: Array, order: int) -> Array:
    """Return the nodes along the axis: the vertices, with the midside nodes between them for order 2."""
    if order == 1:
        return vertices
    x = np.empty(2 * vertices.size - 1)
    x[::2] = vertices
    x[1::2] = 0.5 * (vertices[:-1] + vertices[1:])
    return x


def axial_field(vertices: Array, order: int = 1, *, lumped: bool = False) -> FieldMatrices:
    """Return the matrices of -(a u')' on the line, nodes numbered along the axis.

    Parameters
    ----------
    vertices : (n,) array
        End points of the elements along the axis, increasing, m.
    order : 1 or 2
        Degree of the elements. Order 2 has a node in the middle of each element; numbering along the axis keeps
        the half-bandwidth at 2.
    lumped : bool
        Row-sum lumping: each node gets int N dx, which is h/2, h/2 for linear elements and Simpson's h/6, 4h/6, h/6
        for quadratic ones (the same as scaling the diagonal, HRZ). All entries are positive.
    """
    import skfem  # imported here, since the import takes a second

    element = skfem.ElementLineP1() if order == 1 else skfem.ElementLineP2()
    basis = skfem.Basis(skfem.MeshLine(vertices), element)

    # scikit-fem numbers the vertices first, then the interiors of the elements
    along = np.arange(vertices.size)
    if order == 2:
        along = np.empty(2 * vertices.size - 1, dtype=np.int64)
        along[::2] = basis.nodal_dofs[0]
        along[1::2] = basis.interior_dofs[0]
    load = np.asarray(skfem.LinearForm(unit_load).assemble(basis))[along]
    K = symmetric(sparse.csr_array(skfem.BilinearForm(slopes).assemble(basis))[along][:, along])
    if lumped:
        return FieldMatrices(K, sparse.csr_array(sparse.diags_array(load)), load, stretching_modes(vertices, order))
    M = symmetric(sparse.csr_array(skfem.BilinearForm(values).assemble(basis))[along][:, along])
    return FieldMatrices(K, M, load, stretching_modes(vertices, order))


def stretching_modes(vertices: Array, order: int) -> Strain:
    """Return int u'^2 dx of the elements as modes.

    Linear: (u1 - u0)^2 / h. Quadratic, with the midside value um: (u1 - u0)^2 / h + 4/3 (u0 - 2 um + u1)^2 / h.
    """
    h = np.diff(vertices)
    first = order * np.arange(h.size)[:, None]
    size = order * h.size + 1
    stretch = regular(first + order, first, np.ones_like(first), 1.0 / h, size)
    if order == 1:
        return stretch
    ends = first + np.array([0, 2])
    bow = regular(ends, np.broadcast_to(first + 1, ends.shape), np.ones(ends.shape), 4.0 / (3.0 * h), size)
    return stack([stretch, bow], size)


def symmetric(A: sparse.csr_array) -> sparse.csr_array:
    """Return (A + A^T) / 2, which removes the asymmetry by round-off of the quadrature."""
    half = sparse.csr_array(0.5 * (A + A.T))
    half.sort_indices()
    return half
