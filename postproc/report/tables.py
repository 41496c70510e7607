"""Tables of settings, expectations and energies."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from flexmb.analysis.exact import Exact
from flexmb.analysis.measures import grid_norm
from flexmb.postproc.arrays import largest
from flexmb.postproc.named_curves import unit_of
from flexmb.postproc.report.html import Html, joined, table, tag
from flexmb.postproc.report.runs import Run
from flexmb.postproc.signal_units import unit_of_signal
from flexmb.record.summary_text import ENERGY_WORDS, OF_EVENTS, asked, size_words

TICK, CROSS = tag("span", "✓", cls="tick"), tag("span", "✗", cls="cross")


def number(value: Any, digits: int = 6) -> str:
    """Return a number as text that a spreadsheet reads."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return "no number"
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.{digits}g}" if isinstance(value, int | float) else str(value)


def facts(run: Run) -> list[tuple[str, str]]:
    """Return the facts of a run: names and values."""
    s = run.result.summary
    out = [("status", str(s.get("status", "not finished"))), ("scheme", run.opened.scheme or "not known")]
    t = run.curves.time
    out.append(("time", f"{number(float(t[0]))} s to {number(float(t[-1]))} s"))
    if s.get("steps") is not None:
        out.append(("steps", _steps(s)))
    if s.get("dofs") is not None:
        out.append(("size", size_words(s["dofs"], s.get("joints") or 0, s.get("contacts") or 0)))
    if s.get("engine"):
        out.append(("engine", s["engine"]))
    if s.get("wall_time_s") is not None:
        per_step = f", {number(s['us_per_step'], 3)} µs per step" if s.get("us_per_step") else ""
        out.append(("computing time", f"{number(s['wall_time_s'], 3)} s{per_step}"))
    if s.get("contacts"):
        out.append(("largest penetration", f"{number(s.get('max_penetration'), 3)} m"))
        if s.get("contact_steps") is not None:
            out.append(("steps with contact", str(s["contact_steps"])))
        if s.get("contact_residual_max"):
            out.append(("largest residual of contact problems", number(s["contact_residual_max"], 3)))
    if s.get("newton_iterations"):
        out.append(("Newton iterations", f"{s['newton_iterations'] / max(1, s.get('steps_taken') or 1):.3g} per step"))
    if s.get("computed"):
        out.append(("computed", str(s["computed"]).replace("T", " ").removesuffix("+00:00") + " UTC"))
    return out


def _steps(s: Mapping[str, Any]) -> str:
    """Return number and length of the steps; the latter may be unknown for a run that has just started."""
    every = f"{number(s['h'])} s" if math.isfinite(s["h"]) else "unknown length"
    if s.get("tolerance") and s.get("steps_taken") is not None:
        return f"{s['steps_taken']} by tolerance {s['tolerance']:g}, samples every {every}"
    return f"{s['steps']} of {every}"


def compared_facts(runs: Sequence[Run]) -> Html:
    """Return the facts of runs, one column per run; common ones are listed once."""
    columns = [dict(facts(run)) for run in runs]
    names = list(dict.fromkeys(name for column in columns for name in column))
    rows = [[name, *(column.get(name, "") for column in columns)] for name in names]
    rows.insert(0, ["folder", *(run.name for run in runs)])
    titles = [run.opened.title for run in runs]
    if len(set(titles)) > 1:
        rows.insert(0, ["title", *titles])
    met = [f"{sum(e['ok'] for e in own)} of {len(own)}" if own else "" for own in map(expectations, runs)]
    if any(met):
        rows.append(["expectations met", *met])
    return table(["", *(run.label for run in runs)], rows)


def expectations(run: Run) -> list[dict[str, Any]]:
    """Return the expectations of a run with their results."""
    entries = run.result.summary.get("expectations") or []
    return [entry for entry in entries if isinstance(entry, dict) and "ok" in entry]


def expectation_notes(run: Run) -> list[str]:
    """Return what differs from the run that the expectations were written for."""
    return list(run.result.summary.get("expectation_notes") or [])


def notes_on_misses(run: Run) -> list[str]:
    """Return these notes if an expectation of the run is not met."""
    return [] if all(entry["ok"] for entry in expectations(run)) else expectation_notes(run)


def expectation_table(run: Run) -> Html:
    """Return the expectations with check marks."""
    rows = [
        [TICK if e["ok"] else CROSS, asked(e), number(e.get("got"), 9), _unit(e), str(e.get("source", ""))]
        for e in expectations(run)
    ]
    return table(["", "expected", "got", "unit", "source"], rows, numeric=(2,))


def _unit(entry: Mapping[str, Any]) -> str:
    return unit_of_signal(str(entry.get("signal", "")))


def ledger_table(run: Run) -> Html:
    """Return the ledger at the end as a sum: initial energy and works, their total, and the final energy."""
    ledger = run.ledger
    assert ledger is not None
    rows = [["initial energy", number(float(ledger.total[0]), 10)]]
    for part in ledger.works:
        rows.append([f"+ work of {part.word}", number(float(part.values[-1]), 10)])
        correction = _energy(run, "contact_projection")
        if part.word == "contacts" and correction:
            rows.append(["   (of it the impact law)", number(float(part.values[-1]) - correction, 10)])
            rows.append(["   (of it position correction, GGL)", number(correction, 10)])
        if part.word == "friction" and (rolling := _energy(run, "rolling")):
            rows.append(["   (of it sliding)", number(float(part.values[-1]) - rolling, 10)])
            rows.append(["   (of it rolling and spinning)", number(rolling, 10)])
    due = float(ledger.total[0]) + sum(float(part.values[-1]) for part in ledger.works)
    end = float(ledger.total[-1])
    rows.append(["= initial + works", number(due, 10)])
    rows.append(["kinetic at the end", number(float(ledger.kinetic[-1]), 10)])
    rows.append(["+ potential at the end", number(float(ledger.potential[-1]), 10)])
    rows.append(["= kinetic + potential", number(end, 10)])
    rows.append(["difference (largest over the run)", f"{number(end - due, 3)} ({number(_largest(run), 3)})"])
    return table(["", "J"], rows, numeric=(1,), last=True)


def _largest(run: Run) -> float:
    assert run.ledger is not None
    own = (run.result.summary.get("energy") or {}).get("residual_max")
    return float(own) if own is not None else largest(np.abs(run.ledger.residual))


def compared_energies_table(runs: Sequence[Run]) -> Html:
    """Return the energies of runs at their ends, one row per run."""
    words = [
        (key, text)
        for key, text in ENERGY_WORDS
        if any(_energy(run, key) or (_energy(run, key) is not None and key not in OF_EVENTS) for run in runs)
    ]
    rows = [[run.label, *(number(_energy(run, key), 8) for key, _ in words)] for run in runs]
    return table(["energies [J]", *(text for _, text in words)], rows, numeric=range(1, len(words) + 1))


def _energy(run: Run, key: str) -> Any:
    return (run.result.summary.get("energy") or {}).get(key)


def distance_table(runs: Sequence[Run], exact: Exact) -> Html:
    """Return the distances of the curves of runs from the exact ones: the mean over time, and the largest."""
    names = [name for name in exact.curves if any(name in run.curves for run in runs)]
    rows = []
    for name in names:
        cells = []
        for run in runs:
            if name not in run.curves:
                cells.append("")
                continue
            t = run.curves.time
            off = run.curves[name] - exact.curves[name](t)
            span = float(t[-1] - t[0]) or 1.0
            mean = grid_norm(off, span / max(1, len(t) - 1), 1.0) / span
            cells.append(f"{number(mean, 3)} ({number(grid_norm(off, 1.0, np.inf), 3)})")
        rows.append([name, unit_of(name), *cells])
    head = ["mean (largest) distance", "unit", *(run.label for run in runs)]
    return table(head, rows, numeric=range(2, 2 + len(runs)))


def joint_table(runs: Sequence[Run], names: Sequence[str]) -> Html:
    """Return the largest constraint errors of joints, one row per joint."""
    words = ("position_error", "velocity_error")
    rows = []
    for name in names:
        cells = []
        for run in runs:
            found = [run.curves.get(f"joints.{name}.{word}") for word in words]
            cells += ["" if y is None else number(largest(np.abs(y)), 3) for y in found]
        rows.append([name, *cells])
    heads = [f"{word.replace('_', ' ')} [{unit_of_signal(word)}]" for word in words]
    named = [head if len(runs) == 1 else f"{run.label}: {head}" for run in runs for head in heads]
    return table(["largest over the run", *named], rows, numeric=range(1, 1 + len(named)))


def version_table(runs: Sequence[Run]) -> Html:
    """Return the versions used for the runs."""
    columns = [run.result.summary.get("versions") or {} for run in runs]
    names = list(dict.fromkeys(name for column in columns for name in column))
    if not names:
        return joined([tag("p", "The versions that computed it are not known.")])
    rows = [[name, *(str(column.get(name, "")) for column in columns)] for name in names]
    return table(["package", *(run.label if len(runs) > 1 else "version" for run in runs)], rows)
