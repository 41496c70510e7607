"""Forces on the bearings of rotors and in contacts, over time."""

from __future__ import annotations

from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from flexmb.errors import InputError
from flexmb.postproc.arrays import Array
from flexmb.postproc.open_folder import Opened
from flexmb.postproc.plots import draw_forces
from flexmb.postproc.rotor_results import across, moved, points_of, rotors, speed_of
from flexmb.postproc.rotor_style import shortened
from flexmb.postproc.style import CYCLE, STYLE
from flexmb.postproc.thinning import thinned


def plot_rotor_forces(opened: Opened) -> Figure:
    """Return a figure: forces on bearings above (size across the axis), contact forces below.

    Forces on bearings come from displacements and velocities of their nodes: from the recorded signals where there
    are position and velocity, else from the kept states.
    """
    bearings = [(body, table) for body in rotors(opened) for table in opened.case["bodies"][body].get("bearings", ())]
    if not bearings and not opened.result.contacts:
        raise InputError("there are neither bearings nor contacts in this result")
    draws = [True] * bool(bearings) + [False] * bool(len(opened.result.contacts))
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(7.4, 3.2 * len(draws) + 0.3), layout="constrained")
        figure.suptitle(shortened(opened.title or "Forces"), x=0.02, ha="left", fontsize=10)
        panels = np.atleast_1d(figure.subplots(len(draws), 1, sharex=True))
        for axes, on_bearings in zip(panels, draws, strict=True):
            if on_bearings:
                _draw_bearings(axes, opened, bearings)
            else:
                draw_forces(axes, opened.result)
        for axes in panels[:-1]:
            axes.set_xlabel("")
    return figure


def bearing_force(opened: Opened, body: str, table: dict[str, Any]) -> tuple[Array, Array]:
    """Return times (n,) and the forces of the shaft on a bearing along y and z, (n, 2), N.

    Matrices of 4 x 4 count with their part over displacements and, from kept states, over slopes.
    """
    time, x, v = _motion(opened, body, table["node"])
    speed = speed_of(opened, body, time)
    K, C = (_matrices(table, key, time, speed) for key in ("stiffness", "damping"))
    m = min(K.shape[1], x.shape[1])
    n = min(C.shape[1], v.shape[1])
    force = np.einsum("tij,tj->ti", K[:, :2, :m], x[:, :m]) + np.einsum("tij,tj->ti", C[:, :2, :n], v[:, :n])
    return time, force


def _draw_bearings(axes: Axes, opened: Opened, bearings: list[tuple[str, dict[str, Any]]]) -> None:
    for k, (body, table) in enumerate(bearings):
        time, force = bearing_force(opened, body, table)
        label = f"{body}.node({table['node']})" if isinstance(table["node"], int) else f"{body}.{table['node']}"
        colour = CYCLE[k % len(CYCLE)]
        axes.plot(*thinned(time, np.linalg.norm(force, axis=1)), color=colour, linewidth=1.0, label=label)
    axes.set_title("Forces on bearings")
    axes.set(xlabel="time [s]", ylabel="force [N]", ylim=(0.0, None))
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.02), ncols=3)


def _motion(opened: Opened, body: str, node: int | str) -> tuple[Array, Array, Array]:
    """Return times, and displacements and velocities (v, w) or (v, w, theta_y, theta_z) of a node."""
    yz, points = across(opened, body), points_of(opened, body)
    place = f"{body}.node({node})" if isinstance(node, int) else f"{body}.{node}"
    signals, x_yz = opened.result.signals, moved(opened, place, body)
    if x_yz is not None and f"{place}.velocity" in signals:
        return opened.result.time, x_yz, signals[f"{place}.velocity"] @ yz
    fields, layout = opened.result.fields, opened.result.layout
    first = int(np.flatnonzero(layout.body_of_point == layout.bodies.index(body))[0])
    i = first + _number(opened, body, node, points)
    q, v = np.asarray(fields.q[()]), np.asarray(fields.v[()])
    x = np.concatenate([layout.displacements(q)[:, i] @ yz, layout.rotations(q)[:, i] @ yz], axis=1)
    return fields.times, x, layout.velocities(q, v)[:, i] @ yz


def _number(opened: Opened, body: str, node: int | str, points: Array) -> int:
    """Return the number of a node given by number or name."""
    if isinstance(node, int):
        return node
    if node.startswith("node("):
        return int(node[5:-1])
    x = np.linalg.norm(points - points[0], axis=1)
    named = opened.case["bodies"][body].get("points", {}).get(node)
    if isinstance(named, str):
        return _number(opened, body, named, points)
    goal = {"first": 0.0, "mid": 0.5 * x[-1], "last": x[-1]}.get(node, named)
    if goal is None:
        raise InputError(f"rotor '{body}' has no node '{node}'")
    return int(np.argmin(np.abs(x - float(goal))))


def _matrices(table: dict[str, Any], key: str, time: Array, speed: Array | None) -> Array:
    """Return stiffness or damping at all times, (n, m, m)."""
    given = np.asarray(table.get(key, 0.0), dtype=np.float64)
    speeds = table.get("speed")
    over_speed = given.ndim in (1, 3)
    each = given if over_speed else given[None]
    matrices = each if each.ndim == 3 else each[:, None, None] * np.eye(2)
    if not over_speed or speeds is None:
        return np.broadcast_to(matrices, (time.size, *matrices.shape[1:]))
    if speed is None:
        raise InputError("the speed of the rotor was not recorded, so forces on its bearings are not known")
    at = np.clip(speed, speeds[0], speeds[-1])
    flat = matrices.reshape(len(matrices), -1)
    found = np.column_stack([np.interp(at, speeds, flat[:, k]) for k in range(flat.shape[1])])
    return found.reshape(-1, *matrices.shape[1:])
