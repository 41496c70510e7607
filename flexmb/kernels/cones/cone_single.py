"""One contact alone, exactly: open, stick or slide, in this order where more than one is an answer.

With ``b_N < 0`` and the normal eliminated, ``S = W_TT - W_TN W_NT / W_NN`` and ``c = b_T - W_TN b_N / W_NN``, a contact
that slides with ``U_T = -s P_T`` has

    P_T(s) = -(S + s I)^-1 c,     P_N = -(b_N + W_NT P_T) / W_NN,     F(s) = |P_T| - mu P_N = 0,

and one that sticks has s = 0 and F(0) <= 0. F(infinity) < 0, so a root exists where W is positive definite. In the
plane the root is that of a line. Blocks with rolling and spinning take their discs in turn.
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.compilation.jit import allocating
from flexmb.kernels.cones.cone_project import DISCS, LARGEST
from flexmb.state import Array, IntArray

Matrix = tuple[float, float, float, float, float, float, float, float, float]
"""Three rows of three numbers."""
TINY = 1e-15
"""Share of W_TT below which what is left of it counts as nothing."""
ROUNDS, ROOT_STEPS = 100, 100
"""Most rounds over the discs of a block, and steps of the bracketed Newton iteration."""


@allocating
def single_planar(W: Array, b: Array, mu: float, P: Array) -> float:
    """Solve one contact with one tangent; return ``s = |U_T| / |P_T|`` (0: sticks; infinite: P_T = 0).

    Parameters
    ----------
    W : (>= 2, >= 2) array
    b : (>= 2,) array
    mu : float
    P : (>= 2,) array
        Out: the answer in its first two entries; zero where W_NN <= 0.
    """
    P[0], P[1] = 0.0, 0.0
    if b[0] >= 0.0 or not W[0, 0] > 0.0:
        return np.inf
    left = W[1, 1] - W[1, 0] * W[0, 1] / W[0, 0]
    c = b[1] - W[1, 0] * b[0] / W[0, 0]
    if left > TINY * W[1, 1] or c == 0.0:
        T = -c / left if c != 0.0 else 0.0
        N = -(b[0] + W[0, 1] * T) / W[0, 0]
        if abs(T) <= mu * N:
            P[0], P[1] = N, T
            return 0.0
    best = -np.inf
    for k in range(2):
        sign = 1.0 if (k == 0) == (c >= 0.0) else -1.0  # of U_T
        q = W[0, 0] - sign * mu * W[0, 1]
        if not q > 0.0:
            continue
        N = -b[0] / q
        slip = sign * (b[1] + (W[1, 0] - sign * mu * W[1, 1]) * N)
        if slip > best:
            best = slip
            P[0], P[1] = N, -sign * mu * N
        if slip >= 0.0:
            break
    return max(best, 0.0) / abs(P[1]) if P[1] != 0.0 else np.inf


@allocating
def _solve_three(S: Matrix, s: float, x: float, y: float, z: float) -> tuple[float, float, float]:
    """Return (S + s I)^-1 (x, y, z)."""
    a, e, i = S[0] + s, S[4] + s, S[8] + s
    p, q, r = e * i - S[5] * S[7], S[5] * S[6] - S[3] * i, S[3] * S[7] - e * S[6]
    det = a * p + S[1] * q + S[2] * r
    return (
        (p * x + (S[2] * S[7] - S[1] * i) * y + (S[1] * S[5] - S[2] * e) * z) / det,
        (q * x + (a * i - S[2] * S[6]) * y + (S[2] * S[3] - a * S[5]) * z) / det,
        (r * x + (S[1] * S[6] - a * S[7]) * y + (a * e - S[1] * S[3]) * z) / det,
    )


@allocating
def _without_normal(W: Array, b: Array, n: int) -> tuple[Matrix, tuple[float, float, float], float, float]:
    """Return S, c, the size of W_TT and the least s with S + s I regular; a third tangent that is none is idle."""
    f, g = W[1, 0] / W[0, 0], W[2, 0] / W[0, 0]
    S00, S01, S10, S11 = W[1, 1] - f * W[0, 1], W[1, 2] - f * W[0, 2], W[2, 1] - g * W[0, 1], W[2, 2] - g * W[0, 2]
    c, d = b[1] - f * b[0], b[2] - g * b[0]
    size = W[1, 1] + W[2, 2]
    if n == 2:
        det = S00 * S11 - S01 * S10
        low = 0.0 if det > TINY * size * size else TINY * size
        return (S00, S01, 0.0, S10, S11, 0.0, 0.0, 0.0, 1.0), (c, d, 0.0), size, low
    h = W[3, 0] / W[0, 0]
    S = (
        *(S00, S01, W[1, 3] - f * W[0, 3], S10, S11, W[2, 3] - g * W[0, 3]),
        *(W[3, 1] - h * W[0, 1], W[3, 2] - h * W[0, 2], W[3, 3] - h * W[0, 3]),
    )
    size += W[3, 3]
    det = S00 * (S11 * S[8] - S[5] * S[7]) - S01 * (S10 * S[8] - S[5] * S[6]) + S[2] * (S10 * S[7] - S11 * S[6])
    return S, (c, d, b[3] - h * b[0]), size, 0.0 if det > TINY * size * size * size else TINY * size


@allocating
def single_spatial(W: Array, b: Array, n: int, mu: float, P: Array) -> float:
    """Solve one contact with n = 2 or 3 tangents; return ``s = |U_T| / |P_T|`` (0: sticks; infinite: P_T = 0).

    Parameters
    ----------
    W : (> n, > n) array
    b : (> n,) array
    n : int
    mu : float
    P : (> n,) array
        Out: the answer in its first n + 1 entries; zero where W_NN <= 0.
    """
    for k in range(n + 1):
        P[k] = 0.0
    if b[0] >= 0.0 or not W[0, 0] > 0.0:
        return np.inf
    if mu == 0.0:
        P[0] = -b[0] / W[0, 0]
        return np.inf
    S, c, size, low = _without_normal(W, b, n)
    third = W[0, 3] if n == 3 else 0.0
    high, s = np.inf, low
    x, y, z, T = 0.0, 0.0, 0.0, 0.0
    for _ in range(ROOT_STEPS):
        x, y, z = _solve_three(S, s, -c[0], -c[1], -c[2])
        dx, dy, dz = _solve_three(S, s, -x, -y, -z)
        T = np.sqrt(x * x + y * y + z * z)
        N = -(b[0] + W[0, 1] * x + W[0, 2] * y + third * z) / W[0, 0]
        F = T - mu * N
        P[0] = N
        if s == low and F <= 0.0 and high == np.inf:
            P[1], P[2] = x, y
            if n == 3:
                P[3] = z
            return 0.0
        if abs(F) <= 2e-16 * T or not low < high * (1.0 - 2e-16):
            break
        low, high = (s, high) if F > 0.0 else (low, s)
        dT, dN = (x * dx + y * dy + z * dz) / T, -(W[0, 1] * dx + W[0, 2] * dy + third * dz) / W[0, 0]
        new = s - F / (dT - mu * dN)
        if N > 0.0:  # Newton on mu N / T, which is nearly a line over s
            grows = mu * (dN * T - N * dT) / (T * T)
            new = s + (1.0 - mu * N / T) / grows if grows > 0.0 else new
        if not low < new < high:
            new = 0.5 * (low + high) if high < np.inf else max(4.0 * s, 0.1 * size)
        s = new
    share = mu * P[0] / T if P[0] > 0.0 and T > 0.0 else 1.0  # on the cone to the last digit
    P[1], P[2] = share * x, share * y
    if n == 3:
        P[3] = share * z
    return s


@allocating
def _without(W: Array, b: Array, rows: int, keep: IntArray, s: Array, A: Array, a: Array) -> int:
    """Eliminate all rows but those of ``keep``, whose W is raised by s (infinite: the row has no impulse).

    A, a get what is left on the rows kept; the rows before them hold the factors for ``_others``. Returns how many
    rows were eliminated; A and a are ordered with these first.
    """
    order = np.empty(LARGEST, np.int64)
    m = 0
    for i in range(rows):
        if keep[i] == 0 and s[i] < np.inf:
            order[m] = i
            m += 1
    k = m
    for i in range(rows):
        if keep[i] == 1:
            order[k] = i
            k += 1
    for p in range(k):
        a[p] = b[order[p]]
        for q in range(k):
            A[p, q] = W[order[p], order[q]]
        if p < m:
            A[p, p] += s[order[p]]
    for p in range(m):
        if not A[p, p] > 0.0:
            A[p, p] = np.inf
        for i in range(p + 1, k):
            f = A[i, p] / A[p, p]
            a[i] -= f * a[p]
            for j in range(p + 1, k):
                A[i, j] -= f * A[p, j]
    return m


@allocating
def single_rolling(W: Array, b: Array, rows: int, shape: IntArray, law: Array, i: int, P: Array) -> None:
    """Solve one contact with discs of any kind: each disc in turn, the others held at the ratio ``s = |U_d| / |P_d|``.

    Parameters
    ----------
    W : (>= rows, >= rows) array
    b : (>= rows,) array
    rows : int
    shape : (nb, 3) int array
    law : (nb, 3) array
    i : int
        The block.
    P : (>= rows,) array
        Out: the answer, zero where W_NN <= 0.
    """
    for r in range(rows):
        P[r] = 0.0
    if b[0] >= 0.0 or not W[0, 0] > 0.0:
        return
    s, keep = np.zeros(LARGEST), np.zeros(LARGEST, np.int64)
    A, a, x, old = np.empty((LARGEST, LARGEST)), np.empty(LARGEST), np.empty(LARGEST), np.empty(LARGEST)
    for _ in range(ROUNDS):
        for r in range(rows):
            old[r] = P[r]
        at = 1
        for d in range(DISCS):
            n = shape[i, d]
            if n > 0:
                for r in range(rows):
                    keep[r] = 1 if r == 0 or at <= r < at + n else 0
                m = _without(W, b, rows, keep, s, A, a)
                if n == 1:
                    ratio = single_planar(A[m:, m:], a[m:], law[i, d], x)
                else:
                    ratio = single_spatial(A[m:, m:], a[m:], n, law[i, d], x)
                for k in range(n):
                    s[at + k] = ratio
                    P[at + k] = x[1 + k]
                P[0] = x[0]
            at += n
        change, size = 0.0, 0.0
        for r in range(rows):
            change = max(change, abs(P[r] - old[r]))
            size = max(size, abs(P[r]))
        if change <= 4e-16 * size:
            break


@allocating
def solve_single(W: Array, b: Array, rows: int, shape: IntArray, law: Array, i: int, P: Array) -> None:
    """Solve block i alone, ``U = W P + b`` with its own rows of W; P gets the answer."""
    if rows == 1:
        P[0] = -b[0] / W[0, 0] if b[0] < 0.0 and W[0, 0] > 0.0 else 0.0
    elif rows == 2 and shape[i, 0] == 1:
        single_planar(W, b, law[i, 0], P)
    elif rows > 2 and shape[i, 0] == rows - 1:
        single_spatial(W, b, rows - 1, law[i, 0], P)
    else:
        single_rolling(W, b, rows, shape, law, i, P)
