"""Names and SI units of the columns of a study in pictures and tables."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from flexmb.postproc.named_curves import unit_of
from flexmb.record.summary_text import ENERGY_WORDS
from flexmb.study import study_schema

LEDGER = {key: words for key, words in ENERGY_WORDS if key in study_schema.LEDGER} | {
    "initial": "initial energy",
    "final": "final energy",
    "residual": "residual of the ledger",
}
"""Columns of the energy ledger, J, and their labels."""
COSTS = {"summary.wall_time_s": "s", "summary.us_per_step": "µs"}
"""Units of signals of a summary."""


class Columns:
    """Names and units of axes and measures.

    Parameters
    ----------
    tables : mapping
        Tables of study.toml.
    """

    def __init__(self, tables: Mapping[str, Any]) -> None:
        self.axes = {name_of_axis(axis): axis for axis in tables.get("axis", [])}
        self.measures = {str(measure.get("name", "")): measure for measure in tables.get("measure", [])}

    def word(self, name: str) -> str:
        """Return the name of a column."""
        own = self.axes.get(name) or self.measures.get(name) or {}
        return str(own.get("label") or LEDGER.get(name, name))

    def unit(self, name: str) -> str:
        """Return its unit, empty if it has none."""
        own = self.axes.get(name) or self.measures.get(name)
        if own is None:
            return "J" if name in LEDGER else ""
        return str(own.get("unit") or _unit_of_measure(own))

    def label(self, name: str) -> str:
        """Return name and unit for an axis of a picture."""
        word, unit = quoted(self.word(name)), quoted(self.unit(name))
        return f"{word} [{unit}]" if unit else word

    def value(self, name: str, value: Any) -> str:
        """Return a value with its name, unless it is a text: ``h = 0.002 s``, but ``Moreau-Jean``."""
        if isinstance(value, str):
            return value
        unit = self.unit(name)
        return f"{self.word(name)} = {shown(value)}" + (f" {unit}" if unit else "")


def name_of_axis(axis: Mapping[str, Any]) -> str:
    """Return the column name of an axis: its name, or else its key."""
    return str(axis.get("name") or axis.get("key") or (axis.get("keys") or [""])[0])


def shown(value: Any, digits: int = 5) -> str:
    """Return a value with a few digits; empty for None."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.{digits}g}"
    return str(value)


def quoted(words: str) -> str:
    """Return text in which a $ does not start a formula."""
    return words.replace("$", r"\$")


def _unit_of_measure(measure: Mapping[str, Any]) -> str:
    signal = str(measure.get("signal") or measure.get("curve") or "")
    if signal:
        return COSTS.get(signal, unit_of(signal))
    if "error" not in measure or measure.get("relative"):
        return ""
    return _unit_of_norm(unit_of(str(measure["error"])), str(measure.get("norm", "L1")))


def _unit_of_norm(unit: str, norm: str) -> str:
    """Return the unit of the norm of a quantity over time; the distance of graphs mixes two units and has none."""
    if not unit or norm == "graph":
        return ""
    if norm == "L1":
        return unit.removesuffix("/s") if unit.endswith("/s") else f"{unit} s"
    return f"{unit} s$^{{1/2}}$" if norm == "L2" else unit
