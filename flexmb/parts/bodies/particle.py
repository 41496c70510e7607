"""Particle: a point mass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np
from scipy import sparse

from flexmb.assembly.builder import Builder
from flexmb.checks.values import check_name, positive, vector
from flexmb.errors import InputError
from flexmb.linalg.strain import Strain, stack
from flexmb.parts.bodies.body import RESERVED_BODIES, BodyParts, Dof, NamedBody, initial_velocity, node_maps
from flexmb.parts.bodies.linear_body import add_linear_body
from flexmb.state import Array


def _dofs(axes: str) -> list[Dof]:
    return [Dof(letter, letter, e) for letter, e in zip("xyz", np.eye(3), strict=True) if letter in axes]


@cache
def _shared(axes: str) -> tuple[sparse.csr_array, sparse.csr_array, sparse.csr_array, sparse.csr_array, Strain]:
    """Return the data common to particles with the same axes: maps of the node, 1 and 0 as matrices, no strain."""
    nv = len(axes)
    displacement, rotation = node_maps(_dofs(axes), 1)
    one, nothing = sparse.csr_array(sparse.eye_array(nv)), sparse.csr_array((nv, nv))
    return displacement, rotation, one, nothing, stack([], nv)


@dataclass(frozen=True)
class Particle(NamedBody):
    """A point mass.

    Parameters
    ----------
    name : str
        Name, unique among the bodies.
    mass : float
        kg.
    position : (3,) array_like
        m.
    velocity : (3,) array_like
        m/s; along ``axes``.
    axes : str
        Global axes of its motion: ``"xyz"``, ``"x"``, ``"xz"``, ...
    """

    kind: ClassVar[str] = "particle"
    large_motion: ClassVar[bool] = False

    mass: float
    position: Sequence[float] | Array = (0.0, 0.0, 0.0)
    velocity: Sequence[float] | Array = (0.0, 0.0, 0.0)
    axes: str = "xyz"

    def __post_init__(self) -> None:
        check_name(self.name, "bodies", RESERVED_BODIES)
        positive(self.mass, "mass", self.where)
        vector(self.position, "position", self.where)
        axes = self.axes
        if not isinstance(axes, str) or not axes or len(set(axes)) != len(axes) or not set(axes) <= set("xyz"):
            message = 'must be one or more of the letters x, y, z, each once: "x", "xz", "xyz", ...'
            raise InputError(message, where=self.where, key="axes", value=axes)
        self._velocity()

    def dofs(self) -> list[Dof]:
        """Return the unknowns: displacements along the axes, in the order x, y, z."""
        return _dofs(self.axes)

    def _velocity(self) -> Array:
        v = vector(self.velocity, "velocity", self.where)
        return initial_velocity(self.dofs(), 1, v, self.where, f"along the particle's axes '{self.axes}'")

    def parts(self) -> BodyParts:
        """Return matrices and maps."""
        dofs, nv = self.dofs(), len(self.axes)
        displacement, rotation, one, nothing, strain = _shared("".join(dof.letter for dof in dofs))
        directions = np.array([dof.vector for dof in dofs])
        position = vector(self.position, "position", self.where)
        return BodyParts(
            M=sparse.csr_array((np.full(nv, float(self.mass)), one.indices, one.indptr), shape=(nv, nv)),
            C=nothing,
            K=nothing,
            strain=strain,
            points=position[None, :],
            cells=np.empty((0, 2), dtype=np.int64),
            displacement=displacement,
            rotation=rotation,
            v0=self._velocity(),
            gravity=self.mass * directions,
            momentum=self.mass * directions.T,
            mass=float(self.mass),
            center=position,
            radius=0.0,
            dof_names=tuple(f"{self.name}.{dof.letter}" for dof in dofs),
            named={"first": 0},
            rigid_free=np.eye(nv),
            rigid_held=np.empty((0, nv)),
            single=True,
        )

    def add_to(self, builder: Builder) -> None:
        """Add the particle to a multibody system."""
        add_linear_body(builder, self.name, self.parts())
