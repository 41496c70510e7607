"""Distance of a point from a planar curve made of pieces: the gap of a CURVE row, its normal and its curvature.

A curve lies in the x, y plane of a marker and is run through in one sense. A point at the left of it, seen along that
sense, has a positive distance delta from its nearest point, the *foot*. With the unit tangent t and the curvature kappa
of the curve at the foot (positive where it turns to the left),

    g = side delta,    dg/dx = n = side (-t_y, t_x),    d2g/dx2 = bend t t^T,    bend = -side kappa / (1 - kappa delta)

side = 1 where the free side is the left one, -1 where it is the right one. Where the nearest point is the end v of a
piece, what counts is how the next piece goes on there:

    CONVEX    both pieces turn away from the free side: g = |x - v|, the normal turns about the corner; where a ball
              rolls around it, the corner is an ARC of the radius 0 and its ends are SMOOTH
    CONCAVE   they turn towards it: each of them has a row of its own (a *chain* of pieces), and goes on straight
    KINK      in a slot, where there is one row: the two go on straight, up to the line that halves their angle
    SMOOTH    the tangents are equal: the piece goes on as it bends
    OPEN      there is no next piece: g = |x - v|, the curve has no side there
    STRAIGHT  there is none, and the last one goes on straight

A chain that ends in a concave corner goes on straight only as long as the next piece, or itself, is what is nearest to
the point: elsewhere its gap is the distance |x - v|, so that it acts through no other part of the curve.
"""

from __future__ import annotations

import math

from flexmb.kernels.compilation.jit import inner, kernel
from flexmb.kernels.geometry.tables import Curves
from flexmb.state import Array

LINE, ARC, CUBIC = 0, 1, 2
"""Kinds of pieces; parabolas and splines are cubic polynomials of a parameter from 0 to 1."""

OPEN, STRAIGHT, SMOOTH, CONVEX, CONCAVE, KINK = 0, 1, 2, 3, 4, 5
"""Kinds of ends of a piece."""

KIND, X0, Y0, X1, Y1, TX0, TY0, TX1, TY1, K0, K1, BEFORE, AFTER, PREVIOUS, NEXT, SIZE, DATA = range(17)
"""Numbers of a piece: kind; first and last point, tangents and curvatures there; what stands at its two ends, and
which pieces; the size of the curve. Then those of its kind: centre, radius, first angle and signed angle of an ARC;
four coefficients of x and four of y of a CUBIC."""
NUMBERS = DATA + 8

FIRST, LAST, BEGIN, END = 0, 1, 2, 3
"""Numbers of a row: first and last piece of its chain, first and last piece of the whole curve."""

SAMPLES = 8
"""Intervals of a cubic piece in which its nearest point is looked for."""
ALIGNED = 1e-7
"""Sine of the angle up to which a point counts as across the end of a piece that goes on smoothly."""
AT_END = 1e-9
"""Way along the tangent up to which it does, over the size of the curve."""
EQUAL = 1e-12
"""Difference of squared distances, over these, that is none."""
AT_CORNER = 1e-15
"""Distance from a corner, over the size of the curve, at which there is no direction from it."""

Place = tuple[float, float, float, float, float]
"""A point of a piece, its unit tangent, its curvature."""
Gap = tuple[float, float, float, float, int]
"""g, the normal n, bend, and the piece of the foot."""


@inner
def _cubic(P: Array, k: int, s: float) -> tuple[float, float, float, float, float, float]:
    """Return the point of a cubic piece at s, and its first and second derivatives."""
    c, d, e, f = P[k, DATA], P[k, DATA + 1], P[k, DATA + 2], P[k, DATA + 3]
    p, q, r, u = P[k, DATA + 4], P[k, DATA + 5], P[k, DATA + 6], P[k, DATA + 7]
    return (
        c + s * (d + s * (e + s * f)),
        p + s * (q + s * (r + s * u)),
        d + s * (2.0 * e + 3.0 * s * f),
        q + s * (2.0 * r + 3.0 * s * u),
        2.0 * e + 6.0 * s * f,
        2.0 * r + 6.0 * s * u,
    )


@kernel
def place_on(P: Array, k: int, s: float) -> Place:
    """Return the point of piece k at the parameter s, 0 to 1, its unit tangent, and its curvature."""
    if P[k, KIND] == LINE:
        x, y = P[k, X0] + s * (P[k, X1] - P[k, X0]), P[k, Y0] + s * (P[k, Y1] - P[k, Y0])
        return x, y, P[k, TX0], P[k, TY0], 0.0
    if P[k, KIND] == ARC:
        angle, turn = P[k, DATA + 3] + s * P[k, DATA + 4], math.copysign(1.0, P[k, DATA + 4])
        c, d, r = math.cos(angle), math.sin(angle), P[k, DATA + 2]
        return P[k, DATA] + r * c, P[k, DATA + 1] + r * d, -turn * d, turn * c, turn / r
    x, y, dx, dy, ddx, ddy = _cubic(P, k, s)
    speed = math.sqrt(dx * dx + dy * dy)
    return x, y, dx / speed, dy / speed, (dx * ddy - dy * ddx) / speed**3


@inner
def _slope(P: Array, k: int, s: float, x: float, y: float) -> tuple[float, float]:
    """Return the derivative by s of half the square of the distance to a cubic piece, and that of it."""
    a, b, dx, dy, ddx, ddy = _cubic(P, k, s)
    return (a - x) * dx + (b - y) * dy, dx * dx + dy * dy + (a - x) * ddx + (b - y) * ddy


@inner
def _root(P: Array, k: int, low: float, high: float, x: float, y: float) -> float:
    """Return where the distance has a minimum between two parameters with slopes below and above zero."""
    s = 0.5 * (low + high)
    for _ in range(60):
        f, df = _slope(P, k, s, x, y)
        if f < 0.0:
            low = s
        else:
            high = s
        new = s - f / df if df > 0.0 else low - 1.0
        if not low <= new <= high:
            new = 0.5 * (low + high)
        if abs(new - s) <= 4e-16:
            return new
        s = new
    return s


@inner
def _square(P: Array, k: int, s: float, x: float, y: float) -> float:
    """Return the square of the distance from the point of piece k at s."""
    if s <= 0.0:
        return (x - P[k, X0]) ** 2 + (y - P[k, Y0]) ** 2
    if s >= 1.0:
        return (x - P[k, X1]) ** 2 + (y - P[k, Y1]) ** 2
    a, b, _, _, _ = place_on(P, k, s)
    return (x - a) ** 2 + (y - b) ** 2


@inner
def _near_cubic(P: Array, k: int, x: float, y: float) -> tuple[float, float]:
    """Return parameter and squared distance of the nearest point of a cubic piece."""
    best, least = 0.0, _square(P, k, 0.0, x, y)
    before, _ = _slope(P, k, 0.0, x, y)
    for i in range(SAMPLES):
        s = (i + 1.0) / SAMPLES
        after, _ = _slope(P, k, s, x, y)
        if before < 0.0 and after >= 0.0:
            root = _root(P, k, i / SAMPLES, s, x, y)
            square = _square(P, k, root, x, y)
            if square < least:
                best, least = root, square
        before = after
    square = _square(P, k, 1.0, x, y)
    return (1.0, square) if square < least else (best, least)


@inner
def _near(P: Array, k: int, x: float, y: float) -> tuple[float, float]:
    """Return parameter, 0 to 1, and squared distance of the nearest point of piece k."""
    if P[k, KIND] == CUBIC:
        return _near_cubic(P, k, x, y)
    if P[k, KIND] == LINE:
        ex, ey = P[k, X1] - P[k, X0], P[k, Y1] - P[k, Y0]
        s = min(1.0, max(0.0, ((x - P[k, X0]) * ex + (y - P[k, Y0]) * ey) / (ex * ex + ey * ey)))
        if 0.0 < s < 1.0:
            return s, ((y - P[k, Y0]) * P[k, TX0] - (x - P[k, X0]) * P[k, TY0]) ** 2
        return s, _square(P, k, s, x, y)
    dx, dy, sweep = x - P[k, DATA], y - P[k, DATA + 1], P[k, DATA + 4]
    turned = math.copysign(1.0, sweep) * (math.atan2(dy, dx) - P[k, DATA + 3])
    s = (turned - 2.0 * math.pi * math.floor(turned / (2.0 * math.pi))) / abs(sweep)
    if 0.0 < s < 1.0:
        return s, (math.sqrt(dx * dx + dy * dy) - P[k, DATA + 2]) ** 2
    first, last = _square(P, k, 0.0, x, y), _square(P, k, 1.0, x, y)
    return (0.0, first) if first <= last else (1.0, last)


@inner
def _nearest(P: Array, first: int, last: int, x: float, y: float) -> tuple[int, float, float]:
    """Return the piece that is nearest, the parameter of its nearest point, and the squared distance.

    Where a corner is an arc of the radius 0, the ends of its neighbours are as near: then it is the arc.
    """
    piece, (best, least) = first, _near(P, first, x, y)
    for k in range(first + 1, last + 1):
        s, square = _near(P, k, x, y)
        inside, was = 0.0 < s < 1.0, 0.0 < best < 1.0
        limit = 1.0 + EQUAL if inside and not was else 1.0 - EQUAL if was and not inside else 1.0
        if square < limit * least:
            piece, best, least = k, s, square
    return piece, best, least


@inner
def _across(t_x: float, t_y: float, kappa: float, dx: float, dy: float, side: float, k: int) -> Gap:
    """Return the gap of a point at (dx, dy) from its foot."""
    delta = dy * t_x - dx * t_y
    less = 1.0 - kappa * delta
    bend = -side * kappa / less if less > 0.0 else 0.0
    return side * delta, -side * t_y, side * t_x, bend, k


@inner
def _around(dx: float, dy: float, n_x: float, n_y: float, size: float, k: int) -> Gap:
    """Return the distance of a point at (dx, dy) from a corner; at the corner itself along n, of any length."""
    rho = math.sqrt(dx * dx + dy * dy)
    if rho > AT_CORNER * size:
        return rho, dx / rho, dy / rho, 1.0 / rho, k
    length = math.sqrt(n_x * n_x + n_y * n_y)
    return rho, n_x / length, n_y / length, 0.0, k


@inner
def _beside(P: Array, k: int, s: float, x: float, y: float, side: float) -> Gap:
    """Return the gap of a point whose foot is inside piece k at s."""
    if P[k, KIND] == ARC:
        dx, dy, turn = x - P[k, DATA], y - P[k, DATA + 1], math.copysign(side, P[k, DATA + 4] * side)
        r = math.sqrt(dx * dx + dy * dy)
        if r == 0.0:
            return turn * P[k, DATA + 2], 0.0, 0.0, 0.0, k
        return turn * (P[k, DATA + 2] - r), -turn * dx / r, -turn * dy / r, -turn / r, k
    if P[k, KIND] == LINE:  # from its first point: exact wherever the foot is
        return _across(P[k, TX0], P[k, TY0], 0.0, x - P[k, X0], y - P[k, Y0], side, k)
    a, b, t_x, t_y, kappa = place_on(P, k, s)
    return _across(t_x, t_y, kappa, x - a, y - b, side, k)


@inner
def _at_end(P: Array, k: int, end: bool, x: float, y: float, side: float) -> Gap:
    """Return the gap of a point whose nearest point is the first or last (``end``) point of piece k."""
    v_x, v_y = (P[k, X1], P[k, Y1]) if end else (P[k, X0], P[k, Y0])
    t_x, t_y = (P[k, TX1], P[k, TY1]) if end else (P[k, TX0], P[k, TY0])
    kappa = P[k, K1] if end else P[k, K0]
    what, other = int(P[k, AFTER] if end else P[k, BEFORE]), int(P[k, NEXT] if end else P[k, PREVIOUS])
    dx, dy, n_x, n_y = x - v_x, y - v_y, -side * t_y, side * t_x
    if what == OPEN:
        return _around(dx, dy, n_x, n_y, P[k, SIZE], k)
    if what in (STRAIGHT, CONCAVE):
        return _across(t_x, t_y, 0.0, dx, dy, side, k)
    o_x, o_y = (P[other, TX0], P[other, TY0]) if end else (P[other, TX1], P[other, TY1])
    if what == KINK:
        later = dx * (t_x + o_x) + dy * (t_y + o_y) >= 0.0
        if later == end:
            return _across(o_x, o_y, 0.0, dx, dy, side, other)
        return _across(t_x, t_y, 0.0, dx, dy, side, k)
    along, delta = dx * t_x + dy * t_y, dy * t_x - dx * t_y
    if what == SMOOTH and abs(along) <= max(AT_END * P[k, SIZE], ALIGNED * abs(delta)):
        return _across(t_x, t_y, kappa, dx, dy, side, k)
    n_x, n_y = n_x - side * o_y, n_y + side * o_x
    g, u_x, u_y, bend, _ = _around(dx, dy, n_x, n_y, P[k, SIZE], k)
    if dx * n_x + dy * n_y < 0.0:
        return -g, -u_x, -u_y, -bend, k
    return g, u_x, u_y, bend, k


@inner
def _signed(P: Array, k: int, s: float, x: float, y: float, side: float) -> Gap:
    """Return the gap of a point whose nearest point is that of piece k at s."""
    if s <= 0.0 or s >= 1.0:
        return _at_end(P, k, s >= 1.0, x, y, side)
    return _beside(P, k, s, x, y, side)


@inner
def _extended(P: Array, k: int, x: float, y: float) -> float:
    """Return the parameter of the nearest point of a cubic piece that goes on beyond its ends."""
    s, _ = _near_cubic(P, k, x, y)
    if 0.0 < s < 1.0:
        return s
    for _ in range(20):
        f, df = _slope(P, k, s, x, y)
        if not df > 0.0:
            break
        s -= f / df
        if abs(f / df) <= 4e-16:
            break
    return s


@kernel
def held_gap(P: Array, k: int, x: float, y: float, side: float) -> Gap:
    """Return the gap to piece k alone, extended beyond its ends with its curvature."""
    s = _extended(P, k, x, y) if P[k, KIND] == CUBIC else 0.5
    return _beside(P, k, s, x, y, side)


@kernel
def curve_gap(curves: Curves, row: int, x: float, y: float) -> Gap:
    """Return the gap of the point (x, y) from a chain of a curve, the normal, its change, and the piece of the foot."""
    P, side, held = curves.piece, curves.side[row], curves.held[row]
    if held >= 0:
        return held_gap(P, held, x, y, side)
    first, last = curves.chain[row, FIRST], curves.chain[row, LAST]
    begin, end = curves.chain[row, BEGIN], curves.chain[row, END]
    k, s, square = _nearest(P, first, last, x, y)
    found = _signed(P, k, s, x, y, side)
    if first == begin and last == end:
        return found
    other, where, least = _nearest(P, begin, end, x, y)
    if first <= other <= last or least >= square:
        return found
    at_end = (s <= 0.0 and P[k, BEFORE] == CONCAVE) or (s >= 1.0 and P[k, AFTER] == CONCAVE)
    if other in (int(P[first, PREVIOUS]), int(P[last, NEXT])) and not (
        at_end and found[0] < 0.0 and 0.0 < where < 1.0 and _signed(P, other, where, x, y, side)[0] > 0.0
    ):
        return found
    a, b, t_x, t_y, _ = place_on(P, k, s)
    return _around(x - a, y - b, -side * t_y, side * t_x, P[k, SIZE], k)


@kernel
def beyond(P: Array, k: int, x: float, y: float) -> tuple[float, float]:
    """Return the distances of a point before the first and after the last point of piece k, along it, m."""
    if P[k, KIND] == LINE:
        before = -((x - P[k, X0]) * P[k, TX0] + (y - P[k, Y0]) * P[k, TY0])
        return before, (x - P[k, X1]) * P[k, TX1] + (y - P[k, Y1]) * P[k, TY1]
    if P[k, KIND] == ARC:  # from its middle, so that it is told how far it is from both ends
        dx, dy, half = x - P[k, DATA], y - P[k, DATA + 1], 0.5 * P[k, DATA + 4]
        turned = math.copysign(1.0, half) * (math.atan2(dy, dx) - P[k, DATA + 3] - half)
        turned -= 2.0 * math.pi * math.floor(turned / (2.0 * math.pi) + 0.5)
        r = math.sqrt(dx * dx + dy * dy)
        return r * (-turned - abs(half)), r * (turned - abs(half))
    s = _extended(P, k, x, y)
    chord = math.sqrt((P[k, X1] - P[k, X0]) ** 2 + (P[k, Y1] - P[k, Y0]) ** 2)
    return -s * chord, (s - 1.0) * chord
