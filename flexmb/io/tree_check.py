"""What of a tree of arrays fits together: a file that was cut, edited or overwritten in part is found out here.

Of samples and states only shapes and times are looked at: a result may be far larger than memory. The layout, which is
drawn, must hold numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from flexmb.assembly.marks import Marks
from flexmb.errors import InputError
from flexmb.fem.line_sections import RECTANGLE, ROUND, LineSections
from flexmb.io.structure import CARRIER_ARRAYS, CARRIER_MAPS, Tree, marks_from, sections_from
from flexmb.record import ENERGY_COLUMNS

NEEDED = ("/time", "/step", "/state/step", "/state/time", "/state/q", "/state/v", "/state/impulse", "/layout/points")
"""Without these there is nothing to draw."""
OLDEST_COLUMNS = 7
"""So many columns of energies are in every result, whatever version wrote it."""
CORE = ("cells", "vertices", "body_of_point", "radius_of_cell", "bodies")
MAPS = ("displacement", "rotation", "impulse")
OTHER_HALF = "/layout/sections/other"
"""What older results do not have of their sections."""
LARGEST = 1e18
"""Nothing is so large, in m, and what is drawn in single precision cannot be."""


class Without(Mapping[str, Any]):
    """A tree without some of its arrays.

    Parameters
    ----------
    tree : Tree
    names : iterable of str
        What is left out: arrays, and all below a name.
    """

    def __init__(self, tree: Tree, names: Iterable[str]) -> None:
        self._tree, out = tree, tuple(names)
        self._names = [name for name in tree if not any(name == o or name.startswith(o + "/") for o in out)]

    def __getitem__(self, name: str) -> Any:
        if name not in self._names:
            raise KeyError(name)
        return self._tree[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def damage(tree: Tree) -> tuple[list[str], list[str]]:
    """Return what is wrong with needed arrays, in words, and the names of others that do not fit."""
    missing = [name for name in NEEDED if name not in tree]
    missing += [f"/layout/{name}" for name in CORE if f"/layout/{name}" not in tree]
    missing += [f"/layout/{name}" for name in MAPS if not _has_map(tree, name)]
    if missing:
        return [f"it lacks {', '.join(missing)}"], []
    try:
        wrong = [*_wrong_times(tree, ""), *_wrong_times(tree, "/state"), *_wrong_states(tree), *_wrong_layout(tree)]
        return wrong, [] if wrong else [*_odd_samples(tree), *_odd_layout(tree)]
    except (InputError, TypeError, ValueError, IndexError) as err:
        return [str(err)], []


def sound_samples(tree: Tree) -> Tree:
    """Return the samples of a damaged tree that fit together, without states and layout; nothing without times."""
    if "/time" not in tree or "/step" not in tree:
        return {}
    try:
        if _wrong_times(tree, ""):
            return {}
        return Without(tree, ["/state", "/layout", *_odd_samples(tree)])
    except (InputError, TypeError, ValueError, IndexError):
        return {}


def _wrong_times(tree: Tree, room: str) -> list[str]:
    n, t = np.asarray(tree[f"{room}/step"][()]), np.asarray(tree[f"{room}/time"][()])
    if n.ndim != 1 or t.shape != n.shape or n.dtype.kind not in "iu" or t.dtype.kind != "f":
        return [f"{room}/time and {room}/step do not fit together"]
    if not np.isfinite(t).all() or np.any(np.diff(n) <= 0) or np.any(np.diff(t) <= 0.0):
        return [f"{room}/time or {room}/step does not increase"]
    return []


def _wrong_states(tree: Tree) -> list[str]:
    f = tree["/state/step"].shape[0]
    names = ("/state/q", "/state/v", "/state/impulse")
    return [f"{name} has not a row for each state" for name in names if not _rows(tree[name], f, 2, "f")]


def _wrong_layout(tree: Tree) -> list[str]:
    points = tree["/layout/points"][()]
    n, nq, nv = len(np.atleast_1d(points)), tree["/state/q"].shape[1], tree["/state/v"].shape[1]
    get = {name: np.asarray(tree[f"/layout/{name}"][()]) for name in CORE}
    m, bodies = len(np.atleast_1d(get["cells"])), get["bodies"].size
    fits = {
        "points": n > 0 and _sized(points, (n, 3)),
        "cells": _numbers(get["cells"], n) and get["cells"].shape == (m, 2),
        "vertices": _numbers(get["vertices"], n) and get["vertices"].ndim == 1,
        "body_of_point": _numbers(get["body_of_point"], bodies) and get["body_of_point"].shape == (n,),
        "radius_of_cell": _sized(get["radius_of_cell"], (m,)),
        "bodies": get["bodies"].ndim == 1 and get["bodies"].dtype.kind == "S",
        "displacement": _sparse(tree, "displacement", 3 * n, None),
        "rotation": _sparse(tree, "rotation", 3 * n, None),
        "impulse": _sparse(tree, "impulse", 3 * n, tree["/state/impulse"].shape[1]),
    }
    if "/layout/triangles" in tree:
        faces = np.asarray(tree["/layout/triangles"][()])
        fits["triangles"] = _numbers(faces, n) and faces.size > 0 and faces.shape == (faces.size // 3, 3)
    if any(name.startswith("/layout/carriers/") for name in tree):
        fits["carriers"] = _carriers(tree, n, nq, nv)
    elif nq != nv or not _sparse(tree, "displacement", 3 * n, nq) or not _sparse(tree, "rotation", 3 * n, nq):
        fits["displacement"] = False
    return [f"/layout/{name} does not fit" for name, ok in fits.items() if not ok]


def _carriers(tree: Tree, n: int, nq: int, nv: int) -> bool:
    names = [f"/layout/carriers/{name}" for name in CARRIER_ARRAYS]
    if any(name not in tree for name in names) or not all(_has_map(tree, f"carriers/{name}") for name in CARRIER_MAPS):
        return False
    kind, iq, iv, local, q0 = (np.asarray(tree[name][()]) for name in names)
    whole = all(x.shape == (n,) and x.dtype.kind in "iu" for x in (kind, iq, iv))
    inside = whole and bool(np.all((kind >= 0) & (kind <= 8) & (iq >= -1) & (iq < nq) & (iv >= -1) & (iv < nv)))
    maps = _sparse(tree, "carriers/Dq", 6 * n, nq) and _sparse(tree, "carriers/Dv", 6 * n, nv)
    return inside and maps and _sized(local, (n, 3)) and _sized(q0, (nq,))


def _odd_samples(tree: Tree) -> list[str]:
    """Return the names of recorded arrays, or of what they belong to, that have not a row for each sample."""
    samples = tree["/step"].shape[0]
    out = [name for name in tree if name.startswith("/signals/") and not _rows(tree[name], samples, None, "f")]
    for room, words in (("contacts", ("gap", "velocity", "impulse")), ("joints", ("force", "impulse"))):
        for name in dict.fromkeys(name.split("/")[2] for name in tree if name.startswith(f"/{room}/")):
            head = f"/{room}/{name}"
            own = [tree[path] for path in tree if path.startswith(head + "/")]
            same = len({tree[f"{head}/{w}"].shape for w in words if f"{head}/{w}" in tree}) <= 1
            there = all(f"{head}/{word}" in tree for word in words) or room == "joints"
            if not (same and there and all(_rows(x, samples, None, "f") for x in own)):
                out.append(head)
    energies = [name for name in tree if name.startswith("/energy/")]
    lacking = energies and any(f"/energy/{name}" not in tree for name in ENERGY_COLUMNS[:OLDEST_COLUMNS])
    if lacking or not all(_rows(tree[name], samples, 1, "f") for name in energies):
        out.append("/energy")
    return out


def _odd_layout(tree: Tree) -> list[str]:
    """Return the names of what pictures can do without and that does not fit the points and lines."""
    out: list[str] = []
    n, m = tree["/layout/points"].shape[0], tree["/layout/cells"].shape[0]
    vertices = tree["/layout/vertices"].shape[0]
    radius = "/layout/radius_of_vertex"
    if radius in tree and not _sized(np.asarray(tree[radius][()]), (vertices,)):
        out.append(radius)
    if not _order_fits(tree):
        out.append("/layout/contacts")
    return out + _odd_tables(tree, n, m)


def _odd_tables(tree: Tree, n: int, m: int) -> list[str]:
    out = []
    for room, kind in (("sections", LineSections), ("marks", Marks)):
        head = f"/layout/{room}"
        if not any(name.startswith(head + "/") for name in tree):
            continue
        names = {f"{head}/{f.name}" for f in fields(kind)}
        missing = names - {OTHER_HALF} - set(tree)
        whole = not missing and all(tree[name].shape for name in names & set(tree))
        if not (whole and (_sections_fit(tree, m) if kind is LineSections else _marks_fit(tree, n))):
            out.append(head)
    return out


def _sections_fit(tree: Tree, m: int) -> bool:
    sections = sections_from(tree)
    assert sections is not None
    stiffness, length, outline = sections.stiffness, sections.length, sections.outline
    if not (_shaped(stiffness, (m, 6), "f") and _shaped(length, (m,), "f") and _shaped(outline, (m,), "iu")):
        return False
    if np.isinf(stiffness).any() or not np.all(np.isnan(length) | (length > 0.0)):  # nan: nothing is known
        return False
    known = bool(np.isin(outline, (ROUND, RECTANGLE)).all())
    turned = _sized(sections.axes, (m, 3, 3)) and bool(np.all(np.abs(sections.axes) < 1.001))
    sized = _sized(sections.size, (m, 2)) and bool(np.all(sections.size >= 0.0))
    return known and turned and sized and _halves_fit(sections.other, m)


def _halves_fit(other: Any, m: int) -> bool:
    """Tell whether each half of an element points to a neighbour that points back."""
    if not _shaped(other, (m,), "i") or not np.isin(other, (-1, 0, 1)).all():
        return False
    own = np.flatnonzero(other)
    there = own + other[own]
    return bool(np.all((there >= 0) & (there < m))) and bool(np.all(other[there] == -other[own]))


def _marks_fit(tree: Tree, n: int) -> bool:
    marks = marks_from(tree)
    m = len(marks.name)
    words = _shaped(marks.kind, (m,), "S") and _shaped(marks.name, (m,), "S") and _words(marks.kind, marks.name)
    inside = _shaped(marks.point, (m, 2), "iu") and bool(np.all((marks.point >= -2) & (marks.point < n)))
    sized = _sized(marks.offset, (m, 2, 3)) and _sized(marks.axis, (m, 3)) and _sized(marks.size, (m, 2))
    return words and inside and sized


def _words(*arrays: Any) -> bool:
    """Tell whether bytes can be read as words."""
    try:
        for word in np.concatenate(arrays):
            word.decode()
    except UnicodeDecodeError:
        return False
    return True


def _order_fits(tree: Tree) -> bool:
    if "/layout/contacts" not in tree:
        return True
    stored = np.asarray(tree["/layout/contacts"][()])
    there = {name.split("/")[2] for name in tree if name.startswith("/contacts/")}
    return stored.dtype.kind == "S" and stored.ndim == 1 and {name.decode(errors="replace") for name in stored} == there


def _rows(values: Any, count: int, ndim: int | None, kind: str) -> bool:
    shape = values.shape
    deep = len(shape) in (1, 2) if ndim is None else len(shape) == ndim
    return deep and shape[0] == count and values.dtype.kind == kind


def _shaped(values: Any, shape: tuple[int, ...], kinds: str) -> bool:
    return values.shape == shape and values.dtype.kind in kinds


def _sized(values: Any, shape: tuple[int, ...]) -> bool:
    """Tell whether an array has this shape and holds numbers that can be drawn."""
    return _shaped(values, shape, "f") and bool(np.all(np.abs(values) < LARGEST))  # nan is not, either


def _numbers(values: Any, below: int) -> bool:
    return values.dtype.kind in "iu" and (not values.size or (values.min() >= 0 and values.max() < below))


def _has_map(tree: Tree, name: str) -> bool:
    return all(f"/layout/{name}/{part}" in tree for part in ("data", "indices", "indptr", "shape"))


def _sparse(tree: Tree, name: str, rows: int, columns: int | None) -> bool:
    """Tell whether ``/layout/NAME`` is a sparse matrix with so many rows and columns (None: any number)."""
    data, indices, indptr, shape = (
        np.asarray(tree[f"/layout/{name}/{part}"][()]) for part in ("data", "indices", "indptr", "shape")
    )
    if shape.shape != (2,) or shape[0] != rows or (columns is not None and shape[1] != columns) or shape[1] < 0:
        return False
    if indptr.shape != (rows + 1,) or not _numbers(indptr, len(data) + 1):
        return False
    if indptr[0] != 0 or np.any(np.diff(indptr) < 0) or indptr[-1] != len(data):
        return False
    whole = indices.shape == data.shape and _numbers(indices, int(shape[1]))
    return whole and _sized(data, (len(data),))
