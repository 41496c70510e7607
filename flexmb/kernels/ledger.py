"""The ledger: works added up, extremes kept. Used by the compiled loop and by the readable one alike."""

from __future__ import annotations

import numpy as np

from flexmb.kernels.jit import kernel
from flexmb.state import Array

EXTERNAL, DAMPING, CONTACT, NUMERICAL = 0, 1, 2, 3
START, MIN_GAP, MIN_GAP_TIME = 4, 5, 6
GAIN_STEPS, GAIN_MAX, GAIN_TIME = 7, 8, 9
RESIDUAL_MAX, ENERGY_MAX, SCALE = 10, 11, 12
CONTACT_STEPS, ITERATIONS, PROJECTION = 13, 14, 15
DRIVE, CROSS = 16, 17
LEDGER_SIZE = 18
COLUMNS = 9
"""How many energy columns a sample has."""

T_EXTERNAL, T_DRIVE, T_DAMPING, T_NUMERICAL, T_PROJECTION, T_ITERATIONS, T_CROSS = 0, 1, 2, 3, 4, 5, 6
TERMS_SIZE = 7
"""Places in ``Live.terms``, the report of one step."""

GAIN_TOLERANCE = 1e-9
"""A contact gains energy when its work exceeds this fraction of P^2 W_ii, the energy its impulse can move."""


def empty_ledger() -> Array:
    """Return an empty ledger."""
    ledger = np.zeros(LEDGER_SIZE)
    ledger[MIN_GAP] = np.inf
    ledger[MIN_GAP_TIME] = np.nan
    ledger[GAIN_TIME] = np.nan
    ledger[ENERGY_MAX] = -np.inf
    return ledger


@kernel
def add_to_ledger(ledger: Array, terms: Array, P: Array, work: Array, response: Array, g: Array, t: float) -> None:
    """Book one step that ended at ``t``: its works, its impulses and the gaps it left."""
    ledger[EXTERNAL] += terms[T_EXTERNAL] + terms[T_DRIVE] + terms[T_CROSS]
    ledger[DRIVE] += terms[T_DRIVE]
    ledger[CROSS] += terms[T_CROSS]
    ledger[DAMPING] += terms[T_DAMPING]
    ledger[NUMERICAL] += terms[T_NUMERICAL]
    ledger[ITERATIONS] += terms[T_ITERATIONS]
    total = terms[T_PROJECTION]
    gain = 0.0
    pushed = False
    for i in range(P.size):
        total += work[i]
        if P[i] != 0.0:
            pushed = True
        if work[i] > GAIN_TOLERANCE * response[i] * P[i] * P[i]:
            gain += work[i]
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


@kernel
def balance(ledger: Array, T: float, V: float, row: Array) -> None:
    """Write the energy columns of a sample (``record.ENERGY_COLUMNS``) into ``row``; the first one sets the start."""
    E = T + V
    if ledger[ENERGY_MAX] == -np.inf:
        ledger[START] = E
    works = ledger[EXTERNAL] + ledger[DAMPING] + ledger[CONTACT] + ledger[NUMERICAL]
    row[0] = T
    row[1] = V
    row[2] = ledger[EXTERNAL]
    row[3] = ledger[DAMPING]
    row[4] = ledger[CONTACT]
    row[5] = ledger[NUMERICAL]
    row[6] = (E - ledger[START]) - works
    row[7] = ledger[DRIVE]
    row[8] = ledger[CROSS]
    ledger[RESIDUAL_MAX] = max(ledger[RESIDUAL_MAX], abs(row[6]))
    ledger[ENERGY_MAX] = max(ledger[ENERGY_MAX], E)
    moved = abs(ledger[EXTERNAL]) + abs(ledger[DAMPING]) + abs(ledger[CONTACT]) + abs(ledger[NUMERICAL])
    ledger[SCALE] = max(ledger[SCALE], T, abs(E), moved)
