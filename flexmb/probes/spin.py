"""Spin of rotors: speed and angle, given or free."""

from __future__ import annotations

from collections.abc import Callable

from flexmb.assembly.places import SpinInfo
from flexmb.state import Array

SPIN_QUANTITIES = ("spin_speed", "spin_angle")
"""What can be looked at in a body that spins."""


def spin_quantity(quantity: str, spin: SpinInfo) -> Callable[[Array, Array, Array], Array]:
    """Return the function (t, q, v) -> speed (rad/s) or angle (rad), (k,)."""
    speed, given = quantity == "spin_speed", spin.angle
    if given is not None:
        return lambda t, q, v: given.rate(t) if speed else given.value(t)
    return lambda t, q, v: v[:, spin.iv] if speed else q[:, spin.iq]
