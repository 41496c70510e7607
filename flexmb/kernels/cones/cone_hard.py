"""Contact problems that sweeps, Newton's method and the proximal one leave: a rare stage, compiled when first reached.

Pyramids, ratios of slip to impulse, a smooth function and other starts follow each other until one has the residual
asked for. They are half of the machine code of ``solve_cones`` and few runs need them.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numba import carray  # type: ignore[attr-defined]

from flexmb.kernels.compilation.jit import allocating
from flexmb.kernels.compilation.pointers import floats
from flexmb.kernels.compilation.stages import Stage, call
from flexmb.kernels.cones.cone_limits import FIRST_PROXIMAL, MORE_SWEEPS, PROXIMAL_SYSTEMS, PYRAMIDS, SMOOTHED
from flexmb.kernels.cones.cone_nsgs import solve_nsgs
from flexmb.kernels.cones.cone_project import block_starts
from flexmb.kernels.cones.cone_proximal import LUCK, solve_proximal_newton
from flexmb.kernels.cones.cone_pyramid import solve_pyramids
from flexmb.kernels.cones.cone_residual import cone_scales
from flexmb.kernels.cones.cone_restart import solve_restarted
from flexmb.kernels.cones.cone_rows import SparseRows, sparse_rows
from flexmb.kernels.cones.cone_sent import (
    BLOCKS,
    HEAD,
    ITERATIONS,
    LIMIT,
    ONLY_PYRAMIDS,
    RESIDUAL,
    TOLERANCE,
    cone_places,
    cone_room,
    fill_cones,
    read_laws,
)
from flexmb.kernels.cones.cone_smooth import solve_smooth
from flexmb.kernels.cones.cone_viscous import solve_viscous
from flexmb.state import Array, IntArray


@allocating
def _persist(
    W: Array,
    rows: SparseRows,
    b: Array,
    D: Array,
    shape: IntArray,
    start: IntArray,
    law: Array,
    x: Array,
    P: Array,
    residual: float,
    max_iter: int,
    tol: float,
) -> tuple[int, float]:
    """Go on where nothing has helped so far, from x, which sweeps had reached; P gets what is better than it.

    How long the proximal method takes is a matter of luck: it is started again in other ways and after more sweeps.
    """
    iterations = 0
    limit = max_iter if max_iter > 0 else PROXIMAL_SYSTEMS
    y = np.empty(b.size)
    for attempt in range(len(MORE_SWEEPS)):
        k, r = solve_nsgs(rows, b, D, shape, start, law, x, 1.0 if attempt < 5 else 0.8, MORE_SWEEPS[attempt], tol)
        y[:] = x
        if attempt == 3 and b.size <= SMOOTHED:
            more, r = solve_smooth(W, b, D, shape, start, law, y, tol)
            k += more
        if r > tol:
            most = FIRST_PROXIMAL if attempt < 3 else limit
            first, share = LUCK[(attempt + 1) % len(LUCK)]
            more, r = solve_proximal_newton(W, b, D, shape, start, law, y, first, share, most, tol)
            k += more
        iterations += k
        if r < residual:
            residual = r
            P[:] = y
        if residual <= tol:
            break
    return iterations, residual


@allocating
def _one_after_the_other(
    W: Array,
    b: Array,
    D: Array,
    shape: IntArray,
    start: IntArray,
    law: Array,
    x: Array,
    P: Array,
    residual: float,
    max_iter: int,
    tol: float,
) -> tuple[int, float]:
    """Go on from P, and from x, which sweeps had reached; P gets the answer, or the best found."""
    iterations, small = 0, b.size <= PYRAMIDS
    if small:
        k, residual = solve_pyramids(W, b, D, shape, start, law, P, 0, tol)
        iterations += k
    if residual > tol and small:
        k, residual = solve_viscous(W, b, D, shape, start, law, P, tol)
        iterations += k
    if residual > tol:
        k, residual = _persist(W, sparse_rows(W), b, D, shape, start, law, x, P, residual, max_iter, tol)
        iterations += k
    if residual > tol and small:
        k, residual = solve_restarted(W, b, D, shape, start, law, P, residual, tol)
        iterations += k
    return iterations, residual


def solve_sent_hard(at: int, n: int) -> int:
    """Go on with the problem of n rows at an address; its array gets the answer."""
    head = carray(floats(at), (HEAD,))
    nb, room = int(head[BLOCKS]), cone_room(n, int(head[BLOCKS]))
    sent = carray(floats(at), (room + n,))
    at_W, at_b, at_P, at_shape, _ = cone_places(n, nb)
    W = sent[at_W:at_b].reshape((n, n))
    b, P, x = sent[at_b:at_P], sent[at_P:at_shape], sent[room : room + n]
    shape, law = read_laws(sent, n, nb)
    start, W_ii = block_starts(shape), np.empty(n)
    for i in range(n):
        W_ii[i] = W[i, i]
    D, limit, tol = cone_scales(W_ii, shape, start), int(sent[LIMIT]), sent[TOLERANCE]
    if sent[ONLY_PYRAMIDS] > 0.0:
        iterations, residual = solve_pyramids(W, b, D, shape, start, law, P, limit, tol)
    else:
        iterations, residual = _one_after_the_other(W, b, D, shape, start, law, x, P, sent[RESIDUAL], limit, tol)
    sent[ITERATIONS], sent[RESIDUAL] = float(iterations), residual
    return 0


HARD_CONES = Stage(solve_sent_hard)


@cache
def hard_cones() -> int:
    """Return what ``send_hard`` calls: one door for all problems that come from Python."""
    return HARD_CONES.door()


@allocating
def send_hard(
    address: int,
    W: Array,
    b: Array,
    shape: IntArray,
    law: Array,
    x: Array,
    P: Array,
    residual: float,
    pyramids: bool,
    max_iter: int,
    tol: float,
) -> tuple[int, float]:
    """Send a problem to ``HARD_CONES`` with the best answer so far, P, and what sweeps had reached, x.

    ``pyramids`` asks for nothing else. Returns iterations and residual; P gets the answer, or the best found.
    """
    n, nb = b.size, shape.shape[0]
    at_P, room = cone_places(n, nb)[2], cone_room(n, nb)
    sent = np.empty(room + n)
    fill_cones(sent, W, b, shape, law, P, 0, max_iter, tol)
    sent[RESIDUAL], sent[ONLY_PYRAMIDS] = residual, 1.0 if pyramids else 0.0
    for i in range(n):
        sent[room + i] = x[i]
    call(address, sent.ctypes.data, n)
    for i in range(n):
        P[i] = sent[at_P + i]
    return int(sent[ITERATIONS]), float(sent[RESIDUAL])
