"""Comparison of a run of a case with a reference: curves and their errors."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

import flexmb as fm
from flexmb.postproc.style import BLUE, INK, STYLE
from flexmb.postproc.ticks import take_out_power

TESTS = str(Path(__file__).parents[2] / "tests")
"""Folder of the reference solutions, which share no code with flexmb."""
LEAST_POINTS = 40
"""References with fewer points than this are drawn as markers."""


@dataclass(frozen=True)
class Curve:
    """A computed curve and its reference over the same abscissae.

    Parameters
    ----------
    label : str
        What it is, with its unit: the label of the axis.
    x, computed, reference : array_like
        Of one length.
    at_most : float
        Largest error that is accepted.
    mean : bool
        Whether the error is the mean and not the largest distance: curves that jump are a sample late at most.
    abscissa : str
        Label of ``x``.
    """

    label: str
    x: ArrayLike
    computed: ArrayLike
    reference: ArrayLike
    at_most: float
    mean: bool = False
    abscissa: str = "time [s]"

    @property
    def error(self) -> float:
        """Distance of the curves relative to the range of the reference, or to its magnitude if it is constant."""
        ours, theirs = (np.asarray(values, dtype=float) for values in (self.computed, self.reference))
        apart = np.abs(ours - theirs)
        size = float(np.ptp(theirs)) or float(np.abs(theirs).max()) or 1.0
        return float(apart.mean() if self.mean else apart.max()) / size

    @property
    def ok(self) -> bool:
        """Whether the error is accepted."""
        return bool(self.error <= self.at_most)


@dataclass(frozen=True)
class Comparison:
    """A comparison: the case and its overrides, the source, the reference, and the curves."""

    name: str
    title: str
    source: str
    reference: str
    case: str
    overrides: Sequence[str]
    curves_of: Callable[[fm.Result], list[Curve]]
    words: str

    def run(self) -> list[Curve]:
        """Run the case and return the curves."""
        if TESTS not in sys.path:  # MkDocs removes entries that modules add to sys.path during their import
            sys.path.insert(0, TESTS)
        return self.curves_of(fm.load_case(self.case, list(self.overrides)).run())


def compared(
    case: str, title: str, source: str, reference: str, *overrides: str
) -> Callable[[Callable[[fm.Result], list[Curve]]], Comparison]:
    """Mark a function of a result, which returns curves, as a comparison.

    Parameters
    ----------
    case : str
        A shipped case.
    title : str
    source : str
        Where the problem, and the figure if there is one, was published.
    reference : str
        What the curves are compared with: a closed form, a published table, an integration.
    *overrides : str
        Keys of the case that are set, as on the command line.
    """

    def mark(function: Callable[[fm.Result], list[Curve]]) -> Comparison:
        words = " ".join((function.__doc__ or "").split())
        return Comparison(function.__name__, title, source, reference, case, overrides, function, words)

    return mark


def drawn(curves: Sequence[Curve]) -> Figure:
    """Draw the curves in frames one above the other, references dashed or as markers."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(7.2, 0.4 + 2.3 * len(curves)), layout="constrained")
        for axes, curve in zip(figure.subplots(len(curves), 1, squeeze=False)[:, 0], curves, strict=True):
            x = np.asarray(curve.x, dtype=float)
            few = x.size < LEAST_POINTS
            single: dict[str, Any] = {"linestyle": "none", "marker": "x"} if few else {"linewidth": 1.6}
            axes.plot(x, curve.computed, color=BLUE, label="flexmb", **single)
            style = {"linestyle": "none", "marker": "o", "fillstyle": "none"} if few else {"linestyle": (0, (4, 2))}
            axes.plot(x, curve.reference, color=INK, linewidth=1.0, label="reference", **style)
            axes.margins(x=0.02 if few else 0.0)
            if few and np.array_equal(x, np.round(x)):
                axes.set_xticks(x)
            take_out_power(axes.xaxis, axes.get_xlim(), curve.abscissa)
            take_out_power(axes.yaxis, axes.get_ylim(), curve.label)
            axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2)
    return figure


def component(result: fm.Result, name: str, k: int | None = None) -> NDArray[np.float64]:
    """Return a signal, or a component of it."""
    values = np.asarray(result.signals[name], dtype=float)
    return values.ravel() if k is None else values[:, k]
