"""Unbalance response over the speed: orbits, phases and forces on bearings."""

from __future__ import annotations

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from flexmb.analysis.rotors.unbalance import UnbalanceResponse
from flexmb.analysis.rotors.whirl import half_axes
from flexmb.postproc.rotor_style import RPM, shortened, speed_axes
from flexmb.postproc.style import CYCLE, STYLE


def plot_unbalance(found: UnbalanceResponse, title: str = "") -> Figure:
    """Return a figure: half axes of the orbits above, phases along y and z in the middle, bearing forces below.

    Thin dashed lines are minor half axes (negative: backward) and phases along z.
    """
    x, dashed = found.speeds * RPM, {"linestyle": (0, (4, 2)), "linewidth": 0.9}
    with matplotlib.rc_context(STYLE):
        count = 3 if found.bearings else 2
        figure = Figure(figsize=(7.4, 2.6 * count + 0.6), layout="constrained")
        panels = figure.subplots(count, 1, sharex=True)
        for j, label in enumerate(found.labels):
            look = {"color": CYCLE[j % len(CYCLE)]}
            panels[0].plot(x, found.major[:, j], label=f"{label}: major", **look)
            panels[0].plot(x, found.minor[:, j], label="minor", **look, **dashed)
            for k, style in enumerate(({}, dashed)):
                phase = np.degrees(np.unwrap(found.phase[:, j, k][x != 0.0]))
                panels[1].plot(x[x != 0.0], phase, label=f"{label}: {'yz'[k]}", **look, **style)
        for b, label in enumerate(found.bearings):
            panels[2].plot(x, half_axes(found.forces)[0][:, b], color=CYCLE[b % len(CYCLE)], label=label)
        speed_axes(panels[0], shortened(title or "Unbalance response"))
        names = ("orbit half axes", "phase against the rotor [deg]", "force on bearing [N]")
        for panel, name in zip(panels, names, strict=False):
            panel.set_ylabel(name)
            panel.legend(loc="best", ncols=2, borderaxespad=0.6)  # clear of the scale on top
        panels[0].yaxis.set_major_formatter(matplotlib.ticker.EngFormatter(unit="m"))
        panels[1].yaxis.set_major_locator(matplotlib.ticker.MultipleLocator(90))
        panels[0].set_xlim(x[0], x[-1])
        panels[-1].set_xlabel("speed [rpm]")
    return figure
