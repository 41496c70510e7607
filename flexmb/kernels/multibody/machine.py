"""All arrays of a multibody run behind one address (``arrays_at.py``)."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

from flexmb.kernels.algebra.sparse_lu import Symbolic
from flexmb.kernels.compilation.arrays_at import Room, parts_of
from flexmb.kernels.geometry.tables import (
    Point,
    System,
)
from flexmb.kernels.lcp.solver_settings import SolverSettings
from flexmb.kernels.multibody.multibody import (
    ContactSets,
    Laws,
    Matrices,
    Motion,
    Samples,
    Scatter,
    SchemeNumbers,
    TangentWork,
    Trial,
)
from flexmb.state import Array, IntArray


class Machine(NamedTuple):
    """All arrays of a run in large motion."""

    system: System
    point: Point
    sym: Symbolic
    scatter: Scatter
    mats: Matrices
    work: TangentWork
    motion: Motion
    trial: Trial
    sets: ContactSets
    numbers: SchemeNumbers
    settings: SolverSettings
    e: Array
    laws: Laws
    step: Array
    scratch: Array
    stages: IntArray  # addresses of the compiled stages, see ``kernels.compilation.stages``
    rare: IntArray  # those of the rare ones
    out: Samples  # where the samples of a block go
    answer: Array  # (2,) what a rare stage returns besides an integer


part: Any = parts_of(Machine)
"""``part(at, "system.rows")``: the part of the machine at an address; the path is a literal text."""


class MachineWorkspace(Room):
    """A machine and its address; keeps its arrays alive."""

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine)

    @property
    def machine(self) -> Machine:
        """The tuple of all arrays."""
        return cast("Machine", self.arrays)
