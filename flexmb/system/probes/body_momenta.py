"""Momentum, angular momentum, centre of mass and kinetic energy of a body, for many states."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse

from flexmb.assembly.markers import BodyInfo
from flexmb.errors import InputError
from flexmb.kernels.geometry.tables import FLOATING, NODE, PLANAR
from flexmb.linalg.batched_rows import row_product, row_sum
from flexmb.linalg.quaternions import turned
from flexmb.state import Array
from flexmb.system.layout import carriers_of
from flexmb.system.probes.moving import MovingSystem

BODY_QUANTITIES = ("momentum", "angular_momentum", "center_of_mass", "kinetic_energy")
"""Signals of a body."""

Function = Callable[[Array, Array], Array]
"""q (k, nq), v (k, nv) -> (k, 3) or (k,)."""


def body_quantity(name: str, info: BodyInfo, quantity: str, system: MovingSystem) -> tuple[int, Function]:
    """Return the number of columns and the function of a quantity of a body; ``name`` is that of the signal."""
    if quantity == "kinetic_energy":
        return 1, lambda q, v: 0.5 * row_sum((v * _momenta(system, q, v))[:, info.unknowns])
    if quantity == "momentum":
        return 3, _momentum(info, system)
    return 3, (_angular_momentum if quantity == "angular_momentum" else _center_of_mass)(name, info, system)


def _momenta(system: MovingSystem, q: Array, v: Array) -> Array:
    """Return M(q) v of all states, (k, nv)."""
    return np.array([system.momentum(q_k, v_k) for q_k, v_k in zip(q, v, strict=True)]).reshape(len(q), system.nv)


def _momentum(info: BodyInfo, system: MovingSystem) -> Function:
    if info.momentum_map is not None:
        B = info.momentum_map
        return lambda q, v: row_product(v[:, info.unknowns], B)

    def sums(q: Array, v: Array) -> Array:
        p = np.column_stack([_momenta(system, q, v), np.zeros(len(q))])  # row -1 is empty
        return row_sum(p[:, info.momentum_rows])

    return sums


def _angular_momentum(name: str, info: BodyInfo, system: MovingSystem) -> Function:
    """Return the angular momentum about the origin of space."""
    kind = info.nodes[0].kind
    if kind == NODE:
        return _of_particle(name, info, system)
    if kind == PLANAR:
        iq, iv, height = info.nodes[0].iq, info.nodes[0].iv, _height(info)

        def planar(q: Array, v: Array) -> Array:
            p = _momenta(system, q, v)[:, iv : iv + 3]
            x = np.column_stack([q[:, iq], q[:, iq + 1], np.full(len(q), height)])
            moving = np.column_stack([p[:, :2], np.zeros(len(q))])
            return np.asarray(np.cross(x, moving) + p[:, 2:] * [0.0, 0.0, 1.0])

        return planar
    frames = sorted({(place.iq, place.iv) for place in info.nodes})

    def framed(q: Array, v: Array) -> Array:
        p, total = _momenta(system, q, v), np.zeros((len(q), 3))
        for iq, iv in frames:
            total += np.cross(q[:, iq : iq + 3], p[:, iv : iv + 3])
            total += turned(q[:, iq + 3 : iq + 7], p[:, iv + 3 : iv + 6])
        return total

    return framed


def _of_particle(name: str, info: BodyInfo, system: MovingSystem) -> Function:
    if not info.single:
        # small displacements define no rotation of the body as a whole
        able = [quantity for quantity in BODY_QUANTITIES if quantity != "angular_momentum"]
        message = f"bodies of small displacement have no angular momentum; '{info.name}' has {', '.join(able)}"
        raise InputError(message, where="output", key="signals", value=name)
    place = info.nodes[0]
    carrier = carriers_of([place], system.q0, system.nv)
    D = place.D[:, :3].T
    return lambda q, v: np.cross(carrier.positions(q)[:, 0], row_product(_momenta(system, q, v)[:, place.dof], D))


def _center_of_mass(name: str, info: BodyInfo, system: MovingSystem) -> Function:
    kind = info.nodes[0].kind
    if kind == FLOATING:
        return _floating_center(info, system)
    q_of_v = system.tables.linear.q_of_v
    if kind == NODE:
        if info.center is None or info.momentum_map is None:
            message = f"the center of mass of '{info.name}' is not known"
            raise InputError(message, where="output", key="signals", value=name)
        own, shift, start = q_of_v[info.unknowns], info.momentum_map / info.mass, info.center
        return lambda q, v: start + row_product(q[:, own], shift)
    # the momentum is W x' with the positions x as unknowns, so the centre is W x / mass
    M = system.tables.linear.M
    rows = sparse.csr_array((M.val, M.col, M.ptr), shape=(system.nv, system.nv))
    W = np.zeros((3, system.q0.size))
    for axis in range(3):
        used = info.momentum_rows[:, axis]
        weight = np.asarray(rows[used[used >= 0]].sum(axis=0)).ravel() / info.mass
        np.add.at(W[axis], q_of_v[q_of_v >= 0], weight[q_of_v >= 0])
    height = np.array([0.0, 0.0, _height(info) if kind == PLANAR else 0.0])
    return lambda q, v: row_product(q, W) + height


def _floating_center(info: BodyInfo, system: MovingSystem) -> Function:
    """Return x + A c(eta); mass times c is a block of the mass matrix, linear in the modes."""
    floating, iq = system.tables.floating, info.nodes[0].iq
    b = int(np.flatnonzero(floating.frame_q == iq)[0])
    first, count, data = int(floating.mode_q[b]), int(floating.modes[b]), int(floating.m1[b])
    cross, mass = -floating.rr0[b, :3, 3:], float(floating.rr0[b, 0, 0])
    start = np.array([cross[2, 1], cross[0, 2], cross[1, 0]]) / mass
    modes = floating.rf0[data : data + count, :3] / mass

    def center(q: Array, v: Array) -> Array:
        c = start + row_product(q[:, first : first + count], modes.T)
        return np.asarray(q[:, iq : iq + 3] + turned(q[:, iq + 3 : iq + 7], c))

    return center


def _height(info: BodyInfo) -> float:
    """Return the constant z of a planar body's centre of mass, m."""
    return float((info.attach or info.nodes[0]).position[2])
