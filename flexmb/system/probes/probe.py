"""Signals of systems in large motion by name, evaluated for many states at once after the steps.

A place has ``position``, ``velocity``, ``displacement``, ``rotation``, ``angular_velocity`` and ``orientation`` (unit
quaternion): ``crank.position``, ``crank.tip.velocity``, ``rod.node(3).orientation``. A body has ``momentum``,
``angular_momentum`` (about the origin of space), ``center_of_mass`` and ``kinetic_energy``; a floating one ``modes``
and ``mode(0)``, a rotor ``spin_speed`` and ``spin_angle``. A joint has ``joints.hinge.angle`` and ``angle_rate``, a
circular clearance ``contacts.rub.tangential_velocity``. Velocities, momenta and rotations are in space.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from flexmb.assembly.markers import BodyInfo, SpinInfo, find_markers
from flexmb.checks.values import nearest
from flexmb.errors import InputError
from flexmb.kernels.geometry.tables import CLEARANCE, FLOATING, FRAME, PLANAR
from flexmb.parts.bodies.signals import usual_nodes
from flexmb.state import Array
from flexmb.system.layout import Carriers, carriers_of
from flexmb.system.probes.body_momenta import BODY_QUANTITIES, body_quantity
from flexmb.system.probes.clearance_motion import tangential_velocity
from flexmb.system.probes.joint_angles import angle_of, angle_rate_of
from flexmb.system.probes.moving import MovingSystem

SIZES = {"position": 3, "velocity": 3, "displacement": 3, "rotation": 3, "angular_velocity": 3, "orientation": 4}
"""Signals of a point, and their number of columns."""
TURNING = ("rotation", "angular_velocity", "orientation")
ANGLES = ("angle", "angle_rate")
"""Signals of a joint with an angle (its forces and errors are always recorded)."""
MODE = re.compile(r"mode\(\s*(\d+)\s*\)")

Function = Callable[[Array, Array, Array, Array], Array]
"""t (k,), q (k, nq), v (k, nv), theta (k, na) or (k, 0) -> (k, size)."""


class JointAngle(Protocol):
    """A joint: its name and the number of its angle, -1 for none (``assembly.builder.Group``)."""

    name: str
    angle: int


class ContactRows(Protocol):
    """A contact: its name and one label per row, or per sphere (``assembly.builder.Group``)."""

    name: str
    labels: list[str]
    spheres: Array | None


@dataclass(frozen=True)
class MultibodyProbe:
    """A recorded signal.

    Parameters
    ----------
    name : str
    size : int
        Number of columns.
    function : callable
        See ``Function``.
    """

    name: str
    size: int
    function: Function

    def evaluate(self, t: Array, q: Array, v: Array, lam: Array, theta: Array | None = None) -> Array:
        """Return the signal in k states, (k, size).

        Parameters
        ----------
        t : (k,) array
            s.
        q, v, lam : (k, nq), (k, nv), (k, nj) arrays
            States and multipliers of joints.
        theta : (k, na) array, optional
            The relative angles of ``geometry.tables.Angles`` as the steps have followed them. Without them angles are
            followed from state to state, beginning within half a turn.
        """
        theta = np.zeros((len(q), 0)) if theta is None else theta
        return np.asarray(self.function(t, q, v, theta), dtype=np.float64).reshape(len(q), self.size)


def default_names(bodies: Mapping[str, BodyInfo], joints: Sequence[JointAngle]) -> list[str]:
    """Return the default signals of a run.

    Position and velocity of reference points or of first, mid and last nodes; rotation and angular velocity of rigid
    bodies; speeds of rotors; angles of joints.
    """
    names = []
    for body, info in bodies.items():
        turning = {FRAME: ("orientation", "angular_velocity"), PLANAR: ("rotation", "angular_velocity")}
        for place in _own_places(body, info):
            what = turning.get(info.nodes[0].kind, ()) if info.single else ()
            names += [f"{place}.{quantity}" for quantity in ("position", "velocity", *what)]
        names += [f"{body}.spin_speed"] if info.spin is not None else []
    return names + [f"joints.{joint.name}.angle" for joint in joints if joint.angle >= 0]


def probe(
    name: str,
    bodies: Mapping[str, BodyInfo],
    joints: Mapping[str, JointAngle],
    system: MovingSystem,
    contacts: Sequence[ContactRows] = (),
) -> MultibodyProbe:
    """Return the signal with a name.

    Parameters
    ----------
    name : str
    bodies : mapping of str to BodyInfo
    joints : mapping of str to JointAngle
        Those of ``Builder.joints``, by their names.
    system : MovingSystem
    contacts : sequence of ContactRows
        As ``Builder.contacts``.
    """
    place, _, quantity = name.rpartition(".") if isinstance(name, str) else ("", "", "")
    body = place.partition(".")[0]
    if body == "joints":
        return _joint_probe(name, place.partition(".")[2], quantity, joints, system)
    if body == "contacts":
        return _contact_probe(name, place.partition(".")[2], quantity, contacts, system)
    if body not in bodies:
        raise _unknown(name, bodies, joints)
    info = bodies[body]
    if quantity in SIZES:
        return _place_probe(name, place, quantity, bodies, system)
    if place == body and quantity in BODY_QUANTITIES:
        size, function = body_quantity(name, info, quantity, system)
        return MultibodyProbe(name, size, lambda t, q, v, theta: function(q, v))
    if place == body and quantity in SPIN_QUANTITIES:
        if info.spin is None:
            able = [other for other in bodies if bodies[other].spin is not None]
            raise _bad(name, f"body '{body}' does not spin; rotors: {', '.join(able) or 'none'}")
        spinning = spin_quantity(quantity, info.spin)
        return MultibodyProbe(name, 1, lambda t, q, v, theta: spinning(t, q, v))
    if place == body and (quantity == "modes" or MODE.fullmatch(quantity)):
        return _mode_probe(name, info, quantity, system)
    raise _unknown(name, bodies, joints)


def _place_probe(
    name: str, ref: str, quantity: str, bodies: Mapping[str, BodyInfo], system: MovingSystem
) -> MultibodyProbe:
    info = bodies[ref.partition(".")[0]]
    if "." not in ref and not info.single:
        words = ", ".join(f"{place}.{quantity}" for place in _own_places(ref, info))
        raise _bad(name, f"name the node: {words}, ...")
    try:
        found = find_markers(bodies, ref, "output", "signals")
    except InputError as err:  # the error must name the signal, not only its place
        raise _bad(name, err.message) from None
    if len(found) != 1:
        raise _bad(name, f"denotes {len(found)} nodes, but a single one is required")
    if quantity in TURNING and not found[0].turns:
        raise _bad(name, "nodes of this body have no rotation")
    function = _quantity(quantity, carriers_of(found, system.q0, system.nv))
    return MultibodyProbe(name, SIZES[quantity], lambda t, q, v, theta: function(q, v)[:, 0])


def _quantity(quantity: str, carrier: Carriers) -> Callable[[Array, Array], Array]:
    functions: dict[str, Callable[[Array, Array], Array]] = {
        "position": lambda q, v: carrier.positions(q),
        "velocity": carrier.velocities,
        "displacement": lambda q, v: carrier.positions(q) - carrier.positions(carrier.q0[None]),
        "rotation": lambda q, v: carrier.rotations(q),
        "angular_velocity": carrier.angular_velocities,
        "orientation": lambda q, v: carrier.orientations(q),
    }
    return functions[quantity]


def _mode_probe(name: str, info: BodyInfo, quantity: str, system: MovingSystem) -> MultibodyProbe:
    if info.nodes[0].kind != FLOATING:
        raise _bad(name, f"body '{info.name}' has no modes; floating bodies have")
    floating = system.tables.floating
    b = int(np.flatnonzero(floating.frame_q == info.nodes[0].iq)[0])
    first, count = int(floating.mode_q[b]), int(floating.modes[b])
    found = MODE.fullmatch(quantity)
    if found is None:
        return MultibodyProbe(name, count, lambda t, q, v, theta: q[:, first : first + count])
    i = int(found.group(1))
    if i >= count:
        raise _bad(name, f"body '{info.name}' has mode(0) ... mode({count - 1})")
    return MultibodyProbe(name, 1, lambda t, q, v, theta: q[:, first + i])


def _joint_probe(
    name: str, joint: str, quantity: str, joints: Mapping[str, JointAngle], system: MovingSystem
) -> MultibodyProbe:
    found = joints.get(joint)
    if found is None:
        names = list(joints)
        raise _bad(name, f"there is no such joint{nearest(joint, names)}; joints: {', '.join(names) or 'none'}")
    if quantity not in ANGLES:
        words = "force, position_error and velocity_error are recorded anyway"
        raise _bad(name, f"a joint has {', '.join(ANGLES)}{nearest(quantity, ANGLES)}; its {words}")
    if found.angle < 0:
        able = [j.name for j in joints.values() if j.angle >= 0]
        raise _bad(name, f"this joint has no angle; joints with one: {', '.join(able) or 'none'}")
    function = {"angle": angle_of, "angle_rate": angle_rate_of}[quantity](found.angle, system)
    return MultibodyProbe(name, 1, lambda t, q, v, theta: function(q, v, theta))


def _contact_probe(
    name: str, contact: str, quantity: str, contacts: Sequence[ContactRows], system: MovingSystem
) -> MultibodyProbe:
    names = [c.name for c in contacts]
    if contact not in names:
        hint = nearest(contact, names)
        raise _bad(name, f"there is no such contact{hint}; contacts: {', '.join(names) or 'none'}")
    k = names.index(contact)
    first = system.tables.joints + sum(len(c.labels) for c in contacts[:k] if c.spheres is None)
    rows = range(first, first + len(contacts[k].labels))
    if (
        quantity != "tangential_velocity"
        or contacts[k].spheres is not None
        or any(system.tables.rows.kind[r] != CLEARANCE for r in rows)
    ):
        words = "gap, velocity and impulse of every contact are recorded anyway"
        raise _bad(name, f"a circular clearance has tangential_velocity, other contacts have no signals; {words}")
    function = tangential_velocity(rows, system)
    return MultibodyProbe(name, len(rows), lambda t, q, v, theta: function(q, v))


def _own_places(body: str, info: BodyInfo) -> list[str]:
    return [body] if info.single else [f"{body}.{node}" for node in usual_nodes(info.named)]


def _unknown(name: object, bodies: Mapping[str, BodyInfo], joints: Mapping[str, JointAngle]) -> InputError:
    known = default_names(bodies, list(joints.values()))
    for body, info in bodies.items():
        known += [f"{body}.{quantity}" for quantity in (*BODY_QUANTITIES, *(SPIN_QUANTITIES if info.spin else ()))]
        points = [*_own_places(body, info), *(f"{body}.{point}" for point in info.named)]
        known += [f"{point}.{quantity}" for point in points for quantity in SIZES]
    message = (
        f"unknown signal{nearest(name, known)}; a node has {', '.join(SIZES)}, a body has "
        f"{', '.join(BODY_QUANTITIES)} (floating: modes, mode(0) ...; rotors: {', '.join(SPIN_QUANTITIES)}), "
        f"a joint has {', '.join(ANGLES)}, a clearance has tangential_velocity; "
        f"bodies: {', '.join(bodies)}"
    )
    if joints:
        message += f"; joints: {', '.join(joints)}"
    return _bad(name, message)


def _bad(name: object, message: str) -> InputError:
    return InputError(message, where="output", key="signals", value=name)


SPIN_QUANTITIES = ("spin_speed", "spin_angle")
"""Signals of a body that spins."""


def spin_quantity(quantity: str, spin: SpinInfo) -> Callable[[Array, Array, Array], Array]:
    """Return the function (t, q, v) -> speed (rad/s) or angle (rad), (k,)."""
    speed, given = quantity == "spin_speed", spin.angle
    if given is not None:
        return lambda t, q, v: given.rate(t) if speed else given.value(t)
    return lambda t, q, v: v[:, spin.iv] if speed else q[:, spin.iq]
