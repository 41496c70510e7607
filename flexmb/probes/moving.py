"""What signals need to know of a system in large motion."""

from __future__ import annotations

from typing import Protocol

from flexmb.kernels.tables import System
from flexmb.state import Array


class MovingSystem(Protocol):
    """A system in large motion (``multibody_system.MultibodySystem``)."""

    @property
    def tables(self) -> System:
        """All of it as arrays."""
        ...

    @property
    def q0(self) -> Array:
        """The start, (nq,)."""
        ...

    @property
    def nv(self) -> int:
        """Number of velocities."""
        ...

    def momentum(self, q: Array, v: Array) -> Array:
        """Return M(q) v, (nv,): in space for positions, in the frame's axes for rotations."""
        ...
