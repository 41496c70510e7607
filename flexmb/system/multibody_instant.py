"""A multibody system in (t, q, v), as ``system.protocol.Instant``: copies of the output of the kernels."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from flexmb.kernels.geometry.tables import CLEARANCE, CURVE, JOINT, System
from flexmb.kernels.multibody.evaluate import evaluate_at, momentum
from flexmb.state import Array, IntArray
from flexmb.system.linear_contacts import FEW

if TYPE_CHECKING:
    from flexmb.system.multibody_system import MultibodySystem


class DirectionPattern:
    """Positions of the entries of G: a row has slots, each slot a marker, each marker the unknowns that move it.

    Made once; ``matrix`` then takes a few products. ``few``: all directions fit into one dense array.
    """

    def __init__(self, tables: System, nv: int) -> None:
        rows, markers = tables.rows, tables.markers
        counts = np.diff(markers.ptr)[rows.marker]
        self.slot: IntArray = np.repeat(np.arange(counts.size), counts)
        first = np.repeat(markers.ptr[rows.marker] - (np.cumsum(counts) - counts), counts)
        self.entry: IntArray = np.arange(self.slot.size) + first
        row = np.repeat(np.arange(rows.kind.size), np.diff(rows.ptr))[self.slot]
        self.shape = (nv, rows.kind.size)
        self.few = nv * rows.kind.size <= FEW
        places, self.place = np.unique(row * nv + markers.dof[self.entry], return_inverse=True)
        self.indices = (places % nv).astype(np.int32) if nv else np.zeros(0, dtype=np.int32)
        self.column = places // nv if nv else np.zeros(0, dtype=np.int64)
        columns = np.bincount(places // nv, minlength=rows.kind.size) if nv else np.zeros(rows.kind.size, dtype=int)
        self.indptr = np.concatenate([[0], np.cumsum(columns)]).astype(np.int32)

    def dense(self, J: Array, grad: Array) -> Array:
        """Return G as a dense array, (nv, nr)."""
        out = np.zeros(self.shape)
        along = np.einsum("ij,ij->i", J[self.entry], grad[self.slot])
        out[self.indices, self.column] = np.bincount(self.place, weights=along, minlength=self.indices.size)
        return out

    def matrix(self, J: Array, grad: Array) -> sparse.csc_array:
        """Return G, (nv, nr), from the rates of the markers and the gradients of the rows."""
        along = np.einsum("ij,ij->i", J[self.entry], grad[self.slot])
        data = np.bincount(self.place, weights=along, minlength=self.indices.size)
        found = sparse.csc_array((data, self.indices.copy(), self.indptr.copy()), shape=self.shape)
        found.eliminate_zeros()
        return found


class MultibodyInstant:
    """All quantities of a multibody system in (t, q, v), independent of the buffers of the kernels."""

    def __init__(self, system: MultibodySystem, at: int, t: float, q: Array, v: Array) -> None:
        self.system, self.t, self.q, self.v = system, t, q, v
        whole, v = system.whole(q), np.ascontiguousarray(v)
        evaluate_at(at, t, whole, v)
        point = system.workspace.machine.point
        self.F = point.F.copy()
        self.F[JOINT] = 0.0
        self.p = np.zeros(system.nv)
        momentum(at, whole, v, self.p)
        self.potential = float(point.potential[0])
        self.theta = point.angles.theta.copy()
        self.axes = point.A.copy()
        self._g, self._g_t = point.rows.g.copy(), point.rows.g_t.copy()
        self._J, self._grad = point.markers.J.copy(), point.rows.grad.copy()
        self.curve_places = system.curve_places() if system.tables.curves.side.size else np.zeros((0, 2))

    @property
    def _normals(self) -> slice:
        """Which of the rows are normals of contacts."""
        first = self.system.tables.joints
        return slice(first, first + self.system.tables.contacts)

    @property
    def kinetic(self) -> float:
        """Kinetic energy, J."""
        return 0.5 * float(self.p @ self.v)

    @cached_property
    def dense_directions(self) -> Array:
        """``directions`` as a dense array, (nv, nr)."""
        return self.system.directions.dense(self._J, self._grad)

    @cached_property
    def directions(self) -> sparse.csc_array:
        """Force directions of joints, of contacts, and of the rows beside their normals as columns, (nv, nr)."""
        return self.system.directions.matrix(self._J, self._grad)

    @cached_property
    def G(self) -> sparse.csc_array:
        """Force directions of the contacts, (nv, nc)."""
        return sparse.csc_array(self.directions[:, self._normals])

    @property
    def g(self) -> Array:
        """Gaps of the contacts, (nc,)."""
        return self._g[self._normals]

    @property
    def gap_noise(self) -> Array:
        """Round-off of the gaps, (nc,), m."""
        return np.asarray(1e-14 * np.abs(self.system.tables.rows.c[self._normals]))

    @property
    def reach(self) -> Array:
        """Magnitudes of the lengths whose differences are the gaps, (nc,), m."""
        farthest = max(self.system.size, float(np.abs(self.q[: self.system.nq]).max(initial=0.0)))
        return np.asarray(np.abs(self.system.tables.rows.c[self._normals]) + farthest)

    @property
    def g_t(self) -> Array:
        """Partial time derivatives of the gaps, (nc,)."""
        return self._g_t[self._normals]

    @property
    def U(self) -> Array:
        """Relative velocities along the normals, (nc,)."""
        return self._rates[self._normals]

    @cached_property
    def H(self) -> sparse.csc_array:
        """Directions of the rows beside the normals, (nv, nt)."""
        return sparse.csc_array(self.directions[:, self._normals.stop :])

    @property
    def H_t(self) -> Array:
        """Contributions of prescribed surface motions to the rates of those rows, (nt,)."""
        return self._g_t[self._normals.stop :]

    @property
    def U_T(self) -> Array:
        """Rates of the rows beside the normals, (nt,)."""
        return self._rates[self._normals.stop :]

    @cached_property
    def G_J(self) -> sparse.csc_array:
        """Force directions of the rows of joints, (nv, nj)."""
        return sparse.csc_array(self.directions[:, : self.system.nj])

    @property
    def joint_g(self) -> Array:
        """Violation of the joints at position level, (nj,)."""
        return self._g[: self.system.nj]

    @property
    def joint_g_t(self) -> Array:
        """Partial time derivatives of ``joint_g``, of joints that are driven, (nj,)."""
        return self._g_t[: self.system.nj]

    @property
    def joint_rates(self) -> Array:
        """Violation of the joints at velocity level, G_J^T v + g_t, (nj,)."""
        return self._rates[: self.system.nj]

    @cached_property
    def _rates(self) -> Array:
        """Rates of all rows, (nr,)."""
        directions = self.dense_directions if self.system.directions.few else self.directions
        return np.asarray(directions.T @ self.v + self._g_t)

    @cached_property
    def _bias(self) -> Array:
        return self.system.bias(self.t, self.q, self.v)

    @property
    def joint_bias(self) -> Array:
        """Rates of ``joint_rates`` for constant components of v, (nj,)."""
        return self._bias[: self.system.nj]

    @property
    def bias(self) -> Array:
        """Rates of ``U`` for constant components of v, (nc,)."""
        return self._bias[self.system.nj :]

    @cached_property
    def momentum_rate(self) -> Array:
        """Rate of the momentum in space, along the current axes, for constant components of v, (nv,)."""
        system = self.system
        if not system.constant_mass:
            return self.mass_and_rate[1]
        out, first = np.zeros(system.nv), system.tables.unknowns.frame_v
        if first.size:  # omega x J omega
            places = first[:, None] + np.arange(3, 6)
            (a, b, c), (x, y, z) = self.v[places].T, self.p[places].T
            out[places] = np.stack([b * z - c * y, c * x - a * z, a * y - b * x], axis=1)
        return out

    @cached_property
    def mass_and_rate(self) -> tuple[Array, Array]:
        """M(q), dense, and the rate of the momentum."""
        return self.system.mass_and_rate(self.t, self.q, self.v, self.p)

    def momentum(self, v: Array) -> Array:
        """Return M(q) v of another velocity, (nv,)."""
        return self.p if v is self.v else self.system.instant(self.t, self.q, v).p

    @cached_property
    def matrices(self) -> tuple[sparse.csr_array, sparse.csr_array, sparse.csr_array]:
        """M, C = -dF/dv and K = -dF/dq."""
        return self.system.tangents(self.t, self.q, self.v)

    def resisting(self, x: Array) -> Array:
        """Return C x for x of shape (nv,) or (nv, k)."""
        return np.asarray(self.matrices[1] @ x)

    def restoring(self, x: Array) -> Array:
        """Return K x for x of shape (nv,) or (nv, k)."""
        return np.asarray(self.matrices[2] @ x)

    def directions_inside(self, dq: Array, t: float) -> sparse.csc_array:
        """Return the force directions of the joints at q (+) dq and t, along the axes at q, (nv, nj).

        A step is left backwards: dq is what lies between its inside and its end, where this instant is.
        """
        system = self.system
        if not system.nj:
            return sparse.csc_array((system.nv, 0))
        inside = system.instant(t, system.advance(self.q, dq), self.v)
        G = inside.directions[:, : system.nj].toarray()
        return sparse.csc_array(self.to_axes(inside.to_space(G)))

    def velocity_before(self, start: MultibodyInstant) -> Array:
        """Return the relative velocities that restitution reverses, (nc,).

        The normals of clearances and curves turn quickly: there the velocity at the start is taken along the normal
        here, so that an impact is a reflection and no contact gains energy.
        """
        turned = np.isin(self.system.tables.rows.kind[self._normals], (CLEARANCE, CURVE))
        return np.where(turned, self.G.T @ start.v + start.g_t, start.U)

    def to_space(self, x: Array) -> Array:
        """Return x, (nv,) or (nv, k), with its rotational entries transformed from the frames' axes to space."""
        return self._turned(x, self.axes)

    def to_axes(self, x: Array) -> Array:
        """Return x (nv,) with its rotational entries transformed from space to the frames' axes."""
        return self._turned(x, self.axes.transpose(0, 2, 1))

    def _turned(self, x: Array, A: Array) -> Array:
        first = self.system.tables.unknowns.frame_v
        if not first.size:
            return x
        out = x.copy()
        places = first[:, None] + np.arange(3, 6)
        out[places] = np.einsum("fij,fj...->fi...", A, x[places])
        return out

    def impulse_vectors(self, P: Array, R: Array) -> Array:
        """Return the impulses in the form of fields: their vectors in space on the second marker, (3 nc,).

        ``R`` (nt,) are those of the rows beside the normals.
        """
        ptr, first = self.system.tables.rows.ptr, self._normals.stop
        out = np.asarray(P[:, None] * self._grad[ptr[self._normals] + 1, :3])
        if R.size:
            np.add.at(out, self.system.gaps.blocks.owner, R[:, None] * self._grad[ptr[first:-1] + 1, :3])
        return out.ravel()
