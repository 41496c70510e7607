"""The camera: the longest direction is horizontal, planes are seen from their admissible side.

Mechanisms in planar motion are seen along the normal of their plane.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.postproc.arrays import Array

TURN, LIFT = np.radians(24.0), np.radians(17.0)
"""Offset of the camera to the side and upward from the front view, so that depth is visible."""
ROOM = 1.06
FLAT = 1e-6
"""Out-of-plane motion, over its size, up to which a motion counts as planar."""


@dataclass(frozen=True)
class Camera:
    """A camera with parallel projection.

    Parameters
    ----------
    right, up, out : (3,) arrays
        Unit vectors of the picture; ``out`` points to the viewer.
    centre : (3,) array
        Centre of the picture, m.
    half : (2,) array
        Half width and half height of the visible region, m.
    depth : float
        Half of its depth, m.
    """

    right: Array
    up: Array
    out: Array
    centre: Array
    half: Array
    depth: float

    @property
    def aspect(self) -> float:
        """Width over height of the visible region."""
        return float(self.half[0] / self.half[1])

    def parallel_scale(self, aspect: float) -> float:
        """Return half the height of the view such that everything is visible at this aspect ratio."""
        return float(ROOM * max(self.half[1], self.half[0] / aspect))


def look_at(content: Array, up: Array, normals: list[Array], square: Array | None = None) -> Camera:
    """Return a camera that sees all of ``content``.

    Parameters
    ----------
    content : (k, 3) array
        Points that must be seen, m.
    up : (3,) array
        Unit vector that points up in the picture.
    normals : list of (3,) arrays
        Normals of planes to be seen from the side they point to.
    square : (3,) array, optional
        Unit vector to look against, normal to ``up``; by default a little from above and from the side.
    """
    out = _aslant(content, up, normals) if square is None else square
    right = np.cross(up, out)
    right /= np.linalg.norm(right)
    up = np.cross(out, right)
    axes = np.stack([right, up, out])
    seen = content @ axes.T
    low, high = seen.min(axis=0), seen.max(axis=0)
    *half, depth = 0.5 * (high - low)
    seen_half = np.maximum(half, 1e-6 * max(*half, 1e-300))
    return Camera(right, up, out, 0.5 * (low + high) @ axes, seen_half, float(depth))


def _aslant(content: Array, up: Array, normals: list[Array]) -> Array:
    """Return the direction to a viewpoint slightly to the side of and above the front view."""
    right = _long_side(content, up)
    out = np.cross(right, up)
    side = sum((float(n @ right) for n in normals), 0.0)
    turn = -TURN if side < -1e-9 else TURN
    out = np.cos(turn) * out + np.sin(turn) * right
    return np.asarray(np.cos(LIFT) * out + np.sin(LIFT) * up)


def plane_of(directions: Array, up: Array) -> Array | None:
    """Return the normal, towards the viewer, of the upright plane of all motion; None without one.

    Parameters
    ----------
    directions : (k, 3) array
        Motions and normals of the scene.
    up : (3,) array
    """
    _, length, axes = np.linalg.svd(directions, full_matrices=False)
    if len(length) < 3 or length[2] > FLAT * length[0] or length[1] <= FLAT * length[0] or abs(axes[2] @ up) > FLAT:
        return None
    right = np.cross(up, axes[2])  # x, or the direction nearest to an axis, points to the right
    return np.asarray(axes[2] * np.sign(right[int(np.argmax(np.abs(right)))]))


def upright(gravity: Array | None, directions: Array) -> Array:
    """Return the upward direction: against gravity; else y for content in the x-y plane, else z.

    Parameters
    ----------
    gravity : (3,) array or None
    directions : (k, 3) array
        Extents, motions and normals of the scene.
    """
    if gravity is not None and np.any(gravity):
        return np.asarray(-gravity / np.linalg.norm(gravity))
    most = np.abs(directions).max(axis=0)
    flat = most[2] < 1e-9 * most.max() and most[1] > 1e-9 * most.max()
    return np.array([0.0, 1.0, 0.0]) if flat else np.array([0.0, 0.0, 1.0])


def _long_side(content: Array, up: Array) -> Array:
    """Return the horizontal direction of largest extent, with its more positive sense."""
    flat = content - content.mean(axis=0)
    flat = flat - np.outer(flat @ up, up)
    _, length, axes = np.linalg.svd(flat, full_matrices=False)
    size = float(np.abs(content - content.mean(axis=0)).max())
    if length[0] <= 1e-9 * size or (len(length) > 1 and length[1] > 0.95 * length[0]):
        axis = np.eye(3)[0] if abs(up[0]) < 0.9 else np.eye(3)[1]
        right = axis - (axis @ up) * up
    else:
        right = axes[0] * np.sign(axes[0][int(np.argmax(np.abs(axes[0])))])
        right = right - (right @ up) * up
    return np.asarray(right / np.linalg.norm(right))
