"""Contact problems of a step: by the Delassus matrix of a few contacts, or by the solver for many of them.

Contacts with rows beside their normals go another way, behind an address (``side_rows``). What is asked stands
in the working arrays of the run (``arrays.Scratch``). The functions return the contact that failed, or -1; the residual
is in ``Run.answer``.
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.compilation.jit import inner
from flexmb.kernels.compilation.stages import ADD, FREE, LEVELS, RATES, ROWS, WORKS, ask, call, stage
from flexmb.kernels.cones.cone_problem import DRIVE_WORK
from flexmb.kernels.index_sets.contact_problem import ITERATIONS, WORST
from flexmb.kernels.index_sets.contact_problem import RESIDUAL as LEFT
from flexmb.kernels.small_motion.arrays import RESIDUAL, part
from flexmb.kernels.small_motion.contact_step import solve_ggl, solve_velocity
from flexmb.kernels.small_motion.ledger import T_ITERATIONS
from flexmb.state import Array

FEW_CONTACTS = 0
"""Place in ``Run.rare``."""


@stage
def few_contacts(at: int, flag: int) -> int:
    """Solve the contact problem of a step by its Delassus matrix, on velocities (ROWS) or on both levels (LEVELS)."""
    w, W, settings = part(at, "scratch"), part(at, "contacts.delassus"), part(at, "settings")
    P, terms = part(at, "live.P"), part(at, "live.terms")
    if flag == LEVELS:
        failed, residual = solve_ggl(settings, part(at, "h"), W, w.g_free, w.b, w.nu, P, terms)
    else:
        failed, residual = solve_velocity(settings, W.W_v_Lam, w.b, w.active, P, terms)
    part(at, "answer")[RESIDUAL] = residual
    return failed


@inner
def _ask_few(at: int, flag: int) -> int:
    """Solve by the Delassus matrix."""
    part(at, "answer")[RESIDUAL] = np.inf  # should the stage not be compiled
    return call(part(at, "rare")[FEW_CONTACTS], at, flag)


@inner
def _ask_many(at: int) -> int:
    """Solve what was written into the arrays of the solver for many contacts."""
    many = part(at, "contacts.many")
    many.answer[LEFT], many.answer[WORST] = np.inf, 0.0  # should the solver not be compiled
    call(many.address[0], many.address[1], 0)
    part(at, "live.terms")[T_ITERATIONS] = many.answer[ITERATIONS]
    residual = many.answer[LEFT]
    part(at, "answer")[RESIDUAL] = residual
    if residual <= part(at, "settings.tol"):
        return -1
    return int(many.answer[WORST]) % part(at, "live.P").size


@inner
def _ask_sides(at: int, wish: int, x: Array, y: Array, z: Array) -> int:
    """Solve with the rows beside the normals."""
    side = part(at, "contacts.side")
    failed = ask(side.address[0], side.address[1], wish, 0.0, 0.0, x, y, z)
    part(at, "live.terms")[T_ITERATIONS] = side.answer[ITERATIONS]
    part(at, "answer")[RESIDUAL] = side.answer[LEFT]
    return failed


@inner
def solve_rows(at: int) -> int:
    """Solve 0 <= W P + b perp P >= 0 on the rows with ``active`` > 0 (``contact_step.solve_velocity``)."""
    P, b, active = part(at, "live.P"), part(at, "scratch.b"), part(at, "scratch.active")
    if P.size == 0:
        part(at, "live.terms")[T_ITERATIONS] = 0.0
        return -1
    if part(at, "contacts.side.address")[0] != 0:
        return _ask_sides(at, ROWS, b, active, P)
    many = part(at, "contacts.many")
    if many.address[0] == 0:
        return _ask_few(at, ROWS)
    for i in range(P.size):
        many.asked[i] = 1 if active[i] > 0.0 else 0
        many.b[i] = b[i] if active[i] > 0.0 else 0.0
        many.z[i] = P[i]
    failed = _ask_many(at)
    for i in range(P.size):
        P[i] = many.z[i]
    return failed


@inner
def solve_levels(at: int) -> int:
    """Solve the joint position and velocity problem (``contact_step.solve_ggl``)."""
    h, Lam, b = part(at, "h"), part(at, "live.P"), part(at, "scratch.b")
    g_free, nu = part(at, "scratch.g_free"), part(at, "scratch.nu")
    many, nc = part(at, "contacts.many"), nu.size
    if part(at, "contacts.side.address")[0] != 0:
        return _ask_sides(at, LEVELS, g_free, b, nu)
    if many.address[0] == 0:
        return _ask_few(at, LEVELS)
    for i in range(nc):
        many.closed[i] = 1 if g_free[i] <= 0.0 else 0
        many.asked[i] = 1
        many.asked[nc + i] = many.closed[i]
        many.b[i] = g_free[i] / h
        many.b[nc + i] = b[i]
        many.z[i] = Lam[i]
        many.z[nc + i] = Lam[i]
    failed = _ask_many(at)
    for i in range(nc):
        nu[i] = h * many.z[i]
        Lam[i] = many.z[nc + i]
    return failed


@inner
def side_rates(at: int, row: int) -> None:
    """Find the rates of the rows beside the normals, if there are any, of the velocities at the time of ``row``."""
    address = part(at, "contacts.side.address")
    if address[0] != 0:
        v = part(at, "live.v")
        ask(address[0], address[1], RATES, 0.0, 0.0, v, v, part(at, "tables.ds")[row])


@inner
def side_free(at: int, row: int, v: Array, c: float, dv: Array) -> None:
    """Find their rates without impulses, of the velocities v + c dv at the time of ``row``."""
    address = part(at, "contacts.side.address")
    if address[0] != 0:
        ask(address[0], address[1], FREE, 0.0, c, part(at, "tables.ds")[row], v, dv)


@inner
def add_side_impulses(at: int, c: float, y: Array) -> None:
    """Add c times their impulses to a vector over the unknowns."""
    address = part(at, "contacts.side.address")
    if address[0] != 0:
        ask(address[0], address[1], ADD, 0.0, c, y, y, y)


@inner
def side_works(at: int, row: int, weight: float, v: Array) -> float:
    """Find their works in the step from ``row`` on, which ended with ``v``; return what surfaces that move did, J."""
    side, ds = part(at, "contacts.side"), part(at, "tables.ds")
    if side.address[0] == 0:
        return 0.0
    ask(side.address[0], side.address[1], WORKS, weight, 0.0, ds[row], v, ds[row + 1])
    return side.answer[DRIVE_WORK]
