"""Sparse rows of contacts, their kinematics, and which of them a step activates."""

from __future__ import annotations

from flexmb.kernels.compilation.jit import inner
from flexmb.kernels.small_motion.arrays import Rows, part
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
