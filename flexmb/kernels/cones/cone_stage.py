"""Contact problems with friction in compiled loops: a rare stage, to which a problem is sent in one array.

A loop that calls ``solve_cones`` by address is compiled without it. ``call(CONES.door(), sent.ctypes.data, n)`` with
the array of ``cone_sent.py`` puts the answer in the place of P and fills ``ITERATIONS``, ``RESIDUAL`` and ``WORST``.
``send_cones`` does all of it for arrays that lie elsewhere.
"""

from __future__ import annotations

import numpy as np
from numba import carray  # type: ignore[attr-defined]

from flexmb.kernels.compilation.jit import allocating
from flexmb.kernels.compilation.pointers import floats
from flexmb.kernels.compilation.stages import Stage, call
from flexmb.kernels.cones.cone_sent import (
    BLOCKS,
    HARD,
    HEAD,
    ITERATIONS,
    LIMIT,
    METHOD,
    RESIDUAL,
    TOLERANCE,
    WORST,
    cone_places,
    cone_room,
    fill_cones,
    read_laws,
)
from flexmb.kernels.cones.cones import solve_cones_by
from flexmb.state import Array, IntArray


def solve_sent_cones(at: int, n: int) -> int:
    """Solve the problem of n rows at an address (``solve_cones``); its array gets the answer."""
    nb = int(carray(floats(at), (HEAD,))[BLOCKS])
    sent = carray(floats(at), (cone_room(n, nb),))
    at_W, at_b, at_P, at_shape, _ = cone_places(n, nb)
    W = sent[at_W:at_b].reshape((n, n))
    b, P = sent[at_b:at_P], sent[at_P:at_shape]
    shape, law = read_laws(sent, n, nb)
    iterations, residual, worst = solve_cones_by(
        W, b, shape, law, P, int(sent[METHOD]), int(sent[LIMIT]), sent[TOLERANCE], int(sent[HARD])
    )
    sent[ITERATIONS], sent[RESIDUAL], sent[WORST] = float(iterations), residual, float(worst)
    return 0


CONES = Stage(solve_sent_cones)


@allocating
def send_cones(
    address: int,
    hard: int,
    W: Array,
    b: Array,
    shape: IntArray,
    law: Array,
    P: Array,
    method: int,
    max_iter: int,
    tol: float,
) -> tuple[int, float, int]:
    """Do what ``solve_cones`` does, by the addresses of ``CONES`` and ``HARD_CONES``."""
    n, nb = b.size, shape.shape[0]
    at_P = cone_places(n, nb)[2]
    sent = np.empty(cone_room(n, nb))
    fill_cones(sent, W, b, shape, law, P, method, max_iter, tol)
    sent[HARD] = float(hard)  # addresses have less than 53 bits
    call(address, sent.ctypes.data, n)
    for i in range(n):
        P[i] = sent[at_P + i]
    return int(sent[ITERATIONS]), float(sent[RESIDUAL]), int(sent[WORST])
