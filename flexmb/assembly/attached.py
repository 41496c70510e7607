"""Rigid bodies that a joint holds at a point nobody named: said where that is harmless, refused within a loop.

Such a body is held where the other end is. At the end of a chain that says no more than where the body is held. In a
closed loop of joints it changes a length of the mechanism, and a loop that is open at the start would pass for a closed
one.
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
"""Maximum number of joints with a note of their own."""


@dataclass(frozen=True)
class Attached:
    """A rigid body without a named point: the joint, the key and name of the body, where it is held, how far off, m."""

    where: str
    key: str
    body: str
    point: Array
    off: float

    @property
    def words(self) -> str:
        """Where the joint holds it."""
        at = ", ".join(f"{x:.6g}" for x in self.point)
        return (
            f"names no point of '{self.body}', so it holds it where the other end is, at ({at}), {self.off:.6g} m from "
            "its reference point"
        )


def attached_notes(attached: Sequence[Attached], joints: Iterable[object], project: bool = False) -> list[str]:
    """Return notes of bodies that were attached at the end of a chain: of the first few one each, of the rest one.

    Parameters
    ----------
    attached : sequence of Attached
    joints : iterable
        All joints; those that join bodies have ``a`` and ``b``.
    project : bool
        Whether the start is moved to the nearest consistent one; then loops are closed by that.

    Raises
    ------
    InputError
        When one was attached within a loop.
    """
    ends = {str(j.where): (_body(j.a), _body(j.b)) for j in joints if hasattr(j, "where") and hasattr(j, "a")}  # type: ignore[attr-defined]
    looped = set() if project else ends.keys() - _bridges(ends)
    notes = []
    for one in attached:
        if one.where in looped and one.off > ROUNDED * float(np.abs(one.point).max()):
            message = (
                f"the loop that this joint closes is open by {one.off:.6g} m: the joint {one.words}; name a point of "
                "the body, or say with point where it is held"
            )
            raise InputError(message, where=one.where, key=one.key, value=one.body)
        notes.append(f"{one.where} {one.words}; a named point would be checked")
    more = len(notes) - MOST_NOTES
    if more > 1:
        notes[MOST_NOTES:] = [
            f"{more} more joints, up to {attached[-1].where}, name no point of a body either, and hold it where the "
            "other end is"
        ]
    return notes


def _body(ref: object) -> str:
    return str(ref).partition(".")[0]


def _bridges(ends: Mapping[str, tuple[str, str]]) -> set[str]:
    """Return the joints that lie in no loop: the bridges of the graph of bodies, which may have parallel edges.

    A search in depth numbers the bodies as it meets them. ``low`` is the smallest number that is reached from a body
    and those found beyond it by one other joint; the joint that led to it is a bridge if that is not before the body.
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
