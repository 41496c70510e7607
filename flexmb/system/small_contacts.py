"""The contacts of a model in small motion as one set of rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from flexmb.assembly.kinematics import Kinematics
from flexmb.linalg.sparse_blocks import side_by_side
from flexmb.parts.contacts.contact_rows import ContactRows
from flexmb.state import Array, IntArray, TimeFunction
from flexmb.system.contact_blocks import Blocks
from flexmb.system.linear_contacts import Contacts
from flexmb.system.start_inside import starts_inside

PENETRATION = 1e-12
"""Initial penetration, over the size of the model, that still counts as touching."""
ROUNDED = 1e-3
"""Initial penetration, over the size of the model, that rounded data may have."""


def contacts_of(
    groups: Mapping[str, ContactRows], nodes: Kinematics, q0: Array, t0: float, inside: float = 0.0
) -> Contacts:
    """Return all contacts as arrays; raise InputError for one that starts deeper than ``inside`` and round-off."""
    rows = list(groups.values())
    counts = [r.g0.size for r in rows]
    motions: list[TimeFunction] = [r.motion for r in rows if r.motion is not None]
    motion_of: list[IntArray] = []
    used = 0
    for r in rows:
        motion_of.append(np.full(r.g0.size, -1 if r.motion is None else used, dtype=np.int64))
        used += r.motion is not None
    points = np.concatenate([np.empty(0, dtype=np.int64), *(r.points for r in rows)])
    others = np.repeat(np.array([r.other for r in rows], dtype=np.int64), np.array(counts, dtype=np.int64))
    contacts = Contacts(
        names=tuple(groups),
        start=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        labels=tuple(label for r in rows for label in r.labels),
        g0=np.concatenate([np.empty(0), *(r.g0 for r in rows)]),
        G=side_by_side(nodes.nv, [r.G for r in rows]),
        e=np.repeat(np.array([r.law.e for r in rows]), np.array(counts, dtype=np.int64)),
        motions=tuple(motions),
        motion_of=np.concatenate([np.empty(0, dtype=np.int64), *motion_of]),
        motion_coef=np.repeat(np.array([r.motion_coef for r in rows]), np.array(counts, dtype=np.int64)),
        points=np.column_stack([points, others]),
        **_beside(rows, motion_of, nodes.nv),
    )
    _check_penetration(contacts, points, nodes, q0, t0, inside)
    # a gap of round-off size at the start (0.1 + 0.2 on a plane at 0.3) is treated as zero
    g = contacts.g(t0, q0)
    touching = np.abs(g) <= PENETRATION * _size(contacts, nodes)
    return replace(contacts, g0=np.where(touching, contacts.g0 - g, contacts.g0))


def _beside(rows: list[ContactRows], motion_of: list[IntArray], nv: int) -> dict[str, Any]:
    """Return the rows beside the normals in the form of ``Contacts``; none if there are none."""
    if all(r.law.normals_only for r in rows):
        return {}
    there = [(r, of) for r, of in zip(rows, motion_of, strict=True) if r.beside is not None]
    blocks = Blocks.of([r.law for r in rows], [(r.g0.size, r.beside) for r in rows])
    none = np.empty(0)
    return {
        "blocks": blocks,
        "H": side_by_side(nv, [r.beside.H for r, _ in there if r.beside is not None]),
        "slide_of": np.concatenate(
            [none.astype(np.int64), *(np.full(r.slide_coef.size, of[0], dtype=np.int64) for r, of in there)]
        ),
        "slide_coef": np.concatenate([none, *(r.slide_coef for r, _ in there)]),
        "drift": np.concatenate([none, *(r.drift for r, _ in there)]),
    }


def _size(contacts: Contacts, nodes: Kinematics) -> float:
    """Return a reference length for gaps, m."""
    return max(float(np.abs(nodes.points).max()), float(np.abs(contacts.g0).max(initial=0.0)))


def _check_penetration(
    contacts: Contacts, points: IntArray, nodes: Kinematics, q0: Array, t0: float, inside: float
) -> None:
    """Raise for the contact that is deepest inside at the start."""
    if not contacts.nc:
        return
    g = contacts.g(t0, q0)
    worst = int(np.argmin(g))
    if g[worst] >= -max(PENETRATION * _size(contacts, nodes), inside):
        return
    i = int(points[worst])
    x = nodes.points[i] + nodes.displacement[3 * i : 3 * i + 3] @ q0
    group = contacts.names[int(np.searchsorted(contacts.start, worst, side="right")) - 1]
    at_rest = float(contacts.g(t0, np.zeros_like(q0))[worst]) if q0.any() else -np.inf
    place = f", node {nodes.labels([i])[0]} at ({x[0]:.6g}, {x[1]:.6g}, {x[2]:.6g})"
    rounded = -float(g[worst]) <= ROUNDED * _size(contacts, nodes)
    more = f"; [initial] penetration = {-1.01 * g[worst]:.3g} admits it" if rounded else ""
    raise starts_inside(contacts.labels[worst], float(g[worst]), at_rest, group, place, more)
