"""What a case was changed in while it was read."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flexmb.case import Case


def print_notes(case: Case) -> None:
    """Say on stderr which keys of the file an override left out."""
    for note in case.values.notes:
        print(f"note: {note}", file=sys.stderr)
