"""Systems with friction made by hand: no finite elements, no case files."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import sparse
from systems import Sine, contacts, random_system, system

from flexmb.system.contact_blocks import Blocks
from flexmb.system.linear_system import Load

C45 = 0.5 * np.sqrt(0.5)


def blocks_of(nc, slides=2, turns=0, spins=0, mu=0.3, e_T=0.0, roll=0.0, spin=0.0, poisson=False, cohesion=None):
    """Return contacts with the same rows; numbers of laws may be arrays."""
    friction = np.zeros((nc, 8))
    friction[:, 0] = mu
    return Blocks(
        slides=np.broadcast_to(slides, nc).astype(np.int64),
        turns=np.broadcast_to(turns, nc).astype(np.int64),
        spins=np.broadcast_to(spins, nc).astype(np.int64),
        friction=friction,
        e_T=np.broadcast_to(e_T, nc).astype(float),
        roll=np.broadcast_to(roll, nc).astype(float),
        spin=np.broadcast_to(spin, nc).astype(float),
        cohesion=np.zeros((nc, 5)) if cohesion is None else np.broadcast_to(cohesion, (nc, 5)).astype(float),
        poisson=np.broadcast_to(poisson, nc).astype(bool),
    )


def with_rows(made, blocks, H, slide_of=None, slide_coef=None, drift=None):
    """Return a system with rows beside the normals of its contacts."""
    nt = blocks.nt
    con = replace(
        made.contacts,
        blocks=blocks,
        H=sparse.csc_array(np.asarray(H, dtype=float).reshape(made.nv, nt)),
        slide_of=np.full(nt, -1) if slide_of is None else slide_of,
        slide_coef=np.zeros(nt) if slide_coef is None else slide_coef,
        drift=np.zeros(nt) if drift is None else drift,
    )
    return replace(made, contacts=con)


def random_frictional(
    seed, nv=8, nc=3, moving=True, planar=False, rolling=False, mu=None, equal=None, slides=None, **laws
):
    """A random system whose contacts slide, stick and, with ``rolling``, roll and spin; ``equal``: e and e_T."""
    rng = np.random.default_rng(seed + 10**7)
    made = random_system(seed, nv=nv, nc=nc, moving=moving, e=equal)
    slides = rng.integers(0, 3, size=nc) if slides is None else slides
    slides = 1 if planar else slides
    turns, spins = (rng.integers(0, 3, size=nc), rng.integers(0, 2, size=nc)) if rolling else (0, 0)
    laws = {
        "mu": rng.uniform(0.0, 1.5, size=nc) if mu is None else mu,
        "e_T": rng.uniform(-0.9, 0.9, size=nc) if equal is None else equal,
        "roll": rng.uniform(0.0, 0.5, size=nc),
        "spin": rng.uniform(0.0, 0.5, size=nc),
        **laws,
    }
    blocks = blocks_of(nc, slides, turns, spins, **laws)
    H, drift, coef = rng.normal(size=(nv, blocks.nt)), rng.normal(size=blocks.nt), rng.normal(size=blocks.nt)
    if not moving or not nc:
        return with_rows(made, blocks, H)
    return with_rows(made, blocks, H, np.where(np.arange(blocks.nt) % 2, 0, -1), coef, drift)


def rod(v, mu, e, e_T, poisson=False):
    """Uniform rod of length and mass 1 at 45 degrees, its lower end, left of the centre, touching the floor."""
    con = contacts(3, np.array([[0.0], [1.0], [-C45]]), g0=[0.0], e=[e])
    made = system(np.diag([1.0, 1.0, 1.0 / 12.0]), np.zeros((3, 3)), con=con, v0=v)
    return with_rows(made, blocks_of(1, 1, mu=mu, e_T=e_T, poisson=poisson), [1.0, 0.0, C45])


def rough_bar(n, length=10.0, E=900.0, rho=1.0, g=10.0, mu=0.3, F=12.0):
    """Elastic bar on a rough floor, pushed at its end; unknowns x of all nodes, then y, with the nodal weights on y."""
    le, nv = length / n, n + 1
    K, M, m = np.zeros((2 * nv, 2 * nv)), np.zeros((2 * nv, 2 * nv)), np.zeros(nv)
    for k in range(n):
        pair = np.ix_([k, k + 1], [k, k + 1])
        K[pair] += E / le * np.array([[1.0, -1.0], [-1.0, 1.0]])
        M[pair] += rho * le / 6.0 * np.array([[2.0, 1.0], [1.0, 2.0]])
        m[k : k + 2] += 0.5 * rho * le
    M[nv:, nv:] = np.diag(m)
    F0 = np.concatenate([np.zeros(nv), -g * m])
    G, H = np.zeros((2 * nv, nv)), np.zeros((2 * nv, nv))
    G[nv:], H[:nv] = np.eye(nv), np.eye(nv)
    con = contacts(2 * nv, G, g0=np.zeros(nv), e=np.zeros(nv))
    push = np.zeros(2 * nv)
    push[0] = F
    made = system(M, K, F0=F0, loads=[Load("push", push, Sine(0.0, 1.0, 0.0, 1.0))], con=con)
    return with_rows(made, blocks_of(nv, 1, mu=mu), H)
