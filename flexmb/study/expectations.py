"""``[[expect]]`` of a study: orders and numbers of the table, with their expected values."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from flexmb.analysis.measures import fitted_order
from flexmb.case.expectations import holds
from flexmb.errors import InputError
from flexmb.study.study_schema import ExpectTable
from flexmb.study.table import Table

_REDUCE: dict[str, Callable[[list[float]], float]] = {
    "max": lambda values: float(np.max(values)),  # a missing number remains missing
    "min": lambda values: float(np.min(values)),
    "mean": lambda values: float(np.mean(values)),
    "first": lambda values: values[0],
    "last": lambda values: values[-1],
}


def evaluate(expects: list[ExpectTable], table: Table) -> list[dict[str, Any]]:
    """Return one entry per expectation: its specification, its result (``got``), whether it is ``ok``, and ``why`` not.

    An expectation on failed runs is not met.
    """
    out = []
    for expect in expects:
        try:
            got, why = _number(expect, table), ""
        except InputError as err:
            got, why = math.nan, err.message
        asked = {key: value for key, value in expect.model_dump().items() if value not in (None, "", {})}
        out.append(asked | {"got": None if math.isnan(got) else got, "ok": holds(expect, got), "why": why})
    return out


def _number(expect: ExpectTable, table: Table) -> float:
    rows = table.where(expect.where)
    if lost := [row for row in rows.rows if not row.done]:
        raise InputError(f"{len(lost)} of {len(rows.rows)} runs failed: {lost[0].error}")
    if expect.order is not None:
        x, y = _floats(rows, expect.over or ""), _floats(rows, expect.order)
        return fitted_order(np.array(x), np.array(y))
    values = _floats(rows, expect.measure or "")
    if expect.reduce is None and len(values) != 1:
        raise InputError(
            f"{len(values)} runs match; choose one with where, or give reduce = max, min, mean, first, last"
        )
    return _REDUCE[expect.reduce or "first"](values)


def _floats(table: Table, name: str) -> list[float]:
    values = table.column(name)
    if any(isinstance(value, str) for value in values):
        raise InputError(f"'{name}' is not a number")
    return [float(value) for value in values]


def asked_words(entry: dict[str, Any]) -> str:
    """Return an expectation of a study as text."""
    if "order" in entry:
        what = f"order of {entry['order']} over {entry['over']}"
    else:
        what = " of ".join(word for word in (entry.get("reduce"), entry["measure"]) if word)
    where = ", ".join(f"{key} = {_any_of(value)}" for key, value in entry.get("where", {}).items())
    return f"{what} for {where}" if where else what


def _any_of(value: Any) -> str:
    """Return the value, or values, required of rows as text."""
    values = [str(one) for one in value] if isinstance(value, list) else [str(value)]
    return " or ".join(values) if len(values) <= 3 else f"{values[0]}, ... {values[-1]} ({len(values)} values)"
