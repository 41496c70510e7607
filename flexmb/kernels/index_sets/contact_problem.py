"""The arrays of a problem with many contacts."""

from __future__ import annotations

from typing import NamedTuple

from flexmb.state import Array, IntArray

TOLERANCE = 0
ITERATIONS, RESIDUAL, WORST = 0, 1, 2
"""Places in ``Sets.setting`` and ``Sets.answer``."""


class Sets(NamedTuple):
    """A problem ``w = W z + b, 0 <= w perp z >= 0`` on the rows with ``asked`` > 0, and the iteration's arrays.

    ``z`` comes in with a guess, and leaves with the answer (zero off the rows asked for). With rows of positions and,
    after them, of velocities (GGL; ``closed`` is then half as long as ``b``), a velocity row takes part where
    ``closed`` > 0, the gap without impulses being closed, or where its position row is pressed; the iteration sees to
    it.
    """

    setting: Array
    answer: Array
    b: Array
    z: Array
    w: Array
    r: Array
    dz: Array
    slack: Array
    dw: Array
    best: Array
    asked: IntArray
    active: IntArray
    wrong: IntArray
    closed: IntArray
