"""The torque of friction in clearances on the spin of rotors, over time.

The first tangent of a clearance is a x u, u outward and a its axis: an impulse P_T along it turns the disk of radius
r about a with r P_T.
"""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from flexmb.analysis.measures.thinning import thinned
from flexmb.postproc.arrays import Array
from flexmb.postproc.contact_status import has_friction
from flexmb.postproc.open_folder import Opened
from flexmb.postproc.style import CYCLE, INK, seen
from flexmb.record.io.friction_rows import own_law
from flexmb.record.io.structure import mean_force


def friction_torques(opened: Opened) -> dict[str, Array]:
    """Return the torques on the spin about the axis of the rotor, (n+1,), N m, by the name of the clearance.

    Mean values since the sample before; of a group the sum. Negative ones brake a rotor that spins forward.
    """
    out: dict[str, Array] = {}
    if not any(body.get("kind") == "rotor" for body in opened.case.get("bodies", {}).values()):
        return out
    for name, (nodes, table) in opened.rotors.clearances().items():
        spinning = [node for node in nodes if node[0] in opened.rotors.rotors]
        if not spinning or name not in opened.result.contacts or not has_friction(opened.result.contacts[name]):
            continue
        slides = own_law(opened.result.tree, name, "slides")
        first = np.concatenate([[0], np.cumsum(slides)])[:-1][slides > 0]
        impulse = opened.result.contacts[name].tangential_impulse
        along = impulse.reshape(len(impulse), -1)[:, first].sum(axis=1)
        axis = table.get("axis")
        sense = 1.0 if axis is None else float(np.sign(opened.rotors.frame(spinning[0][0])[:, 0] @ np.asarray(axis)))
        force = mean_force(along, opened.result.step, float(opened.result.summary["h"]))
        out[name] = np.asarray(sense * float(table.get("radius", 0.0)) * force)
    return out


def draw_friction_torques(axes: Axes, opened: Opened) -> None:
    """Draw the friction torques of all clearances over time."""
    for k, (name, torque) in enumerate(friction_torques(opened).items()):
        colour = CYCLE[k % len(CYCLE)]
        axes.plot(*thinned(opened.result.time, torque), color=colour, linewidth=1.0, label=seen(name))
    axes.axhline(0.0, color=INK, linewidth=0.7)
    axes.set_title("Friction torque on the spin (negative: it brakes)")
    axes.set(xlabel="time [s]", ylabel="torque [N m]")
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.02), ncols=3)
