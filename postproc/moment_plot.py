"""Signed bending-moment lines of beams at a time, or their envelope over the run.

Of a chain they are drawn over its length; of frames on the frame itself, on the tension side, as in textbooks.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from flexmb.errors import InputError
from flexmb.postproc.arrays import Array, IntArray
from flexmb.postproc.chain_of_lines import chain_of_body, lines_of_body
from flexmb.postproc.instant import nearest
from flexmb.postproc.on_frame import draw_on_frame
from flexmb.postproc.open_folder import Opened
from flexmb.postproc.plots import Shown
from flexmb.postproc.sampling import blocks, rows_of
from flexmb.postproc.style import FAINT, INK, NEGATIVE, POSITIVE, STYLE
from flexmb.postproc.ticks import take_out_power
from flexmb.record.io.frames import Layout
from flexmb.record.io.glyph_ends import DAMPER, PIN, SPRING, SPRING_DAMPER

STRAIGHT = 1e-6
JUMP = 0.1
"""Jump of the moment between two elements, over the largest moment of the run, up to which it may be averaged."""
WITHOUT_MOMENT = (PIN, SPRING, DAMPER, SPRING_DAMPER)
"""Marks of parts that apply forces to a node, but no moment; at all others a jump of the moment is physical."""


def bends(layout: Layout, cells: IntArray) -> bool:
    """Return whether lines resist bending."""
    assert layout.sections is not None
    return bool(np.any(np.nan_to_num(layout.sections.stiffness[cells, 4:]) > 0.0))


def end_moments(maps: Any, q: Array, cells: IntArray, plane: str | None = None) -> tuple[Array, str]:
    """Return the moments at both ends of lines in states q, (k, m, 2), N m, and the local axis they turn about.

    Positive with tension on the side of local -y (about z) or of +z (about y). Within an element M' = -Q_y about z and
    Q_z about y, Q the shear force.

    Parameters
    ----------
    maps : PointMaps
    q : (k, nq) array
    cells : (m,) int array
    plane : "y" or "z", optional
        About which local axis; by default that with the larger moments.
    """
    about = _about_both(maps, q, cells)
    axis = plane or max(about, key=lambda name: (_largest(about[name]), name))
    return about[axis], axis


def _about_both(maps: Any, q: Array, cells: IntArray) -> dict[str, Array]:
    """Return the moments at both ends of lines about both local axes, each (k, m, 2)."""
    strain, _ = maps.forces.strains(q)
    resultant = (maps.layout.sections.stiffness * strain)[:, cells]
    half = 0.5 * maps.layout.sections.length[cells]
    about = {}
    for axis, moment, shear, sign in (("y", 4, 2, 1.0), ("z", 5, 1, -1.0)):
        slope = sign * resultant[..., shear] * half
        about[axis] = np.stack([resultant[..., moment] - slope, resultant[..., moment] + slope], axis=2)
    return about


def _largest(moments: Array) -> float:
    return float(np.nan_to_num(np.abs(moments)).max(initial=0.0))


def without_jumps(layout: Layout, cells: IntArray, moments: Array, axis: str, size: float) -> Array:
    """Return moments (k, m, 2) with means at nodes between two lines with parallel local axes, where they jump little.

    In motion moments of finite elements jump between elements, by an error of discretization. A jump remains at nodes
    with an applied moment, a rotational spring, a joint or another part that can apply a moment, and where it is more
    than ``JUMP`` of ``size``, the largest moment of the run (N m).
    """
    assert layout.sections is not None
    out = moments.copy()
    local = layout.sections.axes[cells][:, :, "xyz".index(axis)]
    first, last = layout.cells[cells].T.tolist()
    before = {node: k for k, node in enumerate(last)}
    nodes, counts = np.unique(layout.cells[cells], return_counts=True)
    between = set(nodes[counts == 2].tolist()) - _with_moment(layout)
    for k, node in enumerate(first):
        j = before.get(node)
        if j is None or node not in between or local[j] @ local[k] < 1.0 - STRAIGHT:
            continue
        ends = moments[:, [j, k], [1, 0]]
        near = np.abs(np.diff(ends, axis=1)[:, 0]) <= JUMP * size
        out[near, j, 1] = out[near, k, 0] = ends[near].mean(axis=1)
    return out


def _with_moment(layout: Layout) -> set[int]:
    """Return the points at which parts can apply a moment."""
    on = ~np.isin(layout.marks.kind, [kind.encode() for kind in WITHOUT_MOMENT])
    return set(layout.marks.point[on].ravel().tolist())


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
    axis, size = _largest_of_run(fields, cells)
    low, high, when = _extremes(fields, cells, axis, size)
    k = when if time is None else nearest(fields.times, time)
    curves = [low, high]
    if not envelope:
        now, _ = end_moments(fields.maps, rows_of(fields.q, np.array([k])), cells, axis)
        curves = [without_jumps(layout, cells, now, axis, size)[0]]
    words = "envelope over the run" if envelope else f"t = {fields.times[k]:.6g} s"
    with matplotlib.rc_context(STYLE):
        figure = Shown(figsize=(6.4, 3.4) if _is_straight(layout, cells) else (6.0, 5.2), layout="constrained")
        axes = figure.add_subplot()
        axes.set_title(f"{opened.title or body}\n{body}: bending moment about local {axis}, {words}", fontsize=9)
        draw_on_lines(axes, layout, body, cells, curves, axis)
    return figure


def draw_on_lines(axes: Any, layout: Layout, body: str, cells: IntArray, curves: list[Array], axis: str) -> None:
    """Draw moments about a local axis, or axial forces (``axis`` is ""), over a straight body or on a frame.

    ``curves`` are values at both ends of the lines ``cells``, (m, 2) each: one, or the least and the largest. The
    figure is complete but for this: labels are placed by what is drawn.
    """
    if _is_straight(layout, cells):
        _over_length(axes, layout, body, cells, curves, axis)
    else:
        draw_on_frame(axes, layout, cells, curves, axis)


def _first_beam(layout: Layout) -> str | None:
    if layout.sections is None:
        return None
    on = np.flatnonzero(np.nan_to_num(layout.sections.stiffness[:, 4:]).max(axis=1, initial=0.0) > 0.0)
    return layout.bodies[int(layout.body_of_point[layout.cells[on[0], 0]])] if on.size else None


def _states_of_run(fields: Any) -> Iterator[tuple[IntArray, Array]]:
    """Yield all stored states in blocks: their numbers, and q."""
    for block in blocks(np.arange(len(fields.times)), 12 * len(fields.maps.layout.cells)):
        yield block, rows_of(fields.q, block)


def _largest_of_run(fields: Any, cells: IntArray) -> tuple[str, float]:
    """Return the local axis about which the moments over the run are larger, and the largest, N m."""
    largest = {"y": 0.0, "z": 0.0}
    for _, q in _states_of_run(fields):
        for axis, moments in _about_both(fields.maps, q, cells).items():
            largest[axis] = max(largest[axis], _largest(moments))
    axis = max(largest, key=lambda name: (largest[name], name))
    return axis, largest[axis]


def _extremes(fields: Any, cells: IntArray, axis: str, size: float) -> tuple[Array, Array, int]:
    """Return least and largest moments about an axis, (m, 2) each, and the state with the largest."""
    low: Any = np.inf
    high: Any = -np.inf
    best, when = -1.0, 0
    for block, q in _states_of_run(fields):
        moments, _ = end_moments(fields.maps, q, cells, axis)
        moments = without_jumps(fields.maps.layout, cells, moments, axis, size)
        low, high = np.fmin(low, np.nanmin(moments, axis=0)), np.fmax(high, np.nanmax(moments, axis=0))
        largest = np.nan_to_num(np.abs(moments)).max(axis=(1, 2))
        if largest.max() > best:
            best, when = float(largest.max()), int(block[int(np.argmax(largest))])
    return low, high, when


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
        for own, color in ((drawn[0] >= 0.0, POSITIVE), (drawn[0] <= 0.0, NEGATIVE)):
            axes.fill_between(x, drawn[0], 0.0, where=own, interpolate=True, color=color, alpha=0.25, linewidth=0.0)
    else:
        axes.fill_between(x, *drawn, color=FAINT, alpha=0.3, linewidth=0.0)
    for y in drawn:
        axes.plot(x, y, color=INK, linewidth=1.1)
    axes.axhline(0.0, color=INK, linewidth=0.7)
    axes.set_xlim(x[0], x[-1])
    take_out_power(axes.xaxis, (x[0], x[-1]), "along the body [m]")
    take_out_power(axes.yaxis, axes.get_ylim(), f"M{axis} [N m]" if axis else "N [N]")
