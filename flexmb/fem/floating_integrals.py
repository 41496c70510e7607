"""Inertia of a flexible body in its own frame: the polynomials of ``geometry.tables.Floating`` from its points."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.state import Array


class FloatingIntegrals(NamedTuple):
    """Coefficients of the mass matrix over (V, omega, eta'), m modes; see ``kernels.geometry.tables.Floating``."""

    rr0: Array  # (6, 6)
    rr1: Array  # (m, 6, 6)
    rr2: Array  # (m, m, 6, 6)
    rf0: Array  # (m, 6)
    rf1: Array  # (m, m, 6)
    ff: Array  # (m, m)


def cross_matrices(a: Array) -> Array:
    """Return a~ of vectors (..., 3), with a~ b = a x b, as (..., 3, 3)."""
    out = np.zeros((*a.shape, 3))
    out[..., 0, 1], out[..., 0, 2], out[..., 1, 2] = -a[..., 2], a[..., 1], -a[..., 0]
    return np.asarray(out - np.swapaxes(out, -1, -2))


def floating_integrals(s: Array, mass: Array, shapes: Array, spin: Array, turns: Array) -> FloatingIntegrals:
    """Return the integrals of a body of g points that move by V + omega x (s + u) + u', u = sum_k eta_k shape_k.

    The points may be those of a quadrature rule; all integrals are then as exact as the rule. The sections of a beam
    may also spin: with omega_x + sum_k eta'_k turn_k about the x axis of the frame.

    Parameters
    ----------
    s : (g, 3) array
        Points in the axes of the frame, m.
    mass : (g,) array
        kg.
    shapes : (g, 3, m) array
        Displacement of the points per mode.
    spin : (g,) array
        Inertia of the sections about x, kg m^2.
    turns : (g, m) array
        Rotation of the sections about x per mode.
    """
    g, _, m = shapes.shape
    whole = np.zeros((g, 3, 6))  # velocity of a point by (V, omega), undeformed
    whole[:, :, :3], whole[:, :, 3:] = np.eye(3), -cross_matrices(s)
    change = np.zeros((m, g, 3, 6))  # and the contribution of a unit of mode k
    change[..., 3:] = -cross_matrices(np.moveaxis(shapes, 2, 0))
    heavy = mass[:, None, None] * whole
    rr0 = np.einsum("gia,gib->ab", heavy, whole)
    rr0[3, 3] += spin.sum()
    half = np.einsum("gia,kgib->kab", heavy, change)
    rf0 = np.einsum("gia,gik->ka", heavy, shapes)
    rf0[:, 3] += spin @ turns
    # one long product per pair of factors instead of a sum over five indices
    flat = (change * np.sqrt(mass)[:, None, None]).reshape(m, g * 3, 6)
    long = np.moveaxis(shapes * np.sqrt(mass)[:, None, None], 2, 0).reshape(m, g * 3)
    rr2 = np.tensordot(flat, flat, axes=(1, 1)).transpose(0, 2, 1, 3)
    rf1 = np.tensordot(flat, long, axes=(1, 1)).transpose(0, 2, 1)
    ff = long @ long.T + turns.T @ (spin[:, None] * turns)
    return FloatingIntegrals(
        rr0=0.5 * (rr0 + rr0.T),
        rr1=half + half.transpose(0, 2, 1),
        rr2=rr2,
        rf0=rf0,
        rf1=rf1,
        ff=0.5 * (ff + ff.T),
    )
