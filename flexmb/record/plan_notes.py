"""Notes on a run before it starts: allowed settings that are seldom intended."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from flexmb.record.samples import RecordedScheme, RecordedSystem

NOTED_STEPS = 1e4
"""Number of time steps of a hybrid run, and of implicit steps between events, that is noted."""


class Planned(Protocol):
    """A run before its first step (``drive.Plan``, ``record.samples.RunInfo``)."""

    @property
    def system(self) -> RecordedSystem:
        """The system that is integrated."""
        ...

    @property
    def scheme(self) -> RecordedScheme:
        """The time integration scheme."""
        ...

    @property
    def tolerance(self) -> float:
        """Tolerance of the local error, 0 for a constant step size."""
        ...

    @property
    def h(self) -> float:
        """Step, or interval between samples with a tolerance, s."""
        ...

    @property
    def steps(self) -> int:
        """Number of steps or intervals."""
        ...

    @property
    def with_events(self) -> bool:
        """Whether impacts are located."""
        ...


def notes_of(plan: Planned) -> tuple[str, ...]:
    """Return the notes of the assembly, of the scheme and of the step-size control."""
    system, scheme = plan.system, plan.scheme
    notes: tuple[str, ...] = getattr(system, "notes", ())
    jointed = system.joints is not None and system.joints.nj > 0
    contacts = system.contacts
    notes += scheme.notes(jointed, bool(((contacts.e > 0.0) & ~contacts.blocks.poisson).any()))
    large = system.joints is not None
    by_error = plan.tolerance and large and scheme.error_in_large_motion  # others halve steps down to an impact
    if by_error and system.contacts.nc and not plan.with_events:
        notes += (
            "time.tolerance with contacts: bouncing bodies never come to rest completely, since the steps shrink "
            "with the bounces, and the tolerance does not control impacts; time.step is recommended",
        )
    return (*notes, *_time_stepping(plan), *_slow_steps(plan))


def _slow_steps(plan: Planned) -> tuple[str, ...]:
    """Return a note on many steps of an implicit integrator between events, which are not compiled."""
    explicit = getattr(plan.scheme, "stability", np.inf) < np.inf
    if not plan.with_events or explicit or plan.tolerance or plan.steps < NOTED_STEPS:
        return ()
    without = "" if getattr(plan.scheme, "driver", "steps") == "events" else ", with events = false,"
    return (
        f"{plan.scheme.name} with located events: its {plan.steps} steps are not compiled; the time stepping of "
        f"moreau-jean, newmark, hht and generalized-alpha{without} is, and takes far less computing time per step",
    )


def _time_stepping(plan: Planned) -> tuple[str, ...]:
    """Return a note on how many time steps a contact with friction in space costs a run that locates events."""
    length = getattr(plan.scheme, "time_step", None)
    blocks, labels = plan.system.contacts.blocks, getattr(plan.system.contacts, "labels", ())
    if length is None:
        return ()
    spatial = [k for k in range(len(labels)) if blocks.friction[k, 0] > 0.0 and blocks.slides[k] > 1]
    span = plan.h * plan.steps
    h = length(plan.h, span, plan.tolerance)
    if not spatial or span / h < NOTED_STEPS:
        return ()
    return (
        f"{plan.scheme.name}: while a contact with friction in space is closed (contact '{labels[spatial[0]]}'), time "
        f"stepping in steps of {h:.3g} s replaces located events: up to {span / h:.2g} steps in this run, of first "
        "order; scheme.shortest sets their length",
    )
