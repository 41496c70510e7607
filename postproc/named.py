"""Everything a result holds over time, by dotted name: ``rod.first.position.x``, ``contacts.wall.force``, ..."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.errors import InputError
from flexmb.io.structure import Tree, mean_force, unit
from flexmb.postproc.arrays import Array
from flexmb.result import Result

BLOCK = 1 << 16
"""Rows read at a time, where many columns become one."""
ROOM = 400_000_000
"""Bytes of curves that are kept at hand."""
TOTAL = "energy.total"


@dataclass(frozen=True)
class Recorded:
    """Where a name stands in the tree.

    Parameters
    ----------
    path : str
        Of the dataset.
    column : int or None
        Its column; None when it has but one.
    """

    path: str
    column: int | None


class Curves:
    """The curves of a result, read when asked for.

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

    def __contains__(self, name: str) -> bool:
        return name in self._known

    def __getitem__(self, name: str) -> Array:
        """Return the values at the samples, (n+1,); the latest are kept, since charts ask for them again."""
        if name not in self._kept:
            values = self._read(name)
            while self._kept and sum(v.nbytes for v in self._kept.values()) + values.nbytes > ROOM:
                del self._kept[next(iter(self._kept))]
            self._kept[name] = values
        return self._kept[name]

    def _read(self, name: str) -> Array:
        where = self._known.get(name)
        if where is None:
            raise InputError(self._unknown(name))
        if name == TOTAL:
            kinetic, potential = (np.asarray(self._tree[f"/energy/{word}"][()]) for word in ("kinetic", "potential"))
            return np.asarray(kinetic + potential)
        stored = self._tree[where.path]
        values: Array = np.asarray(stored[()] if where.column is None else stored[:, where.column])
        words = name.split(".")
        if words[0] == "contacts" and words[2] == "force":
            return np.asarray(mean_force(values, self.result.step, float(self.result.summary["h"])))
        return values

    def group(self, path: str, how: str) -> Array:
        """Return the ``min``, ``max`` or ``sum`` of all columns of a dataset, (n+1,), read block by block."""
        values = self._tree[path]
        if len(values.shape) == 1:
            return np.asarray(values[()])
        reduce: Any = {"min": np.min, "max": np.max, "sum": np.sum}[how]
        blocks = [reduce(np.asarray(values[k : k + BLOCK]), axis=1) for k in range(0, values.shape[0], BLOCK)]
        return np.concatenate(blocks) if blocks else np.zeros(0)

    def expand(self, names: Iterable[str]) -> list[str]:
        """Return names of single columns: a vector gives those of its columns that move (all, when none does)."""
        out: list[str] = []
        for name in names:
            parts = [known for known in self._known if known.rpartition(".")[0] == name]
            if name in self._known or not parts:
                self[name]  # raises when there is no such curve
                out.append(name)
            else:
                out += self.moving(parts) or parts
        return list(dict.fromkeys(out))

    def moving(self, names: Iterable[str]) -> list[str]:
        """Return the names whose values change, by more than round-off of their size."""
        out = []
        for name in names:
            values = self[name]
            low, high = (float(np.nanmin(values)), float(np.nanmax(values))) if values.size else (0.0, 0.0)
            if not high - low <= 1e-9 * max(-low, high, 1e-12):  # also when it has overflowed
                out.append(name)
        return out

    def _unknown(self, name: str) -> str:
        vectors = {known.rpartition(".")[0] for known in self._known}
        near = difflib.get_close_matches(name, [*self._known, *sorted(vectors)], n=3, cutoff=0.5)
        hint = f"; near to it: {', '.join(near)}" if near else ""
        heads = ", ".join(dict.fromkeys(known.rpartition(".")[0] or known for known in self._known))
        return f"there is no signal '{name}' in this result{hint or f'; recorded: {heads}'}"


def unit_of(name: str) -> str:
    """Return the unit of a name, empty when it has none we know."""
    if name.startswith("energy."):
        return "J"
    words = name.split(".")
    bare = ".".join(words[:-1]) if words[-1] in "xyz" or words[-1].isdecimal() else name
    if bare.startswith("joints.") and bare.rpartition(".")[2] == "force":
        return "N or N m"
    return unit(bare)


def labelled(name: str) -> str:
    """Return the last word of a name with its unit, e.g. ``position.x [m]``: the label of an axis."""
    words = name.split(".")
    short = len(words) > 1 and (words[-1] in "xyz" or words[-1].isdecimal())
    word = ".".join(words[-2:] if short else words[-1:]).replace("_", " ")
    return f"{word} [{unit_of(name)}]" if unit_of(name) else word


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
                _add(out, tree, path[1:].removesuffix("impulse").replace("/", ".") + "force", path)
    if {"energy.kinetic", "energy.potential"} <= set(out):
        out[TOTAL] = Recorded("/energy/kinetic", None)
    return out


def _add(out: dict[str, Recorded], tree: Tree, name: str, path: str, axes: str = "") -> None:
    shape = tree[path].shape
    if len(shape) == 1:
        out[name] = Recorded(path, None)
        return
    tags = axes if len(axes) == shape[1] else [str(k) for k in range(shape[1])]
    for k, tag in enumerate(tags):
        out[f"{name}.{tag}"] = Recorded(path, k)
