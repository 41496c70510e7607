"""Spectra of a study: damping per mode, measured and from theory, and the energy that each mode lost."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from flexmb.postproc.arrays import Array
from flexmb.postproc.study.canvas import (
    Drawing,
    Legend,
    entries_of,
    head_figure,
    label_frame,
    look,
    panel_frames,
    set_scales,
    tidy_log,
)
from flexmb.postproc.study.spec import Asked, Panel
from flexmb.postproc.style import FAINT
from flexmb.study.table import Row

OVER = {"frequency_hz": "frequency [Hz]", "omega_h": "ω h"}
"""Abscissae of spectra."""
SHOWN = {"damping": "damping ratio", "lost": "energy lost [J]", "lost_free": "energy lost between contacts [J]"}
"""Quantities of a mode that can be drawn: MEASURE.damping and so on; MEASURE alone is damping and lost_free."""
MARKS = 26
"""Number of markers of a series; with more modes they are staggered between the series."""


def draw_modes(asked: Asked) -> Drawing:
    """Draw spectra: ``y`` is the measure, or one of its spectra; ``x`` is frequency_hz (the default) or omega_h."""
    spec = asked.spec
    over = spec.x or "frequency_hz"
    if over not in OVER:
        raise asked.error(f"must be one of {', '.join(OVER)}", key="x", value=over)
    plan = [(name, what, panel) for name, what in _wanted(asked) for panel in asked.panels]
    theory = any(what == "damping" for _, what, _ in plan)
    extra = [Line2D([], [], color=FAINT, linewidth=1.2, label="lines: theory")] if theory else []
    legend = Legend(entries_of(asked), extra, beside=len(plan) == 1)
    figure, axes = panel_frames(asked, _wanted(asked), legend.lines, height=3.3)
    drawing = Drawing(figure, ["measure", *asked.whole.axes, "mode", *OVER, *SHOWN, "damping_theory"])
    for one, (name, what, panel) in zip(axes, plan, strict=True):
        _frame(one, asked, panel, (name, what, over))
    for name in dict.fromkeys(name for name, _, _ in plan):
        drawing.rows += _rows(asked, name)
    head_figure(figure, spec.title)
    legend.draw(figure)
    return drawing


def _wanted(asked: Asked) -> list[tuple[str, str]]:
    """Return the measures and their quantities to draw."""
    known = list(dict.fromkeys(n for row in asked.whole.rows for n, own in row.arrays.items() if "omega_h" in own))
    out: list[tuple[str, str]] = []
    for word in asked.spec.y or known[:1]:
        name, _, what = word.partition(".") if word not in known else (word, "", "")
        if name not in known or (what and what not in SHOWN):
            allowed = [*known, *(f"{one}.{what}" for one in known for what in SHOWN)]
            raise asked.error(f"no run has it; recorded: {', '.join(allowed) or 'no modes'}", key="y", value=word)
        out += [(name, one) for one in ([what] if what else ["damping", "lost_free"])]
    if not out:
        raise asked.error("no run has modes: the study needs a measure with modes")
    return out


def spectrum_of(row: Row, name: str, what: str) -> Array:
    """Return one number per mode; nan if there is none."""
    own = row.arrays.get(name, {})
    if what == "lost":
        first, last = (np.array(own.get(f"energy_{end}", []), dtype=float) for end in ("first", "last"))
        return np.asarray(first - last)
    return np.array(own.get(what, [math.nan] * len(own.get("omega_h", []))), dtype=float)


def _frame(axes: Axes, asked: Asked, panel: Panel, which: tuple[str, str, str]) -> None:
    name, what, over = which
    log = asked.spec.log or ""
    set_scales(axes, log)
    for series in panel.series:
        asked.one_run(series)
        row, style = series.rows[0], look(series.place)
        x, y = spectrum_of(row, name, over), spectrum_of(row, name, what)
        elastic = spectrum_of(row, name, "omega_h") > 0.0
        if what == "damping":
            _theory(axes, row, name, over, style)
            x, y = x[elastic], y[elastic]
        joined = "" if what == "damping" else style["linestyle"]
        every = max(1, round(x.size / MARKS))
        marked = (series.place * every // max(1, len(panel.series)) % every, every)
        axes.plot(x, y, **(style | {"markersize": 4.5, "linewidth": 0.9, "linestyle": joined, "markevery": marked}))
        if what == "damping" and (lost := int(np.isnan(y).sum())):
            asked.notes.append(f"{series.label or 'the run'}: {lost} of {y.size} modes cannot be measured")
    label_frame(axes, OVER[over], SHOWN[what], panel.title)
    if "y" not in log:
        axes.axhline(0.0, color=FAINT, linewidth=0.8, zorder=1)
    tidy_log(axes, log)


def _theory(axes: Axes, row: Row, name: str, over: str, style: dict[str, Any]) -> None:
    """Draw the curve of the amplification matrix; over the frequency with the step of the run."""
    line, damping = spectrum_of(row, name, "theory_omega_h"), spectrum_of(row, name, "theory_damping")
    if not line.size or line.size != damping.size:
        return
    if over == "frequency_hz":
        omega_h, hz = spectrum_of(row, name, "omega_h"), spectrum_of(row, name, "frequency_hz")
        line = line * float(hz[-1]) / float(omega_h[-1])
    axes.plot(line, damping, color=style["color"], linestyle=style["linestyle"], linewidth=1.0, zorder=1.5)


def _rows(asked: Asked, name: str) -> list[list[Any]]:
    rows = [row for panel in asked.panels for series in panel.series for row in series.rows]
    out: list[list[Any]] = []
    for row in rows:
        place = [name, *(row.axes.get(axis, "") for axis in asked.whole.axes)]
        columns = [spectrum_of(row, name, what) for what in (*OVER, *SHOWN, "damping_theory")]
        out += [[*place, k + 1, *values] for k, values in enumerate(zip(*columns, strict=True))]
    return out
