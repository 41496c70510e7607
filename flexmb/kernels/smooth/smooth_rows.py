"""A system with joints in (t, q, v), and its accelerations: M v' = load + D lam with rows G^T v' = rho.

The compiled form of ``smooth.phase_instant.PhaseInstant`` and ``smooth.phase.Phase`` without closed contacts. Rows of
joints are few here, so their Delassus matrix W = G^T M^-1 D is dense.
"""

from __future__ import annotations

from flexmb.kernels.algebra.cone_lu import lu_solve
from flexmb.kernels.compilation.jit import inner
from flexmb.kernels.compilation.stages import EVALUATE_STAGE, ask
from flexmb.kernels.geometry.rotation import tangent_inverse
from flexmb.kernels.geometry.tables import CLASSES, JOINT
from flexmb.kernels.multibody.evaluate import add_direction, along_direction, momentum, multiply, row_bias
from flexmb.kernels.multibody.machine import part
from flexmb.kernels.smooth.smooth_arrays import KINETIC, POTENTIAL, Seen, of
from flexmb.state import Array, Array2


@inner
def look_at_rows(at: int, v: Array, G: Array2, rates: Array, surface: Array) -> None:
    """Write directions, partial time derivatives and rates of the joints where the machine was placed."""
    g_t = part(at, "point.rows.g_t")
    for r in range(rates.size):
        G[r, :] = 0.0
        add_direction(at, r, 1.0, G[r])
        total = g_t[r]
        for i in range(v.size):
            total += G[r, i] * v[i]
        surface[r], rates[r] = g_t[r], total


@inner
def rows_at(at: int, t: float, q: Array, v: Array, seen: Seen) -> None:
    """Write the rows in (t, q, v)."""
    ask(part(at, "rare")[EVALUATE_STAGE], at, 0, t, 0.0, q, v, v)
    look_at_rows(at, v, seen.G, seen.rates, seen.surface)


@inner
def see(at: int, t: float, q: Array, v: Array, seen: Seen) -> None:
    """Write everything that is asked of the system in (t, q, v)."""
    ask(part(at, "rare")[EVALUATE_STAGE], at, 0, t, 0.0, q, v, v)
    momentum(at, q, v, seen.p)
    F, nj = part(at, "point.F"), seen.rates.size
    kinetic = 0.0
    for i in range(v.size):
        total = 0.0
        for c in range(CLASSES):
            if c != JOINT:
                total += F[c, i]
        seen.load[i] = total
        kinetic += 0.5 * seen.p[i] * v[i]
    for c in range(CLASSES):
        total = 0.0
        for i in range(v.size):
            total += F[c, i] * v[i]
        seen.power[c] = 0.0 if c == JOINT else total
    frames, p = part(at, "system.unknowns.frame_v"), seen.p
    for f in range(frames.size):  # omega x J omega
        i = frames[f] + 3
        seen.load[i] -= v[i + 1] * p[i + 2] - v[i + 2] * p[i + 1]
        seen.load[i + 1] -= v[i + 2] * p[i] - v[i] * p[i + 2]
        seen.load[i + 2] -= v[i] * p[i + 1] - v[i + 1] * p[i]
    seen.energies[KINETIC], seen.energies[POTENTIAL] = kinetic, part(at, "point.potential")[0]
    look_at_rows(at, v, seen.G, seen.rates, seen.surface)
    for r in range(nj):
        seen.bias[r] = row_bias(at, r, t)
    g, g_t = part(at, "point.rows.g"), part(at, "point.rows.g_t")
    for k in range(seen.g.size):
        seen.g[k] = g[nj + k]
        seen.U[k] = along_direction(at, nj + k, v) + g_t[nj + k]


@inner
def joints_at(at: int, k: int) -> float:
    """Return what row k of the joints violates on the position level, where the machine was placed."""
    return part(at, "point.rows.g")[k]


@inner
def _delassus(run: int, G: Array2, D: Array2) -> None:
    """Write X = M^-1 D and W = G^T X."""
    X, W, inverse = of(run, "scratch.X"), of(run, "scratch.W"), of(run, "inverse")
    for r in range(D.shape[0]):
        X[r, :] = 0.0
        multiply(inverse, D[r], 1.0, X[r])
    for r in range(G.shape[0]):
        for s in range(G.shape[0]):
            total = 0.0
            for i in range(G.shape[1]):
                total += G[r, i] * X[s, i]
            W[r, s] = total


@inner
def shortest(run: int, G: Array2, rho: Array, y: Array, out: Array) -> bool:
    """Write the shortest change M^-1 G y of velocities with G^T of it = rho to ``out``, and y."""
    _delassus(run, G, G)
    for r in range(y.size):
        y[r] = rho[r]
    if not lu_solve(of(run, "scratch.W"), y.size, y):
        return False
    X = of(run, "scratch.X")
    out[:] = 0.0
    for r in range(y.size):
        for i in range(out.size):
            out[i] += X[r, i] * y[r]
    return True


@inner
def accelerate(run: int, seen: Seen, G: Array2, rho: Array, a: Array, lam: Array) -> bool:
    """Write the accelerations a and forces lam of the rows, along ``seen.G``, with G^T a = rho."""
    a[:] = 0.0
    multiply(of(run, "inverse"), seen.load, 1.0, a)
    if not lam.size:
        return True
    _delassus(run, G, seen.G)
    for r in range(lam.size):
        total = rho[r]
        for i in range(a.size):
            total -= G[r, i] * a[i]
        lam[r] = total
    if not lu_solve(of(run, "scratch.W"), lam.size, lam):
        return False
    X = of(run, "scratch.X")
    for r in range(lam.size):
        for i in range(a.size):
            a[i] += X[r, i] * lam[r]
    return True


@inner
def index_one(run: int, seen: Seen, a: Array, lam: Array) -> bool:
    """Write a and lam with G^T a = -bias."""
    rho = of(run, "scratch.rho")
    for r in range(rho.size):
        rho[r] = -seen.bias[r]
    return accelerate(run, seen, seen.G, rho, a, lam)


@inner
def toward(at: int, run: int, x: Array, y: Array, out: Array) -> None:
    """Write the change of an increment x that moves its end by y, T^-1(x) y for the turn of a frame."""
    T, frames = of(run, "scratch.T"), part(at, "system.unknowns.frame_v")
    for i in range(y.size):
        out[i] = y[i]
    for f in range(frames.size):
        i = frames[f] + 3
        tangent_inverse(x[i : i + 3], T)
        for k in range(3):
            out[i + k] = T[k, 0] * y[i] + T[k, 1] * y[i + 1] + T[k, 2] * y[i + 2]
