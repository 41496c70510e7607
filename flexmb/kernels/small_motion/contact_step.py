"""From flagged contacts to impulses: the sub-problem of the flagged rows, solved and put back."""

from __future__ import annotations

import numpy as np

from flexmb.kernels.compilation.jit import allocating
from flexmb.kernels.lcp.lcp_active import members
from flexmb.kernels.lcp.lcp_first import solve_problem
from flexmb.kernels.lcp.lcp_residual import lcp_worst
from flexmb.kernels.lcp.solver_settings import SolverSettings
from flexmb.kernels.small_motion.arrays import Delassus
from flexmb.kernels.small_motion.ledger import T_ITERATIONS
from flexmb.state import Array, IntArray


@allocating
def solve_velocity(jd: SolverSettings, W: Array, b: Array, active: Array, P: Array, terms: Array) -> tuple[int, float]:
    """Solve 0 <= W P + b perp P >= 0 on the rows with ``active`` > 0, P = 0 elsewhere.

    ``P`` comes in with the impulses of the step before: contacts that were pressed are the first guess.

    Returns
    -------
    failed : int
        The contact with the largest residual when that exceeds the tolerance, else -1.
    residual : float
    """
    nc = P.size
    terms[T_ITERATIONS] = 0.0
    m = 0
    negative = False
    for i in range(nc):
        if active[i] > 0.0:
            m += 1
            if not b[i] >= 0.0:
                negative = True
    if not negative:
        P[:] = 0.0
        return -1, 0.0
    rows = np.empty(m, dtype=np.int64)
    m = 0
    for i in range(nc):
        if active[i] > 0.0:
            rows[m] = i
            m += 1
    W_a = np.empty((m, m))
    b_a = np.empty(m)
    z = np.empty(m)
    for k in range(m):
        z[k] = P[rows[k]]
        b_a[k] = b[rows[k]]
        for j in range(m):
            W_a[k, j] = W[rows[k], rows[j]]
    iterations, residual = solve_problem(W_a, b_a, z, jd)
    terms[T_ITERATIONS] = iterations
    P[:] = 0.0
    for k in range(m):
        P[rows[k]] = z[k]
    if not residual <= jd.tol:
        return rows[lcp_worst(W_a, b_a, z)[0]], residual
    return -1, residual


@allocating
def solve_ggl(
    jd: SolverSettings,
    h: float,
    con: Delassus,
    g_free: Array,
    b_v: Array,
    nu: Array,
    Lam: Array,
    terms: Array,
) -> tuple[int, float]:
    """Solve the joint position and velocity problem of nu and Lam.

    ``Lam`` comes in with the impulses of the step before: contacts that were pressed are the first guess.

    Returns
    -------
    failed : int
        The contact with the largest residual when that exceeds the tolerance, else -1.
    residual : float
    """
    nc = nu.size
    terms[T_ITERATIONS] = 0.0
    # loops: assignments of arrays bring the messages of their errors with them, a second of compilation
    near, closed, any_near = np.empty(nc, np.bool_), np.empty(nc, np.bool_), False
    for i in range(nc):
        near[i] = closed[i] = g_free[i] <= 0.0
        any_near = any_near or near[i]
    for i in range(nc):
        nu[i] = Lam[i] if any_near else 0.0
        Lam[i] = Lam[i] if any_near else 0.0
    if not any_near:
        return -1, 0.0
    rounds = 0
    while True:
        i_q = members(near)
        i_v = members(closed)
        W, b = _joint_problem(h, con, g_free, b_v, i_q, i_v)
        z = np.empty(b.size)
        for k in range(i_q.size):
            z[k] = nu[i_q[k]]
        for k in range(i_v.size):
            z[i_q.size + k] = Lam[i_v[k]]
        iterations, residual = solve_problem(W, b, z, jd)
        terms[T_ITERATIONS] += iterations
        nu[:] = 0.0
        Lam[:] = 0.0
        for k in range(i_q.size):
            nu[i_q[k]] = h * z[k]
        for k in range(i_v.size):
            Lam[i_v[k]] = z[i_q.size + k]
        if not residual <= jd.tol:
            worst = lcp_worst(W, b, z)[0]
            return (i_q[worst] if worst < i_q.size else i_v[worst - i_q.size]), residual
        changed = False
        for i in range(nc):
            if not near[i] and _gap(i, con, g_free, nu, Lam, i_q, i_v) < 0.0:
                near[i] = True
                changed = True
        for i in range(nc):
            wanted = g_free[i] <= 0.0 or nu[i] > 0.0 or (rounds >= nc and closed[i])
            if wanted != closed[i]:
                closed[i] = wanted
                changed = True
        rounds += 1
        if not changed:
            return -1, residual


@allocating
def _gap(i: int, con: Delassus, g_free: Array, nu: Array, Lam: Array, i_q: IntArray, i_v: IntArray) -> float:
    """Return gap i after the impulses."""
    g = g_free[i]
    for k in range(i_q.size):
        g += con.W_q_nu[i, i_q[k]] * nu[i_q[k]]
    for k in range(i_v.size):
        g += con.W_q_Lam[i, i_v[k]] * Lam[i_v[k]]
    return g


@allocating
def _joint_problem(
    h: float, con: Delassus, g_free: Array, b_v: Array, i_q: IntArray, i_v: IntArray
) -> tuple[Array, Array]:
    """Return W and b of the problem in (nu / h, Lam): position rows divided by h have the unit of a velocity."""
    m, k = i_q.size, i_v.size
    W = np.empty((m + k, m + k))
    b = np.empty(m + k)
    for r in range(m):
        b[r] = g_free[i_q[r]] / h
        for c in range(m):
            W[r, c] = con.W_q_nu[i_q[r], i_q[c]]
        for c in range(k):
            W[r, m + c] = con.W_q_Lam[i_q[r], i_v[c]] / h
    for r in range(k):
        b[m + r] = b_v[i_v[r]]
        for c in range(m):
            W[m + r, c] = con.W_v_nu[i_v[r], i_q[c]] * h
        for c in range(k):
            W[m + r, m + c] = con.W_v_Lam[i_v[r], i_v[c]]
    return W, b
