"""Note on contacts whose friction never acted: the point that touches cannot slide in the model."""

from __future__ import annotations

import numpy as np

from flexmb.record.io.structure import Tree
from flexmb.record.samples import RunInfo

BLOCK = 1 << 16
"""Rows read at a time."""


def idle_notes(tree: Tree, run: RunInfo) -> list[str]:
    """Return the note on contacts with friction that were closed without any slip or tangential impulse.

    Both are exactly zero where the unknowns that would make the point slide are never excited: in small motion a point
    on the axis of a beam does not move along the axis when the beam bends (docs/friction.md). Friction of joints is not
    examined.
    """
    contacts, joints = run.system.contacts, run.system.joints
    rough = (contacts.blocks.friction != 0.0).any(axis=1)
    of_joints = set() if joints is None else {f"{name}_friction" for name in joints.names}
    idle = [
        name
        for j, name in enumerate(contacts.names)
        if name not in of_joints
        and rough[contacts.start[j] : contacts.start[j + 1]].any()
        and _some(tree, name, "impulse")
        and not _some(tree, name, "tangential_impulse")
        and not _some(tree, name, "slip")
    ]
    if not idle:
        return []
    why = "" if joints is not None else "; in small motion a point on the axis of a beam does not slide when it bends"
    named = ", ".join(f"contacts.{name}" for name in idle)
    return [
        f"{named}: friction never acted: closed, but slip and friction force are exactly zero{why} (docs/friction.md)"
    ]


def _some(tree: Tree, name: str, word: str) -> bool:
    """Return whether any recorded value is not zero; False without such a dataset."""
    path = f"/contacts/{name}/{word}"
    if path not in tree:
        return False
    stored = tree[path]
    return any(bool(np.any(stored[k : k + BLOCK])) for k in range(0, stored.shape[0], BLOCK))
