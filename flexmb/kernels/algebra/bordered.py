"""The bordered matrix of a set of closed contacts, laid out so that it is narrow and factored within its envelope.

    [ B   -H_A ] [ x ]   [ 0 ]
    [ G_A^T  0 ] [ z ] = [ r ]         so that  (G_A^T B^-1 H_A) z = r

B holds the equations of a step, H the columns and G the rows of the contacts; each multiplier stands right after the
last of the unknowns it acts on, so a contact of one node makes the rows behind it longer by one. The pivot of a
multiplier is its contact's compliance with the contacts before it closed and the unknowns behind it held: positive
unless the contact is redundant.
"""

from __future__ import annotations

from typing import NamedTuple

from flexmb.kernels.algebra.envelope import factor_envelope, solve_envelope
from flexmb.kernels.compilation.jit import inner
from flexmb.state import Array, IntArray


class Border(NamedTuple):
    """A matrix B, the rows and columns of all contacts, and the factors of the set in use.

    Parameters
    ----------
    ptr, idx, val
        B by rows, the pattern being symmetric.
    low : (n,) int array
        The first column of each row of B, the diagonal's at most.
    after_ptr, after
        The multipliers ``after[after_ptr[i]:after_ptr[i + 1]]`` stand behind unknown i, in rising order.
    row_ptr, row_idx, row_val, col_ptr, col_idx, col_val
        G^T and H^T by rows.
    place : (n + m,) int array
        Where each unknown and, from n on, each multiplier stands; -1: it is not in the set.
    first, start, lower, upper, dinv, contact
        The factors, see ``kernels.algebra.envelope``; room for the set of all contacts.
    member : (m,) int array
        The set the factors belong to: 1 for a member, 2 for one that is redundant; -1 for no set at all.
    soft : (m,) array
        Compliances to add to the members of a softened set.
    own : (m,) array
        Diagonal of G^T B^-1 H.
    x : (n + m,) array
        A right-hand side and its solution.
    factored : (1,) int array
        Factorizations so far.
    """

    ptr: IntArray
    idx: IntArray
    val: Array
    low: IntArray
    after_ptr: IntArray
    after: IntArray
    row_ptr: IntArray
    row_idx: IntArray
    row_val: Array
    col_ptr: IntArray
    col_idx: IntArray
    col_val: Array
    place: IntArray
    first: IntArray
    start: IntArray
    lower: Array
    upper: Array
    dinv: Array
    contact: IntArray
    member: IntArray
    soft: Array
    own: Array
    x: Array
    factored: IntArray


@inner
def _lay_out(B: Border, active: IntArray) -> int:
    """Give unknowns and members their places and envelopes; return how many they are."""
    n = B.low.size
    k = 0
    for i in range(n):
        B.place[i] = k
        B.first[k] = B.place[B.low[i]]
        B.contact[k] = 0
        k += 1
        for a in range(B.after_ptr[i], B.after_ptr[i + 1]):
            m = B.after[a]
            if active[m] > 0:
                B.place[n + m] = k
                low = i
                for e in range(B.row_ptr[m], B.row_ptr[m + 1]):
                    low = min(low, B.row_idx[e])
                for e in range(B.col_ptr[m], B.col_ptr[m + 1]):
                    low = min(low, B.col_idx[e])
                B.first[k] = B.place[low]
                B.contact[k] = active[m]
                k += 1
            else:
                B.place[n + m] = -1
    B.start[0] = 0
    for i in range(k):
        B.start[i + 1] = B.start[i] + i - B.first[i]
    return k


@inner
def _fill(B: Border, size: int, softened: bool) -> None:
    """Write the entries of the bordered matrix into the envelope."""
    n = B.low.size
    for e in range(B.start[size]):
        B.lower[e] = 0.0
        B.upper[e] = 0.0
    for i in range(n):
        p = B.place[i]
        for e in range(B.ptr[i], B.ptr[i + 1]):
            q = B.place[B.idx[e]]
            if q < p:
                B.lower[B.start[p] + q - B.first[p]] = B.val[e]
            elif q > p:
                B.upper[B.start[q] + p - B.first[q]] = B.val[e]
            else:
                B.dinv[p] = B.val[e]
    for m in range(B.member.size):
        p = B.place[n + m]
        if p >= 0:
            at = B.start[p] - B.first[p]
            for e in range(B.row_ptr[m], B.row_ptr[m + 1]):
                B.lower[at + B.place[B.row_idx[e]]] += B.row_val[e]
            for e in range(B.col_ptr[m], B.col_ptr[m + 1]):
                B.upper[at + B.place[B.col_idx[e]]] -= B.col_val[e]
            B.dinv[p] = B.soft[m] if softened else 0.0


@inner
def has_factors(B: Border, active: IntArray) -> bool:
    """Return whether the factors are those of the set ``active`` > 0."""
    same = True
    for m in range(active.size):
        same = same and (B.member[m] > 0) == (active[m] > 0) and B.member[m] >= 0
    return same


@inner
def factor_set(B: Border, active: IntArray, softened: bool) -> None:
    """Factor the bordered matrix of the set ``active`` > 0 (1 or ``envelope.SIGNED``), unless its factors are there.

    In a softened set every member gives way by its ``soft``: no contact is redundant then.
    """
    if not softened and has_factors(B, active):
        return
    n = B.low.size
    size = _lay_out(B, active)
    _fill(B, size, softened)
    factor_envelope(size, B.first, B.start, B.lower, B.upper, B.dinv, B.contact)
    for m in range(active.size):
        B.member[m] = B.contact[B.place[n + m]] if active[m] > 0 else 0
    B.factored[0] += 1


@inner
def forget_set(B: Border) -> None:
    """Forget the factors, those of a softened set being of no use for the set itself."""
    for m in range(B.member.size):
        B.member[m] = -1


@inner
def solve_set(B: Border, r: Array, z: Array) -> None:
    """Write into ``z`` the multipliers that the factored set needs for ``r``; zero for those off it and redundant."""
    n = B.low.size
    size = n
    for m in range(r.size):
        if B.place[n + m] >= 0:
            size += 1
    for i in range(size):
        B.x[i] = 0.0
    for m in range(r.size):
        if B.member[m] == 1:
            B.x[B.place[n + m]] = r[m]
    solve_envelope(size, B.first, B.start, B.lower, B.upper, B.dinv, B.x)
    for m in range(r.size):
        z[m] = B.x[B.place[n + m]] if B.member[m] == 1 else 0.0
