"""A spatial beam as quadrature points with mass, exact for all products of two of its fields."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from scipy import sparse

from flexmb.state import Array, IntArray


class BeamPoints(NamedTuple):
    """Points along the axis, g of them; unknowns of a node (u, v, w, phi, theta_y, theta_z) as in ``bodies.Beam``.

    The mass matrix of the beam is rho A sum_g weight N^T N, N = displacement, plus rho Ip of the same with torsion.
    """

    x: Array  # (g,) m
    weight: Array  # (g,) m
    displacement: sparse.csr_array  # (3 g, 6 n) along the axis, y and z of the beam's frame, in rows 3 g .. 3 g + 2
    torsion: sparse.csr_array  # (g, 6 n)


class _UnitPoints(NamedTuple):
    """Rule on [0, 1], and the shape functions there: Hermite (4, g) and linear (2, g)."""

    x: Array
    weight: Array
    cubic: Array
    linear: Array


@cache
def _unit_points() -> _UnitPoints:
    import skfem  # imported here, since the import takes a second

    mesh = skfem.MeshLine(np.array([0.0, 1.0]))
    cubic = skfem.Basis(mesh, skfem.ElementLineHermite(), intorder=6)
    linear = skfem.Basis(mesh, skfem.ElementLineP1(), intorder=6)
    x = np.asarray(cubic.global_coordinates())[0, 0]
    return _UnitPoints(
        x,
        np.asarray(cubic.dx)[0],
        np.array([np.asarray(f[0])[0] for f in cubic.basis]),
        np.array([np.asarray(f[0])[0] for f in linear.basis]),
    )


def beam_points(vertices: Array) -> BeamPoints:
    """Return the points of a beam with elements between ``vertices`` (n,), m."""
    unit = _unit_points()
    h = np.diff(vertices)
    e, g, n = h.size, unit.x.size, vertices.size
    node = 6 * np.arange(e)[:, None, None]  # (e, 1, 1): points, then shape functions
    scale = np.stack([np.ones_like(h), h, np.ones_like(h), h], axis=1)[:, None, :]
    cubic = unit.cubic.T * scale  # (e, g, 4)
    linear = np.broadcast_to(unit.linear.T, (e, g, 2))
    row = 3 * np.arange(e * g).reshape(e, g, 1)
    # theta_z = dv/dx, theta_y = -dw/dx
    terms = [
        (row, node + np.array([0, 6]), linear),
        (row + 1, node + np.array([1, 5, 7, 11]), cubic),
        (row + 2, node + np.array([2, 4, 8, 10]), cubic * np.array([1.0, -1.0, 1.0, -1.0])),
    ]
    return BeamPoints(
        x=(vertices[:-1, None] + h[:, None] * unit.x).ravel(),
        weight=(h[:, None] * unit.weight).ravel(),
        displacement=_sparse(terms, (3 * e * g, 6 * n)),
        torsion=_sparse([(row // 3, node + np.array([3, 9]), linear)], (e * g, 6 * n)),
    )


def _sparse(terms: list[tuple[IntArray, IntArray, Array]], shape: tuple[int, int]) -> sparse.csr_array:
    rows, cols = (np.concatenate([np.broadcast_to(t[i], t[2].shape).ravel() for t in terms]) for i in (0, 1))
    data = np.concatenate([t[2].ravel() for t in terms])
    return sparse.csr_array(sparse.coo_array((data, (rows, cols)), shape=shape))
