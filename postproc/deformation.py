"""Deformation of bodies, apart from their rigid motion: the displacement from the nearest position of a rigid body."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.interpolate import CubicSpline

from flexmb.postproc.arrays import Array, IntArray
from flexmb.record.io.frames import PointMaps


def held_points(maps: PointMaps) -> NDArray[np.bool_]:
    """Return which points are connected to other things, (n,): joints, springs, supports, and contacts.

    A body may have contacts at all of its points; then the two that are farthest apart count.
    """
    layout = maps.layout
    held = np.zeros(len(layout.points), dtype=np.bool_)
    ends = layout.marks.point
    held[ends[ends >= 0]] = True
    touching = np.unique(sparse.coo_array(maps.impulse).row // 3)
    for body in np.unique(layout.body_of_point[touching]):
        own = touching[layout.body_of_point[touching] == body]
        along = _along(layout.points[own] - layout.points[own].mean(axis=0))
        held[own[[np.argmin(along), np.argmax(along)]]] = True
    return held


def deformation(reference: Array, places: Array, body_of_point: IntArray, held: NDArray[np.bool_]) -> Array:
    """Return the part of the displacements that is magnified as deformation of bodies, (n, 3), m.

    Of each body the rotation R and the middles c0, c are taken for which the sum of |x - c - R (x0 - c0)|^2 is least
    (Kabsch 1976); the difference is its deformation. Rigid bodies and single points have none. So that joints stay
    closed and contacts touch, the deformation of points that are held is subtracted: that of a single one from the
    whole body, of several a smooth curve through them along the body.

    Parameters
    ----------
    reference, places : (n, 3) arrays
        Places at rest and now, m.
    body_of_point : (n,) int array
    held : (n,) bool array
    """
    out = np.zeros_like(places)
    for body in np.unique(body_of_point):
        own = body_of_point == body
        x0 = reference[own] - reference[own].mean(axis=0)
        x = places[own] - places[own].mean(axis=0)
        U, _, Vt = np.linalg.svd(x0.T @ x)
        handed = np.diag([1.0, 1.0, np.sign(np.linalg.det(U @ Vt))])
        bent = x - x0 @ (U @ handed @ Vt)
        out[own] = bent - _between(x0, bent, np.flatnonzero(held[own]))
    return out


def _between(x0: Array, bent: Array, held: IntArray) -> Array:
    """Return the deformation of the held points, interpolated by a curve along the longest direction of the body.

    It is straight beyond the outermost ones, of two all along, so that no corner comes in that the body has not.
    """
    if not len(held):
        return np.zeros_like(bent)
    along = _along(x0)
    _, first = np.unique(np.round(along[held] / (np.ptp(along) or 1.0), 6), return_index=True)
    if len(first) == 1:
        return np.broadcast_to(bent[held[first]], bent.shape)
    curve = CubicSpline(along[held[first]], bent[held[first]], bc_type="natural")
    inside = np.clip(along, along[held[first[0]]], along[held[first[-1]]])
    return np.asarray(curve(inside) + curve(inside, 1) * (along - inside)[:, None])


def _along(x: Array) -> Array:
    """Return the coordinates of points along the direction of their largest extent, (n,), m."""
    return np.asarray(x @ np.linalg.svd(x, full_matrices=False)[2][0])
