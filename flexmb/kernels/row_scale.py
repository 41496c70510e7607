"""What the rows of joints and contacts, and their rates, are compared with: each kind of row with its own unit.

ALONG, DISTANCE and CLEARANCE rows are lengths; DOT and ANGLE rows are angles, or cosines near a right angle.
"""

from __future__ import annotations

from flexmb.kernels.jit import inner
from flexmb.kernels.machine import part
from flexmb.kernels.multibody import LENGTH, PLACES, TURNS
from flexmb.kernels.tables import ANGLE, DOT


@inner
def row_size(at: int, r: int) -> float:
    """Return what g of row r is compared with: the length of the system, or one radian, or all that was turned."""
    rows, turn = part(at, "system.rows"), part(at, "motion.turn")
    if rows.kind[r] == DOT:
        return 1.0
    if rows.kind[r] == ANGLE:
        size = 0.0
        for p in range((rows.ptr[r + 1] - rows.ptr[r]) // 2):
            size += abs(rows.b[r, p]) * max(1.0, abs(turn[rows.angle[r, p]]))
        return size
    return float(part(at, "trial.scale")[LENGTH])


@inner
def row_speed(at: int, r: int) -> float:
    """Return what the rate of g of row r is compared with."""
    rows, scale = part(at, "system.rows"), part(at, "trial.scale")
    if rows.kind[r] != DOT and rows.kind[r] != ANGLE:
        return float(scale[PLACES] + scale[LENGTH] * scale[TURNS])
    turns = scale[TURNS] + scale[PLACES] / scale[LENGTH]
    if rows.kind[r] == DOT:
        return float(turns)
    return float(turns * (abs(rows.b[r, 0]) + abs(rows.b[r, 1])))
