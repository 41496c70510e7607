"""Lines as solids with their cross-sections, and balls: one surface with fixed faces and moving points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyvista as pv

from flexmb.postproc.arrays import Array

SIDES, RINGS = 32, 24
"""Number of corners of a drawn circle; number of circles of a ball from pole to pole."""


class Outline(NamedTuple):
    """A cross-section to draw.

    Parameters
    ----------
    round : bool
        A circle or a ring; else a rectangle.
    size : tuple of float
        Outer and inner radius; or height along y and width along z, m.
    """

    round: bool
    size: tuple[float, float]


class Run(NamedTuple):
    """Successive lines with the same section.

    Parameters
    ----------
    cells : (k,) int array
        Numbers of the lines.
    points : (k + 1,) int array
        The points they connect.
    outline : Outline
    """

    cells: Any
    points: Any
    outline: Outline


class Ball(NamedTuple):
    """A ball around a point."""

    point: int
    radius: float


def runs_of(lines: Any, is_round: Any, size: Array) -> list[Run]:
    """Return lines as runs: a new one begins where the chain ends or the section changes.

    Parameters
    ----------
    lines : (m, 2) int array
        Numbers of their points.
    is_round : (m,) bool array
    size : (m, 2) array
        As in ``Outline``.
    """
    same = (lines[1:, 0] == lines[:-1, 1]) & (is_round[1:] == is_round[:-1]) & np.all(size[1:] == size[:-1], axis=1)
    bounds = np.concatenate([[0], np.flatnonzero(~same) + 1, [len(lines)]]) if len(lines) else np.zeros(1)
    runs = []
    for first, end in zip(bounds[:-1].astype(int), bounds[1:].astype(int), strict=True):
        own = np.arange(first, end)
        outline = Outline(bool(is_round[first]), (float(size[first, 0]), float(size[first, 1])))
        runs.append(Run(own, np.append(lines[own, 0], lines[end - 1, 1]), outline))
    return runs


@dataclass(frozen=True)
class _Piece:
    """Part of the surface, over stations 0, 1, ... of a run (or the one station of a ball).

    ``at``: station of each point; ``place``, ``normal``: its place from the station and its normal along the axes t, y,
    z there; ``faces``: numbers of points; ``cell``: which line of the run each face belongs to.
    """

    at: Any
    place: Array
    normal: Array
    faces: list[Any]
    cell: Any


class Sweep:
    """The surface of lines and balls.

    Parameters
    ----------
    runs : sequence of Run
    balls : sequence of Ball
    """

    def __init__(self, runs: Sequence[Run], balls: Sequence[Ball]) -> None:
        self._point: Any = np.concatenate([[], *(run.points for run in runs), [b.point for b in balls]]).astype(int)
        self._next: Any = np.zeros(len(self._point), dtype=bool)  # whether the next station belongs to the same line
        self._side: Any = np.zeros((len(self._point), 2), dtype=int)  # lines (and ends) that define y of a station
        self._free: Any = np.zeros(len(self._point), dtype=bool)  # balls need no axes
        pieces, station = [], 0
        cells: list[Any] = []
        for run in runs:
            n = len(run.points)
            self._next[station : station + n - 1] = True
            self._side[station : station + n] = np.column_stack(
                [np.append(run.cells, run.cells[-1]), np.append(np.zeros(n - 1, dtype=int), 1)]
            )
            for piece in _pieces(run.outline, n):
                pieces.append((station, piece))
                cells.append(run.cells[piece.cell])
            station += n
        for ball in balls:
            self._free[station] = True
            pieces.append((station, _ball(ball.radius)))
            cells.append(np.full(len(pieces[-1][1].cell), -1))
            station += 1
        self._at: Any = np.concatenate([[], *(first + p.at for first, p in pieces)]).astype(int)
        self._place = np.concatenate([np.zeros((0, 3)), *(p.place for _, p in pieces)])
        self._normal = np.concatenate([np.zeros((0, 3)), *(p.normal for _, p in pieces)])
        starts = np.cumsum([0, *(len(p.at) for _, p in pieces)])
        faces = [
            np.insert(f + s, 0, f.shape[1], axis=1).ravel()
            for (_, p), s in zip(pieces, starts, strict=False)
            for f in p.faces
        ]
        self._faces: Any = np.concatenate([[], *faces]).astype(np.int64)
        self.cell_of_face: Any = np.concatenate([[], *cells]).astype(int)
        """Number of the line of each face, -1 for balls."""
        self.mesh: Any = pv.PolyData(np.zeros((len(self._at), 3)), faces=self._faces)

    @property
    def point_of_corner(self) -> Any:
        """Number of the point to which each corner of the surface belongs, (k,)."""
        return self._point[self._at]

    def corners(self, points: Array, sides: Array) -> tuple[Array, Array]:
        """Return the positions of the corners of the surface and their normals, both (k, 3).

        Parameters
        ----------
        points : (n, 3) array
            Where the points are, m.
        sides : (m, 2, 3) array
            y of the sections at the ends of the lines.
        """
        axes = self._axes(points, sides)
        place = np.einsum("kij,ki->kj", axes[self._at], self._place)
        normal = np.einsum("kij,ki->kj", axes[self._at], self._normal)
        return points[self._point][self._at] + place, normal

    def _axes(self, points: Array, sides: Array) -> Array:
        """Return t, y, z at the stations, rows of (k, 3, 3): t along the drawn line, y nearest to the sides."""
        x = points[self._point]
        ahead = np.zeros_like(x)
        ahead[:-1] = np.where(self._next[:-1, None], x[1:] - x[:-1], 0.0)
        ahead = _unit(ahead)
        t = ahead.copy()
        t[1:] += ahead[:-1]
        t = _unit(t)
        t[~np.any(t, axis=1)] = [1.0, 0.0, 0.0]
        y = sides[self._side[:, 0], self._side[:, 1]] if len(sides) else np.zeros_like(x)
        y = y - np.sum(y * t, axis=1, keepdims=True) * t
        lost = np.linalg.norm(y, axis=1) < 1e-6
        other = np.cross(t, np.eye(3)[np.argmin(np.abs(t), axis=1)])
        y = _unit(np.where(lost[:, None], other, y))
        axes = np.stack([t, y, np.cross(t, y)], axis=1)
        axes[self._free] = np.eye(3)
        return axes

    def update(self, mesh: Any, points: Array, sides: Array) -> Array:
        """Move a mesh made by ``copy`` of ``mesh``, and return its corners; arguments as in ``corners``."""
        corners, normals = self.corners(points, sides)
        mesh.points = corners.astype(np.float32)
        mesh.point_data["Normals"] = normals.astype(np.float32)
        mesh.point_data.active_normals_name = "Normals"
        return corners


def _unit(vectors: Array) -> Array:
    size = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(size > 0.0, size, 1.0))


def _pieces(outline: Outline, n: int) -> list[_Piece]:
    """Return the walls and end faces of a run of n stations."""
    if not outline.round:
        corners, normals, edges = _rectangle(*outline.size)
        out = [_wall(corners, normals, edges, n)]
        inner: Array | None = None
        rim = corners[::2]
    else:
        outer, hole = outline.size
        circle = _circle()
        edges = np.column_stack([np.arange(SIDES), (np.arange(SIDES) + 1) % SIDES])
        out = [_wall(outer * circle, circle, edges, n)]
        rim, inner = outer * circle, None
        if hole > 0.0:
            inner = hole * circle
            out.append(_wall(inner, -circle, edges[:, ::-1], n))
    return [*out, _end(rim, inner, 0, -1.0, 0), _end(rim, inner, n - 1, 1.0, n - 2)]


def _circle() -> Array:
    angle = 2.0 * np.pi * np.arange(SIDES) / SIDES
    return np.column_stack([np.cos(angle), np.sin(angle)])


def _rectangle(height: float, width: float) -> tuple[Array, Array, Any]:
    """Return corners, two for each side, their normals, and the sides as pairs of corners."""
    y, z = 0.5 * height, 0.5 * width
    around = np.array([[y, -z], [y, z], [-y, z], [-y, -z]])
    outward = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
    corners = np.stack([around, np.roll(around, -1, axis=0)], axis=1).reshape(-1, 2)
    return corners, np.repeat(outward, 2, axis=0), np.arange(8).reshape(4, 2)


def _wall(corners: Array, normals: Array, edges: Any, n: int) -> _Piece:
    s = len(corners)
    flat = np.zeros((s, 1))
    step = s * np.arange(n - 1)[:, None]
    quads = [step + k for k in (edges[:, 0], edges[:, 1], s + edges[:, 1], s + edges[:, 0])]
    return _Piece(
        at=np.repeat(np.arange(n), s),
        place=np.tile(np.hstack([flat, corners]), (n, 1)),
        normal=np.tile(np.hstack([flat, normals]), (n, 1)),
        faces=[np.stack(quads, axis=-1).reshape(-1, 4)],
        cell=np.repeat(np.arange(n - 1), len(edges)),
    )


def _end(rim: Array, inner: Array | None, at: int, sign: float, cell: int) -> _Piece:
    """Return the flat end face of a run: a polygon, or an annulus around a hole."""
    s = len(rim)
    corners = rim if inner is None else np.concatenate([rim, inner])
    around = np.arange(s)
    faces = (
        around[None]
        if inner is None
        else np.stack([around, (around + 1) % s, s + (around + 1) % s, s + around], axis=1)
    )
    k = len(corners)
    normal = np.tile([sign, 0.0, 0.0], (k, 1))
    place = np.hstack([np.zeros((k, 1)), corners])
    return _Piece(np.full(k, at), place, normal, [faces if sign > 0 else faces[:, ::-1]], np.full(len(faces), cell))


def _ball(radius: float) -> _Piece:
    polar = np.pi * np.arange(1, RINGS) / RINGS
    circle = _circle()
    rings = [np.column_stack([np.sin(a) * circle, np.full(SIDES, np.cos(a))]) for a in polar]
    normal = np.concatenate([*rings, [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]])
    top, bottom = len(normal) - 2, len(normal) - 1
    i = np.arange(SIDES)
    j = (i + 1) % SIDES
    last = (RINGS - 2) * SIDES
    bands = [
        np.stack([r * SIDES + i, (r + 1) * SIDES + i, (r + 1) * SIDES + j, r * SIDES + j], axis=1)
        for r in range(RINGS - 2)
    ]
    caps = [
        np.stack([np.full(SIDES, top), i, j], axis=1),
        np.stack([np.full(SIDES, bottom), last + j, last + i], axis=1),
    ]
    faces = [np.concatenate(bands), *caps]
    count = sum(len(f) for f in faces)
    return _Piece(np.zeros(len(normal), dtype=int), radius * normal, normal, faces, np.zeros(count, dtype=int))
