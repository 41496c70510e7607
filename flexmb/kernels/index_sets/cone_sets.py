"""Many contacts with friction: index sets open / stick / slip on the bordered matrix, at the cost of band solves.

Newton's method on Alart and Curnier's function (``cones.cone_linear``) without its dense matrix: the equations of a
set are those of ``algebra.bordered`` with the faces of ``index_sets.cone_faces``, and what the impulses do comes from
``contact_response``. In the plane a set that no longer changes is the exact answer; in space the directions of
slip converge with it, quadratically. Where sets run in circles, a proximal term makes them come nearer: every row gives
way by ``soft`` around the answer before, and less and less so. One residual judges (``kernels.cones.cone_residual``).
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.algebra.bordered import Border, factor_set, forget_set, has_factors, solve_set
from flexmb.kernels.compilation.jit import allocating, inner
from flexmb.kernels.cones.cone_problem import ITERATIONS, RESIDUAL, TOLERANCE, WORST, Cones
from flexmb.kernels.cones.cone_project import DISCS, project_block
from flexmb.kernels.cones.cone_residual import cone_worst
from flexmb.kernels.index_sets.cone_faces import Faces, choose_faces, turn_in, turn_out, write_faces
from flexmb.kernels.index_sets.contact_response import Response, add_response
from flexmb.kernels.lcp.lcp_active import EPS

SETS, PATIENCE = 60, 8
"""Most index sets in turn, and how many of them may bring no smaller residual."""
PASSES = 5
"""Most corrections of the impulses of a set; two do but for very fine meshes."""
FINE = 0.1
"""Share of the tolerance at which directions of slip in space have converged."""
PULLS, PULLED, HALVINGS = 60, 20, 6
"""Most proximal problems, most sets of each, and most halvings of a step between two sets."""


@inner
def _equations(B: Border, R: Response, c: Cones, F: Faces) -> float:
    """Solve the equations of the set for ``z`` and ``w``, turned back; return the rates left on its rows."""
    m = c.b.size
    soft = False
    changed = write_faces(B, c, F)
    for k in range(m):
        soft = soft or (F.member[k] > 0 and B.soft[k] != 0.0)
        F.b[k] = c.b[k] - F.soft[k] * F.start[k]
    if changed:
        forget_set(B)
    if not has_factors(B, F.member):
        factor_set(B, F.member, soft)
    turn_in(c, F, F.b)
    scale, before, left = 0.0, np.inf, 0.0
    for k in range(m):
        c.z[k] = 0.0
        F.w[k] = F.b[k]
        scale = max(scale, abs(F.b[k]))
    for n in range(PASSES):
        for k in range(m):
            F.r[k] = -F.w[k] - B.soft[k] * c.z[k]
        solve_set(B, F.r, F.dz)
        for k in range(m):
            c.z[k] += F.dz[k]
            F.w[k] = F.b[k]
        add_response(B, R, c.z, F.w)
        left = 0.0
        for k in range(m):
            if B.member[k] == 1:
                left = max(left, abs(F.w[k] + B.soft[k] * c.z[k]))
        if n > 0 and not EPS * scale < left < 0.1 * before:
            break
        before = left
    turn_out(c, F, c.z, True)
    turn_out(c, F, F.w, False)
    for k in range(m):
        F.w[k] += F.soft[k] * c.z[k]
    return left


@inner
def _choose(c: Cones, F: Faces, noise: float, grow: bool) -> int:
    """Choose the next set; velocities wait until no position is wrong. Returns the changes.

    Where other blocks take part than before, what was best before is the answer of another problem: it is forgotten.
    """
    nb, nc = c.asked.size, c.closed.size
    changes = choose_faces(c, F, c.z, 0, nc, noise)
    if nb == nc or changes > 0:
        return changes
    for i in range(nc):
        wanted = 1 if c.closed[i] > 0 or c.z[i] > 0.0 or (grow and c.asked[nc + i] > 0) else 0
        if wanted != c.asked[nc + i]:
            changes += 1
            c.answer[RESIDUAL], c.answer[WORST] = np.inf, -1.0
        c.asked[nc + i] = wanted
    return changes + choose_faces(c, F, c.z, nc, nb, noise)


@allocating
def _judge(c: Cones, F: Faces, pulled: bool) -> float:
    """Return the residual of ``z`` and ``w``, of the problem or (``pulled``) of the proximal one.

    Keeps it in ``best`` and ``answer`` if it is that of the problem and the least so far. Impulses of blocks that take
    part no longer are in ``w``: it is none of the problem then (inf).
    """
    m = c.b.size
    for i in range(c.asked.size):
        for k in range(c.first[i], c.first[i + 1]):
            if not pulled and c.asked[i] == 0 and c.z[k] != 0.0:
                return np.inf
    U, b, P = np.empty(m), np.empty(m), np.empty(m)
    for i in range(c.asked.size):
        for k in range(c.first[i], c.first[i + 1]):
            P[k] = c.z[k] if c.asked[i] > 0 else 0.0
    for k in range(m):
        b[k] = c.b[k] - (F.soft[k] * F.start[k] if pulled else 0.0)
        U[k] = F.w[k] + (0.0 if pulled else F.soft[k] * (F.start[k] - c.z[k]))
    for i in range(c.asked.size):
        if c.asked[i] == 0:
            for k in range(c.first[i], c.first[i + 1]):
                U[k] = b[k] = 0.0
    worst, residual = cone_worst(U, b, P, F.scale, c.shape, c.first, c.law)
    if not pulled and (residual < c.answer[RESIDUAL] or c.answer[WORST] < 0.0):
        c.answer[RESIDUAL], c.answer[WORST] = residual, worst
        for k in range(m):
            F.best[k] = P[k]
    return residual


@inner
def _shorten(c: Cones, F: Faces, before: float) -> float:
    """Halve the step from ``z_0`` and ``w_0`` until the residual of the proximal problem falls; return the residual."""
    residual = _judge(c, F, True)
    for _ in range(HALVINGS):
        if residual < before:
            break
        for k in range(c.b.size):
            c.z[k] = 0.5 * (c.z[k] + F.z_0[k])
            F.w[k] = 0.5 * (F.w[k] + F.w_0[k])
        residual = _judge(c, F, True)
    return residual


@inner
def _spatial(c: Cones, F: Faces) -> bool:
    """Return whether any disc of two rows slips."""
    for i in range(c.asked.size):
        for d in range(DISCS):
            if c.shape[i, d] == 2 and F.closed[i] > 0 and F.slips[i, d] > 0:
                return True
    return False


@inner
def _iterate(B: Border, R: Response, c: Cones, F: Faces, sets: int, goal: float, pulled: bool) -> bool:
    """Change sets until none is wrong; return whether the residual came below the goal."""
    least, patience, before = np.inf, PATIENCE, np.inf
    for _ in range(sets):
        noise = _equations(B, R, c, F)
        c.answer[ITERATIONS] += 1.0
        residual = _shorten(c, F, before) if pulled else _judge(c, F, False)
        before = residual
        for k in range(c.b.size):
            F.z_0[k] = c.z[k]
            F.w_0[k] = F.w[k]
        changes = _choose(c, F, noise, 2 * patience < PATIENCE)
        settled = changes == 0 and (residual <= FINE * goal or not _spatial(c, F))
        if settled or (pulled and residual <= goal):
            return residual <= goal
        if residual < 0.9 * least:
            least, patience = residual, PATIENCE
        else:
            patience -= 1
            if patience < 0 or (changes == 0 and residual <= goal):
                return residual <= goal and (pulled or c.answer[RESIDUAL] <= goal)
    return False


@inner
def _start(c: Cones, F: Faces) -> bool:
    """Choose the first set: the blocks pressed in the guess, or else those violated without impulses; False for none.

    Positions beside velocities are chosen by their gaps: which of them press says little about the next step.
    """
    nb, nc, m = c.asked.size, c.closed.size, c.b.size
    trivial, warm = True, False
    for i in range(nb):
        trivial = trivial and (c.asked[i] == 0 or c.b[c.first[i]] >= 0.0)
        warm = warm or (c.asked[i] > 0 and c.z[c.first[i]] > 0.0 and (nb == nc or i >= nc))
    for k in range(m):
        F.w[k] = c.b[k]
        F.soft[k] = F.start[k] = 0.0
    for i in range(nb):
        F.closed[i] = 0
        first = c.first[i]
        pressed = c.z[first] > 0.0 and (nb == nc or i >= nc)
        for k in range(first, c.first[i + 1]):
            if pressed:
                F.w[k] = 0.0
            else:
                c.z[k] = 0.0
        if warm and not pressed and (nb == nc or i >= nc):
            F.w[first] = abs(F.w[first])  # open at first
        at = first + 1
        for d in range(DISCS):
            for k in range(at, at + c.shape[i, d]):
                if pressed:  # a disc at its bound slips on
                    c.z[k] *= 1.0 + 1e-8
            at += c.shape[i, d]
    choose_faces(c, F, c.z, 0, nb, 0.0)
    return not trivial


@inner
def _pull(B: Border, R: Response, c: Cones, F: Faces) -> None:
    """Come nearer by proximal problems: rows that give way around the answer before, ever less."""
    m, share = c.b.size, 0.1
    for k in range(m):
        F.start[k] = F.best[k]
    before = c.answer[RESIDUAL]
    for _ in range(PULLS):
        for k in range(m):
            F.soft[k] = share * F.own[k]
        if _iterate(B, R, c, F, PULLED, max(0.1 * before, c.setting[TOLERANCE]), True):
            residual = _judge(c, F, False)
            for i in range(c.asked.size):
                project_block(c.z, c.first[i], c.shape, c.law, i)
            for k in range(m):
                F.start[k] = c.z[k]
            before = min(before, residual)
            share = max(0.1 * share, 1e-9)
            if c.answer[RESIDUAL] <= c.setting[TOLERANCE]:
                break
        else:
            share = min(5.0 * share, 10.0)
    for k in range(m):
        F.soft[k] = F.start[k] = 0.0


@inner
def solve_cone_sets(B: Border, R: Response, c: Cones, F: Faces) -> None:
    """Solve the problem in ``c``: ``z``, and in ``answer`` the index sets used, the residual and the worst block."""
    m = c.b.size
    c.answer[ITERATIONS], c.answer[RESIDUAL], c.answer[WORST] = 0.0, 0.0, -1.0
    for i in range(c.asked.size):
        for k in range(c.first[i], c.first[i + 1]):
            if c.asked[i] > 0 and not np.isfinite(c.b[k]):
                c.answer[RESIDUAL], c.answer[WORST] = np.inf, i
                return
    if not _start(c, F):
        for k in range(m):
            c.z[k] = 0.0
        return
    c.answer[RESIDUAL] = np.inf
    if not _iterate(B, R, c, F, SETS, c.setting[TOLERANCE], False):
        _pull(B, R, c, F)
        _iterate(B, R, c, F, SETS, c.setting[TOLERANCE], False)
    if c.answer[WORST] < 0.0:  # other blocks take part since the last set
        _equations(B, R, c, F)
        _judge(c, F, False)
    for k in range(m):
        c.z[k] = F.best[k]
    for i in range(c.asked.size):  # round-off: what is left outside the cones was judged
        project_block(c.z, c.first[i], c.shape, c.law, i)
