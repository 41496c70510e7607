"""Rows beside the normals of contacts in small motion: tangents, axes of rolling, and of spinning.

A direction without possible motion gets no row: in a planar model a contact slides along one tangent, in space along
two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from flexmb.assembly.rows_beside import NO_SLIDING, tangents
from flexmb.errors import InputError
from flexmb.laws.contact_law import ContactLaw
from flexmb.state import Array, IntArray

Columns = Callable[[Array], sparse.csc_array]
"""Direction (3,) -> generalized unit forces, or moments, along it at each of k contacts, (nv, k)."""

STIFF = 1e-13
"""Squared norm of a row, relative to that of the other, below which there is no motion along it."""


@dataclass(frozen=True)
class BesideRows:
    """Rows of k contacts beside their normals.

    Parameters
    ----------
    slides, turns, spins : (k,) int arrays
        Rows of each contact, see ``system.contact_blocks``.
    H : (nv, m) sparse array, CSC
        Their directions as columns, contact by contact.
    direction : (m, 3) array
        The unit vector, or axis, of each.
    sliding : (m,) bool array
        Whether it is a tangent.
    """

    slides: IntArray
    turns: IntArray
    spins: IntArray
    H: sparse.csc_array
    direction: Array
    sliding: np.ndarray

    def rate_of(self, velocity: Array) -> Array:
        """Return the rates of the rows if the surface moves with a velocity (3,), (m,), to be subtracted."""
        return np.where(self.sliding, -(self.direction @ velocity), 0.0) + 0.0


def rows_beside(
    law: ContactLaw,
    n: Array,
    labels: Sequence[str],
    slide: Columns,
    turn: Columns,
    where: str,
    surface: Sequence[Array] = (),
    watched: np.ndarray | None = None,
) -> BesideRows:
    """Return the rows of contacts with the normal n.

    Parameters
    ----------
    law : ContactLaw
    n : (3,) array
    labels : sequence of str
        Names of the nodes, for errors.
    slide, turn : Columns
        Of relative displacements, and of relative rotations.
    where : str
        The contact, for errors.
    surface : sequence of (3,) arrays
        Directions in which the surface moves; a row with motion of the surface only is kept.
    watched : (k,) bool array, optional
        Contacts with a normal row only.
    """
    k, T = len(labels), tangents(n)
    free = np.ones(k, dtype=bool) if watched is None else ~watched
    base, weights, axes = [slide(T[:, 0]), slide(T[:, 1])], [], []
    sliding = _directions(base, free & law.slides)
    for i, found in enumerate(sliding):
        if len(found) == 1 and any(
            abs(float(s @ (T @ _across(found[0])))) > 1e-12 * np.linalg.norm(s) for s in surface
        ):
            sliding[i] = [np.array([1.0, 0.0]), np.array([0.0, 1.0])]
    if law.slides and free.any() and not any(sliding):
        key = "friction" if law.friction.any() else "cohesion"
        raise InputError(NO_SLIDING, where=where, key=key)
    turning: list[list[Array]] = [[] for _ in range(k)]
    spinning = np.zeros(k, dtype=bool)
    if law.roll:
        base += [turn(T[:, 0]), turn(T[:, 1])]
        turning = _directions(base[2:4], free)
        _require(np.array([bool(found) for found in turning]) | ~free, labels, "rolling", law.roll, where)
    if law.spin:
        base.append(turn(n))
        spinning = free & (_lengths(base[-1]) > STIFF)
        _require(spinning | ~free, labels, "spinning", law.spin, where)
    column = dict(zip(("t", "r", "s"), (0, 2, 2 + 2 * bool(law.roll)), strict=True))
    for i in range(k):
        for kind, found in (("t", sliding[i]), ("r", turning[i])):
            for w in found:
                weights.append([((column[kind] + j) * k + i, float(w[j])) for j in (0, 1) if w[j] != 0.0])
                axes.append((T @ w, kind == "t"))
        if spinning[i]:
            weights.append([(column["s"] * k + i, 1.0)])
            axes.append((n, False))
    return BesideRows(
        slides=np.array([len(found) for found in sliding], dtype=np.int64),
        turns=np.array([len(found) for found in turning], dtype=np.int64),
        spins=spinning.astype(np.int64),
        H=_combined(base, weights),
        direction=np.array([a for a, _ in axes]).reshape(-1, 3),
        sliding=np.array([s for _, s in axes], dtype=bool),
    )


def _directions(pair: Sequence[sparse.csc_array], wanted: np.ndarray) -> list[list[Array]]:
    """Return, for each contact, the directions of motion in the plane of the pair: none, one, or both."""
    a, c = _lengths(pair[0]), _lengths(pair[1])
    b = np.asarray(pair[0].multiply(pair[1]).sum(axis=0)).ravel()
    middle, spread = 0.5 * (a + c), np.hypot(0.5 * (a - c), b)
    found: list[list[Array]] = []
    for i in range(a.size):
        if not wanted[i] or middle[i] + spread[i] <= STIFF:
            found.append([])
        elif middle[i] - spread[i] > STIFF * max(middle[i], 1.0):
            found.append([np.array([1.0, 0.0]), np.array([0.0, 1.0])])
        elif b[i] == 0.0:
            found.append([np.array([1.0, 0.0]) if a[i] > c[i] else np.array([0.0, 1.0])])
        else:
            angle = 0.5 * np.arctan2(2.0 * b[i], a[i] - c[i])
            w = np.array([np.cos(angle), np.sin(angle)])
            found.append([w if w[0] > 0.0 else -w])
    return found


def _across(w: Array) -> Array:
    return np.array([-w[1], w[0]])


def _lengths(A: sparse.csc_array) -> Array:
    """Return the squares of the lengths of the columns."""
    owner = np.repeat(np.arange(A.shape[1]), np.diff(A.indptr))
    return np.asarray(np.bincount(owner, weights=A.data**2, minlength=A.shape[1]), dtype=np.float64)


def _require(able: np.ndarray, labels: Sequence[str], key: str, value: float, where: str) -> None:
    if not able.all():
        node = labels[int(np.flatnonzero(~able)[0])]
        message = f"needs a free rotation, and node {node} has none; use it on beams, rotors and rigid bodies"
        raise InputError(message, where=where, key=key, value=value)


def _combined(base: Sequence[sparse.csc_array], weights: list[list[tuple[int, float]]]) -> sparse.csc_array:
    """Return the columns that are weighted sums of those of ``base``, side by side."""
    row = [r for entries in weights for r, _ in entries]
    data = [w for entries in weights for _, w in entries]
    col = np.repeat(np.arange(len(weights)), [len(entries) for entries in weights])
    both = sparse.hstack(base, format="csc")
    H = sparse.csc_array(both @ sparse.csc_array((data, (row, col)), shape=(both.shape[1], len(weights))))
    H.eliminate_zeros()
    H.sort_indices()
    return H
