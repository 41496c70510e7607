"""Stages of an implicit Runge-Kutta step of a phase, by Newton's method.

    V_i = v + h sum_j a_ij V'_j,      x_i = h sum_j a_ij T^-1(x_j) V_j,      q_i = q (+) x_i
    M(q_i) V'_i = F(t_i, q_i, V_i) - p' + D(q_i) lam_i,      G(q_i)^T V'_i = -bias

Rows (joints, closed contacts) are held by their accelerations: RR-7151, eq 73, with the term d/dt(G^T) V that is
missing there. Methods with a_1j = 0 can enforce this without loss of order; the driver removes the drift. T^-1 is
``System.toward``: without it every method would be of order 2 where bodies turn.

Unknowns are all V'_i and lam_i at once. The matrix (``stage_matrix``) is that at the start of the step; constant
systems keep its factors for each h. Contributions of rotating axes and of the biases of rows are neglected; Anderson
acceleration of the corrections compensates for this.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.errors import NotConverged
from flexmb.smooth.implicit_tables import ImplicitTable
from flexmb.smooth.phase import Phase
from flexmb.smooth.phase_instant import PhaseInstant
from flexmb.smooth.smooth_step import SmoothState
from flexmb.smooth.stage_matrix import StageMatrix
from flexmb.state import Array

ITERATIONS = 30
"""Maximum number of Newton iterations for the stages of a step."""
DEPTH = 12
"""Number of previous corrections from which the next one is combined."""
CLOSE, NOISE = 3e-14, 1e-11
"""Relative size of a correction that is round-off; of one that no longer decreases, if it is below the latter."""
TURN = 1e-16
"""Relative change of rotation increments at which they have converged."""


@dataclass(frozen=True, eq=False)
class ImplicitStages:
    """Solved stages: instants, accelerations (s, nv), forces of rows (s, nr), increments and their rates (s, nv)."""

    at: list[PhaseInstant]
    A: Array
    lam: Array
    x: Array
    rates: Array
    iterations: int


def place(
    phase: Phase, state: SmoothState, table: ImplicitTable, h: float, A: Array
) -> tuple[list[PhaseInstant], Array, Array]:
    """Return the instants of the stages with accelerations A (s, nv), increments and their rates (s, nv)."""
    system = phase.system
    V = state.v + h * (table.A @ A)
    x, rates = h * (table.A @ V), V
    for _ in range(60 if system.frames else 0):  # rotations: increments and their rates depend on each other
        rates = np.array([system.toward(x_i, V_i) for x_i, V_i in zip(x, V, strict=True)])
        last, x = x, h * (table.A @ rates)
        if np.abs(x - last).max() <= TURN * np.abs(x).max():
            break
    at = [
        phase.at(state.t + c * h, system.advance(state.q, x_i), V_i) for c, x_i, V_i in zip(table.c, x, V, strict=True)
    ]
    return at, x, rates


def residual(at: list[PhaseInstant], A: Array, lam: Array) -> Array:
    """Return the residuals of the equations of motion, then those of the rows, of all stages."""
    motion = [i.here.momentum(A_i) - i.load - i.D @ lam_i for i, A_i, lam_i in zip(at, A, lam, strict=True)]
    rows = [i.G.T @ A_i + i.bias for i, A_i in zip(at, A, strict=True)] if lam.size else []
    return np.concatenate(motion + rows)


def solve_stages(
    phase: Phase, state: SmoothState, table: ImplicitTable, h: float, matrix: StageMatrix
) -> ImplicitStages:
    """Solve the stages of a step of h.

    Raises
    ------
    NotConverged
        If Newton's method does not converge: the step is too long.
    """
    s, nv = table.stages, phase.nv
    y = np.concatenate([np.tile(state.a, s), np.tile(state.lam, s)])
    mix, last, size, scale = Mixing(s * nv), np.inf, np.inf, 1.0
    for count in range(1, ITERATIONS + 1):
        A, lam = y[: s * nv].reshape(s, nv), y[s * nv :].reshape(s, phase.nr)
        at, _, _ = place(phase, state, table, h, A)
        d = -matrix.solve(residual(at, A, lam))
        speeds = np.abs(state.v).max(initial=0.0), np.abs(at[-1].v).max(initial=0.0), h * np.abs(A).max(initial=0.0)
        scale, size = float(max(speeds)), h * float(np.abs(d[: s * nv]).max(initial=0.0))
        if not np.isfinite(size):
            break
        y = y + (d if phase.system.linear else mix.step(y, d))
        if phase.system.linear and count > 1:
            break
        if size <= CLOSE * scale or (size >= 0.5 * last and size <= NOISE * scale):
            break
        last = min(last, size)
    else:
        message = "the equations of the stages do not converge; the step is too long"
        raise NotConverged(message, time=state.t + h, step=-1, residual=size / (scale or 1.0))
    if not np.isfinite(y).all():
        raise NotConverged("the stages of the step are not finite numbers", time=state.t + h, step=-1)
    A, lam = y[: s * nv].reshape(s, nv), y[s * nv :].reshape(s, phase.nr)
    at, x, rates = place(phase, state, table, h, A)
    return ImplicitStages(at, A, lam, x, rates, count)


class Mixing:
    """Anderson's acceleration of an iteration y <- y + d(y), by the first ``size`` entries of d."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._y: list[Array] = []
        self._d: list[Array] = []

    def step(self, y: Array, d: Array) -> Array:
        """Return the update of y for the correction d."""
        self._y, self._d = [*self._y, y][-DEPTH - 1 :], [*self._d, d][-DEPTH - 1 :]
        if len(self._y) < 3:
            return d
        dy, dd = np.diff(np.array(self._y), axis=0).T, np.diff(np.array(self._d), axis=0).T
        weights = np.linalg.lstsq(dd[: self._size], d[: self._size], rcond=1e-12)[0]
        return np.asarray(d - (dy + dd) @ weights)
