"""``ContactProblem``: one step's contact problem as data that can be saved, read back and judged anywhere.

    w = W z + b,   0 <= w  perp  z >= 0

z are impulses (or the position-level multipliers of the GGL scheme), w the relative velocities (or gaps) after the
step, b the same without contact, W the Delassus operator. W may be singular, and need not be symmetric.
"""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from os import PathLike
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from flexmb.errors import InputError
from flexmb.kernels.lcp import lcp_residual, lcp_worst
from flexmb.state import Array, frozen

_FIELDS = ("W", "b", "mu", "dim")


def _array(key: str, value: ArrayLike) -> Array:
    """Return a read-only float64 copy, or say which entry is not a finite number."""
    try:
        out = np.array(value, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise InputError("must be an array of numbers", where="ContactProblem", key=key) from None
    bad = np.argwhere(~np.isfinite(out))
    if bad.size:
        place = tuple(int(i) for i in bad[0])
        raise InputError(f"entry {place} must be finite", where="ContactProblem", key=key, value=float(out[place]))
    return frozen(out)


@dataclass(frozen=True, eq=False)
class ContactProblem:
    """A complementarity problem between contact impulses and relative velocities.

    Parameters
    ----------
    W : (nc, nc) array
        Delassus operator G^T S^-1 G, 1/kg (or its position-level twin).
    b : (nc,) array
        w without contact impulses, m/s (or gaps, m).
    mu : (nc,) array, optional
        Coefficients of friction; zero for now.
    dim : int
        Local directions per contact: 1, the normal, for now.
    """

    W: Array
    b: Array
    mu: Array = None  # type: ignore[assignment]  # zeros, as many as contacts
    dim: int = 1

    def __post_init__(self) -> None:
        W, b = _array("W", self.W), _array("b", self.b)
        mu = _array("mu", np.zeros(b.shape) if self.mu is None else self.mu)
        if b.ndim != 1:
            raise InputError("must have shape (nc,)", where="ContactProblem", key="b", value=b.shape)
        if W.shape != (b.size, b.size):
            raise InputError(f"must have shape ({b.size}, {b.size})", where="ContactProblem", key="W", value=W.shape)
        if mu.shape != b.shape:
            raise InputError(f"must have shape ({b.size},)", where="ContactProblem", key="mu", value=mu.shape)
        words = "frictional problems are not solved by these solvers"
        if mu.any():
            worst = float(mu[np.argmax(np.abs(mu))])
            raise InputError(f"{words}: only mu = 0 is allowed", where="ContactProblem", key="mu", value=worst)
        if self.dim != 1 or isinstance(self.dim, bool):
            raise InputError(f"{words}: only dim = 1 is allowed", where="ContactProblem", key="dim", value=self.dim)
        for key, value in zip(_FIELDS, (W, b, mu, int(self.dim)), strict=True):
            object.__setattr__(self, key, value)

    @property
    def nc(self) -> int:
        """Number of contacts."""
        return int(self.b.size)

    def w(self, z: Array) -> Array:
        """Return W z + b, (nc,)."""
        return np.asarray(self.W @ z + self.b)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the problem to ``path`` (npz); every bit comes back with ``load``."""
        with open(path, "wb") as file:
            np.savez(file, W=self.W, b=self.b, mu=self.mu, dim=np.int64(self.dim))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a problem that ``save`` wrote."""
        try:
            with open(path, "rb") as file, np.load(file, allow_pickle=False) as data:
                return cls(data["W"], data["b"], data["mu"], int(data["dim"]))
        except FileNotFoundError:
            raise InputError("no such file", where="ContactProblem.load", key="path", value=str(path)) from None
        except (KeyError, TypeError, AttributeError, EOFError, ValueError, zipfile.BadZipFile) as err:
            words = f"not a saved contact problem ({err}); it must hold {', '.join(_FIELDS)}"
            raise InputError(words, where="ContactProblem.load", key="path", value=str(path)) from None


@dataclass(frozen=True, eq=False)
class ContactSolution:
    """What a solver found, and how good it is.

    Parameters
    ----------
    z, w : (nc,) arrays
        Impulses and relative velocities; z >= 0, w >= 0 up to the residual.
    residual : float
        ``residual(problem, z)``.
    iterations : int
        Index sets, pivots or sweeps.
    solver : str
        Name of the solver.
    """

    z: Array
    w: Array
    residual: float
    iterations: int
    solver: str


def kernel_arrays(problem: ContactProblem, z: ArrayLike) -> tuple[Array, Array, Array]:
    """Return W, b, z as the writable arrays that the kernels are compiled for (read-only is another type there)."""
    out = np.array(z, dtype=np.float64, order="C")
    if out.shape != (problem.nc,):
        raise InputError(f"must have shape ({problem.nc},)", where="contact problem", key="z", value=out.shape)
    return problem.W.copy(), problem.b.copy(), out


def residual(problem: ContactProblem, z: ArrayLike) -> float:
    """Return the natural-map residual of ``z``; the formula is in ``flexmb.kernels.lcp_residual``."""
    return float(lcp_residual(*kernel_arrays(problem, z)))


def worst_row(problem: ContactProblem, z: ArrayLike) -> int:
    """Return the contact whose complementarity ``z`` violates most (-1 when there is none)."""
    return int(lcp_worst(*kernel_arrays(problem, z))[0])
