"""Notes on changes of a case while it was read, and notes of its assembly."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flexmb.case import Case


def print_notes(case: Case) -> None:
    """Print which keys of the file are dropped because of an override."""
    for note in case.values.notes:
        print(f"note: {note}", file=sys.stderr)


def print_system_notes(case: Case) -> None:
    """Print the notes of the assembly, of the scheme and of the step size."""
    for note in (*case.plan_notes, *case.rotor_notes):
        print(f"note: {note}", file=sys.stderr)
    for words in case.whirl_notes:
        print(f"warning: {words}", file=sys.stderr)


def print_run_notes(case: Case, summary: Mapping[str, Any], *, table: bool = False) -> None:
    """Print the notes of a run that were not printed before; with ``table``, the energies are printed in its table."""
    from flexmb.record.summary_text import energy_warnings

    said = {*case.notes, *(energy_warnings(summary["energy"]) if table else ())}
    for words in summary.get("notes") or ():
        if words not in said:
            print(f"warning: {words}", file=sys.stderr)


def print_scheme_note(case: Case) -> None:
    """Print that an override changed the scheme or the time grid that the expectations were written for."""
    for words in case.expectation_notes:
        print(f"note: {words}", file=sys.stderr)
