"""Orbits of the nodes of a rotor, with their clearances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Annulus, Circle
from numpy.typing import NDArray

from flexmb.postproc.arrays import Array
from flexmb.postproc.open_folder import Opened
from flexmb.postproc.rotor_results import Whirl, across, moved, recorded, within
from flexmb.postproc.rotor_style import wrapped
from flexmb.postproc.style import BLUE, FAINT, INK, STYLE, VERMILLION
from flexmb.postproc.ticks import prefixed, take_out_power

LATEST = 0.1
"""Final fraction of the time window that is drawn darker."""
WALL = 1.06
"""Drawn outer radius of a stator, relative to its clearance."""
PALE = "0.82"
SMOOTH = 24
"""Samples per revolution below which an orbit looks polygonal, which the legend states."""


def plot_orbits(
    opened: Opened, names: Sequence[str] | None = None, start: float | None = None, end: float | None = None
) -> Figure:
    """Return a figure of orbits, one panel per node: the whole time faint, its last tenth dark, contact as arcs.

    Parameters
    ----------
    opened : Opened
        From ``open_folder``.
    names : sequence of str, optional
        Nodes such as ``rotor.mid`` whose position was recorded; by default the first four.
    start, end : float, optional
        Interval of time, s.
    """
    nodes = recorded(opened, names)
    with matplotlib.rc_context(STYLE):
        columns = min(len(nodes), 2)
        rows = -(-len(nodes) // columns)
        figure = Figure(figsize=(4.2 * columns, 4.3 * rows + 0.3), layout="constrained")
        figure.suptitle(wrapped(opened.title or "Orbits", 48 * columns), x=0.02, ha="left", fontsize=10)
        for k, node in enumerate(nodes):
            draw_orbit(figure.add_subplot(rows, columns, k + 1), opened, node, within(node.time, start, end))
    return figure


def draw_orbit(axes: Axes, opened: Opened, node: Whirl, shown: Array) -> None:
    """Draw the orbit of a node in the samples ``shown``."""
    clearances = _clearances(opened, node.name)
    ring, offset = _ring(opened, node, clearances)
    t, yz = node.time[shown], (node.yz - offset)[shown]
    last = t >= t[-1] - LATEST * (t[-1] - t[0])
    samples = samples_per_turn(yz)
    words = f", {samples:.0f} samples per revolution" if samples < SMOOTH else ""
    axes.plot(*yz.T, color=BLUE, linewidth=0.5, alpha=0.35, label=f"{t[0]:.4g} to {t[-1]:.4g} s{words}")
    axes.plot(*yz[last].T, color=BLUE, linewidth=1.2, zorder=4, label=f"from {t[last][0]:.4g} s")
    for name, (table, hits) in clearances.items():
        gap = float(table["gap"])
        y, z = across(opened, node.body).T @ np.asarray(table.get("offset", (0.0, 0.0, 0.0)), dtype=np.float64)
        # the stator is outside, so that no orbit and no dot can hide it
        axes.add_patch(Annulus((y, z), WALL * gap, (WALL - 1.0) * gap, facecolor=PALE, edgecolor="none", zorder=1))
        axes.add_patch(Circle((y, z), gap, fill=False, edgecolor=INK, linewidth=0.9, zorder=5))
        factor, unit = prefixed("[m]", gap)
        axes.plot([], [], color=INK, linewidth=0.9, label=f"clearance {gap / factor:.4g} {unit[1:-1]}")
        if name in opened.result.contacts:
            _draw_contact(axes, yz, hits[shown])
    axes.plot([0.0], [0.0], "+", color=FAINT, markersize=8)
    axes.set_aspect("equal", adjustable="datalim")
    ends = axes.dataLim
    most = max(abs(end) for end in (*ends.intervalx, *ends.intervaly))
    for axis, name in ((axes.xaxis, "y [m]"), (axes.yaxis, "z [m]")):
        take_out_power(axis, (-most, most), name)
    axes.set_title(f"{node.name} relative to {ring}" if ring else node.name, pad=26)
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.005), ncols=2, fontsize=7)


def contact_arcs(yz: Array, hits: NDArray[np.bool_]) -> tuple[Array, Array]:
    """Return the arcs of an orbit in contact, separated by rows of nan, and single impacts.

    An arc has at least two successive samples in contact.
    """
    change = np.flatnonzero(np.diff(np.concatenate([[False], hits, [False]]).astype(np.int8)))
    first, after = change[::2], change[1::2]
    gap = np.full((1, 2), np.nan)
    arcs = [part for a, b in zip(first, after, strict=True) if b - a > 1 for part in (yz[a:b], gap)]
    return np.concatenate([np.zeros((0, 2)), *arcs]), yz[first[after - first == 1]]


def _draw_contact(axes: Axes, yz: Array, hits: NDArray[np.bool_]) -> None:
    """Draw lasting contact as thick arcs, and impacts of a single sample as dots."""
    arcs, dots = contact_arcs(yz, hits)
    if len(arcs):
        look: dict[str, Any] = {"linewidth": 3.2, "solid_capstyle": "butt", "alpha": 0.9}
        axes.plot(*arcs.T, color=VERMILLION, zorder=3, label="in contact", **look)
    if len(dots):
        label = "impacts" if len(arcs) else "in contact"
        axes.plot(*dots.T, ".", color=VERMILLION, markersize=4.0, zorder=3, label=label)


def samples_per_turn(yz: Array) -> float:
    """Return the number of samples per revolution of an orbit, from the median angle between samples."""
    way = np.diff(yz[:, 0] + 1j * yz[:, 1])
    way = way[np.abs(way) > 1e-12 * np.abs(way).max(initial=0.0)]
    angle = float(np.median(np.abs(np.angle(way[1:] / way[:-1])))) if len(way) > 1 else 0.0
    return 2.0 * np.pi / angle if angle else np.inf


Clearances = dict[str, tuple[Mapping[str, Any], NDArray[np.bool_]]]


def _ring(opened: Opened, node: Whirl, clearances: Clearances) -> tuple[str, Array]:
    """Return the moving stator of a node and its displacement, to be subtracted; none for a fixed stator."""
    for table, _ in clearances.values():
        stator = str(table.get("stator", "ground"))
        if stator != "ground" and (yz := moved(opened, stator, node.body)) is not None:
            return stator, yz
    return "", np.zeros(2)


def _clearances(opened: Opened, name: str) -> Clearances:
    """Return the clearances at a node, independent of its notation, and the samples in contact."""
    (node,) = opened.rotors.nodes(name)
    out: Clearances = {}
    for contact, (inside, table) in opened.rotors.clearances().items():
        if node in inside:
            hits = np.zeros(len(opened.result.time), dtype=np.bool_)
            if contact in opened.result.contacts:
                impulse = opened.result.contacts[contact].impulse.reshape(hits.size, -1)
                # one column per node, unless fixed ones were left out
                own = impulse[:, inside.index(node)] if impulse.shape[1] == len(inside) else impulse.sum(axis=1)
                hits = own > 0.0
            out[contact] = table, hits
    return out
