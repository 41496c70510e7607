"""A phase as ``system.protocol.System``: its rows are joints, and there are no contacts.

So a scheme written for that protocol, like the alpha family, steps a phase like any system with joints.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from flexmb.kernels.geometry.time_functions import value
from flexmb.smooth.phase import Phase
from flexmb.smooth.phase_instant import PhaseInstant
from flexmb.state import Array
from flexmb.system.bordered_factor import BorderedFactor, LeastNorm, bordered, factored, step_matrix
from flexmb.system.contact_blocks import Blocks
from flexmb.system.linear_system import LinearSystem
from flexmb.system.protocol import Solves

DENSE = 120
"""Number of unknowns and rows up to which the bordered matrix is dense."""


@dataclass(frozen=True)
class NoContacts:
    """The empty set of contacts of a phase."""

    nc: int = 0
    e: Array = field(default_factory=lambda: np.zeros(0))
    labels: tuple[str, ...] = ()
    blocks: Blocks = field(default_factory=lambda: Blocks.frictionless(0))


class PhaseSystem:
    """A phase as a system with joints."""

    def __init__(self, phase: Phase) -> None:
        self.phase, self.contacts = phase, NoContacts()

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return self.phase.nv

    @property
    def nj(self) -> int:
        """Number of rows."""
        return self.phase.nr

    @property
    def start(self) -> Array:
        """Positions at the start."""
        return self.phase.system.start

    @property
    def v0(self) -> Array:
        """Velocities at the start."""
        return self.phase.system.v0

    @property
    def constant(self) -> bool:
        """Whether matrices never change."""
        return self.phase.system.constant

    @property
    def constant_mass(self) -> bool:
        """Whether the mass matrix never changes."""
        return self.phase.system.constant_mass

    @property
    def linear(self) -> bool:
        """Whether one iteration solves a step."""
        return self.phase.system.linear

    @property
    def dof_names(self) -> tuple[str, ...]:
        """Names of the unknowns."""
        return self.phase.system.dof_names

    @property
    def frames(self) -> tuple[str, ...]:
        """Names of unknowns of frames."""
        return self.phase.system.frames

    @property
    def jointed(self) -> tuple[str, ...]:
        """Names of the joints."""
        return self.phase.system.jointed

    def instant(self, t: float, q: Array, v: Array) -> PhaseInstant:
        """Return all quantities in (t, q, v)."""
        return self.phase.at(t, q, v)

    def advance(self, q: Array, dq: Array) -> Array:
        """Return the advanced position q (+) dq."""
        return self.phase.system.advance(q, dq)

    def toward(self, increment: Array, y: Array) -> Array:
        """Return the change of an increment that moves its end by y."""
        return self.phase.system.toward(increment, y)

    def prescribed(self, t: float) -> Array:
        """Return the prescribed motions of the rows, (nr,)."""
        phase, system = self.phase, self.phase.system
        none = np.zeros(phase.stuck.size)
        if isinstance(system, LinearSystem):
            return np.concatenate([-system.contacts.offset(t)[phase.closed], none])
        rows, functions = system.tables.rows, system.tables.functions
        moved = np.zeros(phase.closed.size)
        for k, i in enumerate(phase.closed):
            r = phase.nj + int(i)
            if rows.function[r] >= 0:
                moved[k] = rows.cf[r] * value(functions, int(rows.function[r]), t)
        return np.concatenate([system.prescribed(t), moved, none])

    def factor(
        self, instant: PhaseInstant, c_M: float, c_C: float, c_K: float, inside: sparse.csc_array | None = None
    ) -> Solves:
        """Return c_M M + c_C C + c_K K of an instant, factorized, bordered by the rows."""
        phase, system = self.phase, self.phase.system
        if isinstance(system, LinearSystem):
            return SchurFactor(phase, system.factor(instant.here, c_M, c_C, c_K).solve, instant)
        M, C, K = system.matrices(instant.here)
        S = step_matrix((c_M, c_C, c_K), (M, C, K), phase.nv + phase.nr <= DENSE)
        A = bordered(S, instant.G, instant.D) if phase.nr else S
        if phase.nr and phase.depends(instant):
            return BorderedFactor(LeastNorm(A), system.nv)
        return BorderedFactor(factored(system, M, A, instant.t), system.nv)


class SchurFactor:
    """S, of which b -> S^-1 b is given, bordered by a few rows: W = G^T S^-1 D."""

    def __init__(self, phase: Phase, solve_S: Callable[[Array], Array], at: PhaseInstant) -> None:
        self.phase, self.solve_S, self.at = phase, solve_S, at
        self.X = solve_S(at.D) if phase.nr else np.zeros((phase.nv, 0))

    def solve(self, b: Array) -> Array:
        """Return the velocities of b with the rows enforced."""
        return self.solve_both(b, np.zeros((self.phase.nr, *b.shape[1:])))[0]

    def solve_both(self, b: Array, rho: Array) -> tuple[Array, Array]:
        """Return the velocities, and the multipliers of the rows."""
        x = self.solve_S(b)
        if not self.phase.nr:
            return x, np.asarray(rho)
        G = self.at.G
        y = self.phase.rows_solve(G.T @ self.X, rho - G.T @ x)
        return x + self.X @ y, y


def mass_factor(free: Phase, here: Any) -> Solves:
    """Return the mass matrix at an instant of the system, factorized, bordered by its joints.

    ``free`` is a phase without closed contacts. Redundant joints share their impulses like in all schemes.
    """
    at = PhaseInstant(free, here)
    if not free.few or free.depends(at):
        return free.system.factor(here, 1.0, 0.0, 0.0)
    return SchurFactor(free, free.mass.solver(here), at)
