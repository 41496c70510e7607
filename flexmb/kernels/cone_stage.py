"""Contact problems with friction in compiled loops: a rare stage, to which a problem is sent in one array.

A loop that calls ``solve_cones`` by address is compiled without it. The problem of n rows in nb blocks is written into
an array of ``cone_room(n, nb)`` numbers: the head, then W by rows (n n), b (n), P (n), shape (3 nb), law (3 nb), at the
places that ``cone_places`` returns. ``call(CONES.door(), sent.ctypes.data, n)`` puts the answer in the place of P
and fills ``ITERATIONS``, ``RESIDUAL`` and ``WORST``. ``send_cones`` does all of it for arrays that lie elsewhere.
"""

from __future__ import annotations

import numpy as np
from numba import carray  # type: ignore[attr-defined]

from flexmb.kernels.cones import solve_cones
from flexmb.kernels.jit import allocating, kernel
from flexmb.kernels.pointers import floats
from flexmb.kernels.stages import Stage, call
from flexmb.state import Array, IntArray

METHOD, LIMIT, TOLERANCE, ITERATIONS, RESIDUAL, WORST, BLOCKS, HEAD = 0, 1, 2, 3, 4, 5, 6, 7
"""Places in the head of the array."""


@kernel
def cone_places(n: int, nb: int) -> tuple[int, int, int, int, int]:
    """Return where W, b, P, shape and law begin."""
    b = HEAD + n * n
    return HEAD, b, b + n, b + 2 * n, b + 2 * n + 3 * nb


@kernel
def cone_room(n: int, nb: int) -> int:
    """Return the numbers that a problem of n rows in nb blocks takes."""
    return HEAD + n * n + 2 * n + 6 * nb


def solve_sent_cones(at: int, n: int) -> int:
    """Solve the problem of n rows at an address (``solve_cones``); its array gets the answer."""
    nb = int(carray(floats(at), (HEAD,))[BLOCKS])
    sent = carray(floats(at), (cone_room(n, nb),))
    at_W, at_b, at_P, at_shape, at_law = cone_places(n, nb)
    W = sent[at_W:at_b].reshape((n, n))
    b, P = sent[at_b:at_P], sent[at_P:at_shape]
    shape, law = np.empty((nb, 3), np.int64), np.empty((nb, 3))
    for i in range(nb):
        for d in range(3):
            shape[i, d] = int(sent[at_shape + 3 * i + d])
            law[i, d] = sent[at_law + 3 * i + d]
    iterations, residual, worst = solve_cones(W, b, shape, law, P, int(sent[METHOD]), int(sent[LIMIT]), sent[TOLERANCE])
    sent[ITERATIONS], sent[RESIDUAL], sent[WORST] = float(iterations), residual, float(worst)
    return 0


CONES = Stage(solve_sent_cones)


@allocating
def send_cones(
    address: int,
    W: Array,
    b: Array,
    shape: IntArray,
    law: Array,
    P: Array,
    method: int,
    max_iter: int,
    tol: float,
) -> tuple[int, float, int]:
    """Do what ``solve_cones`` does, by the address of ``CONES`` (``CONES.door()``)."""
    n, nb = b.size, shape.shape[0]
    at_W, at_b, at_P, at_shape, at_law = cone_places(n, nb)
    sent = np.empty(cone_room(n, nb))
    sent[METHOD], sent[LIMIT], sent[TOLERANCE], sent[BLOCKS] = float(method), float(max_iter), tol, float(nb)
    sent[ITERATIONS], sent[RESIDUAL], sent[WORST] = 0.0, np.inf, 0.0  # should the solver not be compiled
    for i in range(n):
        sent[at_b + i] = b[i]
        sent[at_P + i] = P[i]
        for j in range(n):
            sent[at_W + n * i + j] = W[i, j]
    for i in range(nb):
        for d in range(3):
            sent[at_shape + 3 * i + d] = float(shape[i, d])
            sent[at_law + 3 * i + d] = law[i, d]
    call(address, sent.ctypes.data, n)
    for i in range(n):
        P[i] = sent[at_P + i]
    return int(sent[ITERATIONS]), float(sent[RESIDUAL]), int(sent[WORST])
