"""Directions and responses of the unknowns of a contact problem with friction, at sparse cost.

An impulse moves only the parts it acts on (``multibody_contact_sets``), so the matrix of the problem is never formed: a
row has the entries of its direction, an unknown those of what it moves. The sum of all that impulses move is one vector
over the unknowns of the system, from which a row reads its rate.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.kernels.compilation.jit import allocating, inner
from flexmb.kernels.cones.cone_project import LARGEST
from flexmb.kernels.multibody.evaluate import add_direction
from flexmb.kernels.multibody.machine import part
from flexmb.kernels.multibody.multibody import BY_DQ, BY_IMPULSE, BY_W, D1, SPLIT, H
from flexmb.kernels.multibody_contacts.friction_blocks import NORMAL, POSITION, TANGENT, is_loaded, load, load_response
from flexmb.kernels.multibody_contacts.multibody_contact_sets import respond_in_part
from flexmb.state import Array, IntArray


class Rows(NamedTuple):
    """Directions and responses of the unknowns of a problem, as lists of entries."""

    g_ptr: IntArray
    g_dof: IntArray
    g: Array
    x_ptr: IntArray
    x_dof: IntArray
    x: Array  # (3, .) of w to an impulse, of v~ to dq and to w
    q: Array  # what a unit of the unknown changes in positions (GGL)
    v: Array  # and in velocities; in the loads of joints with friction, where the entry is that of a multiplier
    alone: Array  # what it changes in its own row besides: of joints with friction, whose normals push nothing


@allocating
def _directions(at: int, place: IntArray) -> tuple[IntArray, IntArray, Array]:
    """Return the force directions of rows: where those of each begin, unknowns and numbers."""
    mk, rows, nj = part(at, "system.markers"), part(at, "system.rows"), part(at, "system.joints")
    J, grad, ptr = part(at, "point.markers.J"), part(at, "point.rows.grad"), np.zeros(place.size + 1, np.int64)
    for i in range(place.size):
        ptr[i + 1] = ptr[i]
        for s in range(rows.ptr[nj + place[i]], rows.ptr[nj + place[i] + 1]):
            ptr[i + 1] += mk.ptr[rows.marker[s] + 1] - mk.ptr[rows.marker[s]]
    dof, value, k = np.zeros(ptr[-1], np.int64), np.zeros(ptr[-1]), 0
    for i in range(place.size):
        for s in range(rows.ptr[nj + place[i]], rows.ptr[nj + place[i] + 1]):
            for d in range(mk.ptr[rows.marker[s]], mk.ptr[rows.marker[s] + 1]):
                dof[k] = mk.dof[d]
                for c in range(6):
                    value[k] += J[d, c] * grad[s, c]
                k += 1
    return ptr, dof, value


@inner
def _respond(at: int, c: int, r: int, place: int, dof: IntArray, x: Array) -> int:
    """Write the responses to a unit impulse of row r of contact c from ``place`` on; return where they end."""
    sets, perm = part(at, "sets"), part(at, "sym.perm")
    add_direction(at, r, 1.0, sets.dense[BY_IMPULSE])
    for k in range(sets.part_ptr[c], sets.part_ptr[c + 1]):
        p = sets.parts[k]
        rows = sets.row[sets.row_ptr[p] : sets.row_ptr[p + 1]]
        respond_in_part(at, rows)
        for i in range(rows.size):
            u = perm[rows[i]]
            dof[place] = u
            for d in range(3):
                x[d, place] = sets.dense[d, u]
                sets.dense[d, u] = 0.0
            place += 1
    return place


@allocating
def responses_of(at: int, place: IntArray, kind: IntArray) -> Rows:
    """Return directions and responses of all unknowns of a problem."""
    sets, step, numbers = part(at, "sets"), part(at, "step"), part(at, "numbers")
    nj, h, d1, nv = part(at, "system.joints"), step[H], step[D1], part(at, "trial.vec").shape[1]
    split, ggl = numbers.form == SPLIT, numbers.contact_ggl == 1
    g_ptr, g_dof, g = _directions(at, place)
    ptr, c = np.zeros(place.size + 1, np.int64), 0
    for i in range(place.size):
        c = place[i] if kind[i] != TANGENT else c
        ptr[i + 1] = ptr[i] + sets.ptr[c + 1] - sets.ptr[c]
    dof, x = np.zeros(ptr[-1], np.int64), np.zeros((3, ptr[-1]))
    q, v = np.zeros(ptr[-1] if ggl else 0), np.zeros(ptr[-1])
    for i in range(place.size):
        c = place[i] if kind[i] != TANGENT else c
        _respond(at, c, nj + place[i], ptr[i], dof, x)
        half = 0.5 * h if kind[i] == TANGENT or not ggl else 0.0
        for k in range(ptr[i], ptr[i + 1]):
            X, Y_q, Y_v = x[BY_IMPULSE, k], x[BY_DQ, k], x[BY_W, k]
            if dof[k] >= nv:
                v[k] = load_response(at, kind[i], X, Y_q, Y_v)
            elif not split:
                v[k] = X
            elif kind[i] == POSITION:
                q[k], v[k] = h * (X + d1 * Y_q), h * Y_q
            else:
                v[k] = X + half * Y_q + Y_v
                if ggl:
                    q[k] = half * (X + d1 * Y_q) + d1 * Y_v
    rows = Rows(g_ptr, g_dof, g, ptr, dof, x, q, v, np.zeros(place.size))
    for i in range(place.size):
        if kind[i] != TANGENT and is_loaded(at, place[i]):
            rows.alone[i] = 1.0
            if kind[i] == NORMAL:
                _follow_load(at, place[i], rows, i)
    return rows


@allocating
def _follow_load(at: int, c: int, rows: Rows, i: int) -> None:
    """Set the load of the normal of a joint with friction from the multipliers (``multibody_friction``)."""
    held, nv = np.zeros(3), part(at, "trial.vec").shape[1]
    first, size, k = part(at, "system.rows.angle")[part(at, "system.joints") + c], load(at, c, held), rows.g_ptr[i]
    if size > 0.0 and rows.g_ptr[i + 1] - k >= first[1]:
        for d in range(first[1]):
            rows.g_dof[k + d], rows.g[k + d] = nv + first[0] + d, -held[d] / size


@inner
def add_unit(rows: Rows, i: int, z: float, moved: Array) -> None:
    """Add the effect of z of unknown i to ``moved`` (2, n): positions and velocities."""
    for k in range(rows.x_ptr[i], rows.x_ptr[i + 1]):
        moved[1, rows.x_dof[k]] += z * rows.v[k]
    if rows.q.size > 0:
        for k in range(rows.x_ptr[i], rows.x_ptr[i + 1]):
            moved[0, rows.x_dof[k]] += z * rows.q[k]


@inner
def rate_of(rows: Rows, kind: IntArray, i: int, h: float, moved: Array, z: float) -> float:
    """Return the change by impulses in the row of unknown i, with its own z: a rate, or a gap over h."""
    total, level = 0.0, 0 if kind[i] == POSITION else 1
    for k in range(rows.g_ptr[i], rows.g_ptr[i + 1]):
        total += rows.g[k] * moved[level, rows.g_dof[k]]
    return total / h + rows.alone[i] * z if level == 0 else total + rows.alone[i] * z


@inner
def all_rates(rows: Rows, kind: IntArray, h: float, P: Array, b: Array, moved: Array, U: Array) -> None:
    """Write the effect of all impulses, recomputed, and U = W P + b."""
    moved[:] = 0.0
    for i in range(P.size):
        if P[i] != 0.0:
            add_unit(rows, i, P[i], moved)
    for i in range(P.size):
        U[i] = b[i] + rate_of(rows, kind, i, h, moved, P[i])


@allocating
def own_blocks_of(rows: Rows, kind: IntArray, start: IntArray, h: float, n: int) -> Array:
    """Return the blocks on the diagonal of the problem, (nb, 6, 6), filled up with zeros."""
    out, moved = np.zeros((start.size - 1, LARGEST, LARGEST)), np.zeros((2, n))
    for block in range(start.size - 1):
        for j in range(start[block], start[block + 1]):
            add_unit(rows, j, 1.0, moved)
            for i in range(start[block], start[block + 1]):
                own = 1.0 if i == j else 0.0
                out[block, i - start[block], j - start[block]] = rate_of(rows, kind, i, h, moved, own)
            for k in range(rows.x_ptr[j], rows.x_ptr[j + 1]):
                moved[0, rows.x_dof[k]] = 0.0
                moved[1, rows.x_dof[k]] = 0.0
    return out
