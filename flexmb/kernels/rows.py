"""Sparse rows, contact kinematics, products with the matrices of a system and solves with their factors.

Matrices are bands, or behind the address of a stage where they are too wide for that. Products with K are free of the
cancellation of large rigid displacements.
"""

from __future__ import annotations

from flexmb.kernels.arrays import Modes, Rows, part
from flexmb.kernels.banded import (
    band_flux,
    band_flux_quad,
    band_matvec,
    band_product,
    dot,
    ldu_solve,
    skew_add,
)
from flexmb.kernels.jit import inner
from flexmb.kernels.sparse_wishes import (
    ADD_CROSS,
    ADD_GYRO,
    RESIST,
    SOLVE,
    SOLVE_MASS,
    TIMES_C,
    TIMES_K,
    TIMES_M,
)
from flexmb.kernels.stages import ask
from flexmb.state import Array

MARGIN = 1e-12
"""Share of the displacements within which a contact with friction counts as closed."""
PRESSED = 1e-4
"""And of the way that the impulse of the step before took from it: gaps at rest grow by round-off, steadily."""


@inner
def row_dot(R: Rows, i: int, x: Array) -> float:
    """Return row i of ``R`` times ``x``."""
    s = 0.0
    for k in range(R.ptr[i], R.ptr[i + 1]):
        s += R.val[k] * x[R.idx[k]]
    return s


@inner
def add_row(R: Rows, i: int, factor: float, y: Array) -> None:
    """Add ``factor`` times row i of ``R`` to ``y``."""
    for k in range(R.ptr[i], R.ptr[i + 1]):
        y[R.idx[k]] += factor * R.val[k]


@inner
def combine(R: Rows, z: Array, y: Array) -> None:
    """Write ``sum_i z[i] row_i`` (that is G z) into ``y``."""
    y[:] = 0.0
    for i in range(z.size):
        if z[i] != 0.0:
            add_row(R, i, z[i], y)


@inner
def mode_value(R: Modes, m: int, x: Array) -> float:
    """Return mode m of ``x``."""
    s = 0.0
    for k in range(R.ptr[m], R.ptr[m + 1]):
        s += R.c[k] * (R.a[k] * x[R.i[k]] - R.b[k] * x[R.j[k]])
    return s


@inner
def algebra(at: int, wish: int, x: Array, y: Array) -> None:
    """Do a product or solve of ``kernels.sparse_structure``, with bands or, where they are wide, by its stage."""
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


@inner
def gap_offset(at: int, i: int, s: Array) -> float:
    """Return the share of prescribed motion in gap i; with rates for ``s``, in its velocity."""
    m = part(at, "contacts.motion_of")[i]
    return part(at, "contacts.motion_coef")[i] * s[m] if m >= 0 else 0.0


@inner
def contact_kinematics(at: int, row: int) -> None:
    """Write gaps and relative velocities of the state of the loop at the time of ``row``."""
    G, g0, tab = part(at, "contacts.G"), part(at, "contacts.g0"), part(at, "tables")
    q, v, g, U = part(at, "live.q"), part(at, "live.v"), part(at, "live.g"), part(at, "live.U")
    for i in range(g.size):
        g[i] = g0[i] + row_dot(G, i, q) + gap_offset(at, i, tab.s[row])
        U[i] = row_dot(G, i, v) + gap_offset(at, i, tab.ds[row])


@inner
def row_size(R: Rows, i: int, x: Array) -> float:
    """Return the sum of the magnitudes of which row i of ``R`` times ``x`` is the sum."""
    s = 0.0
    for k in range(R.ptr[i], R.ptr[i + 1]):
        s += abs(R.val[k] * x[R.idx[k]])
    return s


@inner
def forecast_closes(at: int, i: int, ahead: float) -> bool:
    """Return whether the gap g + ahead U forecast for contact i is <= 0, but for round-off.

    A node that was pressed stands on its plane with a gap and a velocity of either sign at round-off; taking a
    positive one at its word would lift the contact every other step and double the impulse in between. With friction
    it would slip meanwhile, and so the margin is wider there.
    """
    h, g, g0 = part(at, "h"), part(at, "live.g")[i], part(at, "contacts.g0")[i]
    pressed = h * part(at, "contacts.response")[i] * part(at, "live.P")[i]
    noise = 1e-14 * (abs(g0) + abs(g - g0)) + 1e-13 * pressed
    if part(at, "contacts.side.address")[0] != 0:
        G = part(at, "contacts.G")
        noise += MARGIN * (abs(g0) + row_size(G, i, part(at, "live.q")) + h * row_size(G, i, part(at, "live.v")))
        noise += PRESSED * pressed
    return g + ahead * part(at, "live.U")[i] <= noise
