"""Rigid bodies held by a joint at an unnamed point: noted if harmless, refused within a loop.

Such a body is held at the position of the other end. At the end of a chain this only defines the point of the body. In
a closed loop of joints it changes a length of the mechanism, and a loop that is open at the start would be accepted as
closed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from flexmb.errors import InputError
from flexmb.state import Array

ROUNDED = 1e-6
"""Distance of a joint from the reference point of a body, over the coordinates, that is attributed to rounded data."""
MOST_NOTES = 5
"""Maximum number of joints with individual notes."""


@dataclass(frozen=True)
class Attached:
    """A rigid body without a named point: the joint, key and name of the body, the point, its distance, m."""

    where: str
    key: str
    body: str
    point: Array
    off: float

    @property
    def words(self) -> str:
        """Description of the point at which the joint acts."""
        at = ", ".join(f"{x:.6g}" for x in self.point)
        return (
            f"names no point of '{self.body}', which is attached at the position of the other end, ({at}), "
            f"{self.off:.6g} m from its reference point"
        )


def attached_notes(attached: Sequence[Attached], joints: Iterable[object], project: bool = False) -> list[str]:
    """Return notes on bodies attached at the end of a chain: individual ones for the first few, one for the rest.

    Parameters
    ----------
    attached : sequence of Attached
    joints : iterable
        All joints; those that connect bodies have ``a`` and ``b``.
    project : bool
        Whether the initial state is projected to the nearest consistent one, which closes loops.

    Raises
    ------
    InputError
        If a body was attached within a loop.
    """
    ends = {str(j.where): (_body(j.a), _body(j.b)) for j in joints if hasattr(j, "where") and hasattr(j, "a")}  # type: ignore[attr-defined]
    looped = set() if project else ends.keys() - _bridges(ends)
    notes = []
    for one in attached:
        if one.where in looped and one.off > ROUNDED * float(np.abs(one.point).max()):
            message = (
                f"the loop that this joint closes is open by {one.off:.6g} m: the joint {one.words}; name a point of "
                "the body, or give the position of the joint as point"
            )
            raise InputError(message, where=one.where, key=one.key, value=one.body)
        notes.append(f"{one.where} {one.words}; a named point would be checked")
    more = len(notes) - MOST_NOTES
    if more > 1:
        notes[MOST_NOTES:] = [
            f"{more} more joints, up to {attached[-1].where}, name no point of a body either, which is attached at the "
            "position of the other end"
        ]
    return notes


def _body(ref: object) -> str:
    return str(ref).partition(".")[0]


def _bridges(ends: Mapping[str, tuple[str, str]]) -> set[str]:
    """Return the joints outside of loops: the bridges of the graph of bodies, which may have parallel edges.

    A depth-first search numbers the bodies. ``low`` is the smallest number that is reached from a body and its
    descendants by one other joint; the joint that led to it is a bridge if that is not before the body.
    """
    beside: dict[str, list[tuple[str, str]]] = {}
    for joint, (a, b) in ends.items():
        beside.setdefault(a, []).append((joint, b))
        beside.setdefault(b, []).append((joint, a))
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    found: set[str] = set()
    for root in beside:
        if root in number:
            continue
        number[root] = low[root] = len(number)
        path = [(root, "", iter(beside[root]))]
        while path:
            body, came_by, others = path[-1]
            for joint, other in others:
                if other not in number:
                    number[other] = low[other] = len(number)
                    path.append((other, joint, iter(beside[other])))
                    break
                if joint != came_by:
                    low[body] = min(low[body], number[other])
            else:
                path.pop()
                if path:
                    before = path[-1][0]
                    low[before] = min(low[before], low[body])
                    if low[body] > number[before]:
                        found.add(came_by)
    return found
