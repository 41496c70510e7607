"""Fast motions of a model about a state: its vibrations, and motions that damping makes decay without a vibration."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import splu

from flexmb.linalg.frequencies import highest_frequency
from flexmb.state import Array
from flexmb.system.linear_system import LinearSystem
from flexmb.system.multibody_system import MultibodySystem

MOST = 400
"""Number of unknowns up to which all vibrations are computed; beyond it the fastest one and the fastest decay."""
NOTHING = 1e-12
"""Squares of frequencies, and damping, relative to the largest, that are round-off."""


@dataclass(frozen=True)
class Vibrations:
    """Motions q'' + c q' + omega^2 q = 0 about a state that the joints allow, without contacts.

    They are the undamped modes with a stiffness or a damping, and the modes of the damping matrix where they decay
    without a vibration, c > 2 omega: a damper at one place is spread over all undamped modes, each with a small part.

    Parameters
    ----------
    omega : (m,) array
        Angular frequencies, rad/s; zero without stiffness. First the decays, then those of the modes, ascending.
    damping : (m,) array
        Modal damping c = phi . C phi at phi . M phi = 1, 1/s.
    parts : tuple of str
        The part that moves most in each.
    all_of_them : bool
        False for large models, of which only the fastest were computed.
    """

    omega: Array
    damping: Array
    parts: tuple[str, ...]
    all_of_them: bool = True

    @property
    def rates(self) -> Array:
        """Largest magnitude of the two exponents of each motion, 1/s: omega, or the rate of the faster decay."""
        half = 0.5 * np.abs(self.damping)
        decay = half + np.sqrt(np.maximum(half * half - self.omega**2, 0.0))
        return np.asarray(np.where(half > self.omega, decay, self.omega))

    @property
    def fastest(self) -> int:
        """The motion with the largest rate; -1 if there is none."""
        return int(np.argmax(self.rates)) if self.omega.size else -1

    def words(self, k: int) -> str:
        """Return what the k-th motion does."""
        if self.damping[k] > 2.0 * self.omega[k]:
            return f"'{self.parts[k]}' decays with {self.rates[k]:.6g} 1/s"
        return f"'{self.parts[k]}' vibrates with {self.omega[k]:.6g} rad/s"


def vibrations(
    system: LinearSystem | MultibodySystem, t: float, q: Array | None = None, v: Array | None = None
) -> Vibrations:
    """Return the vibrations and decays about a state, by default that of the start."""
    here = system.instant(t, system.start if q is None else q, system.v0 if v is None else v)
    M, C, K = system.matrices(here)
    none = Vibrations(np.zeros(0), np.zeros(0), ())
    if not system.nv or not (np.isfinite(K.data).all() and np.isfinite(C.data).all()):
        return none
    C, K = (sparse.csr_array(0.5 * (X + X.T)) for X in (C, K))
    if system.nv <= MOST:
        Z = linalg.null_space(here.G_J.toarray().T) if system.nj else np.eye(system.nv)
        if not Z.shape[1]:
            return none
        mass, damping, stiff = (Z.T @ X.toarray() @ Z for X in (M, C, K))
        shapes = Z @ _modes(mass, damping, stiff)
        decays = Z @ linalg.eigh(damping, mass)[1] if C.nnz else shapes[:, :0]
    else:
        held = system.factor(here, 1.0, 0.0, 0.0).solve if system.nj else None
        shapes, decays = (_unit(M, highest_frequency(M, X, held)[1])[:, None] for X in (K, C))
    c, k = (np.einsum("ij,ij->j", decays, X @ decays) for X in (C, K))
    decays = decays[:, (c > 0.0) & (c * c > 4.0 * k)]
    shapes = np.hstack([decays, shapes])
    c, k = (np.einsum("ij,ij->j", shapes, X @ shapes) for X in (C, K))
    moves = (k > NOTHING * max(_largest(k), 1e-300)) | (np.abs(c) > NOTHING * max(_largest(c), 1e-300))
    k[k <= NOTHING * _largest(k)] = 0.0
    names = system.dof_names
    most = np.abs(shapes[:, moves]).argmax(axis=0) if moves.any() else ()
    parts = tuple(names[int(i)].partition(".")[0] if names else "the system" for i in most)
    return Vibrations(np.sqrt(k[moves]), c[moves], parts, system.nv <= MOST)


def _modes(mass: Array, damping: Array, stiff: Array) -> Array:
    """Return the undamped modes, ascending; those without stiffness are modes of the damping among each other."""
    squares, shapes = linalg.eigh(stiff, mass)
    loose = squares <= NOTHING * _largest(squares)
    if loose.any():
        free = shapes[:, loose]
        shapes[:, loose] = free @ linalg.eigh(free.T @ damping @ free)[1]
    return np.asarray(shapes)


def _largest(values: Array) -> float:
    return float(np.abs(values).max(initial=0.0))


def _unit(M: sparse.csr_array, shape: Array) -> Array:
    """Return a shape with phi . M phi = 1; zero remains zero."""
    size = float(np.sqrt(max(shape @ (M @ shape), 0.0)))
    return shape / (size if size > 0.0 else 1.0)


def damping_takes(system: LinearSystem | MultibodySystem, t: float) -> bool:
    """Tell whether the damping matrix at the start has no negative eigenvalue: damping cannot supply energy."""
    if not system.nv:
        return True
    M, C, _ = system.matrices(system.instant(t, system.start, system.v0))
    C = 0.5 * (C + C.T)
    least = 1e-9 * float((np.abs(C.diagonal()) / M.diagonal()).max())
    if not C.nnz or not least > 0.0:
        return not C.nnz or not abs(C).max() > 0.0
    # without pivoting the signs of U are those of the eigenvalues of the shifted matrix
    shifted = sparse.csc_matrix(C + least * M)
    symmetric = {"SymmetricMode": True}
    factors = splu(shifted, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=symmetric)
    return bool((factors.U.diagonal() > 0.0).all() and (factors.perm_r == factors.perm_c).all())
