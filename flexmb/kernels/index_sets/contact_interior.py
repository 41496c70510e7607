"""An interior-point method for many contacts: Mehrotra's predictor and corrector on the softened bordered matrix.

    (W + diag(y / z)) dz = -(W z + b) + t / z,      y + dy = t / z - (y / z) dz

follows the path on which z_i y_i falls evenly to zero, y being w on its way there. The number of its steps, some
twenty, hardly depends on how many contacts there are nor on how close they are; it needs no first guess and profits of
none, and redundant contacts share their impulse. W must be positive semidefinite, which it is but for spin and damping.
"""

from __future__ import annotations

from flexmb.kernels.algebra.bordered import Border, factor_set, forget_set, solve_set
from flexmb.kernels.compilation.jit import inner
from flexmb.kernels.index_sets.contact_problem import Sets
from flexmb.kernels.index_sets.contact_response import Response, add_response

STEPS = 40
"""Most steps along the path."""
NEAR = 1e-20
"""Product of impulse and velocity, over the square of the largest velocity, at which the path has come to its end."""
BACK = 0.995
"""Share of the way to the nearest bound that a step goes."""


@inner
def _length(s: Sets) -> float:
    """Return how far dz and dw can be followed until a row reaches zero, at most 1."""
    length = 1.0
    for i in range(s.b.size):
        if s.active[i] > 0:
            if s.dz[i] < 0.0:
                length = min(length, -s.z[i] / s.dz[i])
            if s.dw[i] < 0.0:
                length = min(length, -s.slack[i] / s.dw[i])
    return length


@inner
def _direction(B: Border, s: Sets, towards: float) -> None:
    """Solve for ``dz`` and ``dw``; with ``towards`` > 0 corrected for the products of those before, in place."""
    m = s.b.size
    for i in range(m):
        if s.active[i] > 0:
            target = towards / B.own[i] - s.dz[i] * s.dw[i] if towards > 0.0 else 0.0
            s.dw[i] = target / s.z[i]
            s.r[i] = -s.w[i] + s.dw[i]
        else:
            s.r[i] = 0.0
    solve_set(B, s.r, s.dz)
    for i in range(m):
        if s.active[i] > 0:
            s.dw[i] -= s.slack[i] + B.soft[i] * s.dz[i]


@inner
def _product(B: Border, s: Sets, length: float) -> float:
    """Return the mean of own z y after a step of a length."""
    total, count = 0.0, 0
    for i in range(s.b.size):
        if s.active[i] > 0:
            total += B.own[i] * (s.z[i] + length * s.dz[i]) * (s.slack[i] + length * s.dw[i])
            count += 1
    return total / count


@inner
def find_interior(B: Border, R: Response, s: Sets, low: int, high: int) -> int:
    """Follow the path on the rows ``low`` .. ``high - 1`` that are asked for, the impulses of the others being given.

    Leaves ``z``, and ``active`` where the impulse outweighs the velocity. Rows without compliance of their own are left
    out. Returns the number of steps.
    """
    m = s.b.size
    for i in range(m):
        s.active[i] = 1 if low <= i < high and s.asked[i] > 0 and B.own[i] > 0.0 else 0
        s.w[i] = s.b[i]
        if low <= i < high:
            s.z[i] = 0.0
    add_response(B, R, s.z, s.w)
    scale = 0.0
    for i in range(m):
        if s.active[i] > 0:
            scale = max(scale, abs(s.w[i]))
    for i in range(m):
        if s.active[i] > 0:
            s.z[i] = scale / B.own[i]
            s.slack[i] = scale
    steps = 0
    while scale > 0.0 and steps < STEPS:
        off = _soften(B, R, s)
        mean = _product(B, s, 0.0)
        if not mean > NEAR * scale * scale and off <= 1e-12 * scale:
            break
        factor_set(B, s.active, True)
        steps += 1
        _direction(B, s, 0.0)
        ahead = max(_product(B, s, _length(s)) / mean, 0.0)
        _direction(B, s, mean * ahead * ahead * ahead)
        length = min(1.0, BACK * _length(s))
        if not length > 1e-12:
            break
        for i in range(m):
            if s.active[i] > 0:
                s.z[i] += length * s.dz[i]
                s.slack[i] += length * s.dw[i]
    forget_set(B)
    for i in range(m):
        if s.active[i] > 0:
            s.active[i] = 1 if B.own[i] * s.z[i] > s.slack[i] else 0
    return steps


@inner
def _soften(B: Border, R: Response, s: Sets) -> float:
    """Write W z + b into ``w`` and y / z into ``soft``; return how far y is from w."""
    for i in range(s.b.size):
        s.w[i] = s.b[i]
        s.dz[i] = s.dw[i] = 0.0
    add_response(B, R, s.z, s.w)
    off = 0.0
    for i in range(s.b.size):
        if s.active[i] > 0:
            off = max(off, abs(s.w[i] - s.slack[i]))
            B.soft[i] = s.slack[i] / s.z[i]
    return off
