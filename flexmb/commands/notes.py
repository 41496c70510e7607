"""What a case was changed in while it was read, and what its assembly found."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flexmb.case import Case


def print_notes(case: Case) -> None:
    """Say on stderr which keys of the file an override left out."""
    for note in case.values.notes:
        print(f"note: {note}", file=sys.stderr)


def print_system_notes(case: Case) -> None:
    """Say on stderr what the assembly found, and what scheme and steps make of it."""
    for note in (*case.plan_notes, *case.rotor_notes):
        print(f"note: {note}", file=sys.stderr)
    for words in case.whirl_notes:
        print(f"warning: {words}", file=sys.stderr)


def print_run_notes(case: Case, summary: Mapping[str, Any], *, table: bool = False) -> None:
    """Say on stderr what a run found that was not said before; with ``table`` energies stand in the run's own table."""
    from flexmb.record.summary_text import energy_warnings

    said = {*case.notes, *(energy_warnings(summary["energy"]) if table else ())}
    for words in summary.get("notes") or ():
        if words not in said:
            print(f"warning: {words}", file=sys.stderr)


def print_scheme_note(case: Case) -> None:
    """Say on stderr that an override changed the scheme or the time that the expectations were written for."""
    for words in case.expectation_notes:
        print(f"note: {words}", file=sys.stderr)
