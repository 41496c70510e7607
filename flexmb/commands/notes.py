"""What a case was changed in while it was read, and what its assembly found."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flexmb.case import Case


def print_notes(case: Case) -> None:
    """Say on stderr which keys of the file an override left out."""
    for note in case.values.notes:
        print(f"note: {note}", file=sys.stderr)


def print_system_notes(case: Case) -> None:
    """Say on stderr what the assembly found, and what scheme and steps make of it."""
    from flexmb.plan_notes import notes_of

    for note in (*notes_of(case.plan), *case.rotor_notes):
        print(f"note: {note}", file=sys.stderr)
    for words in case.whirl_notes:
        print(f"warning: {words}", file=sys.stderr)


def print_run_notes(case: Case, notes: Sequence[str]) -> None:
    """Say on stderr what a run has found that was not said before it: growing whirl at the speeds it took."""
    from flexmb.plan_notes import notes_of

    said = {*notes_of(case.plan), *case.rotor_notes, *case.whirl_notes}
    for words in notes:
        if words not in said:
            print(f"warning: {words}", file=sys.stderr)


def print_scheme_note(case: Case) -> None:
    """Say on stderr that an override changed the scheme or the time that the expectations were written for."""
    for words in case.expectation_notes:
        print(f"note: {words}", file=sys.stderr)
