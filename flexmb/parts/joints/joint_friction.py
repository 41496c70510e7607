"""Friction in joints: Coulomb's law on the reaction of the joint.

With the impulse Lam of the constraint forces of a joint in a step, the radius r of its bearing and the relative angular
velocity omega of its free rotations (a spherical joint: all, a revolute joint: about its axis), the moment M of
friction is such that

    |M| <= mu r |Lam|,    M = -mu r |Lam| omega / |omega| if it slips;

a prismatic joint has a force along its axis instead, |F| <= mu |Lam|, Lam across the axis. Constraint moments of a
joint do not contribute to its load. It is recorded as a contact, JOINT_friction: ``impulse`` is |Lam|, ``slip`` is r
omega (or the speed along the axis), ``tangential_impulse`` M / r.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from flexmb.assembly.builder import Builder, Group
from flexmb.assembly.rows_beside import RowBeside
from flexmb.checks.values import positive
from flexmb.errors import InputError
from flexmb.kernels.geometry.tables import ALONG, LOADED, SLIDE, TWIST
from flexmb.laws.contact_law import ContactLaw
from flexmb.laws.friction import friction_numbers, slides
from flexmb.parts.joints.joint import Joint
from flexmb.state import Array

FORCES = ("x", "y", "z")
"""Labels of the rows whose forces load the bearing of a joint."""


@dataclass(frozen=True, kw_only=True)
class FrictionKeys(Joint):
    """A joint with friction.

    Parameters
    ----------
    friction : float or table
        mu of Coulomb's law, or a table as for contacts (``docs/friction.md``): the reaction of the joint is the normal
        force.
    """

    friction: float | Mapping[str, Any] = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self.law  # noqa: B018  (checks its keys)

    @cached_property
    def law(self) -> ContactLaw:
        """The law of friction as checked numbers."""
        return ContactLaw(friction=friction_numbers(self.friction, self.where))

    def add_friction(
        self, builder: Builder, group: Group, ends: tuple[int, int], axes: Sequence[Array], radius: float | None
    ) -> None:
        """Add the friction of the joint whose rows were added last.

        Parameters
        ----------
        builder : Builder
        group : Group
            The rows of the joint.
        ends : (int, int)
            Markers of base and mover.
        axes : sequence of (3,) arrays
            Free directions, in the axes of the base.
        radius : float or None
            Radius of the bearing, for rotations, m; None if the joint slides along the only axis.
        """
        if not slides(self.law.friction):
            return
        first = len(builder.rows["joints"]) - len(group.labels)
        rows = builder.rows["joints"][first:]
        forces = [k for k, row in enumerate(rows) if row["kind"] == ALONG and group.labels[k] in FORCES]
        if not forces:
            message = "needs a reaction force of the joint, which this one does not have"
            raise InputError(message, where=self.where, key="friction", value=self.friction)
        contact = builder.begin_contact(f"{self.name}_friction", self.law)
        load = (first + forces[0], len(forces))
        builder.add_row(contact, LOADED, ends, contact.name, angle=load)
        contact.points.append((ends[1], ends[0]))
        kind, arm = (SLIDE, 0.0) if radius is None else (TWIST, radius)
        builder.add_beside([RowBeside(kind, k, np.asarray(a, dtype=np.float64), arm) for k, a in enumerate(axes)])


@dataclass(frozen=True, kw_only=True)
class BearingKeys(FrictionKeys):
    """A joint with a rotation and friction.

    Parameters
    ----------
    friction_radius : float, optional
        Radius at which friction acts, m; required with ``friction``.
    """

    friction_radius: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if slides(self.law.friction) and self.friction_radius is None:
            message = "is needed with friction: the radius of the bearing, m"
            raise InputError(message, where=self.where, key="friction_radius", value=self.friction_radius)
        if self.friction_radius is not None:
            positive(self.friction_radius, "friction_radius", self.where)
            if not slides(self.law.friction):
                message = "has no effect without friction"
                raise InputError(message, where=self.where, key="friction_radius", value=self.friction_radius)
