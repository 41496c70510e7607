"""The contact problem of a step with rows beside the normals, as its solvers take it.

Blocks of rows follow each other, the normal first in each: with GGL one block of a single row per contact for its
position (unknown nu / h, row in velocity units), then one block per contact for its velocities.
"""

from __future__ import annotations

from typing import NamedTuple

from flexmb.state import Array, Array2, IntArray, IntArray2

TOLERANCE, STEP = 0, 1
"""Places in ``Cones.setting``: the largest residual that is accepted, and h."""
METHOD, LIMIT, HARD = 0, 1, 2
"""Places in ``Cones.choice``: the method of ``cones.cones``, its limit of iterations (0: automatic), and the address
of the stage for hard problems (``kernels.cones.cone_hard``)."""
ITERATIONS, RESIDUAL, WORST, DRIVE_WORK = 0, 1, 2, 3
"""Places in ``Cones.answer``; WORST is a block, DRIVE_WORK what surfaces that move did in the step, J."""


class Cones(NamedTuple):
    """A problem ``U = W z + b, K* ∋ U^ perp z ∈ K`` (``kernels.cones.cones``) on the blocks with ``asked`` > 0.

    Parameters
    ----------
    setting, choice, answer
        Numbers in and out.
    first : (nb + 1,) int array
        First row of each block, and the end; nb is nc, or 2 nc with blocks of positions.
    shape : (nb, 3) int array
        Rows that slide, turn and spin of each block.
    law : (nb, 3) array
        mu, roll and spin of each block in this step.
    b, z : (m,) arrays
        ``z`` comes in with a guess and leaves with the answer, zero off the blocks that take part.
    asked : (nb,) int array
        Of blocks of velocities beside those of positions the solver finds out itself which take part: those that are
        ``closed``, and those whose position is pressed.
    closed : (nc,) int array
        Contacts that are closed without impulses (with blocks of positions).
    """

    setting: Array
    choice: IntArray
    answer: Array
    first: IntArray
    shape: IntArray2
    law: Array2
    b: Array
    z: Array
    asked: IntArray
    closed: IntArray
