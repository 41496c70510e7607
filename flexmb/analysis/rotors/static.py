"""Static state of a rotor under gravity and constant loads: deflection, reactions, shear force and bending moment.

    K(W) x = F0

K includes the terms that depend on speed: bearings, cross-coupling, and internal damping of the rotating shaft.
Within an element with the weight p per length, from its stiffness k and the forces f that replace the weight,

    (Q, -M at its first end, -Q, M at its second) = k u - f,      M' = Q,  Q' = p,  M = E I v'' without shear

Internal damping b of a shaft that rotates at W resists the rotating bending strain of its fibres: u is v + b W w in the
plane of y, w - b W v in that of z. Reactions of supports are K(W) x - F0 on the unknowns they eliminate, including
constant loads, springs and bearings between bodies.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from flexmb.assembly.kinematics import Kinematics
from flexmb.errors import InputError
from flexmb.fem.shaft import ShaftElements
from flexmb.parts.bodies.rotor import Rotor
from flexmb.parts.time_functions import Constant
from flexmb.state import Array, IntArray
from flexmb.system.model import Model
from flexmb.system.rotating import HasModel, RotatingSystem, Spinning, rotating_system


@dataclass(frozen=True)
class Shaft:
    """Internal forces of one shaft, at both ends of its m elements; nan in couplings.

    Parameters
    ----------
    name : str
        The rotor.
    x : (2 m,) array
        Along the axis from its first node, m.
    shear, moment : (2 m, 2) arrays
        In the planes of the axis with y and with z: Q, N, and M, N m, with M' = Q.
    """

    name: str
    x: Array
    shear: Array
    moment: Array


@dataclass(frozen=True)
class StaticState:
    """Static state of a model with rotors.

    Parameters
    ----------
    speed : float
        rad/s.
    labels : tuple of str
        Names of all n points.
    stations : (n,) array
        Coordinates along the axis of the first rotor, m.
    deflection : (n, 2) array
        Along y and z of the first rotor, m.
    displacement : (n, 3) array
        In space, m.
    bearings : tuple of str
        Names of the bearings (including those between bodies), then of the supported nodes.
    places : (b,) int array
        Their points.
    reactions : (b, 2) array
        Forces on the shaft there, along y and z of its rotor or bearing, N.
    shafts : tuple of Shaft
    q : (nv,) array
        All unknowns.
    """

    speed: float
    labels: tuple[str, ...]
    stations: Array
    deflection: Array
    displacement: Array
    bearings: tuple[str, ...]
    places: IntArray
    reactions: Array
    shafts: tuple[Shaft, ...]
    q: Array


def static_deflection(model: Model | HasModel | RotatingSystem, speed: float | None = None) -> StaticState:
    """Return the static state under gravity, preloaded springs and constant loads, with open contacts.

    Parameters
    ----------
    model : Model or Case
    speed : float, optional
        rad/s; by default the initial speed of the model.
    """
    from scipy.sparse.linalg import splu

    system = rotating_system(model)
    if system.loose:
        message = (
            f"body '{system.loose}' is not supported, so it has no static state: add supports, bearings or springs"
        )
        raise InputError(message, where="bodies", key=system.loose)
    speed = system.speed if speed is None else float(speed)
    K = system.at(speed)[2]
    q = np.asarray(splu(K.tocsc()).solve(system.F0))
    names, places = [b.label for b in system.bearings], [b.point for b in system.bearings]
    reactions = [0.0 - b.force(speed, q, np.zeros_like(q)) for b in system.bearings]
    shafts, loads = [], _load_forces(system, q, speed)
    for rotor in system.rotors:
        body = system.bodies[rotor.name]
        if isinstance(body, Rotor):
            shafts.append(_shaft(system, rotor, body, q, speed))
            for node, force in _supports(system, rotor, body, q, speed, loads):
                names.append(f"{rotor.name}.node({node})")
                places.append(int(rotor.points[node]))
                reactions.append(force)
    return StaticState(
        speed=speed,
        labels=tuple(system.labels()),
        stations=system.stations(),
        deflection=system.orbits(q),
        displacement=system.layout.displacements(q[None])[0],
        bearings=tuple(names),
        places=np.array(places, dtype=np.int64),
        reactions=np.array(reactions).reshape(-1, 2),
        shafts=tuple(shafts),
        q=q,
    )


def end_forces(elements: ShaftElements, u: Array, p: Array) -> Array:
    """Return (Q0, -M0, -Q1, M1) of the elements in one plane, (m, 4).

    Parameters
    ----------
    elements : ShaftElements
    u : (m, 4) array
        Deflection and slope at both ends.
    p : (m,) array
        Force per length, N/m.
    """
    h, Phi = elements.h, elements.Phi
    one = np.ones_like(h)
    rows = [
        [12.0 * one, 6.0 * h, -12.0 * one, 6.0 * h],
        [6.0 * h, (4.0 + Phi) * h**2, -6.0 * h, (2.0 - Phi) * h**2],
        [-12.0 * one, -6.0 * h, 12.0 * one, -6.0 * h],
        [6.0 * h, (2.0 - Phi) * h**2, -6.0 * h, (4.0 + Phi) * h**2],
    ]
    k = np.moveaxis(np.array(rows), 2, 0) * (elements.EI / (h**3 * (1.0 + Phi)))[:, None, None]
    f = p[:, None] * np.stack([h / 2.0, h**2 / 12.0, h / 2.0, -(h**2) / 12.0], axis=1)
    return np.asarray(np.einsum("eij,ej->ei", k, u) - f)


def _shaft(system: RotatingSystem, rotor: Spinning, body: Rotor, q: Array, speed: float) -> Shaft:
    """Return the internal forces of a rotor."""
    axis, e = rotor.parts.axis, body.elements
    v = system.orbits(q, axis=axis)[rotor.points]
    t = system.orbits(q, slopes=True, axis=axis)[rotor.points]
    p = np.outer(e.rho_A, system.acceleration @ axis[:, 1:])
    u = np.stack([v[:-1], t[:-1], v[1:], t[1:]], axis=1)
    lag = body.internal_damping * rotor.ratio * speed
    u = u @ np.array([[1.0, -lag], [lag, 1.0]])
    ends = np.stack([end_forces(e, u[:, :, plane], p[:, plane]) for plane in range(2)], axis=2)
    shear, moment = ends[:, [0, 2]] * [[1.0], [-1.0]], ends[:, [1, 3]] * [[-1.0], [1.0]]
    coupling = e.EI == 0.0
    shear[coupling], moment[coupling] = np.nan, np.nan
    x = np.concatenate([[0.0], np.cumsum(e.h)])
    both = np.column_stack([x[:-1], x[1:]]).ravel()
    return Shaft(rotor.name, both, shear.reshape(-1, 2), moment.reshape(-1, 2))


def _supports(
    system: RotatingSystem, rotor: Spinning, body: Rotor, q: Array, speed: float, loads: Array
) -> list[tuple[int, Array]]:
    """Return the nodes with transverse supports and the forces on the shaft there."""
    own = np.array([name.startswith(f"{rotor.name}.node(") for name in system.dof_names])
    held, force = body.support_forces(q[own], system.acceleration, rotor.ratio * speed)
    force = force - loads[rotor.points] @ rotor.parts.axis[:, 1:]
    nodes = np.flatnonzero(held.any(axis=1)).tolist()
    return [(node, np.where(held[node], force[node], 0.0)) for node in nodes]


def _load_forces(system: RotatingSystem, q: Array, speed: float) -> Array:
    """Return the forces of all loads on all points, (n, 3), also along fixed directions.

    The loads are evaluated for unknowns that are the displacements and rotations of the points themselves.
    """
    n = 3 * len(system.layout.points)
    one, none = sparse.eye_array(n, format="csr"), sparse.csr_array((n, n))
    moves, turns = (sparse.csr_array(sparse.hstack(pair)) for pair in ((one, none), (none, one)))
    nodes = Kinematics(system.nodes.points, moves, turns, system.nodes.bodies)
    u = np.concatenate([system.layout.displacement @ q, system.layout.rotation @ q])
    ratios = {rotor.name: rotor.ratio for rotor in system.rotors}
    force = np.zeros(2 * n)
    for load in system.loads:
        term = load.terms(nodes)
        if isinstance(term.function, Constant):
            force += term.column.toarray().ravel() * term.function.level
        else:
            force -= term.column @ (term.stiffness * (term.stretch + term.column.T @ u))
        if term.rotating is not None:
            force -= term.rotating.cross @ u
            if (table := term.rotating.table) is not None:
                force -= table.placed(table.at(ratios[term.rotating.rotor] * speed)[0], 2 * n) @ u
    return np.asarray(force[:n].reshape(-1, 3))
