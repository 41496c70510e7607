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
    """Say on stderr what the assembly found, and what scheme and steps make of it."""
    from flexmb.plan_notes import notes_of

    for note in notes_of(case.plan):
        print(f"note: {note}", file=sys.stderr)
    if warning := unstable_rotor(case):
        print(f"warning: {warning}", file=sys.stderr)


def unstable_rotor(case: Case) -> str:
    """Return words for a rotor that is unstable by itself at the speeds it runs at, empty when none is."""
    from flexmb.errors import InputError
    from flexmb.rotating import has_rotor

    model = case.model()
    if not has_rotor(model):
        return ""
    from flexmb.rotor_analysis.stability import instability

    try:
        found = instability(model)
    except InputError:  # with joints or bodies in large motion there is no linear system to ask
        return ""
    except (ArithmeticError, ValueError, RuntimeError) as err:  # numbers too far apart for an eigenvalue problem
        return f"whether the rotor is stable by itself could not be told ({type(err).__name__}: {err})"
    return "" if found is None else f"the linear system (contacts open) is {found}; flexmb campbell tells the onset"


def print_scheme_note(case: Case) -> None:
    """Say on stderr that an override changed the scheme or the time that the expectations were written for."""
    from flexmb.case.part_tables import read_scheme

    if not case.expects:
        return
    changed = {path[0] for path in case.values.origin.overridden}
    file = tomllib.loads(case.values.origin.text) if changed & {"scheme", "time"} else {}
    own = read_scheme(file.get("scheme", {}), []) if "scheme" in changed else None
    if own is not None and own != case.scheme:
        print(f"note: the expectations were written for the file's own scheme ({own.name})", file=sys.stderr)
    time, now = file.get("time", {}), case.values.tables.time.model_dump(exclude_none=True)
    if "time" in changed and {"start": 0.0} | time != now:
        words = ", ".join(f"{key} = {value:g}" for key, value in time.items())
        print(f"note: the expectations were written for the file's own time ({words})", file=sys.stderr)
