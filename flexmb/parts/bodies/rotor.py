"""Rotor: a spinning shaft with disks, bearings, couplings and unbalances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from flexmb.assembly.glyphs import BEARING, DISK, End, Glyph
from flexmb.checks.memory import Size
from flexmb.checks.values import check_name, choice, from_table, located, nonnegative, positive, unit, vector
from flexmb.errors import InputError
from flexmb.fem.line_sections import ROUND, LineSections, beam_stiffness, uniform
from flexmb.fem.material import Material
from flexmb.fem.mesh import LineMesh
from flexmb.fem.shaft import ShaftElements
from flexmb.parts.bodies.body import RESERVED_BODIES, BodyParts, Dof
from flexmb.parts.bodies.damping import Damping
from flexmb.parts.bodies.rotor_assembly import RotorAssembly
from flexmb.parts.bodies.rotor_bearings import RotorBearing
from flexmb.parts.bodies.rotor_couplings import Coupling
from flexmb.parts.bodies.rotor_disks import Disk, Unbalance
from flexmb.parts.bodies.rotor_shaft import add_shaft
from flexmb.parts.bodies.rotor_shape import BYTES_PER_ELEMENT, ShaftShape, shaft_shape
from flexmb.parts.bodies.rotor_spin import read_spin
from flexmb.parts.bodies.spin_parts import Spin, SpinParts
from flexmb.parts.bodies.straight import StraightBody, spatial_dofs
from flexmb.parts.bodies.supports import find_nodes
from flexmb.parts.speed_history import SpeedRange
from flexmb.state import Array, IntArray

LATERAL = ("v", "w", "theta_y", "theta_z")


@dataclass(frozen=True, kw_only=True)
class Rotor(StraightBody):
    """Rotor: a shaft that spins about its axis, with small displacements, and its disks, bearings and couplings.

    Local axes as for ``Beam``: the axis d, y = ``orientation`` made perpendicular to d, z = d x y; it spins about d
    from y to z. Unknowns of a node: displacements v, w along y and z, rotations theta_y = -dw/dx and theta_z = dv/dx
    (with shear: of the section); with ``unknowns = "all"`` also u along d and the twist phi.

    Parameters
    ----------
    name : str
        Name, unique among the bodies.
    stations : (n,) array_like
        The nodes along the axis, increasing, m; with ``outer_diameter`` and ``inner_diameter``, or ``sections``.
    outer_diameter, inner_diameter : float or (n - 1,) array_like
        Of all elements or of each, m.
    sections : sequence of ShaftSection or tables
        Segments of the shaft, instead of the stations. See ``ShaftSection``.
    material : Material or table
        Of the shaft; a section may have its own.
    theory : "timoshenko" or "euler-bernoulli"
        With or without shear.
    rotary_inertia : bool
        Whether the rotary inertia of the shaft sections and their gyroscopic moments are included.
    shear_factor : float, optional
        Shear coefficient k; by default Cowper's value for the circle or ring.
    unknowns : "lateral" or "all"
        "all": also axial displacements and the twist.
    drive : int or str
        Node whose rotation is the spin, so that its twist is zero; for ``unknowns = "all"``.
    position : (3,) array_like
        Of the first node, m.
    direction : (3,) array_like
        Of the axis; any length.
    orientation : (3,) array_like, optional
        Local y; not parallel to ``direction``. Default: global z x d, or global y when d is along z.
    velocity : (3,) array_like
        Initial velocity of all nodes, m/s.
    spin : table
        Speed over time: ``kind`` "constant", "ramp", "table" or "free" and its keys.
    damping : Damping, table or pair (alpha, beta), optional
        Rayleigh damping of the shaft, nonrotating.
    internal_damping : float
        Damping of the shaft material over its stiffness, s; it rotates with the shaft.
    disks : sequence of Disk or tables
        See ``Disk``.
    bearings : sequence of RotorBearing or tables
        See ``RotorBearing``.
    couplings : sequence of Coupling or tables
        See ``Coupling``.
    unbalances : sequence of Unbalance or tables
        See ``Unbalance``.
    supports : sequence of Support or tables
        See ``Support``.
    points : mapping
        Names for nodes, as for beams.
    """

    kind: ClassVar[str] = "rotor"

    stations: Sequence[float] | Array | None = None
    outer_diameter: float | Sequence[float] | Array | None = None
    inner_diameter: float | Sequence[float] | Array | None = None
    sections: Sequence[Any] | None = None
    material: Material | Mapping[str, Any] | None = None
    theory: str = "timoshenko"
    rotary_inertia: bool = True
    shear_factor: float | None = None
    unknowns: str = "lateral"
    drive: int | str = 0
    position: Sequence[float] | Array = (0.0, 0.0, 0.0)
    direction: Sequence[float] | Array = (1.0, 0.0, 0.0)
    orientation: Sequence[float] | Array | None = None
    velocity: Sequence[float] | Array = (0.0, 0.0, 0.0)
    spin: Mapping[str, Any] = field(default_factory=lambda: {"kind": "constant", "speed": 0.0})
    damping: Damping | Mapping[str, Any] | Sequence[float] | None = None
    internal_damping: float = 0.0
    disks: Sequence[Any] = ()
    bearings: Sequence[Any] = ()
    couplings: Sequence[Any] = ()
    unbalances: Sequence[Any] = ()
    supports: Sequence[Any] = ()
    points: Mapping[str, float | str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_name(self.name, "bodies", RESERVED_BODIES)
        choice(self.theory, "theory", self.where, ("timoshenko", "euler-bernoulli"))
        choice(self.unknowns, "unknowns", self.where, ("lateral", "all"))
        if not isinstance(self.rotary_inertia, bool):
            raise InputError("must be true or false", where=self.where, key="rotary_inertia", value=self.rotary_inertia)
        nonnegative(self.internal_damping, "internal_damping", self.where)
        if self.shear_factor is not None:
            positive(self.shear_factor, "shear_factor", self.where)
        self._line, self._nodes, self._spin  # noqa: B018  (each checks its keys)
        self._check_velocity()
        Damping.read(self.damping, f"{self.where}.damping")
        self._assembly  # noqa: B018  (reads the disks, bearings, ...)
        self._check_axial()

    @property
    def large_motion(self) -> bool:
        """Whether the spin changes, which requires the equations of large motion."""
        return not self._spin.constant

    def frame(self) -> tuple[Array, Array, Array]:
        """Return the local axes d, y, z."""
        return self._frame(self.orientation)

    def dofs(self) -> list[Dof]:
        """Return the unknowns of a node."""
        return [dof for dof in spatial_dofs(*self.frame()) if self.unknowns == "all" or dof.letter in LATERAL]

    def outer_radii(self) -> Array:
        """Return the outer radii of the elements, (n - 1,), m."""
        return 0.5 * self._shape.outer

    @cached_property
    def disk_list(self) -> list[tuple[int, Disk]]:
        """The disks and the nodes they are on."""
        return [(self._node(disk.node, where), disk) for disk, where in self._tables(Disk, "disks")]

    @cached_property
    def bearing_list(self) -> list[tuple[int, RotorBearing]]:
        """The bearings and the nodes they are on."""
        return [(self._node(bearing.node, where), bearing) for bearing, where in self._tables(RotorBearing, "bearings")]

    @cached_property
    def elements(self) -> ShaftElements:
        """The elements of the shaft; empty where there is a coupling."""
        coupled = [int(coupling.nodes[0]) for coupling, _ in self._tables(Coupling, "couplings")]
        return self._shape.elements(coupled, shear=self.theory == "timoshenko", kappa=self.shear_factor)

    def marks(self) -> list[Glyph]:
        """Return disks, bearings and supports, to be drawn."""
        axis = self.frame()[0]
        disks = [
            Glyph(DISK, self.name, End(self.node(node)), axis=axis, size=disk.drawn_size)
            for node, disk in self.disk_list
        ]
        held = [Glyph(BEARING, self.name, End(self.node(node)), End(), axis) for node, _ in self.bearing_list]
        return [*disks, *held, *super().marks()]

    def line_sections(self) -> LineSections:
        """Return the sections of the elements; a coupling has no section forces."""
        e = self.elements
        stiffness = beam_stiffness(e.EA, e.GJ, e.EI, e.EI, e.h, e.Phi)
        same = uniform(stiffness, e.h, np.column_stack(self.frame()), (ROUND, 0.0, 0.0))
        return replace(same, size=0.5 * np.column_stack([self._shape.outer, self._shape.inner]))

    def parts(self) -> BodyParts:
        """Return matrices and maps over the free unknowns."""
        a = self._assembly
        held = self._held().ravel()
        parts = self._reduce(a.matrix("M"), a.matrix("C"), a.matrix("K"), a.strain(), a.gravity)
        where = np.where(held, -1, np.cumsum(~held) - 1)
        # a motion with stiffness of a bearing counts as supported
        motions = np.zeros((a.size, parts.rigid_free.shape[1]))
        motions[~held], motions[held] = parts.rigid_free, parts.rigid_held
        resisted = [a.strain().modes(motions), *(motions[table.unknowns] for table in a.tables)]
        rigid_held = np.vstack([parts.rigid_held, *resisted])
        return replace(parts, spin=self._spin_parts(a, where), rigid_held=rigid_held, single=not len(parts.cells))

    def support_forces(self, q: Array, acceleration: Array, speed: float) -> tuple[np.ndarray, Array]:
        """Return which displacements along y and z supports fix, (n, 2), and the forces that balance the nodes, N.

        Parameters
        ----------
        q : (nv,) array
            Free unknowns of the rotor at rest.
        acceleration : (3,) array
            Of gravity, m/s^2.
        speed : float
            rad/s.
        """
        a, held = self._assembly, self._held().ravel()
        x = np.zeros(a.size)
        x[~held] = q
        force = a.strain().force(x) + (a.matrix("cross") + speed * a.matrix("circulation")) @ x
        for table in a.tables:
            force += table.placed(table.at(speed)[0], a.size) @ x
        force -= a.gravity @ acceleration
        across = a.along(("v", "w")).reshape(-1, 2)
        return held[across], force[across]

    @property
    def total_mass(self) -> float:
        """Mass of shaft, disks and couplings, kg."""
        return self._assembly.mass

    def memory(self, large: bool) -> Size:
        """Return the memory requirement of the body in a model."""
        elements = self._shape.x.size - 1
        return Size(self.where, elements, BYTES_PER_ELEMENT * elements)

    @cached_property
    def _shape(self) -> ShaftShape:
        return shaft_shape(
            self.stations, self.outer_diameter, self.inner_diameter, self.sections, self.material, self.where
        )

    @cached_property
    def _line(self) -> LineMesh:  # type: ignore[override]
        return LineMesh(
            self._shape.x,
            vector(self.position, "position", self.where),
            unit(self.direction, "direction", self.where),
        )

    @property
    def _x(self) -> Array:  # type: ignore[override]
        return self._line.x

    @property
    def _center(self) -> float:
        return self._assembly.mass_moment / self._assembly.mass

    @property
    def _radius(self) -> float:
        return float(np.average(self.outer_radii(), weights=np.diff(self._x)))

    @property
    def _moves(self) -> str:
        return "perpendicular to the rotor's axis" if self.unknowns == "lateral" else "in space"

    @cached_property
    def _spin(self) -> Spin:
        speeds = [(node, bearing.law().speed) for node, bearing in self.bearing_list]
        tables = [
            SpeedRange(float(speed[0]), float(speed[-1]), f"the table of the bearing on node({node})")
            for node, speed in speeds
            if speed is not None
        ]
        return read_spin(self.spin, tables, f"{self.where}.spin")

    def _held(self) -> np.ndarray:
        held = super()._held()
        if self.unknowns == "all":
            held[self._node(self.drive, self.where, "drive"), 3] = True
        return held

    def _node(self, node: object, where: str, key: str = "node") -> int:
        """Return the single node of this rotor for a reference."""
        try:
            found = find_nodes(node, self._nodes, self.name, where)
        except InputError as err:
            raise InputError(err.message, where=where, key=key, value=node) from None
        if found.size != 1:
            raise InputError(
                f"denotes {found.size} nodes, but a single one is required", where=where, key=key, value=node
            )
        return int(found[0])

    def _tables(self, cls: type[Any], key: str) -> list[tuple[Any, str]]:
        """Return the parts listed under a key, with their locations."""
        given = getattr(self, key)
        if isinstance(given, str | Mapping | cls) or not isinstance(given, Sequence):
            raise InputError("must be a list of tables", where=self.where, key=key, value=given)
        out = []
        for number, item in enumerate(given):
            where = f"{self.where}.{key}[{number}]"
            if isinstance(item, cls):
                out.append((item, where))
            elif isinstance(item, Mapping):
                out.append((from_table(cls, item, where), where))
            else:
                raise InputError(f"must be a table or a {cls.__name__}", where=where, value=item)
        return out

    @cached_property
    def _assembly(self) -> RotorAssembly:
        """All matrices over all unknowns."""
        a = RotorAssembly(self.dofs(), self._x)
        couplings = self._tables(Coupling, "couplings")
        seen: set[int] = set()
        for coupling, where in couplings:
            first = self._node(int(coupling.nodes[1]), where, "nodes") - 1
            if first in seen:
                message = "there is a coupling already between these nodes"
                raise InputError(message, where=where, key="nodes", value=list(coupling.nodes))
            seen.add(first)
        damping = Damping.read(self.damping, f"{self.where}.damping")
        add_shaft(a, self.elements, self.frame(), self.rotary_inertia, damping, float(self.internal_damping))
        for coupling, where in couplings:
            with located(where):
                coupling.add_to(a)
        for cls, key in ((Disk, "disks"), (RotorBearing, "bearings"), (Unbalance, "unbalances")):
            for part, where in self._tables(cls, key):
                node = self._node(part.node, where)
                with located(where):
                    part.add_to(a, node, f"{self.name}.node({node})")
        if a.mass == 0.0:
            raise InputError("has no mass", where=self.where)
        return a

    def _check_axial(self) -> None:
        """Raise if a rotor with axial unknowns is not supported along its axis."""
        if self.unknowns == "lateral":
            return
        u = self._assembly.along(("u",))
        along = np.zeros(self._assembly.size)
        along[u] = 1.0
        # exactly zero without stiffness: the modes of the shaft are differences
        if not self._assembly.strain().energy(along) and not self._held().ravel()[u].any():
            message = 'the rotor has no support along its axis: add a support { node = .., fix = ["axial"] }'
            raise InputError(f"{message} or a bearing with axial stiffness", where=self.where, key="unknowns")

    def _spin_parts(self, a: RotorAssembly, where: IntArray) -> SpinParts:
        """Return the effects of spin, over the free unknowns; ``where`` is -1 for fixed ones."""
        free = np.flatnonzero(where >= 0)
        m = np.zeros(a.size)
        if a.has("phi"):
            twist = a.along(("phi",))
            m[twist] = a.matrix("M")[twist][:, twist].sum(axis=1)
        tables = []
        for table in a.tables:
            on = np.flatnonzero(where[table.unknowns] >= 0)
            K, C = (A[:, on[:, None], on] for A in (table.K, table.C))
            tables.append(replace(table, unknowns=where[table.unknowns[on]], K=K, C=C))
        matrices = {
            which: sparse.csr_array(a.matrix(which)[free][:, free])
            for which in ("gyro", "circulation", "skew_damping", "cross", "resistance")
        }
        return SpinParts(
            **matrices,
            tables=tuple(tables),
            excitations=tuple(replace(e, a=int(where[e.a]), b=int(where[e.b])) for e in a.excitations),
            spin=replace(self._spin, inertia=a.inertia, torsion=m[free]),
            axis=np.column_stack(self.frame()),
        )
