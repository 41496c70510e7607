"""The solver for many contacts with friction as a stage (``kernels.index_sets.cone_sets``)."""

from __future__ import annotations

from typing import Any, NamedTuple

from flexmb.kernels.algebra.bordered import Border
from flexmb.kernels.compilation.arrays_at import arrays_at
from flexmb.kernels.compilation.stages import stage
from flexmb.kernels.cones.cone_problem import Cones
from flexmb.kernels.index_sets.cone_faces import Faces
from flexmb.kernels.index_sets.cone_sets import solve_cone_sets
from flexmb.kernels.index_sets.contact_response import Response


class SparseCones(NamedTuple):
    """The problem, the bordered matrix of its rows, what they do, and the faces of the index set."""

    cones: Cones
    border: Border
    response: Response
    faces: Faces


_arrays: Any = arrays_at(SparseCones)


@stage
def solve_sparse(at: int, flag: int) -> int:
    """Solve the problem at an address."""
    d = _arrays(at)
    solve_cone_sets(d.border, d.response, d.cones, d.faces)
    return 0
