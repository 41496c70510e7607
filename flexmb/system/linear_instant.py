"""A constant system in (t, q, v), as ``system.protocol.Instant``; quantities are computed on demand."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from flexmb.kernels.geometry.tables import CLASSES, CONSERVATIVE, CROSS, DAMPING, DRIVE, EXTERNAL, INERTIA
from flexmb.state import Array

if TYPE_CHECKING:
    from flexmb.system.linear_system import LinearSystem


class LinearInstant:
    """M v' + (C + gyro) v + (K + cross) q = F0 + sum_j B_j phi_j(t) + G lam in (t, q, v)."""

    def __init__(self, system: LinearSystem, t: float, q: Array, v: Array) -> None:
        self.system, self.t, self.q, self.v = system, t, q, v

    @cached_property
    def F(self) -> Array:
        """Forces by class, (CLASSES, nv)."""
        s = self.system
        F = np.zeros((CLASSES, s.nv))
        F[CONSERVATIVE] = s.F0 - s.elastic(self.q)
        if s.damped:
            F[DAMPING] = -(s.C @ self.v)
        if s.gyro.nnz:
            F[INERTIA] = -(s.gyro @ self.v)
        if s.cross.nnz:
            F[CROSS] = -(s.cross @ self.q)
        for load in s.loads:
            F[DRIVE if load.drive else EXTERNAL] += load.B * float(load.phi.value(self.t))
        return F

    @cached_property
    def p(self) -> Array:
        """Momentum M v, (nv,)."""
        return np.asarray(self.system.M @ self.v)

    @cached_property
    def kinetic(self) -> float:
        """Kinetic energy, J."""
        return 0.5 * float(self.p @ self.v)

    @cached_property
    def potential(self) -> float:
        """Elastic and gravitational energy, J."""
        return self.system.potential(self.q)

    @cached_property
    def g(self) -> Array:
        """Gaps of the contacts, (nc,)."""
        return self.system.contacts.g(self.t, self.q)

    @property
    def gap_noise(self) -> Array:
        """Round-off of the gaps, (nc,), m."""
        g0 = self.system.contacts.g0
        return np.asarray(1e-14 * (np.abs(g0) + np.abs(self.g - g0)))

    @cached_property
    def reach(self) -> Array:
        """Magnitudes of the lengths whose differences are the gaps, (nc,), m."""
        return np.asarray(np.abs(self.system.contacts.g0) + self.system.contacts.magnitudes @ np.abs(self.q))

    @cached_property
    def g_t(self) -> Array:
        """Partial time derivatives of the gaps, (nc,)."""
        return self.system.contacts.g_t(self.t)

    @cached_property
    def U(self) -> Array:
        """Relative velocities along the normals, (nc,)."""
        return np.asarray(self.system.contacts.G_T @ self.v + self.g_t)

    @property
    def dense_directions(self) -> Array:
        """Directions of normals and of the rows beside them, (nv, nc + nt), if they are few."""
        assert self.system.contacts.dense is not None
        return self.system.contacts.dense

    @property
    def G(self) -> sparse.csc_array:
        """Force directions of the contacts, (nv, nc); they never change."""
        return self.system.contacts.G

    @property
    def H(self) -> sparse.csc_array:
        """Directions of the rows beside the normals, (nv, nt); they never change."""
        return self.system.contacts.H

    @cached_property
    def H_t(self) -> Array:
        """Contributions of prescribed surface motions to the rates of those rows, (nt,)."""
        return self.system.contacts.H_t(self.t)

    @cached_property
    def U_T(self) -> Array:
        """Rates of the rows beside the normals, (nt,)."""
        return np.asarray(self.system.contacts.H_T @ self.v + self.H_t)

    @property
    def theta(self) -> Array:
        """Relative angles of joints: there are none."""
        return np.zeros(0)

    @property
    def G_J(self) -> sparse.csc_array:
        """Force directions of joints, (nv, 0)."""
        return self.system.no_directions

    @property
    def joint_g(self) -> Array:
        """Violation of the joints at position level: empty, there are none."""
        return np.zeros(0)

    @property
    def joint_g_t(self) -> Array:
        """Partial time derivatives of ``joint_g``, of joints that are driven, (nj,)."""
        return np.zeros(0)

    @property
    def joint_rates(self) -> Array:
        """Violation of the joints at velocity level: empty, there are none."""
        return np.zeros(0)

    @property
    def joint_bias(self) -> Array:
        """Rates of ``joint_rates``: empty."""
        return np.zeros(0)

    @cached_property
    def bias(self) -> Array:
        """Rates of U for constant components of v, (nc,): those of moving surfaces."""
        return self.system.contacts.g_tt(self.t)

    @cached_property
    def momentum_rate(self) -> Array:
        """Rate of the momentum for constant components of v: zero."""
        return np.zeros(self.system.nv)

    def momentum(self, v: Array) -> Array:
        """Return M v, (nv,)."""
        return self.p if v is self.v else np.asarray(self.system.M @ v)

    def resisting(self, x: Array) -> Array:
        """Return (C + gyro) x for x of shape (nv,) or (nv, k)."""
        return self.system.resisting(x)

    def restoring(self, x: Array) -> Array:
        """Return (K + cross) x for x of shape (nv,) or (nv, k)."""
        return self.system.restoring(x)

    def directions_inside(self, dq: Array, t: float) -> sparse.csc_array:
        """Return the force directions of the joints, (nv, 0)."""
        return self.system.no_directions

    def velocity_before(self, start: LinearInstant) -> Array:
        """Return the relative velocities that restitution reverses, (nc,): those at the start of the step."""
        return start.U

    def to_space(self, x: Array) -> Array:
        """Return x: there are no frames."""
        return x

    def to_axes(self, x: Array) -> Array:
        """Return x: there are no frames."""
        return x

    def impulse_vectors(self, P: Array, R: Array) -> Array:
        """Return the impulses in the form of fields (``impulse_map``): of the normals, then of the rows beside them."""
        return np.concatenate([P, R])
