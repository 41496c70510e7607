"""Solutions by name."""

from __future__ import annotations

from collections.abc import Callable

from flexmb.exact.bar import impacting_bar
from flexmb.exact.particle import bouncing_ball, impacting_oscillator
from flexmb.exact.solution import Exact
from flexmb.exact.tables import Tables

SOLUTIONS: dict[str, Callable[[Tables], Exact]] = {
    "impacting-bar": impacting_bar,
    "bouncing-ball": bouncing_ball,
    "impacting-oscillator": impacting_oscillator,
}
"""What ``[exact] solution`` may be."""


def exact_solution(case: Tables) -> Exact | None:
    """Return the exact solution a case claims to have; None when it claims none.

    Parameters
    ----------
    case : mapping
        The tables of a case file.

    Raises
    ------
    InputError
        When the solution does not hold: the numbers of the case were changed to another problem.
    """
    claim = case.get("exact")
    if not claim:
        return None
    return SOLUTIONS[claim["solution"]](case)
