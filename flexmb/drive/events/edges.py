"""Edges of curves: transitions of a point that slides along a curve from one piece to the next.

While a contact with a curve is closed, or a slot holds its node, one piece counts alone and goes on beyond its ends as
it bends (``geometry.curves.Curves.held``): so no stage of a step sees the next one. The end of the piece is an event,

    h(q) = -max(way before its first point, way behind its last point) = 0

and what happens there depends on what stands at the end:

    SMOOTH          the next piece counts; curvature and force may jump, velocities do not
    KINK            a slot with a corner: Glocker's law v+ = v- - 2 A n n.v-, n along the sum of the two normals
    CONVEX, OPEN    the contact opens
    CONCAVE, else   nothing: the next piece is another contact, which closes

A is the inverse of the mass, projected on the other joints; all normals are of length 1 in n.A n. The law keeps the
energy, and the speed along the slot.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from flexmb.kernels.geometry import curves as kc
from flexmb.kernels.geometry.tables import CURVE
from flexmb.smooth.phase import Phase
from flexmb.state import Array, IntArray
from flexmb.system.linear_system import LinearSystem
from flexmb.system.multibody_system import MultibodySystem

PASSED = (kc.SMOOTH, kc.KINK)
"""Ends beyond which another piece of the same row is active."""


def with_own_pieces(system: MultibodySystem) -> MultibodySystem:
    """Return a system that defines the active pieces of its curves itself."""
    curves = system.tables.curves
    if not curves.side.size:
        return replace(system)
    own = curves._replace(held=np.full(curves.side.size, -1, dtype=np.int64))
    return replace(system, tables=system.tables._replace(curves=own))


class Edges:
    """The rows for curves of a system, and the active piece of each.

    ``rows`` are their numbers among all rows, ``contact`` (n,) their contacts, -1 for slots.
    """

    def __init__(self, system: LinearSystem | MultibodySystem) -> None:
        self.rows: IntArray = np.zeros(0, dtype=np.int64)
        self.contact: IntArray = self.rows
        if isinstance(system, LinearSystem) or not system.tables.curves.side.size:
            return
        rows, nj = system.tables.rows, system.tables.joints
        self.curves = system.tables.curves
        self.rows = np.flatnonzero(rows.kind == CURVE)
        self.chain: IntArray = rows.angle[self.rows, 0]
        self.contact = np.where(self.rows < nj, -1, self.rows - nj)

    @property
    def held(self) -> Array:
        """Active pieces of all rows; -1 for the nearest one."""
        return self.curves.held.astype(np.float64) if self.rows.size else np.zeros(0)

    def restore(self, held: Array) -> None:
        """Set the active pieces."""
        if self.rows.size:
            self.curves.held[:] = held.astype(np.int64)

    def hold(self, here: Any, closed: IntArray) -> bool:
        """Fix the nearest pieces of slots and closed contacts as active; return whether anything has changed."""
        changed = False
        for k in range(self.rows.size):
            chain, contact = self.chain[k], self.contact[k]
            kept = bool(contact < 0 or contact in closed)
            if kept == bool(self.curves.held[chain] >= 0):
                continue
            changed = True
            self.curves.held[chain] = kc.curve_gap(self.curves, chain, *here.curve_places[k])[4] if kept else -1
        return changed

    def watched(self) -> list[int]:
        """Return the rows with a fixed active piece."""
        return [k for k in range(self.rows.size) if self.curves.held[self.chain[k]] >= 0]

    def both_sides(self, closed: IntArray) -> list[tuple[int, int]]:
        """Return the pairs of closed contacts that are the two sides of a concave corner of a curve."""
        if not self.rows.size:
            return []
        P, chains = self.curves.piece, self.curves.chain
        begin = {int(chains[self.chain[k], kc.FIRST]): int(c) for k, c in enumerate(self.contact) if c in closed}
        pairs = []
        for k, contact in enumerate(self.contact):
            last = int(chains[self.chain[k], kc.LAST])
            other = begin.get(int(P[last, kc.NEXT]), -1) if P[last, kc.AFTER] == kc.CONCAVE else -1
            if contact in closed and other >= 0 and other != contact:
                pairs.append((int(contact), other))
        return pairs

    def _ends(self, k: int, here: Any) -> tuple[float, bool]:
        """Return the distance to the next end of the piece, and whether that is its last point."""
        P, piece = self.curves.piece, int(self.curves.held[self.chain[k]])
        before, behind = kc.beyond(P, piece, *here.curve_places[k])
        ends = ((kc.BEFORE, kc.PREVIOUS), (kc.AFTER, kc.NEXT))
        passed = (*PASSED, kc.CONVEX, kc.OPEN)
        first, last = (int(P[piece, what]) in passed and int(P[piece, other]) != piece for what, other in ends)
        before, behind = before if first else -np.inf, behind if last else -np.inf
        return -max(before, behind), behind > before

    def value(self, k: int, here: Any) -> float:
        """Return the event function of a row, m: positive between the ends of its piece."""
        return min(self._ends(k, here)[0], self.size)

    @property
    def size(self) -> float:
        """A reference length, m."""
        return float(self.curves.piece[:, kc.SIZE].max(initial=0.0)) if self.rows.size else 0.0

    def at_end(self, k: int, here: Any) -> int:
        """Return the kind of the end that was reached."""
        P, piece = self.curves.piece, int(self.curves.held[self.chain[k]])
        return int(P[piece, kc.AFTER if self._ends(k, here)[1] else kc.BEFORE])

    def turn(self, k: int, here: Any) -> None:
        """Activate the piece after the end that was reached."""
        P, chain = self.curves.piece, self.chain[k]
        piece = int(self.curves.held[chain])
        self.curves.held[chain] = int(P[piece, kc.NEXT if self._ends(k, here)[1] else kc.PREVIOUS])


def glocker(phase: Phase, before: Any, after: Any, row: int) -> tuple[Array, Array]:
    """Return the velocities after a kink of a slot, and the impulses of the joints.

    Parameters
    ----------
    phase : Phase
    before, after : instants of the system
        With the row along the one and along the other piece.
    row : int
        That of the slot.
    """
    solve, nj = phase.mass.solver(before), phase.nj
    others = np.setdiff1d(np.arange(nj), [row])
    normals = np.column_stack([here.G_J[:, [row]].toarray()[:, 0] for here in (before, after)])
    X, shared = solve(normals), np.zeros((others.size, 2))
    if others.size:
        J = before.G_J[:, others].toarray()
        Y = solve(J)
        shared = -np.linalg.lstsq(J.T @ Y, J.T @ X, rcond=None)[0]
        X = X + Y @ shared
    scale = 1.0 / np.sqrt(np.sum(normals * X, axis=0))
    n, A_n = normals @ scale, X @ scale
    amount = -2.0 * float(n @ before.v) / float(n @ A_n)
    Lam = np.zeros(nj)
    Lam[row], Lam[others] = amount * scale.sum(), amount * (shared @ scale)
    return before.v + amount * A_n, Lam
