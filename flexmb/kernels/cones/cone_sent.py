"""A contact problem with friction in one array, as stages take it.

The problem of n rows in nb blocks is written into an array of ``cone_room(n, nb)`` numbers: the head, then W by rows
(n n), b (n), P (n), shape (3 nb), law (3 nb), at the places that ``cone_places`` returns.
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.compilation.jit import allocating, kernel
from flexmb.state import Array, IntArray

METHOD, LIMIT, TOLERANCE, ITERATIONS, RESIDUAL, WORST, BLOCKS, HARD, ONLY_PYRAMIDS, HEAD = range(10)
"""Places in the head of the array; HARD is the address of ``cone_hard.HARD_CONES``, ONLY_PYRAMIDS a wish to it."""


@kernel
def cone_places(n: int, nb: int) -> tuple[int, int, int, int, int]:
    """Return where W, b, P, shape and law begin."""
    b = HEAD + n * n
    return HEAD, b, b + n, b + 2 * n, b + 2 * n + 3 * nb


@kernel
def cone_room(n: int, nb: int) -> int:
    """Return the numbers that a problem of n rows in nb blocks takes."""
    return HEAD + n * n + 2 * n + 6 * nb


@kernel
def fill_cones(
    sent: Array,
    W: Array,
    b: Array,
    shape: IntArray,
    law: Array,
    P: Array,
    method: int,
    max_iter: int,
    tol: float,
) -> None:
    """Write a problem into its array, with no answer should the solver not be compiled."""
    n, nb = b.size, shape.shape[0]
    at_W, at_b, at_P, at_shape, at_law = cone_places(n, nb)
    sent[METHOD], sent[LIMIT], sent[TOLERANCE], sent[BLOCKS] = float(method), float(max_iter), tol, float(nb)
    sent[ITERATIONS], sent[RESIDUAL], sent[WORST], sent[HARD], sent[ONLY_PYRAMIDS] = 0.0, np.inf, 0.0, 0.0, 0.0
    for i in range(n):
        sent[at_b + i] = b[i]
        sent[at_P + i] = P[i]
        for j in range(n):
            sent[at_W + n * i + j] = W[i, j]
    for i in range(nb):
        for d in range(3):
            sent[at_shape + 3 * i + d] = float(shape[i, d])
            sent[at_law + 3 * i + d] = law[i, d]


@allocating
def read_laws(sent: Array, n: int, nb: int) -> tuple[IntArray, Array]:
    """Return shape and law of the blocks in an array."""
    _, _, _, at_shape, at_law = cone_places(n, nb)
    shape, law = np.empty((nb, 3), np.int64), np.empty((nb, 3))
    for i in range(nb):
        for d in range(3):
            shape[i, d] = int(sent[at_shape + 3 * i + d])
            law[i, d] = sent[at_law + 3 * i + d]
    return shape, law
