"""Arrays of the compiled loop of explicit Runge-Kutta steps between events, behind one address (``arrays_at.py``)."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

from flexmb.kernels.compilation.arrays_at import Room, parts_of
from flexmb.kernels.geometry.tables import Matrix
from flexmb.state import Array, Array2

T, WANTED, TOLERANCE, END, LENGTH, SHORTEST, POWER, SECOND, CARRIES, POSITIONS, VELOCITIES = range(11)
"""Places in ``SmoothRun.numbers``: time, the step that is wanted, the tolerance (0: steps of one
size), the time to reach, the length positions are compared with, the shortest step, the power of h in the error, the
weight of the second estimate, whether the first acceleration is that of the step before, and whether positions and
velocities are projected on the joints."""
NUMBERS = 11

STEPS, REJECTED, EVALUATIONS, SOLVES, PROJECTIONS, PROJECTION_WORK = range(6)
"""Places in ``SmoothRun.counts``."""
COUNTS = 6

KINETIC, POTENTIAL = 0, 1
"""Places in ``Seen.energies``."""

REACHED, LOOK, LOOK_AROUND, PAUSE, AFRESH = range(5)
"""Answers of the loop: the time is reached; the next step is one for the driver (a contact may close in it, or it
fails); a contact stands at its surface; many steps were taken; the
accelerations at the state that was reached are not unique."""


class Seen(NamedTuple):
    """The system in (t, q, v): loads, rows of the joints, gaps."""

    load: Array  # (nv,) forces without those of joints, less the rate of the momentum
    p: Array  # (nv,) momentum
    G: Array2  # (nj, nv) directions of the joints, one row each
    rates: Array  # (nj,) violation on the velocity level
    surface: Array  # (nj,) partial time derivatives
    bias: Array  # (nj,) rates of ``rates`` where v keeps its components
    power: Array  # (CLASSES,) of the forces by class
    energies: Array  # (2,)
    g: Array  # (nc,) gaps
    U: Array  # (nc,) rates of the gaps


class Method(NamedTuple):
    """A table, see ``smooth.explicit_steps.Tableau``."""

    A: Array2
    b: Array
    c: Array
    bar: Array2  # (s, s), or (0, 0) of a method on the index-1 form
    bar_c: Array
    defect: Array2  # m_ij of the energy identity, see ``smooth.works``
    errors: Array2


class Stages(NamedTuple):
    """Stages of a step: rates of increments, accelerations, forces of the joints."""

    K: Array2  # (s + 1, nv), the end of the step in the last row
    A: Array2  # (s + 1, nv)
    lam: Array2  # (s, nj)
    terms: Array  # works of the step (``kernels.small_motion.ledger``)
    violated: Array  # (1,) work of the forces of the joints on what the stages violate


class Scratch(NamedTuple):
    """Room for solves and trials."""

    q: Array  # (2 nq,)
    x: Array  # (nv,)
    V: Array  # (nv,)
    known: Array  # (nv,)
    rho: Array  # (nj,)
    X: Array2  # (nj, nv)
    W: Array2  # (nj, nj)
    T: Array2  # (3, 3)


class Smooth(NamedTuple):
    """A state of smooth motion."""

    q: Array  # (2 nq,)
    v: Array
    a: Array
    lam: Array  # (nj,)


class SmoothRun(NamedTuple):
    """All arrays of the loop, beside those of the machine."""

    method: Method
    M: Matrix
    inverse: Matrix  # of M, both along the axes of the frames
    numbers: Array
    counts: Array
    now: Smooth
    end: Smooth
    start: Seen
    stage: Seen
    final: Seen
    stages: Stages
    scratch: Scratch
    dq: Array  # (nv,)
    close: Array  # (nc,) gaps at which a contact stands at its surface
    ledger: Array
    none: Array  # (nc,) zeros
    laws: Array2
    response: Array


of: Any = parts_of(SmoothRun)
"""``of(run, "now.q")``: the part of the arrays at an address; the path is a literal text."""


class SmoothRoom(Room):
    """The arrays and their address; keeps them alive."""

    @property
    def run(self) -> SmoothRun:
        """The tuple itself."""
        return cast("SmoothRun", self.arrays)
