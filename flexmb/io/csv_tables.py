"""CSV export: ``signals.csv``, ``contacts.csv``, ``energy.csv``, and ``joints.csv`` where there are any.

One row per sample, units in the header. Columns that follow from others, the contact forces and the total energy, stand
last in their table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from flexmb.io.structure import Tree, mean_force, unit
from flexmb.record import ENERGY_COLUMNS

_BLOCK = 4096


def write_csv(tree: Tree, folder: Path) -> list[Path]:
    """Write the tables into ``folder`` and return their paths."""
    tree = {name: tree[name] for name in tree} | _derived(tree)
    energy = [f"/energy/{name}" for name in (*ENERGY_COLUMNS, "total")]
    tables = {"signals": _below(tree, "/signals/"), "contacts": _below(tree, "/contacts/")}
    if all(name in tree for name in energy):
        tables["energy"] = energy
    if joints := _below(tree, "/joints/"):
        tables["joints"] = joints
    return [_write(tree, names, folder / f"{table}.csv", table) for table, names in tables.items()]


class _Column:
    """A dataset that is computed when it is sliced."""

    def __init__(self, shape: tuple[int, ...], rows: Callable[[slice], np.ndarray]) -> None:
        self.shape = shape
        self._rows = rows

    def __getitem__(self, part: slice) -> np.ndarray:
        return self._rows(part)


def _derived(tree: Tree) -> dict[str, _Column]:
    """Return the contact forces and the total energy."""
    out = {
        name.removesuffix("impulse") + "force": _force(tree, tree[name])
        for name in _below(tree, "/contacts/")
        if name.endswith("/impulse")
    }
    if "/energy/kinetic" not in tree or "/energy/potential" not in tree:
        return out
    kinetic, potential = tree["/energy/kinetic"], tree["/energy/potential"]
    return out | {"/energy/total": _Column(kinetic.shape, lambda part: np.asarray(kinetic[part] + potential[part]))}


def _force(tree: Tree, impulse: Any) -> _Column:
    step, time = tree["/step"], tree["/time"]
    span = max(int(step[-1]) - int(step[0]), 1)
    h = float(time[-1] - time[0]) / span or 1.0  # a single sample: nothing has acted yet

    def rows(part: slice) -> np.ndarray:
        first = max(part.start - 1, 0)  # the time since the sample before needs that sample
        force = mean_force(np.asarray(impulse[first : part.stop]), np.asarray(step[first : part.stop]), h)
        return force[part.start - first :]

    return _Column(impulse.shape, rows)


def _below(tree: Tree, prefix: str) -> list[str]:
    return [name for name in tree if name.startswith(prefix)]


def _write(tree: Tree, names: list[str], path: Path, table: str) -> Path:
    titles = ["time [s]", *(title for name in names for title in _titles(tree, name, table))]
    with path.open("w", encoding="utf-8", newline="\n") as out:
        out.write(",".join(titles) + "\n")
        for rows in _rows(tree, ["/time", *names]):
            np.savetxt(out, rows, delimiter=",", fmt="%.17g")
    return path


def _titles(tree: Tree, name: str, table: str) -> list[str]:
    short = name.removeprefix(f"/{table}/").replace("/", ".")
    words = unit(name)
    label = f" [{words}]" if words else ""
    shape = tree[name].shape
    if len(shape) == 1:
        return [short + label]
    tags = ["x", "y", "z"] if table == "signals" and shape[1] == 3 else [str(k) for k in range(shape[1])]
    return [f"{short}.{tag}{label}" for tag in tags]


def _rows(tree: Tree, names: list[str]) -> Iterator[np.ndarray]:
    """Yield the columns side by side, some thousand rows at a time (a result may be larger than memory)."""
    n = tree["/time"].shape[0]
    for first in range(0, n, _BLOCK):
        part = slice(first, min(first + _BLOCK, n))
        yield np.column_stack([np.asarray(tree[name][part]) for name in names])
