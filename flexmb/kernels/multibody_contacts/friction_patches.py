"""Patches of a problem of many contacts: what sweeps leave is mostly a matter of few contacts, solved together.

Where bodies are wedged between each other, impulses go round in circles that sweeps follow for thousands of rounds. A
patch has the contacts that a sweep still changes most and those around them; its problem, with the others held, has a
full matrix of a few hundred rows, for which ``cones`` has solvers. Sweeps and patches take turns; where that does not
help, patches grow.
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.compilation.jit import allocating
from flexmb.kernels.multibody.machine import part
from flexmb.kernels.multibody_contacts.friction_responses import add_unit, all_rates, rate_of
from flexmb.kernels.multibody_contacts.friction_sweeps import Pile, sweep_fast
from flexmb.kernels.multibody_contacts.multibody_friction import solve_levels, solve_some
from flexmb.state import Array, IntArray

FIRST, AGAIN = 100, 30
"""Sweeps before the first patch, and between two."""
SIZES = (60, 60, 120)
"""Contacts of a patch, one size after the other where a round has not brought less than ``GAIN`` of the residual."""
SEEDS, NEAR = 10, 0.04
"""Most contacts that a patch grows from, and the least square of what they change, over the largest."""
GAIN, TURNS = 0.5, 20
"""Largest remaining fraction of the residual after a turn, and largest number of turns."""


@allocating
def _neighbours(at: int, contacts: IntArray) -> tuple[IntArray, IntArray]:
    """Return where the list of contacts of each part begins, and these lists (places among ``contacts``)."""
    sets = part(at, "sets")
    ptr = np.zeros(sets.row_ptr.size, np.int64)
    for i in range(contacts.size):
        for k in range(sets.part_ptr[contacts[i]], sets.part_ptr[contacts[i] + 1]):
            ptr[sets.parts[k] + 1] += 1
    for k in range(ptr.size - 1):
        ptr[k + 1] += ptr[k]
    found, at_end = np.zeros(ptr[-1], np.int64), ptr.copy()
    for i in range(contacts.size):
        for k in range(sets.part_ptr[contacts[i]], sets.part_ptr[contacts[i] + 1]):
            found[at_end[sets.parts[k]]] = i
            at_end[sets.parts[k]] += 1
    return ptr, found


@allocating
def _choose(at: int, contacts: IntArray, change: Array, size: int) -> IntArray:
    """Return the contacts of a patch (places, rising): those that change most, and around them up to ``size``."""
    sets = part(at, "sets")
    ptr, near = _neighbours(at, contacts)
    order, inside, n = np.argsort(-change), np.zeros(contacts.size, np.int64), 0
    queue = np.zeros(contacts.size, np.int64)
    while n < min(SEEDS, size, contacts.size) and change[order[n]] >= NEAR * change[order[0]]:
        inside[order[n]] = 1
        queue[n] = order[n]
        n += 1
    done = 0
    while done < n and n < size:
        c = contacts[queue[done]]
        for k in range(sets.part_ptr[c], sets.part_ptr[c + 1]):
            for q in range(ptr[sets.parts[k]], ptr[sets.parts[k] + 1]):
                if inside[near[q]] == 0 and n < size:
                    inside[near[q]] = 1
                    queue[n] = near[q]
                    n += 1
        done += 1
    return np.flatnonzero(inside)


@allocating
def matrix_of(p: Pile, which: IntArray) -> Array:
    """Return the full matrix between some unknowns."""
    A, moved = np.zeros((which.size, which.size)), np.zeros((2, p.unknowns))
    for j in range(which.size):
        add_unit(p.rows, which[j], 1.0, moved)
        for i in range(which.size):
            A[i, j] = rate_of(p.rows, p.kind, which[i], p.h, moved, 1.0 if i == j else 0.0)
        for k in range(p.rows.x_ptr[which[j]], p.rows.x_ptr[which[j] + 1]):
            moved[0, p.rows.x_dof[k]] = 0.0
            moved[1, p.rows.x_dof[k]] = 0.0
    return A


@allocating
def solve_patch(at: int, p: Pile, blocks: IntArray, P: Array) -> tuple[int, float]:
    """Solve some blocks (with GGL both of each contact) with the others held; return as ``solve_some``."""
    n, nb = 0, blocks.size
    for i in range(nb):
        n += p.start[blocks[i] + 1] - p.start[blocks[i]]
    which, start, shape, law = np.zeros(n, np.int64), np.zeros(nb + 1, np.int64), p.shape[blocks], p.law[blocks]
    n = 0
    for i in range(nb):
        for r in range(p.start[blocks[i]], p.start[blocks[i] + 1]):
            which[n] = r
            n += 1
        start[i + 1] = n
    A, b, free, P_in = matrix_of(p, which), np.zeros(n), np.zeros(n), np.zeros(n)
    moved, U = np.zeros((2, p.unknowns)), np.zeros(P.size)
    all_rates(p.rows, p.kind, p.h, P, p.b, moved, U)
    for i in range(n):
        b[i], free[i], P_in[i] = U[which[i]], p.b[which[i]], P[which[i]]
        for j in range(n):
            b[i] -= A[i, j] * P[which[j]]
    if p.ggl:
        worst, residual = solve_levels(at, A, b, free, shape, start, law, P_in)
    else:
        worst, residual = solve_some(at, A, b, shape, start, law, P_in, np.ones(nb, np.int64))
    for i in range(n):
        if np.isfinite(P_in[i]):
            P[which[i]] = P_in[i]
    return worst, residual


@allocating
def sweep_and_patch(at: int, p: Pile, contacts: IntArray, P: Array, most: int, tol: float) -> tuple[int, int, float]:
    """Sweep and solve patches in turn until the residual is small enough; return sweeps, worst block, residual.

    P gets the best answer met. ``most`` sweeps, 0 for as many as it takes.
    """
    levels, nb = 2 if p.ggl else 1, p.start.size - 1
    change, of_contact, best = np.zeros(nb), np.zeros(contacts.size), np.zeros(P.size)
    used, worst, residual = sweep_fast(p, P, FIRST if most == 0 else min(FIRST, most), tol, change)
    best[:], least, worst_best, size = P, residual, worst, 0
    for _ in range(TURNS):
        if not tol < least < np.inf or (0 < most <= used) or size == len(SIZES):
            break
        for i in range(contacts.size):
            of_contact[i] = change[levels * i] + change[levels * i + levels - 1]
        chosen = _choose(at, contacts, of_contact, SIZES[size])
        blocks = np.zeros(levels * chosen.size, np.int64)
        for i in range(blocks.size):
            blocks[i] = levels * chosen[i // levels] + i % levels
        solve_patch(at, p, blocks, P)
        more, worst, residual = sweep_fast(p, P, AGAIN, tol, change)
        used += more
        if not residual <= GAIN * least:
            size += 1
        if residual < least:
            best[:], least, worst_best = P, residual, worst
        elif not residual < np.inf:
            P[:] = best
    P[:] = best
    return used, worst_best, least
