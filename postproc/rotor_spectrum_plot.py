"""Spectra of rotors: of a time interval, with forward and backward parts, and over time as a waterfall."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from flexmb.errors import InputError
from flexmb.postproc.arrays import Array
from flexmb.postproc.open_folder import Opened
from flexmb.postproc.rotor_results import recorded, speed_of, within
from flexmb.postproc.rotor_style import RPM, shortened, wrapped
from flexmb.postproc.spectrum import full_spectrum
from flexmb.postproc.style import CYCLE, FIELD_MAP, INK, STYLE

WINDOWS = 160
"""Number of windows of a waterfall."""
DECADES = 4.0
"""Dynamic range of the colors of a waterfall."""
FINE = 4
"""Interpolation factor of the frequencies of a waterfall, for smooth colors."""


def plot_spectrum(
    opened: Opened,
    names: Sequence[str] | None = None,
    start: float | None = None,
    end: float | None = None,
    top: float | None = None,
) -> Figure:
    """Return a figure of spectra: backward left of zero, forward right of it; by default of the last half.

    Parameters
    ----------
    opened : Opened
    names : sequence of str, optional
        As in ``plot_orbits``.
    start, end : float, optional
        Interval of time, s.
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
        span = f", {t[shown][0]:.4g} to {t[shown][-1]:.4g} s"
        axes.set_title(shortened(opened.title or "Spectrum", 76 - len(span)) + span, pad=20)
        axes.legend(loc="lower left", bbox_to_anchor=(0.0, 1.005), ncols=5)
    return figure


def plot_waterfall(
    opened: Opened,
    names: Sequence[str] | None = None,
    start: float | None = None,
    end: float | None = None,
    top: float | None = None,
    window: float | None = None,
) -> Figure:
    """Return a figure of the spectrum of one node over time, as colours, with multiples of the speed as lines.

    Forward and backward are added. Parameters as in ``plot_spectrum``; of several nodes the first is taken.
    ``window`` is the length of time that a spectrum is made of, s (by default ``window_length``).
    """
    node = recorded(opened, names)[0]
    shown = within(node.time, start, end)
    t, yz = node.time[shown], node.yz[shown]
    length = _samples(t, window, speed_of(opened, node.body, t))
    firsts = np.unique(np.linspace(0, len(t) - length, min(WINDOWS, len(t) - length + 1)).astype(np.int64))
    rows = []
    for first in firsts.tolist():
        frequency, amplitude = full_spectrum(t[first : first + length], yz[first : first + length], FINE)
        rows.append(_one_sided(frequency, amplitude))
    span = float(t[length - 1] - t[0])
    middle = t[firsts] + 0.5 * span
    positive = frequency[frequency >= 0.0]
    speed = speed_of(opened, node.body, middle)
    top = _top(top, speed, float(positive[-1]))
    some = positive <= 1.05 * top
    positive, values = positive[some], np.array(rows)[:, some]
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(7.8, 5.6), layout="constrained")
        axes = figure.subplots()
        highest = float(values.max()) or 1.0
        norm = LogNorm(highest * 10.0**-DECADES, highest)
        colours = np.maximum(values, highest * 10.0**-DECADES)
        mesh = axes.pcolormesh(positive, middle, colours, norm=norm, cmap=FIELD_MAP, shading="gouraud", rasterized=True)
        figure.colorbar(mesh, ax=axes, label="amplitude [m]", pad=0.02)
        axes.set_xlim(0.0, top)
        axes.set_ylim(middle[0], middle[-1])
        axes.grid(False)
        if speed is not None:
            _draw_orders(axes, middle, speed, top)
        axes.set(xlabel="frequency [Hz]", ylabel=f"time [s], middle of windows of {span:.3g} s")
        axes.set_title(wrapped(f"{node.name}: {opened.title or 'waterfall'}", 66))
    return figure


def window_length(time: Array, speed: Array | None) -> float:
    """Return the default length of a window of a waterfall, s.

    Eight revolutions resolve multiples of the speed, whose lines are 4 / length wide. In a run-up a line moves by its
    rate times the length: at the square root of 2 / rate both effects are equal. The length is at most a quarter of the
    time and at least a fortieth.
    """
    whole = float(time[-1] - time[0])
    if speed is None or not speed.any():
        return whole / 12.0
    turns = np.abs(speed) / (2.0 * np.pi)
    rate = float(np.median(np.abs(np.gradient(turns, time))))
    best = min(8.0 / float(turns.mean()), np.sqrt(2.0 / rate) if rate else np.inf)
    return float(np.clip(best, whole / 40.0, whole / 4.0))


def _samples(time: Array, window: float | None, speed: Array | None) -> int:
    """Return the number of samples of a window."""
    step = float(time[-1] - time[0]) / (len(time) - 1)
    if window is not None and not 16 * step <= window <= time[-1] - time[0]:
        message = f"must lie between {16 * step:.4g} s (16 samples) and {time[-1] - time[0]:.4g} s, the time shown"
        raise InputError(message, key="window", value=window)
    wanted = window_length(time, speed) if window is None else window
    return int(np.clip(round(wanted / step), 16, len(time)))


def _draw_orders(axes: Axes, time: Array, speed: Array, top: float) -> None:
    """Draw multiples of the speed over the colours, and a varying speed along the right edge."""
    for order in (1, 2, 3):
        f = order * np.abs(speed) / (2 * np.pi)
        axes.plot(f, time, color="white", linewidth=0.9, linestyle=(0, (4, 3)))
        inside = np.flatnonzero(f < 0.95 * top)
        if inside.size:
            k = int(inside[int(0.93 * (inside.size - 1))])
            axes.text(f[k], time[k], f" {order}x", color="white", fontsize=8)
    if np.ptp(speed) <= 1e-9 * np.abs(speed).max():
        return
    right = axes.twinx()
    right.set_ylim(axes.get_ylim())
    right.grid(False)
    low, high = axes.get_ylim()
    ticks = [t for t in axes.get_yticks() if low <= t <= high]
    right.set_yticks(ticks, [f"{np.interp(t, time, speed) * RPM:.4g}" for t in ticks])
    right.set_ylabel("speed [rpm]")


def _one_sided(frequency: Array, amplitude: Array) -> Array:
    """Return the sum of forward and backward amplitudes, for the frequencies from zero on."""
    ahead, back = amplitude[frequency >= 0.0], amplitude[frequency < 0.0][::-1]
    out = ahead.copy()
    count = min(len(back), len(out) - 1)
    out[1 : count + 1] += back[:count]
    return out


def _top(top: float | None, speed: Array | None, nyquist: float) -> float:
    """Return the highest frequency shown, Hz: by default five times the speed."""
    if top is not None:
        return float(top)
    return nyquist if speed is None or not speed.any() else min(nyquist, 5.0 * float(np.abs(speed).max()) / (2 * np.pi))
