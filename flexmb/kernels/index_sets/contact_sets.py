"""Many contacts: index sets on the bordered matrix of the closed ones, at the cost of band solves.

The primal-dual active-set method of ``lcp.lcp_newton`` without its dense matrix: the equations of a set are those
of ``bordered``, what the impulses do comes from ``contact_response``, and the set of the step before is
the first guess, whose factors are there already. Where sets do not come nearer to an answer (contacts much closer than
the waves of a step are long), or redundant contacts contradict each other, the interior-point method of
``contact_interior`` finds a set from which they do; at last single changes (Judice and Pires 1994), which end
for every P-matrix.
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.algebra.bordered import Border, factor_set, solve_set
from flexmb.kernels.compilation.jit import inner
from flexmb.kernels.index_sets.contact_interior import find_interior
from flexmb.kernels.index_sets.contact_problem import ITERATIONS, RESIDUAL, TOLERANCE, WORST, Sets
from flexmb.kernels.index_sets.contact_response import Response, add_response
from flexmb.kernels.lcp.lcp_active import EPS
from flexmb.kernels.lcp.lcp_newton import ROUND_OFF

SETS, PROBLEMS = 100, 3
"""Most index sets in turn, and most times that the interior-point method takes both levels in turn."""
PASSES = 5
"""Most corrections of the impulses of a set; two do but for very fine meshes."""
FEW_WRONG, MOST_SINGLE = 6, 8
"""Wrong rows that are worth single changes, and how many of those in vain."""
PATIENCE = 5
"""Sets that are changed as a whole though they bring no fewer wrong rows, before single rows are changed."""


@inner
def _equations(B: Border, R: Response, s: Sets) -> None:
    """Solve the equations of the set: ``z``, corrected by its residual while that falls, and ``w`` of all rows."""
    m = s.b.size
    factor_set(B, s.active, False)
    scale, before = 0.0, np.inf
    for i in range(m):
        s.z[i] = 0.0
        s.w[i] = s.b[i]
        scale = max(scale, abs(s.b[i]))
    for k in range(PASSES):
        for i in range(m):
            s.r[i] = -s.w[i]
        solve_set(B, s.r, s.dz)
        for i in range(m):
            s.z[i] += s.dz[i]
            s.w[i] = s.b[i]
        add_response(B, R, s.z, s.w)
        left = 0.0
        for i in range(m):
            if B.member[i] == 1:
                left = max(left, abs(s.w[i]))
        if k > 0 and not EPS * scale < left < 0.1 * before:
            break
        before = left


@inner
def _natural_map(B: Border, s: Sets) -> tuple[int, float]:
    """Return the worst row and the residual as ``kernels.lcp.lcp_residual`` defines them."""
    row, worst, given, answered = -1, 0.0, 0.0, 0.0
    for i in range(s.b.size):
        if s.asked[i] > 0:
            if not (np.isfinite(s.w[i]) and np.isfinite(s.z[i])):
                return i, np.inf
            rho = B.own[i] if B.own[i] > 0.0 else 1.0
            off = abs(min(rho * s.z[i], s.w[i]))
            if off > worst or row < 0:
                row, worst = i, off
            given = max(given, abs(s.b[i]))
            answered = max(answered, rho * abs(s.z[i]))
    scale = given + 1e-5 * answered
    return row, (worst / scale if scale > 0.0 else 0.0)


@inner
def _wrong(B: Border, s: Sets, i: int, noise: float) -> int:
    """Return 1 for a row on the wrong side by more than round-off, and 2 for one that cannot change sides.

    It cannot where it is violated though it is in the set, being redundant beside contacts that do not satisfy it.
    """
    tol = 4.0 * noise + 16.0 * EPS * (abs(s.b[i]) + B.own[i] * abs(s.z[i]))
    if s.active[i] > 0:
        if s.asked[i] == 0 or B.own[i] * s.z[i] < -tol:
            return 1
        return 2 if B.member[i] == 2 and not s.w[i] >= -tol else 0
    if s.asked[i] > 0 and not s.w[i] >= -tol:
        return 1 if B.own[i] > 0.0 else 2
    return 0


@inner
def _mark_wrong(B: Border, s: Sets, grow: bool) -> tuple[int, int]:
    """Mark the rows on the wrong side; return a number that falls with them, and how many cannot change.

    Velocity rows wait until no position row is wrong, for the impulses of wrong ones tell nothing about velocities.
    With ``grow``, where sets do not come nearer to an answer, no velocity row that was asked for is dropped.
    """
    m, nc = s.b.size, s.closed.size
    noise = 0.0
    for i in range(m):
        s.wrong[i] = 0
        if s.active[i] > 0 and B.member[i] == 1:
            noise = max(noise, abs(s.w[i]))
    count, blocked = 0, 0
    for i in range(nc):
        kind = _wrong(B, s, i, noise)
        s.wrong[i] = 1 if kind == 1 else 0
        count += s.wrong[i]
        blocked += 1 if kind == 2 else 0
    if m == nc or count > 0:
        return count + (m - nc if count > 0 else 0), blocked
    for i in range(nc):
        s.asked[nc + i] = 1 if s.closed[i] > 0 or s.z[i] > 0.0 or (grow and s.asked[nc + i] > 0) else 0
    for i in range(nc, m):
        kind = _wrong(B, s, i, noise)
        s.wrong[i] = 1 if kind == 1 else 0
        count += s.wrong[i]
        blocked += 1 if kind == 2 else 0
    return count, blocked


@inner
def _iterate(B: Border, R: Response, s: Sets, single: bool) -> bool:
    """Change sets until none is wrong, from the set ``active``; return whether the result is valid.

    Once ``PATIENCE`` sets in turn have not brought fewer wrong rows, the last of them alone is changed, until they are
    fewer; but without ``single`` only where few are wrong, and not for long.
    """
    m, others = s.b.size, s.b.size - s.closed.size
    fewest, patience = 2 * m + 1, PATIENCE
    for _ in range(SETS):
        _equations(B, R, s)
        s.answer[ITERATIONS] += 1.0
        count, blocked = _mark_wrong(B, s, patience < 0)
        if count == 0:
            return blocked == 0
        if count < fewest:
            fewest, patience = count, PATIENCE
        else:
            patience -= 1
        wrong = count - others if count > others else count
        if patience < 0 and not single and (wrong > FEW_WRONG or patience < -MOST_SINGLE):
            return False
        for i in range(m - 1, -1, -1):
            if s.wrong[i] > 0:
                s.active[i] = 1 - s.active[i]
                if patience < 0:
                    break
    return False


@inner
def _start(s: Sets) -> bool:
    """Choose the first set: the rows pressed in the guess, or else those violated without impulses; False for none.

    Position rows beside velocity rows are chosen by their gaps: which of them press says little about the next step.
    """
    m, nc = s.b.size, s.closed.size
    trivial, warm = True, False
    for i in range(m):
        if s.asked[i] > 0:
            trivial = trivial and s.b[i] >= 0.0
            warm = warm or s.z[i] > 0.0
    for i in range(m):
        by_guess = warm and (m == nc or i >= nc)
        inside = s.z[i] > 0.0 if by_guess else not s.b[i] >= 0.0
        s.active[i] = 1 if s.asked[i] > 0 and inside else 0
    return not trivial


@inner
def _judge(B: Border, R: Response, s: Sets) -> float:
    """Return the residual of ``z`` made non-negative; keep it in ``best`` and ``answer`` if it is the least so far."""
    m = s.b.size
    for i in range(m):
        s.z[i] = max(s.z[i], 0.0) if s.asked[i] > 0 else 0.0
        s.w[i] = s.b[i]
    add_response(B, R, s.z, s.w)
    row, residual = _natural_map(B, s)
    if residual < s.answer[RESIDUAL] or s.answer[WORST] < 0.0:
        s.answer[RESIDUAL], s.answer[WORST] = residual, row
        for i in range(m):
            s.best[i] = s.z[i]
    return residual


@inner
def _from_interior(B: Border, R: Response, s: Sets) -> None:
    """Change sets from the one that the interior-point method finds, level by level where there are two."""
    m, nc = s.b.size, s.closed.size
    for i in range(m):
        s.z[i] = 0.0
    for _ in range(PROBLEMS):
        s.answer[ITERATIONS] += find_interior(B, R, s, 0, nc)
        if m > nc:
            for i in range(nc):
                s.wrong[i] = s.active[i]
                s.asked[nc + i] = 1 if s.closed[i] > 0 or s.active[i] > 0 else 0
            s.answer[ITERATIONS] += find_interior(B, R, s, nc, m)
            for i in range(nc):
                s.active[i] = s.wrong[i]
        for i in range(m):
            s.dw[i] = s.z[i]
        if _iterate(B, R, s, False) and _judge(B, R, s) <= s.setting[TOLERANCE]:
            return
        for i in range(m):
            s.z[i] = s.dw[i]
        if _judge(B, R, s) <= s.setting[TOLERANCE] or m == nc:
            return


@inner
def solve_sets(B: Border, R: Response, s: Sets) -> None:
    """Solve the problem in ``s``: ``z``, and in ``answer`` the index sets used, the residual and the worst row."""
    m = s.b.size
    s.answer[ITERATIONS], s.answer[RESIDUAL], s.answer[WORST] = 0.0, 0.0, -1.0
    for i in range(m):
        if s.asked[i] > 0 and not np.isfinite(s.b[i]):
            s.answer[RESIDUAL], s.answer[WORST] = np.inf, i
            return
    if not _start(s):
        for i in range(m):
            s.z[i] = 0.0
        return
    if _iterate(B, R, s, False):
        row, residual = _natural_map(B, s)
        if residual <= s.setting[TOLERANCE]:
            s.answer[RESIDUAL], s.answer[WORST] = residual, row
            for i in range(m):
                s.z[i] = max(s.z[i], 0.0) if s.asked[i] > 0 else 0.0
            return
    if not _judge(B, R, s) <= ROUND_OFF:
        s.answer[RESIDUAL] = np.inf  # an answer of exact sets is preferred to one that is near by chance
        _from_interior(B, R, s)
    if not s.answer[RESIDUAL] <= s.setting[TOLERANCE]:
        for i in range(m):
            s.active[i] = 1 if s.best[i] > 0.0 else 0
        _iterate(B, R, s, True)
        _judge(B, R, s)
    for i in range(m):
        s.z[i] = s.best[i]
