"""What the expectations of a case were written for, where an override has changed it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flexmb.case.part_tables import read_scheme
from flexmb.io.toml_text import toml_tree

if TYPE_CHECKING:
    from flexmb.case.case import Case


def expectation_notes(case: Case) -> tuple[str, ...]:
    """Return that the file has another scheme, or another time, than the case as it is run."""
    changed = {path[0] for path in case.values.origin.overridden} & {"scheme", "time"}
    if not case.expects or not changed:
        return ()
    file, out = toml_tree(case.values.origin.text), []
    own = read_scheme(file.get("scheme", {}), []) if "scheme" in changed else None
    if own is not None and own != case.scheme:
        out.append(f"the expectations were written for the file's own scheme ({own.name})")
    time, now = file.get("time", {}), case.values.tables.time.model_dump(exclude_none=True)
    if "time" in changed and isinstance(time, dict) and {"start": 0.0} | time != now:
        # an override may have replaced what is no number
        words = ", ".join(f"{k} = {v:g}" if isinstance(v, int | float) else f"{k} = {v!r}" for k, v in time.items())
        out.append(f"the expectations were written for the file's own time ({words})")
    return tuple(out)
