"""Spectra of rotors: of a stretch of time, forward and backward apart, and over time as a waterfall."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib
import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from flexmb.postproc.arrays import Array
from flexmb.postproc.open_folder import Opened
from flexmb.postproc.rotor_results import recorded, speed_of, within
from flexmb.postproc.rotor_style import RPM, shortened
from flexmb.postproc.spectrum import full_spectrum
from flexmb.postproc.style import CYCLE, FIELD_MAP, INK, STYLE

WINDOWS = 160
"""Number of windows of a waterfall."""
DECADES = 4.0
"""Range of the colours of a waterfall."""


def plot_spectrum(
    opened: Opened,
    names: Sequence[str] | None = None,
    start: float | None = None,
    end: float | None = None,
    top: float | None = None,
) -> Figure:
    """Return a figure of spectra: backward on the left of zero, forward on the right; by default of the last half.

    Parameters
    ----------
    opened : Opened
    names : sequence of str, optional
        As in ``plot_orbits``.
    start, end : float, optional
        Stretch of time, s.
    top : float, optional
        Highest frequency shown, Hz.
    """
    nodes = recorded(opened, names)
    t = nodes[0].time
    start = 0.5 * (t[0] + t[-1]) if start is None and end is None else start
    shown = within(t, start, end)
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(7.4, 4.2), layout="constrained")
        axes = figure.subplots()
        for node, colour in zip(nodes, CYCLE, strict=False):
            frequency, amplitude = full_spectrum(t[shown], node.yz[shown])
            axes.semilogy(frequency, np.maximum(amplitude, 1e-300), color=colour, linewidth=1.0, label=node.name)
        highest = max(line.get_ydata().max() for line in axes.get_lines())  # type: ignore[union-attr]
        axes.set_ylim(highest * 10.0 ** (-1.5 * DECADES), 2.0 * highest)
        speed = speed_of(opened, nodes[0].body, t[shown])
        top = _top(top, speed, float(frequency[-1]))
        if speed is not None and np.ptp(speed) <= 1e-9 * np.abs(speed).max():
            for sign in (-1.0, 1.0):
                axes.axvline(sign * speed[0] / (2 * np.pi), color=INK, linewidth=0.8, linestyle=(0, (3, 2)), zorder=0)
            axes.plot([], [], color=INK, linewidth=0.8, linestyle=(0, (3, 2)), label="1 x speed")
        axes.set_xlim(-top, top)
        axes.set(xlabel="frequency [Hz]: backward < 0 < forward", ylabel="amplitude [m]")
        axes.set_title(shortened(f"{opened.title or 'Spectrum'}, {t[shown][0]:.4g} to {t[shown][-1]:.4g} s"), pad=20)
        axes.legend(loc="lower left", bbox_to_anchor=(0.0, 1.005), ncols=5)
    return figure


def plot_waterfall(
    opened: Opened,
    names: Sequence[str] | None = None,
    start: float | None = None,
    end: float | None = None,
    top: float | None = None,
) -> Figure:
    """Return a figure of the spectrum of one node over time, as colours, with multiples of the speed as lines.

    Forward and backward are added. Parameters as in ``plot_spectrum``; of several nodes the first is taken.
    """
    node = recorded(opened, names)[0]
    shown = within(node.time, start, end)
    t, yz = node.time[shown], node.yz[shown]
    length = max(16, int(len(t) / 12))
    firsts = np.unique(np.linspace(0, len(t) - length, min(WINDOWS, len(t) - length + 1)).astype(np.int64))
    rows = []
    for first in firsts.tolist():
        frequency, amplitude = full_spectrum(t[first : first + length], yz[first : first + length])
        rows.append(_one_sided(frequency, amplitude))
    middle = t[firsts] + 0.5 * (t[length - 1] - t[0])
    positive = frequency[frequency >= 0.0]
    values = np.array(rows)
    speed = speed_of(opened, node.body, middle)
    top = _top(top, speed, float(positive[-1]))
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(7.4, 5.6), layout="constrained")
        axes = figure.subplots()
        highest = float(values.max())
        norm = LogNorm(highest * 10.0**-DECADES, highest)
        colours = np.maximum(values, highest * 10.0**-DECADES)
        mesh = axes.pcolormesh(positive, middle, colours, norm=norm, cmap=FIELD_MAP, shading="gouraud", rasterized=True)
        figure.colorbar(mesh, ax=axes, label="amplitude [m]")
        if speed is not None:
            for order in (1, 2, 3):
                axes.plot(
                    order * np.abs(speed) / (2 * np.pi), middle, color="white", linewidth=0.9, linestyle=(0, (4, 3))
                )
                place = int(0.93 * (len(middle) - 1))
                x = order * abs(float(speed[place])) / (2 * np.pi)
                if x < 0.97 * top:
                    axes.text(x, middle[place], f" {order}x", color="white", fontsize=8)
            _speed_scale(axes, middle, speed)
        axes.set_xlim(0.0, top)
        axes.set_ylim(middle[0], middle[-1])
        axes.grid(False)
        axes.set(xlabel="frequency [Hz]", ylabel="time [s]")
        axes.set_title(shortened(f"{node.name}: {opened.title or 'waterfall'}", 70))
    return figure


def _one_sided(frequency: Array, amplitude: Array) -> Array:
    """Return forward and backward amplitudes added, for the frequencies from zero on."""
    ahead, back = amplitude[frequency >= 0.0], amplitude[frequency < 0.0][::-1]
    out = ahead.copy()
    count = min(len(back), len(out) - 1)
    out[1 : count + 1] += back[:count]
    return out


def _speed_scale(axes: matplotlib.axes.Axes, time: Array, speed: Array) -> None:
    """Write the speed beside the time where it goes one way only."""
    change = np.diff(speed)
    if not ((change > 0.0).all() or (change < 0.0).all()):
        return
    for k in np.linspace(0.03 * len(time), 0.97 * (len(time) - 1), 6).round().astype(int).tolist():
        words = f"{speed[k] * RPM:.4g} rpm"
        axes.annotate(
            words,
            (0.995, time[k]),
            xycoords=("axes fraction", "data"),
            ha="right",
            va="center",
            fontsize=7.5,
            color="white",
        )


def _top(top: float | None, speed: Array | None, nyquist: float) -> float:
    """Return the highest frequency shown, Hz: by default five times the speed."""
    if top is not None:
        return float(top)
    return nyquist if speed is None or not speed.any() else min(nyquist, 5.0 * float(np.abs(speed).max()) / (2 * np.pi))
