"""The hybrid of Haddouni (2015, chapter 4): an integrator with events, and Moreau's time stepping if events fail.

The driver is ``drive.events.hybrid_motion``; this file defines the integrator and the steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from flexmb.errors import InputError
from flexmb.schemes.explicit_runge_kutta import Dopri5, Rkf45
from flexmb.schemes.half_explicit import Hem5, Phem56
from flexmb.schemes.implicit_runge_kutta import (
    LobattoIIIA2,
    LobattoIIIA4,
    LobattoIIIA6,
    LobattoIIIC4,
    RadauIIA3,
    RadauIIA5,
)
from flexmb.schemes.scheme import ALL_LAWS, check_choice, check_range
from flexmb.schemes.smooth_scheme import SmoothScheme
from flexmb.smooth.phase import Phase
from flexmb.smooth.smooth_step import SmoothState, SmoothStep
from flexmb.state import Array

INTEGRATORS: dict[str, type[SmoothScheme]] = {
    cls.name: cls
    for cls in (
        Phem56,
        Hem5,
        Dopri5,
        Rkf45,
        RadauIIA3,
        RadauIIA5,
        LobattoIIIA2,
        LobattoIIIA4,
        LobattoIIIA6,
        LobattoIIIC4,
    )
}
"""Integrators available between events."""

MOST_STEPS = 1e5
"""Time steps of a whole run by default, unless its own steps are more. Of Haddouni's, 0.05 s: 5e-7 s, his value."""


@dataclass(frozen=True)
class Hybrid(SmoothScheme):
    """Located events, and Moreau's time stepping where impacts accumulate or event location fails.

    Parameters
    ----------
    integrator : str
        Name of the integrator between events.
    theta : float
        Of Moreau's scheme: weight of the end of the step, in [0.5, 1].
    gamma : float
        Of Moreau's scheme: prediction time that activates a contact, in steps; in [0, 1].
    shortest : float
        Shortest step of Moreau's scheme, s; in [1e-12, 1]. 0, the default, is the duration of the run over 1e5. The
        step of the run, or its interval between samples, is an upper limit.
    most_events : int
        Number of events within ten times h* above which the scheme switches to time stepping; at least 2. (h*: flights
        that are shorter end a sequence of impacts.)
    """

    integrator: str = "phem56"
    theta: float = 0.5
    gamma: float = 1.0
    shortest: float = 0.0
    most_events: int = 100

    name: ClassVar[str] = "hybrid"
    stability: ClassVar[float] = Phem56.stability  # default value; an instance has that of its integrator
    carries: ClassVar[frozenset[str]] = ALL_LAWS - {"cohesion", "rolling", "spinning"}

    def __post_init__(self) -> None:
        check_choice("integrator", self.integrator, tuple(INTEGRATORS))
        object.__setattr__(self, "stability", INTEGRATORS[self.integrator].stability)
        check_range(self.name, "theta", self.theta, 0.5, 1.0)
        check_range(self.name, "gamma", self.gamma, 0.0, 1.0)
        if self.shortest:
            check_range(self.name, "shortest", self.shortest, 1e-12, 1.0)
        whole = isinstance(self.most_events, int) and not isinstance(self.most_events, bool)
        if not whole or self.most_events < 2:
            message = "must be an integer of at least 2"
            raise InputError(message, where="scheme", key="most_events", value=self.most_events)

    def time_step(self, h: float, span: float, tolerance: float) -> float:
        """Return the length of the steps of Moreau's scheme, s: at most ``h``.

        Parameters
        ----------
        h, span : float
            Step of the integrator, with a tolerance the interval between samples, and duration of the run, s.
        tolerance : float
            Of the local error; 0 for steps of one size.
        """
        wanted = tolerance * span if tolerance else h * (h / span) ** self.order
        return min(max(wanted, self.shortest or span / MOST_STEPS), h)

    @cached_property
    def inner(self) -> SmoothScheme:
        """The integrator between events."""
        return INTEGRATORS[self.integrator]()

    @property
    def order(self) -> int:
        """Order of the integrator between events."""
        return self.inner.order

    @property
    def error_power(self) -> int:
        """Power of h in the error estimate of the integrator."""
        return self.inner.error_power

    def amplification(self, k: float, c: float) -> Array:
        """Return the amplification matrix of the integrator."""
        return self.inner.amplification(k, c)

    def smooth_step(self, phase: Phase, state: SmoothState, h: float) -> SmoothStep:
        """Take a step of the integrator."""
        return self.inner.smooth_step(phase, state, h)

    def local_error(self, norms: Sequence[float]) -> float:
        """Return the local error estimate of the integrator."""
        return self.inner.local_error(norms)

    def begin(self, phase: Phase, t: float, q: Array, v: Array) -> SmoothState:
        """Start a phase like the integrator."""
        return self.inner.begin(phase, t, q, v)
