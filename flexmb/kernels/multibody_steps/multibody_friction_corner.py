"""Closed contacts with friction at a corner of a drive, where velocities jump (``multibody_corner``).

The friction of joints takes no part in the jump: it acts in the steps before and after.
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.algebra.sparse_lu import lu_solve
from flexmb.kernels.compilation.stages import stage
from flexmb.kernels.multibody.evaluate import add_direction, along_direction, row_rate
from flexmb.kernels.multibody.machine import part
from flexmb.kernels.multibody.multibody import CANDIDATE, FAILED, LAM_W, LEFT, LU_, RESPONSE, W
from flexmb.kernels.multibody_contacts.friction_blocks import (
    NORMAL,
    block_laws,
    blocks_of,
    is_loaded,
    keep_impulses,
    tangent_before,
)
from flexmb.kernels.multibody_contacts.multibody_contact import rate_before
from flexmb.kernels.multibody_contacts.multibody_friction import solve_some


@stage
def friction_corner_stage(at: int, flag: int) -> int:
    """Add to W, LAM_W, LAM_C and LAM_T what the candidates answer to the jump that is in W.

    ``trial.report`` gets the contact that failed or -1, and the residual.
    """
    trial, motion, sym, mats = part(at, "trial"), part(at, "motion"), part(at, "sym"), part(at, "mats")
    nv, nj, w, e = trial.vec.shape[1], trial.joint.shape[1], trial.vec[W], part(at, "e")
    for c in range(trial.contact.shape[1]):
        if is_loaded(at, c):
            trial.contact[CANDIDATE, c] = 0.0
    candidates = np.flatnonzero(trial.contact[CANDIDATE] > 0.0)
    place, kind, shape, start = blocks_of(at, candidates, False)
    n, c = place.size, 0
    A, X, b, P = np.zeros((n, n)), np.zeros((n, nv + nj)), np.zeros(n), np.zeros(n)
    for j in range(n):
        add_direction(at, nj + place[j], 1.0, X[j])
        lu_solve(sym, mats.J, X[j], trial.big[LU_])
        for i in range(n):
            A[i, j] = along_direction(at, nj + place[i], X[j])
    for i in range(n):
        r = nj + place[i]
        b[i] = row_rate(at, r) + along_direction(at, r, w)
        if kind[i] == NORMAL:
            c = place[i]
            b[i] += e[c] * rate_before(at, r)
            motion.contact[RESPONSE, c] = A[i, i]
        else:
            b[i] += tangent_before(at, c, place[i])
    law = block_laws(at, candidates, shape.shape[0])
    worst, residual = solve_some(at, A, b, shape, start, law, P, np.ones(shape.shape[0], np.int64))
    trial.report[FAILED], trial.report[LEFT] = -1.0, residual
    if worst >= 0:
        trial.report[FAILED] = float(candidates[worst])
        return 0
    keep_impulses(at, place, kind, P)
    for j in range(n):
        for i in range(nv):
            w[i] += P[j] * X[j, i]
        for r in range(nj):
            trial.joint[LAM_W, r] += P[j] * X[j, nv + r]
    return 0
