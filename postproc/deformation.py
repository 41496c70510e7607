"""How bodies are deformed, apart from how they move: their way from the nearest place a rigid body could be in."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from flexmb.io.frames import PointMaps
from flexmb.postproc.arrays import Array, IntArray


def held_points(maps: PointMaps) -> NDArray[np.bool_]:
    """Return which points other things hang on, (n,): joints, springs, supports, and where contacts act."""
    held = np.zeros(len(maps.layout.points), dtype=np.bool_)
    ends = maps.layout.marks.point
    held[ends[ends >= 0]] = True
    held[np.unique(sparse.coo_array(maps.impulse).row // 3)] = True
    return held


def deformation(reference: Array, places: Array, body_of_point: IntArray, held: NDArray[np.bool_]) -> Array:
    """Return what of the places of points is drawn larger as deformation of their bodies, (n, 3), m.

    Of each body the rotation R and the middles c0, c are taken for which the sum of |x - c - R (x0 - c0)|^2 is least
    (Kabsch 1976); what is left is its deformation. Rigid bodies and single points have none. So that joints stay
    closed and contacts touch, the deformation of points that are held is taken off: of one from the whole body, of
    several what lies between them, along the body.

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
    """Return the deformation of the held points and, linear along the longest direction of the body, between them."""
    if not len(held):
        return np.zeros_like(bent)
    along = x0 @ np.linalg.svd(x0, full_matrices=False)[2][0]
    at, first = np.unique(along[held], return_index=True)
    return np.column_stack([np.interp(along, at, column[held][first]) for column in bent.T])
