"""The charts of a report, section by section; curves of several runs share charts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cached_property

import numpy as np

from flexmb.analysis.exact import Exact
from flexmb.analysis.exact.solution import Curve as ExactCurve
from flexmb.errors import InputError
from flexmb.postproc.arrays import Array, largest
from flexmb.postproc.contact_status import of_joint
from flexmb.postproc.named_curves import split_name, with_unit
from flexmb.postproc.plotted import PAIRS
from flexmb.postproc.report.charts import Chart, Curve, amplitude_floor, telling_range
from flexmb.postproc.report.exact_curves import exact_times
from flexmb.postproc.report.paths import shown_path
from flexmb.postproc.report.runs import Run
from flexmb.postproc.spectrum import amplitude_spectrum
from flexmb.postproc.style import INK

TIME = "time [s]"
MOST_CONTACTS, MOST_SIGNALS, MOST_PORTRAITS = 6, 18, 9
"""Default numbers of contacts or joints, signals, and portraits, orbits or spectra on a page."""
TIGHT = 1e-11
"""Errors of joints up to this, m, rad, m/s or rad/s, are round-off: they are listed, not drawn."""
FORCE = "Impulse over the time since the previous sample."
Values = Callable[[Run], Array | None]


class Sections:
    """Makes the charts of runs.

    Parameters
    ----------
    runs : list of Run
        With samples.
    exact : Exact or None
        Drawn dashed beside them.
    signals : list of str
        Signals to show; empty: those that move, a page full.
    """

    def __init__(self, runs: list[Run], exact: Exact | None, signals: list[str]) -> None:
        self.runs, self.exact, self.named = runs, exact, signals

    @cached_property
    def wanted(self) -> list[str]:
        """Names of all signals that are requested and recorded in a run, or vary in one."""
        if self.named:
            return list(dict.fromkeys(name for asked in self.named for name in self._expanded(asked)))
        moving = [run.curves.moving(run.curves.signals) for run in self.runs]
        recorded = dict.fromkeys(name for run in self.runs for name in run.curves.signals)
        return [name for name in recorded if any(name in own for own in moving)]

    def _expanded(self, asked: str) -> list[str]:
        """Return the names of a signal's components in the runs that have it; InputError if none has."""
        found, errors = [], []
        for run in self.runs:
            try:
                found += run.curves.expand([asked])
            except InputError as err:
                errors.append(str(err) if len(self.runs) == 1 else f"{run.name}: {err}")
        if errors and not found:
            raise InputError("; ".join(errors))
        return found

    @property
    def signals(self) -> list[str]:
        """Names of the signals that are shown."""
        return self.wanted if self.named else _first_of(self.wanted, MOST_SIGNALS)

    @property
    def left_out(self) -> int:
        """Number of signals that vary but are not shown."""
        return len(self.wanted) - len(self.signals)

    def over_time(
        self, name: str, title: str = "", values: Values | None = None, label: str = "", note: str = "",
        exact: ExactCurve | None = None,
    ) -> Chart:  # fmt: skip
        """Return a chart of one curve of every run over time.

        Parameters
        ----------
        name, title, label : str
            Of the curve, the chart, and its axis.
        values : callable, optional
            Gives the curve of a run, None where there is none; by default what was recorded under ``name``.
        note : str
        exact : callable, optional
            By default the exact solution's curve of that name.
        """
        get: Values = values or (lambda run: run.curves.get(name))
        found = [(run, get(run)) for run in self.runs]
        curves = [Curve(run.label, run.curves.time, y, run.colour, run.dashed) for run, y in found if y is not None]
        if self.exact is not None and curves and (exact := exact or self.exact.curves.get(name)):
            t = exact_times(self.exact, [run.curves.time for run in self.runs])
            curves.append(Curve("exact", t, exact(t), INK, dashed=True))
        words = [note, _not_recorded(run for run, y in found if y is None)]
        named = next((run.curves for run, y in found if y is not None), None)
        if named is not None:
            title, label = title or named.title(name), label or named.axis(name)
        return Chart(title, TIME, label, curves, note=" ".join(filter(None, words)))

    @cached_property
    def contact_names(self) -> list[str]:
        """Names of the contacts of all runs."""
        return list(dict.fromkeys(name for run in self.runs for name in run.result.contacts))

    def contacts(self) -> list[tuple[str, list[Chart]]]:
        """Return for each contact its gap, velocity, force and accumulated impulse."""
        given = {name: self._impulse_of(name) for name in self.contact_names}
        shown = sorted(self.contact_names, key=lambda name: -given[name])[:MOST_CONTACTS]
        return [(name, self._contact(name)) for name in self.contact_names if name in shown]

    def _impulse_of(self, name: str) -> float:
        with_it = [run for run in self.runs if name in run.result.contacts]
        return max(float(np.nansum(np.abs(run.curves.group(f"/contacts/{name}/impulse", "sum")))) for run in with_it)

    def _contact(self, name: str) -> list[Chart]:
        path, dotted = f"/contacts/{name}", f"contacts.{name}"
        first = next(run for run in self.runs if name in run.result.contacts)
        size = int(np.prod(first.result.tree[f"{path}/gap"].shape[1:], dtype=np.int64))
        smallest, summed = ("", "") if size == 1 else (f" (smallest of {size})", f" (sum of {size})")

        def own(get: Callable[[Run], Array]) -> Values:
            return lambda run: get(run) if name in run.result.contacts else None

        gap = own(lambda run: run.curves.group(f"{path}/gap", "min"))
        velocity = own(lambda run: run.curves.group(f"{path}/velocity", "min"))
        force = own(lambda run: run.curves.force(name))
        impulse = own(lambda run: np.cumsum(run.curves.group(f"{path}/impulse", "sum")))
        given = self.exact.given.get(name) if self.exact is not None else None
        charts = [
            self.over_time(f"{dotted}.gap", f"Gap{smallest}", gap, "gap [m]"),
            self.over_time(f"{dotted}.velocity", f"Relative velocity{smallest}", velocity, "velocity [m/s]"),
            self.over_time(f"{dotted}.force", f"Force{summed}", force, "force [N]", FORCE),
            self.over_time("", f"Accumulated impulse{summed}", impulse, "impulse [N s]", exact=given),
        ]
        return charts[2:] if of_joint(first.result, name) else charts

    def signal_charts(self) -> list[Chart]:
        """Return the signals over time."""
        return [self.over_time(name) for name in self.signals]

    @cached_property
    def pairs(self) -> list[tuple[str, str]]:
        """Signals recorded with their rate."""
        out = []
        for name in self.signals:
            head, word, tag = split_name(name)
            partner = f"{head}.{PAIRS[word]}{tag}" if word in PAIRS else ""
            if any(name in run.curves and partner in run.curves for run in self.runs):
                out.append((name, partner))
        return out

    def portraits(self) -> list[Chart]:
        """Return phase portraits: rate over position, of signals recorded with their rate."""
        return [self._path(x, x, y) for x, y in self.pairs[:MOST_PORTRAITS]]

    @cached_property
    def planes(self) -> list[tuple[str, str, str]]:
        """Paths of points, with the two components of largest range, for positions with two varying components."""
        groups: dict[str, list[str]] = {}
        for name in self.signals:
            head, word, tag = split_name(name)
            if word in ("position", "displacement") and tag[1:] in ("x", "y", "z"):
                groups.setdefault(f"{head}.{word}", []).append(name)
        out = []
        for vector, names in groups.items():
            spread = {name: self._spread(name) for name in names}
            two = sorted(sorted(names, key=lambda name, spread=spread: -spread[name])[:2])  # type: ignore[misc]
            if len(two) == 2 and min(spread[name] for name in two) >= 1e-6 * max(spread[name] for name in two):
                out.append((vector, two[0], two[1]))
        return out

    def _spread(self, name: str) -> float:
        values = [run.curves[name] for run in self.runs if name in run.curves]
        return max(largest(y) + largest(-y) for y in values)

    def orbits(self) -> list[Chart]:
        """Return the paths of points in the plane of their largest range."""
        return [self._path(*plane, equal=True) for plane in self.planes[:MOST_PORTRAITS]]

    def _path(self, title: str, x: str, y: str, equal: bool = False) -> Chart:
        """Return a chart of one signal over another; the last part of a long path, as its note states."""
        curves, notes = [], []
        times: list[Array] = []
        having = [run for run in self.runs if x in run.curves and y in run.curves]
        for run in having:
            first, _ = shown_path(run.curves[x], run.curves[y])
            curves.append(Curve(run.label, run.curves[x][first:], run.curves[y][first:], run.colour, run.dashed))
            times.append(run.curves.time[first:])
            if first:
                n, start = len(run.curves.time), float(times[-1][0])
                words = f"the last {n - first} of {n} samples are drawn, from t = {start:.4g} s on."
                notes.append(words.capitalize() if len(self.runs) == 1 else f"{run.label}: {words}")
        if self.exact is not None and curves and {x, y} <= self.exact.curves.keys():
            t = exact_times(self.exact, times)
            curves.append(Curve("exact", self.exact.curves[x](t), self.exact.curves[y](t), INK, dashed=True))
        note = " ".join(filter(None, [*notes, _not_recorded(run for run in self.runs if run not in having)]))
        axes = having[0].curves
        return Chart(title, axes.axis(x), axes.axis(y), curves, over_time=False, equal=equal, note=note)

    @cached_property
    def spectrum_names(self) -> list[str]:
        """Names of the signals whose spectra are drawn: no rates, unless requested."""
        return [name for name in self.signals if self.named or split_name(name)[1] not in PAIRS.values()]

    def spectra(self) -> list[Chart]:
        """Return the amplitudes of signals over frequency."""
        charts = []
        for name in self.spectrum_names[:MOST_PORTRAITS]:
            having = [run for run in self.runs if name in run.curves]
            found = [(run, *amplitude_spectrum(run.curves.time, run.curves[name])) for run in having]
            curves = [Curve(run.label, f, a, run.colour, run.dashed) for run, f, a in found if len(f)]
            if curves:
                label = with_unit("amplitude", having[0].curves.unit(name))
                floor, note = amplitude_floor(curves), _not_recorded(run for run in self.runs if run not in having)
                chart = Chart(name, "frequency [Hz]", label, floor, over_time=False, logarithmic=True, note=note)
                charts.append(replace(chart, shown=telling_range(curves)))
        return charts

    @cached_property
    def joint_names(self) -> list[str]:
        """Names of the joints of all runs."""
        return list(dict.fromkeys(name for run in self.runs for name in run.result.joints))

    def joints(self) -> list[Chart]:
        """Return the errors of joints that exceed round-off in a run."""
        names = [f"joints.{name}.{word}" for name in self.joint_names for word in ("position_error", "velocity_error")]
        errors = {
            name: [largest(np.abs(run.curves[name])) for run in self.runs if name in run.curves] for name in names
        }
        return [self.over_time(name) for name, own in errors.items() if any(not e <= TIGHT for e in own)]


def _not_recorded(runs: Iterable[Run]) -> str:
    labels = [run.label for run in runs]
    return f"Not recorded by {', '.join(labels)}." if labels else ""


def _first_of(names: list[str], most: int) -> list[str]:
    """Return at most a given number of names, some of every body instead of the first ones."""
    if len(names) <= most:
        return names
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(name.partition(".")[0], []).append(name)
    each = max(2, most // len(groups))
    chosen = [name for group in groups.values() for name in group[:each]]
    return [name for name in names if name in set(chosen[:most])]
