"""Pieces of a planar curve: segments, arcs, parabolas and splines, from one point to the next.

Each becomes rows of the numbers that ``kernels.geometry.curves`` reads; a spline one for every two of its points.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np

from flexmb.checks.values import from_table, nearest, numbers
from flexmb.errors import InputError
from flexmb.kernels.geometry import curves as kc
from flexmb.state import Array

Point = Sequence[float] | Array

SAME = 1e-9
"""Distance, relative to the size of a piece, up to which two points coincide."""
ROUND = 1e-6
"""Relative difference of the two end radii of an arc that is accepted as rounded input."""


def point(value: object, key: str, where: str) -> Array:
    """Return a point of the plane, (2,)."""
    return numbers(value, key, where, "two numbers, x and y in the plane of the curve", ((2,),))


def _row(kind: int, first: Array, last: Array, data: Sequence[float]) -> Array:
    row = np.zeros(kc.NUMBERS)
    row[[kc.KIND, kc.X0, kc.Y0, kc.X1, kc.Y1]] = kind, *first, *last
    row[kc.DATA : kc.DATA + len(data)] = data
    ends = (kc.TX0, kc.TY0, kc.K0), (kc.TX1, kc.TY1, kc.K1)
    if kind == kc.LINE:
        row[[kc.TX0, kc.TY0]] = (last - first) / np.linalg.norm(last - first)
    for s, places in zip((0.0, 1.0), ends, strict=True):
        row[list(places)] = kc.place_on(row[None], 0, s)[2:]
    return row


def line_row(first: Array, last: Array) -> Array:
    """Return the numbers of a straight piece."""
    return _row(kc.LINE, first, last, [])


def _cubic(first: Array, last: Array, c: Array) -> Array:
    """Return a cubic piece with coefficients (4, 2), constant first."""
    return _row(kc.CUBIC, first, last, [*c[:, 0], *c[:, 1]])


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A piece of a curve.

    Parameters
    ----------
    end : (2,) array_like
        Its last point, in the plane of the curve, m.
    start : (2,) array_like, optional
        Its first point, m; by default the last one of the piece before. Needed for the first piece.
    """

    kind: ClassVar[str]

    end: Point
    start: Point | None = None

    def rows(self, first: Array, where: str) -> Array:
        """Return the numbers of the piece from a first point, (k, NUMBERS)."""
        raise TypeError(f"{type(self).__name__} is no piece of a curve")

    def _ends(self, first: Array, where: str) -> tuple[Array, float]:
        """Return the last point and the distance to it, m; raise if there is none."""
        last = point(self.end, "end", where)
        length = float(np.linalg.norm(last - first))
        if length <= SAME * float(np.abs([first, last]).max()):
            message = f"the piece has zero length: it starts at ({first[0]:.6g}, {first[1]:.6g}), too"
            raise InputError(message, where=where, key="end", value=tuple(map(float, last)))
        return last, length


@dataclass(frozen=True, kw_only=True)
class Segment(Piece):
    """A straight line."""

    kind: ClassVar[str] = "segment"

    def rows(self, first: Array, where: str) -> Array:
        """Return the numbers of the piece."""
        last, _ = self._ends(first, where)
        return line_row(first, last)[None]


@dataclass(frozen=True, kw_only=True)
class Arc(Piece):
    """An arc of a circle; one that ends where it starts is the whole circle.

    Parameters
    ----------
    center : (2,) array_like
        m.
    clockwise : bool
        Sense of the arc, seen with x to the right and y up.
    """

    kind: ClassVar[str] = "arc"

    center: Point
    clockwise: bool = False

    def rows(self, first: Array, where: str) -> Array:
        """Return the numbers of the piece."""
        center, last = point(self.center, "center", where), point(self.end, "end", where)
        if not isinstance(self.clockwise, bool):
            raise InputError("must be true or false", where=where, key="clockwise", value=self.clockwise)
        a, b = first - center, last - center
        radius, other = float(np.linalg.norm(a)), float(np.linalg.norm(b))
        if radius <= SAME * float(np.abs([first, center]).max()):
            raise InputError("the piece has zero length: its center is its first point", where=where, key="center")
        if abs(other - radius) > ROUND * radius:
            message = f"is {radius:.9g} m from the start of the arc and {other:.9g} m from its end"
            raise InputError(message, where=where, key="center", value=tuple(map(float, center)))
        sense = -1.0 if self.clockwise else 1.0
        angle = math.atan2(a[1], a[0])
        sweep = (sense * (math.atan2(b[1], b[0]) - angle)) % (2.0 * math.pi)
        if np.linalg.norm(last - first) <= SAME * radius:
            sweep = 2.0 * math.pi
        return _row(kc.ARC, first, last, [*center, radius, angle, sense * sweep])[None]


@dataclass(frozen=True, kw_only=True)
class Parabola(Piece):
    """An arc of a parabola, from its end tangents.

    Parameters
    ----------
    control : (2,) array_like
        Where the tangents at start and end meet, m.
    """

    kind: ClassVar[str] = "parabola"

    control: Point

    def rows(self, first: Array, where: str) -> Array:
        """Return the numbers of the piece."""
        last, length = self._ends(first, where)
        middle = point(self.control, "control", where)
        (ax, ay), (bx, by) = middle - first, last - first
        if abs(ax * by - ay * bx) <= SAME * length * length:
            message = "is on the line from start to end, so the parabola is straight: use a segment"
            raise InputError(message, where=where, key="control", value=tuple(map(float, middle)))
        c = np.array([first, 2.0 * (middle - first), first - 2.0 * middle + last, np.zeros(2)])
        return _cubic(first, last, c)[None]


@dataclass(frozen=True, kw_only=True)
class Spline(Piece):
    """A cubic spline through points, with continuous curvature; one that ends where it starts is closed smoothly.

    Parameters
    ----------
    through : sequence of (2,) array_like
        Points between start and end, in their order, m.
    start_tangent, end_tangent : (2,) array_like, optional
        Directions at the ends; without them the curvature is zero there.
    """

    kind: ClassVar[str] = "spline"

    through: Sequence[Point]
    start_tangent: Point | None = None
    end_tangent: Point | None = None

    def rows(self, first: Array, where: str) -> Array:
        """Return the numbers of the piece."""
        inner = self.through if isinstance(self.through, Sequence | np.ndarray) and len(self.through) else None
        if inner is None or isinstance(inner, str):
            message = "must be a list of points between start and end, at least one"
            raise InputError(message, where=where, key="through", value=self.through)
        between = [point(p, f"through[{k}]", where) for k, p in enumerate(inner)]
        points = np.array([first, *between, point(self.end, "end", where)])
        chords = np.linalg.norm(np.diff(points, axis=0), axis=1)
        size = float(np.ptp(points, axis=0).max())
        if (short := np.flatnonzero(chords <= SAME * size)).size:
            k = int(short[0])
            message = f"points {k + 1} and {k + 2} of the spline, counted from its start, are the same"
            raise InputError(message, where=where, key="through", value=tuple(map(float, points[k])))
        s = np.concatenate([[0.0], np.cumsum(chords)])
        from scipy.interpolate import CubicSpline  # the import takes 0.2 s, and few cases have splines

        spline = CubicSpline(s, points, bc_type=self._ends_of(points, size, where))
        rows = []
        for k, chord in enumerate(chords):
            c = spline.c[::-1, k] * chord ** np.arange(4)[:, None]
            rows.append(_cubic(points[k], points[k + 1], c))
        return np.array(rows)

    def _ends_of(self, points: Array, size: float, where: str) -> Any:
        """Return the end conditions in the form of scipy."""
        given = (("start_tangent", self.start_tangent), ("end_tangent", self.end_tangent))
        if np.linalg.norm(points[-1] - points[0]) <= SAME * size and all(value is None for _, value in given):
            points[-1] = points[0]
            return "periodic"
        out = []
        for key, value in given:
            if value is None:
                out.append((2, np.zeros(2)))
                continue
            direction = point(value, key, where)
            if not np.any(direction):
                raise InputError("must not be zero", where=where, key=key, value=value)
            out.append((1, direction / np.linalg.norm(direction)))
        return tuple(out)


PIECES: dict[str, type[Piece]] = {cls.kind: cls for cls in (Segment, Arc, Parabola, Spline)}
"""Kinds of pieces as case files name them."""


def read_pieces(given: object, where: str) -> list[Piece]:
    """Return the pieces of a curve, given as tables or as pieces."""
    if not isinstance(given, Sequence) or isinstance(given, str) or not given:
        message = "must be a list of pieces, each a table with a kind"
        raise InputError(message, where=where, key="pieces", value=given)
    found: list[Piece] = []
    for k, item in enumerate(given):
        place = piece_place(where, k)
        if isinstance(item, Piece):
            found.append(item)
            continue
        if not isinstance(item, Mapping) or "kind" not in item:
            raise InputError("must be a table with a kind", where=place, value=item)
        kind = item["kind"]
        if not isinstance(kind, str) or kind not in PIECES:
            message = f"unknown kind of piece{nearest(kind, PIECES)}; kinds: {', '.join(PIECES)}"
            raise InputError(message, where=place, key="kind", value=kind)
        rest = {key: value for key, value in cast("Mapping[str, Any]", item).items() if key != "kind"}
        found.append(from_table(PIECES[kind], rest, place))
    return found


def piece_place(where: str, k: int) -> str:
    """Return the location of piece k of a curve in a case file."""
    return f"{where}.pieces[{k}]"
