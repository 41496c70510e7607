"""Signals by name: ``rod.node(17).velocity``, ``ball.position``, ``rod.momentum`` as linear maps of q or v."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from scipy import sparse

from flexmb.assembly.kinematics import Kinematics
from flexmb.checks.values import nearest
from flexmb.errors import InputError
from flexmb.linalg.sparse_blocks import rows_of
from flexmb.parts.bodies.body import BODY_QUANTITIES, QUANTITIES, BodyParts
from flexmb.state import Array

NODES = ("first", "mid", "last")
MOST_POINTS = 6
"""Number of named points of a body without ends that are recorded by default."""


class Signal(NamedTuple):
    """``offset + B @ q`` (of = "q") or ``B @ v`` (of = "v"); offset (3,), B (3, nv); (1,), (1, nv) for a number."""

    name: str
    of: str
    offset: Array
    B: sparse.csr_array


def usual_nodes(named: Iterable[str]) -> list[str]:
    """Return the default nodes of signals: the ends and the middle, or the named points."""
    names = list(named)
    return [node for node in NODES if node in names] or names[:MOST_POINTS] or ["node(0)"]


def default_names(bodies: Mapping[str, BodyParts]) -> list[str]:
    """Return the default signals of a run: position and velocity of first, mid and last nodes."""
    names = []
    for body, parts in bodies.items():
        for node in [body] if parts.single else [f"{body}.{node}" for node in usual_nodes(parts.named)]:
            names += [f"{node}.position", f"{node}.velocity"]
    return names


def signal(name: str, bodies: Mapping[str, BodyParts], nodes: Kinematics) -> Signal:
    """Return the signal with a name."""
    place, _, quantity = name.rpartition(".") if isinstance(name, str) else ("", "", "")
    if not place:
        raise _unknown(name, bodies)
    if quantity == "spin_speed" and place in bodies and (spin := bodies[place].spin) is not None:
        return Signal(name, "q", np.array([spin.spin.speed]), sparse.csr_array((1, nodes.nv)))  # it is constant here
    if quantity in BODY_QUANTITIES:
        return _body_signal(name, place, quantity, bodies, nodes)
    if quantity not in QUANTITIES or place.partition(".")[0] not in bodies:
        raise _unknown(name, bodies)
    if "." not in place and not bodies[place].single:
        words = ", ".join(f"{place}.{node}.{quantity}" for node in usual_nodes(bodies[place].named))
        message = f"name the node: {words}, ..."
        raise InputError(message, where="output", key="signals", value=name)
    try:
        i = nodes.one(place, "output", "signals")
    except InputError as err:  # the error must name the signal, not only its node
        raise InputError(err.message, where="output", key="signals", value=name) from None
    turning = quantity in ("rotation", "angular_velocity")
    B = rows_of(nodes.rotation if turning else nodes.displacement, 3 * i, 3 * i + 3)
    if turning and not bodies[place.partition(".")[0]].rotation.nnz:
        raise InputError("nodes of this body have no rotation", where="output", key="signals", value=name)
    offset = nodes.points[i].copy() if quantity == "position" else np.zeros(3)
    return Signal(name, "v" if quantity in ("velocity", "angular_velocity") else "q", offset, B)


def _body_signal(name: str, body: str, quantity: str, bodies: Mapping[str, BodyParts], nodes: Kinematics) -> Signal:
    """Return momentum or center of mass of a body."""
    if body not in bodies:
        raise _unknown(name, bodies)
    parts = bodies[body]
    before = 0
    for other, other_parts in bodies.items():
        if other == body:
            break
        before += other_parts.nv
    if quantity == "center_of_mass" and not parts.mass:
        raise InputError(f"the center of mass of '{body}' is not known", where="output", key="signals", value=name)
    dense = parts.momentum if quantity == "momentum" else parts.momentum / parts.mass
    left, right = sparse.csr_array((3, before)), sparse.csr_array((3, nodes.nv - before - parts.nv))
    B = sparse.csr_array(sparse.hstack([left, sparse.csr_array(dense), right], format="csr"))
    if quantity == "momentum":
        return Signal(name, "v", np.zeros(3), B)
    return Signal(name, "q", parts.center.copy(), B)


def _unknown(name: object, bodies: Mapping[str, BodyParts]) -> InputError:
    known = default_names(bodies)
    for body, parts in bodies.items():
        known += [f"{body}.{quantity}" for quantity in BODY_QUANTITIES]
        known += [] if parts.single else [f"{body}.{node}.{q}" for node in parts.named for q in QUANTITIES]
    message = (
        f"unknown signal{nearest(name, known)}; a node has {', '.join(QUANTITIES)}, a body has "
        f"{', '.join(BODY_QUANTITIES)}; bodies: {', '.join(bodies)}"
    )
    return InputError(message, where="output", key="signals", value=name)
