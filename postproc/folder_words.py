"""What case.toml and summary.json of a result folder may hold, so far as pictures use it; what is odd is left out."""

from __future__ import annotations

from typing import Any

import numpy as np

TABLES = ("bodies", "contacts", "loads", "joints")
SINGLE = ("gravity", "scheme", "time", "output", "initial")
SUMMARY_KINDS: dict[str, type] = {
    "title": str,
    "status": str,
    "scheme": dict,
    "failure": dict,
    "expectations": list,
    "energy": dict,
    "versions": dict,
    "notes": list,
}
"""Kinds of what a summary may hold; null stands for nothing."""


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


def usable_summary(summary: dict[str, Any], h: float) -> tuple[dict[str, Any], list[str]]:
    """Return a summary with what is of the right kind, and the names of what is not.

    Parameters
    ----------
    summary : dict
    h : float
        The step to take when the summary has none, s.
    """
    odd = [key for key, kind in SUMMARY_KINDS.items() if not isinstance(summary.get(key, kind()) or kind(), kind)]
    if "expectations" not in odd and not all(isinstance(row, dict) for row in summary.get("expectations") or []):
        odd.append("expectations")
    if "h" in summary and not (_number(summary["h"]) and summary["h"] > 0.0):
        odd.append("h")
    return {"h": h} | {key: value for key, value in summary.items() if key not in odd}, odd


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and bool(np.isfinite(value))


def _vector(value: object) -> bool:
    return isinstance(value, list) and len(value) == 3 and all(_number(x) for x in value)


def _radius(value: object) -> bool:
    return all(_number(x) for x in value) if isinstance(value, list) else _number(value)
