"""Integrators of smooth motion: their interface to the event driver.

A member steps a ``Phase``, the system with its closed contacts held like joints; where contacts close, open, stick or
slip is not its business. It is known to case files by its name, because its file exists, and implies the driver with
events (``driver``). What it has: ``order``, the power ``error_power`` of h in its error estimate, and ``smooth_step``.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from flexmb.errors import InputError
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.schemes.scheme import Memory, Scheme
from flexmb.smooth.phase import Phase
from flexmb.smooth.smooth_step import SmoothState, SmoothStep
from flexmb.state import Array, State, StepReport

EVENT_LAWS = frozenset({"friction", "impact"})
"""Contact laws that the event driver supports: Coulomb's friction in the plane, Poisson's impacts."""


class SmoothScheme(Scheme):
    """An integrator of smooth motion; it runs with events."""

    driver: ClassVar[str] = "events"
    carries: ClassVar[frozenset[str]] = EVENT_LAWS
    memory_size: ClassVar[tuple[int, int, int]] = (0, 0, 0)
    """Content of ``SmoothState.memory`` if it is not empty: (k, nv), (m, nr) and (s,) arrays."""

    @property
    def drifts(self) -> tuple[bool, bool]:
        """Whether the driver removes the drift of positions and velocities of the rows, after every step."""
        return True, True

    @property
    @abstractmethod
    def error_power(self) -> int:
        """Power of h in the estimate of the local error."""

    @abstractmethod
    def smooth_step(self, phase: Phase, state: SmoothState, h: float) -> SmoothStep:
        """Advance from t to t + h in a phase; a pure function of its arguments."""

    def local_error(self, norms: Sequence[float]) -> float:
        """Return the estimate of the local error from the norms of ``SmoothStep.errors``."""
        return norms[0]

    @property
    def has_error_estimate(self) -> bool:
        """True for all of them."""
        return True

    def begin(self, phase: Phase, t: float, q: Array, v: Array) -> SmoothState:
        """Return the initial state of a phase: after an event, or at the start."""
        return phase.begin(t, q, v)

    def prepare(self, system: Any, h: float) -> Any:
        """Raise an error, since there are no steps without events."""
        raise self._no_steps()

    def start(self, system: Any, state: State, h: float, fixed: Any, solver: ContactSolver) -> Memory:
        """Raise an error, since there are no steps without events."""
        raise self._no_steps()

    def step(
        self, system: Any, state: State, h: float, memory: Memory, fixed: Any, solver: ContactSolver
    ) -> tuple[State, Memory, StepReport]:
        """Raise an error, since there are no steps without events."""
        raise self._no_steps()

    def _no_steps(self) -> InputError:
        message = "integrates smooth motion between events and has no time stepping; use it with the event driver"
        return InputError(message, where="scheme", key="name", value=self.name)
