"""A phase in (t, q, v): forces and momentum of the system, directions, rates and biases of the enforced rows.

It implements ``system.protocol.Instant``, with the rows of the phase as joints and without contacts, so that a scheme
written for that protocol steps a phase like any system with joints.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from flexmb.state import Array

if TYPE_CHECKING:
    from flexmb.smooth.phase import Phase

PROBE = 1e-3
"""Time increment for the difference quotient of tangent rates, over the time scale of the motion."""


class PhaseInstant:
    """Quantities of a phase in (t, q, v).

    ``here`` is the instant of the system. ``G`` and ``D`` (nv, nr) are the directions of the rows and of their forces,
    ``gap``, ``rates``, ``bias`` (nr,) positions, rates and rates of rates of the rows; ``load`` (nv,) all forces
    without those of the rows, less the rate of the momentum.
    """

    def __init__(self, phase: Phase, here: Any) -> None:
        self.phase, self.here = phase, here
        self.t, self.q, self.v = here.t, here.q, here.v

    @property
    def F(self) -> Array:
        """Forces by class, (CLASSES, nv)."""
        return np.asarray(self.here.F)

    @property
    def p(self) -> Array:
        """Momentum M(q) v, (nv,)."""
        return np.asarray(self.here.p)

    @property
    def kinetic(self) -> float:
        """Kinetic energy, J."""
        return float(self.here.kinetic)

    @property
    def potential(self) -> float:
        """Stored energy, J."""
        return float(self.here.potential)

    @cached_property
    def load(self) -> Array:
        """Forces less the rate of the momentum, (nv,)."""
        return np.asarray(self.here.F.sum(axis=0) - self.here.momentum_rate)

    @cached_property
    def G(self) -> Array:
        """Directions of the rows, (nv, nr)."""
        return self._stacked()

    @cached_property
    def D(self) -> Array:
        """Directions of the forces of the rows, (nv, nr)."""
        phase = self.phase
        if not phase.sliding.size:
            return self.G
        D = self.G.copy()
        D[:, phase.nj + phase.sliding] -= (
            phase.directions(self.here, phase.system.contacts.nc + phase.slide_columns) * phase.drag
        )
        return D

    def _stacked(self) -> Array:
        phase, here = self.phase, self.here
        if phase.system.linear:
            return phase.fixed_rows
        if phase.few:
            return np.asarray(here.dense_directions[:, phase.columns])
        parts = []
        if phase.nj:
            parts.append(here.G_J.toarray())
        if phase.closed.size:
            parts.append(here.G[:, phase.closed].toarray())
        if phase.stuck.size:
            parts.append(here.H[:, phase.tangents].toarray())
        return np.concatenate(parts, axis=1) if parts else np.zeros((phase.nv, 0))

    @cached_property
    def surface(self) -> Array:
        """Partial time derivatives of the rows, (nr,)."""
        phase, here = self.phase, self.here
        parts = [here.joint_g_t, here.g_t[phase.closed], here.H_t[phase.tangents]]
        return np.concatenate(parts)

    @cached_property
    def pushed(self) -> Array:
        """Velocities of the surfaces along the directions of the forces, (nr,)."""
        phase = self.phase
        out = self.surface
        if phase.sliding.size:
            out = out.copy()
            out[phase.nj + phase.sliding] -= phase.drag * self.here.H_t[phase.slide_columns]
        return out

    @cached_property
    def rates(self) -> Array:
        """Violation of the rows on the velocity level, G^T v + g_t, (nr,)."""
        return np.asarray(self.G.T @ self.v + self.surface)

    @cached_property
    def gap(self) -> Array:
        """Violation of the rows at position level, (nr,); a sticking tangent has no position."""
        phase, here = self.phase, self.here
        return np.concatenate([here.joint_g, here.g[phase.closed], np.zeros(phase.stuck.size)])

    @cached_property
    def bias(self) -> Array:
        """Rates of ``rates`` for constant components of v, (nr,)."""
        phase, here = self.phase, self.here
        parts = [here.joint_bias, here.bias[phase.closed]]
        if phase.stuck.size:
            parts.append(self.tangent_bias[phase.tangents])
        return np.concatenate(parts)

    @cached_property
    def tangent_bias(self) -> Array:
        """Rates of the tangential rates of all contacts for constant components of v, (nt,): differences of order 4."""
        system, here = self.phase.system, self.here
        if system.linear:
            return np.asarray(system.contacts.H_tt(self.t))  # type: ignore[union-attr]
        size = float(np.abs(self.v).max(initial=0.0))
        d = PROBE / max(1.0, size)
        total = np.zeros(here.U_T.size)
        for k, weight in ((-2, 1.0), (-1, -8.0), (1, 8.0), (2, -1.0)):
            near = system.instant(self.t + k * d, system.advance(self.q, k * d * self.v), self.v)
            total += weight * near.U_T
        return np.asarray(total / (12.0 * d))

    @property
    def G_J(self) -> sparse.csc_array:
        """Directions of the forces of the rows, (nv, nr)."""
        return sparse.csc_array(self.D)

    @property
    def joint_g(self) -> Array:
        """Violation of the rows at position level: ``gap``."""
        return self.gap

    @property
    def joint_g_t(self) -> Array:
        """Partial time derivatives of the rows: ``surface``."""
        return self.surface

    @property
    def joint_rates(self) -> Array:
        """Violation of the rows at velocity level: ``rates``."""
        return self.rates

    @property
    def joint_bias(self) -> Array:
        """Rates of ``rates`` for constant components of v: ``bias``."""
        return self.bias

    @property
    def momentum_rate(self) -> Array:
        """Rate of the momentum in space for constant components of v, (nv,)."""
        return np.asarray(self.here.momentum_rate)

    @property
    def none(self) -> Array:
        """An empty array, since there are no contacts."""
        return np.zeros(0)

    g = U = g_t = gap_noise = reach = bias_of_contacts = H_t = U_T = none

    @property
    def no_directions(self) -> sparse.csc_array:
        """A matrix without columns."""
        return sparse.csc_array((self.phase.nv, 0))

    @property
    def H(self) -> sparse.csc_array:
        """A matrix without columns: there are no rows beside normals."""
        return self.no_directions

    def momentum(self, v: Array) -> Array:
        """Return M v of another velocity, (nv,)."""
        return np.asarray(self.here.momentum(self.here.v if v is self.v else v))

    def resisting(self, x: Array) -> Array:
        """Return C x, the product with the damping matrix."""
        return np.asarray(self.here.resisting(x))

    def restoring(self, x: Array) -> Array:
        """Return K x, the product with the stiffness matrix."""
        return np.asarray(self.here.restoring(x))

    def to_space(self, x: Array) -> Array:
        """Return x with its rotational entries transformed to space."""
        return np.asarray(self.here.to_space(x))

    def to_axes(self, x: Array) -> Array:
        """Return x with its rotational entries transformed to the frames' axes."""
        return np.asarray(self.here.to_axes(x))
