"""The protocol of systems used by schemes, implemented by constant and by multibody systems.

A scheme written for this protocol runs on bars, rotors and mechanisms from one source, independent of the kind of
system.

    instant(t, q, v)          all quantities there (``Instant``)
    factor(instant, c_M, c_C, c_K)   of c_M M + c_C C + c_K K, C = -dF/dv, K = -dF/dq; kept while nothing changes
    advance(q, dq)            q (+) dq: the only place where rotations differ from other unknowns
    constant                  M, C and K never change (directions of contacts may)

Vectors over the velocities have forces and velocities in space for displacements and along the axes of a frame for its
rotations. ``Instant.to_space`` and ``to_axes`` turn the latter; both do nothing where there are no frames.
"""

from __future__ import annotations

from typing import Any, Protocol

from scipy import sparse

from flexmb.state import Array
from flexmb.system.contact_blocks import Blocks


class ContactNumbers(Protocol):
    """Contacts of a system as arrays."""

    @property
    def nc(self) -> int:
        """Number of contacts."""
        ...

    @property
    def e(self) -> Array:
        """Restitution of the contacts, (nc,)."""
        ...

    @property
    def labels(self) -> tuple[str, ...]:
        """One readable name per contact."""
        ...

    @property
    def blocks(self) -> Blocks:
        """Rows beside the normals, and the numbers of the laws."""
        ...


class Instant(Protocol):
    """A system in (t, q, v).

    ``F`` (CLASSES, nv) are the forces by class (``geometry.tables``), without those of joints and contacts; ``p`` (nv,)
    is the momentum M(q) v. ``g``, ``U``, ``g_t`` (nc,) are gaps, relative velocities G^T v + g_t, and partial time
    derivatives of the gaps; ``G`` (nv, nc) has the force directions of the contacts as columns.
    """

    t: float
    q: Array
    v: Array

    @property
    def F(self) -> Array:
        """Smooth forces by class, (CLASSES, nv)."""
        ...

    @property
    def p(self) -> Array:
        """Momentum M(q) v, (nv,)."""
        ...

    @property
    def kinetic(self) -> float:
        """Kinetic energy v . p / 2, J."""
        ...

    @property
    def potential(self) -> float:
        """Stored energy, J."""
        ...

    @property
    def g(self) -> Array:
        """Gaps of the contacts, (nc,)."""
        ...

    @property
    def gap_noise(self) -> Array:
        """Round-off of the gaps, (nc,), m."""
        ...

    @property
    def reach(self) -> Array:
        """Magnitudes of the lengths whose differences are the gaps, and hence their round-off, (nc,), m."""
        ...

    @property
    def g_t(self) -> Array:
        """Partial time derivatives of the gaps, (nc,)."""
        ...

    @property
    def U(self) -> Array:
        """Relative velocities along the normals, (nc,)."""
        ...

    @property
    def G(self) -> sparse.csc_array:
        """Force directions of the contacts as columns, (nv, nc)."""
        ...

    @property
    def H(self) -> sparse.csc_array:
        """Directions of the rows beside the normals as columns, (nv, nt); see ``contact_blocks``."""
        ...

    @property
    def H_t(self) -> Array:
        """Contributions of prescribed surface motions to the rates of those rows, (nt,)."""
        ...

    @property
    def U_T(self) -> Array:
        """Rates of the rows beside the normals, H^T v + H_t, (nt,)."""
        ...

    @property
    def G_J(self) -> sparse.csc_array:
        """Force directions of the rows of joints as columns, (nv, nj)."""
        ...

    @property
    def joint_g(self) -> Array:
        """Violation of the joints at position level, (nj,)."""
        ...

    @property
    def joint_g_t(self) -> Array:
        """Partial time derivatives of ``joint_g``, of joints that are driven, (nj,)."""
        ...

    @property
    def joint_rates(self) -> Array:
        """Violation of the joints at velocity level, G_J^T v + g_t, (nj,)."""
        ...

    @property
    def joint_bias(self) -> Array:
        """Rates of ``joint_rates`` for constant components of v, d/dt(G_J^T) v + g_tt, (nj,)."""
        ...

    @property
    def bias(self) -> Array:
        """Rates of ``U`` for constant components of v, d/dt(G^T) v + g_tt, (nc,)."""
        ...

    @property
    def momentum_rate(self) -> Array:
        """Rate of the momentum in space, along the current axes, for constant components of v, (nv,)."""
        ...

    def momentum(self, v: Array) -> Array:
        """Return M(q) v of another velocity, (nv,)."""
        ...

    def resisting(self, x: Array) -> Array:
        """Return C x = -dF/dv x for x of shape (nv,) or (nv, k)."""
        ...

    def restoring(self, x: Array) -> Array:
        """Return K x = -dF/dq x for x of shape (nv,) or (nv, k)."""
        ...

    def directions_inside(self, dq: Array, t: float) -> sparse.csc_array:
        """Return the force directions of the joints at q (+) dq and t, along the axes at q, (nv, nj)."""
        ...

    def velocity_before(self, start: Any) -> Array:
        """Return the relative velocities at the start of a step that restitution reverses, (nc,)."""
        ...

    def to_space(self, x: Array) -> Array:
        """Return x, (nv,) or (nv, k), with its rotational entries transformed from the frames' axes to space."""
        ...

    def to_axes(self, x: Array) -> Array:
        """Return x, (nv,) or (nv, k), with its rotational entries transformed from space to the frames' axes."""
        ...


class Solves(Protocol):
    """A factorized matrix."""

    def solve(self, b: Array) -> Array:
        """Return the velocities of b of shape (nv,) or (nv, k), subject to the joints."""
        ...

    def solve_both(self, b: Array, rho: Array) -> tuple[Array, Array]:
        """Return the velocities, and the multipliers of the joints, for b over the velocities and rho over the rows."""
        ...


class System(Protocol):
    """A system that schemes can integrate."""

    @property
    def nv(self) -> int:
        """Number of velocities."""
        ...

    @property
    def start(self) -> Array:
        """Positions at the start."""
        ...

    @property
    def v0(self) -> Array:
        """Velocities at the start, (nv,)."""
        ...

    @property
    def contacts(self) -> ContactNumbers:
        """Contacts as arrays."""
        ...

    @property
    def constant(self) -> bool:
        """Whether M, C and K never change."""
        ...

    @property
    def constant_mass(self) -> bool:
        """Whether M never changes, along the axes of the frames."""
        ...

    @property
    def linear(self) -> bool:
        """Whether directions never change as well, so that one iteration solves a step."""
        ...

    @property
    def dof_names(self) -> tuple[str, ...]:
        """Names of the unknowns, such as BODY.u; empty for manually created systems."""
        ...

    @property
    def frames(self) -> tuple[str, ...]:
        """Names of unknowns of frames with unlimited rotation."""
        ...

    @property
    def nj(self) -> int:
        """Number of rows of joints."""
        ...

    @property
    def jointed(self) -> tuple[str, ...]:
        """Names of the joints."""
        ...

    def instant(self, t: float, q: Array, v: Array) -> Instant:
        """Return all quantities in (t, q, v)."""
        ...

    def factor(
        self, instant: Any, c_M: float, c_C: float, c_K: float, inside: sparse.csc_array | None = None
    ) -> Solves:
        """Return c_M M + c_C C + c_K K of an instant, factorized, bordered by the joints.

        Their forces act along ``inside`` (nv, nj), by default along the directions of the instant.
        """
        ...

    def prescribed(self, t: float) -> Array:
        """Return the prescribed motions of the rows of joints at t, (nj,)."""
        ...

    def matrices(self, instant: Any) -> tuple[sparse.csr_array, sparse.csr_array, sparse.csr_array]:
        """Return M, C = -dF/dv and K = -dF/dq of an instant."""
        ...

    def advance(self, q: Array, dq: Array) -> Array:
        """Return the advanced position q (+) dq."""
        ...

    def toward(self, increment: Array, y: Array) -> Array:
        """Return the change of an increment that moves its end by y, (nv,)."""
        ...
