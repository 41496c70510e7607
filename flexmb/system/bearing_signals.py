"""Signals from which forces on bearings follow: the motion of their nodes, recorded at every sample."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from flexmb.assembly.node_ref import NodeRef
from flexmb.parts.bearing_law import BearingLaw
from flexmb.parts.bodies.rotor import Rotor
from flexmb.parts.loads.bearing import Bearing

GROUND = "ground"


def bearing_signals(bodies: Mapping[str, object], loads: Iterable[object]) -> list[str]:
    """Return the names of the signals that the forces on all bearings need, of rotors and between bodies.

    Displacement of the nodes, of damped bearings their velocity, of 4 x 4 matrices also the turns; the speed of the
    rotor where a bearing has a table over it.
    """
    names: list[str] = []
    for name, body in bodies.items():
        if isinstance(body, Rotor):
            for node, bearing in body.bearing_list:
                names += _of_end(NodeRef(name, node), body, bearing.law())
                names += _of_speed(name, bearing.law())
    for load in loads:
        if isinstance(load, Bearing):
            law = load.law()
            for end in (load.node, load.to):
                if str(end) != GROUND:
                    ref = NodeRef.parse(end, load.where)
                    names += _of_end(ref, bodies.get(ref.body), law)
            names += _of_speed(load.rotor_name(list(bodies)), law)
    return list(dict.fromkeys(names))


def _of_end(node: NodeRef, body: object, law: BearingLaw) -> list[str]:
    damped = bool(law.C.any())
    place = node.body if getattr(body, "kind", "") == "particle" else str(node)
    quantities = ["displacement", *(["velocity"] if damped else [])]
    if law.size > 2 and getattr(body, "kind", "") in ("rotor", "beam"):
        quantities += ["rotation", *(["angular_velocity"] if damped else [])]
    return [f"{place}.{quantity}" for quantity in quantities]


def _of_speed(rotor: str, law: BearingLaw) -> list[str]:
    return [] if law.speed is None else [f"{rotor}.spin_speed"]
