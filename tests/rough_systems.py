"""Small systems with friction made by hand, and short runs of the compiled loop on them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse
from systems import Sine, bar_matrices, chain_layout, contacts, random_system, system

from flexmb.drive import Plan, choose_engine
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.system.contact_blocks import Blocks
from flexmb.system.linear_system import LinearSystem, Load, Probe


@dataclass(frozen=True)
class Constant:
    """A constant function of time."""

    size: float = 1.0

    def value(self, t):
        return np.full(np.shape(t), self.size)

    def rate(self, t):
        return np.zeros(np.shape(t))


def with_friction(con, H, slides, mu, e_T=0.0, turns=None, spins=None, roll=0.0, spin=0.0, **surface):
    """Contacts with rows beside their normals: columns of H contact by contact, tangents first."""
    nc = con.nc
    friction = np.zeros((nc, 8))
    friction[:, 0] = mu
    none = np.zeros(nc, dtype=np.int64)
    blocks = replace(
        Blocks.frictionless(nc),
        slides=np.broadcast_to(np.asarray(slides, dtype=np.int64), (nc,)).copy(),
        turns=none if turns is None else np.asarray(turns, dtype=np.int64),
        spins=none if spins is None else np.asarray(spins, dtype=np.int64),
        friction=friction,
        e_T=np.broadcast_to(np.asarray(e_T, dtype=float), (nc,)).copy(),
        roll=np.full(nc, float(roll)),
        spin=np.full(nc, float(spin)),
    )
    nt = blocks.nt
    moving = {"slide_of": np.full(nt, -1), "slide_coef": np.zeros(nt), "drift": np.zeros(nt)}
    return replace(con, blocks=blocks, H=sparse.csc_array(H), **{**moving, **surface})


def incline(mu, v0, x0=0.0, k=0.0, m=2.0, degrees=20.0, turned=0.0, load=None):
    """A block on a slope; the unknowns lie along axes turned from the slope's. Returns it, and up the slope."""
    alpha = np.radians(degrees)
    t = np.array([np.cos(turned), np.sin(turned)])
    n = np.array([-t[1], t[0]])
    con = with_friction(contacts(2, n[:, None], g0=[0.0], e=[0.0]), t[:, None], 1, mu)
    F0 = m * 9.81 * (-np.sin(alpha) * t - np.cos(alpha) * n)
    loads = () if load is None else (Load("push", t.copy(), load),)
    return system(m * np.eye(2), k * np.outer(t, t), F0=F0, con=con, q0=x0 * t, v0=v0 * t, loads=loads), t


def rough_bar(n, mu=0.3, g=10.0, F=12.0):
    """An elastic bar that lies on a rough floor, one contact per node, and is pushed at its first one."""
    M_u, K_u = bar_matrices(n)
    N = n + 1
    weight = np.asarray(M_u.sum(axis=1)).ravel()
    at = np.arange(N)
    U, V = (sparse.csr_array((np.ones(N), (at, 2 * at + k)), shape=(N, 2 * N)) for k in (0, 1))
    con = contacts(2 * N, np.zeros((2 * N, N)), g0=np.zeros(N), e=np.zeros(N))
    con = with_friction(replace(con, G=sparse.csc_array(V.T)), U.T, 1, mu)
    push = np.zeros(2 * N)
    push[0] = F
    return LinearSystem(
        M=sparse.csr_array(U.T @ M_u @ U + V.T @ sparse.diags_array(weight) @ V),
        C=sparse.csr_array((2 * N, 2 * N)),
        K=sparse.csr_array(U.T @ K_u @ U),
        F0=-g * (V.T @ weight),
        V0=0.0,
        loads=(Load("push", push, Constant()),),
        contacts=con,
        q0=np.zeros(2 * N),
        v0=np.zeros(2 * N),
        probes=(Probe("rod.first.u", "q", np.zeros(1), sparse.csr_array(np.eye(1, 2 * N))),),
        layout=chain_layout(2 * N),
    )


def random_friction(seed, nv=6, nc=3, slides=None, axes=False, moving=True, **options):
    """A random system that hits, slides and sticks; with ``axes`` its contacts also roll and spin."""
    rng = np.random.default_rng(seed + 1000)
    s = random_system(seed, nv=nv, nc=nc, moving=moving, **options)
    slides = rng.integers(1, 3, size=nc) if slides is None else np.full(nc, slides)
    turns = rng.integers(0, 3, size=nc) if axes else None
    spins = rng.integers(0, 2, size=nc) if axes else None
    nt = int(slides.sum() + (turns.sum() + spins.sum() if axes else 0))
    surface = {}
    if moving and s.contacts.motions:
        surface = {
            "slide_of": rng.integers(-1, 1, size=nt),
            "slide_coef": rng.normal(size=nt),
            "drift": 0.3 * rng.normal(size=nt),
        }
    con = with_friction(
        s.contacts,
        rng.normal(size=(nv, nt)),
        slides,
        rng.uniform(0.0, 1.0, size=nc),
        e_T=rng.uniform(-0.5, 0.9, size=nc),
        turns=turns,
        spins=spins,
        roll=0.2,
        spin=0.1,
        **surface,
    )
    return replace(s, contacts=con)


def run(s, scheme, h, steps, every=1, engine="compiled", tolerance=1e-12):
    """Run a system; return all samples but the first, and the engine."""
    plan = Plan(s, scheme, ContactSolver(tolerance=tolerance), h, 0.0, steps, every, every)
    e = choose_engine(plan, engine)
    e.start()
    block = e.advance(steps)
    if e.failure:
        raise e.failure
    return block, e


__all__ = ["Constant", "Sine", "incline", "random_friction", "rough_bar", "run", "with_friction"]
