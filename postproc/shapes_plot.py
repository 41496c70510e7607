"""Mode shapes of a rotor: the bent axis and the orbits of its nodes, in space."""

from __future__ import annotations

from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from flexmb.analysis.rotors.whirl_modes import RotorModes
from flexmb.postproc.rotor_style import RPM, WHIRL, shortened
from flexmb.postproc.style import FAINT, INK, STYLE

ComplexArray = NDArray[np.complex128]
MOST = 9
"""Number of shapes in one figure."""


def plot_shapes(found: RotorModes, title: str = "") -> Figure:
    """Return a figure of the lowest shapes, each in its own panel: axis at one instant, orbits of the nodes, start of
    each orbit as a dot, so that the sense of whirl can be seen.
    """  # noqa: D205
    bent = [k for k, word in enumerate(found.whirl) if word in WHIRL and np.abs(found.orbits[..., k]).max() > 0.0][
        :MOST
    ]
    with matplotlib.rc_context(STYLE):
        columns = min(3, max(len(bent), 1))
        rows = -(-max(len(bent), 1) // columns)
        figure = Figure(figsize=(3.4 * columns, 2.9 * rows + 0.5), layout="constrained")
        words = f"{title + ': ' if title else ''}modes at {found.speed:.5g} rad/s ({found.speed * RPM:.5g} rpm)"
        figure.suptitle(shortened(words), x=0.02, ha="left", fontsize=10)
        for place, k in enumerate(bent):
            draw_shape(figure.add_subplot(rows, columns, place + 1, projection="3d"), found, k)
    return figure


def in_phase(shape: ComplexArray) -> ComplexArray:
    """Return a shape whose largest component is 1, since the phase of an eigenvector is arbitrary."""
    size = np.abs(shape).ravel()
    # of equal ones the first, also if they differ by round-off
    return np.asarray(shape / shape.ravel()[int(np.argmax(size >= (1.0 - 1e-6) * size.max()))])


def draw_shape(axes: Any, found: RotorModes, k: int) -> None:
    """Draw one shape in axes of three dimensions."""
    orbit = in_phase(found.orbits[..., k])
    look = WHIRL[found.whirl[k]]
    bodies = np.array([label.partition(".")[0] for label in found.labels])
    turn = np.exp(1j * np.linspace(0.0, 1.9 * np.pi, 60))
    for name in dict.fromkeys(bodies.tolist()):
        on = np.flatnonzero(bodies == name)
        x = found.stations[on]
        now = orbit[on].real
        axes.plot(x, np.zeros_like(x), np.zeros_like(x), color=FAINT, linewidth=0.8)
        axes.plot(x, now[:, 0], now[:, 1], color=INK, linewidth=1.5)
        for i in on[:: max(1, len(on) // 12)]:
            path = (orbit[i][:, None] * turn).real
            axes.plot(np.full(turn.size, found.stations[i]), *path, linewidth=0.9, color=look["color"])
            axes.plot([found.stations[i]], *orbit[i].real[:, None], ".", color=look["color"], markersize=4)
    unstable = ", unstable" if found.unstable[k] else ""
    axes.set_title(f"{k + 1}: {found.frequency[k]:.5g} Hz, {found.whirl[k]}{unstable}", fontsize=9)
    axes.set_box_aspect((2.2, 1.0, 1.0), zoom=1.15)
    axes.set(xlabel="x [m]", ylim=(-1.05, 1.05), zlim=(-1.05, 1.05), yticks=[], zticks=[])
    axes.set_ylabel("y", labelpad=-12)
    axes.set_zlabel("z", labelpad=-12)
    axes.tick_params(labelsize=7, pad=-2)
    axes.xaxis.labelpad = -4
    axes.xaxis.set_major_locator(matplotlib.ticker.MaxNLocator(4))
    axes.view_init(elev=22, azim=-62)
