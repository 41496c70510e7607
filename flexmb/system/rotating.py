"""``RotatingSystem``: the linear system of a model with rotors as a function of their speed.

    M x'' + C(W) x' + K(W) x = F0 + rotating forces

Contacts are taken as open, bodies in large motion and joints do not belong here. All the matrices of
``parts.bodies.spin_parts`` are in C and K, which are therefore not symmetric.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from scipy import sparse

from flexmb.assembly.kinematics import Kinematics
from flexmb.checks.values import vector
from flexmb.errors import InputError
from flexmb.parts.bearing_law import BearingLaw
from flexmb.parts.bodies.rotor import Rotor
from flexmb.parts.bodies.rotor_bearings import MOTIONS
from flexmb.parts.bodies.spin_parts import SpeedTable, SpinParts
from flexmb.parts.loads.bearing import Bearing as BearingLoad
from flexmb.parts.loads.terms import LoadPart, RotatingTerms
from flexmb.parts.time_functions import Constant
from flexmb.state import Array, IntArray
from flexmb.system.linear_system import Layout
from flexmb.system.model import Model
from flexmb.system.small_motion import SmallMotion, loose_body, small_motion
from flexmb.system.spinning import rotating_terms


class HasModel(Protocol):
    """A case, or any other object with a model."""

    def model(self) -> Model:
        """Return the model."""
        ...


@dataclass(frozen=True)
class Bearing:
    """A bearing with known force law; its matrices are included in those of the system already.

    Parameters
    ----------
    label : str
        ``rotor.node(4)``, or ``loads.pedestal`` of a bearing between bodies.
    ratio : float
        Speed of its rotor over that of the system.
    table : SpeedTable
        K and C over its motions, of which the first two are the displacements along y and z.
    motions : (m, nv) sparse array
        The motions by the unknowns.
    point : int
        Its node, as a point of the layout.
    """

    label: str
    ratio: float
    table: SpeedTable
    motions: sparse.csr_array
    point: int

    def force(self, speed: float, x: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return the force of the shaft on the bearing along y and z, (2,), for displacements x and velocities v."""
        K, C = self.table.at(self.ratio * speed)
        return np.asarray(K[:2] @ (self.motions @ x) + C[:2] @ (self.motions @ v))


@dataclass(frozen=True)
class Spinning:
    """One rotor of the system.

    Parameters
    ----------
    name : str
    ratio : float
        Its speed over the speed of the system.
    parts : SpinParts
        With unknowns numbered as in the system.
    points : (n,) int array
        Its nodes, as points of the layout.
    """

    name: str
    ratio: float
    parts: SpinParts
    points: IntArray


@dataclass(frozen=True)
class RotatingSystem:
    """Linear system with rotors: M, C, K at any speed, and further data for the analyses.

    Parameters
    ----------
    M, C, K : (nv, nv) sparse arrays
        Symmetric parts that do not depend on the speed; use ``at``.
    rotors : tuple of Spinning
    speed : float
        Initial speed of the model, rad/s.
    F0 : (nv,) array
        Gravity, preload of springs and constant loads.
    nodes : Kinematics
    layout : Layout
    dof_names : tuple of str
    bearings : tuple of Bearing
    acceleration : (3,) array
        Of gravity, m/s^2.
    loose : str
        A body with a rigid-body motion, empty if there is none.
    bodies : mapping of str to bodies
        Those of the model.
    loads : tuple of LoadPart
        Springs, bearings and constant forces, which act in a static state.
    """

    M: sparse.csr_array
    C: sparse.csr_array
    K: sparse.csr_array
    rotors: tuple[Spinning, ...]
    speed: float
    F0: Array
    nodes: Kinematics
    layout: Layout
    dof_names: tuple[str, ...]
    bearings: tuple[Bearing, ...]
    acceleration: Array
    loose: str
    bodies: Mapping[str, object]
    loads: tuple[LoadPart, ...]

    @property
    def nv(self) -> int:
        """Number of unknowns."""
        return int(self.F0.size)

    @property
    def axis(self) -> Array:
        """Columns d, y, z of the first rotor's frame, (3, 3)."""
        return self.rotors[0].parts.axis

    @property
    def span(self) -> tuple[float, float]:
        """Lowest and highest speed of the first rotor in the model, rad/s; equal if it is constant or free."""
        spin = self.rotors[0].parts.spin
        speeds = np.asarray(getattr(spin.angle, "speed", spin.speed))
        return float(speeds.min()), float(speeds.max())

    def at(self, speed: float) -> tuple[sparse.csr_array, sparse.csr_array, sparse.csr_array]:
        """Return M, C and K at a speed, rad/s."""
        return self.at_each([rotor.ratio * speed for rotor in self.rotors])

    def at_each(self, speeds: Sequence[float] | Array) -> tuple[sparse.csr_array, sparse.csr_array, sparse.csr_array]:
        """Return M, C and K for an individual speed of each rotor, rad/s."""
        C, K = self.C, self.K
        for rotor, speed in zip(self.rotors, speeds, strict=True):
            more = rotor.parts.matrices(float(speed))
            C, K = C + more[0], K + more[1]
        return self.M, sparse.csr_array(C), sparse.csr_array(K)

    def beyond_tables(self, speeds: Sequence[float] | Array) -> list[str]:
        """Return a note for each bearing whose table does not cover these speeds, where its end values are used."""
        found = []
        for rotor in self.rotors:
            turns = rotor.ratio * np.asarray(speeds, dtype=np.float64)
            for table in rotor.parts.tables:
                low, high = float(table.speed[0]), float(table.speed[-1])
                slack = 1e-9 * (high - low)
                if turns.min() < low - slack or turns.max() > high + slack:
                    words = f"the table of the bearing at {table.label} covers {low:g} to {high:g} rad/s"
                    found.append(f"{words}; outside it has its end values")
        return found

    def orbits(self, X: np.ndarray, *, slopes: bool = False, axis: Array | None = None) -> np.ndarray:
        """Return the displacements of all points along y and z of the first rotor, (n, 2, ...), of X (nv, ...).

        With ``slopes`` the inclinations of the axis towards y and z, (theta_z, -theta_y). ``axis``: the columns d, y, z
        of another rotor.
        """
        axis = self.axis if axis is None else axis
        _, y, z = axis.T
        D, along = (
            (self.layout.rotation, np.column_stack([z, -y])) if slopes else (self.layout.displacement, axis[:, 1:])
        )
        u = np.asarray(D @ X).reshape(len(self.layout.points), 3, *X.shape[1:])
        return np.asarray(np.einsum("nc...,cd->nd...", u, along))

    def labels(self) -> list[str]:
        """Return the names of all points."""
        return self.nodes.labels(np.arange(len(self.layout.points)))

    def stations(self) -> Array:
        """Return the coordinates of all points along the axis of the first rotor, from its first node, (n,), m."""
        origin = self.layout.points[self.rotors[0].points[0]]
        return np.asarray((self.layout.points - origin) @ self.axis[:, 0])


def rotating_system(model: Model | HasModel | RotatingSystem, *, same_speed: bool = False) -> RotatingSystem:
    """Return the linear system of a model (or case) with at least one rotor.

    Parameters
    ----------
    model : Model or Case
    same_speed : bool
        Whether all rotors have the speed of the system. By default they keep the ratios of the constant speeds in the
        model, with the first rotor at the speed of the system; rotors of varying, free or zero speed have that of the
        first.
    """
    if isinstance(model, RotatingSystem):
        return model
    if not isinstance(model, Model):
        model = model.model()
    _check(model)
    small = small_motion(model.bodies, model.loads)
    spins = {name: parts.spin for name, parts in small.bodies.items() if parts.spin is not None}
    if not spins:
        message = f"there is no rotor in this model; bodies: {', '.join(small.bodies)}"
        raise InputError(message, where="bodies")
    ratios = _ratios(list(spins.values()), same_speed)
    rotors: list[Spinning] = []
    first = 0
    for name, parts in small.bodies.items():
        if name in spins:
            table = small.nodes.bodies[name]
            points = table.first + np.arange(table.count)
            rotors.append(Spinning(name, ratios[len(rotors)], spins[name].moved(first, small.nodes.nv), points))
        first += parts.nv
    for bearing in rotating_terms(small.terms.values(), small.bodies):
        k = next(k for k, rotor in enumerate(rotors) if rotor.name == bearing.rotor)
        rotors[k] = replace(rotors[k], parts=_with_bearing(rotors[k].parts, bearing))
    lasting = _lasting(small, model.initial_static)
    return RotatingSystem(
        M=small.M,
        C=small.C,
        K=small.K,
        rotors=tuple(rotors),
        speed=rotors[0].parts.spin.speed,
        F0=model.weight(small.bodies)[0] + small.springs.F0 + _constant_loads(small, lasting),
        nodes=small.nodes,
        layout=small.layout,
        dof_names=small.dof_names,
        bearings=(
            *(b for rotor in rotors for b in _bearings(model.bodies[rotor.name], rotor, small.dof_names)),
            *_bearings_between(model, small, rotors),
        ),
        acceleration=np.zeros(3) if model.gravity is None else vector(model.gravity, "acceleration", "gravity"),
        loose=loose_body(small.bodies, small.springs.held),
        bodies=dict(model.bodies),
        loads=tuple(model.loads[name] for name in lasting),
    )


def has_rotor(model: Model) -> bool:
    """Return whether any body of a model spins."""
    return any(getattr(body, "kind", "") == Rotor.kind for body in model.bodies.values())


def _check(model: Model) -> None:
    """Raise for parts that have no linear system."""
    if model.joints:
        message = "linear analyses of rotors are for models without joints"
        raise InputError(message, where="joints", key=next(iter(model.joints)))
    for role, method in (("bodies", "parts"), ("loads", "terms")):
        for name, part in getattr(model, role).items():
            if not hasattr(part, method):
                message = f"linear analyses of rotors are for small displacements; not for kind '{part.kind}'"
                raise InputError(message, where=role, key=name)


def _ratios(spins: Sequence[SpinParts], same_speed: bool) -> list[float]:
    """Return the speeds of the rotors over that of the first."""
    first = spins[0].spin
    kept = [s.spin.constant and first.constant and s.spin.speed * first.speed != 0.0 for s in spins]
    return [s.spin.speed / first.speed if keep and not same_speed else 1.0 for s, keep in zip(spins, kept, strict=True)]


def _bearings(body: object, rotor: Spinning, names: Sequence[str]) -> Iterator[Bearing]:
    """Yield the bearings of a rotor; manually created rotors have none with known laws."""
    number = {name: k for k, name in enumerate(names)}
    for node, bearing in body.bearing_list if isinstance(body, Rotor) else ():
        law, place = bearing.law(), f"{rotor.name}.node({node})"
        motions = sparse.lil_array((law.size, len(names)))
        for k, letter in enumerate(MOTIONS[: law.size]):
            if (name := f"{place}.{letter}") in number:  # except fixed ones
                motions[k, number[name]] = 1.0
        yield Bearing(place, rotor.ratio, _table(place, law), sparse.csr_array(motions), int(rotor.points[node]))


def _bearings_between(model: Model, small: SmallMotion, rotors: Sequence[Spinning]) -> Iterator[Bearing]:
    """Yield the bearings between bodies; the speed of one that does not depend on it is arbitrary."""
    ratios = {rotor.name: rotor.ratio for rotor in rotors}
    for load in model.loads.values():
        if isinstance(load, BearingLoad):
            ratio = ratios.get(load.rotor_name(list(small.bodies)), 1.0)
            motions, point = load.motions(small.nodes).T.tocsr(), small.nodes.one(load.node, load.where)
            yield Bearing(load.where, ratio, _table(load.where, load.law()), motions, point)


def _table(label: str, law: BearingLaw) -> SpeedTable:
    """Return a law as a table over its motions, also if it is the same at all speeds."""
    speed, K, C = law.speed, law.K, law.C
    if speed is None:
        speed, K, C = np.array([0.0, 1.0]), np.repeat(K, 2, axis=0), np.repeat(C, 2, axis=0)
    return SpeedTable(label, np.arange(law.size), speed, K, C)


def _with_bearing(parts: SpinParts, bearing: RotatingTerms) -> SpinParts:
    """Return the parts of a rotor with a bearing to another body."""
    cross = sparse.csr_array(parts.cross + bearing.cross)
    skew_damping = sparse.csr_array(parts.skew_damping + bearing.skew_damping)
    tables = parts.tables if bearing.table is None else (*parts.tables, bearing.table)
    return replace(parts, cross=cross, skew_damping=skew_damping, tables=tables)


def _lasting(small: SmallMotion, released: Sequence[str]) -> list[str]:
    """Return the constant loads; variable ones, and those released at the start, do not act in a static state."""
    functions = {name: term.function for name, term in small.terms.items()}
    return [name for name, f in functions.items() if f is None or (isinstance(f, Constant) and name not in released)]


def _constant_loads(small: SmallMotion, lasting: Sequence[str]) -> Array:
    """Return the constant forces among some loads, (nv,)."""
    out = np.zeros(small.nodes.nv)
    for name in lasting:
        term = small.terms[name]
        if isinstance(term.function, Constant):
            out += term.column.toarray().ravel() * term.function.level
    return out
