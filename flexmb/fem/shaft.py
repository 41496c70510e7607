"""Shaft elements: bending with or without shear (Timoshenko, Euler-Bernoulli), stretching and torsion, stepped.

In bending the unknowns of a node are the deflection w and the rotation t of the section. Within an element of length h,
with Phi = 12 E I / (kappa G A h^2), both fields are the exact static ones of an unloaded Timoshenko beam:

    shear angle  gamma = Phi/(1 + Phi) ((w1 - w0)/h - (t0 + t1)/2), constant,
    w            cubic with w' = t + gamma at both ends,
    t            quadratic, (t0 + t1)/2 + 3/2 ((w1 - w0)/h - (t0 + t1)/2)/(1 + Phi) in the middle.

So there is no locking, loads at nodes give exact deflections, and Phi = 0 is the Euler-Bernoulli (Rayleigh) element
(Przemieniecki, Theory of Matrix Structural Analysis, 5.6; Friswell et al., Dynamics of Rotating Machines, 5.4).
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from scipy import sparse

from flexmb.fem.bar import FieldMatrices, axial_field, stretching_modes
from flexmb.fem.beam import add_elements, assemble_elements, bending_modes, unit_hermite
from flexmb.linalg.strain import Strain
from flexmb.state import Array, IntArray


class ShaftElements(NamedTuple):
    """Properties of m elements, each an (m,) array.

    ``h`` length, m; ``EA``, ``EI``, ``GJ`` stiffness, N and N m^2; ``rho_A`` kg/m, ``rho_I`` kg m (about a diameter;
    twice that about the axis); ``Phi`` shear number, 0 without shear.
    """

    h: Array
    EA: Array
    EI: Array
    GJ: Array
    rho_A: Array
    rho_I: Array
    Phi: Array


class ShaftBending(NamedTuple):
    """``field``: bending over (w, t) of each node, with all factors, and mass of the deflection only; ``rotary``:
    int rho I N_t N_t^T dx, the inertia of the rotating sections about a diameter.
    """  # noqa: D205

    field: FieldMatrices
    rotary: sparse.csr_array


def shaft_elements(
    h: Array, outer: Array, inner: Array, E: Array, G: Array, rho: Array, kappa: Array | None
) -> ShaftElements:
    """Return elements of lengths ``h`` with outer and inner diameters, m, of materials E, G and rho, all (m,) arrays.

    ``kappa`` is the shear coefficient; None leaves shear out.
    """
    A = 0.25 * np.pi * (outer**2 - inner**2)
    inertia = np.pi / 64.0 * (outer**4 - inner**4)
    Phi = np.zeros_like(h) if kappa is None else 12.0 * E * inertia / (kappa * G * A * h**2)
    return ShaftElements(h, E * A, E * inertia, 2.0 * G * inertia, rho * A, rho * inertia, Phi)


def shaft_bending(elements: ShaftElements) -> ShaftBending:
    """Return the matrices of bending in one plane."""
    h, Phi = elements.h, elements.Phi
    hermite, quadratic = unit_hermite(), _unit_lagrange(2)
    W, T, gamma = _shapes(h, Phi)
    bending = _block(T, quadratic.K) * (elements.EI / h)[:, None, None]
    # kappa G A h = 12 E I / (Phi h): 0/0 without shear, for which gamma is zero
    shear = np.divide(12.0 * elements.EI, Phi * h, out=np.zeros_like(h), where=Phi > 0.0)
    bending += gamma[:, :, None] * gamma[:, None, :] * shear[:, None, None]
    dofs, size = 2 * np.arange(h.size)[:, None] + np.arange(4), 2 * h.size + 2
    mass = _block(W, hermite.M) * (elements.rho_A * h)[:, None, None]
    rotary = _block(T, quadratic.M) * (elements.rho_I * h)[:, None, None]
    load = np.einsum("eij,i->ej", W, hermite.load) * (elements.rho_A * h)[:, None]
    modes = bending_modes(h)
    stiffness = modes.D * np.concatenate([elements.EI, elements.EI / (1.0 + Phi)])
    field = FieldMatrices(
        assemble_elements(bending, dofs, size),
        assemble_elements(mass, dofs, size),
        add_elements(load, dofs, size),
        Strain(modes.ptr, modes.i, modes.j, modes.c, stiffness, size),
    )
    return ShaftBending(field, assemble_elements(rotary, dofs, size))


def shaft_line(elements: ShaftElements, stiffness: Array, mass: Array) -> FieldMatrices:
    """Return the matrices of stretching (``stiffness`` EA, ``mass`` rho A) or torsion (GJ, 2 rho I)."""
    unit, h = _unit_lagrange(1), elements.h
    dofs, size = np.arange(h.size)[:, None] + np.arange(2), h.size + 1
    modes = stretching_modes(np.concatenate([[0.0], np.cumsum(h)]), 1)
    return FieldMatrices(
        assemble_elements(unit.K * (stiffness / h)[:, None, None], dofs, size),
        assemble_elements(unit.M * (mass * h)[:, None, None], dofs, size),
        add_elements(unit.load * (mass * h)[:, None], dofs, size),
        Strain(modes.ptr, modes.i, modes.j, modes.c, stiffness / h, size),
    )


class Plane(NamedTuple):
    """A plane of bending: its unknown i is ``sign[i]`` times unknown ``dof[i]`` of the body."""

    dof: IntArray
    sign: Array


def rotating(A: sparse.csr_array, first: Plane, second: Plane, size: int) -> sparse.csr_array:
    """Return the skew matrix with A, symmetric, from the second plane to the first and -A from the first to the second.

    So gyroscopic moments (A = 2 ``rotary``) and damping that rotates with the shaft (A = beta K) couple two planes.
    """
    coo = sparse.csr_array(A).tocoo()
    data = coo.data * first.sign[coo.row] * second.sign[coo.col]
    where = (first.dof[coo.row], second.dof[coo.col])
    ahead = sparse.csr_array(sparse.coo_array((data, where), shape=(size, size)))
    return sparse.csr_array(ahead - ahead.T)


class _Unit(NamedTuple):
    """Lagrange element on [0, 1]: stiffness, mass and load."""

    K: Array
    M: Array
    load: Array


@cache
def _unit_lagrange(order: int) -> _Unit:
    field = axial_field(np.array([0.0, 1.0]), order)
    return _Unit(field.K.toarray(), field.M.toarray(), field.load)


def _shapes(h: Array, Phi: Array) -> tuple[Array, Array, Array]:
    """Return the maps from (w0, t0, w1, t1) to the fields of the elements.

    To the unknowns (w0, h w0', w1, h w1') of the cubic, (m, 4, 4), to the values (t0, t_mid, t1) of the quadratic,
    (m, 3, 4), and to gamma, (m, 4).
    """
    one, none = np.ones_like(h), np.zeros_like(h)
    # rotation of the chord beyond the mean of the sections, (m, 4)
    chord = np.stack([-1.0 / h, -0.5 * one, 1.0 / h, -0.5 * one], axis=1)
    gamma = (Phi / (1.0 + Phi))[:, None] * chord
    W = np.zeros((h.size, 4, 4))
    W[:, 0, 0] = W[:, 2, 2] = 1.0
    W[:, 1, 1] = W[:, 3, 3] = h
    W[:, [1, 3]] += (h[:, None] * gamma)[:, None, :]
    T = np.zeros((h.size, 3, 4))
    T[:, 0, 1] = T[:, 2, 3] = 1.0
    T[:, 1] = np.stack([none, 0.5 * one, none, 0.5 * one], axis=1) + 1.5 * chord / (1.0 + Phi)[:, None]
    return W, T, gamma


def _block(shapes: Array, unit: Array) -> Array:
    """Return S^T U S of each element."""
    return np.asarray(np.swapaxes(shapes, 1, 2) @ unit @ shapes)
