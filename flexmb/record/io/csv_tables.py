"""CSV export: ``signals.csv``, ``contacts.csv``, ``energy.csv``, and ``joints.csv`` if there are joints.

One row per sample, units in the header. Derived columns, the contact forces and the total energy, are last in their
table; works missing in older results are zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from flexmb.record.io.structure import Tree, mean_force, row_unit, unit
from flexmb.record.samples import ENERGY_COLUMNS, EVENT_WORKS, FRICTION_PARTS, SPIN_WORKS

_BLOCK = 4096
JointRows = Mapping[str, Sequence[str]]
"""Quantities of the rows of each joint, as named in the summary."""


def write_csv(tree: Tree, folder: Path, joint_rows: JointRows | None = None) -> list[Path]:
    """Write the tables into ``folder`` and return their paths.

    Parameters
    ----------
    tree : Tree
    folder : Path
    joint_rows : mapping, optional
        Distinguishes forces of joints from torques.
    """
    tree = {name: tree[name] for name in tree} | _derived(tree)
    tables = {"signals": _below(tree, "/signals/"), "contacts": _below(tree, "/contacts/")}
    if "/energy/total" in tree:
        names = [f"/energy/{name}" for name in (*ENERGY_COLUMNS, "total")]
        tables["energy"] = [name for name in names if name in tree]
    if joints := _below(tree, "/joints/"):
        tables["joints"] = joints
    return [_write(tree, names, folder / f"{table}.csv", joint_rows or {}) for table, names in tables.items()]


class _Column:
    """A dataset that is computed when it is sliced."""

    def __init__(self, shape: tuple[int, ...], rows: Callable[[slice], np.ndarray]) -> None:
        self.shape = shape
        self._rows = rows

    def __getitem__(self, part: slice) -> np.ndarray:
        return self._rows(part)


def _derived(tree: Tree) -> dict[str, _Column]:
    """Return the contact forces, missing works, and the total energy."""
    out = {
        name.removesuffix("impulse") + "force": _force(tree, tree[name])
        for name in _below(tree, "/contacts/")
        if name.endswith("/impulse")
    }
    if "/energy/kinetic" not in tree or "/energy/potential" not in tree:
        return out
    kinetic, potential = tree["/energy/kinetic"], tree["/energy/potential"]
    at_times = FRICTION_PARTS + EVENT_WORKS + SPIN_WORKS
    always = [f"/energy/{column}" for column in ENERGY_COLUMNS if column not in at_times]
    missing = [name for name in always if name not in tree]
    out |= {name: _Column(kinetic.shape, lambda part: np.zeros(part.stop - part.start)) for name in missing}
    return out | {"/energy/total": _Column(kinetic.shape, lambda part: np.asarray(kinetic[part] + potential[part]))}


def _force(tree: Tree, impulse: Any) -> _Column:
    step, time = tree["/step"], tree["/time"]
    span = max(int(step[-1]) - int(step[0]), 1)
    h = float(time[-1] - time[0]) / span or 1.0  # a single sample: no force has acted yet

    def rows(part: slice) -> np.ndarray:
        first = max(part.start - 1, 0)  # the time since the previous sample requires that sample
        force = mean_force(np.asarray(impulse[first : part.stop]), np.asarray(step[first : part.stop]), h)
        return force[part.start - first :]

    return _Column(impulse.shape, rows)


def _below(tree: Tree, prefix: str) -> list[str]:
    return [name for name in tree if name.startswith(prefix)]


def _write(tree: Tree, names: list[str], path: Path, joint_rows: JointRows) -> Path:
    titles = ["time [s]", *(title for name in names for title in _titles(tree, name, joint_rows))]
    with path.open("w", encoding="utf-8", newline="\n") as out:
        out.write(",".join(titles) + "\n")
        for rows in _rows(tree, ["/time", *names]):
            np.savetxt(out, rows, delimiter=",", fmt="%.17g")
    return path


def _titles(tree: Tree, name: str, joint_rows: JointRows) -> list[str]:
    _, table, *words = name.split("/")
    short, shape = ".".join(words), tree[name].shape
    tags = [""] if len(shape) == 1 else [f".{k}" for k in range(shape[1])]
    if table == "signals" and shape[1:] == (3,):
        tags = [".x", ".y", ".z"]
    units = [unit(name)] * len(tags)
    rows = joint_rows.get(words[0], ()) if table == "joints" else ()
    if len(rows) == len(tags):
        units = [row_unit(words[-1], row) or unit(name) for row in rows]
    return [f"{short}{tag} [{own}]" if own else short + tag for tag, own in zip(tags, units, strict=True)]


def _rows(tree: Tree, names: list[str]) -> Iterator[np.ndarray]:
    """Yield the columns side by side, some thousand rows at a time (a result may be larger than memory)."""
    n = tree["/time"].shape[0]
    for first in range(0, n, _BLOCK):
        part = slice(first, min(first + _BLOCK, n))
        yield np.column_stack([np.asarray(tree[name][part]) for name in names])
