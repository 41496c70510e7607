"""The matrices of a system too wide for bands, behind one address: sparse products, and solves with sparse factors.

Loops over bands never come here: they hold an address of zero, and the stage is not compiled. The others call the
stage ``sparse_algebra`` with one of these wishes, x being the vector at the address q and y that at v:

    TIMES_M, TIMES_K, TIMES_C, RESIST    y = M x, K x, C x, (C + gyro) x
    ADD_CROSS, ADD_GYRO                  y += cross x, gyro x
    SOLVE, SOLVE_MASS                    x := S^-1 x, M^-1 x
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numba import carray  # type: ignore[attr-defined]

from flexmb.kernels.algebra.sparse_rows import SparseRows, sparse_product
from flexmb.kernels.algebra.supernodes import Supernodes, solve_supernodes
from flexmb.kernels.compilation.arrays_at import parts_of
from flexmb.kernels.compilation.pointers import floats
from flexmb.kernels.compilation.stages import asked
from flexmb.kernels.small_motion.sparse_wishes import ADD_CROSS, RESIST, SOLVE, SOLVE_MASS, TIMES_C, TIMES_K, TIMES_M


class SparseStructure(NamedTuple):
    """The matrices of ``arrays.Structure`` and the factors of S and M; K only where no deformation modes stand for it.

    ``resist`` is C + gyro.
    """

    M: SparseRows
    K: SparseRows
    C: SparseRows
    resist: SparseRows
    cross: SparseRows
    gyro: SparseRows
    S: Supernodes
    S_M: Supernodes


_part: Any = parts_of(SparseStructure)


@asked
def sparse_algebra(at: int, wish: int, t: float, c: float, q: int, v: int, p: int) -> int:
    """Do one of the things above; return 0."""
    n = _part(at, "S.perm").size
    x, y = carray(floats(q), (n,)), carray(floats(v), (n,))
    if wish == SOLVE:
        solve_supernodes(_part(at, "S"), x)
    elif wish == SOLVE_MASS:
        solve_supernodes(_part(at, "S_M"), x)
    else:
        kept = 0.0
        A = _part(at, "gyro")
        if wish == TIMES_M:
            A = _part(at, "M")
        elif wish == TIMES_K:
            A = _part(at, "K")
        elif wish == TIMES_C:
            A = _part(at, "C")
        elif wish == RESIST:
            A = _part(at, "resist")
        elif wish == ADD_CROSS:
            A, kept = _part(at, "cross"), 1.0
        else:
            kept = 1.0
        sparse_product(A, x, y, kept)
    return 0
