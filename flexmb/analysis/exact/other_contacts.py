"""Contacts other than the one of ``[exact]``: the solution holds as long as none of them closes."""

from __future__ import annotations

import numpy as np

from flexmb.analysis.exact.case_tables import Tables, plane_at_rest, require, unit, vector
from flexmb.analysis.exact.solution import Exact
from flexmb.state import Array

TIMES = 2001
"""Number of equidistant times at which gaps are checked, in addition to the kinks of the motion."""


def require_unreached(case: Tables, exact: Exact) -> None:
    """Raise if the body reaches another contact, or if that cannot be determined.

    Parameters
    ----------
    case : mapping
        The tables of a case file.
    exact : Exact
        Its solution without the other contacts.
    """
    times = np.unique(np.concatenate([np.linspace(0.0, exact.end, TIMES), exact.breaks]))
    for name, contact in case["contacts"].items():
        if name != case["exact"]["contact"]:
            lowest = float(_gap(contact, exact, times, f"there is another contact, '{name}'").min())
            require(lowest >= 0.0, f"it reaches another contact, '{name}'")


def _gap(contact: Tables, exact: Exact, times: Array, words: str) -> Array:
    """Return the distance of a node with known motion from a plane."""
    require(plane_at_rest(contact), words)
    normal, node = unit(contact["normal"]), str(contact["node"])
    gap = -np.full_like(times, normal @ vector(contact.get("point", (0, 0, 0))))
    for axis, n in zip("xyz", normal, strict=True):
        if n:
            known = [f"{point}.position.{axis}" for point in (node, node.removesuffix(".first"))]
            found = [exact.curves[signal] for signal in known if signal in exact.curves]
            require(bool(found), words)
            gap += n * found[0](times)
    return gap
