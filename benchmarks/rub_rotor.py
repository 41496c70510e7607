"""The rotor of the case ``rotor_rub``, with its elements split: the problem of the rotor benchmark."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import flexmb as fm

CASE = Path(__file__).parents[1] / "cases" / "rotor_rub.toml"
BODY = "rotor"
STEP = 2.5e-5
"""s."""


@dataclass(frozen=True)
class RubRotor:
    """The rotor with each of its 33 elements split into ``parts``.

    Parameters
    ----------
    parts : int
    unknowns : "lateral" or "all"
        With "all" the shaft stretches and twists too, as ROSS's does.
    """

    parts: int = 1
    unknowns: str = "lateral"

    @cached_property
    def case(self) -> dict[str, Any]:
        """The tables of the case file."""
        return tomllib.loads(CASE.read_text(encoding="utf-8"))

    @cached_property
    def body(self) -> dict[str, Any]:
        """The rotor's table with split elements."""
        table = dict(self.case["bodies"][BODY])
        del table["kind"]
        ends = np.asarray(table["stations"])
        inner = np.arange(self.parts * (ends.size - 1) + 1) / self.parts
        table["stations"] = np.interp(inner, np.arange(ends.size), ends).tolist()
        for key in ("disks", "bearings", "unbalances"):
            table[key] = [{**entry, "node": self.parts * entry["node"]} for entry in table[key]]
        if self.unknowns == "all":  # held along its axis, which the case's bearings do not do
            table["supports"] = [{"node": table["bearings"][0]["node"], "fix": ["axial"]}]
        return {**table, "unknowns": self.unknowns}

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.body["stations"])

    @property
    def speed(self) -> float:
        """Of the spin, rad/s."""
        return float(self.body["spin"]["speed"])

    def model(self, rub: bool = False) -> fm.Model:
        """Return the rotor, with its hard stator or without it."""
        model = fm.Model()
        model.add(fm.Rotor(BODY, **self.body))
        if rub:
            keys = {key: value for key, value in self.case["contacts"]["stator"].items() if key != "kind"}
            model.add(fm.Clearance("stator", **keys))
        return model

    @property
    def force(self) -> tuple[int, float, float]:
        """Node, size (N) and phase of the rotating force of the unbalance."""
        (entry,) = self.body["unbalances"]
        return entry["node"], entry["magnitude"] * self.speed**2, entry["phase"]

    def plain(self) -> dict[str, Any]:
        """Return all of it as plain numbers, for another program."""
        return {**self.body, "speed": self.speed, "force": self.force, "step": STEP}
