"""The chart of the signals of a run: those of its expectations, except constant and duplicate ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from flexmb.analysis.measures.thinning import thinned
from flexmb.case.case import Case
from flexmb.postproc.named_curves import Curves, split_name
from flexmb.postproc.signal_units import unit_of_signal
from flexmb.postproc.style import CYCLE, STYLE
from flexmb.postproc.ticks import take_out_power
from flexmb.record.result import Result

MOST = 4
"""Largest number of signals of a chart."""
ROUND_OFF = 1e-9
"""Changes below this fraction of the largest value with the same unit are not drawn."""
ALIKE = 4.0
"""Signals whose ranges differ by more than this factor are drawn in separate frames."""
SAME = 1e-6
"""Curves that differ, apart from a shift, by less than this fraction of their range are drawn once."""
ERRORS = ("position_error", "velocity_error")


def signals_chart(case: Case, result: Result) -> Figure | None:
    """Return the chart of a run; None if all signals are constant."""
    curves = Curves(result)
    frames = framed(curves, telling(curves, [expect.signal for expect in case.expects]))
    if not frames:
        return None
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(6.4, 0.5 + 1.9 * len(frames)), layout="constrained")
        axes = figure.subplots(len(frames), 1, sharex=True, squeeze=False)[:, 0]
        for one, names in zip(axes, frames, strict=True):
            _draw(one, curves, names)
        take_out_power(axes[-1].xaxis, (float(curves.time[0]), float(curves.time[-1])), "time [s]")
    return figure


def telling(curves: Curves, asked: Iterable[str]) -> list[str]:
    """Return the signals to draw: the requested ones that vary, without duplicates; else the first ones that vary.

    Energies have a chart of their own, errors of joints are round-off, impulse and force of a contact are one curve.
    """
    sizes, wanted = _sizes(curves), list(dict.fromkeys(asked))
    for names in ([name for name in wanted if _force(name) not in wanted], curves.names):
        out: list[str] = []
        for name in names:
            if name in curves and _moves(name, curves, sizes) and not any(_same(curves, name, one) for one in out):
                out.append(name)
            if len(out) == MOST:
                break
        if out:
            return out
    return []


def framed(curves: Curves, names: Sequence[str]) -> list[list[str]]:
    """Return the signals by frames: those with equal units and similar ranges share a frame."""
    frames: list[list[str]] = []
    for name in names:
        for frame in frames:
            ranges = [float(np.ptp(curves[one])) for one in (*frame, name)]
            if unit_of_signal(name) == unit_of_signal(frame[0]) and max(ranges) <= ALIKE * min(ranges):
                frame.append(name)
                break
        else:
            frames.append([name])
    return frames


def _force(name: str) -> str:
    """Return the name of the contact force that belongs to an impulse signal; else an empty string."""
    return name.replace(".impulse", ".force") if name.startswith("contacts.") and ".impulse" in name else ""


def _sizes(curves: Curves) -> dict[str, float]:
    """Return the largest value with each unit."""
    out: dict[str, float] = {}
    for name in curves.names:
        key = unit_of_signal(name)
        out[key] = max(out.get(key, 0.0), float(np.nanmax(np.abs(curves[name]), initial=0.0)))
    return out


def _moves(name: str, curves: Curves, sizes: dict[str, float]) -> bool:
    if name.startswith("energy.") or name.rpartition(".")[2] in ERRORS:
        return False
    values = curves[name]
    return bool(np.isfinite(values).all() and np.ptp(values) > ROUND_OFF * sizes[unit_of_signal(name)])


def _same(curves: Curves, one: str, other: str) -> bool:
    """Return whether two curves show the same motion, such as a gap and a position."""
    if unit_of_signal(one) != unit_of_signal(other):
        return False
    a, b = (curves[name] - curves[name].mean() for name in (one, other))
    return float(np.abs(a - b).max()) <= SAME * max(float(np.ptp(a)), float(np.ptp(b)))


def _draw(axes: Axes, curves: Curves, names: Sequence[str]) -> None:
    """Draw signals in one frame, with the legend above it."""
    word = ", ".join(dict.fromkeys(split_name(name)[1] for name in names)).replace("_", " ")
    for name, colour in zip(names, CYCLE, strict=False):
        axes.plot(*thinned(curves.time, curves[name]), color=colour, label=name)
    unit = unit_of_signal(names[0])
    take_out_power(axes.yaxis, axes.get_ylim(), f"{word} [{unit}]" if unit else word)
    axes.set_xlim(float(curves.time[0]), float(curves.time[-1]))
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.02), ncols=2)
