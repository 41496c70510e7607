"""Checks that a case provides what a study measures: signals, exact solutions."""

from __future__ import annotations

from collections.abc import Sequence

from flexmb.case import Case
from flexmb.case.expectations import locate
from flexmb.case.problems import CaseError, Problem
from flexmb.errors import InputError
from flexmb.study.measuring import Wanted, exact_of, quantity
from flexmb.study.read import StudyFile
from flexmb.study.study_schema import EXACT, MeasureTable
from flexmb.system.linear_system import LinearSystem


def in_study(study: StudyFile, err: InputError) -> CaseError:
    """Return an error of a case as an error of the study."""
    return CaseError(f"{study.origin.file}: {err}")


def check_measures(study: StudyFile, case: Case, measures: Sequence[MeasureTable]) -> None:
    """Check that a case records what is measured; otherwise raise InputError with the entry of the study.

    Parameters
    ----------
    study : StudyFile
    case : Case
    measures : sequence of MeasureTable
        Measures of the study, resolved for this case.
    """
    try:
        recorded = case.recorded
    except InputError as err:
        raise _blamed(study, measures, err) or in_study(study, err) from err
    problems = []
    for k, measure in enumerate(measures):
        key = measure.kind
        try:
            _check(measure, case, recorded)
        except InputError as err:
            problems.append(Problem(("measure", k, key), err.message, getattr(measure, key)))
    if problems:
        raise study.origin.error(problems)


def _check(measure: MeasureTable, case: Case, recorded: dict[str, int]) -> None:
    if measure.signal is not None:
        locate(Wanted(measure.signal, measure.reduce, measure.time), recorded)
        time = case.values.tables.time
        if measure.time is not None and not time.start <= measure.time <= time.end:
            raise InputError(f"time = {measure.time:g} lies outside the run, {time.start:g} to {time.end:g} s")
        return
    if measure.quantity is not None:
        quantity(case, measure.quantity)
        return
    if measure.modes is not None:
        if not isinstance(case.plan.system, LinearSystem):
            raise InputError("modes of a run are measured in small motion only")
        return
    name, column = locate(Wanted(measure.of, "mean"), recorded)
    if name.startswith(("summary.", "analysis.")):
        raise InputError("is one number, not a curve over time")
    one = column is not None or recorded[name] == 1
    if not one and (measure.curve is not None or measure.against == EXACT or measure.norm == "graph"):
        raise InputError(f"has {recorded[name]} components; name one of them")
    if measure.error is not None and measure.against == EXACT:
        exact_of(case, measure.error)


def _blamed(study: StudyFile, measures: Sequence[MeasureTable], err: InputError) -> CaseError | None:
    """Return the error of the measure whose signal cannot be assembled."""
    cause = err.__cause__
    if not isinstance(cause, InputError) or (cause.where, cause.key) != ("output", "signals"):
        return None
    for k, measure in enumerate(measures):
        if str(cause.value) and str(cause.value) in measure.of:
            return study.origin.error([Problem(("measure", k, measure.kind), cause.message, measure.of)])
    return None
