"""Mode shapes of bars, beams and frames, each in its own panel."""

from __future__ import annotations

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from flexmb.analysis.modes import Modes
from flexmb.postproc.arrays import Array
from flexmb.postproc.deformed_lines import bent_lines, draw_deformed, drawn_scale, view_of
from flexmb.postproc.rotor_style import shortened
from flexmb.postproc.style import STYLE
from flexmb.record.io.frames import Layout

MOST = 9
"""Largest number of shapes in one figure."""


def plot_modes(found: Modes, layout: Layout, title: str = "", q: Array | None = None) -> Figure | None:
    """Return a figure of the lowest modes that deform a bar or a beam; None without such a mode.

    Parameters
    ----------
    found : Modes
    layout : Layout
    title : str
    q : (nq,) array, optional
        Coordinates at which a system in large motion was linearized.
    """
    if not len(layout.cells):
        return None
    shown = [k for k in range(len(found.omega)) if found.omega[k] > 0.0 or found.growth[k] > 0.0][:MOST]
    if not shown:
        return None
    columns = min(3, len(shown))
    rows = -(-len(shown) // columns)
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(3.4 * columns, 2.7 * rows + 0.5), layout="constrained")
        figure.suptitle(shortened(f"{title + ': ' if title else ''}modes"), x=0.02, ha="left", fontsize=10)
        for place, k in enumerate(shown):
            u, t = _shape(layout, found.shapes[:, k], q)
            X, U = bent_lines(layout, u, t)
            most = np.abs(U).max(initial=0.0)
            turns = most <= 1e-9 * float(np.abs(t).max(initial=0.0)) * float(np.ptp(layout.points, axis=0).max())
            U = 0.0 * U if turns else U * drawn_scale(layout, U.reshape(-1, 3))
            flat, names, word = view_of(X, U)
            three = {"projection": "3d"} if len(flat) == 3 else {}
            axes = figure.add_subplot(rows, columns, place + 1, **three)
            draw_deformed(axes, X, U, flat, names, bool(word))
            word = "turns about the axis" if turns else word
            grows = f"unstable, grows with {found.growth[k]:.4g} 1/s"
            rate = grows if found.growth[k] else f"{found.frequency[k]:.5g} Hz"
            axes.set_title(f"{k + 1}: {rate}{', ' if word else ''}{word}", fontsize=9)
    return figure


def _shape(layout: Layout, shape: Array, q: Array | None) -> tuple[Array, Array]:
    """Return displacements and rotations of all points, (n, 3) each; the largest displacement is positive."""
    if q is None:
        u, t = layout.displacements(shape[None])[0], layout.rotations(shape[None])[0]
    else:
        assert layout.carriers is not None
        u = layout.velocities(q[None], shape[None])[0]
        t = layout.carriers.angular_velocities(q[None], shape[None])[0]
    size = np.abs(u).ravel()
    # of equal ones the first, also if they differ by round-off
    sign = float(np.sign(u.ravel()[int(np.argmax(size >= (1.0 - 1e-6) * size.max(initial=0.0)))])) or 1.0
    return sign * u, sign * t
