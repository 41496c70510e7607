"""One contact of a group, presented as if it had been recorded separately."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from flexmb.record.io.friction_rows import ABOUT_AXES, ALONG_TANGENTS, LAWS, own_law

OF_CONTACTS = ("slides", "turns", "spins", "friction")
"""Fields of ``Blocks`` with one row per contact that are read from results."""


def one_contact(tree: Mapping[str, Any], group: str, k: int) -> dict[str, Any]:
    """Return the arrays of contact k of a group under ``/contacts/GROUP[k]``, with times, steps and its law.

    Raises
    ------
    KeyError
        If there is no such contact; it lists the existing ones.
    """
    count = int(np.prod(tree[f"/contacts/{group}/gap"].shape[1:]))
    name = f"{group}[{k}]"
    if not 0 <= k < count:
        there = f"those of '{group}' are numbered from 0 to {count - 1}"
        raise KeyError(f"there is no contact '{name}': {there if count > 1 else f'{group!r} is a single contact'}")
    out: dict[str, Any] = {path: tree[path] for path in ("/time", "/step")}
    out["/layout/contacts"] = np.array([name.encode()])
    beside = dict.fromkeys(ALONG_TANGENTS, ("slides",)) | dict.fromkeys(ABOUT_AXES, ("turns", "spins"))
    for path in tree:
        if path.startswith(f"/contacts/{group}/"):
            word = path.rpartition("/")[2]
            values = np.asarray(tree[path][()])
            columns = slice(k, k + 1)
            if word in beside:
                rows = np.sum([own_law(tree, group, what) for what in beside[word]], axis=0, dtype=np.int64)
                ends = np.concatenate([[0], np.cumsum(rows)])
                columns = slice(int(ends[k]), int(ends[k + 1]))
            own = values.reshape(len(values), -1)[:, columns]
            out[f"/contacts/{name}/{word}"] = own[:, 0] if own.shape[1] == 1 else own
    for what in OF_CONTACTS:
        if f"{LAWS}/{what}" in tree:
            out[f"{LAWS}/{what}"] = own_law(tree, group, what)[k : k + 1]
    return out
