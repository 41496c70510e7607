"""Systems made by hand for the tests of schemes: no finite elements, no case files."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from flexmb.system.linear_system import Contacts, Layout, LinearSystem, Load, Probe


@dataclass(frozen=True)
class Sine:
    """offset + amplitude sin(omega t + phase)."""

    amplitude: float
    omega: float
    phase: float = 0.0
    offset: float = 0.0

    def value(self, t):
        return np.asarray(self.offset + self.amplitude * np.sin(self.omega * np.asarray(t) + self.phase))

    def rate(self, t):
        return np.asarray(self.amplitude * self.omega * np.cos(self.omega * np.asarray(t) + self.phase))


def contacts(nv, G=None, g0=(), e=(), motions=(), motion_of=None, motion_coef=None):
    nc = len(g0)
    return Contacts(
        names=tuple(f"c{i}" for i in range(nc)),
        start=np.arange(nc + 1),
        labels=tuple(f"c{i}" for i in range(nc)),
        g0=np.asarray(g0, dtype=float),
        G=sparse.csc_array(np.zeros((nv, 0)) if G is None else np.asarray(G, dtype=float)),
        e=np.asarray(e, dtype=float),
        motions=tuple(motions),
        motion_of=np.full(nc, -1) if motion_of is None else np.asarray(motion_of),
        motion_coef=np.zeros(nc) if motion_coef is None else np.asarray(motion_coef, dtype=float),
    )


def chain_layout(nv):
    """Unknown i is the displacement of point i along x."""
    D = sparse.csr_array((np.ones(nv), (3 * np.arange(nv), np.arange(nv))), shape=(3 * nv, nv))
    return Layout(
        points=np.stack([np.arange(nv) * 1.0, np.zeros(nv), np.zeros(nv)], axis=1),
        cells=np.stack([np.arange(nv - 1), np.arange(1, nv)], axis=1),
        vertices=np.zeros(0, dtype=np.int64),
        body_of_point=np.zeros(nv, dtype=np.int64),
        bodies=("chain",),
        displacement=D,
        rotation=sparse.csr_array((3 * nv, nv)),
        radius_of_cell=np.ones(nv - 1),
    )


def system(M, K, C=None, F0=None, loads=(), con=None, q0=None, v0=None, V0=0.0, probes=(), gyro=None, cross=None):
    M, K = sparse.csr_array(np.atleast_2d(M)), sparse.csr_array(np.atleast_2d(K))
    nv = M.shape[0]
    return LinearSystem(
        M=M,
        C=sparse.csr_array((nv, nv)) if C is None else sparse.csr_array(np.atleast_2d(C)),
        K=K,
        F0=np.zeros(nv) if F0 is None else np.asarray(F0, dtype=float),
        V0=V0,
        loads=tuple(loads),
        contacts=contacts(nv) if con is None else con,
        q0=np.zeros(nv) if q0 is None else np.asarray(q0, dtype=float),
        v0=np.zeros(nv) if v0 is None else np.asarray(v0, dtype=float),
        probes=tuple(probes),
        layout=chain_layout(nv),
        gyro=None if gyro is None else sparse.csr_array(gyro),
        cross=None if cross is None else sparse.csr_array(cross),
    )


def skew(rng, n, scale=1.0):
    A = rng.normal(size=(n, n))
    return scale * (A - A.T)


def spd(rng, n, scale=1.0):
    A = rng.normal(size=(n, n))
    return scale * (A @ A.T / n + 0.3 * np.eye(n))


def random_system(seed, nv=5, nc=3, damped=True, loaded=True, moving=True, e=None, banded=False, spin=False):
    """A random system that keeps hitting its contacts; with ``spin``, gyroscopic, cross-coupled, one load a drive."""
    rng = np.random.default_rng(seed)
    M, K, C = spd(rng, nv), spd(rng, nv, 30.0), spd(rng, nv, 0.5)
    if banded:
        M, K, C = (np.triu(np.tril(A, 1), -1) + np.diag(np.abs(A).sum(1)) for A in (M, K, C))
    G = rng.normal(size=(nv, nc))
    loads = [Load(f"f{j}", rng.normal(size=nv) * 3.0, Sine(1.0, 2.0 + j, 0.3 * j, 0.5)) for j in range(2)]
    motions = (Sine(0.2, 3.0, 0.1),) if moving and nc else ()
    q0 = 0.1 * rng.normal(size=nv)
    gap = rng.uniform(0.0, 0.05, size=nc)
    coef = rng.normal(size=nc)
    motion_of = np.where(np.arange(nc) % 2 == 0, 0, -1) if motions else None
    start = coef * float(motions[0].value(0.0)) * (np.arange(nc) % 2 == 0) if motions else 0.0
    con = contacts(
        nv,
        G,
        g0=gap - G.T @ q0 - start,
        e=rng.uniform(0, 1, size=nc) if e is None else np.full(nc, e),
        motions=motions,
        motion_of=motion_of,
        motion_coef=coef if motions else None,
    )
    F0, v0 = rng.normal(size=nv), 3.0 * rng.normal(size=nv)
    probe = Probe("chain.q", "q", np.zeros(nv), sparse.csr_array(np.eye(nv)))
    skews = {}
    if spin:
        skews = {"gyro": skew(rng, nv, 2.0), "cross": skew(rng, nv, 4.0)}
        loads = [loads[0], Load("unbalance", loads[1].B, loads[1].phi, drive=True)]
    return system(
        M,
        K,
        C if damped else None,
        F0=F0,
        loads=loads if loaded else (),
        con=con,
        q0=q0,
        v0=v0,
        probes=(probe,),
        **skews,
    )


def bar_matrices(n, E=900.0, rho=1.0, A=1.0, L=10.0):
    """Linear elements, consistent mass, free-free."""
    step = L / n
    k, m = E * A / step, rho * A * step / 6
    main, off = np.full(n + 1, 2.0), np.ones(n)
    main[[0, -1]] = 1.0
    K = sparse.diags_array([-k * off, k * main, -k * off], offsets=[-1, 0, 1])
    M = sparse.diags_array([m * off, 2 * m * main, m * off], offsets=[-1, 0, 1])
    return sparse.csr_array(M), sparse.csr_array(K)


def bar_system(n=200, gap=5.0, v0=-10.0, e=0.0, **material):
    """The impacting bar, by hand: one contact at the first node."""
    M, K = bar_matrices(n, **material)
    G = np.zeros((n + 1, 1))
    G[0] = 1.0
    s = system(np.eye(1), np.eye(1))
    probe = Probe("rod.first.position", "q", np.array([gap]), sparse.csr_array(np.eye(1, n + 1)))
    con = contacts(n + 1, G, g0=[gap], e=[e])
    return LinearSystem(
        M=M,
        C=sparse.csr_array((n + 1, n + 1)),
        K=K,
        F0=np.zeros(n + 1),
        V0=0.0,
        loads=(),
        contacts=con,
        q0=np.zeros(n + 1),
        v0=np.full(n + 1, v0),
        probes=(probe,),
        layout=chain_layout(n + 1),
        dof_names=s.dof_names,
    )
