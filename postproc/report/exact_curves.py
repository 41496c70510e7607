"""The exact solution common to the runs, evaluated up to the end of the longest one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexmb.analysis.exact import Exact, exact_solution
from flexmb.errors import InputError
from flexmb.postproc.arrays import Array
from flexmb.postproc.report.runs import Run


def exact_of(runs: Sequence[Run]) -> tuple[Exact | None, list[str]]:
    """Return the exact solution of the runs with samples, and notes on why a claimed one is not available."""
    notes: list[str] = []
    found: list[Exact] = []
    without: list[str] = []
    end = max((float(run.curves.time[-1]) for run in runs), default=0.0)
    for run in runs if end > 0.0 else []:  # a run with its initial state only cannot be compared
        try:
            exact = exact_solution(run.opened.case, end)
        except (InputError, KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as err:
            words = "the exact solution cannot be read from case.toml"
            if isinstance(err, ArithmeticError):
                words = "the exact solution has numbers too large to compute with"
            words = str(err) if isinstance(err, InputError) else words
            notes.append(words if len(runs) == 1 else f"{run.label}: {words}")
            continue
        found += [exact] if exact is not None else []
        without += [run.label] if exact is None else []
    if not found or notes:
        return None, notes
    if without:
        return None, [f"the exact solution is not drawn, because {', '.join(without)} has none"]
    if not all(_same(found[0], other) for other in found[1:]):
        return None, ["the runs have different exact solutions, so none is drawn"]
    return found[0], []


def exact_times(exact: Exact, times: Sequence[Array]) -> Array:
    """Return times for exact curves over the times of all runs: even ones, and both sides of every jump."""
    first, last = min(float(t[0]) for t in times), max(float(t[-1]) for t in times)
    side = 1e-9 * (last - first)
    out = np.unique(np.concatenate([np.linspace(first, last, 1001), exact.breaks - side, exact.breaks + side]))
    return np.asarray(out[(out >= first) & (out <= last)])


def _same(a: Exact, b: Exact) -> bool:
    """Return whether two solutions, evaluated up to the same time, belong to the same problem."""
    if a.curves.keys() != b.curves.keys() or a.breaks.shape != b.breaks.shape:
        return False
    ends = np.concatenate([[0.0], a.breaks, [a.end]])
    t = np.unique(np.concatenate([np.linspace(0.0, a.end, 23), 0.5 * (ends[1:] + ends[:-1])]))
    return np.allclose(a.breaks, b.breaks, rtol=1e-9, atol=1e-12 * a.end) and all(
        np.allclose(a.curves[name](t), b.curves[name](t), rtol=1e-9, atol=1e-12) for name in a.curves
    )
