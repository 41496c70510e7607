"""Stages for kinds of bodies that only some systems have: floating bodies, geometrically exact beams, rotors.

A run compiles only those it needs, and an edit of one of them does not recompile the others.
"""

from __future__ import annotations

from numba import carray  # type: ignore[attr-defined]

from flexmb.kernels.compilation.pointers import floats
from flexmb.kernels.compilation.stages import FORCES, MOMENTUM, asked
from flexmb.kernels.multibody import exact_beam, floating, spin
from flexmb.kernels.multibody.machine import part
from flexmb.kernels.multibody.multibody import T_FIRST


@asked
def floating_stage(at: int, flag: int, t: float, c1: float, q_at: int, v_at: int, p_at: int) -> int:
    """Add the contributions of floating bodies in (q, v): forces and energy, or the momentum p, or tangents by c1."""
    nv = part(at, "motion.vec").shape[1]
    q, v, p = carray(floats(q_at), part(at, "motion.q").size), carray(floats(v_at), nv), carray(floats(p_at), nv)
    bodies, A, scratch = part(at, "system.floating"), part(at, "point.A_floating"), part(at, "scratch")
    if flag == FORCES:
        part(at, "point.potential")[0] += floating.forces(bodies, A, q, v, part(at, "point.F"), scratch)
        return 0
    if flag == MOMENTUM:
        floating.momentum(bodies, A, v, q, p, scratch)
        return 0
    local, mats, scatter = part(at, "work.local"), part(at, "mats"), part(at, "scatter")
    M, N, K, C = local[0], local[1], local[2], local[3]
    for b in range(bodies.modes.size):
        n = 6 + bodies.modes[b]
        floating.tangents(bodies, b, A, q, v, M, N, K, C, part(at, "work.small"))
        place = scatter.floating_ptr[b]
        for i in range(n):
            for j in range(n):
                pos = scatter.floating_pos[place]
                mats.M[pos] += M[i, j]
                mats.D[pos] += N[i, j] + c1 * K[i, j]
                mats.C[pos] += c1 * C[i, j]
                place += 1
    return 0


@asked
def beams_stage(at: int, flag: int, t: float, c1: float, q_at: int, v_at: int, p_at: int) -> int:
    """Add the contributions of exact beams at the current markers: wrenches and energy, or tangents."""
    beams, state = part(at, "system.beams"), part(at, "point.markers")
    if flag == FORCES:
        part(at, "point.potential")[0] += exact_beam.beams(beams, state, part(at, "scratch"))
    else:
        K6, C6 = part(at, "work.blocks.K6"), part(at, "work.blocks.C6")
        exact_beam.beams_tangent(beams, state, K6, C6, part(at, "work.small"))
    return 0


@asked
def rotors_stage(at: int, flag: int, t: float, c1: float, q_at: int, v_at: int, p_at: int) -> int:
    """Add the contributions of rotors in (t, q, v): forces and energy, or the momentum p, or tangents by c1."""
    nv = part(at, "motion.vec").shape[1]
    q, v, p = carray(floats(q_at), part(at, "motion.q").size), carray(floats(v_at), nv), carray(floats(p_at), nv)
    rotors, functions, q_of_v = (
        part(at, "system.rotors"),
        part(at, "system.functions"),
        part(at, "system.linear.q_of_v"),
    )
    if flag == FORCES:
        first = max(t, part(at, "step")[T_FIRST])
        F = part(at, "point.F")
        part(at, "point.potential")[0] += spin.forces(rotors, functions, q_of_v, t, first, q, v, F)
    elif flag == MOMENTUM:
        spin.momentum(rotors, q_of_v, q, v, p)
    else:
        mats, scatter = part(at, "mats"), part(at, "scatter")
        spin.tangents(
            rotors, functions, q_of_v, scatter.rotor_pos, scatter.spin_pos, t, q, v, c1, mats.M, mats.C, mats.D
        )
    return 0
