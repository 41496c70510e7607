"""Starting a run from a stored state of another one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from flexmb.errors import InputError
from flexmb.record.result import Result
from flexmb.state import Array
from flexmb.system.linear_system import LinearSystem
from flexmb.system.multibody_system import MultibodySystem

Start = Result | tuple[Result, float]
FITTING = 1e-2
"""Tolerated constraint errors of joints in a state, relative to the size of the system; larger ones indicate another
model. Schemes at velocity level let joints drift."""


def kept_state(start_from: Start) -> tuple[float, Array, Array]:
    """Return time, coordinates and velocities of the last stored state of a result, or of the one at a time."""
    result, at = start_from if isinstance(start_from, tuple) and len(start_from) == 2 else (start_from, None)
    if not isinstance(result, Result):
        raise InputError("must be a result, or a result and a time", key="start_from", value=start_from)
    times = result.fields.times
    k = len(times) - 1
    if at is not None:
        k = int(np.argmin(np.abs(times - float(at))))
        if abs(times[k] - at) > 1e-9 * max(1.0, abs(times[-1])):
            message = (
                f"no state is stored there; the nearest is at {float(times[k])!r} s (fields_every stores more of them)"
            )
            raise InputError(message, key="start_from", value=at)
    fields = result.fields
    return float(times[k]), np.array(fields.q[k]), np.array(fields.v[k])


def started_from(
    system: LinearSystem | MultibodySystem, t: float, q: Array, v: Array
) -> LinearSystem | MultibodySystem:
    """Return a system that starts in a state; InputError if the state does not belong to it."""
    for what, found, own in (("coordinates", q.size, system.nq), ("velocities", v.size, system.nv)):
        if found != own:
            message = f"the result has {found} {what}, the model {own}: it is of another model"
            raise InputError(message, key="start_from")
    if not isinstance(system, MultibodySystem):
        return replace(system, q0=q, v0=v)
    if system.spheres:
        raise InputError("cannot be used with contacts of kind 'spheres'", key="start_from")
    moved = replace(system, q0=q, v0=v, rest=None)
    g = np.abs(np.asarray(moved.g(t, q))[: moved.nj])
    allowed = moved.row_scale(FITTING * moved.size, FITTING)[: moved.nj]
    if np.any(g > allowed):
        row = int(np.argmax(g / allowed))
        name = moved.joints.names[int(np.searchsorted(moved.joints.start, row, side="right")) - 1]
        message = (
            f"joint '{name}' is off by {g[row]:.3g} in this state at t = {t:g} s: it belongs to another model, or to "
            f"a drive that has rotated by more than half a revolution"
        )
        raise InputError(message, key="start_from")
    return moved
