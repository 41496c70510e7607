"""Joints of the form WHOLE: impulses along the force directions inside the step, at q_{k+vartheta}.

    p_{k+1} - p_k = h F + G(q_{k+vartheta}) Lam_J
    q_{k+vartheta} = q_k (+) vartheta dq = q_{k+1} (+) -(1 - vartheta) dq

(Acary 2019, eq 68), while velocities are held where they belong, G(q_{k+1})^T v_{k+1} + g_t = 0. Torques act in space:
rotational rows of the axes at q_{k+vartheta} go to those at the end by B = exp(-(1 - vartheta) Theta). A turn xi of the
end, in its own axes, turns the axes inside by vartheta X xi, X = T(vartheta Theta) T^-1(Theta), in their own.
"""

from __future__ import annotations

from flexmb.kernels.compilation.jit import inner, kernel
from flexmb.kernels.geometry import angle_rows, constraint_rows, markers
from flexmb.kernels.geometry.rotation import exp_so3, tangent, tangent_inverse
from flexmb.kernels.geometry.tables import JOINT
from flexmb.kernels.multibody.evaluate import advance
from flexmb.kernels.multibody.machine import part
from flexmb.kernels.multibody.multibody import INCREMENT, LAM_J, S3, T_END, H
from flexmb.state import Array


@kernel
def place_between(at: int) -> None:
    """Write the poses and rows inside the step of the trial, and the force directions in the axes at its end."""
    trial, step = part(at, "trial"), part(at, "step")
    mk, table, between = part(at, "system.markers"), part(at, "system.angles"), part(at, "trial.between")
    s, rest = trial.vec[S3], 1.0 - part(at, "numbers.vartheta")
    for i in range(s.size):
        s[i] = -rest * trial.vec[INCREMENT, i]
    advance(part(at, "system.unknowns"), trial.q, s, trial.q_half)
    markers.place(mk, trial.q_half, between.markers)
    angle_rows.angles(table, between.markers, between.angles)
    constraint_rows.rows(
        part(at, "system.rows"), table, part(at, "system.functions"), part(at, "system.curves"), between.markers,
        between.angles, step[T_END] - rest * step[H], between.rows, 0.0,
    )  # fmt: skip
    first = part(at, "system.unknowns.frame_v")
    for f in range(first.size):
        exp_so3(s[first[f] + 3 : first[f] + 6], between.B[f])
    _turn(at, between.B, False, between.J_force)


@inner
def _turn(at: int, X: Array, across: bool, out: Array) -> None:
    """Write J of all markers to ``out``, rows a of the rotations of frames as X_ab J_b, or ``across`` as X_ba J_b."""
    mk, frame_of, J = part(at, "system.markers"), part(at, "scatter.frame_of"), part(at, "trial.between.markers.J")
    for m in range(mk.kind.size):
        first, f = mk.ptr[m], frame_of[m]
        for d in range(first, mk.ptr[m + 1]):
            a = d - first - 3
            for k in range(6):
                out[d, k] = J[d, k]
                if f >= 0 and 0 <= a < 3:
                    out[d, k] = 0.0
                    for b in range(3):
                        out[d, k] += (X[f, b, a] if across else X[f, a, b]) * J[first + 3 + b, k]


@kernel
def joint_impulses(at: int) -> None:
    """Write the mean forces G(q_{k+vartheta}) Lam_J / h of the joints in the step to F[JOINT]."""
    mk, rows, between = part(at, "system.markers"), part(at, "system.rows"), part(at, "trial.between")
    Lam, F, h, wrench = part(at, "trial.joint")[LAM_J], part(at, "point.F"), part(at, "step")[H], between.wrench
    wrench[:] = 0.0
    F[JOINT, :] = 0.0
    for r in range(Lam.size):
        for s in range(rows.ptr[r], rows.ptr[r + 1]):
            for k in range(6):
                wrench[rows.marker[s], k] += Lam[r] * between.rows.grad[s, k]
    for m in range(mk.kind.size):
        for d in range(mk.ptr[m], mk.ptr[m + 1]):
            total = 0.0
            for k in range(6):
                total += between.J_force[d, k] * wrench[m, k]
            F[JOINT, mk.dof[d]] += total / h


@inner
def turns_between(at: int, T: Array) -> None:
    """Write X and how the poses inside the step move with xi, but for the factor vartheta; T (3, 3) is scratch."""
    between, vec, theta = part(at, "trial.between"), part(at, "trial.vec"), part(at, "numbers.vartheta")
    first, t = part(at, "system.unknowns.frame_v"), vec[S3]
    for f in range(first.size):
        i, X = first[f] + 3, between.X[f]
        for k in range(i, i + 3):
            t[k] = theta * vec[INCREMENT, k]
        tangent(t[i : i + 3], X)
        tangent_inverse(vec[INCREMENT, i : i + 3], T)
        for a in range(3):
            x, y, z = X[a, 0], X[a, 1], X[a, 2]
            for b in range(3):
                X[a, b] = x * T[0, b] + y * T[1, b] + z * T[2, b]
    _turn(at, between.X, True, between.J_move)


@inner
def lever_stiffness(at: int, m: int, K: Array, nd: int) -> None:
    """Write how the impulses on marker m change with xi, but for the factor vartheta, to K[:nd, :nd].

    ``carry`` is about components along axes that turn with the body; torques stay where they are in space.
    """
    mk, between, f = part(at, "system.markers"), part(at, "trial.between"), part(at, "scatter.frame_of")[m]
    w, first, J = between.wrench[m], mk.ptr[m], between.markers.J
    for i in range(nd):
        for j in range(nd):
            K[i, j] = 0.0
    markers.carry(mk, between.markers, m, w, K, nd)
    if f < 0:
        return
    for k in range(3):
        torque = 0.0
        for n in range(6):
            torque += J[first + 3 + k, n] * w[n]
        i, j = 3 + (k + 1) % 3, 3 + (k + 2) % 3
        K[i, j] -= torque
        K[j, i] += torque
    B, X = between.B[f], between.X[f]
    for j in range(nd):
        x, y, z = K[3, j], K[4, j], K[5, j]
        for a in range(3):
            K[3 + a, j] = B[a, 0] * x + B[a, 1] * y + B[a, 2] * z
    for i in range(nd):
        x, y, z = K[i, 3], K[i, 4], K[i, 5]
        for a in range(3):
            K[i, 3 + a] = x * X[0, a] + y * X[1, a] + z * X[2, a]
