"""Refinement of an answer: the equations of its set once more, with residuals in twice the working precision.

Where the masses of touching bodies differ by many powers of ten, the terms of ``w = W z + b`` are far larger than b
and cancel. A residual summed in working precision is then round-off itself, and a correction made from it is no
better. With exact products and a compensated sum, the corrections bring z to the nearest numbers there are.
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.compilation.jit import allocating
from flexmb.kernels.lcp.lcp_active import EPS, eliminate, members, scaled_block, substitute
from flexmb.kernels.lcp.lcp_residual import violation
from flexmb.state import Array, IntArray

STEPS = 6
"""Corrections; each gains as many digits as the elimination has right, at least three for what counts as regular."""
SPLIT = 134217729.0
"""2^27 + 1, which splits a number into two halves whose products are exact (Dekker)."""


@allocating
def exact_product(x: float, y: float) -> tuple[float, float]:
    """Return x y as a rounded product and its error."""
    p = x * y
    t = SPLIT * x
    xh = t - (t - x)
    xl = x - xh
    t = SPLIT * y
    yh = t - (t - y)
    yl = y - yh
    return p, ((xh * yh - p) + xh * yl + xl * yh) + xl * yl


@allocating
def accurate_row(W: Array, b: Array, z: Array, tail: Array, order: IntArray, i: int) -> float:
    """Return ``b_i + sum_j W_ij (z_j + tail_j)`` over the contacts of ``order``, summed in twice the precision."""
    s, rest = b[i], 0.0
    for q in range(order.size):
        j = order[q]
        p, e = exact_product(W[i, j], z[j])
        t = s + p
        u = t - s
        rest += (s - (t - u)) + (p - u) + e + W[i, j] * tail[j]
        s = t
    return s + rest


@allocating
def refine(W: Array, b: Array, z: Array) -> bool:
    """Solve the equations of the contacts with z > 0 again, more accurately.

    The new answer is kept when it settled to the last digit with the same contacts closed, or violates less.

    Parameters
    ----------
    W : (n, n) array
    b : (n,) array
    z : (n,) array
        In and out: an answer, z >= 0.

    Returns
    -------
    better : bool
        Whether z was changed.
    """
    n = b.size
    active = np.empty(n, np.bool_)
    for i in range(n):
        active[i] = z[i] > 0.0 and W[i, i] > 0.0
    order = members(active)
    closed = order.size
    if closed == 0:
        return False
    A, scale = scaled_block(W, order)
    rank = eliminate(A, order)
    order = order[:rank]
    trial, tail, x = np.zeros(n), np.zeros(n), np.empty(rank)
    for p in range(rank):
        trial[order[p]] = z[order[p]]
    same = rank == closed
    for k in range(STEPS):
        for p in range(rank):
            x[p] = -accurate_row(W, b, trial, tail, order, order[p]) * scale[order[p]]
        substitute(A, rank, x)
        for p in range(rank):
            j = order[p]
            step = tail[j] + x[p] * scale[j]
            total = trial[j] + step
            tail[j] = step - (total - trial[j])
            trial[j] = total
            if k == STEPS - 1:
                same = same and total > 0.0 and abs(step) <= EPS * total
    for i in range(n):
        trial[i] = max(trial[i], 0.0)
    if same or violation(W, b, trial)[1] < violation(W, b, z)[1]:
        for i in range(n):
            z[i] = trial[i]
        return True
    return False
