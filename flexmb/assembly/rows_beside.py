"""Rows beside the normals of contacts, as collected by a builder: the directions in which motion is possible.

A contact whose bodies move in a plane has one tangent, one whose bodies cannot slide none; see
``kernels.multibody.rows_beside`` for the formulas.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexmb.assembly.markers import Marker
from flexmb.errors import InputError
from flexmb.kernels.geometry.tables import FLOATING, FRAME, PLANAR, SLIDE, SPIN, TURN
from flexmb.laws.contact_law import ContactLaw
from flexmb.state import Array

IMMOVABLE = 1e-9
"""Norm of a row below which no motion along its direction is possible."""

NO_SLIDING = "has no effect: nothing can slide along the surface"


@dataclass(frozen=True)
class RowBeside:
    """One row beside a normal.

    Parameters
    ----------
    kind : int
        SLIDE, TURN or SPIN.
    which : int
        0 or 1, the first or second direction.
    a : (3,) array
        The direction, see ``kernels.geometry.tables.Rows``.
    arm : float
        From marker B back along the normal to the contact point, m.
    speed : float
        Of the surface along the direction, m/s.
    function : int
        Function whose rate times ``cf`` is added to the speed; -1 for none.
    cf : float
    spin : int
        Marker of a free spin, -1 for none.
    """

    kind: int
    which: int
    a: Array
    arm: float = 0.0
    speed: float = 0.0
    function: int = -1
    cf: float = 0.0
    spin: int = -1


def span(places: Sequence[Marker], arms: Sequence[Array]) -> tuple[Array, Array]:
    """Return directions in which points can move and rotate, (3, k) and (3, m), at the start.

    ``arms`` are vectors from the places to the points.
    """
    moves, turns = [np.zeros((3, 0))], [np.zeros((3, 0))]
    for place, arm in zip(places, arms, strict=True):
        if place.kind in (FRAME, FLOATING):
            moves.append(np.eye(3))
            turns.append(np.eye(3))
        elif place.kind == PLANAR:
            moves.append(np.eye(3)[:, :2])
            turns.append(np.eye(3)[:, 2:])
        elif place.dof.size:
            moves.append((place.D[:, :3] + np.cross(place.D[:, 3:], arm)).T)
            turns.append(place.D[:, 3:].T)
    return np.concatenate(moves, axis=1), np.concatenate(turns, axis=1)


def directions_in(across: Array, motions: Array) -> Array:
    """Return orthonormal directions within the plane of two unit vectors (2, 3) in which motions (3, k) are possible.

    The result is the two vectors themselves if both are possible.
    """
    u, s, _ = np.linalg.svd(across @ motions)
    rank = int(np.sum(s > IMMOVABLE)) if motions.size else 0
    return across if rank == 2 else np.asarray(u[:, :rank].T @ across)


def tangents(n: Array) -> Array:
    """Return two unit vectors normal to the unit vector n as columns, (3, 2); n, t_1, t_2 are right-handed.

    The first is the projection of x, or of y if n is nearly along x: up the slope of an incline.
    """
    k = int(np.flatnonzero(np.abs(n) < 0.8)[0])
    t_1 = -n[k] * n
    t_1[k] += 1.0
    t_1 /= np.linalg.norm(t_1)
    return np.stack([t_1, np.cross(n, t_1)], axis=1) + 0.0


def beside_plane(
    law: ContactLaw,
    n: Array,
    places: tuple[Marker, Marker],
    arms: tuple[Array, Array],
    arm: float,
    speed: Array,
    moving: tuple[int, Array],
) -> list[RowBeside]:
    """Return the rows beside an ALONG row.

    Parameters
    ----------
    law : ContactLaw
    n : (3,) array
        The normal at the start, in space.
    places, arms : pairs of Marker and of (3,) arrays
        Of the plane and of the node, and from there to the contact point at the start, m.
    arm : float
        From the node back along the normal to the contact point, m.
    speed : (3,) array
        Velocity of the surface, in space, m/s.
    moving : (int, (3,) array)
        Function of the plane's motion, -1 for none, and its direction in space.
    """
    moves, turns = span(places, arms)
    axes, across, rows = places[0].axes, tangents(n).T, []
    if law.slides:
        for which, t in enumerate(directions_in(across, moves)):
            cf = float(t @ moving[1]) if moving[0] >= 0 else 0.0
            rows.append(RowBeside(SLIDE, which, axes.T @ t, arm, float(t @ speed), moving[0], cf))
    if law.roll > 0.0:
        rows += [RowBeside(TURN, which, axes.T @ t) for which, t in enumerate(directions_in(across, turns))]
    if law.spin > 0.0 and np.linalg.norm(n @ turns) > IMMOVABLE:
        rows.append(RowBeside(SPIN, 0, np.zeros(3)))
    return rows


def beside_spheres(
    law: ContactLaw, places: Sequence[Marker], n: Array | None = None, radius: float = 1.0
) -> list[RowBeside]:
    """Return the rows beside a DISTANCE row of two of some spheres.

    ``n``, if given, leads from the first of two to the second at the start: they have as many tangents as directions
    across it along which their surfaces can move. ``radius`` is that of the second, m.
    """
    nothing = np.zeros(3)
    arms = [nothing] * len(places)
    if n is not None:
        arms = [places[1].position - radius * n - places[0].position, -radius * n]
    moves, turns = span(places, arms)
    u, s, _ = np.linalg.svd(moves)
    rank = int(np.sum(s > IMMOVABLE))
    across, tangential = u[:, 2], rank - 1  # without n the spheres may be anywhere in the span of their motion
    if n is not None:
        found = directions_in(tangents(n).T, moves)
        tangential = len(found)
        if rank == 1 and tangential == 1:  # along a line normal to n
            across = np.cross(n, found[0])
    rows = []
    if law.slides and tangential > 0:
        axis = across if tangential == 1 else nothing
        rows = [RowBeside(SLIDE, which, axis, radius) for which in range(tangential)]
    turnable = int(np.linalg.matrix_rank(turns, tol=IMMOVABLE)) if turns.size else 0
    if law.roll > 0.0 and turnable:
        axis = np.linalg.svd(turns)[0][:, 0] if turnable == 1 else nothing
        rows += [RowBeside(TURN, which, axis) for which in range(min(turnable, 2))]
    if law.spin > 0.0 and turnable == 3:
        rows.append(RowBeside(SPIN, 0, nothing))
    return rows


def beside_ring(
    law: ContactLaw, a: Array, places: tuple[Marker, Marker], radius: float, spin: int, turning: tuple[int, float]
) -> list[RowBeside]:
    """Return the rows beside a CLEARANCE row: along the circle, and along the axis a where something can move there.

    ``radius`` is that of the disk, m; ``spin`` the marker of a free spin about a, ``turning`` the function of its angle
    where it is given, and 1 or -1 for its sense about a; -1 for none.
    """
    nothing = np.zeros(3)
    moves, turns = span(places, (nothing, nothing))
    function, sense = turning
    tilts, rows = turns - np.outer(a, a @ turns), []
    if law.slides:
        rows.append(RowBeside(SLIDE, 0, nothing, radius, 0.0, function, -sense * radius, spin))
        if np.linalg.norm(a @ moves) > IMMOVABLE:
            rows.append(RowBeside(SLIDE, 1, nothing, radius))
    if law.roll > 0.0:
        if spin >= 0 or function >= 0 or np.linalg.norm(a @ turns) > IMMOVABLE:
            rows.append(RowBeside(TURN, 0, nothing, 0.0, 0.0, function, -sense, spin))
        if np.linalg.norm(tilts) > IMMOVABLE:
            rows.append(RowBeside(TURN, 1, nothing))
    if law.spin > 0.0 and np.linalg.matrix_rank(tilts, tol=IMMOVABLE) == 2:
        rows.append(RowBeside(SPIN, 0, nothing))
    return rows


def checked(rows: list[RowBeside], law: ContactLaw, where: str, label: str) -> list[RowBeside]:
    """Return the rows beside a normal; raise if a law has none to act on."""
    for key, length, kind in (("rolling", law.roll, TURN), ("spinning", law.spin, SPIN)):
        if length > 0.0 and not any(row.kind == kind for row in rows):
            raise InputError(f"needs a rotation there: {label} cannot", where=where, key=key, value=length)
    return rows


def require_sliding(rows: Sequence[RowBeside], law: ContactLaw, where: str) -> None:
    """Raise if a law acts on sliding and none of the rows of all contacts of a part is a tangent."""
    if law.slides and not any(row.kind == SLIDE for row in rows):
        key = "friction" if law.friction.any() else "cohesion"
        raise InputError(NO_SLIDING, where=where, key=key)
