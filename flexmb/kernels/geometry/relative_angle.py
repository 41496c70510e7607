"""Derivatives of the axis w of a relative angle by the poses of its markers (theta' = w . (omega_B - omega_A))."""

from __future__ import annotations

from flexmb.kernels.compilation.jit import inner
from flexmb.kernels.geometry.vectors import Vector, combine, cross, dot
from flexmb.state import Array


@inner
def axis_change(RA: Array, RB: Array) -> tuple[Vector, Vector, Vector, float]:
    """Return x, e, m and rho^2 of the change of w = x x e / rho^2 of a relative angle, e = c y_A - s x_A.

    With c = x_A . x, s = y_A . x, x = x_B and m = x x (c x_A + s y_A):
    dw = W (dtheta_B - dtheta_A) - w~ dtheta_A, W = (x e^T - w m^T - m w^T) / rho^2, rho^2 = c^2 + s^2.
    (Both markers turning together turn w; x . e = 0 takes the identity out of W.)
    """
    x = (RB[0, 0], RB[1, 0], RB[2, 0])
    xA, yA = (RA[0, 0], RA[1, 0], RA[2, 0]), (RA[0, 1], RA[1, 1], RA[2, 1])
    c, s = dot(xA, x), dot(yA, x)
    return x, combine(c, yA, -s, xA), cross(x, combine(c, xA, s, yA)), c * c + s * s
