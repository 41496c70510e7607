"""Contact problems of a step: by the Delassus matrix of a few contacts, or by the solver for many of them.

Contacts with rows beside their normals go another way, behind an address (``kernels.side_rows``).
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.arrays import ContactRows, ManyRows, SolverSettings, Tables
from flexmb.kernels.cone_problem import DRIVE_WORK
from flexmb.kernels.contact_problem import ITERATIONS, RESIDUAL, WORST
from flexmb.kernels.contact_step import solve_ggl, solve_velocity
from flexmb.kernels.jit import inner, spliced
from flexmb.kernels.ledger import T_ITERATIONS
from flexmb.kernels.side_wishes import ADD, FREE, LEVELS, RATES, ROWS, WORKS
from flexmb.kernels.stages import ask, call
from flexmb.state import Array


@inner
def _ask(jd: SolverSettings, many: ManyRows, nc: int, terms: Array) -> tuple[int, float]:
    """Solve what was written into ``many``; return the contact that failed or -1, and the residual."""
    many.answer[RESIDUAL], many.answer[WORST] = np.inf, 0.0  # should the solver not be compiled
    call(many.address[0], many.address[1], 0)
    terms[T_ITERATIONS] = many.answer[ITERATIONS]
    residual = many.answer[RESIDUAL]
    if residual <= jd.tol:
        return -1, residual
    return int(many.answer[WORST]) % nc, residual


@inner
def solve_rows(
    jd: SolverSettings, con: ContactRows, b: Array, active: Array, P: Array, terms: Array
) -> tuple[int, float]:
    """Solve 0 <= W P + b perp P >= 0 on the rows with ``active`` > 0 (``contact_step.solve_velocity``)."""
    many, nc = con.many, P.size
    if con.side.address[0] != 0:
        failed = ask(con.side.address[0], con.side.address[1], ROWS, 0.0, 0.0, b, active, P)
        terms[T_ITERATIONS] = con.side.answer[ITERATIONS]
        return failed, con.side.answer[RESIDUAL]
    if many.address[0] == 0:
        return solve_velocity(jd, con.W_v_Lam, b, active, P, terms)
    for i in range(nc):
        many.asked[i] = 1 if active[i] > 0.0 else 0
        many.b[i] = b[i] if active[i] > 0.0 else 0.0
        many.z[i] = P[i]
    failed, residual = _ask(jd, many, nc, terms)
    for i in range(nc):
        P[i] = many.z[i]
    return failed, residual


@inner
def solve_levels(
    jd: SolverSettings, h: float, con: ContactRows, g_free: Array, b_v: Array, nu: Array, Lam: Array, terms: Array
) -> tuple[int, float]:
    """Solve the joint position and velocity problem (``contact_step.solve_ggl``)."""
    many, nc = con.many, nu.size
    if con.side.address[0] != 0:
        failed = ask(con.side.address[0], con.side.address[1], LEVELS, 0.0, 0.0, g_free, b_v, nu)
        terms[T_ITERATIONS] = con.side.answer[ITERATIONS]
        return failed, con.side.answer[RESIDUAL]
    if many.address[0] == 0:
        return solve_ggl(jd, h, con, g_free, b_v, nu, Lam, terms)
    for i in range(nc):
        many.closed[i] = 1 if g_free[i] <= 0.0 else 0
        many.asked[i] = 1
        many.asked[nc + i] = many.closed[i]
        many.b[i] = g_free[i] / h
        many.b[nc + i] = b_v[i]
        many.z[i] = Lam[i]
        many.z[nc + i] = Lam[i]
    failed, residual = _ask(jd, many, nc, terms)
    for i in range(nc):
        nu[i] = h * many.z[i]
        Lam[i] = many.z[nc + i]
    return failed, residual


@spliced
def side_rates(con: ContactRows, tab: Tables, row: int, v: Array) -> None:
    """Find the rates of the rows beside the normals, if there are any, of the velocities at the time of ``row``."""
    if con.side.address[0] != 0:
        ask(con.side.address[0], con.side.address[1], RATES, 0.0, 0.0, v, v, tab.ds[row])


@spliced
def side_free(con: ContactRows, tab: Tables, row: int, v: Array, c: float, dv: Array) -> None:
    """Find their rates without impulses, of the velocities v + c dv at the time of ``row``."""
    if con.side.address[0] != 0:
        ask(con.side.address[0], con.side.address[1], FREE, 0.0, c, tab.ds[row], v, dv)


@spliced
def add_side_impulses(con: ContactRows, c: float, y: Array) -> None:
    """Add c times their impulses to a vector over the unknowns."""
    if con.side.address[0] != 0:
        ask(con.side.address[0], con.side.address[1], ADD, 0.0, c, y, y, y)


@spliced
def side_works(con: ContactRows, tab: Tables, row: int, weight: float, v: Array) -> float:
    """Find their works in the step from ``row`` on, which ended with ``v``; return what surfaces that move did, J."""
    if con.side.address[0] == 0:
        return 0.0
    ask(con.side.address[0], con.side.address[1], WORKS, weight, 0.0, tab.ds[row], v, tab.ds[row + 1])
    return con.side.answer[DRIVE_WORK]
