"""The charts of a report, section by section; with several runs their curves lie over each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property

import numpy as np

from flexmb.exact import Exact
from flexmb.io.structure import mean_force
from flexmb.postproc.arrays import Array
from flexmb.postproc.ledger import Ledger
from flexmb.postproc.named import labelled, unit_of
from flexmb.postproc.report.charts import Bars, Chart, Curve, amplitude_floor, telling_range
from flexmb.postproc.report.runs import Run, exact_times
from flexmb.postproc.spectrum import amplitude_spectrum
from flexmb.postproc.style import BLUE, INK

TIME = "time [s]"
MOST_CONTACTS, MOST_SIGNALS, MOST_PORTRAITS = 6, 18, 9
"""How many contacts, signals and portraits a page shows unless signals are named."""
PAIRS = {"position": "velocity", "displacement": "velocity", "angle": "angle_rate", "rotation": "angular_velocity"}
"""Words of signals whose second is the rate of the first."""
Values = Callable[[Run], Array]


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
        """Names of all signals that are asked for, or that move."""
        known = [run.curves for run in self.runs]
        if self.named or not known:
            return list(dict.fromkeys(name for curves in known for name in curves.expand(self.named)))
        heads = ("contacts.", "energy.")
        names = [name for name in known[0].names if not name.startswith(heads) and not _joint_row(name)]
        return [name for name in known[0].moving(names) if all(name in curves for curves in known)]

    @property
    def signals(self) -> list[str]:
        """Names of the signals that are shown."""
        return self.wanted if self.named else _first_of(self.wanted, MOST_SIGNALS)

    @property
    def left_out(self) -> int:
        """How many signals move but are not shown."""
        return len(self.wanted) - len(self.signals)

    def over_time(self, name: str, title: str = "", values: Values | None = None, label: str = "") -> Chart:
        """Return a chart of one curve of every run over time."""
        get = values or (lambda run: run.curves[name])
        having = [run for run in self.runs if values is not None or name in run.curves]
        curves = [Curve(run.label, run.curves.time, get(run), run.colour) for run in having]
        if self.exact is not None and name in self.exact.curves and self.runs:
            t = exact_times(self.exact, self.runs[0].curves.time)
            curves.append(Curve("exact", t, self.exact.curves[name](t), INK, dashed=True))
        return Chart(title or name, TIME, label or labelled(name), curves)

    def contacts(self) -> list[tuple[str, list[Chart]]]:
        """Return for each contact its gap, velocity, force and the impulse given so far."""
        names = list(dict.fromkeys(name for run in self.runs for name in run.result.contacts))
        given = {name: self._impulse_of(name) for name in names}
        shown = sorted(names, key=lambda name: -given[name])[:MOST_CONTACTS]
        return [(name, self._contact(name)) for name in names if name in shown]

    def hidden_contacts(self) -> int:
        """Return how many contacts are not drawn."""
        return max(0, len({name for run in self.runs for name in run.result.contacts}) - MOST_CONTACTS)

    def _impulse_of(self, name: str) -> float:
        with_it = [run for run in self.runs if name in run.result.contacts]
        return max(float(np.abs(run.curves.group(f"/contacts/{name}/impulse", "sum")).sum()) for run in with_it)

    def _contact(self, name: str) -> list[Chart]:
        path, dotted = f"/contacts/{name}", f"contacts.{name}"
        first = next(run for run in self.runs if name in run.result.contacts)
        size = int(np.prod(first.result.tree[f"{path}/gap"].shape[1:], dtype=np.int64))
        smallest, summed = ("", "") if size == 1 else (f" (smallest of {size})", f" (sum of {size})")
        inner = Sections([run for run in self.runs if name in run.result.contacts], self.exact, [])
        force = inner.over_time(f"{dotted}.force", f"Force{summed}", lambda run: _force(run, path), "force [N]")
        impulse = inner.over_time(
            f"{dotted}.given",
            f"Impulse so far{summed}",
            lambda run: np.cumsum(run.curves.group(f"{path}/impulse", "sum")),
            "impulse [N s]",
        )
        gap = inner.over_time(
            f"{dotted}.gap", f"Gap{smallest}", lambda run: run.curves.group(f"{path}/gap", "min"), "gap [m]"
        )
        velocity = inner.over_time(
            f"{dotted}.velocity",
            f"Relative velocity{smallest}",
            lambda run: run.curves.group(f"{path}/velocity", "min"),
            "velocity [m/s]",
        )
        return [gap, velocity, force, impulse]

    def signal_charts(self) -> list[Chart]:
        """Return the signals over time."""
        return [self.over_time(name) for name in self.signals]

    def portraits(self) -> list[Chart]:
        """Return phase portraits: rate over position, of signals that come with their rate, and of contacts."""
        charts = []
        for x, y in self._pairs()[:MOST_PORTRAITS]:
            curves = [
                Curve(run.label, run.curves[x], run.curves[y], run.colour)
                for run in self.runs
                if x in run.curves and y in run.curves
            ]
            if self.exact is not None and x in self.exact.curves and y in self.exact.curves:
                t = exact_times(self.exact, self.runs[0].curves.time)
                curves.append(Curve("exact", self.exact.curves[x](t), self.exact.curves[y](t), INK, dashed=True))
            charts.append(Chart(x, labelled(x), labelled(y), curves, over_time=False))
        return charts

    def _pairs(self) -> list[tuple[str, str]]:
        known = self.runs[0].curves if self.runs else ()
        out = []
        for name in self.signals:
            head, word, tag = _split(name)
            partner = f"{head}.{PAIRS[word]}{tag}" if word in PAIRS else ""
            if partner in known:
                out.append((name, partner))
        return out

    def orbits(self) -> list[Chart]:
        """Return the ways of points in the plane they move in most: of every position with two moving components."""
        groups: dict[str, list[str]] = {}
        for name in self.signals:
            head, word, tag = _split(name)
            if word in ("position", "displacement") and tag[1:] in ("x", "y", "z"):
                groups.setdefault(f"{head}.{word}", []).append(name)
        charts = []
        for vector, names in groups.items():
            if len(names) < 2:
                continue
            spread = {name: float(np.ptp(self.runs[0].curves[name])) for name in names}
            two = sorted(sorted(names, key=lambda name: -spread[name])[:2])
            if spread[two[0]] < 1e-6 * spread[two[1]] or spread[two[1]] < 1e-6 * spread[two[0]]:
                continue
            curves = [
                Curve(run.label, run.curves[two[0]], run.curves[two[1]], run.colour)
                for run in self.runs
                if two[0] in run.curves and two[1] in run.curves
            ]
            charts.append(Chart(vector, labelled(two[0]), labelled(two[1]), curves, over_time=False, equal=True))
        return charts[:MOST_PORTRAITS]

    def spectra(self) -> list[Chart]:
        """Return the amplitudes of signals over frequency."""
        rates = [name for name in self.signals if self.named or _split(name)[1] not in PAIRS.values()]
        charts = []
        for name in rates[:MOST_PORTRAITS]:
            curves = []
            for run in self.runs:
                f, amplitude = amplitude_spectrum(run.curves.time, run.curves[name]) if name in run.curves else ((), ())
                if len(f):
                    curves.append(Curve(run.label, np.asarray(f), np.asarray(amplitude), run.colour))
            if curves:
                label = f"amplitude [{unit_of(name)}]" if unit_of(name) else "amplitude"
                floor = amplitude_floor(curves)
                chart = Chart(name, "frequency [Hz]", label, floor, over_time=False, logarithmic=True)
                charts.append(replace(chart, shown=telling_range(curves)))
        return charts

    def joints(self) -> list[Chart]:
        """Return the errors of joints."""
        names = list(dict.fromkeys(name for run in self.runs for name in run.result.joints))[:MOST_CONTACTS]
        return [
            self.over_time(f"joints.{name}.{word}", label=f"{word.replace('_', ' ')} [{unit}]")
            for name in names
            for word, unit in (("position_error", "m or rad"), ("velocity_error", "m/s or rad/s"))
            if any(f"joints.{name}.{word}" in run.curves for run in self.runs)
        ]


def energy_charts(ledger: Ledger) -> list[Chart | Bars]:
    """Return the balance of one run: the stack of what there is, the stack of what was given, works, last bars."""
    t = ledger.time
    given = np.sum([part.values for part in ledger.given], axis=0)
    line = Curve("= initial + work put in", t, given, INK, dashed=True)
    note = "The parts below the dashed line add up to it: what was there and what came in is all still somewhere."
    charts: list[Chart | Bars] = [
        Chart("Where the energy is", TIME, "energy [J]", [*_stack(ledger, found=True), line], note=note)
    ]
    if len(ledger.given) > 1:
        came = "The same height as the stack of where it is."
        charts.append(Chart("Where it came from", TIME, "energy [J]", _stack(ledger, found=False), note=came))
    ends = [ledger.total[[0, -1]], *(part.values[-1:] for part in ledger.works)]
    if np.isfinite(np.concatenate(ends)).all():  # a run that failed may end in what is no number
        charts.append(_last_bars(ledger))
    change = ledger.total - ledger.total[0]
    works = [Curve(part.word, t, part.values, part.colour) for part in ledger.works]
    works.append(Curve("change of the energy", t, change, INK, dashed=True))
    charts.append(Chart("Works since the start", TIME, "work [J]", works, note="They add up to the dashed line."))
    return charts


def compared_energies(runs: list[Run], exact: Exact | None) -> list[Chart]:
    """Return total energy and works of several runs, over each other."""
    with_ledger = [run for run in runs if run.ledger is not None]
    own = Sections(with_ledger, exact, [])
    charts = [own.over_time("energy.total", "Total energy")]
    for word in dict.fromkeys(part.word for run in with_ledger for part in run.ledger.works):  # type: ignore[union-attr]
        charts.append(own.over_time("", f"Work: {word}", lambda run, word=word: _work(run, word), "work [J]"))  # type: ignore[misc]
    return charts


def _work(run: Run, word: str) -> Array:
    assert run.ledger is not None
    found = [part.values for part in run.ledger.works if part.word == word]
    return found[0] if found else np.zeros(len(run.ledger.time))


def _stack(ledger: Ledger, found: bool) -> list[Curve]:
    low, out = np.zeros(len(ledger.time)), []
    for part in ledger.found if found else ledger.given:
        high = low + part.values
        out.append(Curve(part.word, ledger.time, high, part.colour, low=low))
        low = high
    return out


def _last_bars(ledger: Ledger) -> Bars:
    """Return the steps from the initial energy to the final one."""
    at = float(ledger.total[0])
    bars = [("initial", 0.0, at, BLUE)]
    for part in ledger.works:
        step = float(part.values[-1])
        bars.append((part.word, at, at + step, part.colour))
        at += step
    end = float(ledger.total[-1])
    bars.append(("final", 0.0, end, BLUE))
    left = end - at
    words = f"From the start to the end; {abs(left):.1e} J are not accounted for."
    return Bars("Initial + works = final", "energy [J]", bars, words)


def _force(run: Run, path: str) -> Array:
    return mean_force(run.curves.group(f"{path}/impulse", "sum"), run.result.step, float(run.result.summary["h"]))


def _split(name: str) -> tuple[str, str, str]:
    """Return head, word and component of a name: ``rod.first.position.x`` -> rod.first, position, .x."""
    head, _, last = name.rpartition(".")
    if last in ("x", "y", "z") or last.isdecimal():
        head, _, word = head.rpartition(".")
        return head, word, f".{last}"
    return head, last, ""


def _joint_row(name: str) -> bool:
    """Tell forces and errors of joints from their angles, which are signals."""
    words = name.split(".")
    return words[0] == "joints" and ("force" in words or words[-1] in ("position_error", "velocity_error"))


def _first_of(names: list[str], most: int) -> list[str]:
    """Return at most so many names, a few of every body rather than all of the first."""
    if len(names) <= most:
        return names
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(name.partition(".")[0], []).append(name)
    each = max(2, most // len(groups))
    chosen = [name for group in groups.values() for name in group[:each]]
    return [name for name in names if name in set(chosen[:most])]
