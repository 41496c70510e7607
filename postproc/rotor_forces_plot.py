"""Forces on the bearings of rotors and in contacts, over time."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from flexmb.analysis.measures.thinning import thinned
from flexmb.analysis.rotors.run_parts import Node, RunBearing
from flexmb.errors import InputError
from flexmb.postproc.arrays import Array
from flexmb.postproc.friction_torque import draw_friction_torques, friction_torques
from flexmb.postproc.open_folder import Opened
from flexmb.postproc.plots import draw_forces
from flexmb.postproc.rotor_results import places, rotors, speed_of
from flexmb.postproc.rotor_style import shortened
from flexmb.postproc.style import CYCLE, STYLE
from flexmb.postproc.ticks import take_out_power


def plot_rotor_forces(opened: Opened) -> Figure:
    """Return a figure: forces on bearings above (size across the axis), contact forces below, then friction torques.

    Bearings between bodies (``loads.NAME``) are among them. Their forces come from displacements and velocities of
    their nodes, which runs record at every sample; of folders without these signals from the kept states.
    """
    bearings = opened.rotors.bearings() if rotors(opened) else []
    if not bearings and not opened.result.contacts:
        raise InputError("there are neither bearings nor contacts in this result")
    draws: list[Callable[[Axes], None]] = [partial(_draw_bearings, opened=opened, bearings=bearings)] * bool(bearings)
    draws += [partial(draw_forces, result=opened.result)] * bool(len(opened.result.contacts))
    draws += [partial(draw_friction_torques, opened=opened)] * bool(friction_torques(opened))
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(7.4, 3.2 * len(draws) + 0.3), layout="constrained")
        figure.suptitle(shortened(opened.title or "Forces"), x=0.02, ha="left", fontsize=10)
        panels = np.atleast_1d(figure.subplots(len(draws), 1, sharex=True))
        for axes, draw in zip(panels, draws, strict=True):
            draw(axes)
        for axes in panels[:-1]:
            axes.set_xlabel("")
    return figure


def bearing_force(opened: Opened, bearing: RunBearing) -> tuple[Array, Array]:
    """Return times (n,) and the forces of the shaft on a bearing along its y and z, (n, 2), N."""
    time, x, v = _motion(opened, bearing)
    speed = speed_of(opened, bearing.rotor, time) if bearing.law.speed is not None else np.zeros(time.size)
    if speed is None:
        raise InputError("the speed of the rotor was not recorded, so forces on its bearings are not known")
    K, C = bearing.law.at(speed)
    return time, np.einsum("tij,tj->ti", K[:, :2], x) + np.einsum("tij,tj->ti", C[:, :2], v)


def _draw_bearings(axes: Axes, opened: Opened, bearings: list[RunBearing]) -> None:
    for k, bearing in enumerate(bearings):
        time, force = bearing_force(opened, bearing)
        colour = CYCLE[k % len(CYCLE)]
        axes.plot(*thinned(time, np.linalg.norm(force, axis=1)), color=colour, linewidth=1.0, label=bearing.label)
    axes.set_title("Forces on bearings")
    axes.set_ylim(bottom=0.0)
    take_out_power(axes.xaxis, (float(opened.result.time[0]), float(opened.result.time[-1])), "time [s]")
    take_out_power(axes.yaxis, axes.get_ylim(), "force [N]")
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.02), ncols=3)


def _motion(opened: Opened, bearing: RunBearing) -> tuple[Array, Array, Array]:
    """Return times, and how the node moves against the other end, (n, m), with its rate.

    m motions as in the law: along y and z, and turns about them for matrices of 4 x 4.
    """
    ends = [bearing.node, *([] if bearing.to is None else [bearing.to])]
    found = [_from_signals(opened, end, bearing.law.size, bool(bearing.law.C.any())) for end in ends]
    time = opened.result.time
    if any(one is None for one in found):
        time, found = opened.result.fields.times, [_from_states(opened, end) for end in ends]
    moves = [(_across(x, bearing), _across(v, bearing)) for x, v in (one for one in found if one is not None)]
    if len(moves) == 1:
        return time, *moves[0]
    return time, moves[0][0] - moves[1][0], moves[0][1] - moves[1][1]


def _across(moves: Array, bearing: RunBearing) -> Array:
    """Return displacement and rotation (n, 6) along the motions of a bearing, (n, m)."""
    both = [moves[:, :3] @ bearing.axes, moves[:, 3:] @ bearing.axes]
    return np.asarray(np.concatenate(both, axis=1)[:, : bearing.law.size])


def _from_signals(opened: Opened, node: Node, motions: int, damped: bool) -> tuple[Array, Array] | None:
    """Return recorded displacement and rotation of a node from rest, (n, 6), and their rates; None without."""
    known = places(opened)
    names = dict.fromkeys([f"{node[0]}.node({node[1]})", known.get(node, "")])
    return next((found for name in names if (found := _under(opened, node, name, motions, damped))), None)


def _under(opened: Opened, node: Node, place: str, motions: int, damped: bool) -> tuple[Array, Array] | None:
    """Return the same as recorded under a name of the node."""
    signals, carriers, i = opened.result.signals, opened.result.layout.carriers, _point(opened, node)
    x, v = np.zeros((2, len(opened.result.time), 6))
    start = np.zeros(6) if carriers is None else np.asarray(carriers.Dq[6 * i : 6 * i + 6] @ carriers.q0)
    if f"{place}.displacement" in signals:
        x[:, :3] = signals[f"{place}.displacement"] + start[:3]  # that of large motion counts from the start
    elif f"{place}.position" in signals:
        x[:, :3] = signals[f"{place}.position"] - opened.result.layout.points[i]
    else:
        return None
    needed = [(v, slice(0, 3), "velocity")] if damped else []
    if motions > 2 and _turns(opened, i):
        needed += [(x, slice(3, 6), "rotation")]
        needed += [(v, slice(3, 6), "angular_velocity")] if damped else []
    for where, columns, quantity in needed:
        if f"{place}.{quantity}" not in signals:
            return None
        where[:, columns] = signals[f"{place}.{quantity}"]
        if quantity == "rotation":
            where[:, columns] += start[3:]
    return x, v


def _turns(opened: Opened, point: int) -> bool:
    """Return whether a point has rotations."""
    layout = opened.result.layout
    if layout.carriers is not None:
        return bool(layout.carriers.Dq[6 * point + 3 : 6 * point + 6].nnz)
    return bool(layout.rotation[3 * point : 3 * point + 3].nnz)


def _from_states(opened: Opened, node: Node) -> tuple[Array, Array]:
    """Return displacement and rotation of a node in the kept states, (n, 6), and their rates."""
    fields, layout, i = opened.result.fields, opened.result.layout, _point(opened, node)
    q, v = np.asarray(fields.q[()]), np.asarray(fields.v[()])
    if layout.carriers is not None:
        rows = slice(6 * i, 6 * i + 6)
        return np.asarray((layout.carriers.Dq[rows] @ q.T).T), np.asarray((layout.carriers.Dv[rows] @ v.T).T)
    rows = slice(3 * i, 3 * i + 3)
    maps = (layout.displacement[rows], layout.rotation[rows])
    x, rate = (np.concatenate([np.asarray(D @ y.T).T for D in maps], axis=1) for y in (q, v))
    return x, rate


def _point(opened: Opened, node: Node) -> int:
    """Return the number of a node among all points."""
    layout = opened.result.layout
    return int(np.flatnonzero(layout.body_of_point == layout.bodies.index(node[0]))[0]) + node[1]
