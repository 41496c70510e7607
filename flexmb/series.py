"""What was recorded at the samples, by name: signals, contacts, joints, energies."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

import numpy as np

from flexmb.io.structure import Tree, mean_force
from flexmb.state import Array

S = TypeVar("S")


def _unknown(name: str, what: str, known: Sequence[str]) -> str:
    """Return that there is no such name, with those that are near, or with all when none is."""
    near = difflib.get_close_matches(str(name), known, n=3)
    return f"{name!r}; near to it: {', '.join(near)}" if near else f"{name!r}; {what}: {', '.join(known) or 'none'}"


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


class Contacts(Named["ContactSeries"]):
    """Contacts by name."""

    room = "contacts"


class Joints(Named["JointSeries"]):
    """Joints by name."""

    room = "joints"


class ContactSeries:
    """One contact, (n+1,) arrays, or a group of m, (n+1, m) arrays."""

    def __init__(self, tree: Tree, name: str, h: float) -> None:
        self._tree, self.name, self._h = tree, name, h

    def __repr__(self) -> str:
        shape = self._tree[f"/contacts/{self.name}/gap"].shape
        size = f"group of {shape[1]}, " if len(shape) > 1 else ""
        return f"<ContactSeries {self.name!r}: {size}{shape[0]} samples of gap, velocity, impulse, force>"

    @property
    def gap(self) -> Array:
        """Distance to the obstacle, m."""
        return self._read("gap")

    @property
    def velocity(self) -> Array:
        """Relative velocity along the normal, m/s."""
        return self._read("velocity")

    @property
    def impulse(self) -> Array:
        """Impulse that acted since the sample before, N s."""
        return self._read("impulse")

    @property
    def force(self) -> Array:
        """Mean force since the sample before, N: the impulse over that time."""
        return mean_force(self.impulse, np.asarray(self._tree["/step"][()]), self._h)

    def _read(self, what: str) -> Array:
        return np.asarray(self._tree[f"/contacts/{self.name}/{what}"][()])


class JointSeries:
    """One joint at the samples."""

    def __init__(self, tree: Tree, name: str) -> None:
        self._tree, self.name = tree, name

    def __repr__(self) -> str:
        shape = self._tree[f"/joints/{self.name}/force"].shape
        rows = shape[1] if len(shape) > 1 else 1
        words = f"force ({rows}), impulse ({rows}), position_error, velocity_error"
        return f"<JointSeries {self.name!r}: {shape[0]} samples of {words}>"

    @property
    def force(self) -> Array:
        """Forces (N) and torques (N m) along the rows of the joint, (n+1,) for one row, (n+1, m) for m."""
        return self._read("force")

    @property
    def impulse(self) -> Array:
        """Impulses (N s) and moments of impulses (N m s) along the rows since the sample before, shaped as ``force``.

        Those of impacts, which ``force`` does not contain; with Moreau-Jean's schemes, where joints act by impulses
        only, all of them.
        """
        return self._read("impulse")

    @property
    def position_error(self) -> Array:
        """Largest error of the joint's rows in position, (n+1,), m or rad."""
        return self._read("position_error")

    @property
    def velocity_error(self) -> Array:
        """Largest error of the joint's rows in velocity, (n+1,), m/s or rad/s."""
        return self._read("velocity_error")

    def _read(self, what: str) -> Array:
        return np.asarray(self._tree[f"/joints/{self.name}/{what}"][()])


class EnergySeries:
    """Energies at the samples and works since the start, each (n+1,), J."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    def _read(self, what: str) -> Array:
        return np.asarray(self._tree[f"/energy/{what}"][()])

    @property
    def kinetic(self) -> Array:
        """Kinetic energy."""
        return self._read("kinetic")

    @property
    def potential(self) -> Array:
        """Elastic energy and that of constant forces (gravity)."""
        return self._read("potential")

    @property
    def total(self) -> Array:
        """Kinetic and potential energy together."""
        return self.kinetic + self.potential

    @property
    def work_external(self) -> Array:
        """Work of loads, prescribed motions and cross-coupling."""
        return self._read("work_external")

    @property
    def work_drive(self) -> Array:
        """The part of the external work that comes from driven joints, planes and rotors."""
        return self._read("work_drive")

    @property
    def work_cross(self) -> Array:
        """The part of the external work that comes from cross-coupling of bearings and internal damping of rotors."""
        return self._read("work_cross")

    @property
    def work_damping(self) -> Array:
        """Work of viscous forces."""
        return self._read("work_damping")

    @property
    def work_contact(self) -> Array:
        """Work of contact impulses."""
        return self._read("work_contact")

    @property
    def numerical(self) -> Array:
        """What the scheme itself added (usually negative)."""
        return self._read("numerical")

    @property
    def residual(self) -> Array:
        """What is left over: total - initial - all works; round-off when the scheme's identity closes."""
        return self._read("residual")
