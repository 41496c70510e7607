"""What a case was changed in while it was read, and what its assembly found."""

from __future__ import annotations

import sys
import tomllib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flexmb.case import Case


def print_notes(case: Case) -> None:
    """Say on stderr which keys of the file an override left out."""
    for note in case.values.notes:
        print(f"note: {note}", file=sys.stderr)


def print_system_notes(case: Case) -> None:
    """Say on stderr what the assembly found: joints that hold the same motion, a start that was moved."""
    for note in getattr(case.plan.system, "notes", ()):
        print(f"note: {note}", file=sys.stderr)


def print_scheme_note(case: Case) -> None:
    """Say on stderr that an override made the scheme another than the one the expectations were written for."""
    from flexmb.case.part_tables import read_scheme

    if not case.expects or not any(path[0] == "scheme" for path in case.values.origin.overridden):
        return
    own = read_scheme(tomllib.loads(case.values.origin.text).get("scheme", {}), [])
    if own is not None and own != case.scheme:
        words = f"the expectations were written for the file's own scheme ({own.name})"
        print(f"note: {words}", file=sys.stderr)
