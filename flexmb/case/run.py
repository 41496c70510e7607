"""Running a case in memory or into a result folder, including failed and interrupted runs."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flexmb.case.rotor_notes import whirl_notes
from flexmb.drive.engine import Plan
from flexmb.drive.run import run
from flexmb.drive.simulate import telling_failures
from flexmb.errors import SimulationError
from flexmb.nonsmooth.solvers import ContactNotConverged
from flexmb.record.io.disk_space import full_words, is_full
from flexmb.record.io.run_folder import PROBLEM, RunFolder
from flexmb.record.io.structure import Tree
from flexmb.record.io.summary_json import plain
from flexmb.record.result import MemorySink, Result, load
from flexmb.record.run_warnings import warn_notes
from flexmb.record.summary import Figures, summarize
from flexmb.record.unfinished import unfinished_summary

if TYPE_CHECKING:
    from flexmb.case.case import Case

Progress = Callable[[int, int], None]


def run_in_memory(case: Case, progress: Progress | None, engine: str) -> Result:
    """Run a case and hold the result in memory."""
    sink = MemorySink()
    warn_notes(case.notes, case.plan_notes)
    with telling_failures(case.notes):
        outcome = run(case.plan, sink, engine=engine, progress=progress)
    result = sink.result(outcome, title=case.title, case_text=case.to_toml())
    _add_notes(case, result.summary, result.tree)
    result.summary |= {"expectations": plain(case.check(result)), "expectation_notes": list(case.expectation_notes)}
    warn_notes(result.notes, case.notes)
    return result


def run_in_folder(
    case: Case, folder: Path, overwrite: bool, resume: bool, progress: Progress | None, engine: str
) -> Result:
    """Run a case into a result folder and read it back."""
    plan, _ = case.plan, case.expectation_notes  # input errors are raised before the folder is touched
    sink = RunFolder(folder, case.to_toml(), overwrite=overwrite, resume=resume)
    try:
        if resume and sink.complete:
            return load(folder)
        warn_notes(case.notes, case.plan_notes)
        _run_into(case, plan, sink, progress, engine)
    finally:
        sink.release()
    result = load(folder)
    warn_notes(result.notes, case.notes)
    return result


def _run_into(case: Case, plan: Plan, sink: RunFolder, progress: Progress | None, engine: str) -> None:
    """Run a case into a folder and close it; after an error the folder remains usable."""
    began = clock.perf_counter()
    every = case.values.tables.output.checkpoint_every
    try:
        try:
            outcome = run(plan, sink, engine=engine, resume=sink.point, progress=progress, checkpoint_every=every)
            _close(case, sink, outcome)
        except SimulationError as err:
            if sink.has_samples:
                _keep(case, sink, err, clock.perf_counter() - began)
            else:  # the start failed, perhaps before the folder was created
                sink.discard()
            raise
    except SimulationError:
        raise
    except BaseException as err:
        sink.abandon()
        if is_full(err):
            raise SimulationError(
                f"{full_words(err, sink.folder)}; what was written up to the last checkpoint is kept, and --resume "
                "continues from there once there is space",
                time=plan.time(sink.step),
                step=sink.step,
            ) from err
        raise


def _add_notes(case: Case, summary: dict[str, Any], tree: Tree) -> None:
    """Add the notes of the case to those of a summary: dropped keys, rotors, whirl at the actual speeds."""
    notes = [*case.values.notes, *summary["notes"], *case.rotor_notes, *whirl_notes(case, tree)]
    summary["notes"] = list(dict.fromkeys(notes))


def _close(case: Case, sink: RunFolder, outcome: Figures) -> None:
    tree = sink.close_data()
    resumed_at = sink.point.step if sink.point is not None else 0
    summary = summarize(tree, sink.run, outcome, title=case.title, resumed_at=resumed_at)
    _add_notes(case, summary, tree)
    summary |= {"expectations": case.check(Result(tree, plain(summary))), "expectation_notes": case.expectation_notes}
    sink.finish(summary)


def _keep(case: Case, sink: RunFolder, err: SimulationError, wall_time_s: float) -> None:
    """Close the files of a failed run under their final names; the summary records the failure, its time and cause."""
    tree: Tree = sink.close_data()
    summary = unfinished_summary(tree, sink.run, err, wall_time_s, title=case.title)
    _add_notes(case, summary, tree)
    if isinstance(err, ContactNotConverged):
        err.problem.save(sink.folder / PROBLEM)
        summary["failure"]["problem"] = PROBLEM
    sink.finish(summary)
    warn_notes(summary["notes"], case.notes)
