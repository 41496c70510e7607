"""Recorded samples by name: signals, contacts, joints, energies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

import numpy as np

from flexmb.checks.values import nearest
from flexmb.errors import InputError
from flexmb.kernels.laws.friction_status import OPEN, SLIP, STICK
from flexmb.kernels.laws.law_codes import STRIBECK
from flexmb.record.io.friction_rows import (
    ABOUT_AXES,
    ALONG_TANGENTS,
    LAWS,
    MAGNITUDES,
    OF_EACH,
    OF_SOME,
    own_law,
    sizes_of,
)
from flexmb.record.io.one_contact import one_contact
from flexmb.record.io.structure import Tree, mean_force
from flexmb.state import Array, IntArray

S = TypeVar("S")

FRICTION_WORDS = (*OF_EACH, *OF_SOME, *ALONG_TANGENTS, *MAGNITUDES, *ABOUT_AXES)
"""Quantities recorded for contacts with friction in addition to those of all contacts."""
STATUS_WORDS = {OPEN: "open", STICK: "stick", SLIP: "slip"}
"""Meaning of the values of ``ContactSeries.status``."""


def _unknown(name: str, what: str, known: Sequence[str]) -> str:
    """Return the error for an unknown name, with similar names, or with all names if none is similar."""
    return f"{name!r}{nearest(name, known, 3) or '; ' + what + ': ' + (', '.join(known) or 'none')}"


class Signals(Mapping[str, Array]):
    """Signals by name: (n+1,) or (n+1, k) arrays."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    def __getitem__(self, name: str) -> Array:
        try:
            return np.asarray(self._tree[f"/signals/{name}"][()])
        except KeyError:
            raise KeyError(_unknown(name, "recorded", list(self))) from None

    def __iter__(self) -> Iterator[str]:
        return (name.removeprefix("/signals/") for name in self._tree if name.startswith("/signals/"))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        names = list(self)
        return f"<Signals: {', '.join(names[:8]) or 'none'}{', ...' if len(names) > 8 else ''}>"


class Named(Mapping[str, S]):
    """Contacts or joints by name; ``room`` is their group in the tree."""

    room = ""

    def __init__(self, tree: Tree, make: Callable[[str], S]) -> None:
        found = dict.fromkeys(name.split("/")[2] for name in tree if name.startswith(f"/{self.room}/"))
        # HDF5 sorts names; if the order of the model is stored, it is used
        order = f"/layout/{self.room}"
        first = [name.decode() for name in tree[order][()]] if order in tree else []
        self._names = sorted(found, key=lambda name: first.index(name) if name in first else len(first))
        self._make = make

    def __getitem__(self, name: str) -> S:
        if name not in self._names:
            raise KeyError(_unknown(name, self.room, self._names))
        return self._make(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {', '.join(self) or 'none'}>"


class Column:
    """An array of a contact, of a joint or of the energies: read on demand by its name in the tree."""

    def __init__(self, doc: str) -> None:
        self.__doc__ = doc

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, series: Series | None, owner: type | None = None) -> Array:
        if series is None:
            return self  # type: ignore[return-value]
        return np.asarray(series.tree[f"/{series.place}/{self._name}"][()])

    def __set__(self, series: Series, value: object) -> None:
        raise AttributeError(f"{self._name} of a result cannot be changed")


class Friction(Column):
    """An array that only contacts with friction have."""

    def __get__(self, series: Series | None, owner: type | None = None) -> Array:
        if series is not None and f"/{series.place}/{self._name}" not in series.tree:
            name = series.place.partition("/")[2]
            raise InputError(f"contact '{name}' has no friction of that kind: its {self._name} is not recorded")
        return super().__get__(series, owner)


class Part(Column):
    """An array that is recorded only if it can differ from zero."""

    def __get__(self, series: Series | None, owner: type | None = None) -> Array:
        if series is not None and f"/{series.place}/{self._name}" not in series.tree:
            return np.zeros(series.tree[series.shaped].shape)
        return super().__get__(series, owner)


class Series:
    """Arrays below a path of the tree."""

    shaped = "/time"
    """Array whose shape is used for arrays that are not recorded because they are zero."""

    def __init__(self, tree: Tree, place: str) -> None:
        self.tree, self.place = tree, place


class Contacts(Named["ContactSeries"]):
    """Contacts by name; ``NAME[k]`` is contact k of a group, counted from 0."""

    room = "contacts"

    def __getitem__(self, name: str) -> ContactSeries:
        group, _, place = name.removesuffix("]").rpartition("[")
        if name in self._names or not (name.endswith("]") and group in self._names and place.isdecimal()):
            return super().__getitem__(name)
        return self._make(group).only(int(place))


class Joints(Named["JointSeries"]):
    """Joints by name."""

    room = "joints"


class ContactSeries(Series):
    """One contact, (n+1,) arrays, or a group of m, (n+1, m) arrays."""

    def __init__(self, tree: Tree, name: str, h: float) -> None:
        super().__init__(tree, f"contacts/{name}")
        self.name, self._h, self.shaped = name, h, f"/contacts/{name}/gap"

    def __repr__(self) -> str:
        shape = self.tree[f"/contacts/{self.name}/gap"].shape
        size = f"group of {shape[1]}, " if len(shape) > 1 else ""
        words = ("gap", "velocity", "impulse", "force", *(w for w in FRICTION_WORDS if self.has(w)))
        return f"<ContactSeries {self.name!r}: {size}{shape[0]} samples of {', '.join(words)}>"

    def only(self, k: int) -> ContactSeries:
        """Return contact k of a group, counted from 0."""
        tree = one_contact(self.tree, self.name, k)
        return ContactSeries(tree, f"{self.name}[{k}]", self._h)

    def has(self, word: str) -> bool:
        """Return whether a quantity such as ``"slip"`` was recorded for this contact; frictionless ones have fewer."""
        return f"/{self.place}/{MAGNITUDES.get(word, word)}" in self.tree

    gap = Column("Distance to the obstacle, m.")
    velocity = Column("Relative velocity along the normal, m/s.")
    impulse = Column("Impulse since the previous sample, N s.")

    @property
    def force(self) -> Array:
        """Mean force since the previous sample, N: the impulse over that time."""
        return mean_force(self.impulse, np.asarray(self.tree["/step"][()]), self._h)

    slip = Friction("Relative velocity along the tangents of the contact, m/s.")
    tangential_impulse = Friction("Impulse along the tangents since the previous sample, N s.")
    rolling_rate = Friction("Angular velocity along the axes of rolling, then about the normal, rad/s.")
    rolling_impulse = Friction("Impulse of the moments along these axes since the previous sample, N m s.")
    work = Friction("Work of the normal impulses since the start, J.")

    @property
    def slip_speed(self) -> Array:
        """Norm of ``slip`` for each contact, (n+1,) or (n+1, m), m/s."""
        return sizes_of(self.tree, self.name, self.slip)

    @property
    def friction_impulse(self) -> Array:
        """Norm of ``tangential_impulse`` for each contact, (n+1,) or (n+1, m), N s."""
        return sizes_of(self.tree, self.name, self.tangential_impulse)

    @property
    def status(self) -> IntArray:
        """0 open, 1 sticks, 2 slips, in the step that ended at the sample; without friction closed ones slip."""
        if self.has("status"):
            return np.asarray(self.tree[f"/{self.place}/status"][()])
        return np.where(self.impulse > 0.0, SLIP, OPEN).astype(np.int8)

    work_friction = Part("Work of all other impulses since the start, J; zero without friction.")
    work_rolling = Part("The part of ``work_friction`` that comes from rolling and spinning, J.")
    work_cohesion = Part("The part of ``work_friction`` that comes from cohesion, J.")
    work_surface = Friction("Work supplied by a prescribed motion of the surface through the contact, J.")

    @property
    def work_body(self) -> Array:
        """Work of the contact on the bodies since the start, J, without the closings of event-driven runs."""
        return self.work + self.work_friction + self.work_surface

    @property
    def tangents(self) -> IntArray:
        """Number of tangents of each contact, (m,): columns of ``slip``, contact by contact; empty without friction."""
        if f"{LAWS}/slides" not in self.tree:
            return np.zeros(int(np.prod(self.tree[f"/{self.place}/gap"].shape[1:])), dtype=np.int64)
        return own_law(self.tree, self.name, "slides")

    @property
    def mu(self) -> Array:
        """Coefficient of friction of each contact, (m,): of Coulomb's law, of Stribeck's law the static one; or 0."""
        if f"{LAWS}/friction" not in self.tree:
            return np.zeros(int(np.prod(self.tree[f"/{self.place}/gap"].shape[1:])))
        return own_law(self.tree, self.name, "friction")[:, 0]

    @property
    def coefficients(self) -> tuple[float, ...]:
        """The coefficients that bound the cones of this contact, ascending: of Stribeck's law dynamic and static."""
        if f"{LAWS}/friction" not in self.tree:
            return (0.0,)
        rows = own_law(self.tree, self.name, "friction")
        dynamic = rows[rows[:, 1] == STRIBECK, 2]
        return tuple(sorted({*rows[:, 0].tolist(), *dynamic.tolist()}))


class JointSeries(Series):
    """One joint at the samples."""

    def __init__(self, tree: Tree, name: str) -> None:
        super().__init__(tree, f"joints/{name}")
        self.name = name

    def __repr__(self) -> str:
        shape = self.tree[f"/joints/{self.name}/force"].shape
        rows = shape[1] if len(shape) > 1 else 1
        words = f"force ({rows}), impulse ({rows}), position_error, velocity_error"
        return f"<JointSeries {self.name!r}: {shape[0]} samples of {words}>"

    force = Column("Forces (N) and torques (N m) along the rows of the joint, (n+1,) for one row, (n+1, m) for m.")
    impulse = Column(
        "Impulses (N s) and moments of impulses (N m s) along the rows since the previous sample, shaped as "
        "``force``. Those of impacts, which ``force`` does not contain; with Moreau-Jean's schemes, where joints "
        "act by impulses only, all of them."
    )
    position_error = Column("Largest error of the joint's rows in position, (n+1,), m or rad.")
    velocity_error = Column("Largest error of the joint's rows in velocity, (n+1,), m/s or rad/s.")


class EnergySeries(Series):
    """Energies at the samples and works since the start, each (n+1,), J."""

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree, "energy")

    def __repr__(self) -> str:
        total = self.total
        return f"<EnergySeries: {total.size} samples, total {total[0]:.6g} -> {total[-1]:.6g} J>"

    kinetic = Column("Kinetic energy.")
    potential = Column("Elastic energy and potential of constant forces (gravity).")

    @property
    def total(self) -> Array:
        """Sum of kinetic and potential energy."""
        return self.kinetic + self.potential

    work_external = Column("Work of loads, prescribed motions and cross-coupling.")
    work_drive = Column("The part of the external work that comes from driven joints, planes and rotors.")
    work_spin = Part(
        "The part of the work of drives that acts through forces of the spin of rotors: unbalance, skewed disks, a "
        "changing speed; the torque of a free spin."
    )
    work_cross = Column(
        "The part of the external work that comes from cross-coupling of bearings and internal damping of rotors."
    )
    work_damping = Column("Work of viscous forces.")
    work_contact = Column("Work of normal contact impulses, position corrections (GGL) included.")
    work_friction = Part("Work of all other contact impulses: sliding, rolling, spinning, cohesion.")
    work_rolling = Part("The part of the work of friction that comes from rolling and spinning.")
    work_cohesion = Part("The part of the work of friction that comes from cohesion.")
    work_projection = Part("Work of projections onto joints and closed contacts (runs with located events).")
    work_closing = Part("Work of normal impulses that end accumulations of impacts (runs with located events).")
    numerical = Column("Energy added by the scheme itself (usually negative).")
    residual = Column("Residual: total - initial - all works; round-off if the identity of the scheme closes.")
