"""A planar curve joined from its pieces: its junctions, and the chains with one row each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexmb.errors import InputError
from flexmb.kernels.geometry import curves as kc
from flexmb.parts.contacts.curve_pieces import Piece, line_row, piece_place, point
from flexmb.state import Array

JOINED = 1e-9
"""Distance between two pieces, relative to the size of the curve, up to which they count as joined."""
TANGENT = 1e-6
"""Angle between two pieces up to which their tangents count as equal, rad."""
CUSP = 1e-6
"""Deviation from a half turn up to which a curve counts as turning back on itself, rad."""
FAR = 1e3
"""Length of the extension of a curve, relative to its size."""
DRAWN = 24
"""Number of points on an arc, or between two points of a spline, in figures and checks."""


@dataclass(frozen=True)
class Curve:
    """A curve in the form of ``kernels.geometry.curves``.

    Parameters
    ----------
    pieces : (n, NUMBERS) array
    owner : (n,) list of int
        The user's piece to which each of them belongs.
    chains : list of (int, int)
        First and last piece of each row.
    closed : bool
    drawn_as : (n,) list of int
        Number of drawn points of each piece; none for continuations of others.
    """

    pieces: Array
    owner: list[int]
    chains: list[tuple[int, int]]
    closed: bool
    drawn_as: list[int]

    @property
    def junctions(self) -> list[str]:
        """Kind of the end of each piece."""
        words = {kc.OPEN: "open", kc.STRAIGHT: "straight", kc.SMOOTH: "smooth", kc.CONVEX: "convex"}
        words |= {kc.CONCAVE: "concave", kc.KINK: "kink"}
        return [words[int(code)] for code in self.pieces[:, kc.AFTER]]

    def label(self, chain: int) -> str:
        """Return the user's piece of a chain, counted from 1."""
        a, b = (self.owner[k] + 1 for k in self.chains[chain])
        return f"{a}" if a == b else f"{a}-{b}"

    def drawn(self) -> Array:
        """Return points along the curve, (k, 2)."""
        first = next(k for k, steps in enumerate(self.drawn_as) if steps)
        found = [self.pieces[first, [kc.X0, kc.Y0]]]
        for k, row in enumerate(self.pieces):
            if not (steps := self.drawn_as[k]):
                continue
            inside = [kc.place_on(self.pieces, k, i / steps)[:2] for i in range(1, steps)]
            found += [np.array(p) for p in inside] + [row[[kc.X1, kc.Y1]]]
        return np.array(found)

    def tightest(self, side: float) -> tuple[float, int]:
        """Return the largest curvature towards the free side, 1/m, and its piece."""
        largest, where = -math.inf, 0
        for k, row in enumerate(self.pieces):
            steps = DRAWN if row[kc.KIND] == kc.CUBIC else 1
            kappa = max(side * kc.place_on(self.pieces, k, i / steps)[4] for i in range(steps + 1))
            if kappa > largest:
                largest, where = kappa, self.owner[k]
        return largest, where


def joined(pieces: Sequence[Piece], side: float, slot: bool, straight: bool, where: str, ball: bool = False) -> Curve:
    """Return the curve of some pieces.

    Parameters
    ----------
    pieces : sequence of Piece
    side : float
        1 where the free side is the left one, -1 where it is the right one.
    slot : bool
        Whether there is one row for all of it.
    straight : bool
        Whether it continues straight beyond its ends.
    where : str
        The contact, for errors.
    ball : bool
        Whether the contacting point has a radius: then convex corners are arcs of radius 0.
    """
    if pieces[0].start is None:
        raise InputError("is needed for the first piece", where=piece_place(where, 0), key="start")
    first = point(pieces[0].start, "start", piece_place(where, 0))
    rows: list[Array] = []
    owner: list[int] = []
    off: list[tuple[float, int, Array, Array]] = []
    for k, piece in enumerate(pieces):
        if k and piece.start is not None:
            start = point(piece.start, "start", piece_place(where, k))
            off.append((float(np.linalg.norm(start - first)), k, first, start))
            first = start
        own = piece.rows(first, piece_place(where, k))
        rows += list(own)
        owner += [k] * len(own)
        first = own[-1, [kc.X1, kc.Y1]]
    numbers = np.array(rows)
    corners = numbers[:, [kc.X0, kc.Y0, kc.X1, kc.Y1]].reshape(-1, 2)
    size = float(np.linalg.norm(np.ptp(corners, axis=0))) + float(
        numbers[numbers[:, kc.KIND] == kc.ARC, kc.DATA + 2].max(initial=0.0)
    )
    for gap, k, last, start in off:
        if gap > JOINED * size:
            message = (
                f"piece {k + 1} ({pieces[k].kind}) is not connected to piece {k} ({pieces[k - 1].kind}): it starts at "
                f"({start[0]:.9g}, {start[1]:.9g}), {gap:.6g} m from ({last[0]:.9g}, {last[1]:.9g}) where that ends"
            )
            raise InputError(message, where=piece_place(where, k), key="start", value=tuple(map(float, start)))
    closed = float(np.linalg.norm(corners[0] - corners[-1])) <= JOINED * size
    if ball and not slot:
        numbers, owner = _with_corner_arcs(numbers, owner, closed, side, straight)
    if straight and not closed:
        numbers, owner = _with_straight_ends(numbers, owner, size)
    numbers[:, kc.SIZE] = size
    _mark_junctions(numbers, [pieces[k].kind for k in owner], owner, closed, side, slot, straight, where)
    numbers, owner = _from_a_corner(numbers, owner)
    n = len(numbers)
    ends = [k for k in range(n) if numbers[k, kc.AFTER] == kc.CONCAVE or k == n - 1]
    begins = [0, *(k + 1 for k in ends[:-1])]
    reach = np.hypot(numbers[:, kc.X1] - numbers[:, kc.X0], numbers[:, kc.Y1] - numbers[:, kc.Y0])
    lines, arcs = numbers[:, kc.KIND] == kc.LINE, numbers[:, kc.KIND] == kc.ARC
    hidden = (lines & (reach > 0.5 * FAR * size)) | (arcs & (numbers[:, kc.DATA + 2] == 0.0))
    drawn_as = np.where(hidden, 0, np.where(lines, 1, DRAWN)).tolist()
    return Curve(numbers, owner, list(zip(begins, ends, strict=True)), closed, drawn_as)


def _turn(a: Array, b: Array) -> float:
    """Return the angle from the last tangent of a piece to the first one of another, rad."""
    (ax, ay), (bx, by) = a[[kc.TX1, kc.TY1]], b[[kc.TX0, kc.TY0]]
    return math.atan2(ax * by - ay * bx, ax * bx + ay * by)


def _corner_arc(v: Array, t: Array, turn: float) -> Array:
    """Return an arc of the radius 0 at v that turns the tangent t by an angle."""
    row, sense = np.zeros(kc.NUMBERS), math.copysign(1.0, turn)
    c, s = math.cos(turn), math.sin(turn)
    row[[kc.KIND, kc.X0, kc.Y0, kc.X1, kc.Y1]] = kc.ARC, *v, *v
    row[[kc.TX0, kc.TY0, kc.TX1, kc.TY1]] = *t, c * t[0] - s * t[1], s * t[0] + c * t[1]
    row[kc.DATA : kc.DATA + 5] = *v, 0.0, math.atan2(-sense * t[0], sense * t[1]), turn
    return row


def _with_corner_arcs(P: Array, owner: list[int], closed: bool, side: float, straight: bool) -> tuple[Array, list[int]]:
    """Return the pieces with arcs at convex corners, and around the ends of an open curve."""
    rows: list[Array] = []
    owners: list[int] = []
    around = not (closed or straight)
    if around:
        rows.append(_corner_arc(P[0, [kc.X0, kc.Y0]], -P[0, [kc.TX0, kc.TY0]], -side * math.pi))
        owners.append(owner[0])
    for k, row in enumerate(P):
        rows.append(row)
        owners.append(owner[k])
        v, t = row[[kc.X1, kc.Y1]], row[[kc.TX1, kc.TY1]]
        if k < len(P) - 1 or closed:
            turn = _turn(row, P[(k + 1) % len(P)])
            if side * turn < -TANGENT and abs(turn) <= math.pi - CUSP:
                rows.append(_corner_arc(v, t, turn))
                owners.append(owner[k])
        elif around:
            rows.append(_corner_arc(v, t, -side * math.pi))
            owners.append(owner[k])
    return np.array(rows), owners


def _with_straight_ends(P: Array, owner: list[int], size: float) -> tuple[Array, list[int]]:
    """Return the pieces with distant lines beyond ends that are not straight already."""
    rows, owners = [*P], [*owner]
    if P[0, kc.KIND] != kc.LINE:
        v, t = P[0, [kc.X0, kc.Y0]], P[0, [kc.TX0, kc.TY0]]
        rows, owners = [line_row(v - FAR * size * t, v), *rows], [owner[0], *owners]
    if P[-1, kc.KIND] != kc.LINE:
        v, t = P[-1, [kc.X1, kc.Y1]], P[-1, [kc.TX1, kc.TY1]]
        rows, owners = [*rows, line_row(v, v + FAR * size * t)], [*owners, owner[-1]]
    return np.array(rows), owners


def _mark_junctions(
    P: Array, kinds: list[str], owner: list[int], closed: bool, side: float, slot: bool, straight: bool, where: str
) -> None:
    """Write the kinds of junctions at the ends of the pieces, and the neighbours of each piece."""
    n = len(P)
    P[:, [kc.PREVIOUS, kc.NEXT]] = -1.0
    P[0, kc.BEFORE] = P[-1, kc.AFTER] = kc.STRAIGHT if straight else kc.OPEN
    for k in range(n if closed else n - 1):
        j = (k + 1) % n
        turn = _turn(P[k], P[j])
        if abs(turn) > math.pi - CUSP:
            message = f"turns back on piece {owner[k] + 1} ({kinds[k]}): the side of the curve is not defined there"
            raise InputError(message, where=piece_place(where, owner[j]), value=kinds[j])
        what = (
            kc.SMOOTH if abs(turn) <= TANGENT else kc.KINK if slot else kc.CONCAVE if side * turn > 0.0 else kc.CONVEX
        )
        P[k, kc.AFTER] = P[j, kc.BEFORE] = what
        P[k, kc.NEXT], P[j, kc.PREVIOUS] = j, k


def _from_a_corner(P: Array, owner: list[int]) -> tuple[Array, list[int]]:
    """Return a closed curve such that it begins after a concave corner, if it has one: chains are not cyclic."""
    n = len(P)
    concave = np.flatnonzero(P[:, kc.AFTER] == kc.CONCAVE)
    if not concave.size or P[-1, kc.NEXT] < 0 or concave[-1] == n - 1:
        return P, owner
    order = np.roll(np.arange(n), -(int(concave[0]) + 1))
    place = np.argsort(order)
    P = P[order]
    for column in (kc.PREVIOUS, kc.NEXT):
        P[:, column] = place[P[:, column].astype(np.int64)]
    return P, [owner[k] for k in order]
