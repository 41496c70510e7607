"""What a load adds to the system, along one generalized direction."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from scipy import sparse

from flexmb.fem.kinematics import Kinematics
from flexmb.loads.time_functions import Function


class LoadTerms(NamedTuple):
    """One load along the column B.

    ``function`` given: the force B phi(t). Otherwise a spring and damper along B: with the elongation
    delta = stretch + B^T q they store stiffness delta^2 / 2 and resist by damping d(delta)/dt.

    Parameters
    ----------
    column : (nv, 1) sparse array
        B.
    function : time function, optional
        phi.
    stiffness : float
        N/m.
    damping : float
        N s/m.
    stretch : float
        Elongation at q = 0, m.
    """

    column: sparse.csc_array
    function: Function | None = None
    stiffness: float = 0.0
    damping: float = 0.0
    stretch: float = 0.0


class LoadPart(Protocol):
    """A named load."""

    @property
    def name(self) -> str:
        """The load's name."""
        ...

    @property
    def role(self) -> str:
        """Return "loads"."""
        ...

    def terms(self, nodes: Kinematics) -> LoadTerms:
        """Return what the load adds to the system."""
        ...
