"""Gravity against what bodies can feel of it: weight that no unknown answers to must not get lost silently."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from flexmb.checks.values import acceleration
from flexmb.state import Array


def acceleration_of(gravity: object, bodies: Iterable[object]) -> Array:
    """Return the acceleration of gravity, (3,), m/s^2.

    Raises
    ------
    InputError
        When a body bends in a plane that nobody chose, and gravity acts across it.
    """
    gravity_notes(gravity, bodies)
    return _vector(gravity)


def gravity_notes(gravity: object, bodies: Iterable[object]) -> tuple[str, ...]:
    """Return words for bodies that gravity has no effect on; a body that may be such a one has ``gravity_note``."""
    a = _vector(gravity)
    if not a.any():
        return ()
    found = [body.gravity_note(a) for body in bodies if hasattr(body, "gravity_note")]
    return tuple(words for words in found if words)


def _vector(gravity: object) -> Array:
    return np.zeros(3) if gravity is None else acceleration(gravity)
