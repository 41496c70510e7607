"""What a model is, in words: for its ``repr``."""

from __future__ import annotations

from collections.abc import Mapping

SINGULAR = {"bodies": "body", "joints": "joint", "loads": "load", "contacts": "contact"}
"""Roles of parts, and what one of them is called."""
MOST = 6
"""Number of parts of a role that are listed."""


def parts_in_words(parts: Mapping[str, object], role: str) -> str:
    """Return number, names and kinds of parts, of many the first: ``1 body: ball (Particle)``."""
    words = [f"{name} ({type(part).__name__})" for name, part in list(parts.items())[:MOST]]
    listed = ", ".join([*words, *(["..."] if len(parts) > MOST else [])])
    return f"{len(parts)} {SINGULAR[role] if len(parts) == 1 else role}: {listed}"
