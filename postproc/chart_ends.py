"""The charts around a scene; those of several results share the time axis and, if readable, the scale."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from flexmb.postproc.contact_status import of_joint
from flexmb.postproc.plots import draw_energy, draw_forces, draw_gaps
from flexmb.postproc.style import STYLE
from flexmb.postproc.ticks import move_ends, words_of
from flexmb.record.result import Result

Ends = tuple[float, float]
APART = 8.0
"""Ratio of a common scale to that of a chart above which the chart would be unreadable and keeps its own scale."""


@dataclass(frozen=True)
class ChartEnds:
    """Ends of axes that several results share.

    Parameters
    ----------
    times : tuple of float
        s.
    values : dict
        Ends of the scales of charts, by the words at their axes.
    """

    times: Ends
    values: dict[str, Ends]

    def give(self, axes: Axes) -> None:
        """Set the axis ends of a chart."""
        move_ends(axes.xaxis, self.times)
        if (words := words_of(axes.yaxis)) in self.values:
            move_ends(axes.yaxis, self.values[words])


def draws_of(result: Result) -> list[Callable[[Axes, Result], None]]:
    """Return the functions that draw the charts of a result."""
    contacts: list[Callable[[Axes, Result], None]] = [draw_forces] if result.contacts else []
    if any(not of_joint(result, name) for name in result.contacts):
        contacts.insert(0, draw_gaps)
    return contacts + ([draw_energy] if "/energy/kinetic" in result.tree else [])


def common_ends(results: Sequence[Result]) -> ChartEnds | None:
    """Return the common axis ends of the charts of several results; None for one result or zero duration."""
    times = np.array([[result.time[0], result.time[-1]] for result in results])
    whole = float(times.min()), float(times.max())
    if len(results) < 2 or whole[0] == whole[1]:
        return None
    own: dict[str, list[Ends]] = {}
    with matplotlib.rc_context(STYLE):
        for result in results:
            for draw in draws_of(result):
                axes = Figure().subplots()
                draw(axes, result)
                own.setdefault(words_of(axes.yaxis), []).append(axes.get_ylim())
    joint = {words: (min(low for low, _ in ends), max(high for _, high in ends)) for words, ends in own.items()}
    values = {
        words: (low, high)
        for words, (low, high) in joint.items()
        if high - low <= APART * min(end - start for start, end in own[words])
    }
    return ChartEnds(whole, values)
