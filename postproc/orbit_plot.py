"""Orbits of the nodes of a rotor, with the clearance they run in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from flexmb.postproc.arrays import Array
from flexmb.postproc.open_folder import Opened
from flexmb.postproc.rotor_results import Whirl, across, moved, recorded, within
from flexmb.postproc.rotor_style import shortened
from flexmb.postproc.style import BLUE, FAINT, INK, STYLE, VERMILLION

LATEST = 0.1
"""The last part of the time shown, drawn darker."""


def plot_orbits(
    opened: Opened, names: Sequence[str] | None = None, start: float | None = None, end: float | None = None
) -> Figure:
    """Return a figure of orbits, one panel per node: the whole time faint, its last tenth dark, impacts as dots.

    Parameters
    ----------
    opened : Opened
        From ``open_folder``.
    names : sequence of str, optional
        Nodes such as ``rotor.mid`` whose position was recorded; by default the first four.
    start, end : float, optional
        Stretch of time, s.
    """
    nodes = recorded(opened, names)
    with matplotlib.rc_context(STYLE):
        columns = min(len(nodes), 2)
        rows = -(-len(nodes) // columns)
        figure = Figure(figsize=(4.2 * columns, 4.3 * rows + 0.3), layout="constrained")
        figure.suptitle(shortened(opened.title or "Orbits", 70), x=0.02, ha="left", fontsize=10)
        for k, node in enumerate(nodes):
            draw_orbit(figure.add_subplot(rows, columns, k + 1), opened, node, within(node.time, start, end))
    return figure


def draw_orbit(axes: Axes, opened: Opened, node: Whirl, shown: Array) -> None:
    """Draw the orbit of a node in the samples ``shown``."""
    clearances = _clearances(opened, node.name)
    ring, offset = _ring(opened, node, clearances)
    t, yz = node.time[shown], (node.yz - offset)[shown]
    last = t >= t[-1] - LATEST * (t[-1] - t[0])
    axes.plot(*yz.T, color=BLUE, linewidth=0.5, alpha=0.35, label=f"{t[0]:.4g} to {t[-1]:.4g} s")
    axes.plot(*yz[last].T, color=BLUE, linewidth=1.2, zorder=4, label=f"from {t[last][0]:.4g} s")
    for name, table in clearances.items():
        gap = float(table["gap"])
        centre = across(opened, node.body).T @ np.asarray(table.get("offset", (0.0, 0.0, 0.0)), dtype=np.float64)
        axes.add_patch(Circle((centre[0], centre[1]), gap, fill=False, edgecolor=INK, linewidth=1.1))
        axes.plot([], [], color=INK, linewidth=1.1, label=f"clearance {gap:.3g} m")
        if name in opened.result.contacts:
            hits = opened.result.contacts[name].impulse.reshape(len(node.time), -1).sum(axis=1)[shown] > 0.0
            axes.plot(*yz[hits].T, ".", color=VERMILLION, markersize=2.5, label="in contact")
    axes.plot([0.0], [0.0], "+", color=FAINT, markersize=8)
    axes.set_aspect("equal", adjustable="datalim")
    axes.set(xlabel="y [m]", ylabel="z [m]")
    axes.set_title(f"{node.name} relative to {ring}" if ring else node.name, pad=26)
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.005), ncols=2, fontsize=7)


def _ring(opened: Opened, node: Whirl, clearances: dict[str, dict[str, Any]]) -> tuple[str, Array]:
    """Return the moving stator of a node and its displacement, to be taken off; none where it stands on the ground."""
    for table in clearances.values():
        stator = str(table.get("stator", "ground"))
        if stator != "ground" and (yz := moved(opened, stator, node.body)) is not None:
            return stator, yz
    return "", np.zeros(2)


def _clearances(opened: Opened, node: str) -> dict[str, dict[str, Any]]:
    """Return the clearance contacts of a node, by name."""
    contacts = opened.case.get("contacts", {})
    return {name: t for name, t in contacts.items() if t.get("kind") == "clearance" and t.get("node") == node}
