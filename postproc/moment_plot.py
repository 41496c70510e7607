"""Signed bending-moment lines of beams at a time, or their envelope over the run.

Of a chain they are drawn over its length; of frames on the frame itself, on the side that is pulled, as in textbooks.
"""

from __future__ import annotations

from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from flexmb.errors import InputError
from flexmb.postproc.arrays import Array, IntArray
from flexmb.postproc.chain_of_lines import chain_of_body, lines_of_body
from flexmb.postproc.instant import nearest
from flexmb.postproc.open_folder import Opened
from flexmb.postproc.plots import Shown
from flexmb.postproc.sampling import blocks, rows_of
from flexmb.postproc.style import BLUE, FAINT, INK, STYLE, VERMILLION
from flexmb.postproc.ticks import prefixed, take_out_power
from flexmb.record.io.frames import Layout

STRAIGHT = 1e-6
TALLEST = 0.22
"""Largest drawn moment, over the size of a frame."""


def bends(layout: Layout, cells: IntArray) -> bool:
    """Return whether lines resist bending."""
    assert layout.sections is not None
    return bool(np.any(np.nan_to_num(layout.sections.stiffness[cells, 4:]) > 0.0))


def end_moments(maps: Any, q: Array, cells: IntArray, plane: str | None = None) -> tuple[Array, str]:
    """Return the moments at both ends of lines in states q, (k, m, 2), N m, and the local axis they turn about.

    Positive where the side of local -y (about z) or of +z (about y) is pulled. Within an element M' = -Q_y about z and
    Q_z about y, Q the shear force.

    Parameters
    ----------
    maps : PointMaps
    q : (k, nq) array
    cells : (m,) int array
    plane : "y" or "z", optional
        About which local axis; by default that with the larger moments.
    """
    strain, _ = maps.forces.strains(q)
    resultant = (maps.layout.sections.stiffness * strain)[:, cells]
    half = 0.5 * maps.layout.sections.length[cells]
    about = {}
    for axis, moment, shear, sign in (("y", 4, 2, 1.0), ("z", 5, 1, -1.0)):
        slope = sign * resultant[..., shear] * half
        about[axis] = np.stack([resultant[..., moment] - slope, resultant[..., moment] + slope], axis=2)
    axis = plane or max(about, key=lambda name: (float(np.nan_to_num(np.abs(about[name])).max(initial=0.0)), name))
    return about[axis], axis


def plot_moment(
    opened: Opened, time: float | None = None, body: str | None = None, *, envelope: bool = False
) -> Figure:
    """Return the bending-moment line of a body.

    Parameters
    ----------
    opened : Opened
    time : float, optional
        s; the nearest kept state. By default that with the largest moment.
    body : str, optional
        By default the first that resists bending.
    envelope : bool
        Least and largest moments over the run instead of one time.
    """
    fields = opened.result.fields
    layout = fields.maps.layout
    body, cells = lines_of_body(layout, body or _first_beam(layout))
    if not bends(layout, cells):
        raise InputError("does not bend: it is a bar", key="body", value=body)
    low, high, when, axis = _extremes(fields, cells)
    k = when if time is None else nearest(fields.times, time)
    now, _ = end_moments(fields.maps, rows_of(fields.q, np.array([k])), cells, axis)
    curves = [low, high] if envelope else [now[0]]
    words = "envelope over the run" if envelope else f"t = {fields.times[k]:.6g} s"
    with matplotlib.rc_context(STYLE):
        figure = Shown(figsize=(6.4, 3.4) if _is_straight(layout, cells) else (6.0, 5.2), layout="constrained")
        axes = figure.add_subplot()
        draw_on_lines(axes, layout, body, cells, curves, axis)
        axes.set_title(f"{opened.title or body}\n{body}: bending moment about local {axis}, {words}", fontsize=9)
    return figure


def draw_on_lines(axes: Any, layout: Layout, body: str, cells: IntArray, curves: list[Array], axis: str) -> None:
    """Draw moments about a local axis, or axial forces (``axis`` is ""), over a straight body or on a frame.

    ``curves`` are values at both ends of the lines ``cells``, (m, 2) each: one, or the least and the largest.
    """
    (_over_length if _is_straight(layout, cells) else _on_frame)(axes, layout, body, cells, curves, axis)


def _first_beam(layout: Layout) -> str | None:
    if layout.sections is None:
        return None
    on = np.flatnonzero(np.nan_to_num(layout.sections.stiffness[:, 4:]).max(axis=1, initial=0.0) > 0.0)
    return layout.bodies[int(layout.body_of_point[layout.cells[on[0], 0]])] if on.size else None


def _extremes(fields: Any, cells: IntArray) -> tuple[Array, Array, int, str]:
    """Return least and largest moments, (m, 2) each, the state with the largest, and the local axis."""
    states = np.arange(len(fields.times))
    axis = None
    low: Any = np.inf
    high: Any = -np.inf
    best, when = -1.0, 0
    for block in blocks(states, 12 * len(fields.maps.layout.cells)):
        q = rows_of(fields.q, block)
        if axis is None:
            last = rows_of(fields.q, states[-1:])
            _, axis = end_moments(fields.maps, np.concatenate([q, last]), cells)
        moments, _ = end_moments(fields.maps, q, cells, axis)
        low, high = np.fmin(low, np.nanmin(moments, axis=0)), np.fmax(high, np.nanmax(moments, axis=0))
        size = np.nan_to_num(np.abs(moments)).max(axis=(1, 2))
        if size.max() > best:
            best, when = float(size.max()), int(block[int(np.argmax(size))])
    return low, high, when, str(axis)


def _is_straight(layout: Layout, cells: IntArray) -> bool:
    assert layout.sections is not None
    d = np.diff(layout.points[layout.cells[cells]], axis=1)[:, 0]
    d = d / np.linalg.norm(d, axis=1)[:, None]
    return bool(np.all(np.abs(np.abs(d @ d[0]) - 1.0) < STRAIGHT))


def _over_length(axes: Any, layout: Layout, body: str, cells: IntArray, curves: list[Array], axis: str) -> None:
    chain = chain_of_body(layout, body)
    order = np.searchsorted(cells, chain.cells)
    x = np.repeat(chain.x, 2)[1:-1]
    drawn = []
    for values in curves:
        ends = values[order] * (chain.turned[:, None] if axis else 1.0)
        drawn.append(np.where(chain.turned[:, None] > 0, ends, ends[:, ::-1]).ravel())
    if len(drawn) == 1:
        axes.fill_between(x, drawn[0], 0.0, where=drawn[0] >= 0.0, color=BLUE, alpha=0.25, linewidth=0.0)
        axes.fill_between(x, drawn[0], 0.0, where=drawn[0] <= 0.0, color=VERMILLION, alpha=0.25, linewidth=0.0)
    else:
        axes.fill_between(x, *drawn, color=BLUE, alpha=0.2, linewidth=0.0)
    for y in drawn:
        axes.plot(x, y, color=INK, linewidth=1.1)
    axes.axhline(0.0, color=INK, linewidth=0.7)
    axes.set_xlim(x[0], x[-1])
    take_out_power(axes.xaxis, (x[0], x[-1]), "along the body [m]")
    take_out_power(axes.yaxis, axes.get_ylim(), f"M{axis} [N m]" if axis else "N [N]")


def _on_frame(axes: Any, layout: Layout, body: str, cells: IntArray, curves: list[Array], axis: str) -> None:
    """Draw ordinates across the lines of a frame, on its pulled side, in the plane that it fills most."""
    assert layout.sections is not None
    ends = layout.points[layout.cells[cells]]
    flat, names = _plane(ends.reshape(-1, 3))
    place = ends @ flat.T
    column = 2 if axis == "y" else 1
    side = (1.0 if axis == "y" else -1.0) * layout.sections.axes[cells][:, :, column] @ flat.T
    most = max(float(np.nan_to_num(np.abs(values)).max()) for values in curves) or 1.0
    height = TALLEST * float(np.ptp(place.reshape(-1, 2), axis=0).max()) / most
    for values in curves:
        tips = place + height * values[:, :, None] * side[:, None, :]
        for a, b, m in zip(place, tips, values, strict=True):
            colour = BLUE if m.sum() >= 0.0 else VERMILLION
            axes.fill(*np.concatenate([a, b[::-1]]).T, color=colour, alpha=0.25, linewidth=0.0)
            axes.plot(*b.T, color=colour, linewidth=1.1)
    for a in place:
        axes.plot(*a.T, color=INK, linewidth=2.0, solid_capstyle="round")
    factor, label = prefixed("[N m]" if axis else "[N]", most)
    k, end = np.unravel_index(int(np.argmax(np.nan_to_num(np.abs(curves[-1])))), curves[-1].shape)
    value = float(curves[-1][k, end])
    tip = place[k, end] + height * value * side[k]
    axes.annotate(f"{value / factor:.4g} {label[1:-1]}", tip, fontsize=8, xytext=(6, 6), textcoords="offset points")
    axes.plot(*tip, "o", color=INK, markersize=3.0)
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_xlabel(f"{names[0]} [m]")
    axes.set_ylabel(f"{names[1]} [m]")
    axes.plot([], [], color=BLUE, label="positive")
    axes.plot([], [], color=VERMILLION, label="negative")
    if axis:
        axes.plot([], [], color=FAINT, label="drawn on the tension side")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, -0.24), ncols=3)


def _plane(points: Array) -> tuple[Array, tuple[str, str]]:
    """Return the two directions of space that points fill most, (2, 3), and their names."""
    spread = np.ptp(points, axis=0)
    first, second = sorted(np.argsort(-spread)[:2].tolist())
    return np.eye(3)[[first, second]], ("xyz"[first], "xyz"[second])
