"""Recorded friction quantities by contact: available arrays, and their rows of a block."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from flexmb.record.io.planned_file import Rows
from flexmb.record.samples import Block, ContactGroups
from flexmb.state import IntArray
from flexmb.system.contact_blocks import Blocks

OF_EACH = ("status", "work", "work_friction", "work_surface")
"""Recorded for every contact of a system with friction."""
OF_SOME = ("work_rolling", "work_cohesion")
"""Recorded for groups with rolling or spinning resistance, and for those with cohesion."""
ALONG_TANGENTS = {"slip": "slip", "tangential_impulse": "tangential"}
"""Recorded for contacts with tangential rows, with the attribute of a block."""
ABOUT_AXES = {"rolling_rate": "slip", "rolling_impulse": "tangential"}
"""Recorded for contacts with rolling or spinning resistance, with the attribute of a block."""
MAGNITUDES = {"slip_speed": "slip", "friction_impulse": "tangential_impulse"}
"""Norms of tangential quantities: they do not depend on the choice of the tangents."""
LAWS = "/layout/laws"


def friction_rows_of(contacts: ContactGroups, j: int) -> dict[str, Rows]:
    """Return the arrays of group j that grow with time; none if no contact of the system has friction."""
    if contacts.blocks.normals_only:
        return {}
    name, size = contacts.names[j], int(contacts.start[j + 1] - contacts.start[j])
    rows = {
        f"/contacts/{name}/{what}": _rows(size, np.int8 if what == "status" else np.float64)
        for what in _words_of(contacts, j)
    }
    for columns, words in zip(_columns_of(contacts, j), (ALONG_TANGENTS, ABOUT_AXES), strict=True):
        if columns.size:
            rows |= {f"/contacts/{name}/{what}": _rows(columns.size) for what in words}
    return rows


def _words_of(contacts: ContactGroups, j: int) -> tuple[str, ...]:
    """Return the quantities recorded for each contact of group j."""
    blocks, own = contacts.blocks, slice(int(contacts.start[j]), int(contacts.start[j + 1]))
    there = (blocks.turns[own].any() or blocks.spins[own].any(), blocks.cohesion[own].any())
    return (*OF_EACH, *(word for word, recorded in zip(OF_SOME, there, strict=True) if recorded))


def _rows(size: int, dtype: type = np.float64) -> Rows:
    return Rows("sample", () if size == 1 else (size,), dtype)


def _columns_of(contacts: ContactGroups, j: int) -> tuple[IntArray, IntArray]:
    """Return the tangential rows, and the rolling and spinning rows, of the contacts of group j."""
    blocks, own = contacts.blocks, range(int(contacts.start[j]), int(contacts.start[j + 1]))
    first, slides, end = blocks.start, blocks.slides, blocks.start[1:]
    tangents = [np.arange(first[i], first[i] + slides[i]) for i in own]
    axes = [np.arange(first[i] + slides[i], end[i]) for i in own]
    none = np.zeros(0, dtype=np.int64)
    return np.concatenate([none, *tangents]), np.concatenate([none, *axes])


def split_friction(contacts: ContactGroups, j: int, block: Block) -> dict[str, np.ndarray]:
    """Return the rows of a block that belong to group j, by path in the tree."""
    if contacts.blocks.normals_only:
        return {}
    name, own = contacts.names[j], np.arange(int(contacts.start[j]), int(contacts.start[j + 1]))
    out = {f"/contacts/{name}/{what}": _picked(getattr(block, what), own) for what in _words_of(contacts, j)}
    out[f"/contacts/{name}/status"] = out[f"/contacts/{name}/status"].astype(np.int8)
    for columns, words in zip(_columns_of(contacts, j), (ALONG_TANGENTS, ABOUT_AXES), strict=True):
        if columns.size:
            out |= {
                f"/contacts/{name}/{what}": _picked(getattr(block, field), columns) for what, field in words.items()
            }
    return out


def _picked(values: np.ndarray, columns: IntArray) -> np.ndarray:
    return values[:, columns[0]] if columns.size == 1 else values[:, columns]


def law_arrays(blocks: Blocks) -> dict[str, np.ndarray]:
    """Return the recorded arrays of the contact laws; none without friction and cohesion."""
    if blocks.normals_only:
        return {}
    values = {f.name: np.asarray(getattr(blocks, f.name)) for f in fields(Blocks)}
    # other programs read numbers more easily than HDF5 booleans
    return {f"{LAWS}/{name}": x.astype(np.int8) if x.dtype == np.bool_ else x for name, x in values.items()}


def contact_words(contacts: ContactGroups, j: int) -> dict[str, int]:
    """Return the recorded friction quantities of group j, including magnitudes, with their number of columns."""
    found = {name.rpartition("/")[2]: int(np.prod(row.shape)) for name, row in friction_rows_of(contacts, j).items()}
    size = int(contacts.start[j + 1] - contacts.start[j])
    return found | (dict.fromkeys(MAGNITUDES, size) if "slip" in found else {})


def sizes_of(tree: Mapping[str, Any], name: str, rows: np.ndarray) -> np.ndarray:
    """Return the norms of the tangential quantities of a group of contacts, (n+1,) or (n+1, m).

    Parameters
    ----------
    tree : mapping
        Arrays of a result.
    name : str
        Of the group.
    rows : (n+1,) or (n+1, k) array
        ``slip`` or ``tangential_impulse``.
    """
    slides = own_law(tree, name, "slides")
    ends = np.concatenate([[0], np.cumsum(slides)])
    flat = rows.reshape(len(rows), -1)
    out = np.zeros((len(rows), slides.size))
    for i, (a, b) in enumerate(zip(ends[:-1], ends[1:], strict=True)):
        out[:, i] = np.sqrt(np.sum(flat[:, a:b] ** 2, axis=1))
    return out[:, 0] if slides.size == 1 else out


def own_law(tree: Mapping[str, Any], name: str, what: str) -> np.ndarray:
    """Return the parameters of the laws of a group of contacts, one row for each contact (fields of ``Blocks``)."""
    names = [known.decode() for known in tree["/layout/contacts"][()]]
    counts = [int(np.prod(tree[f"/contacts/{known}/gap"].shape[1:])) for known in names]
    first = sum(counts[: names.index(name)])
    return np.asarray(tree[f"{LAWS}/{what}"][first : first + counts[names.index(name)]])
