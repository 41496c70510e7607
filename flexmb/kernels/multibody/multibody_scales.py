"""Reference values of corrections, rows and gaps: speeds and lengths of the motion, and their round-off."""

from __future__ import annotations

import math

from flexmb.kernels.compilation.jit import inner
from flexmb.kernels.geometry.split_sums import apart
from flexmb.kernels.geometry.tables import ANGLE, CLASSES, DOT, Unknowns
from flexmb.kernels.geometry.vectors import dot
from flexmb.kernels.multibody.machine import part
from flexmb.kernels.multibody.multibody import (
    CENTRED,
    CHANGE,
    D1,
    FASTEST,
    LENGTH,
    MODEL,
    PLACES,
    S0,
    S1,
    S2,
    S3,
    SPAN,
    TURNS,
    VT,
    H,
    V,
)
from flexmb.state import Array

ROUND_OFF = 64 * 2.2e-16
"""Round-off, of a distance over the size of the system, a turn, or a speed, that stiff forces answer to."""

FORCED, FORCED_AHEAD = 1e3, 10.0
"""Speeds that forces can cause, over those of the motion, that corrections may be compared with at most: what a force
on next to no mass can cause is no measure, and Newton's loop would end too early. The loop of CENTRED converges only
linearly in contact, since the normal at the end of the step turns, so its last correction has to be smaller."""


@inner
def largest(unknowns: Unknowns, s: Array) -> tuple[float, float]:
    """Return the largest of the non-negative s among places and among rotations; s is used up."""
    places, turns, turn_v = 0.0, 0.0, unknowns.turn_v
    for k in range(turn_v.size):
        if not s[turn_v[k]] <= turns:  # also catches nan
            turns = s[turn_v[k]]
        s[turn_v[k]] = 0.0
    for i in range(s.size):
        if not s[i] <= places:
            places = s[i]
    return places, turns


@inner
def _own_speed(at: int, i: int, v: float) -> float:
    """Return |v| of unknown i, less the velocity that all bodies in free flight share."""
    unknowns, drift = part(at, "system.unknowns"), part(at, "trial.drift")
    return float(unknowns.unit[i] * abs(v - drift[unknowns.flight[i]]))


@inner
def grow_speeds(at: int) -> None:
    """Raise the reference speeds of corrections at least to those of the trial."""
    vec, scale = part(at, "trial.vec"), part(at, "trial.scale")
    s = vec[S0]
    for i in range(s.size):
        s[i] = _own_speed(at, i, vec[VT, i])
    places, turns = largest(part(at, "system.unknowns"), s)
    # neither is nothing beside the other: a body that only turns moves its places by round-off
    scale[PLACES] = max(scale[PLACES], places, 1e-6 * scale[LENGTH] * turns, 1e-300)
    scale[TURNS] = max(scale[TURNS], turns, 1e-6 * places / scale[LENGTH], 1e-300)


@inner
def correction_size(at: int, x: Array) -> float:
    """Return the largest change of a velocity over the speeds of its kind."""
    s, scale, unit = part(at, "trial.vec")[S0], part(at, "trial.scale"), part(at, "system.unknowns.unit")
    for i in range(s.size):
        s[i] = unit[i] * abs(x[i])
    places, turns = largest(part(at, "system.unknowns"), s)
    a, b = places / scale[PLACES], turns / scale[TURNS]
    return a if not a <= b else b


@inner
def is_round_off(at: int, x: Array, tolerance: float) -> bool:
    """Tell whether changes x of velocities are what round-off, answered by stiff forces, can cause.

    It is that of distances between places, of turns, and of the speeds in space. A distance that joints hold turns a
    body by so much over its radius.
    """
    s, scale, d1 = part(at, "trial.vec")[S0], part(at, "trial.scale"), part(at, "step")[D1]
    unknowns = part(at, "system.unknowns")
    for k in range(unknowns.turn_v.size):
        noise = 1.0 / d1 + (scale[SPAN] / d1 + scale[FASTEST]) / unknowns.radius[k]
        if not abs(x[unknowns.turn_v[k]]) <= tolerance * scale[TURNS] + ROUND_OFF * noise:
            return False
    for i in range(s.size):
        s[i] = unknowns.unit[i] * abs(x[i])
    places, change = largest(unknowns, s)[0], part(at, "trial.report")[CHANGE] * scale[PLACES]
    places = max(places, change)
    return bool(places <= tolerance * scale[PLACES] + ROUND_OFF * (scale[LENGTH] / d1 + scale[FASTEST]))


@inner
def measure_length(at: int) -> None:
    """Write the lengths that joints and gaps are compared with: of the model, or between the places they compare."""
    scale, rows, state = part(at, "trial.scale"), part(at, "system.rows"), part(at, "point.markers")
    nj, far, span = part(at, "system.joints"), 0.0, 0.0
    for r in range(nj + part(at, "system.contacts")):
        if rows.kind[r] != DOT and rows.kind[r] != ANGLE:
            d = apart(state, rows.marker[rows.ptr[r]], rows.marker[rows.ptr[r] + 1])
            far = max(far, dot(d, d))
            if r < nj:
                span = far
    scale[SPAN] = math.sqrt(span)
    scale[LENGTH] = max(scale[MODEL], math.sqrt(far))
    if not scale[LENGTH] > 0.0:  # nothing has a length but the way it goes
        scale[LENGTH] = max(part(at, "step")[H] * scale[FASTEST], 1e-300)


@inner
def measure_drift(at: int) -> None:
    """Write the mean velocities of the bodies in free flight at the start of the step, and the largest speed."""
    unknowns, drift, vec = part(at, "system.unknowns"), part(at, "trial.drift"), part(at, "trial.vec")
    v, s = part(at, "motion.vec")[V], vec[S0]
    for k in range(drift.size):
        drift[k] = 0.0
    for i in range(s.size):
        drift[unknowns.flight[i]] += unknowns.share[unknowns.flight[i]] * v[i]
        s[i] = unknowns.unit[i] * max(abs(v[i]), abs(vec[VT, i]))
    part(at, "trial.scale")[FASTEST] = largest(unknowns, s)[0]


@inner
def measure_speeds(at: int) -> None:
    """Write the speeds that corrections are compared with: those of the motion and those the forces can cause.

    The latter are at most FORCED times the speeds of the motion, or those of the largest mass under the largest force.
    Velocities that bodies in free flight share are no measure, but their round-off is allowed for.
    """
    motion, vec, F, M = part(at, "motion"), part(at, "trial.vec"), part(at, "point.F"), part(at, "system.linear.M")
    scale, h, unknowns = part(at, "trial.scale"), part(at, "step")[H], part(at, "system.unknowns")
    measure_drift(at)
    measure_length(at)
    most = FORCED_AHEAD if part(at, "numbers.form") == CENTRED else FORCED
    for i in range(vec.shape[1]):
        mass, force, unit = 0.0, 0.0, unknowns.unit[i]
        for j in range(M.ptr[i], M.ptr[i + 1]):
            if M.col[j] == i:
                mass = M.val[j]
                break
        for c in range(CLASSES):
            force += abs(F[c, i])
        vec[S0, i] = max(_own_speed(at, i, vec[VT, i]), _own_speed(at, i, motion.vec[V, i]))
        vec[S1, i] = unit * h * force / mass if mass > 0.0 else 0.0
        vec[S2, i], vec[S3, i] = mass / (unit * unit), force / unit
    places, turns = largest(unknowns, vec[S0])
    forced, forced_turns = largest(unknowns, vec[S1])
    heaviest, inertia = largest(unknowns, vec[S2])
    strongest, torque = largest(unknowns, vec[S3])
    if heaviest > 0.0:
        forced = min(forced, most * max(places, h * strongest / heaviest))
    if inertia > 0.0:
        forced_turns = min(forced_turns, most * max(turns, h * torque / inertia))
    noise = ROUND_OFF / part(at, "numbers.tolerance") * scale[FASTEST]
    scale[PLACES] = max(places, forced, noise)
    scale[TURNS] = max(turns, forced_turns, noise / scale[LENGTH])
    grow_speeds(at)
