"""Bars and beams drawn in a displaced position by the shape functions of the elements, in a suitable plane."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.postproc.arrays import Array
from flexmb.postproc.style import BLUE, FAINT, INK
from flexmb.record.io.frames import Layout

BETWEEN = 9
"""Number of points of a line between nodes, ends included."""
FLAT = 0.02
"""Extent normal to a plane, over the largest extent, up to which the plane is used for drawing."""
MANY = 40
"""Number of lines above which their nodes are not marked."""
TALLEST = 0.2
"""Largest drawn displacement, over the size of the structure."""


def drawn_scale(layout: Layout, u: Array) -> float:
    """Return the magnification of displacements u, (n, 3); 0 if all are zero."""
    most = float(np.linalg.norm(u, axis=1).max(initial=0.0))
    size = float(np.ptp(layout.points, axis=0).max(initial=0.0)) or 1.0
    return TALLEST * size / most if most > 0.0 else 0.0


def bent_lines(layout: Layout, u: Array, t: Array) -> tuple[Array, Array]:
    """Return places and displacements along all lines, (m, k, 3) each, by cubic shapes where lines bend.

    Parameters
    ----------
    layout : Layout
    u, t : (n, 3) arrays
        Displacements and turns of the points.
    """
    a, b = layout.cells.T
    s = np.linspace(0.0, 1.0, BETWEEN)[None, :, None]
    X, Y = layout.points[a][:, None], layout.points[b][:, None]
    d = (Y - X)[:, 0]
    uA, uB = u[a][:, None], u[b][:, None]
    straight = (1.0 - s) * uA + s * uB
    # difference of the cubic shapes to the straight line: slopes at the ends relative to the chord
    chord = u[b] - u[a]
    along = d / np.maximum(np.einsum("mi,mi->m", d, d), 1e-300)[:, None]
    across = chord - np.einsum("mi,mi->m", chord, along)[:, None] * d
    slopes = [(np.cross(t[end], d) - across)[:, None] for end in (a, b)]
    bent = s * (1.0 - s) ** 2 * slopes[0] - s**2 * (1.0 - s) * slopes[1]
    sections = layout.sections
    bends = np.zeros(len(a)) if sections is None else np.nan_to_num(sections.stiffness[:, 4:]).max(axis=1) > 0.0
    return (1.0 - s) * X + s * Y, straight + np.where(bends[:, None, None], bent, 0.0)


def view_of(X: Array, U: Array) -> tuple[Array, tuple[str, ...], str]:
    """Return the directions of the drawing, (2 or 3, 3), their names, and a note if these are not the true ones.

    Motion along a straight line only is drawn normal to it.
    """
    points = X.reshape(-1, 3)
    spread, move = np.ptp(points, axis=0), np.abs(U.reshape(-1, 3)).max(axis=0, initial=0.0)
    size = max(float(spread.max()), 1e-300)
    thick = np.maximum(spread, np.ptp((X + U).reshape(-1, 3), axis=0))
    order = np.argsort(-thick, kind="stable")
    if thick[order[2]] > FLAT * size:
        return np.eye(3), ("x", "y", "z"), ""
    first, second = sorted(order[:2].tolist())
    if thick[order[1]] <= FLAT * size and move[order[0]] > 0.0:
        along = np.eye(3)[int(order[0])]
        return np.stack([along, along]), ("xyz"[int(order[0])], "along it"), "along the axis, drawn across"
    return np.eye(3)[[first, second]], ("xyz"[first], "xyz"[second]), ""


def draw_deformed(axes: Any, X: Array, U: Array, flat: Array, names: tuple[str, ...], across: bool) -> None:
    """Draw lines at rest and displaced.

    Parameters
    ----------
    axes : matplotlib axes
        Of three dimensions where ``flat`` has three rows.
    X, U : (m, k, 3) arrays
        Places and displacements as drawn, m.
    flat, names
        What ``view_of`` says.
    across : bool
        Draw the second direction's displacement over the first's place.
    """
    rest = X @ flat.T
    moved = (X + U) @ flat.T
    if across:
        rest = np.stack([rest[..., 0], np.zeros_like(rest[..., 0])], axis=2)
        moved = np.stack([rest[..., 0], U @ flat[1]], axis=2)
    for line in rest:
        axes.plot(*line.T, color=FAINT, linewidth=1.0)
    for line in moved:
        axes.plot(*line.T, color=BLUE, linewidth=1.6, solid_capstyle="round")
    for line in moved if len(moved) <= MANY else moved[:0]:
        axes.plot(*line[[0, -1]].T, ".", color=INK, markersize=3.0)
    if len(flat) == 3:
        axes.set_aspect("equal")
    else:
        axes.set_aspect("equal", adjustable="datalim")
    axes.set_xlabel(f"{names[0]} [m]")
    if len(flat) == 3:
        axes.set_ylabel(f"{names[1]} [m]")
        axes.set_zlabel(f"{names[2]} [m]")
    elif across:
        axes.set_yticks([])
    else:
        axes.set_ylabel(f"{names[1]} [m]")
    axes.tick_params(labelsize=7)
