"""Contacts of the alpha family with rows beside their normals (friction, rolling, spinning): both levels as blocks.

Let z stack the impulses Lam of the normals and those of the rows beside them, J = [G H] their directions.

    ggl = false:  M w = J z,  dq = (h/2) w
    ggl = true:   M w = J z,  M dq = G nu + (h/2) H z_T

Without the last term a contact that sticks would creep by h a_T / 2: friction acts on positions as the smooth forces
do. A contact that closes is a block of the cones of ``cones.cones``; a position row of GGL is a block of one row, its
unknown nu / h. Both levels are solved as one problem; which contacts close is found as without friction.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from flexmb.schemes.alpha_contacts import AlphaStep
from flexmb.schemes.contact_stack import ContactTask, Stack
from flexmb.state import Array, IntArray
from flexmb.system.contact_blocks import Blocks
from flexmb.system.protocol import Instant, Solves

Flags = NDArray[np.bool_]


def friction_matrix(
    c: AlphaStep, h: float, end: Instant, S: Solves, M: Solves, J: sparse.csc_array, normal: Flags, G: sparse.csc_array
) -> Array:
    """Return the matrix of rates and gaps over h, (n + m, n + m), to impulses along J (nv, n) and nu / h along G.

    ``normal`` (n,) tells which columns of J are normals; G (nv, m) has no columns without GGL, where all impulses act
    on positions, too.
    """
    n, ggl = J.shape[1], G.shape[1] > 0
    to_q = np.full(n + G.shape[1], h)
    to_q[:n] = np.where(normal, 0.0, 0.5 * h) if ggl else 0.5 * h
    X = M.solve(np.hstack([J.toarray(), G.toarray()]))
    dq, w = X * to_q, X.copy()
    w[:, n:] = 0.0
    Y = -c.c1(h) * S.solve(end.restoring(dq) + end.resisting(w))
    return np.vstack([J.T @ (w + Y), G.T @ (dq + c.d1(h) * Y) / h])


def solve_both_levels(
    W: Array, g_free: Array, b: Array, h: float, cand: IntArray, task: ContactTask, guess: Array
) -> tuple[Array, Array, int]:
    """Solve for nu (m,) and the impulses z (n,) of the contacts ``cand`` (m,) with GGL; return the iterations, too.

    Parameters
    ----------
    W : (n + m, n + m) array
        ``friction_matrix`` of their rows, block by block, and of their gaps.
    g_free : (m,) array
        Gaps without impulses.
    b : (n,) array
        Rates without impulses, with restitution.
    h : float
    cand : (m,) int array
    task : ContactTask
    guess : (n,) array
    """
    blocks: Blocks = task.contacts.blocks
    n, m = b.size, cand.size
    owner = np.repeat(np.arange(m), 1 + blocks.sizes[cand])
    near = g_free <= 0.0
    closed, count, rounds = near.copy(), 0, 0
    right = np.concatenate([b, g_free / h])
    while True:
        i, rows = np.flatnonzero(near), np.flatnonzero(closed[owner])
        part = Stack.of(blocks, cand[closed])
        asked = np.concatenate([rows, n + i])
        stack = Stack(
            np.concatenate([part.contacts, cand[i]]),
            asked,
            np.concatenate([part.first, rows.size + np.arange(i.size)]),
            np.concatenate([part.shape, np.zeros((i.size, 3), dtype=np.int64)]),
        )
        first = np.concatenate([guess[rows], np.zeros(i.size)])
        P = np.zeros(n + m)
        P[asked], more = task.solve(W[np.ix_(asked, asked)], right[asked], stack, first)
        count += more
        violated = (g_free + h * (W[n:] @ P) < 0.0) & ~near
        wanted = (g_free <= 0.0) | (P[n:] > 0.0)
        if rounds >= m:
            wanted |= closed
        if not violated.any() and (wanted == closed).all():
            return h * P[n:], P[:n], count
        near, closed, rounds, guess = near | violated, wanted, rounds + 1, P[:n]
