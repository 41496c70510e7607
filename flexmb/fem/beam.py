"""Euler-Bernoulli bending with cubic Hermite elements (scikit-fem), combined with axial and torsional fields.

The section's own rotary inertia (rho I) is not part of Euler-Bernoulli theory and is left out of bending.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from flexmb.fem.bar import FieldMatrices, symmetric, unit_load, values
from flexmb.linalg.strain import Strain, regular, stack
from flexmb.state import Array, IntArray


class UnitElement(NamedTuple):
    """Hermite element on [0, 1]: stiffness (4, 4), mass (4, 4), load (4,) over (w0, w0', w1, w1')."""

    K: Array
    M: Array
    load: Array


def curvatures(u: Any, v: Any, w: Any) -> Any:
    """Integrand of the bending form, with the arguments of scikit-fem."""
    return u.hess[0, 0] * v.hess[0, 0]


@cache
def unit_hermite() -> UnitElement:
    """Return the matrices of the unit element, integrated by scikit-fem."""
    import skfem  # imported here, since the import takes a second

    basis = skfem.Basis(skfem.MeshLine(np.array([0.0, 1.0])), skfem.ElementLineHermite())

    # the entries are integers; round-off of the quadrature would give rigid motion an elastic energy
    K = np.round(skfem.BilinearForm(curvatures).assemble(basis).toarray(), 12)
    M = skfem.BilinearForm(values).assemble(basis).toarray()
    load = np.asarray(skfem.LinearForm(unit_load).assemble(basis))
    return UnitElement(K, 0.5 * (M + M.T), load)


def bending_field(vertices: Array, *, lumped: bool = False) -> FieldMatrices:
    """Return the matrices of (a w'')'' on the line, unknowns (w, w') node by node.

    Every element is the unit element scaled by its length. (A scikit-fem basis on the whole mesh would be shorter,
    but its Hermite element inverts monomials in global coordinates: far from the origin small elements lose all
    digits; at 100,000 elements the inversion fails.)

    Parameters
    ----------
    vertices : (n,) array
        End points of the elements along the axis, increasing, m.
    lumped : bool
        Diagonal mass by HRZ: the diagonal of the consistent element mass, scaled so that the translations carry the
        mass of the element. Per element of length h and mass m: m/2 for each deflection, m h^2/78 for each rotation
        (positive, so M stays positive definite; frequencies then converge with order 2 instead of 4).
    """
    unit = unit_hermite()
    h = np.diff(vertices)
    scale = np.stack([np.ones_like(h), h, np.ones_like(h), h], axis=1)  # w' = dw/dx on the unit element times 1/h
    dofs = 2 * np.arange(h.size)[:, None] + np.arange(4)
    pairs = scale[:, :, None] * scale[:, None, :]
    size = 2 * vertices.size
    K = assemble_elements(unit.K * pairs / h[:, None, None] ** 3, dofs, size)
    load = add_elements(unit.load * scale * h[:, None], dofs, size)
    if not lumped:
        return FieldMatrices(
            K, assemble_elements(unit.M * pairs * h[:, None, None], dofs, size), load, bending_modes(h)
        )
    diagonal = np.diag(unit.M) / (unit.M[0, 0] + unit.M[2, 2])
    entries = add_elements(diagonal * scale**2 * h[:, None], dofs, size)
    return FieldMatrices(K, sparse.csr_array(sparse.diags_array(entries)), load, bending_modes(h))


def bending_modes(h: Array) -> Strain:
    """Return int w''^2 dx of Hermite elements of lengths h as modes.

    With t = w', (t1 - t0)^2 / h + 3 (t0 + t1 - 2 (w1 - w0)/h)^2 / h: constant and linear curvature.
    """
    w0 = 2 * np.arange(h.size)[:, None]
    size = 2 * h.size + 2
    even = regular(w0 + 3, w0 + 1, np.ones_like(w0), 1.0 / h, size)
    c = np.stack([np.ones_like(h), np.ones_like(h), -2.0 / h], axis=1)
    nothing = np.full_like(w0, -1)
    odd = regular(w0 + np.array([1, 3, 2]), np.hstack([nothing, nothing, w0]), c, 3.0 / h, size)
    return stack([even, odd], size)


def add_elements(parts: Array, dofs: IntArray, size: int) -> Array:
    """Add the element vectors, (m, k), into a (size,) vector; dofs is (m, k)."""
    return np.asarray(np.bincount(dofs.ravel(), parts.ravel(), minlength=size), dtype=np.float64)


def assemble_elements(blocks: Array, dofs: IntArray, size: int) -> sparse.csr_array:
    """Add the element matrices, (m, k, k), into a (size, size) matrix; dofs is (m, k)."""
    k = dofs.shape[1]
    rows, cols = np.repeat(dofs, k, axis=1).ravel(), np.tile(dofs, (1, k)).ravel()
    return symmetric(sparse.coo_array((blocks.ravel(), (rows, cols)), shape=(size, size)).tocsr())


class Placed(NamedTuple):
    """A field and its place in the body: unknown i of the field is ``sign[i]`` times unknown ``dof[i]`` of the body.

    ``stiffness`` and ``mass`` are the factors of the unit matrices (EA and rho A, EI and rho A, GJ and rho Ip).
    """

    field: FieldMatrices
    stiffness: float
    mass: float
    dof: IntArray
    sign: Array


def join(fields: Sequence[Placed], size: int) -> tuple[sparse.csr_array, sparse.csr_array, Strain]:
    """Return mass, stiffness and deformation modes of a body of ``size`` unknowns from its uncoupled fields."""
    return (
        _sum([(p.field.M, p.mass, p) for p in fields], size),
        _sum([(p.field.K, p.stiffness, p) for p in fields], size),
        stack([p.field.strain.scaled(p.stiffness).placed(p.dof, size, p.sign) for p in fields], size),
    )


def _sum(terms: list[tuple[sparse.csr_array, float, Placed]], size: int) -> sparse.csr_array:
    data, rows, cols = [], [], []
    for matrix, factor, placed in terms:
        coo = matrix.tocoo()
        data.append(factor * coo.data * placed.sign[coo.row] * placed.sign[coo.col])
        rows.append(placed.dof[coo.row])
        cols.append(placed.dof[coo.col])
    entries = (np.concatenate(data), (np.concatenate(rows), np.concatenate(cols)))
    out = sparse.coo_array(entries, shape=(size, size)).tocsr()
    out.sort_indices()
    return sparse.csr_array(out)
