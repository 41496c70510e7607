"""Make the stored contact problems again: ``python tests/data/contact/make.py`` (a test compares them with this)."""

from pathlib import Path

import numpy as np

from flexmb.nonsmooth import ContactProblem


def chain(n: int, stiffness: float) -> tuple[np.ndarray, np.ndarray]:
    """Return unit masses M and the springs K between them (one to ground at the first)."""
    K = 2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    K[-1, -1] = 1.0
    return np.eye(n), stiffness * K


def single() -> ContactProblem:
    """A mass of 0.5 kg arrives with 3 m/s."""
    return ContactProblem([[2.0]], [-3.0])


def redundant() -> ContactProblem:
    """A rigid slab (heave and pitch) lands flat on five feet, each listed twice: ten contacts, rank two."""
    x = np.repeat([-1.0, -0.5, 0.0, 0.5, 1.0], 2)
    G = np.vstack([np.ones(10), x])
    S = np.diag([3.0, 1.0])
    return ContactProblem(G.T @ np.linalg.solve(S, G), G.T @ np.array([-1.0, 0.0]))


def chain60() -> ContactProblem:
    """Sixty masses on springs, every one above its own stop, in a wavy motion; Moreau-Jean with h^2 theta^2 k = 4."""
    M, K = chain(60, 4.0)
    i = np.arange(60)
    return ContactProblem(np.linalg.inv(M + K), np.sin(0.7 * i) - 0.3 + 0.2 * np.cos(3.1 * i))


def ggl() -> ContactProblem:
    """Position and velocity level of generalized-alpha with GGL and Rayleigh damping, coupled: W is not symmetric.

    With q = q~ + M^-1 G nu, v = v~ + M^-1 G Lam and the smooth acceleration eliminated (S = M + r h^2 beta K +
    r h gamma C): rows are gaps (m) and velocities (m/s) of four contacts.
    """
    h, r, beta, gamma = 0.02, 1.2, 0.31, 0.61
    M, K = chain(8, 900.0)
    C = 0.4 * M + 2e-3 * K
    G = np.eye(8)[:, ::2]
    S = M + r * h * h * beta * K + r * h * gamma * C
    from_q, from_v = (np.linalg.solve(S, X @ np.linalg.solve(M, G)) for X in (K, C))
    free = np.linalg.solve(M, G)
    W = np.block(
        [
            [G.T @ (free - r * h * h * beta * from_q), -r * h * h * beta * G.T @ from_v],
            [-r * h * gamma * G.T @ from_q, G.T @ (free - r * h * gamma * from_v)],
        ]
    )
    return ContactProblem(W, [-2e-3, 1e-3, -4e-3, 0.0, -1.0, 0.3, -2.0, -0.5])


def degenerate() -> ContactProblem:
    """Integers with ties everywhere: rank three, zero gaps, one contact without compliance, two alike."""
    A = np.array([[1.0, 0, 0, 1, 1, 0, 0, 1], [0, 1.0, 0, 1, 0, 1, 0, 1], [0, 0, 1.0, 0, 1, 1, 0, 0]])
    return ContactProblem(A.T @ A, [-1.0, -1.0, 0.0, -2.0, -1.0, -1.0, 0.0, -2.0])


PROBLEMS = (single, redundant, chain60, ggl, degenerate)

if __name__ == "__main__":
    for build in PROBLEMS:
        build().save(Path(__file__).parent / f"{build.__name__}.npz")
