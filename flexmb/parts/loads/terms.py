"""Contributions of a load to the system, along one or more generalized directions."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from scipy import sparse

from flexmb.assembly.kinematics import Kinematics
from flexmb.parts.speed_table import SpeedTable
from flexmb.parts.time_functions import Function
from flexmb.state import Array


class RotatingTerms(NamedTuple):
    """Contributions of a bearing between two bodies other than springs and dampers; see ``parts.bodies.spin_parts``.

    Parameters
    ----------
    rotor : str
        The body whose speed determines the law.
    where : str
        Location of the load in a case file.
    skew_damping, cross : (nv, nv) sparse arrays
        Skew parts of damping and stiffness.
    table : SpeedTable or None
        Over the unknowns of the system; then nothing else is added.
    """

    rotor: str
    where: str
    skew_damping: sparse.csr_array
    cross: sparse.csr_array
    table: SpeedTable | None

    @property
    def holds(self) -> bool:
        """Whether there is a stiffness that depends on the speed."""
        return self.table is not None and bool(self.table.K.any())


class LoadTerms(NamedTuple):
    """A load along k columns B; k is 1 but for bearings.

    ``function`` given: the force B phi(t). Otherwise a spring and damper along each column: with the elongation
    delta = stretch + B^T q they store stiffness delta^2 / 2 and resist by damping d(delta)/dt.

    Parameters
    ----------
    column : (nv, k) sparse array
        B.
    function : time function, optional
        phi.
    stiffness : float or (k,) array
        N/m.
    damping : float or (k,) array
        N s/m.
    stretch : float
        Elongation at q = 0, m.
    rotating : RotatingTerms, optional
    """

    column: sparse.csc_array
    function: Function | None = None
    stiffness: float | Array = 0.0
    damping: float | Array = 0.0
    stretch: float = 0.0
    rotating: RotatingTerms | None = None


class LoadPart(Protocol):
    """A named load."""

    @property
    def name(self) -> str:
        """The load's name."""
        ...

    @property
    def role(self) -> str:
        """Return the role "loads"."""
        ...

    def terms(self, nodes: Kinematics) -> LoadTerms:
        """Return the contributions of the load to the system."""
        ...
