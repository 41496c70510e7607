"""Reference values of the rows of joints and contacts, and of their rates, with the unit of each kind of row.

ALONG, DISTANCE, CLEARANCE and CURVE rows are lengths; DOT and ANGLE rows are angles, or cosines near a right angle.
Beside the motion of the bodies against each other, that which they share in free flight counts as far as its round-off
goes.
"""

from __future__ import annotations

from flexmb.kernels.compilation.jit import inner
from flexmb.kernels.geometry.tables import ANGLE, DOT
from flexmb.kernels.multibody.machine import part
from flexmb.kernels.multibody.multibody import FASTEST, LENGTH, PLACES, TURNS, H

SHARED = 0.1
"""Part of the largest speed that rates are compared with at least: 1e-13 of that is 45 times its round-off."""


@inner
def row_size(at: int, r: int) -> float:
    """Return the reference value of g of row r: the length of the system, or one radian, or the total rotation."""
    rows, turn = part(at, "system.rows"), part(at, "motion.turn")
    if rows.kind[r] == DOT:
        return 1.0
    if rows.kind[r] == ANGLE:
        size = 0.0
        for p in range((rows.ptr[r + 1] - rows.ptr[r]) // 2):
            size += abs(rows.b[r, p]) * max(1.0, abs(turn[rows.angle[r, p]]))
        return size
    scale = part(at, "trial.scale")
    return float(scale[LENGTH] + SHARED * part(at, "step")[H] * scale[FASTEST])


@inner
def row_speed(at: int, r: int) -> float:
    """Return the reference value of the rate of g of row r."""
    rows, scale = part(at, "system.rows"), part(at, "trial.scale")
    if rows.kind[r] != DOT and rows.kind[r] != ANGLE:
        return float(scale[PLACES] + scale[LENGTH] * scale[TURNS] + SHARED * scale[FASTEST])
    turns = scale[TURNS] + scale[PLACES] / scale[LENGTH]
    if rows.kind[r] == DOT:
        return float(turns)
    return float(turns * (abs(rows.b[r, 0]) + abs(rows.b[r, 1])))
