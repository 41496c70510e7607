"""Relative angles between markers, and the derivatives of ANGLE rows (``constraint_rows``).

c = x_A . x_B, s = y_A . x_B, theta = atan2(s, c), theta' = w . (omega_B - omega_A), w = x_B x (c y_A - s x_A) / (c^2 +
s^2).
"""

from __future__ import annotations

import math

from flexmb.kernels.compilation.jit import inner, kernel
from flexmb.kernels.geometry.pose_blocks import add, add_outer
from flexmb.kernels.geometry.relative_angle import axis_change
from flexmb.kernels.geometry.tables import Angles, AngleState, MarkerState, Rows
from flexmb.kernels.geometry.vectors import Vector, column, cross, dot, plus, put, taken, times, turning_dot
from flexmb.state import Array


@kernel
def angles(angles: Angles, mstate: MarkerState, astate: AngleState) -> None:
    """Write theta (the branch nearest to ``turn``), w and rate of all angles."""
    for k in range(angles.A.size):
        A, B = angles.A[k], angles.B[k]
        c, s, pc, ps = _cosine_sine(mstate, A, B)
        theta = math.atan2(s, c)
        theta += 2.0 * math.pi * math.floor((astate.turn[k] - theta) / (2.0 * math.pi) + 0.5)
        # an x_B along z_A makes it not finite, and the step fails
        scale = 1.0 / (c * c + s * s)
        w = plus(times(c * scale, ps), -s * scale, pc)
        astate.theta[k] = theta
        put(w, astate.w, k, 0)
        astate.rate[k] = dot(w, plus(taken(mstate.twist, B, 3), -1.0, taken(mstate.twist, A, 3)))


@inner
def _cosine_sine(mstate: MarkerState, A: int, B: int) -> tuple[float, float, Vector, Vector]:
    """Return c, s and their gradients x_B x x_A, x_B x y_A by the turn of B against A."""
    x, y, xb = column(mstate.R, A, 0), column(mstate.R, A, 1), column(mstate.R, B, 0)
    return dot(x, xb), dot(y, xb), cross(xb, x), cross(xb, y)


@inner
def angle_bias(mstate: MarkerState, A: int, B: int, rate: float) -> float:
    """Return the contribution of rotation to the second time derivative of an angle, besides w .

    (bias of the twists).
    """
    c, s, pc, ps = _cosine_sine(mstate, A, B)
    wa, wb = taken(mstate.twist, A, 3), taken(mstate.twist, B, 3)
    turn = plus(wb, -1.0, wa)
    xb = column(mstate.R, B, 0)
    c2 = turning_dot(column(mstate.R, A, 0), xb, wa, wb)
    s2 = turning_dot(column(mstate.R, A, 1), xb, wa, wb)
    growth = 2.0 * (c * dot(pc, turn) + s * dot(ps, turn))
    return (c * s2 - s * c2 - rate * growth) / (c * c + s * s)


@inner
def angle_stiffness(
    rows: Rows, angles: Angles, r: int, lam: float, mstate: MarkerState, astate: AngleState, K6: Array
) -> None:
    """Add the blocks of an ANGLE row: lam times the changes of +-w, W with B and -(W + w~) with A (``axis_change``).

    W rho^2 = x e^T + S with the symmetric S = -(w m^T + m w^T), and (W + w~) rho^2 = e x^T + S, since w rho^2 = x x e.
    """
    slots = rows.ptr[r + 1] - rows.ptr[r]
    for p in range(slots // 2):
        a = rows.angle[r, p]
        w = taken(astate.w, a, 0)
        x, e, m, square = axis_change(mstate.R[angles.A[a]], mstate.R[angles.B[a]])
        scale = lam * rows.b[r, p] / square
        for i in range(2):
            for j in range(2):
                # row of A: the gradient is -w; column of A: the turn of B against A is backwards
                side = -scale if i == j else scale
                block = rows.pair[r] + (2 * p + i) * slots + 2 * p + j
                add_outer(K6, block, -side, w, m, 3)
                add_outer(K6, block, -side, m, w, 3)
                if j == 1:
                    add_outer(K6, block, side, x, e, 3)
                else:
                    add_outer(K6, block, side, e, x, 3)


@inner
def angle_curvature(rows: Rows, angles: Angles, r: int, mstate: MarkerState, astate: AngleState, h: Array) -> None:
    """Add the transposed derivatives of w (see ``angle_stiffness``) times the relative angular velocity."""
    for p in range((rows.ptr[r + 1] - rows.ptr[r]) // 2):
        a = rows.angle[r, p]
        A, B = angles.A[a], angles.B[a]
        turn = plus(taken(mstate.twist, B, 3), -1.0, taken(mstate.twist, A, 3))
        x, e, m, square = axis_change(mstate.R[A], mstate.R[B])
        both = plus(times(-dot(m, turn), taken(astate.w, a, 0)), -astate.rate[a], m)
        scale = rows.b[r, p] / square
        add(h, 2 * p, 3, -scale, plus(both, dot(e, turn), x))
        add(h, 2 * p + 1, 3, scale, plus(both, dot(x, turn), e))
