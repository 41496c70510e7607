"""Numbers and curves of a run: signals, errors, the ledger, the step relative to the structure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from flexmb.analysis.exact import Exact, exact_solution
from flexmb.analysis.measures import graph_distance, grid_norm, kept
from flexmb.analysis.modal_energy import modal_measure
from flexmb.analysis.modes import highest_frequency
from flexmb.case import Case
from flexmb.case.expectations import number, samples
from flexmb.errors import InputError
from flexmb.parts.bodies import Bar
from flexmb.record.result import Result
from flexmb.state import Array
from flexmb.study.study_schema import EXACT, LEDGER, MeasureTable
from flexmb.system.multibody_system import MultibodySystem

NORMS = {"L1": 1.0, "L2": 2.0, "sup": np.inf}
FINER = 4
"""Vertices of an exact curve between two samples, so that the error of its chords is far below that of the run."""
SIDE = 1e-9
"""Distance from a jump, relative to the length of the run, at which the values before and after it are taken."""


class Wanted(NamedTuple):
    """A requested signal, with all its components."""

    signal: str
    reduce: str | None = "mean"
    time: float | None = None


class Curves(NamedTuple):
    """Curves of a reference run: times, and signals by name."""

    t: Array
    y: Mapping[str, Array]


def measured(
    case: Case, result: Result, measures: Sequence[MeasureTable], ledger: bool, references: Mapping[str, Curves]
) -> tuple[dict[str, float], dict[str, dict[str, list[float]]]]:
    """Return the numbers and the arrays of a run, by the names of the measures."""
    numbers: dict[str, float] = {}
    arrays: dict[str, dict[str, list[float]]] = {}
    for measure in measures:
        if measure.signal is not None:
            asked = Wanted(measure.signal, measure.reduce, measure.time)
            numbers[measure.name] = number(asked, result, case.recorded, case.analyses)
        elif measure.error is not None:
            numbers[measure.name] = _error(measure, case, result, references)
        elif measure.quantity is not None:
            numbers[measure.name] = quantity(case, measure.quantity)
        elif measure.curve is not None:
            y = samples(Wanted(measure.curve, "last"), result, case.recorded)
            keep = kept([y], measure.points)
            arrays[measure.name] = {"t": result.time[keep].tolist(), "y": y[keep].tolist()}
            exact = exact_solution(case.values.data)
            if exact is not None and measure.curve in exact.curves:
                arrays[measure.name]["exact"] = exact.curves[measure.curve](result.time[keep]).tolist()
        elif measure.modes is not None:
            arrays[measure.name] = modal_measure(case, result, measure.modes)
    return numbers | (_ledger(result) if ledger else {}), arrays


def _ledger(result: Result) -> dict[str, float]:
    energy = result.summary["energy"]
    return {name: float(energy[name]) for name in LEDGER[:-1]} | {LEDGER[-1]: float(result.energy.residual[-1])}


def quantity(case: Case, name: str) -> float:
    """Return the dimensionless size of the step: ``cfl`` or ``omega_max_h``."""
    if name == "omega_max_h":
        if isinstance(case.plan.system, MultibodySystem):
            raise InputError("a system in large motion has no constant highest frequency")
        return highest_frequency(case.plan.system) * case.plan.h
    bars = [body for body in case.model().bodies.values() if isinstance(body, Bar)]
    if not bars:
        raise InputError("the case has no bar with a wave speed")
    return case.plan.h / min(bar.crossing_time for bar in bars)


def exact_of(case: Case, signal: str) -> Exact:
    """Return the exact solution of a case; InputError if it has none, or none for this signal."""
    exact = exact_solution(case.values.data)
    if exact is None:
        way = "compare with a finer run, a [reference.NAME], by against"
        raise InputError(f"the case '{case.name}' has no exact solution ([exact]); {way}")
    if signal not in exact.curves:
        raise InputError(f"the exact solution has no curve of this signal; it has {', '.join(exact.curves)}")
    return exact


def _error(measure: MeasureTable, case: Case, result: Result, references: Mapping[str, Curves]) -> float:
    signal = measure.error or ""
    t, y = result.time, samples(Wanted(signal), result, case.recorded)
    inside = _window(measure, t)
    if not inside.any():
        raise InputError(f"measure '{measure.name}': no sample lies between its from and to")
    if measure.against == EXACT:
        exact = exact_of(case, signal)
        curve = exact.curves[signal]
        truth = curve(t[inside])
        vertices = graph_vertices(exact, signal, t[inside]) if measure.norm == "graph" else (t, y)
    else:
        reference = references[measure.against]
        _check_covers(measure, reference.t, t[inside])
        truth = _at(reference.t, reference.y[signal], t[inside])
        vertices = (t, y) if measure.norm != "graph" else cut(reference.t, reference.y[signal], t[inside])
    if measure.norm == "graph":
        size = graph_distance(t[inside], y[inside], *vertices)
        whole = float(np.ptp(vertices[1]))
    else:
        p, h = NORMS[measure.norm], float(result.summary["h"]) * case.values.tables.output.every
        size, whole = grid_norm(y[inside] - truth, h, p), grid_norm(truth, h, p)
    return (size / whole if whole else float("nan")) if measure.relative else size


def _window(measure: MeasureTable, t: Array) -> Array:
    """Return which samples are included; the ends are, in spite of round-off."""
    slack = 1e-9 * float(t[-1] - t[0])
    low = -np.inf if measure.start is None else measure.start - slack
    high = np.inf if measure.end is None else measure.end + slack
    return np.asarray((t >= low) & (t <= high))


def _check_covers(measure: MeasureTable, reference: Array, t: Array) -> None:
    """Raise if a run is compared with a reference outside the times of the reference."""
    slack = 1e-9 * float(reference[-1] - reference[0])
    if t[0] < reference[0] - slack or t[-1] > reference[-1] + slack:
        words = f"runs from {reference[0]:g} to {reference[-1]:g} s, and is needed from {t[0]:g} to {t[-1]:g} s"
        raise InputError(f"measure '{measure.name}': the reference '{measure.against}' {words}")


def cut(t: Array, y: Array, over: Array) -> tuple[Array, Array]:
    """Return the part of a curve over the times of another, with the same ends."""
    inner = (t > over[0]) & (t < over[-1])
    times = np.concatenate([over[:1], t[inner], over[-1:]])
    return times, np.concatenate([np.interp(over[:1], t, y), y[inner], np.interp(over[-1:], t, y)])


def _at(t: Array, y: Array, where: Array) -> Array:
    """Return a curve, (n,) or (n, k), at other times, linear in between."""
    if y.ndim == 1:
        return np.asarray(np.interp(where, t, y))
    return np.column_stack([np.interp(where, t, column) for column in y.T])


def graph_vertices(exact: Exact, signal: str, t: Array) -> tuple[Array, Array]:
    """Return the filled-in graph of an exact curve over the times of a run; jumps are two vertices at one time."""
    curve, side = exact.curves[signal], SIDE * float(t[-1] - t[0])
    fine = np.interp(np.arange(FINER * (t.size - 1) + 1) / FINER, np.arange(t.size), t)
    breaks = exact.breaks[(exact.breaks > t[0]) & (exact.breaks < t[-1])]
    times = np.concatenate([fine, breaks, breaks])
    values = np.concatenate([curve(fine), curve(breaks - side), curve(breaks + side)])
    order = np.lexsort((np.repeat([1, 0, 2], [fine.size, breaks.size, breaks.size]), times))
    return times[order], values[order]
