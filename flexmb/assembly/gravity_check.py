"""Check that gravity acts on unknowns of the bodies: weight without a matching unknown must not be lost silently."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np

from flexmb.checks.values import acceleration
from flexmb.state import Array


def acceleration_of(gravity: object, bodies: Iterable[object]) -> Array:
    """Return the acceleration of gravity, (3,), m/s^2.

    Raises
    ------
    InputError
        If a body bends in a default plane, and gravity acts normal to it.
    """
    gravity_notes(gravity, bodies)
    return _vector(gravity)


def gravity_notes(gravity: object, bodies: Iterable[object]) -> tuple[str, ...]:
    """Return notes on bodies without an effect of gravity; such bodies may have a ``gravity_note``."""
    a = _vector(gravity)
    if not a.any():
        return ()
    found = [body.gravity_note(a) for body in bodies if hasattr(body, "gravity_note")]
    return tuple(words for words in found if words)


def body_notes(gravity: object, bodies: Collection[object]) -> tuple[str, ...]:
    """Return the notes of bodies on themselves (``notes``), and on gravity without an effect."""
    own = (words for body in bodies for words in getattr(body, "notes", ()))
    return (*own, *gravity_notes(gravity, bodies))


def _vector(gravity: object) -> Array:
    return np.zeros(3) if gravity is None else acceleration(gravity)
