"""Rigid bodies that a joint holds at a point nobody named: said where that is harmless, refused within a loop.

Such a body is held where the other end is. At the end of a chain that says no more than where the body is held. In a
closed loop of joints it changes a length of the mechanism, and a loop that is open at the start would pass for a closed
one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from flexmb.errors import InputError
from flexmb.state import Array


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


def attached_notes(attached: Iterable[Attached], joints: Iterable[object]) -> list[str]:
    """Return a note for each body that was attached at the end of a chain.

    Parameters
    ----------
    attached : iterable of Attached
    joints : iterable
        All joints; those that join bodies have ``a`` and ``b``.

    Raises
    ------
    InputError
        When one was attached within a loop.
    """
    ends = {str(j.where): (_body(j.a), _body(j.b)) for j in joints if hasattr(j, "where") and hasattr(j, "a")}  # type: ignore[attr-defined]
    notes = []
    for one in attached:
        if one.where in ends and _linked(*ends[one.where], [pair for w, pair in ends.items() if w != one.where]):
            message = (
                f"the loop that this joint closes is open by {one.off:.6g} m: the joint {one.words}; name a point of "
                "the body, or say with point where it is held"
            )
            raise InputError(message, where=one.where, key=one.key, value=one.body)
        notes.append(f"{one.where} {one.words}; a named point would be checked")
    return notes


def _body(ref: object) -> str:
    return str(ref).partition(".")[0]


def _linked(start: str, goal: str, pairs: list[tuple[str, str]]) -> bool:
    """Tell whether joints lead from one body to another."""
    reached, fresh = {start}, {start}
    while fresh:
        fresh = {y for pair in pairs for x, y in (pair, pair[::-1]) if x in fresh} - reached
        reached |= fresh
    return goal in reached
