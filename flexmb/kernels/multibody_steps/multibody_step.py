"""A whole step: Newton's loop with contacts inside; the start of a run; the projection onto the joints.

The matrix is kept as long as the corrections shrink well (modified Newton) and made anew when they do not. Contacts
are solved inside the loop, on the linearized system, by the same complementarity solvers as everywhere.
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.algebra.sparse_lu import lu_solve
from flexmb.kernels.compilation.jit import inner, kernel
from flexmb.kernels.compilation.stages import ASSEMBLE, BEGIN, CONTACT, FIXED_STEP, IMPULSES, PLACE, call
from flexmb.kernels.geometry.tables import CLASSES
from flexmb.kernels.multibody.evaluate import advance, copy, joint_forces, row_bias
from flexmb.kernels.multibody.machine import part
from flexmb.kernels.multibody.multibody import (
    ACC,
    BOTH,
    CANDIDATE,
    CENTRED,
    CHANGE,
    CONTACT_FAILED,
    CONVERGED,
    D1,
    DIVERGED,
    DQ,
    DQ_JOINT,
    EPS,
    FAILED,
    FASTEST,
    FIXED,
    G_MET,
    GAP,
    INCREMENT,
    INDEX2,
    INDEX3,
    LAM,
    LAM_C,
    LAM_HAT,
    LAM_J,
    LAM_T,
    LAM_W,
    LAST_STEP,
    LEFT,
    LENGTH,
    LEVEL,
    LU_,
    NOT_A_NUMBER,
    NU,
    NU_J,
    PASSED,
    RHO,
    ROUND,
    S1,
    SINGULAR,
    SPLIT,
    T_END,
    T_V,
    TAKEN,
    VT,
    WEAK,
    WEAK_MASS,
    X_,
    Y_,
    Z_JOINT,
    H,
    V,
    W,
)
from flexmb.kernels.multibody.multibody_place import place_trial
from flexmb.kernels.multibody.multibody_scales import correction_size, grow_speeds, is_round_off, measure_speeds
from flexmb.kernels.multibody.redundancy import NEARLY_DEPENDENT, follow, latest_row, leave_out, nearly_dependent
from flexmb.kernels.multibody.row_scale import row_size, row_speed
from flexmb.kernels.multibody_contacts.multibody_contact import forecast
from flexmb.kernels.multibody_steps.multibody_newton import (
    finite,
    keep_met,
    position_correction,
    smooth_correction,
    unturn,
)
from flexmb.kernels.multibody_steps.singular_position import jumps, leaves_joints, singular_at
from flexmb.state import Array

SLOW = 0.2
"""A correction larger than this fraction of the one before calls for a new matrix."""

JOINT_TOLERANCE = 1e-13
"""What joints may violate, over what ``row_scale`` compares their rows (positions) or rates (velocities) with."""

ROUGHLY = 1e-5
"""Way in a step, over that of the fastest body, that sweeps over many contacts with friction may leave of gaps."""

CONTRACTING = 0.4
"""Where rows nearly depend on each other, a correction larger than this fraction of the one before may be on its way to
another branch of the motion."""


@inner
def set_step(at: int, h: float, t: float, flag: int) -> None:
    """Write h, c1, d1 of a step (see ``multibody.multibody``) and the time at its end; with flag 1, let it begin."""
    numbers, step = part(at, "numbers"), part(at, "step")
    step[H], step[T_END], step[LEVEL], step[EPS] = h, t, numbers.joint_level, numbers.eps
    call(part(at, "stages")[BEGIN], at, flag)


@inner
def worst_joint(at: int) -> tuple[int, float]:
    """Return the row of a joint that is violated most on the level the scheme holds, and by how much."""
    joint, level = part(at, "trial.joint"), part(at, "step")[LEVEL]
    worst, where = 0.0, -1
    for r in range(joint.shape[1]):
        size = 0.0
        if level != INDEX3:
            size = abs(joint[RHO, r]) / row_speed(at, r)
        if level != INDEX2:
            size = max(size, abs(joint[G_MET, r]) / row_size(at, r))
        if not size <= worst:
            worst, where = size, r
    return where, worst


@inner
def update(at: int, y: Array) -> float:
    """Add the corrections x (of v~ and multipliers) and y (of dq) to the trial; return their size over the speeds.

    S1 keeps the larger of x and y / d1, unknown by unknown.
    """
    trial, step, frame_v = part(at, "trial"), part(at, "step"), part(at, "system.unknowns.frame_v")
    nv, x, vec, T = trial.vec.shape[1], trial.big[X_], trial.vec, part(at, "work.local")[0]
    both, d1 = part(at, "numbers.form") == SPLIT and step[LEVEL] == BOTH, step[D1]
    for i in range(nv):
        vec[S1, i] = max(abs(x[i]), abs(y[i]) / d1) if both else abs(x[i])
        if x[i] != x[i]:
            vec[S1, i] = x[i]
    unturn(frame_v, vec[INCREMENT], x, T)
    for i in range(nv):
        vec[VT, i] += x[i]
    grow_speeds(at)
    for r in range(trial.joint.shape[1]):
        trial.joint[LAM_J, r] += x[nv + r]
    leave_out(at, trial.joint[LAM_J])
    if both:
        for i in range(nv):
            vec[Z_JOINT, i] += y[i]
            vec[DQ_JOINT, i] = vec[Z_JOINT, i]
        unturn(frame_v, vec[INCREMENT], vec[DQ_JOINT], T)
    return correction_size(at, vec[S1])


@inner
def deepest(at: int) -> float:
    """Return how far contacts are penetrated, over the size of the system (GGL; most other schemes allow it).

    In the form CENTRED the sum of the gap ahead and e times that behind is held.
    """
    g, nj, scale, e = part(at, "point.rows.g"), part(at, "system.joints"), part(at, "trial.scale"), part(at, "e")
    behind, ahead = part(at, "motion.rows")[GAP], part(at, "numbers.form") == CENTRED
    deep = 0.0
    if part(at, "numbers.contact_ggl") == 1 or ahead:
        for r in range(nj, nj + e.size):
            gap = g[r] + e[r - nj] * behind[r] if ahead else g[r]
            if not -gap <= deep:
                deep = -gap
    if deep > 0.0 and part(at, "trial.beside").shape[1] > 0 and part(at, "sets.part_ptr").size > 1:
        deep = max(0.0, deep - ROUGHLY * part(at, "step")[H] * scale[FASTEST])
    return deep / scale[LENGTH]


@inner
def _contacts(at: int, factored: bool) -> tuple[int, int]:
    """Solve the contacts of an iteration; return how many may act, and the row of a bad pivot or -1."""
    stages = part(at, "stages")
    if part(at, "e").size == 0:
        return 0, -1
    count = call(stages[CONTACT], at, 0)
    if count > 0:
        if not factored:
            bad = call(stages[ASSEMBLE], at, 1)
            if bad >= 0:
                return count, bad
        call(stages[IMPULSES], at, 1)
    return count, -1


@inner
def begin_step(at: int, h: float, t: float, level: int) -> None:
    """Set up a step: coefficients, level of the joints, first guess, forecast of the contacts."""
    trial = part(at, "trial")
    for row in (DQ, DQ_JOINT, Z_JOINT, W):
        trial.vec[row, :] = 0.0
    trial.joint[LAM_W, :] = 0.0
    trial.joint[NU_J, :] = 0.0
    trial.contact[NU, :] = 0.0
    trial.contact[LAM_C, :] = 0.0
    trial.beside[LAM_T, :] = 0.0
    set_step(at, h, t, 1)
    part(at, "step")[LEVEL] = level
    trial.contact[CANDIDATE, :] = 0.0
    trial.report[CHANGE] = 0.0
    trial.report[FAILED] = -1.0
    trial.report[ROUND] = 0.0
    trial.big[Y_, :] = 0.0
    numbers = part(at, "numbers")
    if trial.contact.shape[1] > 0 and numbers.contact_ggl == 0 and numbers.form != CENTRED:
        forecast(at)


@inner
def _finish(at: int) -> None:
    """Note a singular position, and make multipliers of redundant joints the least that hold at the end."""
    joint, weak, eps = part(at, "trial.joint"), part(at, "trial.big")[WEAK], part(at, "step")[EPS]
    if eps != part(at, "numbers.eps"):
        row = nearly_dependent(at, weak, NEARLY_DEPENDENT)
        part(at, "trial.report")[PASSED] = row if row >= 0 else latest_row(at)
    if eps != 0.0:
        follow(at, 0)
        leave_out(at, joint[LAM_J])
        leave_out(at, joint[LAM_W])


@inner
def solve_step(at: int, h: float, t: float) -> tuple[int, int, float, int]:
    """Find the end of the step from t - h to t; the motion stays as it is.

    Where rows of joints come to depend on each other (a singular position), the position level answers to anything:
    a step that fails there is held on the velocity level alone, and PASSED names a row. The next steps bring the
    positions back onto the joints.

    Returns
    -------
    status, where, residual, iterations : int, int, float, int
        ``where`` is the unknown or multiplier with a bad pivot, the contact, or the worst joint row.
    """
    level, report, step = part(at, "numbers.joint_level"), part(at, "trial.report"), part(at, "step")
    report[PASSED] = -1.0
    if step[FIXED] > 0.0:
        step[H], step[T_END] = h, t
        status = call(part(at, "stages")[FIXED_STEP], at, 0)
        return status, int(report[FAILED]), report[LEFT], int(report[TAKEN])
    status, where, left, iterations = _solve(at, h, t, level)
    if status in (CONVERGED, CONTACT_FAILED) or level == INDEX2:
        return status, where, left, iterations
    row = singular_at(at)
    if row < 0:
        return status, where, left, iterations
    again, _, size, more = _solve(at, h, t, int(np.int64(INDEX2)))  # a constant would compile it twice
    if again != CONVERGED or leaves_joints(at, h) or jumps(at):
        return status, where, left, iterations + more
    report[PASSED] = row
    return CONVERGED, -1, size, iterations + more


@inner
def _solve(at: int, h: float, t: float, level: int) -> tuple[int, int, float, int]:
    """Find the end of the step with the joints held on the given level; see ``solve_step``."""
    trial, numbers, stages = part(at, "trial"), part(at, "numbers"), part(at, "stages")
    nc, y, split, report = trial.contact.shape[1], trial.big[Y_], numbers.form == SPLIT, trial.report
    begin_step(at, h, t, level)
    both = split and level == BOTH and trial.joint.shape[1] > 0
    last, least, size, settled, again, extra, count = np.inf, np.inf, np.inf, False, True, 0, 0
    for iteration in range(numbers.max_iterations):
        place_trial(at)
        if iteration == 0:
            measure_speeds(at)
        if settled:
            where, worst = worst_joint(at)
            worst = max(worst, 0.1 * deepest(at))
            if worst <= JOINT_TOLERANCE or (extra >= 3 and worst <= 10.0 * JOINT_TOLERANCE):
                _finish(at)
                return CONVERGED, -1, size, iteration
            extra += 1
            if extra > 6:
                return DIVERGED, where, worst, iteration
        with_mass = both or (count > 0 and split)
        fresh = again or count > 0
        if fresh:
            bad = call(stages[ASSEMBLE], at, 1 if with_mass else 0)
            if bad >= 0:
                return SINGULAR, bad, min(trial.big[WEAK, bad], trial.big[WEAK_MASS, bad]), iteration
        smooth_correction(at)
        if both:
            position_correction(at, y)
        if nc > 0:
            count, bad = _contacts(at, with_mass or not split)
            if bad >= 0:
                return SINGULAR, bad, min(trial.big[WEAK, bad], trial.big[WEAK_MASS, bad]), iteration
            if report[FAILED] >= 0.0:
                return CONTACT_FAILED, int(report[FAILED]), report[LEFT], iteration
        size = max(update(at, y), report[CHANGE])
        if not (finite(trial.vec[VT]) and np.isfinite(size)):
            return NOT_A_NUMBER, -1, size, iteration
        settled = size <= numbers.tolerance
        # corrections that no longer shrink are round-off if they are small enough for that
        if not settled and size > 0.5 * least:
            settled = is_round_off(at, trial.vec[S1], 10.0 * numbers.tolerance)
        eps = part(at, "step")[EPS]
        slow = not settled and iteration > 0 and level != INDEX2 and size > CONTRACTING * last
        if slow and fresh and count == 0 and singular_at(at) >= 0:
            return DIVERGED, worst_joint(at)[0], size, iteration
        # a new matrix where corrections shrink slowly, or where joints were found to depend on each other
        again = (not settled and not fresh and size > SLOW * last) or part(at, "step")[EPS] != eps
        last, least = size, min(size, least)
    return DIVERGED, worst_joint(at)[0], size, numbers.max_iterations


@kernel
def start_motion(at: int, t: float) -> int:
    """Write the accelerations and multipliers at the start; return -1 or the row with a bad pivot.

    M a + D v = F + G lam with D v = N v + omega x p (no forces in D: c1 = 0), G^T a = -(rate of g' at a = 0). The trial
    has the start as its (q, v) and its forces, those of the joints included, afterwards.
    """
    motion, trial, mats, sym = part(at, "motion"), part(at, "trial"), part(at, "mats"), part(at, "sym")
    nv, nj, x, v, stages = trial.vec.shape[1], trial.joint.shape[1], trial.big[X_], motion.vec[V], part(at, "stages")
    F = part(at, "point.F")
    set_step(at, part(at, "motion.numbers")[LAST_STEP], t, 0)
    copy(motion.q, trial.q)
    copy(v, trial.vec[T_V])
    call(stages[PLACE], at, 0)
    bad = call(stages[ASSEMBLE], at, 2)
    if bad >= 0:
        return bad
    x[:] = 0.0
    for i in range(sym.perm.size):
        row = sym.perm[i]
        if row >= nv:
            continue
        for c in range(CLASSES - 1):
            x[row] += F[c, row]
        for j in range(sym.ptr[i], sym.ptr[i + 1]):
            col = sym.perm[sym.col[j]]
            if col < nv:
                x[row] -= mats.D[j] * v[col]
    for r in range(nj):
        x[nv + r] = -row_bias(at, r, t)
    leave_out(at, x[nv:])
    lu_solve(sym, mats.J, x, trial.big[LU_])
    leave_out(at, x[nv:])
    for i in range(nv):
        motion.vec[ACC, i] = x[i]
    for r in range(nj):
        motion.joint[LAM, r] = x[nv + r]
        motion.joint[LAM_HAT, r] = x[nv + r]
    joint_forces(at, motion.joint[LAM])
    return -1


@inner
def project(at: int) -> int:
    """Bring the trial's position onto the joints, M y = G nu, g + G^T y = 0; return -1 or nv + the row that fails."""
    trial, mats, sym, stages = part(at, "trial"), part(at, "mats"), part(at, "sym"), part(at, "stages")
    nv, nj, y = trial.vec.shape[1], trial.joint.shape[1], trial.big[Y_]
    unknowns, met = part(at, "system.unknowns"), trial.joint[G_MET]
    where, last = 0, np.inf
    for _ in range(10):
        keep_met(at)
        worst = 0.0
        for r in range(nj):
            size = abs(met[r]) / row_size(at, r)
            if not size <= worst:
                worst, where = size, r
        if worst <= JOINT_TOLERANCE:
            return -1
        bad = call(stages[ASSEMBLE], at, 3)
        if bad >= 0:
            return bad
        y[:] = 0.0
        for r in range(nj):
            y[nv + r] = -met[r]
        leave_out(at, y[nv:])
        lu_solve(sym, mats.J, y, trial.big[LU_])
        size = correction_size(at, y[:nv])
        if size > CONTRACTING * last and nearly_dependent(at, trial.big[WEAK_MASS], NEARLY_DEPENDENT) >= 0:
            return nv + where
        last = size
        advance(unknowns, trial.q, y, trial.q)
        call(stages[PLACE], at, 0)
    return nv + where
