"""Sparse rows, contact kinematics, and products with K free of the cancellation of large rigid displacements."""

from __future__ import annotations

from flexmb.kernels.arrays import ContactRows, Live, Modes, Rows, Structure, Tables
from flexmb.kernels.banded import (
    band_flux,
    band_flux_quad,
    band_matvec,
    band_product,
    band_quad,
    dot,
    ldu_solve,
    skew_add,
)
from flexmb.kernels.jit import inner
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
def elastic(st: Structure, x: Array, y: Array) -> None:
    """Write ``K x`` into ``y``."""
    if st.laplacian:
        band_flux(st.K, x, y)
        return
    R = st.strain
    if R.D.size == 0:
        band_matvec(st.K, x, y)
        return
    for m in range(R.D.size):
        R.t[m] = R.D[m] * mode_value(R, m, x)
    for r in range(y.size):
        s = 0.0
        for k in range(R.row[r], R.row[r + 1]):
            s += R.weight[k] * R.t[R.mode[k]]
        y[r] = s


@inner
def restoring(st: Structure, x: Array, y: Array) -> None:
    """Write ``(K + cross) x`` into ``y``."""
    elastic(st, x, y)
    if st.crossed:
        skew_add(st.cross, x, y)


@inner
def solve_step(st: Structure, x: Array, w0: Array, w1: Array) -> None:
    """Overwrite ``x`` with S^-1 x; twin of ``schemes.scheme.StepMatrix.solve``."""
    if not st.refine:
        ldu_solve(st.S, x)
        return
    n = x.size
    for i in range(n):
        w0[i] = x[i]
    ldu_solve(st.S, x)
    band_matvec(st.M, x, w1)
    for i in range(n):
        w0[i] -= w1[i]
    restoring(st, x, w1)
    for i in range(n):
        w0[i] -= st.c_K * w1[i]
    if st.resists:
        band_product(st.resist, st.resist_up, x, w1)
        for i in range(n):
            w0[i] -= st.c_C * w1[i]
    ldu_solve(st.S, w0)
    for i in range(n):
        x[i] += w0[i]


@inner
def kinetic(st: Structure, v: Array, work: Array) -> float:
    """Return v^T M v / 2."""
    band_matvec(st.M, v, work)
    return 0.5 * dot(v, work)


@inner
def potential(st: Structure, q: Array, w0: Array) -> float:
    """Return q^T K q / 2 - F0^T q + V0."""
    R = st.strain
    if st.laplacian:
        V = 0.5 * band_flux_quad(st.K, q, w0)
    elif R.D.size == 0:
        V = 0.5 * band_quad(st.K, q, w0)
    else:
        V = 0.0
        for m in range(R.D.size):
            s = mode_value(R, m, q)
            V += 0.5 * R.D[m] * s * s
    if st.heavy:
        V -= dot(st.F0, q)
    return V + st.V0


@inner
def gap_offset(con: ContactRows, i: int, s: Array) -> float:
    """Return the share of prescribed motion in gap i; with rates for ``s``, in its velocity."""
    m = con.motion_of[i]
    return con.motion_coef[i] * s[m] if m >= 0 else 0.0


@inner
def contact_kinematics(con: ContactRows, tab: Tables, row: int, q: Array, v: Array, g: Array, U: Array) -> None:
    """Write gaps and relative velocities of the state (q, v) at the time of ``row`` into ``g`` and ``U``."""
    for i in range(g.size):
        g[i] = con.g0[i] + row_dot(con.G, i, q) + gap_offset(con, i, tab.s[row])
        U[i] = row_dot(con.G, i, v) + gap_offset(con, i, tab.ds[row])


@inner
def row_size(R: Rows, i: int, x: Array) -> float:
    """Return the sum of the magnitudes of which row i of ``R`` times ``x`` is the sum."""
    s = 0.0
    for k in range(R.ptr[i], R.ptr[i + 1]):
        s += abs(R.val[k] * x[R.idx[k]])
    return s


@inner
def forecast_closes(con: ContactRows, i: int, x: Live, ahead: float, h: float) -> bool:
    """Return whether the gap g + ahead U forecast for contact i is <= 0, but for round-off.

    A node that was pressed stands on its plane with a gap and a velocity of either sign at round-off; taking a
    positive one at its word would lift the contact every other step and double the impulse in between. With friction
    it would slip meanwhile, and so the margin is wider there.
    """
    g = x.g[i]
    noise = 1e-14 * (abs(con.g0[i]) + abs(g - con.g0[i])) + 1e-13 * h * con.response[i] * x.P[i]
    if con.side.address[0] != 0:
        noise += MARGIN * (abs(con.g0[i]) + row_size(con.G, i, x.q) + h * row_size(con.G, i, x.v))
        noise += PRESSED * h * con.response[i] * x.P[i]
    return g + ahead * x.U[i] <= noise
