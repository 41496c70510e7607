"""The pieces of a Newton iteration on the equations of ``multibody.multibody``: trial, residual, matrix, correction."""

from __future__ import annotations

import numpy as np

from flexmb.kernels.algebra.sparse_lu import lu_factor, lu_solve
from flexmb.kernels.compilation.jit import inner, kernel
from flexmb.kernels.compilation.stages import EVALUATE_STAGE, INSIDE_STAGE, TANGENTS_STAGE, ask, call, stage
from flexmb.kernels.geometry.rotation import tangent_inverse
from flexmb.kernels.geometry.tables import CLASSES, DAMPING, INERTIA, JOINT
from flexmb.kernels.multibody.evaluate import (
    add_direction,
    along_direction,
    copy,
    joint_forces,
    momentum,
    place,
    row_rate,
    to_axes,
)
from flexmb.kernels.multibody.machine import part
from flexmb.kernels.multibody.multibody import (
    B_,
    C1,
    C1_RATE,
    C_AXES,
    C_SPACE,
    CENTRED,
    D1,
    D1_ELASTIC,
    FACTORED,
    FACTORED_MASS,
    FACTORIZATIONS,
    FIXED,
    G_MET,
    INCREMENT,
    INDEX3,
    LAM_C,
    LAM_J,
    LAM_T,
    LEVEL,
    LU_,
    NU_J,
    RHO,
    S2,
    S3,
    SPLIT,
    T_END,
    T_P,
    T_V,
    VT,
    WEAK,
    WEAK_MASS,
    WHOLE,
    X_,
    Z_JOINT,
    H,
    R,
)
from flexmb.kernels.multibody.redundancy import (
    DEPENDENT,
    NEARLY_DEPENDENT,
    follow,
    leave_out,
    nearly_dependent,
    regularize,
)
from flexmb.kernels.multibody.row_scale import row_size, row_speed
from flexmb.kernels.multibody.tangents import mass_matrix, step_matrix
from flexmb.state import Array, IntArray

ROUNDED = 8 * 2.2e-16
"""Residual of joints, over what ``row_scale`` compares it with, that is not corrected where rows nearly depend on each
other (singular positions): the answer to round-off would be anything."""


@inner
def keep_met(at: int) -> None:
    """Write what the joints violate on the position level, without what redundant ones leave unmet, to G_MET."""
    met, g = part(at, "trial.joint")[G_MET], part(at, "point.rows.g")
    for r in range(met.size):
        met[r] = g[r]
    leave_out(at, met)


@kernel
def residual(at: int) -> None:
    """Write R and rho: what the trial violates of the momentum equation and of the joints."""
    vec, step, numbers = part(at, "trial.vec"), part(at, "step"), part(at, "numbers")
    joint, contact, F = part(at, "trial.joint"), part(at, "trial.contact"), part(at, "point.F")
    ahead = numbers.form == CENTRED  # forces act for the whole step, the momentum is that of the half step
    c1, more = step[H] if ahead else step[C1], step[C1_RATE] - step[C1]
    impulses = step[H] - c1 if numbers.form == WHOLE else 0.0  # joints act for the whole step
    momentum(at, part(at, "trial.q_half") if ahead else part(at, "trial.q"), vec[VT], vec[T_P])
    copy(vec[C_SPACE], vec[C_AXES])
    to_axes(part(at, "system.unknowns"), part(at, "point.A"), vec[C_AXES])
    for i in range(vec.shape[1]):
        total = 0.0
        for c in range(CLASSES):
            total += F[c, i]
        vec[R, i] = vec[T_P, i] - vec[C_AXES, i] - c1 * total - more * (F[DAMPING, i] + F[INERTIA, i])
        vec[R, i] -= impulses * F[JOINT, i]
    nj = joint.shape[1]
    if numbers.form != SPLIT:
        for c in range(contact.shape[1]):
            if contact[LAM_C, c] != 0.0:
                add_direction(at, nj + c, -contact[LAM_C, c], vec[R])
        first, beside = nj + contact.shape[1], part(at, "trial.beside")[LAM_T]
        for k in range(beside.size):
            if beside[k] != 0.0:
                add_direction(at, first + k, -beside[k], vec[R])
    g = part(at, "point.rows.g")
    keep_met(at)
    for r in range(nj):  # the velocity includes the jump w, which does not move the joints
        joint[RHO, r] = g[r] / step[D1] if step[LEVEL] == INDEX3 else row_rate(at, r)
    leave_out(at, joint[RHO])


@stage
def place_stage(at: int, flag: int) -> int:
    """Evaluate the system at the trial's (q, v) and end time.

    Flag 0: momentum M(q) v to T_P. Flag 1: joint forces of the trial's multipliers, R and rho (momentum of v~ in T_P).
    Flag 2: no more than that. Flag 3: R and rho only, of the forces as they are. Flag 4: markers, angles and rows only.
    """
    vec, joint, step = part(at, "trial.vec"), part(at, "trial.joint"), part(at, "step")
    if flag == 3:
        residual(at)
        return 0
    if flag == 4:
        place(at, step[T_END], part(at, "trial.q"), vec[T_V])
        return 0
    q, v = part(at, "trial.q"), vec[T_V]
    ask(part(at, "rare")[EVALUATE_STAGE], at, 0, step[T_END], 0.0, q, v, v)
    if flag == 0:
        momentum(at, part(at, "trial.q"), vec[T_V], vec[T_P])
    if flag != 1:
        return 0
    if part(at, "numbers.form") == WHOLE:
        if joint.shape[1] > 0:
            call(part(at, "rare")[INSIDE_STAGE], at, 0)
    else:
        for r in range(joint.shape[1]):
            joint[RHO, r] = joint[LAM_J, r] / step[C1]
        joint_forces(at, joint[RHO])
    residual(at)
    return 0


@inner
def _judge_masses(at: int) -> bool:
    """Switch eps on if rows of joints depend on each other by the masses alone, whatever stiff forces make of it.

    Returns whether the matrix changes by it; the bordered mass matrix is overwritten.
    """
    trial, mats = part(at, "trial"), part(at, "mats")
    mass_matrix(at)
    lu_factor(part(at, "sym"), mats.J, trial.big[LU_], trial.big[WEAK_MASS])
    return regularize(at, trial.big[WEAK_MASS])


@stage
def assemble_stage(at: int, flag: int) -> int:
    """Assemble and factor; return -1 or the row that failed.

    Flag 0: the step matrix. 1: the step matrix and the mass matrix. 2: the mass matrix, D being N - p~ for the momentum
    p in T_P (no forces). 3: the mass matrix with M as it is. Where M, C and K never change, factors are kept.
    """
    trial, step, mats, sym = part(at, "trial"), part(at, "step"), part(at, "mats"), part(at, "sym")
    vec, lam, numbers, fixed = trial.vec, trial.big[B_], part(at, "numbers"), step[FIXED] > 0.0
    if flag <= 1 and not (fixed and step[FACTORED] == step[H]):
        inside, carried, F = numbers.form == WHOLE, vec[S3], part(at, "point.F")
        for r in range(trial.joint.shape[1]):
            lam[r] = 0.0 if inside else trial.joint[LAM_J, r] / step[C1]
        for i in range(carried.size):  # torques that do not turn with the axes at the end
            carried[i] = vec[C_AXES, i] + (step[H] * F[JOINT, i] if inside else 0.0)
        ask(part(at, "rare")[TANGENTS_STAGE], at, 0, step[T_END], step[C1], trial.q, vec[T_V], carried)
        if inside and trial.joint.shape[1] > 0:
            call(part(at, "rare")[INSIDE_STAGE], at, 1)
        again, bad = True, -1
        while again:
            step_matrix(at, step[D1_ELASTIC], step[C1_RATE] / step[C1], step[LEVEL] != INDEX3, vec[INCREMENT])
            bad = lu_factor(sym, mats.S, trial.big[LU_], trial.big[WEAK])
            step[FACTORIZATIONS] += 1.0
            again = nearly_dependent(at, trial.big[WEAK], DEPENDENT) >= 0 and _judge_masses(at)
        if bad < 0:
            follow(at, 0)
            leave_out(at, trial.joint[G_MET])
            leave_out(at, trial.joint[RHO])
        step[FACTORED] = step[H] if bad < 0 else 0.0
        if bad >= 0:
            return bad
    elif flag == 2:
        step[FACTORED] = 0.0
        lam[:] = 0.0
        ask(part(at, "rare")[TANGENTS_STAGE], at, 0, step[T_END], 0.0, trial.q, vec[T_V], vec[T_P])
    if flag == 0 or (fixed and step[FACTORED_MASS] > 0.0):
        return -1
    again, bad = True, -1
    while again:
        mass_matrix(at)
        bad = lu_factor(sym, mats.J, trial.big[LU_], trial.big[WEAK_MASS])
        step[FACTORIZATIONS] += 1.0
        again = regularize(at, trial.big[WEAK_MASS])
    if bad < 0 and flag >= 2:
        follow(at, 1)
    step[FACTORED_MASS] = 1.0 if bad < 0 else 0.0
    return bad


@inner
def unturn(frame_v: IntArray, increment: Array, x: Array, T: Array) -> None:
    """Turn the rotational entries xi of x into changes of omega~: T^-1(Theta) xi, in place."""
    for f in range(frame_v.size):
        i = frame_v[f] + 3
        tangent_inverse(increment[i : i + 3], T)
        a, b, c = x[i], x[i + 1], x[i + 2]
        for j in range(3):
            x[i + j] = T[j, 0] * a + T[j, 1] * b + T[j, 2] * c


@inner
def is_rounding(at: int, x: Array, on_velocity: bool) -> bool:
    """Tell whether residuals x (nj,) of joints are round-off that rows which nearly depend on each other answer to."""
    inside = True
    for r in range(x.size):
        inside = inside and abs(x[r]) <= ROUNDED * (row_speed(at, r) if on_velocity else row_size(at, r))
    return bool(inside and nearly_dependent(at, part(at, "trial.big")[WEAK], NEARLY_DEPENDENT) >= 0)


@inner
def smooth_correction(at: int) -> None:
    """Solve for the change of v~ and of the joints' multipliers with contacts as they are; result in big[X_]."""
    trial, on_velocity = part(at, "trial"), part(at, "step")[LEVEL] != INDEX3
    nv, x = trial.vec.shape[1], trial.big[X_]
    met = is_rounding(at, trial.joint[RHO] if on_velocity else trial.joint[G_MET], on_velocity)
    for i in range(nv):
        x[i] = -trial.vec[R, i]
    for r in range(trial.joint.shape[1]):
        x[nv + r] = 0.0 if met else -trial.joint[RHO, r]
    lu_solve(part(at, "sym"), part(at, "mats.S"), x, trial.big[LU_])


@inner
def position_correction(at: int, y: Array) -> None:
    """Solve M (z + y) = G (nu + dnu), g + G^T (d1 x + y) = 0 for the change y of z that brings the joints back (GGL).

    What the trial leaves of the first equation is made up for, so that z does not depend on the way to the end.
    """
    trial, d1 = part(at, "trial"), part(at, "step")[D1]
    nv, x, p = trial.vec.shape[1], trial.big[X_], trial.vec[S2]
    y[:] = 0.0
    for r in range(trial.joint.shape[1]):
        y[nv + r] = -trial.joint[G_MET, r] - d1 * along_direction(at, r, x)
    leave_out(at, y[nv:])
    if is_rounding(at, y[nv:], False):
        y[:] = 0.0
        return
    momentum(at, trial.q, trial.vec[Z_JOINT], p)
    for r in range(trial.joint.shape[1]):
        if trial.joint[NU_J, r] != 0.0:
            add_direction(at, r, -trial.joint[NU_J, r], p)
    for i in range(nv):
        y[i] = -p[i]
    lu_solve(part(at, "sym"), part(at, "mats.J"), y, trial.big[LU_])
    for r in range(trial.joint.shape[1]):
        trial.joint[NU_J, r] += y[nv + r]


@kernel
def finite(x: Array) -> bool:
    """Return whether all entries are finite."""
    total = 0.0
    for i in range(x.size):
        total += abs(x[i])
    return bool(np.isfinite(total))
