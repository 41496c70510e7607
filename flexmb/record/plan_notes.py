"""What a run should be told before it starts: allowed, but seldom what is wanted."""

from __future__ import annotations

from typing import Protocol

from flexmb.record.samples import RecordedScheme, RecordedSystem


class Planned(Protocol):
    """A run before its first step (``drive.Plan``, ``record.samples.RunInfo``)."""

    @property
    def system(self) -> RecordedSystem:
        """What is integrated."""
        ...

    @property
    def scheme(self) -> RecordedScheme:
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
    contacts = system.contacts
    notes += scheme.notes(jointed, bool(((contacts.e > 0.0) & ~contacts.blocks.poisson).any()))
    if plan.tolerance and system.contacts.nc:
        notes += (
            "time.tolerance with contacts: bodies that bounce never come quite to rest, since the steps shrink with "
            "their bounces, and impacts are not held to the tolerance; time.step is the better choice",
        )
    return notes
