"""Summaries of unfinished runs: failed, cancelled or interrupted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flexmb.errors import SimulationError
from flexmb.record.io.structure import Tree
from flexmb.record.samples import RunInfo, Tally
from flexmb.record.summary import summarize, tally_from

FAILED, CANCELLED = "failed", "cancelled"


@dataclass(frozen=True)
class Reached:
    """State of a run when it ended."""

    tally: Tally
    wall_time_s: float
    stepping_time_s: float
    cpu_time_s: float | None = None


def unfinished_summary(
    tree: Tree, run: RunInfo, err: BaseException, wall_time_s: float, *, title: str = ""
) -> dict[str, Any]:
    """Return the summary of a run that ended with ``err``, from the data recorded before.

    A run that ended with an error other than those of flexmb and of the input was cancelled.
    """
    tally = getattr(err, "tally", None)  # that of the engine covers every step; the samples contain less
    known = tally if isinstance(tally, Tally) else tally_from(tree)
    summary = summarize(tree, run, Reached(known, wall_time_s, wall_time_s), title=title)
    if not isinstance(err, Exception):
        return summary | {"status": CANCELLED}
    failure: dict[str, Any] = {"error": str(err), "time": float(tree["/time"][-1]), "step": int(tree["/step"][-1])}
    if isinstance(err, SimulationError):
        failure |= {"time": err.time, "step": err.step, "contact": err.contact, "residual": err.residual}
    return summary | {"status": FAILED, "failure": failure}
