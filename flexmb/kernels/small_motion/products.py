"""Products with the matrices of a constant system, and solves with its factors.

Matrices are bands, or behind the address of a stage where they are too wide for that. Products with K are free of the
cancellation of large rigid displacements.
"""

from __future__ import annotations

from flexmb.kernels.algebra.banded import (
    band_flux,
    band_flux_quad,
    band_matvec,
    band_product,
    dot,
    ldu_solve,
    skew_add,
)
from flexmb.kernels.compilation.jit import inner
from flexmb.kernels.compilation.stages import ask
from flexmb.kernels.small_motion.arrays import Modes, part
from flexmb.kernels.small_motion.sparse_wishes import (
    ADD_CROSS,
    ADD_GYRO,
    RESIST,
    SOLVE,
    SOLVE_MASS,
    TIMES_C,
    TIMES_K,
    TIMES_M,
)
from flexmb.state import Array


@inner
def mode_value(R: Modes, m: int, x: Array) -> float:
    """Return mode m of ``x``."""
    s = 0.0
    for k in range(R.ptr[m], R.ptr[m + 1]):
        s += R.c[k] * (R.a[k] * x[R.i[k]] - R.b[k] * x[R.j[k]])
    return s


@inner
def algebra(at: int, wish: int, x: Array, y: Array) -> None:
    """Do a product or solve of ``small_motion.sparse_structure``, with bands or, where they are wide, by its stage."""
    address = part(at, "structure.sparse")
    if address[0] != 0:
        ask(address[0], address[1], wish, 0.0, 0.0, x, y, y)
    elif wish == SOLVE:
        ldu_solve(part(at, "structure.bands.S"), x)
    elif wish == SOLVE_MASS:
        ldu_solve(part(at, "structure.bands.S_M"), x)
    elif wish == TIMES_M:
        band_matvec(part(at, "structure.bands.M"), x, y)
    elif wish == TIMES_K:
        band_matvec(part(at, "structure.bands.K"), x, y)
    elif wish == TIMES_C:
        band_matvec(part(at, "structure.bands.C"), x, y)
    elif wish == RESIST:
        band_product(part(at, "structure.bands.resist"), part(at, "structure.bands.resist_up"), x, y)
    elif wish == ADD_CROSS:
        skew_add(part(at, "structure.bands.cross"), x, y)
    else:
        skew_add(part(at, "structure.bands.gyro"), x, y)


@inner
def form(at: int, wish: int, x: Array, y: Array, work: Array) -> float:
    """Return ``x^T A y`` with the matrix of a wish; ``work`` is overwritten with ``A y``."""
    if wish in (ADD_CROSS, ADD_GYRO):
        for i in range(work.size):
            work[i] = 0.0
    algebra(at, wish, y, work)
    return dot(x, work)


@inner
def elastic(at: int, x: Array, y: Array) -> None:
    """Write ``K x`` into ``y``."""
    if part(at, "structure.laplacian"):
        band_flux(part(at, "structure.bands.K"), x, y)
        return
    R = part(at, "structure.strain")
    if R.D.size == 0:
        algebra(at, TIMES_K, x, y)
        return
    for m in range(R.D.size):
        R.t[m] = R.D[m] * mode_value(R, m, x)
    for r in range(y.size):
        s = 0.0
        for k in range(R.row[r], R.row[r + 1]):
            s += R.weight[k] * R.t[R.mode[k]]
        y[r] = s


@inner
def restoring(at: int, x: Array, y: Array) -> None:
    """Write ``(K + cross) x`` into ``y``."""
    elastic(at, x, y)
    if part(at, "structure.crossed"):
        algebra(at, ADD_CROSS, x, y)


@inner
def resisting(at: int, x: Array, y: Array) -> None:
    """Write ``(C + gyro) x`` into ``y``."""
    algebra(at, RESIST, x, y)


@inner
def solve_step(at: int, x: Array, w0: Array, w1: Array) -> None:
    """Overwrite ``x`` with S^-1 x; twin of ``schemes.scheme.StepMatrix.solve``."""
    if not part(at, "structure.refine"):
        algebra(at, SOLVE, x, x)
        return
    n = x.size
    for i in range(n):
        w0[i] = x[i]
    algebra(at, SOLVE, x, x)
    algebra(at, TIMES_M, x, w1)
    for i in range(n):
        w0[i] -= w1[i]
    restoring(at, x, w1)
    c_K = part(at, "structure.c_K")
    for i in range(n):
        w0[i] -= c_K * w1[i]
    if part(at, "structure.resists"):
        resisting(at, x, w1)
        c_C = part(at, "structure.c_C")
        for i in range(n):
            w0[i] -= c_C * w1[i]
    algebra(at, SOLVE, w0, w0)
    for i in range(n):
        x[i] += w0[i]


@inner
def kinetic(at: int, v: Array, work: Array) -> float:
    """Return v^T M v / 2."""
    return 0.5 * form(at, TIMES_M, v, v, work)


@inner
def potential(at: int, q: Array, w0: Array) -> float:
    """Return q^T K q / 2 - F0^T q + V0."""
    R = part(at, "structure.strain")
    if part(at, "structure.laplacian"):
        V = 0.5 * band_flux_quad(part(at, "structure.bands.K"), q, w0)
    elif R.D.size == 0:
        V = 0.5 * form(at, TIMES_K, q, q, w0)
    else:
        V = 0.0
        for m in range(R.D.size):
            s = mode_value(R, m, q)
            V += 0.5 * R.D[m] * s * s
    if part(at, "structure.heavy"):
        V -= dot(part(at, "structure.F0"), q)
    return V + part(at, "structure.V0")
