"""``Builder``: collects the contributions of the parts of a model for the arrays of ``kernels.geometry.tables``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from scipy import sparse

from flexmb.assembly.attached import Attached
from flexmb.assembly.bending import Bending
from flexmb.assembly.markers import BodyInfo, Marker, find_markers, ground
from flexmb.assembly.rotors import BearingTable, RotorData
from flexmb.assembly.rows_beside import RowBeside
from flexmb.errors import InputError
from flexmb.kernels.geometry import tables as tab
from flexmb.kernels.geometry.curves import NEXT, PREVIOUS
from flexmb.laws.contact_law import ContactLaw
from flexmb.state import Array, IntArray


class Function(Protocol):
    """A function of time that the compiled loops can evaluate."""

    def code(self) -> tuple[int, Array]:
        """Return its kind (see ``kernels.geometry.tables``) and its numbers."""
        ...


@dataclass
class Group:
    """The rows of one joint or contact.

    One with ``spheres``, radii in m, has no rows yet: its labels and points are those of the spheres, and pairs of them
    get rows while they are close (``sphere_pairs``). ``law`` is that of the contact, ``where`` its place in a file.
    """

    name: str
    labels: list[str] = field(default_factory=list)
    e: float = 0.0
    driven: bool = False
    points: list[tuple[int, int]] = field(default_factory=list)
    angle: int = -1
    role: str = "joints"
    spheres: Array | None = None
    law: ContactLaw = field(default_factory=ContactLaw)
    where: str = ""

    def __post_init__(self) -> None:
        self.where = self.where or f"{self.role}.{self.name}"


class Builder:
    """Unknowns, places, rows and forces of a model under construction.

    Parameters
    ----------
    gravity : (3,) array
        m/s^2.
    t0 : float
        Start time of the run, s.
    expected : int
        Number of bodies that will be added.
    """

    def __init__(self, gravity: Array, t0: float, expected: int = 1) -> None:
        self.gravity, self.t0, self.expected = gravity, t0, expected
        self.q0: list[float] = []
        self.v0: list[float] = []
        self.dof_names: list[str] = []
        self.frames: list[tuple[int, int]] = []
        self.plain: list[tuple[int, int]] = []
        self.spins: list[tuple[int, int]] = []
        self.turning: list[int] = []
        self.matrices: dict[str, list[tuple[IntArray, IntArray, Array]]] = {"M": [], "C": [], "K": []}
        self.forces: list[tuple[IntArray, Array]] = []
        self.V0 = 0.0
        self.bodies: dict[str, BodyInfo] = {}
        self.markers: list[tuple[Marker, Array]] = []
        self._marker_of: dict[bytes, int] = {}
        self.pairs: list[tuple[int, int]] = []
        self.functions: list[Function] = []
        self._function_of: dict[int, int] = {}
        self.angles: list[tuple[int, int]] = []
        self._angle_of: dict[tuple[int, int], int] = {}
        self._start: Array = np.zeros(0)
        self.joints: list[Group] = []
        self.attached: list[Attached] = []
        self.contacts: list[Group] = []
        self.rows: dict[str, list[dict[str, object]]] = {"joints": [], "contacts": []}
        self.beside: dict[int, list[RowBeside]] = {}
        self.curves: list[Array] = []
        self.chains: list[tuple[tuple[int, int, int, int], float]] = []
        self.springs: list[dict[str, object]] = []
        self.torsions: list[dict[str, object]] = []
        self.pushes: list[dict[str, object]] = []
        self.beams: list[dict[str, object]] = []
        self.floating: list[dict[str, object]] = []
        self.bends: list[Bending] = []
        self.rotors: list[RotorData] = []
        self.spans: list[tuple[str, object]] = []
        self.marker(ground(np.zeros(3)))

    # unknowns -------------------------------------------------------------------------------------------------

    def add_frame(self, x: Array, p: Array, velocity: Array, omega: Array, label: str) -> tuple[int, int]:
        """Add a frame at x with quaternion p, velocity in space and omega in its own axes; return (iq, iv)."""
        iq, iv = len(self.q0), len(self.v0)
        self.q0 += [*map(float, x), *map(float, p)]
        self.v0 += [*map(float, velocity), *map(float, omega)]
        self.frames.append((iq, iv))
        self.plain += [(iq + k, iv + k) for k in range(3)]
        self.turning += [iv + 3, iv + 4, iv + 5]
        self.dof_names += [f"{label}.{name}" for name in ("x", "y", "z", "turn_x", "turn_y", "turn_z")]
        return iq, iv

    def add_plain(
        self, q: Array, v: Array, names: Sequence[str], angles: Sequence[int] | IntArray = ()
    ) -> tuple[int, int]:
        """Add plain unknowns with initial values, some of them ``angles``; return the index of the first in q and v."""
        iq, iv = len(self.q0), len(self.v0)
        self.turning += [iv + int(k) for k in angles]
        self.q0 += [float(x) for x in q]
        self.v0 += [float(x) for x in v]
        self.plain += [(iq + k, iv + k) for k in range(len(q))]
        self.dof_names += list(names)
        return iq, iv

    def add_spin(self, q: float, v: float, name: str) -> tuple[int, int]:
        """Add the angle of a free spin; return its index in q and v."""
        iq, iv = self.add_plain(np.array([q]), np.array([v]), [name], angles=[0])
        self.spins.append(self.plain.pop())
        return iq, iv

    def add_matrix(self, which: str, index: IntArray, block: Array | sparse.sparray) -> None:
        """Add a block to M, C or K over the unknowns ``index`` (of v)."""
        index = np.asarray(index, dtype=np.int64)
        if isinstance(block, np.ndarray):  # much faster than with scipy
            row, col = np.nonzero(block)
            data = block[row, col]
        else:
            csr = sparse.csr_array(block)  # type: ignore[call-overload]
            row, col, data = np.repeat(np.arange(csr.shape[0]), np.diff(csr.indptr)), csr.indices, csr.data
        self.matrices[which].append((index[row], index[col], np.asarray(data, dtype=np.float64)))

    def add_force(self, index: IntArray, force: Array, V0: float = 0.0) -> None:
        """Add a constant conservative force on plain unknowns (potential V0 - force . q)."""
        self.forces.append((np.asarray(index, dtype=np.int64), np.asarray(force, dtype=np.float64)))
        self.V0 += float(V0)

    # places ---------------------------------------------------------------------------------------------------

    def add_body(self, info: BodyInfo) -> None:
        """Register a body and its places."""
        self.bodies[info.name] = info

    def places(self, ref: object, where: str, key: str = "node") -> list[Marker]:
        """Return the places of a reference: "ground", "BODY", "BODY.POINT", "BODY.node(3)", "BODY.all"."""
        return find_markers(self.bodies, ref, where, key)

    def place(self, ref: object, where: str, key: str = "node", point: Array | None = None) -> Marker:
        """Return the single place of a reference; ``point`` (in space) selects a point of a rigid body or ground."""
        if point is not None:
            name = str(ref)
            if name == "ground":
                return ground(point)
            info = self.bodies.get(name)
            if info is not None and info.rigid and info.attach is not None:
                at = info.attach
                local = at.axes.T @ (np.asarray(point, dtype=np.float64) - at.position)
                return replace(at, position=np.asarray(point, dtype=np.float64), local=local + at.local, label=name)
        found = self.places(ref, where, key)
        if len(found) != 1:
            message = f"denotes {len(found)} nodes, but a single one is required"
            raise InputError(message, where=where, key=key, value=str(ref))
        return found[0]

    def marker(self, place: Marker, axes: Array | None = None) -> int:
        """Return the marker at a place with the axes ``axes`` (columns, in space) at the start."""
        R0 = np.eye(3) if axes is None else place.axes.T @ axes
        key = b"".join(
            np.ascontiguousarray(x).tobytes()
            for x in (np.array([place.kind, place.iq, place.iv]), place.local, R0, place.dof, place.D)
        )
        if key not in self._marker_of:
            self._marker_of[key] = len(self.markers)
            self.markers.append((place, np.asarray(R0, dtype=np.float64)))
        return self._marker_of[key]

    def add_pairs(self, markers: Sequence[int]) -> int:
        """Return the first of the k^2 pairs of a law over k markers."""
        first = len(self.pairs)
        self.pairs += [(i, j) for i in markers for j in markers]
        return first

    def function(self, f: Function | None) -> int:
        """Return the number of a time function, -1 for none."""
        if f is None:
            return -1
        if id(f) not in self._function_of:  # the list keeps a reference, so that its id is not reused
            self._function_of[id(f)] = len(self.functions)
            self.functions.append(f)
        return self._function_of[id(f)]

    def angle(self, A: int, B: int) -> int:
        """Return the number of the relative angle of marker B about the z axis of marker A."""
        if (A, B) not in self._angle_of:
            self._angle_of[A, B] = len(self.angles)
            self.angles.append((A, B))
        return self._angle_of[A, B]

    def start(self) -> Array:
        """Return the initial positions, with their low-order parts (zeros), of the unknowns added so far."""
        if self._start.size != 2 * len(self.q0):
            self._start = np.concatenate([self.q0, np.zeros(len(self.q0))])
        return self._start

    # joints and contacts --------------------------------------------------------------------------------------

    def begin_joint(self, name: str) -> Group:
        """Start the rows of a joint."""
        self.joints.append(Group(name))
        return self.joints[-1]

    def begin_contact(self, name: str, law: ContactLaw) -> Group:
        """Start the rows of a contact."""
        if any(group.name == name for group in self.contacts):
            message = "there is already a contact of this name: the friction of a joint is recorded as JOINT_friction"
            raise InputError(message, where=f"contacts.{name}")
        self.contacts.append(Group(name, e=law.e, role="contacts", law=law))
        return self.contacts[-1]

    def add_beside(self, rows: Sequence[RowBeside]) -> None:
        """Add rows beside the normal of the last added contact."""
        if rows:
            self.beside[len(self.rows["contacts"]) - 1] = list(rows)

    def add_spheres(self, name: str, places: Sequence[Marker], radii: Sequence[float], law: ContactLaw) -> None:
        """Add spheres with contacts between all pairs."""
        group = self.begin_contact(name, law)
        group.spheres = np.array(radii, dtype=np.float64)
        group.labels = [f"{name}[{place.label}]" for place in places]
        group.points = [(self.marker(place), 0) for place in places]

    def add_row(
        self,
        group: Group,
        kind: int,
        markers: Sequence[int],
        label: str,
        *,
        a: Array | Sequence[float] = (0.0, 0.0, 0.0),
        b: Array | Sequence[float] = (0.0, 0.0, 0.0),
        c: float = 0.0,
        function: Function | None = None,
        cf: float = 0.0,
        angle: tuple[int, int] = (-1, -1),
    ) -> None:
        """Add a row to a joint or contact; ``label`` names its component ("x", "axis", ...)."""
        group.labels.append(label)
        self.rows[group.role].append(
            {
                "kind": kind,
                "markers": tuple(markers),
                "a": np.asarray(a, dtype=np.float64),
                "b": np.asarray(b, dtype=np.float64),
                "c": float(c),
                "function": self.function(function),
                "cf": float(cf),
                "angle": angle,
                "pair": self.add_pairs(markers),
            }
        )

    def add_curve(self, pieces: Array, chains: Sequence[tuple[int, int]], side: float) -> list[int]:
        """Add a curve, (np, NUMBERS) numbers of ``geometry.curves``; return the numbers of its chains of pieces."""
        first, known = sum(len(p) for p in self.curves), len(self.chains)
        pieces = pieces.copy()
        for column in (PREVIOUS, NEXT):
            pieces[:, column] += np.where(pieces[:, column] >= 0, first, 0)
        self.curves.append(pieces)
        whole = (first, first + len(pieces) - 1)
        self.chains += [((first + a, first + b, *whole), side) for a, b in chains]
        return list(range(known, len(self.chains)))

    # forces ---------------------------------------------------------------------------------------------------

    def add_spring(
        self,
        A: int,
        B: int,
        *,
        k: float = 0.0,
        c: float = 0.0,
        length: float = 0.0,
        preload: float = 0.0,
        n: Array | None = None,
    ) -> None:
        """Add a spring-damper; ``n`` gives it a direction fixed in space."""
        pair = self.add_pairs((A, B))
        directed = 0 if n is None else 1
        n = np.zeros(3) if n is None else n
        self.springs.append(dict(A=A, B=B, directed=directed, n=n, k=k, c=c, length=length, preload=preload, pair=pair))

    def add_torsion(self, angle: int, *, k: float, c: float, rest: float) -> None:
        """Add a torsional spring-damper on a relative angle."""
        self.torsions.append(dict(angle=angle, k=k, c=c, rest=rest, pair=self.add_pairs(self.angles[angle])))

    def add_push(self, marker: int, force: Array, torque: Array, follower: bool, f: Function) -> None:
        """Add a force and torque times a function of time."""
        pair = self.add_pairs((marker,))
        self.pushes.append(
            dict(
                marker=marker, force=force, torque=torque, follower=int(follower), function=self.function(f), pair=pair
            )
        )

    def add_beam(self, A: int, B: int, *, length: float, D: Array, gamma0: Array, kappa0: Array, beta: float) -> None:
        """Add an element of a geometrically exact beam."""
        pair = self.add_pairs((A, B))
        self.beams.append(dict(A=A, B=B, length=length, D=D, gamma0=gamma0, kappa0=kappa0, beta=beta, pair=pair))

    def add_floating(self, **data: object) -> None:
        """Add a floating body; keys as the fields of ``kernels.geometry.tables.Floating`` for one body."""
        self.floating.append(data)

    def add_rotor(self, data: RotorData) -> None:
        """Add the effects of spin to a body."""
        self.rotors.append(data)

    def add_to_rotor(self, name: str, matrices: tuple[IntArray, Array], tables: Sequence[BearingTable]) -> None:
        """Add entries (m, 2) with values (m, 5), and tables of bearings, to an existing rotor."""
        k = next(k for k, rotor in enumerate(self.rotors) if rotor.name == name)
        old = self.rotors[k]
        entry, value = np.vstack([old.entry, matrices[0]]), np.vstack([old.value, matrices[1]])
        self.rotors[k] = replace(old, entry=entry, value=value, tables=(*old.tables, *tables))

    # the arrays -----------------------------------------------------------------------------------------------

    def build(self) -> tab.System:
        """Return the arrays."""
        from flexmb.assembly.table_arrays import system_of

        return system_of(self)
