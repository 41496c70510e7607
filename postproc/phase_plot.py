"""Phase portraits and Poincare sections of signals, and bifurcation diagrams of the runs of a study."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from flexmb.errors import InputError
from flexmb.postproc.arrays import Array
from flexmb.postproc.named_curves import Curves, split_name
from flexmb.postproc.open_folder import Opened
from flexmb.postproc.plots import Shown
from flexmb.postproc.plotted import rate_pair, within
from flexmb.postproc.style import BLUE, FAINT, STYLE, VERMILLION
from flexmb.postproc.ticks import take_out_power

CONTINUOUS = ("position", "displacement", "rotation", "orientation", "angle", "gap", "center_of_mass", "spin_angle")
"""Signals that impacts do not make jump."""
JUMPS = "; jumps at impacts are not counted, since the signal does not have the values in between"
TURNING = ("revolute", "cylindrical")
"""Kinds of joints that a drive turns."""
SUDDEN = 3.0
"""Change of a rate at an impact, over those in the intervals before and after."""


class Section(NamedTuple):
    """When points of a Poincare section are taken: every ``period``, s, or where ``signal`` rises through ``value``.

    A rate that jumps over the value at an impact does not rise through it.
    """

    period: float | None = None
    signal: str = ""
    value: float = 0.0


def plot_phase(
    opened: Opened, x: str | None = None, y: str | None = None, start: float | None = None, end: float | None = None
) -> Figure:
    """Return the phase portrait of a signal and its rate; a dot marks the start, straight jumps are impacts.

    Parameters
    ----------
    opened : Opened
    x, y : str, optional
        Signals; by default the first varying one recorded with its rate, of a vector the component with the largest
        range.
    start, end : float, optional
        Interval of time, s.
    """
    curves = Curves(opened.result)
    names = rate_pair(curves, x, y)
    inside = within(curves.time, start, end)
    a, b = (curves[name][inside] for name in names)
    with matplotlib.rc_context(STYLE):
        figure = Shown(figsize=(5.0, 4.6), layout="constrained")
        axes = figure.add_subplot()
        axes.plot(a, b, color=BLUE, linewidth=0.8)
        axes.plot(a[:1], b[:1], "o", color=VERMILLION, markersize=4.0, label=f"t = {curves.time[inside][0]:.4g} s")
        axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.01))
        _named(axes, curves, names, opened.title or "Phase portrait")
    return figure


def plot_poincare(
    opened: Opened, x: str | None = None, y: str | None = None, start: float | None = None, end: float | None = None,
    section: Section | None = None,
) -> Figure:  # fmt: skip
    """Return a Poincare section: the portrait faint, and the points of the section, later ones darker.

    Parameters
    ----------
    opened : Opened
    x, y, start, end
        As for ``plot_phase``.
    section : Section, optional
        By default the period of the first harmonic load or motion of the case, or of its speed of rotation.
    """
    curves = Curves(opened.result)
    names = rate_pair(curves, x, y)
    section = Section(drive_period(opened.case)) if section is None else section
    inside = within(curves.time, start, end)
    at, points = section_points(curves, names, section, inside)
    with matplotlib.rc_context(STYLE):
        figure = Shown(figsize=(5.0, 4.6), layout="constrained")
        axes = figure.add_subplot()
        axes.plot(*(curves[name][inside] for name in names), color=FAINT, linewidth=0.4, alpha=0.4)
        shades = axes.scatter(points[:, 0], points[:, 1], c=at, cmap="viridis_r", s=14.0, zorder=3, linewidths=0.0)
        if len(points) > 1:
            figure.colorbar(shades, ax=axes, aspect=40, pad=0.02).set_label("time [s]")
        count = f"{len(points)} points" if len(points) > 1 else f"1 point, at t = {at[0]:.4g} s"
        _named(axes, curves, names, f"{opened.title or 'Poincare section'}\n{count}, {_words(section)}")
    return figure


def section_points(curves: Curves, names: Sequence[str], section: Section, inside: Array) -> tuple[Array, Array]:
    """Return the times of the points of a section, (k,), and their coordinates, (k, 2)."""
    t = curves.time[inside]
    if section.period is not None:
        if not np.isfinite(section.period) or section.period <= 0.0:
            raise InputError("must be positive, s", key="period", value=section.period)
        first = np.ceil(t[0] / section.period - 1e-9)
        at = section.period * np.arange(first, np.floor(t[-1] / section.period + 1e-9) + 1)
    else:
        s = curves[curves.expand([section.signal])[0]][inside] - section.value
        up = np.flatnonzero((s[:-1] < 0.0) & (s[1:] >= 0.0) & ~in_jumps(curves, section.signal)[inside][1:])
        at = t[up] - s[up] * (t[up + 1] - t[up]) / (s[up + 1] - s[up])
    if not len(at):
        jumps = "" if section.period is not None or not in_jumps(curves, section.signal)[inside].any() else JUMPS
        words = f"no point: {_words(section)} does not occur between {t[0]:g} and {t[-1]:g} s{jumps}"
        raise InputError(words, key="section")
    points = np.column_stack([np.interp(at, t, curves[name][inside]) for name in names])
    return np.asarray(at), points


def in_jumps(curves: Curves, signal: str) -> NDArray[np.bool_]:
    """Return which samples a signal reached by the jump of an impact, (n,): it never had the values in between.

    Rates jump, positions do not. A jump is a change over an interval with a contact impulse that is several times the
    changes in both neighboring intervals; contact that lasts changes rates gradually.
    """
    s = curves[curves.expand([signal])[0]]
    out = np.zeros(len(s), dtype=np.bool_)
    if split_name(signal)[1] in CONTINUOUS or len(s) < 2:
        return out
    change = np.pad(np.abs(np.diff(s)), 1)
    sudden = change[1:-1] > SUDDEN * np.maximum(change[:-2], change[2:])
    pushed = np.zeros(len(s), dtype=np.bool_)
    for contact in curves.result.contacts.values():
        pushed |= (np.nan_to_num(contact.impulse.reshape(len(s), -1)) != 0.0).any(axis=1)
    out[1:] = sudden & pushed[1:]
    return out


def drive_period(case: dict[str, Any]) -> float:
    """Return the period of the first harmonic function of a case, or else of the first prescribed speed, s."""
    for role, key in (("loads", "function"), ("contacts", "motion"), ("joints", "drive")):
        for table in case.get(role, {}).values():
            function = table.get(key) if isinstance(table, dict) else None
            if isinstance(function, dict) and function.get("kind") == "harmonic":
                if function.get("frequency"):
                    return 1.0 / float(function["frequency"])
                if function.get("omega"):
                    return 2.0 * np.pi / float(function["omega"])
    speed = next((abs(speed) for speed in _speeds(case) if speed), 0.0)
    if speed:
        return 2.0 * np.pi / speed
    message = "the case has no harmonic load or motion and no constant speed of rotation with a period: give"
    raise InputError(f"{message} --period T, s, or --section SIGNAL=VALUE", key="period")


def _speeds(case: dict[str, Any]) -> Iterator[float]:
    """Yield the constant speeds of rotation that a case prescribes, rad/s: of rotors, and of driven joints."""
    tables = {role: [t for t in case.get(role, {}).values() if isinstance(t, dict)] for role in ("bodies", "joints")}
    turning = [joint for joint in tables["joints"] if joint.get("kind") in TURNING]
    for owners, key, kind, number in (
        (tables["bodies"], "spin", "constant", "speed"),
        (turning, "drive", "spin-up", "rate"),
    ):
        for function in (owner.get(key) for owner in owners):
            if isinstance(function, dict) and function.get("kind") == kind and number in function:
                yield float(function[number])


def plot_bifurcation(
    runs: Sequence[tuple[float, Opened]], key: str, signal: str | None, section: Section | None, start: float | None
) -> Figure:
    """Return a bifurcation diagram: a signal at the points of a Poincare section, over a key of the case.

    Parameters
    ----------
    runs : sequence of (float, Opened)
        Value of the key and run.
    key : str
        Name of the axis.
    signal : str, optional
        By default the first that moves and is recorded with its rate.
    section : Section, optional
        By default the period of the harmonic load, or of the speed of rotation, of each run.
    start : float, optional
        Points before it are left out, s; by default the first half of each run.
    """
    xs, ys, name, curves = [], [], "", None
    for value, opened in runs:
        curves = Curves(opened.result)
        name = curves.expand([signal])[0] if signal else name or rate_pair(curves, None, None)[0]
        own = Section(drive_period(opened.case)) if section is None else section
        t = curves.time
        inside = within(t, 0.5 * (t[0] + t[-1]) if start is None else start, None)
        _, points = section_points(curves, [name], own, inside)
        xs.append(np.full(len(points), value))
        ys.append(points[:, 0])
    if curves is None:
        raise InputError("the study has no successful run")
    with matplotlib.rc_context(STYLE):
        figure = Shown(figsize=(6.4, 4.4), layout="constrained")
        axes = figure.add_subplot()
        axes.plot(np.concatenate(xs), np.concatenate(ys), ".", color=BLUE, markersize=2.5)
        axes.set_xlabel(key)
        take_out_power(axes.yaxis, axes.get_ylim(), curves.axis(name))
        title = f"{name} over {key}"
        axes.set_title(title)
    return figure


def _words(section: Section) -> str:
    if section.period is not None:
        return f"every {section.period:.6g} s"
    return f"where {section.signal} rises through {section.value:g}"


def _named(axes: Any, curves: Curves, names: tuple[str, str], title: str) -> None:
    for axis, ends, name in zip((axes.xaxis, axes.yaxis), (axes.get_xlim(), axes.get_ylim()), names, strict=True):
        take_out_power(axis, ends, curves.axis(name))
    axes.set_title(f"{title}\n{names[0].rpartition('.')[0]}", fontsize=9)
