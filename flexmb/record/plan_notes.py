"""Notes on a run before it starts: allowed settings that are seldom intended."""

from __future__ import annotations

from typing import Protocol

from flexmb.record.samples import RecordedScheme, RecordedSystem


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
    if plan.tolerance and system.contacts.nc and large and not plan.with_events:
        notes += (
            "time.tolerance with contacts: bouncing bodies never come to rest completely, since the steps shrink "
            "with the bounces, and the tolerance does not control impacts; time.step is recommended",
        )
    return notes
