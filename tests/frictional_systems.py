"""Systems with friction made by hand: contacts with rows beside their normals, without case files."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import sparse
from systems import Load, Probe, Sine, contacts, system

from flexmb.system.contact_blocks import Blocks


def with_friction(con, H, mu, slides=1, drift=None):
    """Contacts ``con`` with ``slides`` tangential rows each, columns of H, and Coulomb's law."""
    nc, H = con.nc, np.asarray(H, dtype=float)
    plain = Blocks.frictionless(nc)
    friction = np.zeros((nc, 8))
    friction[:, 0] = mu
    blocks = replace(plain, slides=np.full(nc, slides, dtype=np.int64), friction=friction)
    nt = H.shape[1]
    rest = {"slide_of": np.full(nt, -1), "slide_coef": np.zeros(nt)}
    return replace(con, blocks=blocks, H=sparse.csc_array(H), drift=np.zeros(nt) if drift is None else drift, **rest)


def signals(n):
    eye = sparse.csr_array(np.eye(n))
    return [Probe("q", "q", np.zeros(n), eye), Probe("v", "v", np.zeros(n), eye)]


def pushed_block(force=0.0, mu=0.8, q0=(3.0, 0.0), v0=(0.0, 0.0), mass=1.0, slope=0.0, e=0.0):
    """A block on a table, unknowns along and across it; ``force`` cos t along, the table inclined by ``slope``."""
    con = with_friction(contacts(2, [[0.0], [1.0]], g0=[0.0], e=[e]), [[1.0], [0.0]], mu)
    loads = [Load("push", np.array([1.0, 0.0]), Sine(force, 1.0, 0.5 * np.pi))] if force else []
    F0 = 9.81 * mass * np.array([-np.sin(slope), -np.cos(slope)])
    M, K = mass * np.eye(2), np.zeros((2, 2))
    return system(M, K, F0=F0, loads=loads, con=con, q0=list(q0), v0=list(v0), probes=signals(2))


def puck(mu=0.3, v0=(1.0, 0.5), turn=0.0):
    """A point on a plane in space, unknowns x, y (in the plane), z; tangents turned by ``turn`` in the plane."""
    c, s = np.cos(turn), np.sin(turn)
    con = contacts(3, [[0.0], [0.0], [1.0]], g0=[0.0], e=[0.0])
    con = with_friction(con, [[c, -s], [s, c], [0.0, 0.0]], mu, slides=2)
    return system(np.eye(3), np.zeros((3, 3)), F0=[0.0, 0.0, -9.81], con=con, v0=[*v0, 0.0], probes=signals(3))


def carts(gamma=100.0, delta=100.0, q0=(0.1, 5.1), v0=(-2.0, -2.0), mu=0.05, e=0.3):
    """Potra et al. 2006, section 10.3: two carts of 1 kg on a floor, a spring, a damper between them, a stopper.

    Unknowns x1, y1, x2, y2; the spring is at rest at x1 = 0.2, the stopper at x1 = 0.
    """
    G = np.zeros((4, 3))
    G[0, 0] = G[1, 1] = G[3, 2] = 1.0
    H = np.zeros((4, 2))
    H[0, 0] = H[2, 1] = 1.0
    con = with_friction(contacts(4, G, g0=[0.0, 0.0, 0.0], e=[e, 0.0, 0.0]), H, [0.0, mu, mu])
    slides = np.array([0, 1, 1], dtype=np.int64)
    con = replace(con, blocks=replace(con.blocks, slides=slides))
    K, C = np.zeros((4, 4)), np.zeros((4, 4))
    K[0, 0] = gamma
    C[np.ix_([0, 2], [0, 2])] = delta * np.array([[1.0, -1.0], [-1.0, 1.0]])
    F0, V0 = [0.2 * gamma, -9.81, 0.0, -9.81], 0.5 * gamma * 0.04
    q, v = [q0[0], 0.0, q0[1], 0.0], [v0[0], 0.0, v0[1], 0.0]
    return system(np.eye(4), K, C, F0=F0, con=con, q0=q, v0=v, V0=V0, probes=signals(4))
