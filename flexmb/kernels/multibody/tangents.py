"""The bordered matrix of a step, assembled from the tangents of all parts into the pattern of ``sparse_lu``.

The step solves for changes xi of the velocities, the rotational ones measured as turning of the end position: a change
d(omega~) moves the end of the step by d1 T(Theta) d(omega~) = d1 xi, so d(omega~) = T^-1(Theta) xi. With
R = p(q, v~) - A^T c - c1 F(q, v) - G Lam,

    S = M T^-1 + c1 C + d1 D,     D = N - (A^T c)~ + c1 K,     N = dp/dq,  K = -dF/dq,  C = -dF/dv
    [ S              -G ] [ xi   ]   [ -R   ]
    [ G^T (T^-1) + d1 H^T  eps ] [ dLam ] = [ -rho ]

where H^T is the change of dg/dt with the position (T^-1 and H^T only for joints on the velocity level), and eps is
zero unless joints are redundant or nearly so. In the form WHOLE the columns G, and K of the joints, are those
inside the step (``joints_between``). Rows and columns are of one size whatever h is: this is the scaling of Haddouni
2015, eq 2.111.
"""

from __future__ import annotations

import numpy as np
from numba import carray  # type: ignore[attr-defined]

from flexmb.kernels.compilation.jit import inner
from flexmb.kernels.compilation.pointers import floats
from flexmb.kernels.compilation.stages import (
    BEAMS_STAGE,
    BEND_STAGE,
    FLOATING_STAGE,
    ROTORS_STAGE,
    TANGENTS,
    ask,
    asked,
)
from flexmb.kernels.geometry import constraint_rows, links, markers
from flexmb.kernels.geometry.rotation import tangent_inverse
from flexmb.kernels.geometry.tables import CLASSES
from flexmb.kernels.multibody.evaluate import copy
from flexmb.kernels.multibody.machine import part
from flexmb.kernels.multibody.multibody import B_, EPS, WHOLE
from flexmb.state import Array


@inner
def _pair_tangents(at: int, t: float, lam: Array) -> None:
    """Write the 6 x 6 tangents of all laws, joints with multipliers lam included."""
    state, astate, rstate = part(at, "point.markers"), part(at, "point.angles"), part(at, "point.rows")
    K6, C6 = part(at, "work.blocks.K6"), part(at, "work.blocks.C6")
    angles, functions, rows = part(at, "system.angles"), part(at, "system.functions"), part(at, "system.rows")
    K6[:] = 0.0
    C6[:] = 0.0
    links.springs_tangent(part(at, "system.springs"), state, K6, C6)
    links.torsions_tangent(part(at, "system.torsions"), angles, state, astate, K6, C6)
    links.pushes_tangent(part(at, "system.pushes"), functions, state, t, K6)
    if part(at, "system.beams.A").size > 0:
        ask(part(at, "rare")[BEAMS_STAGE], at, TANGENTS, t, 0.0, lam, lam, lam)
    for r in range(part(at, "system.joints")):
        if lam[r] != 0.0:
            constraint_rows.stiffness(rows, angles, r, lam[r], state, astate, rstate, K6)


@inner
def _merge(at: int) -> None:
    """Add up the tangents of equal pairs; the change of the twists with the position goes into K6."""
    scatter, work = part(at, "scatter"), part(at, "work")
    work.K6[:] = 0.0
    work.C6[:] = 0.0
    for p in range(scatter.unique.size):
        u = scatter.unique[p]
        for i in range(6):
            for j in range(6):
                work.K6[u, i, j] += work.blocks.K6[p, i, j]
                work.C6[u, i, j] += work.blocks.C6[p, i, j]
    for u in range(scatter.first.size):
        m = scatter.second[u]
        for i in range(6):
            for k in range(6):
                c = work.C6[u, i, k]
                if c != 0.0:
                    for j in range(6):
                        work.K6[u, i, j] += c * work.Z[m, k, j]


@inner
def scatter_pairs(at: int, B6: Array, c: float, J_force: Array, J_move: Array, out: Array) -> None:
    """Add c J_i^T B6 J_j of all pairs to ``out``, with J_i from ``J_force`` and J_j from ``J_move``."""
    mk, scatter, half = part(at, "system.markers"), part(at, "scatter"), part(at, "work.half")
    for u in range(scatter.first.size):
        f0, f1 = mk.ptr[scatter.first[u]], mk.ptr[scatter.first[u] + 1]
        s0, s1 = mk.ptr[scatter.second[u]], mk.ptr[scatter.second[u] + 1]
        if f0 == f1 or s0 == s1:
            continue
        size = 0.0
        for i in range(6):
            for j in range(6):
                size += abs(B6[u, i, j])
        if size == 0.0:
            continue
        for j in range(s1 - s0):
            for i in range(6):
                total = 0.0
                for k in range(6):
                    total += B6[u, i, k] * J_move[s0 + j, k]
                half[i, j] = c * total
        place = scatter.pair_ptr[u]
        for i in range(f0, f1):
            for j in range(s1 - s0):
                total = 0.0
                for k in range(6):
                    total += J_force[i, k] * half[k, j]
                out[scatter.pair_pos[place]] += total
                place += 1


@inner
def _scatter_own(at: int, c: float, out: Array) -> None:
    """Add c times the stiffness of turning levers: -d(J^T w)/dq at the total wrench w of each marker."""
    mk, state, scatter = part(at, "system.markers"), part(at, "point.markers"), part(at, "scatter")
    w, K = part(at, "work.half")[0], part(at, "work.local")[0]
    for m in range(mk.kind.size):
        nd = mk.ptr[m + 1] - mk.ptr[m]
        if nd == 0:
            continue
        size = 0.0
        for k in range(6):
            w[k] = 0.0
            for n in range(CLASSES):
                w[k] += state.wrench[n, m, k]
            size += abs(w[k])
        if size == 0.0:
            continue
        for i in range(nd):
            for j in range(nd):
                K[i, j] = 0.0
        markers.carry(mk, state, m, w, K, nd)
        place = scatter.own_ptr[m]
        for i in range(nd):
            for j in range(nd):
                out[scatter.own_pos[place]] += c * K[i, j]
                place += 1


@inner
def _scatter_linear(at: int, c1: float, c: Array) -> None:
    """Add the constant matrices, and the turning of the carried angular momentum c of the frames."""
    linear, mats, scatter = part(at, "system.linear"), part(at, "mats"), part(at, "scatter")
    for k in range(linear.M.val.size):
        mats.M[scatter.M_pos[k]] += linear.M.val[k]
    for k in range(linear.C.val.size):
        mats.C[scatter.C_pos[k]] += c1 * linear.C.val[k]
    for k in range(linear.K.val.size):
        mats.D[scatter.K_pos[k]] += c1 * linear.K.val[k]
    frame_v = part(at, "system.unknowns.frame_v")
    for f in range(frame_v.size):
        i = frame_v[f] + 3
        x, y, z = c[i], c[i + 1], c[i + 2]
        pos, D = scatter.frame_pos[f], mats.D
        D[pos[1]] += z
        D[pos[2]] -= y
        D[pos[3]] -= z
        D[pos[5]] += x
        D[pos[6]] += y
        D[pos[7]] -= x


@asked
def tangents_stage(at: int, flag: int, t: float, c1: float, q_at: int, v_at: int, c_at: int) -> int:
    """Do what ``assemble`` says, with the multipliers in ``trial.big[B_]``; q, v and c are at the addresses given."""
    nv = part(at, "motion.vec").shape[1]
    q, v, c = carray(floats(q_at), part(at, "motion.q").size), carray(floats(v_at), nv), carray(floats(c_at), nv)
    assemble(at, t, q, v, c, c1, part(at, "trial.big")[B_])
    return 0


def assemble_at(at: int, t: float, q: Array, v: Array, c1: float, c: Array | None = None) -> None:
    """Do what ``assemble`` says from Python, by default without carried momentum; multipliers: ``tangents_stage``."""
    q, v = np.ascontiguousarray(q, dtype=np.float64), np.ascontiguousarray(v, dtype=np.float64)
    c = np.zeros(v.size) if c is None else np.ascontiguousarray(c, dtype=np.float64)
    tangents_stage(at, 0, t, c1, q.ctypes.data, v.ctypes.data, c.ctypes.data)


@inner
def assemble(at: int, t: float, q: Array, v: Array, c: Array, c1: float, lam: Array) -> None:
    """Write M, c1 C and D over the unknowns; ``c`` (nv,) is the carried momentum with rotations in the end axes."""
    mats, mk, Z = part(at, "mats"), part(at, "system.markers"), part(at, "work.Z")
    state = part(at, "point.markers")
    mats.M[:] = 0.0
    mats.C[:] = 0.0
    mats.D[:] = 0.0
    for m in range(mk.kind.size):
        markers.swirl(mk, q, v, state, m, Z[m])
    _pair_tangents(at, t, lam)
    _merge(at)
    scatter_pairs(at, part(at, "work.K6"), c1, state.J, state.J, mats.D)
    scatter_pairs(at, part(at, "work.C6"), c1, state.J, state.J, mats.C)
    _scatter_own(at, c1, mats.D)
    _scatter_linear(at, c1, c)
    if part(at, "system.floating.modes").size > 0:
        ask(part(at, "rare")[FLOATING_STAGE], at, TANGENTS, t, c1, q, v, v)
    if part(at, "system.rotors.drag").size > 0:
        ask(part(at, "rare")[ROTORS_STAGE], at, TANGENTS, t, c1, q, v, v)


@inner
def _turned_mass(at: int, increment: Array) -> None:
    """Write T^-1 - 1 of the frames to ``work.turned``; add M (T^-1 - 1) on their rotational columns to S."""
    frame_v, scatter = part(at, "system.unknowns.frame_v"), part(at, "scatter")
    S, turned = part(at, "mats.S"), part(at, "work.turned")
    for f in range(frame_v.size):
        i, T, J = frame_v[f] + 3, turned[f], scatter.frame_J[f]
        tangent_inverse(increment[i : i + 3], T)
        for k in range(3):
            T[k, k] -= 1.0
        for a in range(3):
            for b in range(3):
                total = 0.0
                for k in range(3):
                    total += J[a, k] * T[k, b]
                S[scatter.frame_pos[f, 3 * a + b]] += total


@inner
def border(at: int, inside: bool, out: Array) -> None:
    """Add -G, G^T and eps to ``out``; the columns are those ``inside`` the step, or at its end like the rows."""
    between = part(at, "trial.between")
    mk, rows, scatter = part(at, "system.markers"), part(at, "system.rows"), part(at, "scatter")
    J, grad, eps = part(at, "point.markers.J"), part(at, "point.rows.grad"), part(at, "step")[EPS]
    for r in range(part(at, "system.joints")):
        out[scatter.diagonal_pos[r]] += eps
        for s in range(rows.ptr[r], rows.ptr[r + 1]):
            m = rows.marker[s]
            place = scatter.border_ptr[s]
            for d in range(mk.ptr[m], mk.ptr[m + 1]):
                along = 0.0
                for k in range(6):
                    along += J[d, k] * grad[s, k]
                acting = along
                if inside:
                    acting = 0.0
                    for k in range(6):
                        acting += between.J_force[d, k] * between.rows.grad[s, k]
                out[scatter.column_pos[place]] -= acting
                out[scatter.row_pos[place]] += along
                place += 1


@inner
def step_matrix(at: int, d1: float, rates: float, on_velocity: bool, increment: Array) -> None:
    """Write the bordered step matrix to ``mats.S``.

    ``rates`` is c1 of forces of velocities over c1, ``increment`` (nv,) the motion over the step.
    """
    mats = part(at, "mats")
    for k in range(mats.S.size):
        mats.S[k] = mats.M[k] + rates * mats.C[k] + d1 * mats.D[k]
    _turned_mass(at, increment)
    border(at, part(at, "numbers.form") == WHOLE, mats.S)
    if on_velocity and part(at, "system.joints") > 0:
        ask(part(at, "rare")[BEND_STAGE], at, 0, 0.0, d1, increment, increment, increment)


@inner
def mass_matrix(at: int) -> None:
    """Write the bordered mass matrix to ``mats.J``."""
    mats = part(at, "mats")
    copy(mats.M, mats.J)
    border(at, False, mats.J)
