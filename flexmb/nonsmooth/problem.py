"""``ContactProblem``: the contact problem of a step as data that can be saved, loaded and solved independently.

    U = W P + b,     K* ∋ (U_N + mu |U_T| + roll |omega_T| + spin |omega_N|, U_T, omega_T, omega_N)  perp  P ∈ K
    K = {|P_T| <= mu P_N,  |m_T| <= roll P_N,  |m_N| <= spin P_N}

P are impulses (or the position-level multipliers of the GGL scheme), U the relative velocities (or gaps) after the
step with restitution added, b the same without impulses, W the Delassus operator. W may be singular, and need not be
symmetric. Without friction this is ``w = W z + b, 0 <= w perp z >= 0``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from flexmb.errors import InputError
from flexmb.kernels.cones.cone_residual import cone_scales, cone_worst
from flexmb.kernels.lcp.lcp import lcp_worst
from flexmb.nonsmooth.blocks import block_shapes, finite, law_of
from flexmb.state import Array, IntArray


@dataclass(frozen=True, eq=False)
class ContactProblem:
    """The problem between the impulses of contacts and their relative velocities.

    Parameters
    ----------
    W : (n, n) array or scipy sparse array
        Delassus operator G^T S^-1 G, 1/kg (or its position-level counterpart). Block i has consecutive rows: its
        normal, the tangents that slide, the axes that roll, the axis that spins.
    b : (n,) array
        U without contact impulses, m/s (or gaps, m).
    mu : (nc,) array or float, optional
        Coefficients of friction.
    dim : int or (nc,) int array
        Rows of the contacts: 1 the normal, 2 with a tangent, 3 with two, 4 with two and spinning, 5 with two and
        rolling, 6 with all.
    roll, spin : (nc,) arrays or floats, optional
        Lengths of rolling and spinning resistance, m.
    shape : (nc, 3) int array, optional
        Rows of each contact that slide (0 to 3; 3 if P_T is only bounded by a ball), roll (0 to 2) and spin (0 or
        1); replaces ``dim``.
    """

    W: Any
    b: Array
    mu: Array = None  # type: ignore[assignment]  # zeros, as many as contacts
    dim: int | IntArray = 1
    roll: Array = None  # type: ignore[assignment]
    spin: Array = None  # type: ignore[assignment]
    shape: IntArray = None  # type: ignore[assignment]  # that of dim

    def __post_init__(self) -> None:
        b = finite("b", self.b)
        if b.ndim != 1:
            raise InputError("must have shape (nc,)", where="ContactProblem", key="b", value=b.shape)
        W: Any = self.W
        if sparse.issparse(W):
            given: Any = W
            finite("W", given.dtype.type(0))  # complex numbers would lose their imaginary parts
            W = sparse.csr_array(given, dtype=np.float64, copy=True)
            W.sum_duplicates()
            finite("W", W.data)
        else:
            W = finite("W", W)
        if W.shape != (b.size, b.size):
            raise InputError(f"must have shape ({b.size}, {b.size})", where="ContactProblem", key="W", value=W.shape)
        shape = block_shapes(self.dim, self.shape, b.size)
        values: dict[str, Any] = {"W": W, "b": b, "shape": shape}
        for k, key in enumerate(("mu", "roll", "spin")):
            values[key] = law_of(key, getattr(self, key), shape[:, k])
        rows = 1 + shape.sum(axis=1)
        uniform = rows.size and (rows == rows[0]).all()
        values["dim"] = int(rows[0]) if uniform else (1 if not rows.size else rows)
        for key, value in values.items():
            object.__setattr__(self, key, value)

    @property
    def nc(self) -> int:
        """Number of contacts."""
        return int(self.shape.shape[0])

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.b.size)

    @cached_property
    def start(self) -> IntArray:
        """First row of each contact, and the end, (nc + 1,)."""
        return np.concatenate([[0], np.cumsum(1 + self.shape.sum(axis=1))]).astype(np.int64)

    @cached_property
    def law(self) -> Array:
        """Radii of the cones over P_N: mu, roll and spin, (nc, 3)."""
        return np.stack([self.mu, self.roll, self.spin], axis=1)

    @property
    def frictionless(self) -> bool:
        """Whether the contacts have normal rows only."""
        return self.n == self.nc

    @property
    def sparse(self) -> bool:
        """Whether W is a sparse array."""
        return bool(sparse.issparse(self.W))

    @cached_property
    def scales(self) -> Array:
        """The numbers D of ``flexmb.kernels.cones.cone_residual``, (n,)."""
        return np.asarray(cone_scales(self.W.diagonal().copy(), self.shape.copy(), self.start))

    @cached_property
    def asymmetry(self) -> float:
        """``max |W - W^T| / max |W|``, rows and columns scaled by D; 0 for no rows."""
        D = self.scales
        scaled = self.W.multiply(D[:, None]).multiply(D[None, :]) if self.sparse else self.W * D[:, None] * D
        top = abs(scaled).max() if self.n else 0.0
        return float(abs(scaled - scaled.T).max() / top) if top else 0.0

    def w(self, z: Array) -> Array:
        """Return U = W z + b, (n,)."""
        return np.asarray(self.W @ z + self.b)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the problem to ``path``, which ends with .npz or has no extension; ``load`` recovers it exactly."""
        from flexmb.nonsmooth.formats import save_npz

        save_npz(self, path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a problem written by ``save``."""
        from flexmb.nonsmooth.formats import load_npz

        return cls(**load_npz(path))


@dataclass(frozen=True, eq=False)
class ContactSolution:
    """The result of a solver, with its residual.

    Parameters
    ----------
    z, w : (n,) arrays
        Impulses P and relative velocities U; in the cones up to the residual.
    residual : float
        ``residual(problem, z)``.
    iterations : int
        Index sets, pivots, sweeps or linear systems.
    solver : str
        Name of the solver.
    """

    z: Array
    w: Array
    residual: float
    iterations: int
    solver: str

    @property
    def P(self) -> Array:
        """Impulses of the rows, (n,)."""
        return self.z

    @property
    def U(self) -> Array:
        """Relative velocities, (n,)."""
        return self.w


def impulses(problem: ContactProblem, z: ArrayLike) -> Array:
    """Return impulses as a writable array of the problem's rows, or raise if the sizes differ."""
    out = np.array(z, dtype=np.float64, order="C")
    if out.shape != (problem.n,):
        raise InputError(f"must have shape ({problem.n},)", where="contact problem", key="z", value=out.shape)
    return out


def dense(problem: ContactProblem) -> Array:
    """Return W as a writable dense array."""
    return np.ascontiguousarray(problem.W.toarray()) if problem.sparse else problem.W.copy()


def kernel_arrays(problem: ContactProblem, z: ArrayLike) -> tuple[Array, Array, Array]:
    """Return W, b, z as the writable arrays that the kernels are compiled for (read-only is another type there)."""
    return dense(problem), problem.b.copy(), impulses(problem, z)


def worst(problem: ContactProblem, z: ArrayLike) -> tuple[int, float]:
    """Return the contact whose law ``z`` violates most (-1 without contacts), and the residual."""
    if problem.frictionless:
        row, r = lcp_worst(*kernel_arrays(problem, z))
        return int(row), float(r)
    P = impulses(problem, z)
    with np.errstate(over="ignore", invalid="ignore"):
        U = problem.w(P)
    block, r = cone_worst(U, problem.b.copy(), P, problem.scales, problem.shape.copy(), problem.start, problem.law)
    return int(block), float(r)


def residual(problem: ContactProblem, z: ArrayLike) -> float:
    """Return the residual of ``z``, the common criterion of all solvers.

    Without friction it is the natural map of ``flexmb.kernels.lcp.lcp_residual``, else that of
    ``flexmb.kernels.cones.cone_residual``.
    """
    return worst(problem, z)[1]
