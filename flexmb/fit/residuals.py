"""Residuals of a run against measured data, over the standard deviations of the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexmb.case import Case
from flexmb.case.expectations import locate, number, samples
from flexmb.case.overrides import key_path
from flexmb.case.problems import Problem
from flexmb.errors import InputError
from flexmb.fit.fit_file import FitFile
from flexmb.fit.fit_schema import ObjectiveTable
from flexmb.record.result import Result
from flexmb.record.run_warnings import no_run_warnings
from flexmb.state import Array
from flexmb.study.measuring import Wanted

OTHER_UNIT = 300.0
"""Ratio of data and signal at the start values above which different units are suspected."""


@dataclass(frozen=True)
class Target:
    """The reference of an objective: values at times, or one number without a time."""

    table: ObjectiveTable
    t: Array
    y: Array
    sigma: float

    def model(self, case: Case, result: Result) -> Array:
        """Return the value of a run that corresponds to ``y``."""
        if self.table.value is not None:
            time = self.table.time if isinstance(self.table.time, float | int) else None
            return np.array([number(Wanted(self.table.signal, self.table.reduce, time), result, case.recorded)])
        return np.asarray(np.interp(self.t, result.time, samples(Wanted(self.table.signal), result, case.recorded)))


class Comparison:
    """The residuals of a fit.

    Parameters
    ----------
    file : FitFile
        Checked against the case here, with an InputError that refers to the file.
    """

    def __init__(self, file: FitFile) -> None:
        self.file = file
        self._place = file.origin
        self._check_signals()
        case, result = self._run(file.start.tolist())
        self._span = float(result.time[0]), float(result.time[-1])
        self.targets = tuple(self._target(k, case, result) for k in range(len(file.tables.objective)))
        self.first = self._residuals(case, result)

    @property
    def count(self) -> int:
        """Number of residuals."""
        return sum(target.y.size for target in self.targets)

    @property
    def when(self) -> Array:
        """Times of the residuals, between 0 and 1; numbers that summarize a run belong to its end."""
        start, end = self._span
        times = [np.full(1, end) if target.table.value is not None else target.t for target in self.targets]
        return np.asarray((np.concatenate(times) - start) / (end - start))

    def residuals(self, values: Sequence[float]) -> Array:
        """Return (run - data) / sigma of all objectives, one after the other, (m,)."""
        return self._residuals(*self._run(values))

    def by_objective(self, residuals: Array) -> list[Array]:
        """Return the residuals of each objective."""
        return np.split(residuals, np.cumsum([target.y.size for target in self.targets])[:-1])

    def curves(self, values: Sequence[float]) -> list[tuple[Target, Array, Array, Array]]:
        """Return for each objective times and samples of the run, and the values that correspond to the data."""
        case, result = self._run(values)
        out = []
        for target in self.targets:
            y = samples(Wanted(target.table.signal), result, case.recorded)
            out.append((target, result.time, y, target.model(case, result)))
        return out

    def _run(self, values: Sequence[float], more: dict[str, object] | None = None) -> tuple[Case, Result]:
        settings = [(tuple(key_path(key)), value) for key, value in (more or {}).items()]
        try:
            case = self.file.case(values, settings)
            with no_run_warnings():
                return case, case.run()
        except InputError as err:
            raise InputError(f"{self._place.file.name}: the case does not run with these values: {err}") from err

    def _residuals(self, case: Case, result: Result) -> Array:
        return np.concatenate([(target.model(case, result) - target.y) / target.sigma for target in self.targets])

    def _target(self, k: int, case: Case, result: Result) -> Target:
        """Return the reference of an objective."""
        table = self.file.tables.objective[k]
        if table.value is not None:
            self._located(k, Wanted(table.signal, table.reduce), case)
            return Target(table, np.zeros(1), np.array([table.value]), table.sigma or 1.0)
        self._located(k, Wanted(table.signal, "last"), case)
        if table.reference is not None:
            _, other = self._run(self.file.start.tolist(), table.reference)
            y = samples(Wanted(table.signal), other, case.recorded)
            return Target(table, other.time, np.asarray(y), table.sigma or 1.0)
        columns = self.file.data[k]
        assert columns is not None
        t, y = columns
        self._check_times(k, t, result.time)
        self._check_unit(k, y, samples(Wanted(table.signal), result, case.recorded))
        return Target(table, t, y, table.sigma or 1.0)

    def _check_signals(self) -> None:
        """Raise, with its line of the fit file, for a signal that the case cannot record."""
        for k, table in enumerate(self.file.tables.objective):
            try:
                case = self.file.case(self.file.start.tolist(), signals=[])
                case.plan.system  # noqa: B018  (what is wrong with the case itself is no matter of signals)
            except InputError:
                return
            try:
                self.file.case(self.file.start.tolist(), signals=[table.signal]).recorded  # noqa: B018
            except InputError as err:
                raise self._error(k, "signal", err.message, table.signal) from None

    def _located(self, k: int, wanted: Wanted, case: Case) -> None:
        try:
            locate(wanted, case.recorded)
        except InputError as err:
            raise self._error(k, "signal", err.message, wanted.signal) from None

    def _check_times(self, k: int, t: Array, run: Array) -> None:
        slack = 1e-9 * float(run[-1] - run[0])
        if t[0] < run[0] - slack or t[-1] > run[-1] + slack:
            words = f"the data go from {t[0]:g} to {t[-1]:g} s, the run from {run[0]:g} to {run[-1]:g} s"
            words += "; set time.end, or omit data"
            raise self._error(k, "data", words, self.file.tables.objective[k].data)

    def _check_unit(self, k: int, y: Array, signal: Array) -> None:
        """Raise if data and signal differ by as much as different units; a ``factor`` confirms the difference."""
        table = self.file.tables.objective[k]
        size, own = float(np.abs(y).max()), float(np.abs(signal).max())
        if table.factor is None and min(size, own) > 0.0 and not 1.0 / OTHER_UNIT < size / own < OTHER_UNIT:
            words = (
                f"the data reach {size:.3g} and the signal {own:.3g} at the start values: are the units different? "
                f"factor = {own / size:.0e} converts the data, factor = 1 confirms the unit"
            )
            raise self._error(k, "data", words, table.data)

    def _error(self, k: int, key: str, message: str, value: object) -> InputError:
        return self._place.error([Problem(("objective", k, key), message, value)])
