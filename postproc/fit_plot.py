"""The figure of a fit: data and fitted curves, residuals below."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from flexmb.postproc.style import STYLE
from flexmb.postproc.ticks import take_out_power
from flexmb.record.io.summary_json import read_summary

MOST_POINTS = 200
"""Number of points of the data beside a curve; the residuals are all drawn."""


def plot_fit(folder: Path) -> Figure:
    """Return the figure of a fit's folder: a column per objective, data and curve above, residuals over sigma below."""
    summary = read_summary(folder / "fit.json")
    objectives = summary["objectives"]
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(max(7.0, 5.0 * len(objectives)), 5.0), layout="constrained")
        axes = figure.subplots(2, len(objectives), squeeze=False, sharex="col", height_ratios=[3, 1])
        for k, objective in enumerate(objectives):
            _draw(axes[0, k], axes[1, k], folder, k, objective)
        words = ", ".join(_parameter(p) for p in summary["parameters"])
        figure.suptitle(f"{summary['title'] or summary['name']}\n{words}")
    return figure


def _draw(above: Any, below: Any, folder: Path, k: int, objective: dict[str, Any]) -> None:
    data, curve = _columns(folder / f"objective_{k}.csv"), _columns(folder / f"curve_{k}.csv")
    t, y = curve.values()
    above.plot(t, y, color="C0", linewidth=1.2, label="fit", zorder=3)
    drawn = y
    if objective["points"] > 1:
        every = -(-data["t"].size // MOST_POINTS)
        label = f"data, 1 point in {every}" if every > 1 else "data"
        above.plot(data["t"][::every], data["data"][::every], ".", color="C3", markersize=5, label=label)
        drawn = np.concatenate([y, data["data"]])
    label = f"{objective['name']} [{objective['unit']}]" if objective["unit"] else objective["name"]
    take_out_power(above.yaxis, (float(drawn.min()), float(drawn.max())), label)
    above.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2)
    below.axhline(0.0, color="0.6", linewidth=0.8)
    below.plot(data["t"], data["residual"] / objective["sigma"], ".", color="C3", markersize=3)
    below.set_ylabel("residual / sigma")
    below.set_xlabel("t [s]")


def _parameter(p: dict[str, Any]) -> str:
    if not p["error"]:
        return f"{p['name']} = {p['value']:.4g} {p['unit']}".strip()
    digits = max(0, 1 - math.floor(math.log10(p["error"])))
    if digits > 6:
        relative = abs(p["value"]) / p["error"]
        known = max(2, 2 + math.floor(math.log10(relative))) if relative > 0 else 2
        return f"{p['name']} = {p['value']:.{known}g} ± {p['error']:.2g} {p['unit']}".strip()
    return f"{p['name']} = {p['value']:.{digits}f} ± {p['error']:.{digits}f} {p['unit']}".strip()


def _columns(path: Path) -> dict[str, np.ndarray]:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    numbers = np.array([[float(cell) for cell in row] for row in rows[1:]])
    return {name: numbers[:, j] for j, name in enumerate(rows[0])}
