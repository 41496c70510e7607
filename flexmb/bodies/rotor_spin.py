"""The ``spin`` of a rotor: constant, ramp, table, or free."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from flexmb.bodies.spin_parts import Spin
from flexmb.errors import InputError
from flexmb.fem.checks import check_keys, choice, finite, located, nonnegative, positive
from flexmb.loads.speed_history import SpeedHistory
from flexmb.loads.time_functions import increasing, number_list, time_function
from flexmb.state import Array

SPINS: dict[str, dict[str, Any]] = {
    "constant": {"speed": ..., "phase": 0.0},
    "ramp": {"from": 0.0, "to": ..., "start": 0.0, "duration": ..., "phase": 0.0},
    "table": {"time": ..., "speed": ..., "phase": 0.0},
    "free": {"speed": 0.0, "phase": 0.0, "torque": None, "drag": 0.0, "characteristic": None},
}
"""Kinds of spin, and their keys with defaults; ``...`` where a key is needed."""


def read_spin(given: object, where: str) -> Spin:
    """Return the spin that a table describes; inertia and torsion are still to be filled in."""
    if not isinstance(given, Mapping):
        raise InputError('must be { kind = "constant", speed = .. }', where=where, value=given)
    if "kind" not in given:
        raise InputError(f"kind is missing; allowed: {', '.join(SPINS)}", where=where, value=dict(given))
    keys = SPINS[choice(given["kind"], "kind", where, tuple(SPINS))]
    check_keys(given, ["kind", *keys], [key for key, default in keys.items() if default is ...], where)
    values = keys | dict(given)
    phase = finite(values["phase"], "phase", where)
    if given["kind"] == "free":
        return _free(values, phase, where)
    with located(where):
        angle = _history(given["kind"], values, where)
    start = float(angle.rate(0.0))
    return Spin(angle, angle.constant, start, phase, 0.0, np.empty(0))


def _history(kind: str, values: Mapping[str, Any], where: str) -> SpeedHistory:
    phase = values["phase"]
    if kind == "constant":
        return SpeedHistory(time=[0.0], speed=[finite(values["speed"], "speed", where)], phase=phase)
    if kind == "table":
        return SpeedHistory(time=values["time"], speed=values["speed"], phase=phase, everywhere=False)
    start = finite(values["start"], "start", where)
    end = start + positive(values["duration"], "duration", where)
    speed = [finite(values[key], key, where) for key in ("from", "to")]
    return SpeedHistory(time=[start, end], speed=speed, phase=phase)


def _free(values: Mapping[str, Any], phase: float, where: str) -> Spin:
    speed = finite(values["speed"], "speed", where)
    torque = values["torque"]
    return Spin(
        angle=None,
        constant=False,
        speed=speed,
        phase=phase,
        inertia=0.0,
        torsion=np.empty(0),
        torque=None if torque is None else time_function(torque, f"{where}.torque"),
        drag=nonnegative(values["drag"], "drag", where),
        characteristic=_characteristic(values["characteristic"], f"{where}.characteristic"),
    )


def _characteristic(given: object, where: str) -> tuple[Array, Array] | None:
    """Return speeds and torques of a motor."""
    if given is None:
        return None
    if not isinstance(given, Mapping):
        raise InputError("must be { speed = [..], torque = [..] }", where=where, value=given)
    check_keys(given, ["speed", "torque"], ["speed", "torque"], where)
    speed, torque = (number_list(given[key], key, where) for key in ("speed", "torque"))
    if speed.size < 2:
        raise InputError("needs at least two speeds", where=where, key="speed", value=given["speed"])
    increasing(speed, "speed", where)
    if torque.size != speed.size:
        raise InputError(f"has {torque.size} entries where speed has {speed.size}", where=where, key="torque")
    return speed, torque
