"""The solver for many contacts as a stage: its arrays behind one address, compiled only in runs that need it."""

from __future__ import annotations

from ctypes import CFUNCTYPE, c_int64
from typing import Any, NamedTuple

import numpy as np

from flexmb.kernels.algebra.bordered import Border
from flexmb.kernels.compilation.arrays_at import Room, arrays_at
from flexmb.kernels.compilation.stages import raise_failed, stage
from flexmb.kernels.index_sets.contact_problem import Sets
from flexmb.kernels.index_sets.contact_response import Response
from flexmb.kernels.index_sets.contact_sets import solve_sets


class ManyContacts(NamedTuple):
    """All that the solver works with."""

    border: Border
    response: Response
    sets: Sets


_arrays: Any = arrays_at(ManyContacts)


@stage
def solve_many(at: int, flag: int) -> int:
    """Solve the contact problem at an address (``contact_sets.solve_sets``)."""
    many = _arrays(at)
    solve_sets(many.border, many.response, many.sets)
    return 0


class ContactRoom:
    """The arrays of the solver and their address; keeps them alive.

    ``address`` holds the address of the solver and that of the arrays; the solver is compiled when it is first called.
    """

    def __init__(self, many: ManyContacts) -> None:
        self.many, self._room = many, Room(many)
        self.address = np.array([0, self._room.at], dtype=np.int64)
        self.address[0] = solve_many.door(self.address, 0)

    def solve(self) -> None:
        """Solve the problem that stands in ``many.sets``."""
        CFUNCTYPE(c_int64, c_int64, c_int64)(int(self.address[0]))(int(self.address[1]), 0)
        raise_failed()
