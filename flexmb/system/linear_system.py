"""The assembled system: matrices, loads, contacts, and the maps from unknowns to what is looked at.

    M v' + (C + gyro) v + (K + cross) q = F0 + sum_j B_j phi_j(t) + G lam,      v = q'
    g(t, q) = g0 + G^T q + coef * s(t) >= 0,                                    U = G^T v + coef * s'(t)

M, C and K are symmetric. ``gyro`` and ``cross`` are skew and empty but for rotors of constant speed: gyroscopic forces
do no work, cross-coupling (of bearings, of internal damping) can feed whirl.

``F0`` holds the constant conservative forces (gravity, preload of springs); their work is booked as potential
energy: ``V(q) = q^T K q / 2 - F0^T q + V0``. ``s(t)`` is the prescribed motion of a plane. G holds force
directions as columns; there is no second Jacobian.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from flexmb.errors import InputError
from flexmb.linalg.strain import Strain, regular
from flexmb.state import Array, IntArray, State, TimeFunction
from flexmb.system.impulse_map import impulses_on_points
from flexmb.system.layout import Layout as Layout
from flexmb.system.linear_contacts import Contacts as Contacts
from flexmb.system.linear_instant import LinearInstant
from flexmb.system.step_matrix import StepMatrix

FACTORS_KEPT = 24
"""Number of factorizations that a constant system keeps."""


@dataclass(frozen=True)
class Load:
    """A load ``B phi(t)``; ``B`` is (nv,). ``drive`` says that its work is that of a drive (unbalance of a rotor)."""

    name: str
    B: Array
    phi: TimeFunction
    drive: bool = False


@dataclass(frozen=True)
class Probe:
    """A recorded signal ``offset + B @ q`` (of = "q") or ``B @ v`` (of = "v"), k components."""

    name: str
    of: str
    offset: Array
    B: sparse.csr_array

    @property
    def size(self) -> int:
        """Number of components."""
        return int(self.offset.size)


@dataclass(frozen=True)
class LinearSystem:
    """A constant system: its matrices never change, so one factorization serves the whole run.

    ``strain`` is K again as deformation modes (see ``linalg.strain``), for products and energies without cancellation.
    ``gyro`` and ``cross`` are the skew matrices of rotors (None: there are none). ``notes``: what the assembly found.
    """

    M: sparse.csr_array
    C: sparse.csr_array
    K: sparse.csr_array
    F0: Array
    V0: float
    loads: tuple[Load, ...]
    contacts: Contacts
    q0: Array
    v0: Array
    probes: tuple[Probe, ...]
    layout: Layout
    dof_names: tuple[str, ...] = field(default=())
    constant: bool = True
    strain: Strain | None = None
    gyro: sparse.csr_array = None  # type: ignore[assignment]  # empty when not given
    cross: sparse.csr_array = None  # type: ignore[assignment]
    notes: tuple[str, ...] = ()
    laplacian: bool = field(init=False)

    def __post_init__(self) -> None:
        for name in ("gyro", "cross"):
            object.__setattr__(self, name, _skew(getattr(self, name), self.nv, name))
        group = translation_groups(self.layout, self.nv)
        if self.strain is None and rows_cancel(self.K, group):
            object.__setattr__(self, "strain", pair_differences(self.K))
        object.__setattr__(self, "laplacian", self.strain is not None and only_differences(self.strain, group))

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return int(self.F0.size)

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return self.nv

    @property
    def constant_mass(self) -> bool:
        """M never changes."""
        return True

    @property
    def joints(self) -> None:
        """Small motion has no joints."""
        return

    @cached_property
    def extent(self) -> float:
        """Size of the system, m: the extent of its points, or the initial gaps; 0 if there is no length."""
        points = self.layout.points
        spread = float(np.linalg.norm(np.ptp(points, axis=0))) if len(points) else 0.0
        return max(spread, float(np.abs(self.contacts.g(0.0, self.q0)).max(initial=0.0)))

    @cached_property
    def turning(self) -> NDArray[np.bool_]:
        """Which unknowns are rotations, (nv,)."""
        return translation_groups(self.layout, self.nv) < 0

    @property
    def spins(self) -> bool:
        """Whether forces of spins of rotors do work."""
        return any(load.drive for load in self.loads)

    @cached_property
    def impulse_map(self) -> sparse.csr_array:
        """Impulses of the normals, then of the rows beside them -> impulse vector on each point, (3 n, nc + nt)."""
        return impulses_on_points(self.layout, self.contacts)

    @property
    def few(self) -> bool:
        """Whether the directions of all rows of contacts are few enough to be one dense array."""
        return self.contacts.dense is not None

    @property
    def damped(self) -> bool:
        """Whether C has an entry."""
        return bool(self.C.nnz)

    @property
    def skew(self) -> bool:
        """Whether gyro or cross has an entry, so that the matrices of the steps are not symmetric."""
        return bool(self.gyro.nnz or self.cross.nnz)

    @property
    def patterns(self) -> tuple[sparse.csr_array, ...]:
        """All matrices whose entries a step's matrix can have."""
        return self.M, self.C, self.K, self.gyro, self.cross

    def F(self, t: float) -> Array:
        """Return the applied forces at time t, F0 included, (nv,)."""
        return self.F0 + self.F_loads(t)

    def F_loads(self, t: float) -> Array:
        """Return the time-dependent part of the applied forces, (nv,)."""
        out = np.zeros(self.nv)
        for load, phi in zip(self.loads, self.amplitudes(t), strict=True):
            out += load.B * phi
        return out

    def amplitudes(self, t: float) -> Array:
        """Return phi_j(t) of the loads, (number of loads,)."""
        return np.array([float(load.phi.value(t)) for load in self.loads])

    def elastic(self, q: Array) -> Array:
        """Return K q for q of shape (nv,) or (nv, k), from deformation modes where there are any."""
        return np.asarray(self.K @ q) if self.strain is None else self.strain.force(q)

    def restoring(self, q: Array) -> Array:
        """Return (K + cross) q for q of shape (nv,) or (nv, k)."""
        return self.elastic(q) + self.cross @ q if self.cross.nnz else self.elastic(q)

    def resisting(self, v: Array) -> Array:
        """Return (C + gyro) v for v of shape (nv,) or (nv, k)."""
        return np.asarray(self.C @ v + self.gyro @ v if self.gyro.nnz else self.C @ v)

    def kinetic(self, v: Array) -> float:
        """Return v^T M v / 2, J."""
        return 0.5 * float(v @ (self.M @ v))

    def potential(self, q: Array) -> float:
        """Return the elastic and gravitational energy, J."""
        stored = 0.5 * float(q @ (self.K @ q)) if self.strain is None else self.strain.energy(q)
        return stored - float(self.F0 @ q) + self.V0

    def initial_state(self, t: float) -> State:
        """Return the state the run starts from."""
        return State(t, self.q0.copy(), self.v0.copy())

    @property
    def start(self) -> Array:
        """Positions at the start, (nq,)."""
        return self.q0.copy()

    @property
    def linear(self) -> bool:
        """Matrices and directions never change: one iteration solves a step."""
        return True

    @property
    def frames(self) -> tuple[str, ...]:
        """Names of frames that turn by any angle: small motion has none."""
        return ()

    @property
    def nj(self) -> int:
        """Number of rows of joints: small motion has none."""
        return 0

    @property
    def jointed(self) -> tuple[str, ...]:
        """Names of the joints: small motion has none."""
        return ()

    def instant(self, t: float, q: Array, v: Array) -> LinearInstant:
        """Return everything that is known in (t, q, v)."""
        return LinearInstant(self, t, q, v)

    @cached_property
    def no_directions(self) -> sparse.csc_array:
        """Force directions of joints, (nv, 0)."""
        return sparse.csc_array((self.nv, 0))

    @cached_property
    def _factors(self) -> dict[tuple[float, float, float], StepMatrix]:
        return {}

    def factor(
        self, instant: object, c_M: float, c_C: float, c_K: float, inside: sparse.csc_array | None = None
    ) -> StepMatrix:
        """Return c_M M + c_C (C + gyro) + c_K (K + cross), factorized; the same at every instant."""
        key = (c_M, c_C, c_K)
        kept = self._factors
        found = kept.pop(key) if key in kept else StepMatrix(self, c_C, c_K, c_M)
        if len(kept) >= FACTORS_KEPT:  # of steps that are cut at events, each has a length of its own
            del kept[next(iter(kept))]
        kept[key] = found  # the one used last stands last
        return found

    def matrices(self, instant: object) -> tuple[sparse.csr_array, sparse.csr_array, sparse.csr_array]:
        """Return M, C + gyro and K + cross; the same at every instant."""
        return self.M, sparse.csr_array(self.C + self.gyro), sparse.csr_array(self.K + self.cross)

    def prescribed(self, t: float) -> Array:
        """Return the prescribed motions of the rows of joints at t: there are none."""
        return np.zeros(0)

    def advance(self, q: Array, dq: Array) -> Array:
        """Return q + dq."""
        return q + dq

    def toward(self, increment: Array, y: Array) -> Array:
        """Return the change of an increment that moves its end by y: the same."""
        return y


def _skew(A: sparse.csr_array | None, nv: int, name: str) -> sparse.csr_array:
    """Return a matrix that is skew, without stored zeros; a null one for None."""
    if A is None:
        return sparse.csr_array((nv, nv))
    A = sparse.csr_array(A)
    A.eliminate_zeros()
    uneven = abs(A + A.T)
    if A.shape != (nv, nv) or (A.nnz and uneven.max() > 1e-12 * abs(A).max()):
        raise InputError(f"must be a skew matrix of {nv} unknowns", where="system", key=name)
    return A


def translation_groups(layout: Layout, nv: int) -> IntArray:
    """Return, for each unknown, which body it displaces in which direction, as a number; -1 for rotations."""
    D = sparse.coo_array(layout.displacement)
    key = np.full((nv, 4), -1.0)
    key[D.col, 0] = layout.body_of_point[D.row // 3]
    key[:, 1:] = 0.0
    np.add.at(key, (D.col, 1 + D.row % 3), D.data)
    _, group = np.unique(np.round(key, 12), axis=0, return_inverse=True)
    return np.where(key[:, 0] >= 0.0, group.reshape(-1), -1)


def only_differences(strain: Strain, group: IntArray) -> bool:
    """Return whether all modes are differences between unknowns of one group, so that the rows of K sum to zero.

    So it is for flying bars and for particles without springs; the compiled engine then takes K q straight from
    differences along its bands. Any spring to the ground, however weak, is a term that is no difference.
    """
    i, j = strain.i, strain.j
    return bool((group >= 0).all() and (i >= 0).all() and (j >= 0).all() and (group[i] == group[j]).all())


def rows_cancel(K: sparse.csr_array, group: IntArray) -> bool:
    """Return whether the rows of a matrix without modes sum to zero within the groups, but for round-off."""
    coo = sparse.coo_array(K)
    if (group < 0).any() or (group[coo.row] != group[coo.col])[coo.data != 0.0].any():
        return False
    size = np.asarray(abs(K).sum(axis=1)).reshape(-1)
    return bool((np.abs(K @ np.ones(K.shape[0])) <= 1e-14 * size).all())


def pair_differences(K: sparse.csr_array) -> Strain:
    """Return the modes of a matrix whose rows sum to zero: -K_ij (x_j - x_i)^2 over its pairs."""
    pairs = sparse.coo_array(sparse.triu(K, 1))
    i, j = pairs.row.astype(np.int64)[:, None], pairs.col.astype(np.int64)[:, None]
    return regular(j, i, np.ones(i.shape), -pairs.data, K.shape[0])
