"""Constraint rows of joints: a row that no unknown can change is omitted, or is an error if it is not satisfied."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from flexmb.assembly.builder import Builder, Group
from flexmb.assembly.table_arrays import angles_of, curves_of, functions_of, markers_of, rows_of
from flexmb.errors import InputError
from flexmb.kernels.geometry import angle_rows, constraint_rows, markers
from flexmb.kernels.geometry import tables as tab
from flexmb.parts.time_functions import Function
from flexmb.state import Array

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
NO = (0.0, 0.0, 0.0)
STIFF = 1e-12
"""Change of a row per unknown, relative to the size of the motion, that counts as zero."""
CLOSED = 1e-9
"""Residual of a row that no unknown can change, relative to the size of the coordinates, that counts as zero."""


class Row(NamedTuple):
    """A row over markers of a ``Builder``; see ``kernels.geometry.tables.Rows``."""

    kind: int
    markers: tuple[int, ...]
    label: str
    a: Sequence[float] | Array = NO
    b: Sequence[float] | Array = NO
    c: float = 0.0
    drive: Function | None = None
    angle: tuple[int, int] = (-1, -1)


def together(A: int, B: int) -> list[Row]:
    """Return the rows that constrain two points to each other, along the axes of space, without torques."""
    return [Row(tab.ALONG, (A, B, 0), label, a=e) for label, e in zip("xyz", (X, Y, Z), strict=True)]


def on_line(A: int, B: int) -> list[Row]:
    """Return the rows that constrain the place of B to the z axis of A."""
    return [Row(tab.ALONG, (A, B, A), label, a=e) for label, e in zip("xy", (X, Y), strict=True)]


def upright(A: int, B: int) -> list[Row]:
    """Return the rows that keep the z axes of A and B parallel."""
    return [
        Row(tab.DOT, (A, B), "tilt about x", a=Y, b=Z),
        Row(tab.DOT, (A, B), "tilt about y", a=X, b=Z),
    ]


def unturned(A: int, B: int) -> Row:
    """Return the row that prevents rotation of B about the z axis of A."""
    return Row(tab.DOT, (A, B), "turn about z", a=X, b=Y)


def driven_angle(builder: Builder, angle: int, drive: Function) -> Row:
    """Return the row that prescribes the change of an angle since the start by a function of time."""
    c = -float(drive.value(builder.t0))
    return Row(tab.ANGLE, builder.angles[angle], "angle", b=X, c=c, drive=drive, angle=(angle, -1))


def hold(builder: Builder, name: str, where: str, rows: Sequence[Row]) -> Group:
    """Add the rows of a joint, except for those that no unknown can change; return its group.

    Planar bodies need no rows that keep them in their plane, which would be redundant.
    """
    group = builder.begin_joint(name)
    A, B = rows[0].markers[:2]
    group.points.append((B, A))
    a, b = builder.markers[A][0], builder.markers[B][0]
    if a.kind == b.kind and a.kind in (tab.FRAME, tab.PLANAR) and a.iq == b.iq:
        raise InputError(f"joins two points of one rigid body, '{a.label}' and '{b.label}'", where=where)
    g, reach, movable, size = at_start(builder, rows)
    for i, row in enumerate(rows):
        if reach[i] > STIFF * movable:
            cf = 0.0 if row.drive is None else 1.0
            builder.add_row(
                group, row.kind, row.markers, row.label, a=row.a, b=row.b, c=row.c,
                function=row.drive, cf=cf, angle=row.angle,
            )  # fmt: skip
            group.driven = group.driven or row.drive is not None
        elif row.drive is not None:
            raise InputError("its ends cannot follow the drive", where=where, key="drive")
        elif abs(g[i]) > CLOSED * (1.0 if row.kind in (tab.DOT, tab.ANGLE) else size):
            message = f"the joint cannot be closed: '{row.label}' is off by {g[i]:.6g} and nothing can change it"
            raise InputError(message, where=where)
    if not group.labels:
        raise InputError(
            "the joint has no effect: its ends cannot move in the constrained directions anyway", where=where
        )
    return group


def at_start(builder: Builder, rows: Sequence[Row]) -> tuple[Array, Array, float, float]:
    """Return g and the largest change per unknown of rows at the start, without drives, and reference values.

    The reference values are the largest change of a position or angle per unknown, and the largest coordinate or arm.
    """
    trial = _alone(builder, rows)
    mk, ang, own = markers_of(trial), angles_of(trial), rows_of(trial)
    nm, nd, na = len(mk.kind), len(mk.dof), len(ang.A)
    m = tab.MarkerState(
        np.zeros((nm, 3)), np.zeros((nm, 3, 3)), np.zeros((nd, 6)), np.zeros((nm, 6)), np.zeros((nm, 6)),
        np.zeros((tab.CLASSES, nm, 6)), np.zeros((nm, 3)),
    )  # fmt: skip
    angles = tab.AngleState(np.zeros(na), np.zeros((na, 3)), np.zeros(na), np.zeros(na))
    values = tab.RowState(np.zeros(len(rows)), np.zeros(len(rows)), np.zeros((len(own.marker), 6)), np.zeros(len(rows)))
    markers.place(mk, builder.start(), m)
    angle_rows.angles(ang, m, angles)
    constraint_rows.rows(own, ang, functions_of(trial), curves_of(trial), m, angles, builder.t0, values, 0.0)
    arms = float(np.abs(m.J[mk.qdof < 0, :3]).max(initial=0.0))
    movable, size = max(1.0, float(np.abs(m.J).max(initial=0.0))), max(float(np.abs(m.r).max()), arms)
    return values.g, _reach(own, mk, m.J, values.grad), movable, size


def _reach(rows: tab.Rows, mk: tab.Markers, J: Array, grad: Array) -> Array:
    """Return the largest change of each row per unknown; an unknown may move several markers of a row."""
    dofs, unknown = np.unique(mk.dof, return_inverse=True)
    change = np.zeros((len(rows.kind), dofs.size))
    row_of = np.repeat(np.arange(len(rows.kind)), np.diff(rows.ptr))
    for s, (r, k) in enumerate(zip(row_of.tolist(), rows.marker.tolist(), strict=True)):
        own = slice(mk.ptr[k], mk.ptr[k + 1])
        np.add.at(change[r], unknown[own], J[own] @ grad[s])
    return np.asarray(np.abs(change).max(axis=1, initial=0.0))


def _alone(builder: Builder, rows: Sequence[Row]) -> Builder:
    """Return a system with these rows and their markers only."""
    used = sorted({0, *(m for row in rows for m in row.markers)})
    turned = sorted({a for row in rows for a in row.angle if a >= 0})
    trial = Builder(builder.gravity, builder.t0)
    trial.markers = [builder.markers[m] for m in used]
    trial.angles = [(used.index(builder.angles[a][0]), used.index(builder.angles[a][1])) for a in turned]
    group = trial.begin_joint("trial")
    for row in rows:
        angle = tuple(turned.index(a) if a >= 0 else -1 for a in row.angle)
        trial.add_row(
            group, row.kind, tuple(used.index(m) for m in row.markers), row.label, a=row.a, b=row.b, c=row.c,
            angle=(angle[0], angle[1]),
        )  # fmt: skip
    return trial
