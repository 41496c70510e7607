"""The classical Runge-Kutta method of order four on a system in large motion, to compare implicit schemes with.

Index 1, as in Haddouni (2015), 2.1: the multipliers come from the second derivative of the joints,

    [ M   -G ] [ a   ]   [ F - dM/dt v ]
    [ G^T  0 ] [ lam ] = [ -bias       ]

at each of the four stages; nothing brings positions back onto the joints. A step is taken in the increment of the
position, q = q_n (+) x with x' = T^-1(x) v (Munthe-Kaas 1999), so rotations keep the order four as well.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy.linalg import eigh, null_space

from flexmb.kernels.geometry.rotation import tangent_inverse
from flexmb.kernels.geometry.tables import Unknowns
from flexmb.kernels.multibody.evaluate import advance, copy
from flexmb.kernels.multibody.machine import part
from flexmb.kernels.multibody.multibody import ACC, LAST_STEP, V
from flexmb.kernels.multibody_steps.multibody_step import start_motion
from flexmb.state import Array
from flexmb.system.multibody_system import MultibodySystem

X, V_N, V_STAGE, SUM_X, SUM_V, RATE = range(6)
"""Rows of the work space (6, nv)."""

IMAGINARY = 2.0 * math.sqrt(2.0)
"""End of the stability region on the imaginary axis: the step times the highest frequency."""


# without numba's cache on disk, which would not notice when a kernel or the layout of the machine changes
@njit(error_model="numpy")
def increment_rate(unknowns: Unknowns, x: Array, v: Array, turn: Array, T: Array, out: Array) -> None:
    """Write x' = T^-1(x) v to ``out`` (nv,); turn (3,) and T (3, 3) are work space."""
    copy(v, out)
    for f in range(unknowns.frame_v.size):
        i = unknowns.frame_v[f] + 3
        for k in range(3):
            turn[k] = x[i + k]
        tangent_inverse(turn, T)
        for k in range(3):
            out[i + k] = T[k, 0] * v[i] + T[k, 1] * v[i + 1] + T[k, 2] * v[i + 2]


@njit(error_model="numpy")
def march(at: int, t: float, h: float, steps: int, limit: float, q_n: Array, work: Array, turn: Array, T: Array) -> int:
    """Take steps from the machine's motion; return how many, fewer when a velocity exceeds ``limit``."""
    motion, unknowns = part(at, "motion"), part(at, "system.unknowns")
    q, v, a = motion.q, motion.vec[V], motion.vec[ACC]
    x, v_n, v_stage, sum_x, sum_v, rate = work[X], work[V_N], work[V_STAGE], work[SUM_X], work[SUM_V], work[RATE]
    motion.numbers[LAST_STEP] = h
    for n in range(steps):
        copy(q, q_n)
        copy(v, v_n)
        x[:] = 0.0
        sum_x[:] = 0.0
        sum_v[:] = 0.0
        for stage in range(4):
            late = 0.0 if stage == 0 else (1.0 if stage == 3 else 0.5)
            weight = h / 3.0 if stage in (1, 2) else h / 6.0
            ahead = h if stage == 2 else 0.5 * h
            if start_motion(at, t + (n + late) * h) >= 0:
                return n
            increment_rate(unknowns, x, v, turn, T, rate)
            for i in range(v.size):
                sum_x[i] += weight * rate[i]
                sum_v[i] += weight * a[i]
                x[i] = sum_x[i] if stage == 3 else ahead * rate[i]
                v_stage[i] = v_n[i] + (sum_v[i] if stage == 3 else ahead * a[i])
            advance(unknowns, q_n, x, q)
            copy(v_stage, v)
        for i in range(v.size):
            if not abs(v[i]) <= limit:
                return n
    return steps


@dataclass(frozen=True)
class Path:
    """States of a run (k,), (k, nq), (k, nv), and whether it got to its end."""

    system: MultibodySystem
    time: Array
    q: Array
    v: Array
    finished: bool

    def signal(self, name: str) -> Array:
        """Return a signal of positions or velocities that the system records, (k, width)."""
        probe = next(probe for probe in self.system.probes if probe.name == name)
        nothing = np.zeros((self.time.size, 0))
        return np.asarray(probe.evaluate(self.time, self.q, self.v, nothing, nothing))


class Explicit:
    """A run of the Runge-Kutta method on a system, from its initial state."""

    def __init__(self, system: MultibodySystem, start: float = 0.0) -> None:
        self.system, self.start = system, start
        self.limit = 1e3 * (1.0 + float(np.abs(system.v0).max()))
        """Velocity that only a run out of control reaches."""

    def run(self, h: float, steps: int, every: int = 0) -> Path:
        """Take steps, and keep the state every so many of them (and the first and the last)."""
        workspace = self.system.machine()
        motion, nq = workspace.machine.motion, self.system.nq
        buffers = (np.empty_like(motion.q), np.empty((6, self.system.nv)), np.empty(3), np.empty((3, 3)))
        kept = [(self.start, motion.q[:nq].copy(), motion.vec[V].copy())]
        done, finished = 0, True
        while done < steps and finished:
            n = min(every or steps, steps - done)
            taken = march(workspace.at, self.start + done * h, h, n, self.limit, *buffers)
            finished = taken == n
            done += taken
            kept.append((self.start + done * h, motion.q[:nq].copy(), motion.vec[V].copy()))
        return Path(self.system, *(np.array(column) for column in zip(*kept, strict=True)), finished)

    def stable(self, h: float, steps: int) -> bool:
        """Whether that many steps of this size stay within the limit."""
        return self.run(h, steps).finished

    def largest_step(self, steps: int = 2000, within: float = 1e-3) -> float:
        """Return the largest stable step, s, by bisection between powers of two."""
        high = 2.0 * IMAGINARY / self.highest_frequency()
        while self.stable(high, steps):
            high *= 2.0
        low = 0.5 * high
        while not self.stable(low, steps):
            low, high = 0.5 * low, low
        while high - low > within * low:
            middle = 0.5 * (low + high)
            low, high = (middle, high) if self.stable(middle, steps) else (low, middle)
        return low

    def highest_frequency(self) -> float:
        """Return the highest frequency of small vibrations about the start, with the joints held, rad/s."""
        system = self.system
        M, _, K = (matrix.toarray() for matrix in system.tangents(self.start, system.q0, 0.0 * system.v0))
        free = null_space(system.G(self.start, system.q0).toarray().T)
        K = 0.5 * (K + K.T)
        return float(np.sqrt(eigh(free.T @ K @ free, free.T @ M @ free, eigvals_only=True)[-1]))
