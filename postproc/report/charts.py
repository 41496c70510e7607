"""Charts as plain data, drawn by ``chart.js``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexmb.analysis.measures.thinning import kept
from flexmb.postproc.arrays import Array, IntArray
from flexmb.postproc.report.numbers import Numbers
from flexmb.postproc.report.paths import shown_path
from flexmb.postproc.style import (
    BLUE,
    BROWN,
    CYCLE,
    FAINT,
    GREEN,
    INK,
    OLIVE,
    ORANGE,
    PURPLE,
    SKY,
    TEAL,
    VERMILLION,
    WINE,
)

COLOURS = {
    BLUE: "blue",
    VERMILLION: "vermillion",
    GREEN: "green",
    PURPLE: "purple",
    ORANGE: "orange",
    SKY: "sky",
    BROWN: "brown",
    OLIVE: "olive",
    TEAL: "teal",
    WINE: "wine",
    INK: "ink",
    FAINT: "faint",
}
"""Color names of the page; their lightness depends on the light or dark theme."""
MOST = 2000
"""Maximum number of points of a curve; more cannot be distinguished on a page."""


@dataclass(frozen=True)
class Curve:
    """One curve, or a band.

    Parameters
    ----------
    label : str
    x, y : (n,) arrays
    colour : str
        One of the colours of the style.
    dashed : bool
    low : (n,) array, optional
        With it the band between ``low`` and ``y`` is filled; bands of one chart have the same ``x``.
    """

    label: str
    x: Array
    y: Array
    colour: str = BLUE
    dashed: bool = False
    low: Array | None = None

    def spec(self, numbers: Numbers, keep: IntArray | None = None) -> dict[str, Any]:
        """Return the data for the page at the samples ``keep``; by default thinned with the extremes of ``y`` kept.

        ``samples`` says how many there were before.
        """
        if keep is None:
            ordered = len(self.x) < 2 or bool(np.all(np.diff(self.x) >= 0.0))
            keep = kept([self.y], MOST) if ordered else shown_path(self.x, self.y)[1]
        out: dict[str, Any] = {"label": self.label, "colour": COLOURS[self.colour], "dashed": self.dashed}
        out |= {"samples": len(self.x), "x": numbers.add(self.x[keep]), "y": numbers.add(self.y[keep])}
        return out if self.low is None else out | {"low": numbers.add(self.low[keep])}


@dataclass(frozen=True)
class Chart:
    """Curves in one frame.

    Parameters
    ----------
    title, x_label, y_label : str
        Labels hold the units.
    curves : list of Curve
    over_time : bool
        Whether x is the time of the run: then a cursor follows the animation.
    equal : bool
        Whether both axes have the same scale (orbits).
    logarithmic : bool
        Whether y is drawn on a logarithmic scale; x can then be switched to one.
    shown : tuple of float, optional
        The initial range of x; a double click shows all.
    note : str
        Text below the title.
    low : bool
        Whether the frame is low (a strip).
    """

    title: str
    x_label: str
    y_label: str
    curves: list[Curve] = field(default_factory=list)
    over_time: bool = True
    equal: bool = False
    logarithmic: bool = False
    note: str = ""
    shown: tuple[float, float] | None = None
    low: bool = False

    def spec(self, numbers: Numbers) -> dict[str, Any]:
        """Return the data for the page."""
        out: dict[str, Any] = {"kind": "curves", "title": self.title, "x": self.x_label, "y": self.y_label}
        out |= {"time": self.over_time, "equal": self.equal, "log": self.logarithmic, "note": self.note}
        out |= {"shown": self.shown, "low": self.low}
        # bands are stacked: the edges of all are at the same samples
        bands = [curve.y for curve in self.curves if curve.low is not None]
        stack = kept(bands, MOST) if bands else None
        return out | {"curves": [curve.spec(numbers, None if curve.low is None else stack) for curve in self.curves]}


@dataclass(frozen=True)
class Bars:
    """Steps from one number to another, as bars that each start where the previous one ends.

    Parameters
    ----------
    title, y_label : str
    bars : list of (word, from, to, colour)
    note : str
    """

    title: str
    y_label: str
    bars: list[tuple[str, float, float, str]]
    note: str = ""

    def spec(self, numbers: Numbers) -> dict[str, Any]:
        """Return the data for the page."""
        bars = [{"label": w, "from": a, "to": b, "colour": COLOURS[colour]} for w, a, b, colour in self.bars]
        return {"kind": "bars", "title": self.title, "y": self.y_label, "note": self.note, "bars": bars}


def cycle(k: int) -> str:
    """Return the colour of the k-th run."""
    return CYCLE[k % len(CYCLE)]


def telling_range(curves: list[Curve]) -> tuple[float, float] | None:
    """Return the range of relevant frequencies: up to 1.25 times the last amplitude above a thousandth of the peak.

    At least twenty frequencies are shown, so that a single line can be told from its neighbours.
    """
    some = [curve for curve in curves if len(curve.x) > 20 and curve.y.max() > 0.0]
    if not some:
        return None
    ends = [1.25 * float(c.x[np.flatnonzero(c.y > 1e-3 * c.y.max())[-1]]) for c in some]
    last = min(max(*ends, *(float(c.x[19]) for c in some)), max(float(c.x[-1]) for c in some))
    return min(float(c.x[0]) for c in some), last


def amplitude_floor(curves: list[Curve]) -> list[Curve]:
    """Return spectra cut off below a millionth of their peak, and above the last frequency that exceeds it."""
    floor = 1e-6 * max((float(curve.y.max()) for curve in curves if curve.y.size), default=0.0)
    above = [curve.x[np.flatnonzero(curve.y > floor)] for curve in curves]
    last = 1.1 * max((float(x[-1]) for x in above if x.size), default=np.inf)
    return [Curve(c.label, c.x[c.x <= last], np.maximum(c.y, floor)[c.x <= last], c.colour, c.dashed) for c in curves]
