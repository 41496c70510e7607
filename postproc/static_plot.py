"""Static state of a rotor: deflection, shear force and bending moment along the shaft."""

from __future__ import annotations

from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from flexmb.analysis.rotors.static import StaticState
from flexmb.postproc.rotor_style import shortened
from flexmb.postproc.style import BLUE, INK, STYLE, VERMILLION
from flexmb.postproc.ticks import take_out_power


def plot_static(found: StaticState, title: str = "") -> Figure:
    """Return a figure: deflection with bearings and their forces, shear force, bending moment."""
    planes = (("y", BLUE, "-"), ("z", VERMILLION, (0, (5, 2))))
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(7.4, 6.6), layout="constrained")
        line, shear, moment = figure.subplots(3, 1, sharex=True)
        bodies = np.array([label.partition(".")[0] for label in found.labels])
        for name in (shaft.name for shaft in found.shafts):
            on = bodies == name
            for k, (axis, colour, dashes) in enumerate(planes):
                label = f"{name} along {axis}"
                line.plot(found.stations[on], found.deflection[on, k], color=colour, linestyle=dashes, label=label)
        for shaft in found.shafts:
            start = float(found.stations[bodies == shaft.name][0])
            for k, (axis, colour, dashes) in enumerate(planes):
                look = {"color": colour, "linestyle": dashes, "label": f"plane of {axis}"}
                shear.plot(start + shaft.x, shaft.shear[:, k], **look)
                moment.plot(start + shaft.x, shaft.moment[:, k], **look)
        _mark_bearings(line, found)
        for axes, name in ((line, "deflection [m]"), (shear, "shear force [N]"), (moment, "bending moment [N m]")):
            axes.axhline(0.0, color=INK, linewidth=0.7, zorder=0)
            axes.margins(y=0.12)
            take_out_power(axes.yaxis, axes.get_ylim(), name)
        line.legend(loc="lower right", bbox_to_anchor=(1.0, 1.02), ncols=4)
        line.set_title(shortened(title or "Static state", 48))
        moment.set_xlabel("along the shaft [m]")
    return figure


def _mark_bearings(axes: matplotlib.axes.Axes, found: StaticState) -> None:
    """Draw a triangle at each bearing or support, with the magnitude of its force."""
    for k, force in zip(found.places.tolist(), found.reactions, strict=True):
        x, y = float(found.stations[k]), float(found.deflection[k, int(np.argmax(np.abs(force)))])
        axes.plot([x], [y], "^", color=INK, markersize=7, zorder=4)
        words: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "fontsize": 8}
        axes.annotate(f"{np.linalg.norm(force):.4g} N", (x, y), (0, -16), **words)
