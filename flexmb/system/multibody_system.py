"""``MultibodySystem``: a system in large motion, with the words every system has (M, f, K, C, advance, joints).

The numbers come from the compiled kernels that the time loop runs on; nothing is written twice.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from flexmb.assembly.bending import Bending
from flexmb.assembly.pattern import Pattern, pattern_of
from flexmb.kernels.compilation.stages import NO_STAGES, SchemeStages
from flexmb.kernels.geometry.curves import SIZE
from flexmb.kernels.geometry.markers import place
from flexmb.kernels.geometry.rotation import tangent_inverse
from flexmb.kernels.geometry.tables import ANGLE, CLASSES, CURVE, DOT, FLOATING, FRAME, PLANAR, Point, System
from flexmb.kernels.geometry.time_functions import value
from flexmb.kernels.lcp.solver_settings import SolverSettings
from flexmb.kernels.multibody import tangents
from flexmb.kernels.multibody.evaluate import advance, evaluate_at, joint_forces, momentum, row_bias, row_rate
from flexmb.kernels.multibody.machine import MachineWorkspace
from flexmb.kernels.multibody.multibody import B_, T_FIRST, SchemeNumbers
from flexmb.state import Array, IntArray, State
from flexmb.system.blocks_of_rows import laws_of
from flexmb.system.bordered_factor import SMALL, BorderedFactor, LeastNorm, bordered, factored, step_matrix
from flexmb.system.layout import Layout
from flexmb.system.linear_system import FACTORS_KEPT
from flexmb.system.multibody_instant import DirectionPattern, MultibodyInstant
from flexmb.system.multibody_values import ValuePattern, outside_words, scales_of_rows
from flexmb.system.probes import MultibodyProbe
from flexmb.system.protocol import Instant, Solves
from flexmb.system.row_groups import Groups
from flexmb.system.sphere_pairs import SphereGroup, pair_tables


@dataclass(frozen=True)
class MultibodySystem:
    """Bodies in large motion, joints, contacts and forces over q (nq numbers) and v (nv numbers).

    Parameters
    ----------
    tables : kernels.geometry.tables.System
    q0, v0 : (nq,), (nv,) arrays
    joints, contacts : Groups
    probes, layout
        What is recorded, and where the unknowns live in space.
    impulse_map : (3 n, 3 nc) sparse array
        Impulse vectors of the contacts -> impulse on each point of the layout.
    groups : list of int arrays
        Unknowns that belong together, for the order of elimination.
    functions : tuple of (where, function)
        Functions of time, to be checked against the span of a run.
    eps : float
        Regularization of redundant joints.
    rest : (nq,) array or None
        What rounding has left out of q0.
    response : float
        Mean of the velocity of a row of joints per unit of its impulse.
    null : (k, nj) array
        Orthonormal combinations of the rows of redundant joints that make no force.
    speed_tables : tuple of (rotor, bearing)
        Whose speed counts and where the bearing is, for each table of ``tables.rotors``.
    bends : tuple of Bending
        How far floating beams are bent.
    constant : bool
        Whether M, C and K never change (``assembly.constant``); directions of contacts may.
    pattern : Pattern or None
        ``find_pattern()``, where it has been found.
    spheres, pairs : tuples of SphereGroup and of (m, 2) int arrays
        Spheres in contact all against all, and of each group the pairs that have rows, after those of all others.
    """

    tables: System
    q0: Array
    v0: Array
    joints: Groups
    contacts: Groups
    probes: tuple[MultibodyProbe, ...]
    layout: Layout
    impulse_map: sparse.csr_array
    groups: tuple[IntArray, ...]
    dof_names: tuple[str, ...] = ()
    functions: tuple[tuple[str, object], ...] = ()
    eps: float = 0.0
    rest: Array | None = None
    response: float = 0.0
    null: Array | None = None
    notes: tuple[str, ...] = ()
    speed_tables: tuple[tuple[str, str], ...] = ()
    bends: tuple[Bending, ...] = ()
    pattern: Pattern | None = None
    spheres: tuple[SphereGroup, ...] = ()
    pairs: tuple[IntArray, ...] = ()
    constant: bool = False
    loads: tuple[()] = field(default=())

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return int(self.q0.size)

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return int(self.v0.size)

    @property
    def nj(self) -> int:
        """Number of rows of joints."""
        return self.joints.nj

    def outside(self, v: Array) -> str:
        """Return how a free spin has left the table of a bearing at the velocities v, nothing when none has."""
        return outside_words(self.tables.rotors, self.speed_tables, v)

    @cached_property
    def size(self) -> float:
        """The largest given length, positions included, m: reference for round-off of the input."""
        points, local = np.abs(self.layout.points), np.abs(self.tables.markers.s)
        return max(float(points.max(initial=0.0)), float(local.max(initial=0.0)), self.extent) or 1.0

    @cached_property
    def extent(self) -> float:
        """Size of the system, independent of its position, m; 0 if there is no length.

        The largest of: how far apart its points are, arms of places, radii of gyration, distances that joints and
        contacts compare at the start, and the sizes of curves, since gaps from them are differences of such lengths.
        """
        points, markers, rows = self.layout.points, self.tables.markers, self.tables.rows
        carried = np.isin(markers.kind, (FRAME, PLANAR, FLOATING))
        arms = markers.s[carried] * np.where(markers.kind[carried, None] == PLANAR, [1.0, 1.0, 0.0], 1.0)
        along = rows.ptr[:-1][~np.isin(rows.kind, (DOT, ANGLE))]
        from flexmb.assembly.workspace import point_of

        state = point_of(self.tables, self.nv).markers
        place(markers, self.start, state)
        d = state.r[rows.marker[along + 1]] - state.r[rows.marker[along]]
        spread = np.ptp(points, axis=0) if len(points) else np.zeros(3)
        lengths = [np.linalg.norm(x, axis=1).max(initial=0.0) for x in (arms, d, spread[None])]
        curves = self.tables.curves.piece[:, SIZE].max(initial=0.0)
        return float(max(*lengths, curves, self.tables.unknowns.radius.max(initial=0.0)))

    @property
    def start(self) -> Array:
        """q0 and its rests, (2 nq,)."""
        return np.concatenate([self.q0, np.zeros(self.nq) if self.rest is None else self.rest])

    def whole(self, q: Array) -> Array:
        """Return q (nq,) with rests, none where it has none yet."""
        q = np.asarray(q, dtype=np.float64)
        return np.ascontiguousarray(q if q.size > self.nq else np.concatenate([q, np.zeros(self.nq)]))

    @property
    def turning(self) -> NDArray[np.bool_]:
        """Which unknowns are angles, (nv,)."""
        out = np.zeros(self.nv, dtype=np.bool_)
        out[self.tables.unknowns.turn_v] = True
        return out

    def row_scale(self, length: float, angle: float) -> Array:
        """Return what rows of joints and contacts are compared with: a length or an angle, as they are, (nj + nc,)."""
        return scales_of_rows(self.tables, length, angle)

    def machine(
        self,
        numbers: SchemeNumbers | None = None,
        settings: SolverSettings | None = None,
        scheme: SchemeStages = NO_STAGES,
    ) -> MachineWorkspace:
        """Return a new machine at the initial state, for a run or, without ``numbers``, for questions."""
        from flexmb.assembly.workspace import NO_SCHEME, machine_of  # with all kernels of large motion

        pattern = self.find_pattern() if self.pattern is None else self.pattern
        state = (self.tables, self.start, self.v0, pattern, self.gaps.e, laws_of(self.gaps.blocks))
        return machine_of(*state, numbers or NO_SCHEME, settings, self.null, self.constant, scheme)

    @cached_property
    def gaps(self) -> Groups:
        """The rows of contacts: of ``contacts``, which are recorded, but with pairs in place of spheres, at the end."""
        return self.contacts.with_pairs(self.spheres, self.pairs) if self.spheres else self.contacts

    def with_pairs(self, pairs: Sequence[IntArray]) -> MultibodySystem:
        """Return the system with rows for these pairs of spheres in place of those it has."""
        tables = pair_tables(self.tables, self.spheres, self.pairs, pairs)
        system = replace(self, tables=tables, pairs=tuple(pairs), pattern=None)
        return replace(system, pattern=system.find_pattern())

    def near_pairs(self, q: Array, margins: Sequence[float]) -> list[IntArray]:
        """Return the pairs of each group of spheres with gaps up to its margin at q (nq,)."""
        return [g.near(g.centers(q), margin) for g, margin in zip(self.spheres, margins, strict=True)]

    def find_pattern(self) -> Pattern:
        """Return the pattern of the bordered matrices, which the tables and groups of unknowns determine."""
        starts, nv = self.joints.start.tolist(), self.nv
        rows = np.arange(nv, nv + self.nj, dtype=np.int64)
        joints = [rows[a:b] for a, b in itertools.pairwise(starts) if b > a]
        return pattern_of(self.tables, nv, self.groups, joints)

    @cached_property
    def workspace(self) -> MachineWorkspace:
        """A machine for questions; the runs have their own."""
        return self.machine()

    @property
    def spins(self) -> bool:
        """Whether forces of spins of rotors do work."""
        return self.tables.rotors.drag.size > 0

    @cached_property
    def constant_mass(self) -> bool:
        """Whether M never changes along the axes of the frames: no floating beam, no rotor that drags."""
        return not (self.tables.floating.modes.size or self.tables.rotors.drag.size)

    @property
    def linear(self) -> bool:
        """Forces, momenta or directions depend on the motion: a step takes iterations."""
        return False

    @property
    def frames(self) -> tuple[str, ...]:
        """Names of the first unknown of each frame."""
        return tuple(self.dof_names[i] for i in self.tables.unknowns.frame_v)

    @property
    def jointed(self) -> tuple[str, ...]:
        """Names of the joints."""
        return self.joints.names

    @cached_property
    def directions(self) -> DirectionPattern:
        """Positions of the entries of G."""
        return DirectionPattern(self.tables, self.nv)

    def instant(self, t: float, q: Array, v: Array) -> MultibodyInstant:
        """Return all quantities at (t, q, v); they are not overwritten by the next call."""
        return MultibodyInstant(self, self.workspace.at, t, q, v)

    def begin(self, t: float, theta: Array) -> None:
        """Begin a run at t, and continue relative angles of joints from theta (na,)."""
        self.workspace.machine.step[T_FIRST] = t
        self.follow(theta)

    def follow(self, theta: Array) -> None:
        """Continue relative angles from theta (na,): instants have the branch that is nearest to it."""
        self.workspace.machine.point.angles.turn[:] = theta

    def matrices(self, instant: Instant) -> tuple[sparse.csr_array, sparse.csr_array, sparse.csr_array]:
        """Return M, C = -df/dv and K = -df/dq of an instant."""
        known = isinstance(instant, MultibodyInstant)
        return instant.matrices if known else self.tangents(instant.t, instant.q, instant.v)  # type: ignore[attr-defined]

    def factor(
        self, instant: Instant, c_M: float, c_C: float, c_K: float, inside: sparse.csc_array | None = None
    ) -> Solves:
        """Return c_M M + c_C C + c_K K of an instant, factorized, bordered by the joints.

        Their forces act along ``inside`` (nv, nj), by default along the directions of the instant.
        """
        key, kept = (c_M, c_C, c_K), self._factors
        if key in kept:
            kept[key] = kept.pop(key)  # the one used last stands last
            return kept[key]
        matrices = self.matrices(instant)
        S = step_matrix(key, matrices, full=0 < self.nv + self.nj <= SMALL)
        if not self.nj:
            found = BorderedFactor(factored(self, matrices[0], S, None if c_C == c_K == 0.0 else instant.t), self.nv)
            if self.constant:
                if len(kept) >= FACTORS_KEPT:
                    del kept[next(iter(kept))]
                kept[key] = found
            return found
        here = instant if isinstance(instant, MultibodyInstant) else self.instant(instant.t, instant.q, instant.v)
        A = bordered(S, here.G_J, here.G_J if inside is None else inside)
        redundant = self.null is not None and self.null.size > 0
        return BorderedFactor(LeastNorm(A) if redundant else factored(self, matrices[0], A, instant.t), self.nv)

    @cached_property
    def _factors(self) -> dict[tuple[float, float, float], BorderedFactor]:
        return {}

    def prescribed(self, t: float) -> Array:
        """Return the prescribed motions of the rows of joints at t, (nj,), part of g."""
        rows, functions = self.tables.rows, self.tables.functions
        moved = [(r, int(k)) for r, k in enumerate(rows.function[: self.nj]) if k >= 0]
        out = np.zeros(self.nj)
        for r, k in moved:
            out[r] = rows.cf[r] * value(functions, k, t)
        return out

    def at(self, t: float, q: Array, v: Array, lam: Array | None = None) -> Point:
        """Return all quantities at (t, q, v); overwritten by the next call."""
        evaluate_at(self.workspace.at, t, self.whole(q), v)
        if lam is not None:
            joint_forces(self.workspace.at, np.ascontiguousarray(lam))
        return self.workspace.machine.point

    def advance(self, q: Array, dq: Array) -> Array:
        """Return q (+) dq: the only place where rotations differ from other unknowns; with rests where q has them."""
        out = np.zeros(2 * self.nq)
        advance(self.tables.unknowns, self.whole(q), np.ascontiguousarray(dq), out)
        return out[: np.size(q)]

    def toward(self, increment: Array, y: Array) -> Array:
        """Return the change of an increment that moves its end by y, (nv,): T^-1(Theta) y for the turn of a frame."""
        out, T = y.copy(), np.zeros((3, 3))
        for first in self.tables.unknowns.frame_v:
            turn = slice(first + 3, first + 6)
            tangent_inverse(np.ascontiguousarray(increment[turn]), T)
            out[turn] = T @ y[turn]
        return out

    def f(self, t: float, q: Array, v: Array) -> Array:
        """Return all smooth forces, (nv,), without those of joints and without omega x J omega."""
        return np.asarray(self.at(t, q, v).F[: CLASSES - 1].sum(axis=0))

    def momentum(self, q: Array, v: Array) -> Array:
        """Return p = M(q) v, (nv,): in space for positions, in the frame's axes for rotations."""
        p = np.zeros(self.nv)
        self.at(0.0, q, v)
        momentum(self.workspace.at, self.whole(q), np.ascontiguousarray(v), p)
        return p

    def kinetic(self, q: Array, v: Array) -> float:
        """Return the kinetic energy, J."""
        return 0.5 * float(self.momentum(q, v) @ v)

    def potential(self, t: float, q: Array) -> float:
        """Return the stored energy, J."""
        return float(self.at(t, q, np.zeros(self.nv)).potential[0])

    def g(self, t: float, q: Array) -> Array:
        """Return the conditions of joints, then those of contacts, (nj + nc,)."""
        return self.at(t, q, np.zeros(self.nv)).rows.g[: self.tables.joints + self.tables.contacts].copy()

    def gdot(self, t: float, q: Array, v: Array) -> Array:
        """Return their rates, (nj + nc,)."""
        self.at(t, q, v)
        return np.array([row_rate(self.workspace.at, r) for r in range(self.tables.joints + self.tables.contacts)])

    def bias(self, t: float, q: Array, v: Array) -> Array:
        """Return the rates of ``gdot`` where v keeps its components, d/dt(G^T) v + g_tt, (nj + nc,)."""
        self.at(t, q, v)
        return np.array([row_bias(self.workspace.at, r, t) for r in range(self.nj + self.gaps.nc)])

    def curve_places(self) -> Array:
        """Return where the places of rows against curves are in the planes of these, (n, 2), at the last instant."""
        rows, state = self.tables.rows, self.workspace.machine.point.markers
        first = rows.ptr[:-1][rows.kind == CURVE]
        A, B = rows.marker[first], rows.marker[first + 1]
        d = (state.r[B] - state.r[A]) + (state.low[B] - state.low[A])
        return np.asarray(np.einsum("nij,ni->nj", state.R[A], d)[:, :2])

    def momentum_rate(self, t: float, q: Array, v: Array, p: Array) -> Array:
        """Return the rate of the momentum p = M(q) v in space, along the axes at q, where v keeps its components."""
        self.at(t, q, v)
        tangents.assemble_at(self.workspace.at, t, self.whole(q), v, 0.0, p)
        return self._values.product(self.workspace.machine.mats.D, v)

    def mass_and_rate(self, t: float, q: Array, v: Array, p: Array) -> tuple[Array, Array]:
        """Return M(q), dense, and ``momentum_rate``, from one assembly: where the mass matrix changes."""
        self.at(t, q, v)
        tangents.assemble_at(self.workspace.at, t, self.whole(q), v, 0.0, p)
        mats = self.workspace.machine.mats
        return self._values.dense(mats.M), self._values.product(mats.D, v)

    def G(self, t: float, q: Array) -> sparse.csc_array:
        """Return the force directions as columns: joints, contacts, rows beside their normals, (nv, nr)."""
        point = self.at(t, q, np.zeros(self.nv))
        return self.directions.matrix(point.markers.J, point.rows.grad)

    def tangents(
        self, t: float, q: Array, v: Array, lam: Array | None = None
    ) -> tuple[sparse.csr_array, sparse.csr_array, sparse.csr_array]:
        """Return M(q), C = -df/dv and K = -df/dq (by increments); the forces G lam are part of f when lam is given."""
        lam = np.zeros(self.nj) if lam is None else np.ascontiguousarray(lam)
        self.at(t, q, v, lam)
        q, at, mats = self.whole(q), self.workspace.at, self.workspace.machine.mats
        self.workspace.machine.trial.big[B_, : self.nj] = lam
        tangents.assemble_at(at, t, q, v, 0.0)
        M, N = self._values.matrix(mats.M), self._values.matrix(mats.D)
        tangents.assemble_at(at, t, q, v, 1.0)
        C, K = self._values.matrix(mats.C), self._values.matrix(mats.D)
        return M, C, sparse.csr_array(K - N)

    @cached_property
    def _values(self) -> ValuePattern:
        """Which values of the bordered matrices are those over the unknowns."""
        return ValuePattern(self.workspace.machine.sym, self.nv)

    def initial_state(self, t: float) -> State:
        """Return the state the run starts from."""
        return State(t, self.q0.copy(), self.v0.copy())
