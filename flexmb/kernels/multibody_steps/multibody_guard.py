"""Whether a step may be accepted: its scheme has not made energy out of nothing, and its balance closes.

Both see a step whose terms are written (``multibody_ledger``) and whose end is not yet the state of the motion.
"""

from __future__ import annotations

from flexmb.kernels.compilation.jit import inner
from flexmb.kernels.laws.friction_record import ROLLING, SLIDING
from flexmb.kernels.multibody.machine import part
from flexmb.kernels.multibody.multibody import B_, INCREMENT, KINETIC, LEFT, LENGTH, LOWEST, POTENTIAL, S1, WORK, H
from flexmb.kernels.multibody.multibody_scales import ROUND_OFF, largest
from flexmb.kernels.small_motion.ledger import T_CROSS, T_DAMPING, T_DRIVE, T_EXTERNAL, T_NUMERICAL, T_PROJECTION
from flexmb.state import Array

GAIN, GAIN_OF_WORK, GAIN_OF_STORED = 1.0, 3.0, 0.02
"""Energy that the scheme may add in a step: over the kinetic energy and what the potential gives; over the works, since
a drive phi ~ t^p makes p/2 - 1 times its work in the first step from rest; over the energy that is stored, of which
stiff vibrations gain far less in single steps."""

CLOSES = 1e-6
"""What a step may leave over of its energies and works. Newton's loop leaves less than 1e-9 when it has converged."""

STILL = 1e-9
"""Motion of a step, over the size of the system or in rad, that is none."""


@inner
def _barely_moves(at: int) -> bool:
    """Return whether nothing moves by more than round-off may: then energies are round-off, too."""
    vec, scale, unknowns = part(at, "trial.vec"), part(at, "trial.scale"), part(at, "system.unknowns")
    s, drift, h = vec[S1], part(at, "trial.drift"), part(at, "step")[H]
    for i in range(s.size):  # less the way that all bodies in free flight share
        s[i] = unknowns.unit[i] * abs(vec[INCREMENT, i] - h * drift[unknowns.flight[i]])
    places, turns = largest(unknowns, s)
    return bool(places <= STILL * scale[LENGTH] and turns <= STILL)


@inner
def out_of_nothing(at: int, gain: float, kinetic: float, before: float, potential: float) -> bool:
    """Return whether the scheme's gain is far more than the step can move: then it has found a spurious root.

    That is the kinetic energy before, what the potential gives, and all works. Stiff parts whose vibration the step
    does not resolve may gain a little of what they store, at most what lies above the lowest potential so far.
    """
    motion, terms = part(at, "motion"), part(at, "motion.terms")
    energy, stored = kinetic + max(0.0, before - potential), before - motion.numbers[LOWEST]
    works = abs(terms[T_EXTERNAL]) + abs(terms[T_DAMPING]) + abs(terms[T_DRIVE]) + abs(terms[T_CROSS])
    works += abs(terms[T_PROJECTION])
    for i in range(motion.contact.shape[1]):
        works += abs(motion.contact[WORK, i])
    for i in range(motion.laws.shape[1]):
        works += abs(motion.laws[SLIDING, i]) + abs(motion.laws[ROLLING, i])
    limit = max(GAIN * energy + GAIN_OF_WORK * works, GAIN_OF_STORED * stored)
    # written so that a gain that is no number is refused, too
    return not (gain <= limit or _barely_moves(at))


@inner
def _works(at: int) -> tuple[float, float]:
    """Return the sum of all terms of the step, and that of their sizes."""
    terms, contact = part(at, "motion.terms"), part(at, "motion.contact")
    total, size = 0.0, 0.0
    for term in (T_EXTERNAL, T_DRIVE, T_DAMPING, T_NUMERICAL, T_PROJECTION, T_CROSS):
        total += terms[term]
        size += abs(terms[term])
    for i in range(contact.shape[1]):
        total += contact[WORK, i]
        size += abs(contact[WORK, i])
    laws = part(at, "motion.laws")
    for i in range(laws.shape[1]):
        total += laws[SLIDING, i] + laws[ROLLING, i]
        size += abs(laws[SLIDING, i]) + abs(laws[ROLLING, i])
    return total, size


@inner
def _stiff_noise(at: int, v: Array) -> float:
    """Return the work on the mean velocity v (in axes) of what the round-off of positions does to stiff forces."""
    sym, D, unknowns, s = part(at, "sym"), part(at, "mats.D"), part(at, "system.unknowns"), part(at, "trial.big")[B_]
    for i in range(v.size):
        s[i] = ROUND_OFF * part(at, "trial.scale")[LENGTH] / unknowns.unit[i]
    for k in range(unknowns.turn_v.size):
        s[unknowns.turn_v[k]] = ROUND_OFF
    noise = 0.0
    for i in range(sym.perm.size):
        row = sym.perm[i]
        if row < v.size:
            for k in range(sym.ptr[i], sym.ptr[i + 1]):
                j = sym.perm[sym.col[k]]
                if j < v.size:
                    noise += abs(v[row] * D[k]) * s[j]
    return noise


@inner
def not_closed(at: int, kinetic: float, potential: float, v: Array) -> bool:
    """Return whether the balance of the step stays open: then it is no solution of its equations.

    What is left over is the power of what Newton's loop left of the momentum equation; it goes to ``report[LEFT]``.
    ``v`` is the mean velocity in the axes.
    """
    numbers, report = part(at, "motion.numbers"), part(at, "trial.report")
    works, size = _works(at)
    given, stored = kinetic - numbers[KINETIC], potential - numbers[POTENTIAL]
    report[LEFT] = given + stored - works
    size += abs(kinetic) + abs(numbers[KINETIC]) + abs(stored)
    digits = ROUND_OFF * (abs(potential) + abs(numbers[POTENTIAL]))
    # written so that what is no number is refused, too
    if abs(report[LEFT]) <= CLOSES * size + digits:
        return False
    return not (abs(report[LEFT]) <= CLOSES * size + digits + _stiff_noise(at, v) or _barely_moves(at))
