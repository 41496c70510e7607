"""Static state of bars, beams and frames: the deformed structure, and its bending moment or axial force."""

from __future__ import annotations

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from flexmb.analysis.static_state import Statics
from flexmb.postproc.deformed_lines import bent_lines, draw_deformed, drawn_scale, view_of
from flexmb.postproc.moment_plot import bends, draw_on_lines
from flexmb.postproc.rotor_style import shortened
from flexmb.postproc.style import STYLE

COLUMNS = {"y": 4, "z": 5}


def plot_structure_static(found: Statics, title: str = "") -> Figure:
    """Return a figure: magnified displacements, and below the moments of the body with the largest ones."""
    layout = found.layout
    X, U = bent_lines(layout, found.displacement, found.rotation)
    scale = drawn_scale(layout, U.reshape(-1, 3))
    flat, names, word = view_of(X, scale * U)
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(6.4, 7.6), layout="constrained")
        axes = figure.add_subplot(2, 1, 1, **({"projection": "3d"} if len(flat) == 3 else {}))
        draw_deformed(axes, X, scale * U, flat, names, bool(word))
        most = float(np.linalg.norm(found.displacement, axis=1).max(initial=0.0))
        words = f"displacement, enlarged {scale:.3g} times (largest {most:.4g} m){', ' if word else ''}{word}"
        axes.set_title(f"{shortened(title or 'Static state', 60)}\n{words}", fontsize=9)
        _draw_resultant(figure, found)
    return figure


def _draw_resultant(figure: Figure, found: Statics) -> None:
    """Draw the moment of the body with the largest one; for bars the axial force."""
    layout = found.layout
    owner = layout.body_of_point[layout.cells[:, 0]]
    known = np.asarray(np.isfinite(found.resultants).all(axis=(1, 2)))
    if not known.any():
        return
    values = np.where(known[:, None, None], found.resultants, 0.0)
    bent = np.array([k for k in np.unique(owner[known]) if bends(layout, np.flatnonzero(owner == k))])
    of = np.asarray(np.isin(owner, bent) if bent.size else known)
    column = max(COLUMNS.values(), key=lambda c: float(np.abs(values[of][:, :, c]).max())) if bent.size else 0
    size = np.where(of, np.abs(values[:, :, column]).max(axis=1), -1.0)
    k = int(owner[int(np.argmax(size))])
    cells = np.flatnonzero(owner == k)
    name = layout.bodies[k]
    axes = figure.add_subplot(2, 1, 2)
    axis = {4: "y", 5: "z", 0: ""}[column]
    words = f"bending moment about local {axis}" if axis else "axial force, tension positive"
    axes.set_title(f"{name}: {words}", fontsize=9)
    draw_on_lines(axes, layout, name, cells, [values[cells][:, :, column]], axis)
