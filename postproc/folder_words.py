"""What case.toml and summary.json of a result folder may hold, so far as pictures use it; what is odd is left out."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

TABLES = ("bodies", "contacts", "loads", "joints")
SINGLE = ("gravity", "scheme", "time", "output", "initial")
SUMMARY_KINDS: dict[str, type] = {
    "title": str,
    "status": str,
    "computed": str,
    "engine": str,
    "scheme": dict,
    "failure": dict,
    "expectations": list,
    "expectation_notes": list,
    "energy": dict,
    "versions": dict,
    "notes": list,
    "joint_rows": dict,
}
"""Kinds of what a summary may hold; null stands for nothing."""
NUMBERS = (
    *("h", "steps", "tolerance", "steps_taken", "dofs", "joints", "contacts", "wall_time_s", "us_per_step"),
    *("max_penetration", "contact_steps", "newton_iterations"),
)


def failure_notes(summary: dict[str, Any]) -> list[str]:
    """Return why the run of a summary failed, nothing when it did not."""
    if summary.get("status") != "failed":
        return []
    return ["the run failed: " + str((summary.get("failure") or {}).get("error", "see summary.json"))]


def usable_case(case: dict[str, Any]) -> str:
    """Return what is wrong with the tables of a case, empty when nothing that pictures use is."""
    for name in TABLES:
        table = case.get(name, {})
        if not isinstance(table, dict) or not all(isinstance(own, dict) for own in table.values()):
            return f"'{name}' is not a list of tables"
    for name in SINGLE:
        if not isinstance(case.get(name, {}), dict):
            return f"'{name}' is not a table"
    gravity = case.get("gravity", {}).get("acceleration", [0.0, 0.0, 0.0])
    if not _vector(gravity):
        return "'gravity.acceleration' is not a vector"
    for name, table in case.get("contacts", {}).items():
        if "normal" in table and not (_vector(table["normal"]) and np.any(np.asarray(table["normal"], dtype=float))):
            return f"'contacts.{name}.normal' is not a direction"
        if "point" in table and not _vector(table["point"]):
            return f"'contacts.{name}.point' is not a point"
        if not all(_number(table.get(key, 0.0)) for key in ("gap",)) or not _radius(table.get("radius", 0.0)):
            return f"'contacts.{name}' has a length that is not a number"
    return ""


def case_step(case: dict[str, Any]) -> float:
    """Return the time step of a case whose tables are usable, s; nan when it gives none."""
    h = case.get("time", {}).get("step")
    return float(h) if _number(h) and h > 0.0 else math.nan


def usable_summary(summary: dict[str, Any], h: float) -> tuple[dict[str, Any], list[str]]:
    """Return a summary with what is of the right kind, at any depth, and the names of what is not.

    Parameters
    ----------
    summary : dict
    h : float
        The step to take when the summary has none, s.
    """
    odd = [key for key, kind in SUMMARY_KINDS.items() if not isinstance(summary.get(key, kind()) or kind(), kind)]
    numbers = [key for key in NUMBERS if summary.get(key) is not None]
    odd += [key for key in numbers if not _number(summary[key]) or (key == "h" and summary[key] <= 0.0)]
    clean = {key: value for key, value in summary.items() if key not in odd and (key, value) != ("h", None)}
    for key, fits in PARTS.items():
        inner = clean.get(key)
        entries = inner.items() if isinstance(inner, dict) else enumerate(inner or [])
        wrong = [place for place, value in entries if not fits(value)]
        odd += [f"{key}.{place}" for place in wrong]
        if isinstance(inner, dict):
            clean[key] = {place: value for place, value in inner.items() if place not in wrong}
        elif inner:
            clean[key] = [value for place, value in enumerate(inner) if place not in wrong]
    return {"h": h} | clean, odd


def _number(value: object) -> bool:
    try:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:
        return False


def _expectation(row: object) -> bool:
    """Tell whether an expectation can be put into words, see ``flexmb.words.asked``."""
    if not isinstance(row, dict) or not isinstance(row.get("signal"), str):
        return False
    texts = all(isinstance(row.get(key) or "", str) for key in ("reduce", "source"))
    numbers = all(row[key] is None or _number(row[key]) for key in ("value", "rtol", "atol", "got") if key in row)
    bounds = all(_number(row[key]) for key in ("at_least", "at_most") if key in row)
    timed = row.get("reduce") != "at" or _number(row.get("time"))
    return texts and numbers and bounds and timed and isinstance(row.get("ok", True), bool)


PARTS: dict[str, Callable[[Any], bool]] = {
    "expectations": _expectation,
    "energy": lambda value: value is None or _number(value),
    "versions": lambda value: isinstance(value, str),
    "notes": lambda value: isinstance(value, str),
    "joint_rows": lambda value: isinstance(value, list) and all(isinstance(row, str) for row in value),
}
"""What the entries of lists and tables in a summary must be."""


def _vector(value: object) -> bool:
    return isinstance(value, list) and len(value) == 3 and all(_number(x) for x in value)


def _radius(value: object) -> bool:
    return all(_number(x) for x in value) if isinstance(value, list) else _number(value)
