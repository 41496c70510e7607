"""The ledger: works added up, extremes kept. Used by the compiled loop and by the readable one alike."""

from __future__ import annotations

import numpy as np

from flexmb.kernels.compilation.jit import kernel
from flexmb.kernels.laws.friction_record import COHESION as COHESION_ROW
from flexmb.kernels.laws.friction_record import FALLING, SLIDING
from flexmb.kernels.laws.friction_record import ROLLING as ROLLING_ROW
from flexmb.state import Array

EXTERNAL, DAMPING, CONTACT, NUMERICAL = 0, 1, 2, 3
START, MIN_GAP, MIN_GAP_TIME = 4, 5, 6
GAIN_STEPS, GAIN_MAX, GAIN_TIME = 7, 8, 9
RESIDUAL_MAX, ENERGY_MAX, SCALE = 10, 11, 12
CONTACT_STEPS, ITERATIONS, PROJECTION = 13, 14, 15
DRIVE, CROSS = 16, 17
FRICTION, ROLLING, COHESION = 18, 19, 20
FRICTION_GAIN_STEPS, FRICTION_GAIN_MAX, FRICTION_GAIN_TIME, FRICTION_GAIN_CONTACT = 21, 22, 23, 24
GAIN_CONTACT = 25
PROJECTED, CLOSED = 26, 27
CONTACT_RESIDUAL = 28
FALLING_MAX, FALLING_TIME, FALLING_CONTACT = 29, 30, 31
SPIN = 32
LEDGER_SIZE = 33
"""Places in the ledger. FRICTION is the work of all impulses beside the normal ones, ROLLING and COHESION are parts of
it. SPIN is the part of DRIVE that acts through the forces of spins. Gains are those of single steps: how many there
were, the largest one, its time, and the contact that had most of it (-1 for none). PROJECTED and CLOSED are the works
of projections and closings of runs with located events.
CONTACT_RESIDUAL is the largest residual of the contact problems with friction that were accepted in large motion.
FALLING_MAX is the largest of ``W_TT P_N |mu'|`` (``friction_record.FALLING``) of contacts that slipped, with its time
and contact."""
COLUMNS = 15
"""Number of energy columns of a sample."""

T_EXTERNAL, T_DRIVE, T_DAMPING, T_NUMERICAL, T_PROJECTION, T_ITERATIONS, T_CROSS = 0, 1, 2, 3, 4, 5, 6
T_PROJECTED, T_CLOSED, T_RESIDUAL, T_SPIN = 7, 8, 9, 10
TERMS_SIZE = 11
"""Places in ``Live.terms``, the report of one step. T_RESIDUAL is that of its contact problem, where it is kept; T_SPIN
is the part of T_DRIVE that forces of spins do."""

GAIN_TOLERANCE = 1e-9
"""A contact gains energy when its work exceeds this fraction of P^2 W_ii, the energy its impulse can move."""


def empty_ledger() -> Array:
    """Return an empty ledger."""
    ledger = np.zeros(LEDGER_SIZE)
    ledger[MIN_GAP] = np.inf
    ledger[MIN_GAP_TIME] = np.nan
    ledger[GAIN_TIME] = np.nan
    ledger[ENERGY_MAX] = -np.inf
    ledger[FRICTION_GAIN_TIME] = np.nan
    ledger[FALLING_TIME] = np.nan
    ledger[GAIN_CONTACT] = ledger[FRICTION_GAIN_CONTACT] = ledger[FALLING_CONTACT] = -1.0
    return ledger


@kernel
def add_to_ledger(
    ledger: Array, terms: Array, P: Array, work: Array, laws: Array, response: Array, g: Array, t: float
) -> None:
    """Book one step that ended at ``t``: its works, its impulses and the gaps it left.

    ``laws`` are the works beside those of the normal impulses (``friction_record``). An infinite gap stands for the
    friction of a joint, whose impulse is no contact.
    """
    ledger[EXTERNAL] += terms[T_EXTERNAL] + terms[T_DRIVE] + terms[T_CROSS]
    ledger[DRIVE] += terms[T_DRIVE]
    ledger[SPIN] += terms[T_SPIN]
    ledger[CROSS] += terms[T_CROSS]
    ledger[DAMPING] += terms[T_DAMPING]
    ledger[NUMERICAL] += terms[T_NUMERICAL]
    ledger[ITERATIONS] += terms[T_ITERATIONS]
    ledger[PROJECTED] += terms[T_PROJECTED]
    ledger[CLOSED] += terms[T_CLOSED]
    ledger[CONTACT_RESIDUAL] = max(ledger[CONTACT_RESIDUAL], terms[T_RESIDUAL])
    total = terms[T_PROJECTION]
    gain, most, worst = 0.0, 0.0, -1
    pushed = False
    for i in range(P.size):
        total += work[i]
        if P[i] != 0.0 and g[i] < np.inf:
            pushed = True
        if work[i] > GAIN_TOLERANCE * response[i] * P[i] * P[i]:
            gain += work[i]
            if work[i] > most:
                most, worst = work[i], i
        if g[i] < ledger[MIN_GAP]:
            ledger[MIN_GAP] = g[i]
            ledger[MIN_GAP_TIME] = t
    ledger[CONTACT] += total
    ledger[PROJECTION] += terms[T_PROJECTION]
    if pushed:
        ledger[CONTACT_STEPS] += 1.0
    if gain > 0.0:
        ledger[GAIN_STEPS] += 1.0
        if gain > ledger[GAIN_MAX]:
            ledger[GAIN_MAX] = gain
            ledger[GAIN_TIME] = t
            ledger[GAIN_CONTACT] = worst
    if laws.shape[1] > 0:
        _add_friction(ledger, P, laws, response, t)


@kernel
def _add_friction(ledger: Array, P: Array, laws: Array, response: Array, t: float) -> None:
    """Book the works of friction, the step if friction added energy in it (nothing is clipped), and falling laws."""
    gain, most, worst = 0.0, 0.0, -1
    for i in range(laws.shape[1]):
        if laws[FALLING, i] > ledger[FALLING_MAX]:
            ledger[FALLING_MAX], ledger[FALLING_TIME], ledger[FALLING_CONTACT] = laws[FALLING, i], t, i
        dry = laws[SLIDING, i] + laws[ROLLING_ROW, i]
        ledger[FRICTION] += dry + laws[COHESION_ROW, i]
        ledger[ROLLING] += laws[ROLLING_ROW, i]
        ledger[COHESION] += laws[COHESION_ROW, i]
        if dry > GAIN_TOLERANCE * response[i] * P[i] * P[i]:
            gain += dry
            if dry > most:
                most, worst = dry, i
    if gain > 0.0:
        ledger[FRICTION_GAIN_STEPS] += 1.0
        if gain > ledger[FRICTION_GAIN_MAX]:
            ledger[FRICTION_GAIN_MAX] = gain
            ledger[FRICTION_GAIN_TIME] = t
            ledger[FRICTION_GAIN_CONTACT] = worst


@kernel
def balance(ledger: Array, T: float, V: float, row: Array) -> None:
    """Write the energy columns of a sample (``record.ENERGY_COLUMNS``) into ``row``; the first one sets the start."""
    E = T + V
    if ledger[ENERGY_MAX] == -np.inf:
        ledger[START] = E
    works = ledger[EXTERNAL] + ledger[DAMPING] + ledger[CONTACT] + ledger[NUMERICAL] + ledger[FRICTION]
    works += ledger[PROJECTED] + ledger[CLOSED]
    row[0] = T
    row[1] = V
    row[2] = ledger[EXTERNAL]
    row[3] = ledger[DAMPING]
    row[4] = ledger[CONTACT]
    row[5] = ledger[NUMERICAL]
    row[6] = (E - ledger[START]) - works
    row[7] = ledger[DRIVE]
    row[8] = ledger[CROSS]
    row[9] = ledger[FRICTION]
    row[10] = ledger[ROLLING]
    row[11] = ledger[COHESION]
    row[12] = ledger[PROJECTED]
    row[13] = ledger[CLOSED]
    row[14] = ledger[SPIN]
    ledger[RESIDUAL_MAX] = max(ledger[RESIDUAL_MAX], abs(row[6]))
    ledger[ENERGY_MAX] = max(ledger[ENERGY_MAX], E)
    moved = abs(ledger[EXTERNAL]) + abs(ledger[DAMPING]) + abs(ledger[CONTACT]) + abs(ledger[NUMERICAL])
    moved += abs(ledger[FRICTION]) + abs(ledger[PROJECTED]) + abs(ledger[CLOSED])
    ledger[SCALE] = max(ledger[SCALE], T, abs(E), moved)
