"""The pieces of a Newton iteration on the equations of ``kernels.multibody``: trial, residual, matrix, correction."""

from __future__ import annotations

import math

import numpy as np

from flexmb.kernels.evaluate import (
    add_direction,
    along_direction,
    copy,
    evaluate,
    joint_forces,
    momentum,
    row_rate,
    to_axes,
)
from flexmb.kernels.jit import inner, kernel
from flexmb.kernels.joints_between import joint_impulses, place_between
from flexmb.kernels.machine import part
from flexmb.kernels.multibody import (
    ACC,
    ALPHA,
    B_,
    C1,
    C1_RATE,
    C_AXES,
    C_SPACE,
    CHANGE,
    D0,
    D1,
    DQ,
    DQ_JOINT,
    FASTEST,
    G_MET,
    HALF,
    INCREMENT,
    INDEX3,
    LAM,
    LAM_C,
    LAM_J,
    LAM_W,
    LENGTH,
    LEVEL,
    LU_,
    MODEL,
    MOMENTUM,
    MOREAU,
    NU,
    PLACES,
    RHO,
    S0,
    S1,
    S2,
    S3,
    SCHATZMAN,
    SPAN,
    T_END,
    T_P,
    T_V,
    TURNS,
    VT,
    WEAK,
    WEAK_MASS,
    X_,
    H,
    R,
    V,
    W,
)
from flexmb.kernels.redundancy import DEPENDENT, NEARLY_DEPENDENT, follow, leave_out, nearly_dependent, regularize
from flexmb.kernels.rotation import tangent_inverse
from flexmb.kernels.row_scale import row_size, row_speed
from flexmb.kernels.sparse_lu import lu_factor, lu_solve
from flexmb.kernels.split_sums import apart
from flexmb.kernels.stages import stage
from flexmb.kernels.tables import ANGLE, CLASSES, DAMPING, DOT, INERTIA, JOINT, Unknowns
from flexmb.kernels.tangents import assemble, joints_stiffness, mass_matrix, step_matrix
from flexmb.kernels.vectors import dot
from flexmb.state import Array, IntArray

ROUND_OFF = 64 * 2.2e-16
"""Round-off, of a distance over the size of the system, a turn, or a speed, that stiff forces answer to."""

ROUNDED = 8 * 2.2e-16
"""Residual of joints, over what ``row_scale`` compares it with, that is not corrected where rows nearly depend on each
other (singular positions): the answer to round-off would be anything."""

FORCED, FORCED_AHEAD = 1e3, 10.0
"""Speeds that forces can cause, over those of the motion, that corrections may be compared with at most: what a force
on next to no mass can cause is no measure, and Newton's loop would end too early. Schatzman-Paoli's loop converges only
linearly in contact, since the normal at the end of the step turns, so its last correction has to be smaller."""


@inner
def predict(at: int) -> None:
    """Write the first guess of a step, and the parts of its equations that do not change: c (in space) and d0."""
    numbers, step, motion, vec = part(at, "numbers"), part(at, "step"), part(at, "motion"), part(at, "trial.vec")
    joint, contact = part(at, "trial.joint"), part(at, "trial.contact")
    h, alpha, am, af = step[H], numbers.family == ALPHA, numbers.alpha_m, numbers.alpha_f
    for i in range(vec.shape[1]):
        carried, before = 0.0, 0.0
        for c in range(CLASSES):
            if alpha:
                carried += (af * motion.F[c, i] - am * motion.P[c, i]) / (1.0 - am)
                before += motion.P[c, i]
            elif c != JOINT:
                before += motion.F[c, i]
        v, a = motion.vec[V, i], motion.vec[ACC, i]
        if alpha:
            ratio, gamma = numbers.beta / numbers.gamma, numbers.gamma
            vec[C_SPACE, i] = motion.vec[MOMENTUM, i] + h * (1.0 - gamma) * before + h * gamma * carried
            vec[D0, i] = h * (1.0 - ratio) * v + h * h * (0.5 - ratio) * a
        else:
            rates = motion.F[DAMPING, i] + motion.F[INERTIA, i]  # their weight is 1 - vartheta
            vec[C_SPACE, i] = motion.vec[MOMENTUM, i] + h * (1.0 - numbers.theta) * before
            vec[C_SPACE, i] += h * (numbers.theta - numbers.vartheta) * rates
            vec[D0, i] = h * (1.0 - numbers.vartheta) * v
        vec[VT, i] = v + h * a
        if numbers.family == SCHATZMAN:
            vec[C_SPACE, i] = motion.vec[MOMENTUM, i]
            vec[D0, i] = h * motion.vec[HALF, i]
            vec[VT, i] = motion.vec[HALF, i]
        vec[DQ, i] = 0.0
        vec[DQ_JOINT, i] = 0.0
        vec[W, i] = 0.0
    for r in range(joint.shape[1]):
        joint[LAM_J, r] = (step[C1] if alpha else h) * motion.joint[LAM, r]
        joint[LAM_W, r] = 0.0
    contact[NU, :] = 0.0
    contact[LAM_C, :] = 0.0


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
    ahead = numbers.family == SCHATZMAN  # forces act for the whole step, the momentum is that of the half step
    c1, more = step[H] if ahead else step[C1], step[C1_RATE] - step[C1]
    impulses = step[H] - c1 if numbers.family == MOREAU else 0.0  # joints act for the whole step
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
    if numbers.family != ALPHA:
        for c in range(contact.shape[1]):
            if contact[LAM_C, c] != 0.0:
                add_direction(at, nj + c, -contact[LAM_C, c], vec[R])
    g = part(at, "point.rows.g")
    keep_met(at)
    for r in range(nj):  # the velocity includes the jump w, which does not move the joints
        joint[RHO, r] = g[r] / step[D1] if step[LEVEL] == INDEX3 else row_rate(at, r)
    leave_out(at, joint[RHO])


@stage
def place_stage(at: int, flag: int) -> int:
    """Evaluate the system at the trial's (q, v) and end time.

    Flag 0: momentum M(q) v to T_P. Flag 1: joint forces of the trial's multipliers, R and rho (momentum of v~ in T_P).
    Flag 2: no more than that. Flag 3: R and rho only, of the forces as they are.
    """
    vec, joint, step = part(at, "trial.vec"), part(at, "trial.joint"), part(at, "step")
    if flag == 3:
        residual(at)
        return 0
    evaluate(at, step[T_END], part(at, "trial.q"), vec[T_V])
    if flag == 0:
        momentum(at, part(at, "trial.q"), vec[T_V], vec[T_P])
    if flag != 1:
        return 0
    if part(at, "numbers.family") == MOREAU:
        if joint.shape[1] > 0:
            place_between(at)
            joint_impulses(at)
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
    p in T_P (no forces). 3: the mass matrix with M as it is.
    """
    trial, step, mats, sym = part(at, "trial"), part(at, "step"), part(at, "mats"), part(at, "sym")
    vec, lam, numbers = trial.vec, trial.big[B_], part(at, "numbers")
    if flag <= 1:
        inside, carried, F = numbers.family == MOREAU, vec[S3], part(at, "point.F")
        for r in range(trial.joint.shape[1]):
            lam[r] = 0.0 if inside else trial.joint[LAM_J, r] / step[C1]
        for i in range(carried.size):  # torques that do not turn with the axes at the end
            carried[i] = vec[C_AXES, i] + (step[H] * F[JOINT, i] if inside else 0.0)
        assemble(at, step[T_END], trial.q, vec[T_V], carried, step[C1], lam)
        if inside and trial.joint.shape[1] > 0:
            joints_stiffness(at)
        # Schatzman-Paoli: M + (h/2) C + h^2 w2 K; N, which should have h/2, has it for w2 = 1/4
        d1 = 2.0 * step[H] * numbers.w2 if numbers.family == SCHATZMAN else step[D1]
        again, bad = True, -1
        while again:
            step_matrix(at, d1, step[C1_RATE] / step[C1], step[LEVEL] != INDEX3, vec[INCREMENT])
            bad = lu_factor(sym, mats.S, trial.big[LU_], trial.big[WEAK])
            again = nearly_dependent(at, trial.big[WEAK], DEPENDENT) >= 0 and _judge_masses(at)
        if bad < 0:
            follow(at, mats.S, trial.big[WEAK])
            leave_out(at, trial.joint[G_MET])
            leave_out(at, trial.joint[RHO])
        if bad >= 0 or flag == 0:
            return bad
    elif flag == 2:
        lam[:] = 0.0
        assemble(at, step[T_END], trial.q, vec[T_V], vec[T_P], 0.0, lam)
    again, bad = True, -1
    while again:
        mass_matrix(at)
        bad = lu_factor(sym, mats.J, trial.big[LU_], trial.big[WEAK_MASS])
        again = regularize(at, trial.big[WEAK_MASS])
    if bad < 0 and flag >= 2:
        follow(at, mats.J, trial.big[WEAK_MASS])
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
def largest(unknowns: Unknowns, s: Array) -> tuple[float, float]:
    """Return the largest of the non-negative s among places and among rotations; s is used up."""
    places, turns, turn_v = 0.0, 0.0, unknowns.turn_v
    for k in range(turn_v.size):
        if not s[turn_v[k]] <= turns:  # also catches nan
            turns = s[turn_v[k]]
        s[turn_v[k]] = 0.0
    for i in range(s.size):
        if not s[i] <= places:
            places = s[i]
    return places, turns


@inner
def _own_speed(at: int, i: int, v: float) -> float:
    """Return |v| of unknown i, less the velocity that all bodies in free flight share."""
    unknowns, drift = part(at, "system.unknowns"), part(at, "trial.drift")
    return float(unknowns.unit[i] * abs(v - drift[unknowns.flight[i]]))


@inner
def grow_speeds(at: int) -> None:
    """Let the speeds that corrections are compared with be at least those of the trial."""
    vec, scale = part(at, "trial.vec"), part(at, "trial.scale")
    s = vec[S0]
    for i in range(s.size):
        s[i] = _own_speed(at, i, vec[VT, i])
    places, turns = largest(part(at, "system.unknowns"), s)
    # neither is nothing beside the other: a body that only turns moves its places by round-off
    scale[PLACES] = max(scale[PLACES], places, 1e-6 * scale[LENGTH] * turns, 1e-300)
    scale[TURNS] = max(scale[TURNS], turns, 1e-6 * places / scale[LENGTH], 1e-300)


@inner
def correction_size(at: int, x: Array) -> float:
    """Return the largest change of a velocity over the speeds of its kind."""
    s, scale, unit = part(at, "trial.vec")[S0], part(at, "trial.scale"), part(at, "system.unknowns.unit")
    for i in range(s.size):
        s[i] = unit[i] * abs(x[i])
    places, turns = largest(part(at, "system.unknowns"), s)
    a, b = places / scale[PLACES], turns / scale[TURNS]
    return a if not a <= b else b


@inner
def is_round_off(at: int, x: Array, tolerance: float) -> bool:
    """Tell whether changes x of velocities are what round-off, answered by stiff forces, can cause.

    It is that of distances between places, of turns, and of the speeds in space. A distance that joints hold turns a
    body by so much over its radius.
    """
    s, scale, d1 = part(at, "trial.vec")[S0], part(at, "trial.scale"), part(at, "step")[D1]
    unknowns = part(at, "system.unknowns")
    for k in range(unknowns.turn_v.size):
        noise = 1.0 / d1 + (scale[SPAN] / d1 + scale[FASTEST]) / unknowns.radius[k]
        if not abs(x[unknowns.turn_v[k]]) <= tolerance * scale[TURNS] + ROUND_OFF * noise:
            return False
    for i in range(s.size):
        s[i] = unknowns.unit[i] * abs(x[i])
    places = max(largest(unknowns, s)[0], part(at, "trial.report")[CHANGE])
    return bool(places <= tolerance * scale[PLACES] + ROUND_OFF * (scale[LENGTH] / d1 + scale[FASTEST]))


@inner
def measure_length(at: int) -> None:
    """Write the lengths that joints and gaps are compared with: of the model, or between the places they compare."""
    scale, rows, state = part(at, "trial.scale"), part(at, "system.rows"), part(at, "point.markers")
    nj, far, span = part(at, "system.joints"), 0.0, 0.0
    for r in range(rows.kind.size):
        if rows.kind[r] != DOT and rows.kind[r] != ANGLE:
            d = apart(state, rows.marker[rows.ptr[r]], rows.marker[rows.ptr[r] + 1])
            far = max(far, dot(d, d))
            if r < nj:
                span = far
    scale[SPAN] = math.sqrt(span)
    scale[LENGTH] = max(scale[MODEL], math.sqrt(far))
    if not scale[LENGTH] > 0.0:  # nothing has a length but the way it goes
        scale[LENGTH] = max(part(at, "step")[H] * scale[FASTEST], 1e-300)


@inner
def measure_drift(at: int) -> None:
    """Write the mean velocities of the bodies in free flight at the start of the step, and the largest speed."""
    unknowns, drift, vec = part(at, "system.unknowns"), part(at, "trial.drift"), part(at, "trial.vec")
    v, s = part(at, "motion.vec")[V], vec[S0]
    for k in range(drift.size):
        drift[k] = 0.0
    for i in range(s.size):
        drift[unknowns.flight[i]] += unknowns.share[unknowns.flight[i]] * v[i]
        s[i] = unknowns.unit[i] * max(abs(v[i]), abs(vec[VT, i]))
    part(at, "trial.scale")[FASTEST] = largest(unknowns, s)[0]


@inner
def measure_speeds(at: int) -> None:
    """Write the speeds that corrections are compared with: those of the motion and those the forces can cause.

    The latter are at most FORCED times the speeds of the motion, or those of the largest mass under the largest force.
    Velocities that bodies in free flight share are no measure, but their round-off is allowed for.
    """
    motion, vec, F, M = part(at, "motion"), part(at, "trial.vec"), part(at, "point.F"), part(at, "system.linear.M")
    scale, h, unknowns = part(at, "trial.scale"), part(at, "step")[H], part(at, "system.unknowns")
    measure_drift(at)
    measure_length(at)
    most = FORCED_AHEAD if part(at, "numbers.family") == SCHATZMAN else FORCED
    for i in range(vec.shape[1]):
        mass, force, unit = 0.0, 0.0, unknowns.unit[i]
        for j in range(M.ptr[i], M.ptr[i + 1]):
            if M.col[j] == i:
                mass = M.val[j]
        for c in range(CLASSES):
            force += abs(F[c, i])
        vec[S0, i] = max(_own_speed(at, i, vec[VT, i]), _own_speed(at, i, motion.vec[V, i]))
        vec[S1, i] = unit * h * force / mass if mass > 0.0 else 0.0
        vec[S2, i], vec[S3, i] = mass / (unit * unit), force / unit
    places, turns = largest(unknowns, vec[S0])
    forced, forced_turns = largest(unknowns, vec[S1])
    heaviest, inertia = largest(unknowns, vec[S2])
    strongest, torque = largest(unknowns, vec[S3])
    if heaviest > 0.0:
        forced = min(forced, most * max(places, h * strongest / heaviest))
    if inertia > 0.0:
        forced_turns = min(forced_turns, most * max(turns, h * torque / inertia))
    noise = ROUND_OFF / part(at, "numbers.tolerance") * scale[FASTEST]
    scale[PLACES] = max(places, forced, noise)
    scale[TURNS] = max(turns, forced_turns, noise / scale[LENGTH])
    grow_speeds(at)


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
    """Solve M y = G nu, g + G^T (d1 x + y) = 0 for the change y of dq that brings the joints back (GGL)."""
    trial, d1 = part(at, "trial"), part(at, "step")[D1]
    nv, x = trial.vec.shape[1], trial.big[X_]
    y[:] = 0.0
    for r in range(trial.joint.shape[1]):
        y[nv + r] = -trial.joint[G_MET, r] - d1 * along_direction(at, r, x)
    leave_out(at, y[nv:])
    if is_rounding(at, y[nv:], False):
        y[:] = 0.0
        return
    lu_solve(part(at, "sym"), part(at, "mats.J"), y, trial.big[LU_])


@kernel
def finite(x: Array) -> bool:
    """Return whether all entries are finite."""
    total = 0.0
    for i in range(x.size):
        total += abs(x[i])
    return bool(np.isfinite(total))
