"""Many contacts: index sets on the bordered matrix of the closed ones, at the cost of band solves.

The primal-dual active-set method of ``kernels.lcp_newton`` without its dense matrix: the equations of a set are those
of ``kernels.bordered``, what the impulses do comes from ``kernels.contact_response``, and the set of the step before is
the first guess, whose factors are there already. Where the sets do not come nearer to an answer, or redundant contacts
contradict each other, softened problems follow, of the proximal point method (``kernels.lcp_proximal``), in which no
contact is redundant; at last single changes (Judice and Pires 1994), which end for every P-matrix.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.kernels.bordered import Border, factor_set, solve_set
from flexmb.kernels.contact_response import Response, add_response
from flexmb.kernels.jit import inner
from flexmb.kernels.lcp_active import EPS
from flexmb.kernels.lcp_newton import ROUND_OFF
from flexmb.kernels.lcp_proximal import FIRST, LAST, VAIN
from flexmb.state import Array, IntArray

SETS, PROBLEMS = 300, 60
"""Most index sets of a problem, and most problems of the proximal method."""
PATIENCE = 5
"""Sets that are changed as a whole though they bring no fewer wrong rows, before single rows are changed."""
TOLERANCE = 0
ITERATIONS, RESIDUAL, WORST = 0, 1, 2
"""Places in ``Sets.setting`` and ``Sets.answer``."""


class Sets(NamedTuple):
    """A problem ``w = W z + b, 0 <= w perp z >= 0`` on the rows with ``asked`` > 0, and the iteration's arrays.

    ``z`` comes in with a guess, and leaves with the answer (zero off the rows asked for). With rows of positions and, after
    them, of velocities (GGL; ``closed`` is then half as long as ``b``), a velocity row takes part where ``closed`` > 0,
    the gap without impulses being closed, or where its position row is pressed; the iteration sees to it.
    """

    setting: Array
    answer: Array
    b: Array
    z: Array
    w: Array
    r: Array
    dz: Array
    centre: Array
    best: Array
    asked: IntArray
    active: IntArray
    wrong: IntArray
    closed: IntArray


@inner
def _equations(B: Border, R: Response, s: Sets, soft: float) -> None:
    """Solve the equations of the set: ``z``, corrected once by its residual, and ``w`` of all rows."""
    m = s.b.size
    factor_set(B, s.active, soft)
    for i in range(m):
        s.z[i] = 0.0
        s.w[i] = s.b[i] - soft * B.own[i] * s.centre[i]
    for _ in range(2):
        for i in range(m):
            s.r[i] = -s.w[i]
        solve_set(B, s.r, s.dz)
        for i in range(m):
            s.z[i] += s.dz[i]
            s.w[i] = s.b[i] + soft * B.own[i] * (s.z[i] - s.centre[i])
        add_response(B, R, s.z, s.w)


@inner
def _natural_map(B: Border, s: Sets) -> tuple[int, float]:
    """Return the worst row and the residual as ``kernels.lcp_residual`` defines them."""
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
def _mark_wrong(B: Border, s: Sets, grow: bool) -> tuple[int, int]:
    """Mark the rows on the wrong side, by more than round-off; return how many can change and how many cannot.

    Those that cannot are violated though they are in the set: redundant beside contacts that do not satisfy them.
    """
    m = s.b.size
    noise = 0.0
    for i in range(m):
        if s.active[i] > 0 and B.member[i] == 1:
            noise = max(noise, abs(s.w[i]))
    nc = s.closed.size
    if m == 2 * nc:
        for i in range(nc):
            s.asked[nc + i] = 1 if s.closed[i] > 0 or s.z[i] > 0.0 or (grow and s.asked[nc + i] > 0) else 0
    count, blocked = 0, 0
    for i in range(m):
        tol = 4.0 * noise + 16.0 * EPS * (abs(s.b[i]) + B.own[i] * abs(s.z[i]))
        s.wrong[i] = 0
        if s.active[i] > 0:
            if s.asked[i] == 0 or B.own[i] * s.z[i] < -tol:
                s.wrong[i] = 1
                count += 1
            elif B.member[i] == 2 and not s.w[i] >= -tol:
                blocked += 1
        elif s.asked[i] > 0 and not s.w[i] >= -tol:
            if B.own[i] > 0.0:
                s.wrong[i] = 1
                count += 1
            else:
                blocked += 1
    return count, blocked


@inner
def _iterate(B: Border, R: Response, s: Sets, soft: float, single: bool) -> bool:
    """Change sets until none is wrong, from the set ``active``; return whether the answer stands.

    It gives up when ``PATIENCE`` sets in turn have not brought fewer wrong rows; with ``single``, it then changes the
    last wrong row alone until they are fewer.
    """
    m = s.b.size
    fewest, patience = m + 1, PATIENCE
    for k in range(SETS):
        _equations(B, R, s, soft)
        s.answer[ITERATIONS] += 1.0
        count, blocked = _mark_wrong(B, s, k > PATIENCE)
        if count == 0:
            return blocked == 0
        if count < fewest:
            fewest, patience = count, PATIENCE
        else:
            patience -= 1
        if patience < 0 and not single:
            return False
        for i in range(m - 1, -1, -1):
            if s.wrong[i] > 0:
                s.active[i] = 1 - s.active[i]
                if patience < 0:
                    break
    return False


@inner
def _start(s: Sets) -> bool:
    """Choose the first set: the rows pressed in the guess, or else those violated without impulses; False for none."""
    m = s.b.size
    trivial, warm = True, False
    for i in range(m):
        if s.asked[i] > 0:
            trivial = trivial and s.b[i] >= 0.0
            warm = warm or s.z[i] > 0.0
    for i in range(m):
        inside = s.z[i] > 0.0 if warm else not s.b[i] >= 0.0
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
def _proximal(B: Border, R: Response, s: Sets) -> None:
    """Solve softened problems, each around the answer before, and from each of their sets the one asked for.

    The softer the contacts, the fewer sets it takes, and a softened answer is near enough for exact sets to settle.
    """
    m = s.b.size
    soft, last, vain = FIRST, np.inf, 0
    for i in range(m):
        s.centre[i] = 0.0
        s.active[i] = 1 if s.asked[i] > 0 and not s.b[i] >= 0.0 else 0
    for _ in range(PROBLEMS):
        _iterate(B, R, s, soft, False)
        residual = _judge(B, R, s)
        if not np.isfinite(residual):
            return
        for i in range(m):
            s.centre[i] = s.z[i]
            s.active[i] = 1 if s.z[i] > 0.0 else 0
        if _iterate(B, R, s, 0.0, False) and _judge(B, R, s) <= s.setting[TOLERANCE]:
            return
        vain = vain + 1 if soft <= LAST and residual > 0.5 * last else 0
        if residual <= s.setting[TOLERANCE] or vain > VAIN:
            return
        if residual > 0.1 * last:
            soft = max(0.1 * soft, LAST)
        last = residual
        for i in range(m):
            s.active[i] = 1 if s.centre[i] > 0.0 else 0


@inner
def solve_sets(B: Border, R: Response, s: Sets) -> None:
    """Solve the problem in ``s``: ``z``, and in ``answer`` the index sets used, the residual and the worst row."""
    m = s.b.size
    s.answer[ITERATIONS], s.answer[RESIDUAL], s.answer[WORST] = 0.0, 0.0, -1.0
    for i in range(m):
        s.centre[i] = 0.0
        if s.asked[i] > 0 and not np.isfinite(s.b[i]):
            s.answer[RESIDUAL], s.answer[WORST] = np.inf, i
            return
    if not _start(s):
        for i in range(m):
            s.z[i] = 0.0
        return
    if _iterate(B, R, s, 0.0, False):
        row, residual = _natural_map(B, s)
        if residual <= s.setting[TOLERANCE]:
            s.answer[RESIDUAL], s.answer[WORST] = residual, row
            for i in range(m):
                s.z[i] = max(s.z[i], 0.0) if s.asked[i] > 0 else 0.0
            return
    if not _judge(B, R, s) <= ROUND_OFF:
        _proximal(B, R, s)
    if not s.answer[RESIDUAL] <= s.setting[TOLERANCE]:
        for i in range(m):
            s.active[i] = 1 if s.best[i] > 0.0 else 0
        _iterate(B, R, s, 0.0, True)
        _judge(B, R, s)
    for i in range(m):
        s.z[i] = s.best[i]
