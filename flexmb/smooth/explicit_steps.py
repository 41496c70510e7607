"""Explicit and half-explicit Runge-Kutta steps of a phase, rotations on the group.

With increments x_i from the start of the step, q_i = q (+) x_i,

    x_i = h sum_j a_ij T^-1(x_j) V_j,       V_i = v + h sum_j a_ij V'_j

(T^-1 is ``System.toward``; without it any table is of order 2 where bodies turn). Accelerations V'_i are those of

    index 1        G(q_i)^T V'_i = -bias                                                       ``index_one_step``
    half-explicit  G(q-_i)^T [v + h sum_{j<=i} a-_ij V'_j] + g_t = 0,  forces along D(q_i)     ``half_explicit_step``

The latter holds rows on the velocity level at places q-_i = q (+) h sum_{j<=i} a-_ij T^-1 V_j that are known before
V'_i is. HEM5: a-_i is the next row of A, after the last one b; PHEM56 has a table of its own, and begins with the
acceleration of the step before.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from flexmb.smooth.dense import Inside
from flexmb.smooth.phase import Phase
from flexmb.smooth.phase_instant import PhaseInstant
from flexmb.smooth.smooth_step import SmoothState, SmoothStep
from flexmb.smooth.works import runge_kutta_works
from flexmb.state import Array


@dataclass(frozen=True, eq=False)
class Tableau:
    """Coefficients of a method with s stages.

    Parameters
    ----------
    A, b, c : (s, s), (s,), (s,) arrays
    errors : (k, s + 1) array
        Weights of the estimates of the local error, h sum_i errors_ki Y'_i, on the rates of the stages and of the end.
    bar, bar_c : (s, s), (s,) arrays
        Where rows are held, if half-explicit.
    carries : bool
        Whether the first acceleration is that of the step before.
    second : float
        With two estimates: c of err_1^2 / (err_1 + c err_2).
    """

    A: Array
    b: Array
    c: Array
    errors: Array
    bar: Array = field(default_factory=lambda: np.zeros((0, 0)))
    bar_c: Array = field(default_factory=lambda: np.zeros(0))
    carries: bool = True
    second: float = 0.0


def amplification_of(A: Array, b: Array, k: float, c: float) -> Array:
    """Return the map of (q, h v) by a Runge-Kutta step on h^2 q'' + c h q' + k q = 0, (2, 2)."""
    Z, s = np.array([[0.0, 1.0], [-k, -c]]), b.size
    stages = np.linalg.solve(np.eye(2 * s) - np.kron(A, Z), np.kron(np.ones((s, 1)), np.eye(2)))
    return np.asarray(np.eye(2) + np.kron(b[None, :], Z) @ stages)


@dataclass(eq=False)
class Stages:
    """Results of the stages of a step: instants, rates of the increments, accelerations, forces of the rows."""

    at: list[PhaseInstant]
    x: list[Array]
    K: Array
    A: Array
    lam: Array
    solves: int = 0
    evaluations: int = 0


def take_stages(phase: Phase, state: SmoothState, h: float, table: Tableau) -> Stages:
    """Return the stages of a step."""
    s, system = table.b.size, phase.system
    half = table.bar.size > 0 and phase.nr > 0
    stages = Stages([], [], np.zeros((s, phase.nv)), np.zeros((s, phase.nv)), np.zeros((s, phase.nr)))
    for i in range(s):
        x = h * (table.A[i, :i] @ stages.K[:i]) if i else np.zeros(phase.nv)
        V = state.v + h * (table.A[i, :i] @ stages.A[:i]) if i else state.v
        at = state.here if i == 0 else phase.at(state.t + table.c[i] * h, system.advance(state.q, x), V)
        stages.at.append(at)
        stages.x.append(x)
        stages.K[i] = V if i == 0 else system.toward(x, V)
        stages.evaluations += i > 0
        if i == 0 and (table.carries or not half):
            stages.A[0], stages.lam[0] = state.a, state.lam
            continue
        stages.solves += 1
        if not half:
            stages.A[i], stages.lam[i] = phase.index_one(at)
            continue
        weights = table.bar[i, : i + 1]
        place = system.advance(state.q, h * (weights @ stages.K[: i + 1]))
        rows = phase.at(state.t + table.bar_c[i] * h, place, V)
        stages.evaluations += 1
        known = state.v + h * (weights[:i] @ stages.A[:i])
        rho = -(rows.G.T @ known + rows.surface) / (h * weights[i])
        stages.A[i], stages.lam[i] = phase.half_explicit(at, rows.G, rho)
    return stages


def finish(
    phase: Phase,
    state: SmoothState,
    h: float,
    table: Tableau,
    stages: Stages,
) -> tuple[SmoothState, Array]:
    """Return the end of a step and its increment."""
    dq = h * (table.b @ stages.K)
    v = state.v + h * (table.b @ stages.A)
    return phase.begin(state.t + h, phase.system.advance(state.q, dq), v), dq


def with_end(rows: Array, last: Array) -> Array:
    """Return rows of the stages with that of the end of the step below."""
    return np.concatenate([rows, last[None, :]])


def made(
    phase: Phase,
    state: SmoothState,
    end: SmoothState,
    dq: Array,
    table: Tableau,
    stages: Stages,
    h: float,
    inside: Inside | None = None,
) -> SmoothStep:
    """Return the step with its works, the estimates of its error and numbers."""
    K, A = with_end(stages.K, phase.system.toward(dq, end.v)), with_end(stages.A, end.a)
    errors = tuple((h * (w @ K), h * (w @ A)) for w in table.errors)
    works = runge_kutta_works(phase, (state.here, end.here), h, (table.A, table.b), stages.at, stages.A, stages.lam)
    return SmoothStep(
        state,
        end,
        dq,
        h * (table.b @ stages.lam),
        works,
        errors=errors,
        lam_inside=stages.lam,
        evaluations=stages.evaluations + 1,
        solves=stages.solves + 1,
        inside=inside,
    )
