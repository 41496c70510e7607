"""Exact solutions by name."""

from __future__ import annotations

from collections.abc import Callable

from flexmb.analysis.exact.bar_impact import impacting_bar
from flexmb.analysis.exact.case_tables import Tables
from flexmb.analysis.exact.other_contacts import require_unreached
from flexmb.analysis.exact.particle_impact import bouncing_ball, impacting_oscillator
from flexmb.analysis.exact.solution import Exact

SOLUTIONS: dict[str, Callable[[Tables], Exact]] = {
    "impacting-bar": impacting_bar,
    "bouncing-ball": bouncing_ball,
    "impacting-oscillator": impacting_oscillator,
}
"""Allowed values of ``[exact] solution``."""


SLACK = 1e-6
"""Fraction of the run by which a solution extends beyond its end: the last times have round-off."""


def exact_solution(case: Tables, end: float | None = None) -> Exact | None:
    """Return the exact solution specified by a case; None if it specifies none.

    Parameters
    ----------
    case : mapping
        The tables of a case file.
    end : float, optional
        Its required end, s; by default the end of the run.

    Raises
    ------
    InputError
        If the solution does not hold, because parameters of the case were changed.
    """
    claim = case.get("exact")
    if not claim:
        return None
    until = float(case["time"]["end"]) if end is None else end
    longer = {**case, "time": {**case["time"], "end": (1.0 + SLACK) * until}}
    exact = SOLUTIONS[claim["solution"]](longer)
    require_unreached(case, exact)
    return exact
