"""``Exact``: curves over time under the names of recorded signals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from flexmb.errors import InputError
from flexmb.state import Array

Curve = Callable[[Array], Array]


@dataclass(frozen=True)
class Exact:
    """A solution known in closed form.

    Parameters
    ----------
    name : str
        Of the solution.
    source : str
        Where it is derived.
    curves : mapping of str to callable
        Functions of time (n,), s, under the names of signals: ``rod.first.position.x``, ``contacts.wall.force``, ...
        At a jump they take the value after it.
    breaks : (k,) array
        Times at which a curve has a corner or a jump, s, ascending.
    end : float
        End of the computed impacts, s; InputError if a curve is evaluated later.
    given : mapping of str to callable
        Accumulated impulse of each contact, by its name, N s; not a signal, since runs record impulses per
        sample.
    """

    name: str
    source: str
    curves: Mapping[str, Curve]
    breaks: Array
    end: float
    given: Mapping[str, Curve]

    def __post_init__(self) -> None:
        for name in ("curves", "given"):
            until = {key: _until(curve, self.end) for key, curve in getattr(self, name).items()}
            object.__setattr__(self, name, until)


def _until(curve: Curve, end: float) -> Curve:
    """Return a curve that is limited to its end time."""

    def inside(t: Array) -> Array:
        latest = float(np.max(t, initial=-np.inf))
        if latest > end:
            raise InputError(f"the exact solution was computed up to {end:.6g} s only", key="time", value=latest)
        return curve(t)

    return inside


def along(name: str, start: Array, normal: Array, position: Curve, velocity: Curve) -> dict[str, Curve]:
    """Return the curves of a point's position and velocity, component by component.

    Parameters
    ----------
    name : str
        Of the point, as in signals.
    start : (3,) array
        Initial position, m.
    normal : (3,) array
        Unit vector along which it moves.
    position, velocity : callable
        Its displacement (m) and speed (m/s) along ``normal`` since the start.
    """
    out: dict[str, Curve] = {}
    for axis, x, n in zip("xyz", start, normal, strict=True):
        if n:
            out[f"{name}.position.{axis}"] = lambda t, x=x, n=n: x + n * position(t)  # type: ignore[misc]
            out[f"{name}.velocity.{axis}"] = lambda t, n=n: n * velocity(t)  # type: ignore[misc]
    return out
