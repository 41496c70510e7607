"""Consistency checks of the arrays of a result: a file that was truncated, edited or overwritten is refused.

The layout has a checksum. Of samples and states only shapes and times are checked: a result may be far larger than
memory.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from flexmb.errors import InputError
from flexmb.record.io.structure import DIGEST, Tree, digest_of, layout_from, matrix_from

NEEDED = ("/time", "/step", "/state/step", "/state/time", "/state/q", "/state/v", "/state/impulse", "/layout/points")
"""Arrays that every result has, of any version."""


def require_sound(tree: Tree, name: str) -> None:
    """Raise InputError, which refers to the tree as ``name``, unless its arrays are consistent."""
    if wrong := damage(tree):
        raise InputError(f"{name} is damaged: {wrong}")


def damage(tree: Tree) -> str:
    """Return a message that names inconsistent arrays of a result; empty if they are consistent."""
    if missing := [name for name in NEEDED if name not in tree]:
        return f"it lacks {', '.join(missing)}"
    try:
        if wrong := [*_unordered(tree), *_wrong_rows(tree)]:
            return f"{', '.join(wrong)} does not fit"
        return _altered(tree)
    except (InputError, KeyError, TypeError, ValueError, IndexError) as err:
        return str(err)


def _unordered(tree: Tree) -> Iterator[str]:
    for name in ("/step", "/time", "/state/step", "/state/time"):
        values = np.asarray(tree[name][()])
        numbers = values.ndim == 1 and values.dtype.kind == ("f" if name.endswith("time") else "i")
        if not numbers or not np.isfinite(values).all() or np.any(np.diff(values) <= 0):
            yield name


def _wrong_rows(tree: Tree) -> Iterator[str]:
    """Yield arrays that do not have one row for each sample or state."""
    count = {room: len(tree["/step"]) for room in ("time", "signals", "contacts", "joints", "energy")}
    count["state"] = len(tree["/state/step"])
    for name in tree:
        room = name.split("/")[1]
        values = tree[name]
        fits = len(values.shape) in (1, 2) and values.shape[0] == count.get(room) and values.dtype.kind in "fi"
        if room in count and not fits:
            yield name


def _altered(tree: Tree) -> str:
    """Return which of the arrays written at the start of a run were modified."""
    if DIGEST in tree:
        same = tree[DIGEST][()].tolist() == [digest_of(tree).encode()]
        return "" if same else "/layout, or the list of arrays, was modified after the run"
    # older results have no checksum: they are accepted, but indices must be within the points
    layout, impulse = layout_from(tree), matrix_from(tree, "impulse")
    inside = [layout.displacement.shape, layout.rotation.shape, impulse.shape]
    whole = all(rows == layout.points.size for rows, _ in inside) and len(layout.body_of_point) == len(layout.points)
    for cells in (layout.cells, layout.vertices, layout.triangles):
        whole = whole and (not cells.size or (cells.min() >= 0 and cells.max() < len(layout.points)))
    return "" if whole else "/layout is inconsistent"
