"""Explicit and half-explicit Runge-Kutta steps between events, compiled: many steps of a system with joints at a time.

The steps are those of ``smooth.explicit_steps``, their works those of ``smooth.works``, their sizes those of
``drive.events.step_control``, and what follows a step is what ``drive.events.motion`` does; the tests compare both. A
step in which a contact may close is left to the driver: it is not taken here.
"""

from __future__ import annotations

import math

from flexmb.kernels.compilation.jit import inner
from flexmb.kernels.compilation.stages import asked
from flexmb.kernels.geometry.tables import CONSERVATIVE, CROSS, DAMPING, DRIVE, EXTERNAL, INERTIA
from flexmb.kernels.multibody.evaluate import advance, copy, multiply
from flexmb.kernels.multibody.machine import part
from flexmb.kernels.small_motion.ledger import (
    T_CROSS,
    T_DAMPING,
    T_DRIVE,
    T_EXTERNAL,
    T_NUMERICAL,
    T_PROJECTED,
    T_SPIN,
    add_to_ledger,
)
from flexmb.kernels.smooth.smooth_arrays import (
    AFRESH,
    CARRIES,
    END,
    EVALUATIONS,
    KINETIC,
    LENGTH,
    LOOK,
    LOOK_AROUND,
    PAUSE,
    POSITIONS,
    POTENTIAL,
    POWER,
    PROJECTION_WORK,
    PROJECTIONS,
    REACHED,
    REJECTED,
    SECOND,
    SHORTEST,
    SOLVES,
    STEPS,
    TOLERANCE,
    VELOCITIES,
    WANTED,
    Seen,
    Smooth,
    T,
    of,
)
from flexmb.kernels.smooth.smooth_rows import accelerate, index_one, joints_at, rows_at, see, shortest, toward
from flexmb.state import Array

MANY = 1000
"""Number of steps after which the driver is asked for leave."""
LARGEST, SMALLEST, SAFETY = 5.0, 0.2, 0.9
FAR = 2.0
"""Factor on the largest change of a gap in a step, below which a contact may close."""
ROUNDS = 6
"""Maximum number of Newton iterations of a projection."""


@inner
def combine(weights: Array, rows: Array, n: int, h: float, out: Array) -> None:
    """Write h sum_{j < n} weights_j rows_j to ``out``."""
    out[:] = 0.0
    for j in range(n):
        if weights[j] != 0.0:
            for i in range(out.size):
                out[i] += h * weights[j] * rows[j, i]


@inner
def _book_stage(run: int, seen: Seen, weight: float, i: int) -> None:
    """Add the works of stage i, h b_i = weight, to the terms of the step."""
    terms, violated, lam = of(run, "stages.terms"), of(run, "stages.violated"), of(run, "stages.lam")
    terms[T_EXTERNAL] += weight * seen.power[EXTERNAL]
    terms[T_DRIVE] += weight * seen.power[DRIVE]
    terms[T_SPIN] += weight * seen.power[DRIVE]
    terms[T_DAMPING] += weight * seen.power[DAMPING]
    terms[T_CROSS] += weight * seen.power[CROSS]
    terms[T_NUMERICAL] += weight * (seen.power[CONSERVATIVE] + seen.power[INERTIA])
    for r in range(lam.shape[1]):
        terms[T_DRIVE] -= weight * seen.surface[r] * lam[i, r]
        violated[0] += weight * seen.rates[r] * lam[i, r]


@inner
def _stage(at: int, run: int, i: int, h: float) -> bool:
    """Write the rate of the increment, the acceleration and the forces of the joints of stage i."""
    method, stages, s = of(run, "method"), of(run, "stages"), of(run, "scratch")
    now, numbers, counts = of(run, "now"), of(run, "numbers"), of(run, "counts")
    half = method.bar.size > 0 and stages.lam.shape[1] > 0
    seen = of(run, "start") if i == 0 else of(run, "stage")
    if i == 0:
        copy(now.v, s.V)
        copy(now.v, stages.K[0])
        if numbers[CARRIES] > 0.0 or not half:
            copy(now.a, stages.A[0])
            copy(now.lam, stages.lam[0])
            return True
    else:
        combine(method.A[i], stages.K, i, h, s.x)
        combine(method.A[i], stages.A, i, h, s.V)
        for k in range(s.V.size):
            s.V[k] += now.v[k]
        advance(part(at, "system.unknowns"), now.q, s.x, s.q)
        see(at, numbers[T] + method.c[i] * h, s.q, s.V, seen)
        counts[EVALUATIONS] += 1.0
        toward(at, run, s.x, s.V, stages.K[i])
    counts[SOLVES] += 1.0
    if not half:
        return index_one(run, seen, stages.A[i], stages.lam[i])
    weights = method.bar[i]
    combine(weights, stages.K, i + 1, h, s.x)
    advance(part(at, "system.unknowns"), now.q, s.x, s.q)
    rows = of(run, "final")  # of the end of the step, which is not known yet
    rows_at(at, numbers[T] + method.bar_c[i] * h, s.q, s.V, rows)
    counts[EVALUATIONS] += 1.0
    combine(weights, stages.A, i, h, s.known)
    for r in range(s.rho.size):
        total = rows.surface[r]
        for k in range(s.known.size):
            total += rows.G[r, k] * (now.v[k] + s.known[k])
        s.rho[r] = -total / (h * weights[i])
    return accelerate(run, seen, rows.G, s.rho, stages.A[i], stages.lam[i])


@inner
def _step(at: int, run: int, h: float, t_1: float) -> bool:
    """Take a step of h that ends at t_1: ``end``, ``final``, the stages and the works; False where it fails."""
    method, stages, s = of(run, "method"), of(run, "stages"), of(run, "scratch")
    now, end, start, final, dq = of(run, "now"), of(run, "end"), of(run, "start"), of(run, "final"), of(run, "dq")
    counts, n = of(run, "counts"), method.b.size
    stages.terms[:] = 0.0
    stages.violated[0] = 0.0
    for i in range(n):
        if not _stage(at, run, i, h):
            return False
        if method.b[i] != 0.0:
            _book_stage(run, start if i == 0 else of(run, "stage"), h * method.b[i], i)
    combine(method.b, stages.K, n, h, dq)
    combine(method.b, stages.A, n, h, end.v)
    for k in range(end.v.size):
        end.v[k] += now.v[k]
    advance(part(at, "system.unknowns"), now.q, dq, end.q)
    see(at, t_1, end.q, end.v, final)
    counts[EVALUATIONS] += 1.0
    counts[SOLVES] += 1.0
    if not index_one(run, final, end.a, end.lam):
        return False
    toward(at, run, dq, end.v, stages.K[n])
    copy(end.a, stages.A[n])
    own = final.energies[POTENTIAL] - start.energies[POTENTIAL] + stages.violated[0]
    for j in range(n):
        s.x[:] = 0.0
        multiply(of(run, "M"), stages.A[j], 1.0, s.x)
        for i in range(n):
            if method.defect[i, j] != 0.0:
                total = 0.0
                for k in range(s.x.size):
                    total += stages.A[i, k] * s.x[k]
                own -= 0.5 * h * h * method.defect[i, j] * total
    stages.terms[T_NUMERICAL] += own
    total = 0.0
    for k in range(end.v.size):
        total += end.v[k] + end.a[k]
    return math.isfinite(total)


@inner
def _norm(at: int, run: int, end: Smooth, weights: Array, h: float) -> float:
    """Return the rms over (q, v) of x / (1 + |y|) of an estimate of the local error."""
    stages, s, place = of(run, "stages"), of(run, "scratch"), part(at, "system.linear.q_of_v")
    combine(weights, stages.K, weights.size, h, s.x)
    combine(weights, stages.A, weights.size, h, s.V)
    total = 0.0
    for i in range(s.x.size):
        size = abs(end.q[place[i]]) if place[i] >= 0 else 0.0
        e_q, e_v = s.x[i] / (1.0 + size), s.V[i] / (1.0 + abs(end.v[i]))
        total += e_q * e_q + e_v * e_v
    return math.sqrt(total / (2 * s.x.size))


@inner
def _error(at: int, run: int, h: float) -> float:
    """Return the estimate of the local error of the step."""
    errors, end, second = of(run, "method.errors"), of(run, "end"), of(run, "numbers")[SECOND]
    one = _norm(at, run, end, errors[0], h)
    if second == 0.0:
        return one
    two = _norm(at, run, end, errors[1], h)
    return one * one / (one + second * two) if one > 0.0 else 0.0


@inner
def _grown(run: int, err: float) -> float:
    """Return the factor by which the next step is longer."""
    numbers = of(run, "numbers")
    if err <= 0.0:
        return LARGEST
    return min(LARGEST, max(SMALLEST, SAFETY * (numbers[TOLERANCE] / err) ** (1.0 / numbers[POWER])))


@inner
def _may_close(run: int, h: float) -> bool:
    """Tell whether a contact may close in the step."""
    start, final = of(run, "start"), of(run, "final")
    for k in range(start.g.size):
        speed = max(abs(start.U[k]), abs(final.U[k])) + abs(final.U[k] - start.U[k])
        if final.g[k] <= 0.0 or start.g[k] + final.g[k] <= FAR * h * speed:
            return True
    return False


@inner
def _arrive(at: int, run: int) -> None:
    """Make the end of the step the state of the motion; angles are continued from it."""
    now, end, theta, turn = (
        of(run, "now"),
        of(run, "end"),
        part(at, "point.angles.theta"),
        part(at, "point.angles.turn"),
    )
    copy(end.q, now.q)
    copy(end.v, now.v)
    copy(end.a, now.a)
    copy(end.lam, now.lam)
    start, final = of(run, "start"), of(run, "final")
    copy(final.load, start.load)
    copy(final.p, start.p)
    for r in range(final.rates.size):
        copy(final.G[r], start.G[r])
    copy(final.rates, start.rates)
    copy(final.surface, start.surface)
    copy(final.bias, start.bias)
    copy(final.power, start.power)
    copy(final.energies, start.energies)
    copy(final.g, start.g)
    copy(final.U, start.U)
    copy(theta, turn)


@inner
def _largest(x: Array) -> float:
    largest = 0.0
    for i in range(x.size):
        largest = max(largest, abs(x[i]))
    return largest


@inner
def _off(at: int, nj: int) -> float:
    """Return the largest violation of the joints on the position level, where the machine was placed."""
    largest = 0.0
    for r in range(nj):
        largest = max(largest, abs(joints_at(at, r)))
    return largest


@inner
def _project(at: int, run: int) -> bool:
    """Bring the state, where the machine was placed, back to the joints if it is visibly off.

    Returns whether the accelerations there are unique.

    M dq = G Lam with g(q (+) dq) = 0 by Newton's method, and M dv = G Lam with G^T (v + dv) + g_t = 0.
    """
    numbers, s, end, final, counts = (
        of(run, "numbers"),
        of(run, "scratch"),
        of(run, "end"),
        of(run, "final"),
        of(run, "counts"),
    )
    nj, length, t = final.rates.size, numbers[LENGTH], numbers[T]
    off = numbers[POSITIONS] > 0.0 and _off(at, nj) > 1e-13 * length
    fast = numbers[VELOCITIES] > 0.0 and _largest(final.rates) > 1e-12 * _largest(end.v)
    if not (off or fast):
        return True
    before, last = final.energies[KINETIC] + final.energies[POTENTIAL], math.inf
    for _ in range(ROUNDS if off else 0):
        size = _off(at, nj)
        if size <= 1e-15 * length or size >= 0.5 * last:
            break
        last = size
        for r in range(nj):
            s.rho[r] = -joints_at(at, r)
        if not shortest(run, final.G, s.rho, end.lam, s.x):
            break
        advance(part(at, "system.unknowns"), end.q, s.x, s.q)
        copy(s.q, end.q)
        see(at, t, end.q, end.v, final)
    if numbers[VELOCITIES] > 0.0:
        for r in range(nj):
            s.rho[r] = -final.rates[r]
        if shortest(run, final.G, s.rho, end.lam, s.x):
            for i in range(end.v.size):
                end.v[i] += s.x[i]
    see(at, t, end.q, end.v, final)
    unique = index_one(run, final, end.a, end.lam)
    change = final.energies[KINETIC] + final.energies[POTENTIAL] - before
    counts[SOLVES] += 1.0
    counts[EVALUATIONS] += 1.0
    counts[PROJECTIONS] += 1.0
    counts[PROJECTION_WORK] += change
    terms = of(run, "stages.terms")
    terms[:] = 0.0
    terms[T_PROJECTED] = change
    _book(run)
    return unique


@inner
def _book(run: int) -> None:
    """Book the terms in the ledger, with the gaps that were left."""
    none, numbers = of(run, "none"), of(run, "numbers")
    add_to_ledger(
        of(run, "ledger"), of(run, "stages.terms"), none, none, of(run, "laws"), of(run, "response"),
        of(run, "final.g"), numbers[T],
    )  # fmt: skip


@inner
def _at_surface(run: int) -> bool:
    """Tell whether a contact stands at its surface."""
    g, close = of(run, "final.g"), of(run, "close")
    stands = False
    for k in range(g.size):
        stands = stands or g[k] <= close[k]
    return stands


@inner
def march(at: int, run: int) -> int:
    """Take steps up to the time END, or until the driver is needed; return what the loop ended with."""
    numbers, counts = of(run, "numbers"), of(run, "counts")
    see(at, numbers[T], of(run, "now.q"), of(run, "now.v"), of(run, "start"))
    for _ in range(MANY):
        t = numbers[T]
        rest = numbers[END] - t
        h = rest
        if numbers[TOLERANCE] > 0.0:
            h = min(rest, numbers[WANTED])
            if 0.0 < rest - h < h:
                h = 0.5 * rest
        if rest <= numbers[SHORTEST] or h <= 16.0 * 2.220446049250313e-16 * abs(t):
            return REACHED if rest <= 0.0 else LOOK
        t_1 = numbers[END] if h == rest else t + h
        solves, evaluations = counts[SOLVES], counts[EVALUATIONS]
        if not _step(at, run, h, t_1):
            counts[SOLVES], counts[EVALUATIONS] = solves, evaluations
            return LOOK
        if numbers[TOLERANCE] > 0.0:
            err = _error(at, run, h)
            grown = _grown(run, err)
            if not err <= numbers[TOLERANCE]:
                counts[REJECTED] += 1.0
                numbers[WANTED] = h * min(grown, 0.9)
                continue
            if _may_close(run, h):
                counts[SOLVES], counts[EVALUATIONS] = solves, evaluations
                return LOOK
            numbers[WANTED] = max(h * grown, numbers[WANTED] if h < 0.9 * numbers[WANTED] else 0.0)
        elif _may_close(run, h):
            counts[SOLVES], counts[EVALUATIONS] = solves, evaluations
            return LOOK
        numbers[T] = t_1
        counts[STEPS] += 1.0
        _book(run)
        unique = _project(at, run)
        _arrive(at, run)
        if not unique:
            return AFRESH
        if _at_surface(run):
            return LOOK_AROUND
    return PAUSE


@inner
def single(at: int, run: int, h: float) -> int:
    """Take one step of h from ``now`` to ``end``, which is neither booked nor accepted; LOOK where it fails."""
    t = of(run, "numbers")[T]
    see(at, t, of(run, "now.q"), of(run, "now.v"), of(run, "start"))
    return REACHED if _step(at, run, h, t + h) else LOOK


@asked
def march_stage(at: int, flag: int, t: float, c: float, run: int, v_at: int, p_at: int) -> int:
    """Do what ``march`` says, or with the flag ``single`` for a step of c, with the arrays at the address ``run``."""
    return single(at, run, c) if flag else march(at, run)
