"""Rare stages of systems with joints: curvature of rows, joints inside a step, redundant rows."""

from __future__ import annotations

from flexmb.kernels.compilation.jit import inner
from flexmb.kernels.compilation.stages import asked, stage
from flexmb.kernels.geometry import constraint_rows, markers
from flexmb.kernels.geometry.tables import FLOATING
from flexmb.kernels.multibody.joints_between import joint_impulses, lever_stiffness, place_between, turns_between
from flexmb.kernels.multibody.machine import part
from flexmb.kernels.multibody.multibody import LAM_J, T_V, WEAK, WEAK_MASS
from flexmb.kernels.multibody.redundancy import turn_directions
from flexmb.kernels.multibody.tangents import scatter_pairs
from flexmb.state import Array


@inner
def _bend(at: int, d1: float, r: int, out: Array) -> None:
    """Add what makes a row of G^T the change of dg/dt with xi: d1 H^T, and G^T (T^-1 - 1) on rotations of frames."""
    mk, rows, scatter, h = part(at, "system.markers"), part(at, "system.rows"), part(at, "scatter"), part(at, "work.h")
    state, rstate, turned, X = (
        part(at, "point.markers"),
        part(at, "point.rows"),
        part(at, "work.turned"),
        part(at, "work.local")[1],
    )
    s0, J, q, v = rows.ptr[r], state.J, part(at, "trial.q"), part(at, "trial.vec")[T_V]
    constraint_rows.curvature(
        rows, part(at, "system.angles"), r, state, part(at, "point.angles"), rstate, part(at, "work.Z"), h,
    )  # fmt: skip
    for s in range(s0, rows.ptr[r + 1]):
        m = rows.marker[s]
        first, place, f = mk.ptr[m], scatter.border_ptr[s], scatter.frame_of[m]
        if mk.kind[m] == FLOATING:
            markers.flutter(mk, q, v, state, m, X)
        for d in range(mk.ptr[m + 1] - first):
            bend = 0.0
            for k in range(6):
                bend += J[first + d, k] * h[s - s0, k]
                if mk.kind[m] == FLOATING:
                    bend += X[d, k] * rstate.grad[s, k]
            bend *= d1
            if f >= 0 and 3 <= d < 6:
                for a in range(3):
                    for k in range(6):
                        bend += J[first + 3 + a, k] * rstate.grad[s, k] * turned[f, a, d - 3]
            out[scatter.row_pos[place + d]] += bend


@asked
def bend_stage(at: int, flag: int, t: float, d1: float, q_at: int, v_at: int, p_at: int) -> int:
    """Bend the rows of all joints in the step matrix (``_bend``)."""
    S = part(at, "mats.S")
    for r in range(part(at, "system.joints")):
        _bend(at, d1, r, S)
    return 0


@inner
def _joints_stiffness(at: int) -> None:
    """Add the stiffness of the joints' impulses inside a step (WHOLE) to D (turning axes at its end apart)."""
    mk, rows, scatter, work = part(at, "system.markers"), part(at, "system.rows"), part(at, "scatter"), part(at, "work")
    between, D, theta = part(at, "trial.between"), part(at, "mats.D"), part(at, "numbers.vartheta")
    Lam, K, K6 = part(at, "trial.joint")[LAM_J], work.local[0], work.blocks.K6
    turns_between(at, K)
    K6[:] = 0.0
    for r in range(Lam.size):
        constraint_rows.stiffness(
            rows, part(at, "system.angles"), r, Lam[r], between.markers, between.angles, between.rows, K6
        )
    work.K6[:] = 0.0
    for p in range(scatter.unique.size):
        u = scatter.unique[p]
        for i in range(6):
            for j in range(6):
                work.K6[u, i, j] += K6[p, i, j]
    scatter_pairs(at, work.K6, theta, between.J_force, between.J_move, D)
    for m in range(mk.kind.size):
        nd, size = mk.ptr[m + 1] - mk.ptr[m], 0.0
        for k in range(6):
            size += abs(between.wrench[m, k])
        if nd == 0 or size == 0.0:
            continue
        lever_stiffness(at, m, K, nd)
        place = scatter.own_ptr[m]
        for i in range(nd):
            for j in range(nd):
                D[scatter.own_pos[place]] += theta * K[i, j]
                place += 1


@stage
def inside_stage(at: int, flag: int) -> int:
    """Place the joints inside a step (WHOLE) and write mean forces (flag 0), or add their stiffness (1)."""
    if flag == 0:
        place_between(at)
        joint_impulses(at)
    else:
        _joints_stiffness(at)
    return 0


@stage
def redundant_stage(at: int, flag: int) -> int:
    """Turn the redundant directions to those of the trial, with the factors of the step (flag 0) or mass matrix (1)."""
    mats, big = part(at, "mats"), part(at, "trial.big")
    if flag == 0:
        turn_directions(at, mats.S, big[WEAK])
    else:
        turn_directions(at, mats.J, big[WEAK_MASS])
    return 0
