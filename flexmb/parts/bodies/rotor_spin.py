"""The ``spin`` of a rotor: constant, ramp, table, or free."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from flexmb.checks.values import check_keys, choice, finite, located, nonnegative, positive
from flexmb.errors import InputError
from flexmb.parts.bodies.spin_parts import Spin
from flexmb.parts.speed_history import SpeedHistory, SpeedRange
from flexmb.parts.time_functions import increasing, number_list, time_function
from flexmb.state import Array

SPINS: dict[str, dict[str, Any]] = {
    "constant": {"speed": ..., "phase": 0.0},
    "ramp": {"from": 0.0, "to": ..., "start": 0.0, "duration": ..., "phase": 0.0},
    "table": {"time": ..., "speed": ..., "phase": 0.0},
    "free": {"speed": 0.0, "phase": 0.0, "torque": None, "drag": 0.0, "characteristic": None},
}
"""Kinds of spin, and their keys with defaults; ``...`` where a key is required."""


def read_spin(given: object, tables: Sequence[SpeedRange], where: str) -> Spin:
    """Return the spin of a table; inertia and torsion are filled in later.

    Speeds must stay within the ``tables`` of bearings: those known now are checked now, others when a run is.
    """
    if not isinstance(given, Mapping):
        raise InputError('must be { kind = "constant", speed = .. }', where=where, value=given)
    if "kind" not in given:
        raise InputError(f"kind is missing; allowed: {', '.join(SPINS)}", where=where, value=dict(given))
    keys = SPINS[choice(given["kind"], "kind", where, tuple(SPINS))]
    check_keys(given, ["kind", *keys], [key for key, default in keys.items() if default is ...], where)
    values = keys | dict(given)
    phase = finite(values["phase"], "phase", where)
    if given["kind"] == "free":
        spin = _free(values, phase, where)
    else:
        with located(where):
            angle = _history(given["kind"], values, tables, where)
        # a table has an end, which only the equations of large motion check
        spin = Spin(angle, angle.constant and angle.everywhere, float(angle.rate(0.0)), phase, 0.0, np.empty(0))
    if spin.free or spin.constant:
        for table in tables:
            table.check(spin.speed, spin.speed, where)
    return spin


def _history(kind: str, values: Mapping[str, Any], tables: Sequence[SpeedRange], where: str) -> SpeedHistory:
    phase = values["phase"]
    if kind == "constant":
        return SpeedHistory(time=[0.0], speed=[finite(values["speed"], "speed", where)], phase=phase, tables=tables)
    if kind == "table":
        time, speed = values["time"], values["speed"]
        return SpeedHistory(time=time, speed=speed, phase=phase, everywhere=False, tables=tables)
    start = finite(values["start"], "start", where)
    end = start + positive(values["duration"], "duration", where)
    speed = [finite(values[key], key, where) for key in ("from", "to")]
    return SpeedHistory(time=[start, end], speed=speed, phase=phase, tables=tables)


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
