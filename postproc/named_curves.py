"""All time histories of a result, by dotted name: ``rod.first.position.x``, ``contacts.wall.force``, ..."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.errors import InputError
from flexmb.postproc.arrays import Array
from flexmb.record.io.structure import ANGULAR, ROW_UNITS, Tree, mean_force, row_unit, unit
from flexmb.record.result import Result

BLOCK = 1 << 16
"""Rows read at a time when several columns are reduced to one."""
ROOM = 400_000_000
"""Size of the cache of curves, bytes."""
TOTAL = "energy.total"
ROUND_OFF = 1e-12
"""Range of a component, relative to the largest component of its vector, above which it counts as varying."""


@dataclass(frozen=True)
class Recorded:
    """The position of a curve in the tree.

    Parameters
    ----------
    path : str
        Of the dataset.
    column : int or None
        Its column; None if there is only one.
    force : bool
        Whether the force is meant, where the path is that of the impulse.
    """

    path: str
    column: int | None
    force: bool = False


class Curves:
    """The curves of a result, read on demand.

    Parameters
    ----------
    result : Result
    """

    def __init__(self, result: Result) -> None:
        self.result = result
        self._tree = result.tree
        self._known = _names(result.tree)
        self._time: Array | None = None
        self._kept: dict[str, Array] = {}
        self._bytes = 0

    @property
    def time(self) -> Array:
        """Times of the samples, s."""
        if self._time is None:
            self._time = self.result.time
        return self._time

    @property
    def names(self) -> list[str]:
        """All names, one per column."""
        return list(self._known)

    @property
    def signals(self) -> list[str]:
        """Names of the recorded signals, one per column; contacts, joints and energies are not included."""
        return [name for name, where in self._known.items() if where.path.startswith("/signals/")]

    def __contains__(self, name: str) -> bool:
        return name in self._known

    def __getitem__(self, name: str) -> Array:
        """Return the values at the samples, (n+1,); recent curves are cached, since charts request them repeatedly."""
        if name not in self._kept:
            values = self._read(name)
            self._bytes += values.nbytes
            while self._kept and self._bytes > ROOM:
                self._bytes -= self._kept.pop(next(iter(self._kept))).nbytes
            self._kept[name] = values
        return self._kept[name]

    def row(self, name: str) -> str:
        """Return the meaning of a row of a joint force or impulse, e.g. ``tilt about x``; empty if unknown."""
        head, word, tag = split_name(name)
        joint, k = head.removeprefix("joints."), int(tag[1:]) if tag[1:].isdecimal() else 0
        rows = (self.result.summary.get("joint_rows") or {}).get(joint, []) if word in ROW_UNITS else []
        return str(rows[k]) if head.startswith("joints.") and k < len(rows) else ""

    def title(self, name: str) -> str:
        """Return a name, with the meaning of the row for joints: ``joints.pin.force.0, x``."""
        return f"{name}, {row}" if (row := self.row(name)) else name

    def unit(self, name: str) -> str:
        """Return the unit of a name, empty if unknown."""
        if row := self.row(name):
            return row_unit(split_name(name)[1], row)
        return unit_of(name)

    def word(self, name: str) -> str:
        """Return the quantity of a name: ``position``, ``energy``, ``force``; ``torque`` for angular rows of joints."""
        head, word, _ = split_name(name)
        if head == "energy":
            return "work" if word.startswith("work_") else "energy"
        return "torque" if word == "force" and self.row(name).startswith(ANGULAR) else word.replace("_", " ")

    def axis(self, name: str) -> str:
        """Return the label of an axis: quantity, component and unit, e.g. ``position.x [m]``."""
        return with_unit(self.word(name) + split_name(name)[2], self.unit(name))

    def get(self, name: str) -> Array | None:
        """Return the values at the samples, None if there is no such curve."""
        return None if name not in self._known else self[name]

    def _read(self, name: str) -> Array:
        where = self._known.get(name)
        if where is None:
            raise InputError(self._unknown(name))
        if name == TOTAL:
            kinetic, potential = (np.asarray(self._tree[f"/energy/{word}"][()]) for word in ("kinetic", "potential"))
            return np.asarray(kinetic + potential)
        stored = self._tree[where.path]
        values: Array = np.asarray(stored[()] if where.column is None else stored[:, where.column])
        return self._force(values) if where.force else values

    def force(self, contact: str) -> Array:
        """Return the force of a contact, for a group the sum, (n+1,), N: the mean since the previous sample."""
        return self._force(self.group(f"/contacts/{contact}/impulse", "sum"))

    def _force(self, impulse: Array) -> Array:
        return np.asarray(mean_force(impulse, self.result.step, float(self.result.summary["h"])))

    def group(self, path: str, how: str) -> Array:
        """Return the ``min``, ``max`` or ``sum`` of all columns of a dataset, (n+1,), read block by block."""
        values = self._tree[path]
        if len(values.shape) == 1:
            return np.asarray(values[()])
        reduce: Any = {"min": np.min, "max": np.max, "sum": np.sum}[how]
        blocks = [reduce(np.asarray(values[k : k + BLOCK]), axis=1) for k in range(0, values.shape[0], BLOCK)]
        return np.concatenate(blocks) if blocks else np.zeros(0)

    def expand(self, names: Iterable[str]) -> list[str]:
        """Return names of single columns: a vector gives its varying columns (all, if none varies)."""
        out: list[str] = []
        for name in names:
            parts = [known for known in self._known if known.rpartition(".")[0] == name]
            if name in self._known or not parts:
                self[name]  # raises if there is no such curve
                out.append(name)
            else:
                out += self.moving(parts) or parts
        return list(dict.fromkeys(out))

    def moving(self, names: Iterable[str]) -> list[str]:
        """Return the names whose values change by more than round-off, relative to themselves and to their vector."""
        names = list(names)
        ends = {}
        for name in names:
            values = self[name]
            ends[name] = (float(np.nanmin(values)), float(np.nanmax(values))) if values.size else (0.0, 0.0)
        whole: dict[str, float] = {}
        for name, (low, high) in ends.items():
            vector = name.removesuffix(split_name(name)[2])
            whole[vector] = max(whole.get(vector, 0.0), high - low if np.isfinite(high - low) else 0.0)
        out = []
        for name, (low, high) in ends.items():
            least = max(1e-9 * max(-low, high, 1e-12), ROUND_OFF * whole[name.removesuffix(split_name(name)[2])])
            if not high - low <= least:  # also if it has overflowed
                out.append(name)
        return out

    def _unknown(self, name: str) -> str:
        vectors = {known.rpartition(".")[0] for known in self._known}
        near = difflib.get_close_matches(name, [*self._known, *sorted(vectors)], n=3, cutoff=0.5)
        hint = f"; similar names: {', '.join(near)}" if near else ""
        heads = ", ".join(dict.fromkeys(known.rpartition(".")[0] or known for known in self._known))
        return f"there is no signal '{name}' in this result{hint or f'; recorded: {heads}'}"


def split_name(name: str) -> tuple[str, str, str]:
    """Return head, quantity and component of a name: ``rod.first.position.x`` -> rod.first, position, .x."""
    head, _, last = name.rpartition(".")
    if last in ("x", "y", "z") or last.isdecimal():
        head, _, word = head.rpartition(".")
        return head, word, f".{last}"
    return head, last, ""


def unit_of(name: str) -> str:
    """Return the unit of a name, empty if unknown."""
    _, _, component = split_name(name)
    return unit(name.removesuffix(component))


def with_unit(words: str, unit: str) -> str:
    """Return the label of an axis: ``position.x [m]``."""
    return f"{words} [{unit}]" if unit else words


def _names(tree: Tree) -> dict[str, Recorded]:
    """Return signals, contacts, joints and energies by name."""
    out: dict[str, Recorded] = {}
    for path in tree:
        group = path.split("/")[1]
        if group == "signals":
            _add(out, tree, path.removeprefix("/signals/"), path, "xyz")
        elif group in ("contacts", "joints", "energy"):
            _add(out, tree, path[1:].replace("/", "."), path)
            if group == "contacts" and path.endswith("/impulse"):
                _add(out, tree, path[1:].removesuffix("impulse").replace("/", ".") + "force", path, force=True)
    if {"energy.kinetic", "energy.potential"} <= set(out):
        out[TOTAL] = Recorded("/energy/kinetic", None)
    return out


def _add(out: dict[str, Recorded], tree: Tree, name: str, path: str, axes: str = "", force: bool = False) -> None:
    shape = tree[path].shape
    if len(shape) == 1:
        out[name] = Recorded(path, None, force)
        return
    tags = axes if len(axes) == shape[1] else [str(k) for k in range(shape[1])]
    for k, tag in enumerate(tags):
        out[f"{name}.{tag}"] = Recorded(path, k, force)
