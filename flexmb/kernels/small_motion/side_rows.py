"""Rows beside the normals (tangents, rolling, spinning) in the compiled steps of small motion, behind one address.

Loops whose contacts have nothing but normals never come here: they hold an address of zero. The others call the stage
``side_step`` with one of these wishes,

    RATES    U_T of a state                                       v: velocities, p: rates of the motions
    FREE     U_T without impulses, restitution included           v, and c times p: velocities; q: rates of the motions
    ROWS     impulses of the contacts that are active             q: b of the normals, v: active
    LEVELS   impulses of both levels (GGL)                        q: gaps without impulses, v: b of the normals, p: nu
    ADD      add c H R to a vector over the unknowns              p: the vector
    WORKS    works, status and states of the laws of the step     t: weight of its end, v: velocities at its end,
                                                                  q, p: rates of the motions at its ends

with H the directions of the rows as columns and R their impulses.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import carray  # type: ignore[attr-defined]

from flexmb.kernels.compilation.arrays_at import arrays_at
from flexmb.kernels.compilation.jit import inner
from flexmb.kernels.compilation.pointers import floats
from flexmb.kernels.compilation.stages import ADD, FREE, LEVELS, RATES, ROWS, asked, call
from flexmb.kernels.cones.cone_problem import DRIVE_WORK, RESIDUAL, STEP, TOLERANCE, WORST, Cones
from flexmb.kernels.laws.friction_law import falling_share, friction_coefficient, state_after
from flexmb.kernels.laws.friction_record import FALLING, R_T, RATE_T, ROLLING, SLIDING, STATUS, SURFACE
from flexmb.kernels.laws.friction_status import SLIP, write_status
from flexmb.kernels.laws.law_codes import THETA
from flexmb.state import Array, Array2, IntArray

NV, MOTIONS = 0, 1
"""Places in ``Sides.size``: unknowns, and prescribed motions."""


class Sides(NamedTuple):
    """The rows beside the normals, their data from step to step, and the contact problem.

    Parameters
    ----------
    size : (2,) int array
    ptr, idx, val
        H^T by rows.
    start : (nc + 1,) int array
        First row of each contact, and the end.
    slides : (nc,) int array
        How many of them are tangents; those that roll and spin follow.
    slide_of, slide_coef, drift : (nt,)
        Motions of surfaces, see ``system.linear_system.Contacts``.
    e_T : (nc,) array
        Tangential restitution.
    friction : (nc, 8) array
        Numbers of the laws of friction (``kernels.laws.friction_law``).
    states : (STATES, nc) array
        States of the laws.
    mu : (nc,) array
        Coefficients of the step.
    response : (nc,) array
        Mean velocity of the tangents per unit of their impulse.
    P : (nc,) array
        Impulses of the normals: those of the loop.
    beside, laws
        See ``kernels.laws.friction_record``: those of the loop.
    free : (nt,) array
        U_T without impulses, restitution included.
    cones : Cones
    solver : (2,) int array
        Address of the solver of ``cones``, and that of its arrays.
    """

    size: IntArray
    ptr: IntArray
    idx: IntArray
    val: Array
    start: IntArray
    slides: IntArray
    slide_of: IntArray
    slide_coef: Array
    drift: Array
    e_T: Array
    friction: Array2
    states: Array2
    mu: Array
    response: Array
    P: Array
    beside: Array2
    laws: Array2
    free: Array
    cones: Cones
    solver: IntArray


_arrays: Any = arrays_at(Sides)


@inner
def _row(s: Sides, k: int, x: Array) -> float:
    """Return row k times ``x``."""
    total = 0.0
    for e in range(s.ptr[k], s.ptr[k + 1]):
        total += s.val[e] * x[s.idx[e]]
    return total


@inner
def _surface(s: Sides, k: int, rates: Array) -> float:
    """Return the contribution of the surface to the rate of row k."""
    m = s.slide_of[k]
    return s.drift[k] + (s.slide_coef[k] * rates[m] if m >= 0 else 0.0)


@inner
def _free(s: Sides, rates: Array, v: Array, c: float, dv: Array) -> None:
    """Write the array ``free``."""
    for i in range(s.P.size):
        for k in range(s.start[i], s.start[i + 1]):
            U = _row(s, k, v) + (c * _row(s, k, dv) if c != 0.0 else 0.0) + _surface(s, k, rates)
            s.free[k] = U + (s.e_T[i] * s.beside[RATE_T, k] if k < s.start[i] + s.slides[i] else 0.0)


@inner
def _speed(s: Sides, i: int) -> float:
    """Return the slip speed of contact i at the start of the step."""
    square = 0.0
    for k in range(s.start[i], s.start[i] + s.slides[i]):
        square += s.beside[RATE_T, k] * s.beside[RATE_T, k]
    return np.sqrt(square)


@inner
def _state_problem(s: Sides, b: Array) -> int:
    """Write laws, right-hand sides and guesses of the blocks of velocities; return how many blocks stand before."""
    c, nc = s.cones, s.P.size
    before = c.asked.size - nc
    for i in range(nc):
        s.mu[i] = friction_coefficient(s.friction[i], _speed(s, i), s.states[THETA, i])
        c.law[before + i, 0] = s.mu[i]
        at = c.first[before + i]
        c.b[at] = b[i]
        c.z[at] = s.P[i]
        for k in range(s.start[i], s.start[i + 1]):
            at += 1
            c.b[at] = s.free[k]
            c.z[at] = s.beside[R_T, k]
    return before


@inner
def _solve(s: Sides, before: int) -> int:
    """Ask the solver, read the impulses of the blocks of velocities; return the contact that failed, or -1."""
    c, nc = s.cones, s.P.size
    c.answer[RESIDUAL], c.answer[WORST] = np.inf, 0.0  # should the solver not be compiled
    call(s.solver[0], s.solver[1], 0)
    for i in range(nc):
        at = c.first[before + i]
        s.P[i] = c.z[at]
        for k in range(s.start[i], s.start[i + 1]):
            at += 1
            s.beside[R_T, k] = c.z[at]
    if c.answer[RESIDUAL] <= c.setting[TOLERANCE]:
        return -1
    return max(0, int(c.answer[WORST])) % nc


@inner
def _levels(s: Sides, g_free: Array, b: Array, nu: Array) -> int:
    """Solve the problem of both levels; gaps are divided by h."""
    c, nc = s.cones, s.P.size
    before = _state_problem(s, b)
    for i in range(nc):
        c.closed[i] = 1 if g_free[i] <= 0.0 else 0
        c.asked[i] = 1
        c.asked[nc + i] = c.closed[i]
        c.b[i] = g_free[i] / c.setting[STEP]
        c.z[i] = s.P[i]
    failed = _solve(s, before)
    for i in range(nc):
        nu[i] = c.setting[STEP] * c.z[i]
    return failed


@inner
def _works(s: Sides, weight: float, before: Array, v: Array, after: Array) -> None:
    """Fill the works and the status of the step, update the states of the laws, and record the work of the surfaces."""
    drive = 0.0
    for i in range(s.P.size):
        works = 0.0
        for k in range(s.start[i], s.start[i + 1]):
            if k == s.start[i] + s.slides[i]:
                s.laws[SLIDING, i] = works
                works = 0.0
            R = s.beside[R_T, k]
            if R != 0.0:
                end = _surface(s, k, after)
                works += (weight * (_row(s, k, v) + end) + (1.0 - weight) * s.beside[RATE_T, k]) * R
                given = weight * end + (1.0 - weight) * _surface(s, k, before)
                s.laws[SURFACE, i] -= given * R
                drive -= given * R
        slides_only = s.start[i + 1] == s.start[i] + s.slides[i]
        if slides_only:
            s.laws[SLIDING, i] = works
        s.laws[ROLLING, i] = 0.0 if slides_only else works
        speed, theta, h = _speed(s, i), s.states[THETA, i], s.cones.setting[STEP]
        s.laws[FALLING, i] = falling_share(s.friction[i], speed, theta, h, s.response[i], s.P[i])
        s.states[THETA, i] = state_after(s.friction[i], speed, theta, h)
    s.cones.answer[DRIVE_WORK] = drive
    write_status(s.P, s.beside[R_T], s.start, s.slides, s.mu, s.laws[STATUS])
    for i in range(s.P.size):
        if s.laws[STATUS, i] != SLIP:
            s.laws[FALLING, i] = 0.0


@asked
def side_step(at: int, flag: int, t: float, c: float, q: int, v: int, p: int) -> int:
    """Do one of the things above; return the contact that failed, or -1."""
    s = _arrays(at)
    nv, motions, nc = (s.size[NV],), (s.size[MOTIONS],), (s.P.size,)
    if flag == RATES:
        x, rates = carray(floats(v), nv), carray(floats(p), motions)
        for k in range(s.drift.size):
            s.beside[RATE_T, k] = _row(s, k, x) + _surface(s, k, rates)
    elif flag == FREE:
        _free(s, carray(floats(q), motions), carray(floats(v), nv), c, carray(floats(p), nv))
    elif flag == ROWS:
        active = carray(floats(v), nc)
        before = _state_problem(s, carray(floats(q), nc))
        for i in range(s.P.size):
            s.cones.asked[i] = 1 if active[i] > 0.0 else 0
        return _solve(s, before)
    elif flag == LEVELS:
        return _levels(s, carray(floats(q), nc), carray(floats(v), nc), carray(floats(p), nc))
    elif flag == ADD:
        y = carray(floats(p), nv)
        for k in range(s.drift.size):
            if s.beside[R_T, k] != 0.0:
                for e in range(s.ptr[k], s.ptr[k + 1]):
                    y[s.idx[e]] += c * s.beside[R_T, k] * s.val[e]
    else:
        _works(s, t, carray(floats(q), motions), carray(floats(v), nv), carray(floats(p), motions))
    return -1
