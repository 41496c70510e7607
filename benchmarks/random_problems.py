"""Random contact problems that have a solution, for measuring solvers: ``random_problem(seed)``.

Of each problem a family, a kind of contact and how hard it is are drawn:

* ``bodies``: rigid bodies in space that touch each other and the ground at random points, as many contacts as come;
  masses, inertias and lengths over decades. ``b = G^T v``: what a step without gaps asks for.
* ``matrix``: ``W = G^T G`` with singular values spread over decades, of full rank or not; ``b = G^T v``.
* ``answer``: either W, and ``b = U - W P`` of an answer (P, U) drawn first: open, sticking and slipping contacts. b
  need not be in the range of W, as in steps with gaps and restitution.

Kinds are planar, spatial, rolling, rolling and spinning, joint (three rows that slide), and mixed. The condition of W
(of what is not singular in it) goes to 1e10, mu from 0 to 10.
"""

from __future__ import annotations

import numpy as np

from flexmb.nonsmooth import ContactProblem
from flexmb.state import Array, IntArray

KINDS: dict[str, tuple[int, int, int]] = {
    "planar": (1, 0, 0),
    "spatial": (2, 0, 0),
    "rolling": (2, 2, 0),
    "all": (2, 2, 1),
    "joint": (3, 0, 0),
}
"""Rows that slide, roll and spin."""
DECADES = 10.0
"""Of the largest condition of W."""


def _shapes(rng: np.random.Generator, kind: str, nc: int) -> IntArray:
    """Return the rows of each contact, (nc, 3)."""
    every = list(KINDS.values())
    picked = [every[rng.integers(len(every))] if kind == "mixed" else KINDS[kind] for _ in range(nc)]
    return np.array(picked, dtype=np.int64)


def _rotation(rng: np.random.Generator) -> Array:
    """Return three random unit vectors, the normal first."""
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return np.asarray(q.T)


def _bodies(rng: np.random.Generator, shape: IntArray, decades: float) -> Array:
    """Return M^-1/2 G of contacts between rigid bodies, (dof, n)."""
    nc = shape.shape[0]
    nb = int(rng.integers(1, max(2, nc) + 1))
    mass = 10.0 ** rng.uniform(-decades / 4, decades / 4, nb)
    size = 10.0 ** rng.uniform(-0.5, 0.5, nb)
    columns = []
    for i in range(nc):
        a, b = rng.integers(nb), rng.integers(-1, nb)  # -1: the ground
        axes = _rotation(rng)
        rows = [(e, None) for e in axes[: 1 + min(int(shape[i, 0]), 2)]]
        if shape[i, 0] == 3:
            rows = [(e, None) for e in (axes[0], *_rotation(rng))]
        rows += [(None, e) for e in axes[1 : 1 + shape[i, 1]]] + [(None, e) for e in axes[: shape[i, 2]]]
        arms = {body: size[body] * rng.normal(size=3) for body in {int(a), int(b)} if body >= 0}
        for along, about in rows:
            column = np.zeros((nb, 6))
            for body, sign in ((int(b), -1.0), (int(a), 1.0)):
                if body < 0 or (int(a) == int(b) and sign < 0.0):
                    continue
                turns = about if along is None else np.cross(arms[body], along)
                column[body, :3] = 0.0 if along is None else sign * along
                column[body, 3:] = sign * turns / (0.6 * size[body])  # sqrt of m r^2, r^2 = 0.36 size^2
                column[body] /= np.sqrt(mass[body])
            columns.append(column.ravel())
    return np.array(columns).T


def _matrix(rng: np.random.Generator, n: int, decades: float) -> Array:
    """Return G with singular values over decades, (m, n); of lower rank in half of the cases."""
    m = int(rng.integers(max(1, n // 4), n + 1)) if rng.random() < 0.5 else n + int(rng.integers(0, 3))
    left, _, right = np.linalg.svd(rng.normal(size=(m, n)), full_matrices=False)
    values = 10.0 ** -np.sort(rng.uniform(0.0, decades / 2, min(m, n)))
    values[0] = 1.0
    return np.asarray(left * values @ right)


def _answer(rng: np.random.Generator, W: Array, shape: IntArray, law: Array) -> Array:
    """Return b of a problem with an answer that is drawn: a third of the contacts open, the rest stick or slip."""
    P, U = np.zeros(W.shape[0]), np.zeros(W.shape[0])
    at = 0
    speed = 10.0 ** rng.uniform(-2.0, 2.0) * np.sqrt(np.diag(W).mean())
    for rows, radius in zip(shape, law, strict=True):
        closed = rng.random() > 0.3
        P[at] = (rng.exponential() if closed else 0.0) / np.sqrt(max(W[at, at], 1e-300))
        U[at] = 0.0 if closed else speed * rng.exponential()
        row = at + 1
        for d in range(3):
            e = rng.normal(size=rows[d])
            e = e / np.linalg.norm(e) if rows[d] else e
            disc = slice(row, row + rows[d])
            if closed and rng.random() < 0.5:
                P[disc] = radius[d] * P[at] * rng.uniform() * e
            else:
                P[disc], U[disc] = -radius[d] * P[at] * e, speed * rng.exponential() * e
            row += rows[d]
        at = row
    return np.asarray(U - W @ P)


def random_problem(seed: int, most: int = 10) -> tuple[str, ContactProblem]:
    """Return the class of a problem and the problem.

    Parameters
    ----------
    seed : int
    most : int
        Most contacts.

    Returns
    -------
    name : str
        Family and kind.
    problem : ContactProblem
    """
    rng = np.random.default_rng([2027, seed])
    family = ("bodies", "matrix", "answer")[seed % 3]
    kind = [*KINDS, "mixed"][(seed // 3) % 6]
    shape = _shapes(rng, kind, int(rng.integers(1, most + 1)))
    decades = DECADES * rng.uniform() if rng.random() < 0.7 else DECADES
    n = int(shape.shape[0] + shape.sum())
    G = _bodies(rng, shape, decades) if family == "bodies" or rng.random() < 0.3 else _matrix(rng, n, decades)
    law = rng.uniform(0.0, 10.0, shape.shape) if rng.random() < 0.3 else 10.0 ** rng.uniform(-2.0, 1.0, shape.shape)
    law = law * [1.0, 0.1, 0.1] * (rng.random(shape.shape) > 0.1) * (shape > 0)
    W = G.T @ G
    b = _answer(rng, W, shape, law) if family == "answer" else G.T @ rng.normal(size=G.shape[0])
    problem = ContactProblem(0.5 * (W + W.T), b, law[:, 0], roll=law[:, 1], spin=law[:, 2], shape=shape)
    return f"{family} {kind}", problem
