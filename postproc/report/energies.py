"""Charts of the energy: the balance of one run, and the energies of several in comparison."""

from __future__ import annotations

from functools import partial

import numpy as np

from flexmb.analysis.exact import Exact
from flexmb.postproc.arrays import Array
from flexmb.postproc.ledger import Ledger
from flexmb.postproc.report.charts import Bars, Chart, Curve
from flexmb.postproc.report.runs import Run
from flexmb.postproc.report.sections import TIME, Sections
from flexmb.postproc.style import BLUE, INK


def energy_charts(ledger: Ledger) -> list[Chart | Bars]:
    """Return the charts of one run: present energy and losses, initial energy and gains, works, final bars."""
    t = ledger.time
    given = np.sum([part.values for part in ledger.given], axis=0)
    line = Curve("= initial + work supplied", t, given, INK, dashed=True)
    note = "The parts below the dashed line add up to it: energy is conserved."
    charts: list[Chart | Bars] = [
        Chart("Energy over time", TIME, ledger.axis, [*_stack(ledger, found=True), line], note=note)
    ]
    if len(ledger.given) > 1:
        came = "The same height as the stack of its present forms."
        charts.append(Chart("Where it came from", TIME, ledger.axis, _stack(ledger, found=False), note=came))
    ends = [ledger.total[[0, -1]], *(part.values[-1:] for part in ledger.works)]
    if np.isfinite(np.concatenate(ends)).all():  # a failed run may end with numbers that are not finite
        charts.append(_last_bars(ledger))
    change = ledger.total - ledger.total[0]
    works = [Curve(part.word, t, part.values, part.colour) for part in ledger.works]
    works.append(Curve("change of the energy", t, change, INK, dashed=True))
    charts.append(Chart("Works since the start", TIME, "work [J]", works, note="They add up to the dashed line."))
    return charts


def compared_energies(runs: list[Run], exact: Exact | None) -> list[Chart]:
    """Return total energy and works of several runs in common charts."""
    with_ledger = [run for run in runs if run.ledger is not None]
    own = Sections(with_ledger, exact, [])
    charts = [own.over_time("energy.total", "Total energy")]
    for word in dict.fromkeys(part.word for run in with_ledger for part in run.ledger.works):  # type: ignore[union-attr]
        charts.append(own.over_time("", f"Work: {word}", partial(_work, word), "work [J]"))
    return charts


def _work(word: str, run: Run) -> Array:
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
    at = float(ledger.total[0]) - ledger.lowest
    bars = [("initial", 0.0, at, BLUE)]
    for part in ledger.works:
        step = float(part.values[-1])
        bars.append((part.word, at, at + step, part.colour))
        at += step
    end = float(ledger.total[-1]) - ledger.lowest
    bars.append(("final", 0.0, end, BLUE))
    left = end - at
    words = f"From the start to the end; {abs(left):.1e} J are unaccounted for."
    return Bars("Initial + works = final", ledger.axis, bars, words)
