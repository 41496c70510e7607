"""Symbols drawn in addition to the bodies, as a table: disks, bearings, supports, joints, springs, rings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from flexmb.state import Array, IntArray

DISK, BEARING, CLAMP, PIN, RING = "disk", "bearing", "clamp", "pin", "ring"
SPRING, DAMPER, SPRING_DAMPER, TORSION = "spring", "damper", "spring-damper", "torsion-spring"
HINGE, BALL, WELD, CROSS, SHEET, ROD = "hinge", "ball", "weld", "cross", "sheet", "rod"
RAIL, BLOCK, SLEEVE, BEAD, EDGE = "rail", "block", "sleeve", "bead", "edge"
MOMENT = "moment"
"""An applied moment, which is not drawn: bending moments jump there."""
ON_GROUND, NOWHERE = -1, -2
"""Used in place of the number of a point: an end on the ground, and an unknown end."""


class End(NamedTuple):
    """End of a mark.

    Parameters
    ----------
    ref : object
        A node or body as users name it (``BODY.all``: a mark on each node), ``joints.NAME`` and ``joints.NAME.base``
        for the places of a joint's mover and base (see ``Joint``), or None for the ground.
    point : (3,) array or None
        In space at the start, m: of the ground, or of the rigid body ``ref``. None for the ground: initial position
        of the mark's first end.
    shift : (3,) array or None
        Offset of the point, m.
    """

    ref: object = None
    point: Array | None = None
    shift: Array | None = None


@dataclass(frozen=True)
class Glyph:
    """A symbol to be drawn.

    Parameters
    ----------
    kind : str
        One of the words above.
    name : str
        Name of its part.
    a : End
        Its first end.
    b : End or None
        Its second end; None if that has no place.
    axis : (3,) array or None
        Unit vector, in space at the start; None: the axis the body of ``a`` spins about, or that of its joint. It
        rotates with ``a``.
    size : tuple of float
        Of a disk radius and width, of a ring its clearance, m.
    """

    kind: str
    name: str
    a: End
    b: End | None = None
    axis: Array | None = None
    size: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True)
class Glyphs:
    """Marks as arrays, over the points of a layout; m of them.

    Parameters
    ----------
    kind, name : (m,) arrays of bytes
    point : (m, 2) int array
        The points at their two ends, or ``ON_GROUND``, ``NOWHERE``.
    offset : (m, 2, 3) array
        From that point to the end, in space at the start, m; it rotates with the point. On the ground the position
        itself.
    axis : (m, 3) array
    size : (m, 2) array
        As in ``Glyph``.
    """

    kind: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype="S1"))
    name: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype="S1"))
    point: IntArray = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int64))
    offset: Array = field(default_factory=lambda: np.zeros((0, 2, 3)))
    axis: Array = field(default_factory=lambda: np.zeros((0, 3)))
    size: Array = field(default_factory=lambda: np.zeros((0, 2)))

    def __len__(self) -> int:
        return len(self.kind)


@runtime_checkable
class Drawn(Protocol):
    """A part with symbols."""

    def marks(self) -> list[Glyph]:
        """Return the glyphs of the part."""
        ...


Found = tuple[int, Array]
"""The number of a point, and the vector from it to the position."""
Find = Callable[[object, Array | None], list[Found]]


def glyphs_of(
    parts: Iterable[object],
    find: Find,
    points: Array,
    axes: Mapping[str, Array],
) -> Glyphs:
    """Return the marks of parts.

    Parameters
    ----------
    parts : iterable
        Bodies, loads and contacts; those that are ``Drawn`` count.
    find : function
        Called with ``ref`` and ``point`` of an end that is not on the ground.
    points : (n, 3) array
        Of the layout, m.
    axes : mapping of str to array
        Axes of the bodies that spin, by their name, and of joints, by ``joints.NAME``.
    """
    rows: list[tuple[bytes, bytes, list[int], list[Array], Array, tuple[float, float]]] = []
    for part in parts:
        for mark in part.marks() if isinstance(part, Drawn) else []:
            for a in find(mark.a.ref, mark.a.point):
                here = a[1] + (points[a[0]] if a[0] >= 0 else 0.0)
                b = _other(mark.b, here, find)
                axis = mark.axis if mark.axis is not None else axes[_key(mark.a.ref)]
                rows.append((mark.kind.encode(), mark.name.encode(), [a[0], b[0]], [a[1], b[1]], axis, mark.size))
    if not rows:
        return Glyphs()
    kind, name, point, offset, along, size = zip(*rows, strict=True)
    return Glyphs(
        np.array(kind, dtype="S"),
        np.array(name, dtype="S"),
        np.array(point, dtype=np.int64),
        np.array(offset, dtype=np.float64),
        np.array(along, dtype=np.float64),
        np.array(size, dtype=np.float64),
    )


def _other(end: End | None, here: Array, find: Find) -> Found:
    if end is None:
        return NOWHERE, np.zeros(3)
    shift = np.zeros(3) if end.shift is None else end.shift
    if end.ref is None:
        return ON_GROUND, (here if end.point is None else end.point) + shift
    point, offset = find(end.ref, end.point)[0]
    return point, offset + shift


def _key(ref: object) -> str:
    words = str(ref)
    return words if words.startswith("joints.") else words.partition(".")[0]
