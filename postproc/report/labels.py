"""What runs are called on a page that compares them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from flexmb.postproc.open_folder import Opened

PROBLEM = ("bodies", "joints", "loads", "contacts", "gravity", "initial")
"""Tables of a case that say what is computed; the others say how, and for how long."""


def labels_of(opened: Sequence[Opened], names: Sequence[str]) -> list[str]:
    """Return short words that tell runs apart: scheme or step where the problem is the same, else the folder."""
    schemes = [one.scheme.partition(" (")[0] for one in opened]
    steps = [f"h = {one.h:.4g} s" if math.isfinite(one.h) else "" for one in opened]
    choices = [
        schemes,
        steps,
        [one.scheme for one in opened],
        [f"{a}, {b}" if a and b else "" for a, b in zip(schemes, steps, strict=True)],
    ]
    if any(_problem(one) != _problem(opened[0]) for one in opened):
        choices = []
    return next(list(words) for words in (*choices, names) if len(set(words)) == len(words) and all(words))


def _problem(opened: Opened) -> dict[str, Any]:
    return {"title": opened.title} | {name: opened.case.get(name) for name in PROBLEM}
