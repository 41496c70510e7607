"""What a message must name, whatever its wording: ``says(text, "time.step = 0 ... positive")``."""

from __future__ import annotations

import re
from collections.abc import Iterable


def pattern(names: str) -> str:
    """Return a regular expression for texts that hold these names in this order; `` ... `` stands for any words."""
    return "(?s)" + ".*".join(r"\s+".join(map(re.escape, name.split())) for name in names.split(" ... "))


def says(text: str | Iterable[str], names: str) -> bool:
    """Tell whether a text, or one of several, holds these names in this order; `` ... `` stands for any words."""
    texts = [text] if isinstance(text, str) else list(text)
    return any(re.search(pattern(names), t) for t in texts)


def only(notes: Iterable[str]) -> str:
    """Return the one note there is."""
    (note,) = notes
    return note
