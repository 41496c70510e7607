"""A step with friction written out by hand, for tests of what is recorded: Stormer-Verlet on constant systems.

    q_m = q_k + (h/2) v_k,   M (v_{k+1} - v_k) = h (F - K q_m) + G P + H R,   q_{k+1} = q_m + (h/2) v_{k+1}

where contacts that are closed at q_m obey Newton's and Coulomb's laws. Works are impulses times mean velocities.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from flexmb.kernels.cones.cones import solve_cones
from flexmb.schemes.scheme import Memory, Responses, Scheme
from flexmb.state import State, StepReport


@dataclass(frozen=True)
class RoughScheme(Scheme):
    name: ClassVar[str] = "by hand"
    carries: ClassVar[frozenset[str]] = frozenset({"friction", "rolling", "spinning"})

    @property
    def order(self) -> int:
        return 2

    def prepare(self, system: Any, h: float) -> Responses:
        here = system.instant(0.0, system.start, system.v0)
        return Responses.of(system.factor(here, 1.0, 0.0, 0.0), here.G)

    def start(self, system: Any, state: State, h: float, fixed: Any, solver: Any) -> Memory:
        return Memory(np.zeros((0, system.nv)), np.zeros((0, system.contacts.nc)), np.zeros((1, 0)), np.zeros(0))

    def step(
        self, system: Any, state: State, h: float, memory: Memory, fixed: Any, solver: Any
    ) -> tuple[State, Memory, StepReport]:
        blocks, contacts = system.contacts.blocks, system.contacts
        t_m, v_0 = state.t + 0.5 * h, state.v
        middle = system.instant(t_m, state.q + 0.5 * h * v_0, v_0)
        S = system.factor(middle, 1.0, 0.0, 0.0)
        free = v_0 + h * S.solve(middle.F.sum(axis=0))
        closed = np.flatnonzero(middle.g <= 1e-12)
        P, R = np.zeros(contacts.nc), np.zeros(blocks.nt)
        v_1 = free
        if closed.size:
            G, H = middle.G.toarray(), middle.H.toarray()
            rows, e, before = [], [], []
            for i in closed:
                own = range(blocks.start[i], blocks.start[i + 1])
                rows += [G[:, i], *(H[:, j] for j in own)]
                e += [contacts.e[i], *(blocks.e_T[i] for _ in own)]
                before += [middle.g_t[i], *(middle.H_t[j] for j in own)]
            D = np.array(rows).T
            W = D.T @ S.solve(D)
            b = D.T @ free + before + np.array(e) * (D.T @ v_0 + before)
            shape = np.stack([blocks.slides, blocks.turns, blocks.spins], axis=1)[closed].astype(np.int64)
            law = np.stack([blocks.friction[:, 0], blocks.roll, blocks.spin], axis=1)[closed]
            z = np.zeros(b.size)
            _, residual, _ = solve_cones(W, b, shape, np.ascontiguousarray(law), z, 0, 200, 1e-12)
            assert residual <= 1e-10
            v_1 = free + S.solve(D @ z)
            at = 0
            for i in closed:
                P[i], size = z[at], blocks.sizes[i]
                R[blocks.start[i] : blocks.start[i + 1]] = z[at + 1 : at + 1 + size]
                at += 1 + size
        return self._end(system, state, h, middle, v_1, P, R, memory)

    def _end(self, system, state, h, middle, v_1, P, R, memory):  # type: ignore[no-untyped-def]
        blocks, mean = system.contacts.blocks, 0.5 * (state.v + v_1)
        q_1 = middle.q + 0.5 * h * v_1
        end, start = system.instant(state.t + h, q_1, v_1), system.instant(state.t, state.q, state.v)
        U, U_T = middle.G.T @ mean + middle.g_t, middle.H.T @ mean + middle.H_t
        sliding, rolling = np.zeros((2, blocks.nc))
        for j, i in enumerate(blocks.owner):
            (sliding if j - blocks.start[i] < blocks.slides[i] else rolling)[i] += U_T[j] * R[j]
        external = h * float(system.F_loads(middle.t) @ mean)
        surface = -middle.g_t * P - np.bincount(blocks.owner, middle.H_t * R, blocks.nc)
        drive = float(surface.sum())
        works = external + drive + float(U @ P) + sliding.sum() + rolling.sum()
        change = end.kinetic + end.potential - start.kinetic - start.potential
        conservative = end.potential - start.potential - h * float(middle.F[0] @ mean) * -1.0
        report = StepReport(
            P=P, external=external, drive=drive, damping=0.0, contact=U * P, numerical=conservative, iterations=1,
            R=R, sliding=sliding, rolling=rolling, surface=surface,
        )  # fmt: skip
        assert abs(change - works - conservative) <= 1e-9 * max(1.0, abs(end.kinetic), abs(end.potential))
        return State(state.t + h, q_1, v_1), memory, report
