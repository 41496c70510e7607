"""Data of a system in large motion required by signals."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from flexmb.assembly.markers import Marker
from flexmb.kernels.geometry.tables import Markers, System
from flexmb.state import Array


class MovingSystem(Protocol):
    """A system in large motion (``system.multibody_system.MultibodySystem``)."""

    @property
    def tables(self) -> System:
        """The complete system as arrays."""
        ...

    @property
    def q0(self) -> Array:
        """Initial coordinates, (nq,)."""
        ...

    @property
    def nv(self) -> int:
        """Number of velocities."""
        ...

    def momentum(self, q: Array, v: Array) -> Array:
        """Return M(q) v, (nv,): in space for positions, in the frame's axes for rotations."""
        ...


def place_of(markers: Markers, m: int) -> Marker:
    """Return the place of a marker."""
    its = slice(int(markers.ptr[m]), int(markers.ptr[m + 1]))
    return Marker(
        kind=int(markers.kind[m]),
        position=markers.s[m],
        axes=np.eye(3),
        local=markers.s[m],
        iq=int(markers.iq[m]),
        iv=int(markers.iv[m]),
        dof=markers.dof[its],
        qdof=markers.qdof[its],
        D=markers.D[its],
    )
