"""How a contact problem without friction is solved in compiled loops: by which method, and how exactly."""

from __future__ import annotations

from typing import NamedTuple

NEWTON, LEMKE, PGS = 0, 1, 2
"""The methods for contact problems (``SolverSettings.method``)."""


class SolverSettings(NamedTuple):
    """The contact solver's method (see ``kernels.lcp.lcp``), its iteration limit (0: automatic) and tolerance.

    ``others`` is the address of the methods that follow where it fails (``kernels.lcp.lcp_others``).
    """

    method: int
    max_iter: int
    tol: float
    others: int
