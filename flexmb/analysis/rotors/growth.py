"""The mode of a rotor with the largest growth rate at a speed.

A mode Re(x exp(lam t)), lam = a + i w, has with m = x^H M x, with c and k of the symmetric parts of C and K and i s of
the skew part of K, the balance of energy

    a (|lam|^2 m + k) = -|lam|^2 c - w s

so it grows by a > g |lam| (g = ``GROWS``: smaller growth counts as round-off) only where, for any r,

    |lam| <= r    or    |lam| <= max |s| / (c + g r m / 2),        if K + r^2/2 M and C + g r/2 M are definite

The larger of the two is the reach. Gyroscopic moments have no influence. Without cross-coupling and internal damping
s = 0, and nothing grows at any speed, if K is definite to round-off (rigid motions, see ``at_rest``); with
internal damping alone the reach is the speed, for a seal it is cross-coupling over damping. It is infinite if there
is cross-coupling without damping, and with negative damping or stiffness.

All eigenvalues on the right within the reach are then looked for, those next to a real point by Arnoldi's process,
which continues beyond the reach, if necessary with as many steps as there are eigenvalues. Models above
``WHOLE`` unknowns are searched along the imaginary axis if that does not suffice: from points i w, each at a distance
at which the previous search was complete, up to the reach, or ``FAR`` times the speed or the lowest frequency. So
growing oscillations are found in spite of any number of overdamped modes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, sparse

from flexmb.analysis.rotors.eigenpairs import (
    DENSE_LIMIT,
    NOISE,
    ComplexArray,
    Inverse,
    Matrices,
    at_rest,
    modal_size,
    refine,
)
from flexmb.analysis.rotors.rates import GROWS, grows
from flexmb.system.spinning import parted

STEPS = 30
"""Initial number of Arnoldi steps; doubled until enough eigenvalues have converged."""
WHOLE = 300
"""Number of unknowns up to which all modes are computed if necessary."""
LIMIT = 120
"""Maximum number of Arnoldi steps per shift in larger models."""
FAR = 30.0
"""Search range on the imaginary axis for larger models without a given reach, over the speed or the lowest "
"frequency."""
FOUND = 1e-9
"""Relative accuracy at which an eigenvalue of (A - s)^-1 counts as found."""
SURE = 1.1
"""Safety factor on the computed reach."""


class Growing(NamedTuple):
    """A growing mode: its eigenvalue and its shape."""

    eigenvalue: complex
    shape: ComplexArray


def fastest(system: Matrices, speed: float) -> Growing | None:
    """Return the mode with the largest growth rate; None if none grows.

    Parameters
    ----------
    system : Matrices
    speed : float
        The highest of the rotors, rad/s: where the search begins.
    """
    end = reach(system, abs(speed))
    if end == 0.0:
        return None
    s = min(0.25 * end, max(abs(speed), Inverse(system, system.lowest).w))
    far = float(np.hypot(s, end))  # from s to the end of the reach on the imaginary axis
    most = 2 * system.nv if system.nv <= WHOLE else LIMIT
    around = _Around(system, s)
    while around.radius < far and around.steps < most:
        around.go_on(min(most, max(STEPS, 2 * around.steps)))
    found = [around.modes()]
    if around.radius < far:
        w = float(np.sqrt(max(0.0, around.radius**2 - s * s)))
        far = min(end, FAR * s)
        while w < far:
            around = _Around(system, 1j * w)
            while not around.radius and around.steps < 2 * system.nv:
                around.go_on(max(2 * STEPS, 2 * around.steps))
            found.append(around.modes())
            w += max(around.radius, 1e-3 * far)
    return _best(system, *(np.concatenate(parts, axis=-1) for parts in zip(*found, strict=True)))


def reach(system: Matrices, speed: float) -> float:
    """Return the |lam| beyond which no mode grows: 0 if none does, infinite without such a bound."""
    (K, s), (C, _) = parted(system.K), parted(system.C)
    s = _without_noise(s, K)
    r = max(system.lowest, speed) if s.nnz else system.lowest
    B = sparse.csc_array(C + (0.5 * GROWS * r) * system.M)
    # up to r modes are searched only if there is s: otherwise a deficit of K must not be compensated by the mass
    more = (0.5 * r * r) * system.M if s.nnz else NOISE * sparse.diags_array(np.abs(K.diagonal()))
    if not (_definite(B) and _definite(sparse.csc_array(K + more))):
        return np.inf
    return max(r, SURE * _largest(s, B)) if s.nnz else 0.0


class _Around:
    """Eigenvalues of a system next to a point, by Arnoldi's process on (A - s)^-1 without restarts.

    ``radius`` is the distance from the point up to which all of them are found (each once, if it is a multiple one).
    """

    def __init__(self, system: Matrices, s: complex) -> None:
        self.system, self.s = system, s
        self.inverse = Inverse(system, s)
        kind = np.complex128 if isinstance(s, complex) else np.float64
        start = np.cos(np.arange(2.0 * system.nv)).astype(kind)  # a fixed start: the same bits in every run
        self.V, self.H = (start / np.linalg.norm(start))[None], np.zeros((1, 0), dtype=kind)
        self.steps, self.radius = 0, 0.0
        self._found = np.zeros(0, dtype=np.complex128), np.zeros((system.nv, 0), dtype=np.complex128)

    def modes(self) -> tuple[ComplexArray, ComplexArray]:
        """Return the eigenvalues found and their shapes."""
        return self._found

    def go_on(self, steps: int) -> None:
        """Continue up to a number of steps."""
        j, steps = self.steps, min(steps, len(self.V[0]))
        V, H = np.zeros((steps + 1, len(self.V[0])), self.V.dtype), np.zeros((steps + 1, steps), self.V.dtype)
        V[: j + 1], H[: j + 1, :j] = self.V, self.H
        while j < steps:
            b = self.inverse(V[j])
            size = float(np.linalg.norm(b))
            for _ in range(2):  # two passes are enough for orthogonality
                part = V[: j + 1].conj() @ b
                b, H[: j + 1, j] = b - part @ V[: j + 1], H[: j + 1, j] + part
            j += 1
            H[j, j - 1] = np.linalg.norm(b)
            if abs(H[j, j - 1]) <= 1e-13 * size:  # the space is invariant and contains all eigenvalues
                H[j, j - 1] = 0.0
                break
            V[j] = b / H[j, j - 1]
        self.V, self.H, self.steps = V[: j + 1], H[: j + 1, :j], j
        self._look()

    def _look(self) -> None:
        mu, Y = np.linalg.eig(self.H[:-1])
        sure = np.abs(self.H[-1, -1] * Y[-1]) <= FOUND * np.abs(mu)
        whole = self.H[-1, -1] == 0.0 or self.steps == self.V.shape[1]
        apart = 1.0 / np.maximum(np.abs(mu), 1e-300)
        missing = apart[~sure].min(initial=np.inf)
        self.radius = float("inf") if whole else float(min(missing, apart.max()))
        some = apart <= self.radius if not whole else np.ones(mu.size, dtype=np.bool_)
        X = self.V[:-1, : self.system.nv].T @ Y[:, some]
        self._found = self.s + 1.0 / mu[some], np.asarray(X / modal_size(self.system.M, X), dtype=np.complex128)


def _best(system: Matrices, lam: ComplexArray, X: ComplexArray) -> Growing | None:
    """Return the fastest growing of some modes, after their eigenvalues were refined."""
    near = ~at_rest(system, lam, X) & (lam.real > -1e-6 * np.abs(lam)) & (lam.imag >= -1e-6 * np.abs(lam))
    some = np.flatnonzero(near)
    for k in some[np.argsort(-lam.real[some], kind="stable")]:
        value, x = refine(system, complex(lam[k]), X[:, k])
        if grows(np.array([value]))[0]:
            return Growing(value, x)
    return None


def _without_noise(s: sparse.csr_array, K: sparse.csr_array) -> sparse.csr_array:
    """Return a skew matrix without terms that are round-off relative to the symmetric one."""
    size, coo = np.sqrt(np.abs(K.diagonal())), sparse.coo_array(s)
    kept = np.abs(coo.data) > 1e-14 * size[coo.row] * size[coo.col]
    return sparse.csr_array((coo.data[kept], (coo.row[kept], coo.col[kept])), shape=s.shape)


def _definite(A: sparse.csc_array) -> bool:
    """Return whether a symmetric matrix is positive definite, by the signs of its pivots."""
    from scipy.sparse.linalg import splu

    try:
        lu = splu(A, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    except RuntimeError:  # exactly singular
        return False
    return bool(np.array_equal(lu.perm_r, lu.perm_c) and (lu.U.diagonal() > 0.0).all())


def _largest(s: sparse.csr_array, B: sparse.csc_array) -> float:
    """Return the largest |x^H s x| / x^H B x of a skew s and a definite B."""
    from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigs, splu

    n = B.shape[0]
    if n <= DENSE_LIMIT:
        return float(np.abs(linalg.eigvals(np.linalg.solve(B.toarray(), s.toarray()))).max())
    lu = splu(B)  # the eigenvalues of B^-1 s are i mu and -i mu
    operator: Any = LinearOperator((n, n), matvec=lambda x: lu.solve(s @ x), dtype=np.float64)
    try:
        mu = eigs(operator, 2, v0=np.cos(np.arange(float(n))), ncv=20, tol=1e-2, maxiter=20, return_eigenvectors=False)
    except ArpackNoConvergence:
        return np.inf
    return float(np.abs(mu).max())
