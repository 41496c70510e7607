"""Steps of Moreau's scheme on the whole system, used by the event driver."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.schemes.moreau_jean import MoreauJean
from flexmb.schemes.scheme import Memory
from flexmb.smooth.smooth_step import SmoothState
from flexmb.state import Array, State, StepReport
from flexmb.system.linear_system import LinearSystem
from flexmb.system.multibody_system import MultibodySystem


class Stepping:
    """Moreau's scheme with restarts.

    Parameters
    ----------
    system : LinearSystem or MultibodySystem
    solver : ContactSolver
    count : callable
        Called with the number of force evaluations of each step.
    theta, gamma : float
        Of the scheme; with gamma = 1 a contact that closes in the step is found by its forecast.
    """

    def __init__(
        self,
        system: LinearSystem | MultibodySystem,
        solver: ContactSolver,
        count: Callable[[int], None],
        theta: float = 0.5,
        gamma: float = 1.0,
    ) -> None:
        self.system, self.solver, self.count, self.scheme = system, solver, count, MoreauJean(theta, gamma)
        self._length = 0.0
        self._fixed: Any = None
        self._memory: Memory | None = None

    def begin(self, state: SmoothState, h: float) -> None:
        """Restart without memory; continue with steps of h."""
        if h != self._length:
            self._length, self._fixed = h, self.scheme.prepare(self.system, h)
        start = State(state.t, state.q, state.v)
        self._memory = self.scheme.start(self.system, start, h, self._fixed, self.solver)

    def step(self, t: float, q: Array, v: Array, h: float) -> tuple[State, StepReport]:
        """Take a step of h, the length that was begun with."""
        assert self._memory is not None
        start = State(t, q, v)
        new, self._memory, report = self.scheme.step(self.system, start, h, self._memory, self._fixed, self.solver)
        self.count(report.evaluations)
        return new, report
