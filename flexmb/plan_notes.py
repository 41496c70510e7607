"""What a run should be told before it starts: allowed, but seldom what is wanted."""

from __future__ import annotations

from typing import Protocol

from flexmb.record import RecordedSystem
from flexmb.schemes.alpha_family import Alpha


class Planned(Protocol):
    """A run before its first step (``engines.Plan``, ``record.RunInfo``)."""

    @property
    def system(self) -> RecordedSystem:
        """What is integrated."""
        ...

    @property
    def scheme(self) -> object:
        """How."""
        ...

    @property
    def tolerance(self) -> float:
        """Local error of chosen steps, 0 for steps of one size."""
        ...


def notes_of(plan: Planned) -> tuple[str, ...]:
    """Return what the assembly found, and what scheme and steps make of it."""
    system, scheme = plan.system, plan.scheme
    notes: tuple[str, ...] = getattr(system, "notes", ())
    jointed = system.joints is not None and system.joints.nj > 0
    if jointed and isinstance(scheme, Alpha) and scheme.joint_level == "index3" and _damps_nothing(scheme):
        notes += (
            "joints held by positions alone (index3) with a scheme that damps nothing: their forces oscillate from "
            'step to step; take some dissipation (rho_inf <= 0.9), or constraints = "ggl"',
        )
    if plan.tolerance and system.contacts.nc:
        notes += (
            "time.tolerance with contacts: bodies that bounce never come quite to rest, since the steps shrink with "
            "their bounces, and impacts are not held to the tolerance; time.step is the better choice",
        )
    return notes


def _damps_nothing(scheme: Alpha) -> bool:
    """Tell whether rho_inf is 1: generalized-alpha with it, HHT and Newmark without dissipation."""
    return scheme.coefficients.gamma <= 0.5
