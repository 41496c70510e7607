"""Floating body given by its inertia integrals, for motion in the x-y plane."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from flexmb.assembly.builder import Builder
from flexmb.assembly.markers import BodyInfo
from flexmb.assembly.node_ref import NodeRef
from flexmb.checks.values import (
    check_name,
    check_point_name,
    finite,
    from_table,
    numbers,
    positive,
    vector,
    within_a_turn,
)
from flexmb.errors import InputError
from flexmb.fem.floating_integrals import FloatingIntegrals, cross_matrices
from flexmb.kernels.geometry.rotation import quaternion_of
from flexmb.parts.bodies.body import RESERVED, RESERVED_BODIES, NamedBody
from flexmb.parts.bodies.floating_markers import floating_picture, floating_places
from flexmb.state import Array

Numbers = Sequence[float] | Array
Table = Sequence[Sequence[float]] | Array


@dataclass(frozen=True, kw_only=True)
class DataPoint:
    """A named point of a ``FloatingData``.

    Parameters
    ----------
    at : (2,) array_like
        Position in the frame in the undeformed state, m.
    shape_x, shape_y, rotation : (m,) array_like
        Displacement along x and y, and rotation about z (rad), per unit of each mode; zero when not given.
    """

    at: Numbers
    shape_x: Numbers | None = None
    shape_y: Numbers | None = None
    rotation: Numbers | None = None


@dataclass(frozen=True, kw_only=True)
class FloatingData(NamedBody):
    """Flexible planar body given by its mass integrals, e.g. from a model reduction or for a few shape functions.

    In its frame a point (x, y) is displaced by u = sum_k q_k (u1_k, u2_k). It moves in the x-y plane, to which joints
    must constrain it (out of the plane it has its mass, and ``inertia`` about x and y, so that no matrix is
    singular). Integrals below are over the mass, m is the number of modes.

    Parameters
    ----------
    name : str
        Name, unique among the bodies.
    mass : float
        kg.
    inertia : float
        About z and the frame's origin, undeformed, kg m^2.
    center : float
        x of the center of mass, undeformed, m.
    mass_modes, stiffness_modes, damping_modes : (m, m) array_like
        int (u1_k u1_l + u2_k u2_l), stiffness and damping of the modes (default: no damping).
    gyro_modes : (m, m) array_like, optional
        int (u1_k u2_l - u2_k u1_l), skew-symmetric.
    first_x, first_y : (m,) array_like, optional
        int u1_k, int u2_k.
    moment_x, moment_y : (m,) array_like, optional
        int (x u1_k + y u2_k) and int (x u2_k - y u1_k): change of inertia and angular momentum about the origin.
    modal_position, modal_velocity : (m,) array_like, optional
        Initial modal coordinates and their rates.
    position : (3,) array_like
        Of the frame's origin, m.
    angle : float
        Of the frame's x axis about z, rad.
    velocity : (3,) array_like
        Initial velocity of the frame's origin, m/s.
    angular_velocity : float
        Initial, about z, rad/s.
    points : mapping of str to DataPoint or tables
        Named points. The body's name alone means the frame's origin.
    """

    kind: ClassVar[str] = "floating-data"
    large_motion: ClassVar[bool] = True

    mass: float
    inertia: float
    center: float
    mass_modes: Table
    stiffness_modes: Table
    damping_modes: Table | None = None
    gyro_modes: Table | None = None
    first_x: Numbers | None = None
    first_y: Numbers | None = None
    moment_x: Numbers | None = None
    moment_y: Numbers | None = None
    modal_position: Numbers | None = None
    modal_velocity: Numbers | None = None
    position: Numbers = (0.0, 0.0, 0.0)
    angle: float = 0.0
    velocity: Numbers = (0.0, 0.0, 0.0)
    angular_velocity: float = 0.0
    points: Mapping[str, DataPoint | Mapping[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_name(self.name, "bodies", RESERVED_BODIES)
        self._matrix("mass_modes")  # first, since it gives the number of modes
        mass, inertia = (positive(getattr(self, key), key, self.where) for key in ("mass", "inertia"))
        center = finite(self.center, "center", self.where)
        if inertia <= mass * center * center:
            message = "must be larger than mass times center^2: the inertia is about the origin of the frame"
            raise InputError(message, where=self.where, key="inertia", value=self.inertia)
        within_a_turn(self.angle, "angle", self.where)
        finite(self.angular_velocity, "angular_velocity", self.where)
        for key in ("position", "velocity"):
            vector(getattr(self, key), key, self.where)
        for key in ("modal_position", "modal_velocity", "first_x", "first_y", "moment_x", "moment_y"):
            self._row(key)
        self._check_matrices()
        try:
            with np.errstate(all="raise", under="ignore"):
                self._check_positive()
        except ArithmeticError:
            raise InputError("holds numbers too large or too small to compute with", where=self.where) from None
        self._points  # noqa: B018  (checks its keys)

    def point(self, name: str) -> NodeRef:
        """Return a reference to a named point."""
        if name not in self._points:
            raise InputError(f"no such point; it has {', '.join(self._points) or 'none'}", where=self.where, key=name)
        return NodeRef(self.name, name)

    def integrals(self) -> FloatingIntegrals:
        """Return the inertia as the polynomials of ``kernels.geometry.tables.Floating``.

        T = int |V + omega x (s + u) + u'|^2 / 2 with V and u in the plane and omega along z.
        """
        m = self._size
        center = np.array([self.mass * self.center, 0.0, 0.0])
        first = np.column_stack([self._row("first_x"), self._row("first_y"), np.zeros(m)])
        rr0 = np.diag(np.repeat([self.mass, self.inertia], 3))
        rr0[:3, 3:], rr0[3:, :3] = -cross_matrices(center), cross_matrices(center)
        rr1 = np.zeros((m, 6, 6))
        rr1[:, :3, 3:], rr1[:, 3:, :3] = -cross_matrices(first), cross_matrices(first)
        rr1[:, 5, 5] = 2.0 * self._row("moment_x")
        rr2, rf0, rf1 = np.zeros((m, m, 6, 6)), np.zeros((m, 6)), np.zeros((m, m, 6))
        rr2[:, :, 5, 5] = self._matrix("mass_modes")
        rf0[:, :3], rf0[:, 5] = first, self._row("moment_y")
        rf1[:, :, 5] = self._matrix("gyro_modes")
        return FloatingIntegrals(rr0, rr1, rr2, rf0, rf1, self._matrix("mass_modes"))

    def add_to(self, builder: Builder) -> None:
        """Add frame, modes and points to a model of large motion."""
        m, c, s = self._size, np.cos(self.angle), np.sin(self.angle)
        A = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        x, velocity = (vector(getattr(self, key), key, self.where) for key in ("position", "velocity"))
        omega = np.array([0.0, 0.0, self.angular_velocity])
        frame_q, frame_v = builder.add_frame(x, quaternion_of(A), velocity, omega, self.name)
        eta = self._row("modal_position")
        names = [f"{self.name}.mode({k + 1})" for k in range(m)]
        mode_q, mode_v = builder.add_plain(eta, self._row("modal_velocity"), names)
        start = (frame_q, frame_v, mode_q, mode_v)
        builder.add_floating(
            **dict(zip(("frame_q", "frame_v", "mode_q", "mode_v"), start, strict=True)),
            modes=m,
            **self.integrals()._asdict(),
            K=self._matrix("stiffness_modes"),
            C=self._matrix("damping_modes"),
        )
        labels = [self.name, *(f"{self.name}.{name}" for name in self._points)]
        local = np.array([np.zeros(3), *(at for at, _ in self._points.values())])
        D = np.array([np.zeros((m, 6)), *(shape for _, shape in self._points.values())])
        places = floating_places(start, x, A, local, D, labels, eta)
        order = np.argsort(local[:, 0], kind="stable")
        builder.add_body(
            BodyInfo(
                name=self.name,
                nodes=places,
                named=dict(zip(self._points, places[1:], strict=True)),
                single=True,
                mass=float(self.mass),
                unknowns=np.concatenate([frame_v + np.arange(6), mode_v + np.arange(m)]).astype(np.int64),
                picture=floating_picture(start, local, D, np.column_stack([order[:-1], order[1:]]), 0.0),
                momentum_rows=frame_v + np.arange(3, dtype=np.int64)[None, :],
            )
        )

    @cached_property
    def _size(self) -> int:
        """Number of modes: that of the rows of ``mass_modes``."""
        try:
            return len(self.mass_modes)
        except TypeError:
            message = "must be a square table of numbers"
            raise InputError(message, where=self.where, key="mass_modes", value=self.mass_modes) from None

    def _row(self, key: str) -> Array:
        return _numbers(getattr(self, key), (self._size,), key, self.where)

    def _matrix(self, key: str) -> Array:
        return _numbers(getattr(self, key), (self._size, self._size), key, self.where)

    def _check_matrices(self) -> None:
        for key, sign in (("mass_modes", 1.0), ("stiffness_modes", 1.0), ("damping_modes", 1.0), ("gyro_modes", -1.0)):
            A = self._matrix(key)
            if np.abs(A - sign * A.T).max(initial=0.0) > 1e-12 * np.abs(A).max(initial=0.0):
                message = "must be symmetric" if sign > 0 else "must be skew (its transpose is its negative)"
                raise InputError(message, where=self.where, key=key, value=getattr(self, key))

    def _check_positive(self) -> None:
        """Check the mass matrix of the undeformed body; scaled, because its rows have different units."""
        rr0, rf0, ff = self.integrals().rr0, self.integrals().rf0, self.integrals().ff
        full = np.block([[rr0, rf0.T], [rf0, ff]])
        size = np.sqrt(np.maximum(np.diag(full), 0.0))
        if size.min() == 0.0 or np.linalg.eigvalsh(full / np.outer(size, size)).min() <= 0.0:
            message = "is not that of a body: with first_, moment_ the mass matrix is not positive definite"
            raise InputError(message, where=self.where, key="mass_modes", value=self.mass_modes)

    @cached_property
    def _points(self) -> dict[str, tuple[Array, Array]]:
        """Positions (3,) and shapes (m, 6) of the named points."""
        where = f"{self.where}.points"
        if not isinstance(self.points, Mapping):
            message = "must be a table of names, such as { tip = { at = [0.3, 0.0], shape_x = [0.0, 1.0] } }"
            raise InputError(message, where=where, value=self.points)
        found = {}
        for name, value in self.points.items():
            check_point_name(name, where, RESERVED)
            found[name] = self._point(value, f"{where}.{name}")
        return found

    def _point(self, value: object, where: str) -> tuple[Array, Array]:
        if isinstance(value, Mapping):
            value = from_table(DataPoint, value, where)
        if not isinstance(value, DataPoint):
            message = "must be a table such as { at = [0.3, 0.0], shape_x = [0.0, 1.0] }"
            raise InputError(message, where=where, value=value)
        at, shape = np.zeros(3), np.zeros((self._size, 6))
        at[:2] = _numbers(value.at, (2,), "at", where)
        for column, key in ((0, "shape_x"), (1, "shape_y"), (5, "rotation")):
            shape[:, column] = _numbers(getattr(value, key), (self._size,), key, where)
        return at, shape


def _numbers(value: object, shape: tuple[int, ...], key: str, where: str) -> Array:
    """Return ``value`` as a finite array of the given shape; zeros if it is not given."""
    words = f"{' x '.join(str(k) for k in shape)} numbers"
    return np.zeros(shape) if value is None else numbers(value, key, where, words, (shape,))
