"""Factorization within an envelope: each row of a matrix from its first entry to the diagonal, each column likewise.

A = L R without pivoting, L with a unit diagonal; entries left of a row's first one stay zero, so rows of different
lengths (unknowns of a beam, and the short rows of contacts between them) cost what they are long. Row i keeps
``lower[start[i] + j - first[i]]`` = L_ij and column i ``upper[...]`` = R_ji, both for j = first[i] .. i - 1;
``start[i + 1] - start[i]`` is i - first[i]. Values need not be symmetric.
"""

from __future__ import annotations

from flexmb.kernels.compilation.jit import inner, kernel
from flexmb.state import Array, IntArray

EPS = 2.220446049250313e-16
SIGNED = 3
"""Mark of the row of a contact whose pivot may have either sign."""
REDUNDANT = 2e-12
"""Share of a contact's own compliance left by the contacts before it at which the contact is redundant."""


@kernel
def factor_envelope(
    n: int, first: IntArray, start: IntArray, lower: Array, upper: Array, diagonal: Array, contact: IntArray
) -> int:
    """Factor in place; ``diagonal`` (n,) comes in with that of A and leaves with the inverse pivots.

    Row i with ``contact[i]`` > 0 is the row of a contact's multiplier; where its pivot vanishes beside the terms it is
    the difference of, the contact is redundant given those before it: the row is taken out, ``contact[i]`` becomes 2,
    and its multiplier will be zero. So it is where the pivot is negative, unless ``contact[i]`` is SIGNED, for rows of
    contacts that slip; it becomes 1 then.

    Returns
    -------
    bad : int
        The first row of no contact whose pivot is not positive, or -1.
    """
    bad = -1
    for i in range(n):
        f, s = first[i], start[i]
        row, col = lower[s : start[i + 1]], upper[s : start[i + 1]]
        for j in range(f, i):
            g, t = first[j], start[j]
            k0 = max(f, g)
            left, above = 0.0, 0.0
            row_j, col_j = lower[t + k0 - g : t + j - g], upper[t + k0 - g : t + j - g]
            row_i, col_i = row[k0 - f : j - f], col[k0 - f : j - f]
            for k in range(j - k0):
                above += row_j[k] * col_i[k]
                left += row_i[k] * col_j[k]
            col[j - f] -= above
            row[j - f] = (row[j - f] - left) * diagonal[j]
        pivot = diagonal[i]
        size = abs(pivot)
        for j in range(i - f):
            term = row[j] * col[j]
            pivot -= term
            size += abs(term)
        if contact[i] == SIGNED and pivot < -REDUNDANT * size:
            contact[i] = 1
        elif contact[i] > 0 and not pivot > REDUNDANT * size:
            contact[i] = 2
            for j in range(i - f):
                row[j] = col[j] = 0.0
            pivot = 1.0
        elif contact[i] == SIGNED:
            contact[i] = 1
        elif not pivot > 0.0 and bad < 0:
            bad = i
        diagonal[i] = 1.0 / pivot
    return bad


@kernel
def solve_envelope(n: int, first: IntArray, start: IntArray, lower: Array, upper: Array, dinv: Array, x: Array) -> None:
    """Overwrite ``x`` with the solution of A y = x."""
    for i in range(n):
        row, before = lower[start[i] : start[i + 1]], x[first[i] : i]
        s = x[i]
        for k in range(before.size):
            s -= row[k] * before[k]
        x[i] = s
    for i in range(n - 1, -1, -1):
        col, before = upper[start[i] : start[i + 1]], x[first[i] : i]
        s = x[i] * dinv[i]
        x[i] = s
        for k in range(before.size):
            before[k] -= col[k] * s


@inner
def _inverse_entry(first: IntArray, start: IntArray, below: Array, above: Array, own: Array, i: int, j: int) -> float:
    """Return entry (i, j) of the inverse, both within the envelope."""
    if i == j:
        return own[i]
    if i > j:
        return below[start[i] + j - first[i]]
    return above[start[j] + i - first[j]]


@kernel
def reaches(n: int, first: IntArray, last: IntArray) -> None:
    """Write into ``last`` (n,) the last row that reaches back to each column."""
    for i in range(n):
        last[i] = i
    for i in range(n):
        last[first[i]] = max(last[first[i]], i)
    for i in range(1, n):
        last[i] = max(last[i], last[i - 1])


@kernel
def invert_envelope(
    n: int, first: IntArray, start: IntArray, last: IntArray, lower: Array, upper: Array, dinv: Array,
    below: Array, above: Array, own: Array,
) -> None:  # fmt: skip
    """Write the entries of A^-1 inside the envelope into ``below``, ``above`` and ``own``, laid out as the factors.

    From the last row up by Z L = R^-1 and R Z = L^-1 (Takahashi, Fagan and Chen 1973): an entry inside the envelope
    needs only others inside it. ``last`` are the ``reaches``.
    """
    for i in range(n - 1, -1, -1):
        end = last[i] + 1
        for j in range(i + 1, end):
            if first[j] > i:
                continue
            left, right = 0.0, 0.0
            for k in range(i + 1, end):
                if first[k] <= i:
                    at = start[k] + i - first[k]
                    left -= _inverse_entry(first, start, below, above, own, j, k) * lower[at]
                    right -= upper[at] * _inverse_entry(first, start, below, above, own, k, j)
            below[start[j] + i - first[j]] = left
            above[start[j] + i - first[j]] = right * dinv[i]
        s = 1.0
        for k in range(i + 1, end):
            if first[k] <= i:
                at = start[k] + i - first[k]
                s -= upper[at] * below[at]
        own[i] = s * dinv[i]


@kernel
def read_inverse(
    first: IntArray, start: IntArray, below: Array, above: Array, own: Array,
    row_ptr: IntArray, row_idx: IntArray, row_val: Array, col_ptr: IntArray, col_idx: IntArray, col_val: Array,
    out: Array,
) -> None:  # fmt: skip
    """Write row_m A^-1 column_m into ``out`` for every m, from the entries that ``invert_envelope`` found."""
    for m in range(out.size):
        s = 0.0
        for e in range(row_ptr[m], row_ptr[m + 1]):
            for f in range(col_ptr[m], col_ptr[m + 1]):
                z = _inverse_entry(first, start, below, above, own, row_idx[e], col_idx[f])
                s += row_val[e] * z * col_val[f]
        out[m] = s
