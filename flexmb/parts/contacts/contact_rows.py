"""Rows of gaps and force directions of a contact."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol, cast

import numpy as np
from scipy import sparse

from flexmb.assembly.builder import Builder, Function
from flexmb.assembly.kinematics import Kinematics
from flexmb.assembly.markers import Marker
from flexmb.errors import InputError
from flexmb.kernels.geometry.tables import GROUND, NODE, PLANAR
from flexmb.laws.contact_law import ContactLaw
from flexmb.parts.contacts.beside_rows import BesideRows
from flexmb.state import Array, IntArray

IMMOVABLE = 1e-9
"""Length of a force direction below which a node cannot move along the (unit) normal."""


class Motion(Protocol):
    """A prescribed motion along a line: displacement and its rate as functions of time."""

    def value(self, t: Array | float) -> Array:
        """Return the displacement at ``t``, m."""
        ...

    def rate(self, t: Array | float) -> Array:
        """Return the velocity at ``t``, m/s."""
        ...

    def second(self, t: Array | float) -> Array:
        """Return the acceleration at ``t``, m/s^2."""
        ...


@dataclass(frozen=True)
class ContactRows:
    """Rows of one contact group: gap = g0 + G^T q + motion_coef s(t).

    Parameters
    ----------
    labels : list of str
        One readable name per row.
    points : (k,) int array
        The node of each row.
    g0 : (k,) array
        Gap at q = 0 without prescribed motion, m.
    G : (nv, k) sparse array, CSC
        Force directions.
    law : ContactLaw
        Restitution, friction and the others.
    motion : Motion, optional
        s(t), m.
    motion_coef : float
        Its factor in the gap.
    beside : BesideRows, optional
        Rows beside the normals.
    slide_coef, drift : (m,) arrays
        Contributions of the motion, times s'(t), and of the constant speed of the surface to the rates of those rows.
    other : int
        The node that the contact's node touches; -1 for none.
    """

    labels: list[str]
    points: IntArray
    g0: Array
    G: sparse.csc_array
    law: ContactLaw
    motion: Motion | None = None
    motion_coef: float = 0.0
    beside: BesideRows | None = None
    slide_coef: Array = field(default_factory=lambda: np.zeros(0))
    drift: Array = field(default_factory=lambda: np.zeros(0))
    other: int = -1


class ContactPart(Protocol):
    """A named contact."""

    @property
    def name(self) -> str:
        """The contact's name."""
        ...

    @property
    def role(self) -> str:
        """Return the role "contacts"."""
        ...

    def rows(self, nodes: Kinematics, t0: float) -> ContactRows:
        """Return the rows of this contact; ``t0`` is the start time of the run."""
        ...


def movable(G: sparse.csc_array) -> np.ndarray:
    """Return which columns of G involve any unknown, (k,) bool."""
    owner = np.repeat(np.arange(G.shape[1]), np.diff(G.indptr))
    return np.asarray(np.sqrt(np.bincount(owner, weights=G.data**2, minlength=G.shape[1])) > IMMOVABLE)


def moves_along(place: Marker, n: Array) -> bool:
    """Return whether a place can move along the unit vector n, at the start."""
    if place.kind == GROUND:
        return False
    if place.kind == NODE:
        return bool(np.linalg.norm(place.D[:, :3] @ n) > IMMOVABLE)
    return place.kind != PLANAR or bool(np.linalg.norm(n[:2]) > IMMOVABLE)


def moves_across(place: Marker, a: Array) -> bool:
    """Return whether a place can move in any direction normal to the unit vector a, at the start."""
    _, directions = np.linalg.eigh(np.outer(a, a))  # the last one is along a
    return any(moves_along(place, n) for n in directions.T[:2])


def largest_position(builder: Builder) -> float:
    """Return the largest coordinate of all nodes at the start, m, as a reference for gaps."""
    nodes = [place for info in builder.bodies.values() for place in info.nodes]
    return max((float(np.abs(place.position).max()) for place in nodes), default=0.0)


def compiled(motion: Motion | None, where: str) -> Function | None:
    """Return a motion as a function that compiled loops can evaluate."""
    if motion is not None and not callable(getattr(motion, "code", None)):
        message = "must be one of the time functions of flexmb when the model has large motion"
        raise InputError(message, where=where, key="motion", value=motion)
    return cast("Function | None", motion)
