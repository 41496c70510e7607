"""What was recorded at the samples, by name: signals, contacts, joints, energies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

import numpy as np

from flexmb.checks.values import nearest
from flexmb.record.io.structure import Tree, mean_force
from flexmb.state import Array

S = TypeVar("S")


def _unknown(name: str, what: str, known: Sequence[str]) -> str:
    """Return that there is no such name, with those that are near, or with all when none is."""
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


class Named(Mapping[str, S]):
    """Contacts or joints by name; ``room`` is the group of the tree they stand in."""

    room = ""

    def __init__(self, tree: Tree, make: Callable[[str], S]) -> None:
        found = dict.fromkeys(name.split("/")[2] for name in tree if name.startswith(f"/{self.room}/"))
        # HDF5 sorts names; where the order of the model is stored, it is that
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
    """An array of a contact, of a joint or of the energies: read when it is asked for, under its name in the tree."""

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


class Series:
    """Arrays below a place of the tree."""

    def __init__(self, tree: Tree, place: str) -> None:
        self.tree, self.place = tree, place


class Contacts(Named["ContactSeries"]):
    """Contacts by name."""

    room = "contacts"


class Joints(Named["JointSeries"]):
    """Joints by name."""

    room = "joints"


class ContactSeries(Series):
    """One contact, (n+1,) arrays, or a group of m, (n+1, m) arrays."""

    def __init__(self, tree: Tree, name: str, h: float) -> None:
        super().__init__(tree, f"contacts/{name}")
        self.name, self._h = name, h

    def __repr__(self) -> str:
        shape = self.tree[f"/contacts/{self.name}/gap"].shape
        size = f"group of {shape[1]}, " if len(shape) > 1 else ""
        return f"<ContactSeries {self.name!r}: {size}{shape[0]} samples of gap, velocity, impulse, force>"

    gap = Column("Distance to the obstacle, m.")
    velocity = Column("Relative velocity along the normal, m/s.")
    impulse = Column("Impulse that acted since the sample before, N s.")

    @property
    def force(self) -> Array:
        """Mean force since the sample before, N: the impulse over that time."""
        return mean_force(self.impulse, np.asarray(self.tree["/step"][()]), self._h)


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
        "Impulses (N s) and moments of impulses (N m s) along the rows since the sample before, shaped as "
        "``force``. Those of impacts, which ``force`` does not contain; with Moreau-Jean's schemes, where joints "
        "act by impulses only, all of them."
    )
    position_error = Column("Largest error of the joint's rows in position, (n+1,), m or rad.")
    velocity_error = Column("Largest error of the joint's rows in velocity, (n+1,), m/s or rad/s.")


class EnergySeries(Series):
    """Energies at the samples and works since the start, each (n+1,), J."""

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree, "energy")

    kinetic = Column("Kinetic energy.")
    potential = Column("Elastic energy and that of constant forces (gravity).")

    @property
    def total(self) -> Array:
        """Kinetic and potential energy together."""
        return self.kinetic + self.potential

    work_external = Column("Work of loads, prescribed motions and cross-coupling.")
    work_drive = Column("The part of the external work that comes from driven joints, planes and rotors.")
    work_cross = Column(
        "The part of the external work that comes from cross-coupling of bearings and internal damping of rotors."
    )
    work_damping = Column("Work of viscous forces.")
    work_contact = Column("Work of contact impulses.")
    numerical = Column("What the scheme itself added (usually negative).")
    residual = Column("What is left over: total - initial - all works; round-off when the scheme's identity closes.")
