"""A phase: the system with a set of closed contacts enforced as rows in addition to those of its joints.

The rows of a phase are those of the joints (nj), the normals of the closed contacts, and the tangents of those that
stick. A closed contact without a sticking tangent slips with the sign s = +-1 of its tangential velocity, or has no
friction (s = 0). Forces of the rows act along D, rates are taken along G:

    M v' = F - p' + D lam,      G^T v + g_t = 0,      D = G, but G_N - mu s G_T for a contact that slips

(p' is ``momentum_rate``: how turning axes change the momentum.) The motion is computed by three calls,

    at(t, q, v)                          a ``PhaseInstant``: forces, directions, rates, biases
    index_one(instant)                   a, lam with G^T a = -bias
    half_explicit(instant, G, rho)       a, lam with G^T a = rho, rows of another place

and only these are critical for speed. Linearly dependent rows share their force by least norm.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve

from flexmb.errors import NotConverged
from flexmb.smooth.phase_instant import PhaseInstant
from flexmb.smooth.smooth_step import SmoothState
from flexmb.state import Array, IntArray
from flexmb.system.bordered_factor import factored
from flexmb.system.linear_system import LinearSystem
from flexmb.system.multibody_instant import MultibodyInstant
from flexmb.system.multibody_system import MultibodySystem

DENSE = 300
"""Number of unknowns up to which the inverse of a constant mass matrix is stored densely."""
DEPENDENT = 1e-11
"""Singular value of the scaled Delassus matrix, over the largest one, below which rows are linearly dependent."""


class Phase:
    """A system with closed contacts.

    Parameters
    ----------
    system : LinearSystem or MultibodySystem
    closed : (nk,) int array
        Enforced contacts, in increasing order.
    slip : (nk,) array, optional
        Of each of them: +-1 where it slips with that sign, 0 where it sticks or has no friction.
    mass : callable, optional
        Mass solver of another phase of the same system, to be shared.
    """

    def __init__(
        self,
        system: LinearSystem | MultibodySystem,
        closed: IntArray | None = None,
        slip: Array | None = None,
        mass: MassSolver | None = None,
    ) -> None:
        self.system = system
        self.closed: IntArray = np.zeros(0, dtype=np.int64) if closed is None else np.asarray(closed, dtype=np.int64)
        self.slip: Array = np.zeros(self.closed.size) if slip is None else np.asarray(slip, dtype=np.float64)
        blocks = system.contacts.blocks
        mu = blocks.friction[self.closed, 0] * (blocks.slides[self.closed] > 0)
        self.rough = mu > 0.0
        self.mu = mu
        stuck = self.rough & (self.slip == 0.0)
        self.stuck: IntArray = self.closed[stuck]
        self.tangents: IntArray = blocks.start[:-1][self.stuck]  # columns of H that are enforced
        slides = self.slip != 0.0
        self.sliding: IntArray = np.flatnonzero(slides)  # indices in ``closed``
        self.slide_columns: IntArray = blocks.start[:-1][self.closed[slides]]
        self.drag: Array = mu[slides] * self.slip[slides]
        self.mass = MassSolver(system) if mass is None else mass
        self.kept: dict[Any, Any] = {}  # factorizations that integrators store for a phase of a constant system
        self.few = system.directions.few if isinstance(system, MultibodySystem) else system.few
        nj, nc = self.nj, system.contacts.nc
        self.columns = np.concatenate([np.arange(nj), nj + self.closed, nj + nc + self.tangents])

    @cached_property
    def fixed_rows(self) -> Array:
        """Directions of the rows if they never change, (nv, nr)."""
        contacts = self.system.contacts
        if self.few:
            return np.asarray(contacts.dense[:, self.columns])  # type: ignore[union-attr,index]
        G, H = contacts.G[:, self.closed], contacts.H[:, self.tangents]  # type: ignore[union-attr]
        return np.concatenate([G.toarray(), H.toarray()], axis=1)

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return self.system.nv

    @property
    def nj(self) -> int:
        """Rows of the joints."""
        return self.system.nj

    @property
    def nr(self) -> int:
        """Number of all rows."""
        return self.nj + self.closed.size + self.stuck.size

    def by_contact(self, x: Array) -> Array:
        """Return the sums over the rows of each contact, (nc,), of numbers over the rows, (nr,)."""
        owner = np.concatenate([self.closed, self.stuck])
        sums = np.bincount(owner, weights=x[self.nj :], minlength=self.system.contacts.nc)
        return np.asarray(sums, dtype=np.float64)

    @property
    def normals(self) -> slice:
        """Which rows are normals of closed contacts."""
        return slice(self.nj, self.nj + self.closed.size)

    @property
    def ties(self) -> slice:
        """Which rows are tangents of contacts that stick."""
        return slice(self.nj + self.closed.size, self.nr)

    def with_(self, closed: IntArray, slip: Array | None = None) -> Phase:
        """Return the phase of another set of closed contacts."""
        return Phase(self.system, closed, slip, self.mass)

    def at(self, t: float, q: Array, v: Array) -> PhaseInstant:
        """Return all quantities in (t, q, v)."""
        return PhaseInstant(self, self.system.instant(t, q, v))

    def directions(self, here: Any, rows: IntArray) -> Array:
        """Return directions of contacts at an instant of the system, rows over normals and then tangents, (nv, n)."""
        if self.few:
            return np.asarray(here.dense_directions[:, self.nj + rows])
        J = here.G if not here.H.shape[1] else sparse.hstack([here.G, here.H], format="csc")
        return np.asarray(J[:, rows].toarray())

    def index_one(self, at: PhaseInstant) -> tuple[Array, Array]:
        """Return the accelerations and the forces of the rows, with G^T a = -bias."""
        if not self.nr:
            return self.mass.solver(at.here)(at.load), np.zeros(0)
        return self.half_explicit(at, at.G, -at.bias)

    def half_explicit(self, at: PhaseInstant, G: Array, rho: Array) -> tuple[Array, Array]:
        """Return a (nv,) and lam (nr,) of M a = F - p' + D lam at an instant, G^T a = rho with rows G (nv, nr)."""
        solve = self.mass.solver(at.here)
        a = solve(at.load)
        if not self.nr:
            return a, np.zeros(0)
        X = solve(at.D)
        lam = self.rows_solve(G.T @ X, rho - G.T @ a)
        return a + X @ lam, lam

    def impulses(self, at: PhaseInstant, rho: Array) -> tuple[Array, Array]:
        """Return the change of velocities M^-1 G y with G^T of it = rho, and y; forces along the rows only."""
        X = self.mass.solver(at.here)(at.G)
        y = self.rows_solve(at.G.T @ X, rho)
        return X @ y, y

    def rows_solve(self, W: Array, b: Array) -> Array:
        """Return the y of least norm with W y = b, also for linearly dependent rows."""
        if W.shape[0] == 1:
            return b / W[0, 0] if W[0, 0] else np.zeros_like(b)
        if not self._dependent(W):
            try:
                return np.asarray(np.linalg.solve(W, b))
            except np.linalg.LinAlgError:
                pass
        d = self._scale(W)
        return np.asarray(d * np.linalg.lstsq(d[:, None] * W * d, d * b, rcond=DEPENDENT)[0])

    @staticmethod
    def _scale(W: Array) -> Array:
        own = np.abs(np.diag(W))
        return np.asarray(1.0 / np.sqrt(np.where(own > 0.0, own, 1.0)))

    def _dependent(self, W: Array) -> bool:
        """Return whether rows are linearly dependent; determined once, since redundant joints remain so."""
        if self._depends is None:
            d = self._scale(W)
            values = np.linalg.svd(d[:, None] * W * d, compute_uv=False)
            self._depends = bool(values[-1] < DEPENDENT * values[0])
        return self._depends

    _depends: bool | None = None

    def depends(self, at: PhaseInstant) -> bool:
        """Return whether rows are linearly dependent."""
        if self.nr < 2:
            return False
        return self._dependent(at.G.T @ self.mass.solver(at.here)(at.G)) if self._depends is None else self._depends

    def begin(self, t: float, q: Array, v: Array) -> SmoothState:
        """Return the state in (t, q, v) with its accelerations and the forces of the rows."""
        at = self.at(t, q, v)
        a, lam = self.index_one(at)
        if not np.isfinite(a).all():
            raise NotConverged("the accelerations are not finite numbers", time=t, step=-1)
        return SmoothState(t, q, v, a, lam, at)

    @cached_property
    def constant_mass(self) -> bool:
        """Whether the mass matrix never changes, along the axes of the bodies."""
        return self.system.constant_mass


class MassSolver:
    """Solves with the mass matrix, which is factorized once if it never changes."""

    def __init__(self, system: LinearSystem | MultibodySystem) -> None:
        self.system = system
        self._kept: Callable[[Array], Array] | None = None

    def solver(self, here: Any) -> Callable[[Array], Array]:
        """Return b -> M^-1 b at an instant, for b of shape (nv,) or (nv, k)."""
        if self._kept is not None:
            return self._kept
        found = self._factored(here)
        if self.system.constant_mass:
            self._kept = found
        return found

    def product(self, here: Any, x: Array) -> Array:
        """Return x M, row by row of x (k, nv), at an instant."""
        if self._M is None or not self.system.constant_mass:
            self._M = self.system.matrices(here)[0]
        return np.asarray(self._M @ x.T).T

    _M: Any = None

    def _factored(self, here: Any) -> Callable[[Array], Array]:
        system = self.system
        if isinstance(system, LinearSystem):
            return system.factor(here, 1.0, 0.0, 0.0).solve
        if not system.constant_mass and isinstance(here, MultibodyInstant) and system.nv <= DENSE:
            kept = _cholesky(here.mass_and_rate[0], here.t)
            return lambda b: np.asarray(cho_solve(kept, b, check_finite=False))
        M = system.matrices(here)[0]
        if system.nv > DENSE:
            lu = factored(system, M, M)
            return lambda b: np.asarray(lu.solve(b))
        if not system.constant_mass:
            factor = _cholesky(M.toarray(), here.t)
            return lambda b: np.asarray(cho_solve(factor, b, check_finite=False))
        inverse = factored(system, M, M).solve(np.eye(system.nv))
        return lambda b: np.asarray(inverse @ b)


def _cholesky(M: Array, t: float) -> tuple[Array, bool]:
    try:
        lower, which = cho_factor(M, check_finite=False)
    except np.linalg.LinAlgError:
        message = "the mass matrix is not positive definite: the motion grows without bound"
        raise NotConverged(message, time=t, step=-1) from None
    return np.asarray(lower), bool(which)
