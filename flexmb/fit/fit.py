"""``Fit``: parameters of a case fitted to data, and the results."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from flexmb.errors import SimulationError
from flexmb.fit.evaluations import Evaluations
from flexmb.fit.fit_file import FitFile, read_fit
from flexmb.fit.growing import Search, correlation, far_from_data, variance
from flexmb.fit.methods import (
    Enough,
    Found,
    cost,
    expected_gain,
    jacobian,
    least_squares,
    nelder_mead,
    optuna,
    own_steps,
    standard_errors,
)
from flexmb.fit.residuals import Comparison
from flexmb.record.io.folder_lock import sole_writer
from flexmb.state import Array

Progress = Callable[[int, int], None]
DEVIATIONS_SEEN = 2.0
"""Standard deviations within which the runs of a fit extend the standard errors."""
ROUGH = 1e-4
"""Tolerance of the refinement by a simplex."""
ROUGH_COST = 0.25
"""Gain expected at the end, over the change of cost by one standard error, above which the cost oscillates."""
KEPT = 0.25
"""Share of the runs that a search leaves for the final least squares."""
GAIN = 0.01
"""Relative decrease of the cost by a simplex below which it is not repeated."""
NARROW = 5.0
"""Standard errors by long differences over those by short ones above which a minimum may be one of many narrow ones."""
BETWEEN = 8
"""Number of points on each side, up to the longest step, at which the cost at a narrow minimum is compared."""
GOLDEN = 0.618
"""Ratio of the distances of these points, which are not multiples of a period."""
BRIEF = 8
"""Largest number of steps of least squares with fine differences before a search."""


@dataclass(frozen=True)
class FitResult:
    """Results of a fit.

    Parameters
    ----------
    names : tuple of str
        Of the parameters.
    values, errors : (p,) arrays
        The best values, and their standard errors (nan if the data do not determine them).
    cost, rms : float
        Half the sum of squares of the residuals, and their root mean square; residuals are divided by sigma.
    evaluations, computed : int
        Number of runs requested by the method, and number of them that were computed.
    converged : bool
    message : str
        Message of the method at its end.
    far : float
        Value of ``rms`` above which the parameters do not describe the data; infinite without sigma.
    rough : bool
        The cost oscillates near the best values, as impacts make it: they belong to one of many minima.
    """

    names: tuple[str, ...]
    values: Array
    errors: Array
    cost: float
    rms: float
    evaluations: int
    computed: int
    converged: bool
    message: str
    far: float
    rough: bool


class Fit:
    """A fit file, read and checked.

    Parameters
    ----------
    file : FitFile
    """

    def __init__(self, file: FitFile) -> None:
        self.file = file
        self._low = np.array([_scaled(p.low, p.log) for p in file.tables.parameter])
        self._high = np.array([_scaled(p.high, p.log) for p in file.tables.parameter])

    def __repr__(self) -> str:
        tables = self.file.tables
        ranges = ", ".join(f"{p.label} in [{p.low:g}, {p.high:g}]" for p in tables.parameter)
        against = ", ".join(objective.signal for objective in tables.objective)
        return f"<Fit '{self.name}' of {self.file.case_file.stem}: {ranges}; to {against}; {tables.method}>"

    @property
    def name(self) -> str:
        """Name of the file without its ending."""
        return self.file.name

    def values(self, u: Array) -> Array:
        """Return the parameters for numbers between 0 and 1."""
        x = self._low + np.clip(u, 0.0, 1.0) * (self._high - self._low)
        out = [10.0**value if p.log else value for value, p in zip(x.tolist(), self.file.tables.parameter, strict=True)]
        low, high = ([getattr(p, end) for p in self.file.tables.parameter] for end in ("low", "high"))
        return np.asarray(np.clip(out, low, high), dtype=np.float64)

    def run(
        self,
        out: str | Path | None = None,
        *,
        progress: Progress | None = None,
        say: Callable[[str], None] | None = None,
    ) -> FitResult:
        """Fit the parameters; evaluations of an earlier call of the same fit are reused.

        Parameters
        ----------
        out : path, optional
            Folder of the fit; without it only the result is kept.
        progress : callable, optional
            Called with (runs done, largest number of runs).
        say : callable, optional
            Called with a line of information.
        """
        from flexmb.fit.fit_folder import write_fit

        place: AbstractContextManager[str] = tempfile.TemporaryDirectory() if out is None else nullcontext(str(out))
        with place as name:
            folder = Path(name)
            comparison = Comparison(self.file)  # errors are raised before the folder is created
            folder.mkdir(parents=True, exist_ok=True)
            with sole_writer(folder, what="fits in"):
                known = Evaluations(folder, self.file.digest)
                if known.found and say is not None:
                    say(f"{known.found} runs are finished already")
                work = _Work(self, comparison, known, progress)
                result = work.result(*work.best(self._start()))
                write_fit(self.file, comparison, known, result, folder)
        return result

    def _start(self) -> Array:
        start = np.array([_scaled(p.start, p.log) for p in self.file.tables.parameter])
        return np.asarray((start - self._low) / (self._high - self._low))


class _Local(NamedTuple):
    """Steps of differences (p,), standard errors for unit scatter (p,), and whether the cost oscillates there."""

    steps: Array
    errors: Array
    rough: bool


class _Work:
    """One execution of a fit: counts evaluations, and keeps the best."""

    def __init__(self, fit: Fit, comparison: Comparison, known: Evaluations, progress: Progress | None) -> None:
        self._fit, self._comparison, self._known, self._progress = fit, comparison, known, progress
        self._asked: dict[tuple[float, ...], float] = {}
        self._most = fit.file.tables.evaluations
        self._computed = 0
        self._best: tuple[float, Array] = (np.inf, fit._start())
        self._limited = True
        self._search: Search | None = None
        self._oscillates = False

    def residuals(self, u: Array) -> Array | None:
        """Return the residuals, None if the run fails; known ones are reused."""
        values = self._fit.values(u)
        key = tuple(values.tolist())
        if key not in self._asked and self._limited and len(self._asked) >= self._most:
            raise Enough
        there, found = self._known.get(key)
        if not there:
            try:
                found = self._comparison.residuals(key)
            except SimulationError:
                found = None
            if found is not None and not np.isfinite(found).all():
                found = None
            self._known.keep(key, found)
            self._computed += 1
        size = cost(found)
        self._asked[key] = size
        if size < self._best[0]:
            self._best = (size, u.copy())
        if self._progress is not None:
            self._progress(len(self._asked), self._most)
        return found

    def best(self, u0: Array) -> tuple[Array, bool, str]:
        """Return the best point found by the method."""
        tables = self._fit.file.tables
        self.residuals(u0)
        try:
            if tables.method == "least-squares":
                found = self._by_least_squares(u0)
            elif tables.method == "nelder-mead":
                found = nelder_mead(self.residuals, u0, tables.tolerance)
            else:
                found = optuna(self.residuals, u0, self._most, tables.seed)
        except Enough:
            words = f"stopped after {self._most} runs (evaluations allows more)"
            found = Found(self._best[1], False, words)
        return self._best[1], found.converged, found.message

    def _by_least_squares(self, u0: Array) -> Found:
        """Return the best point by least squares; if that is none, by a search, least squares again, and simplices."""
        tables = self._fit.file.tables
        found = least_squares(self.residuals, u0, tables.tolerance, tables.difference)
        if self._rough(found.gain) or self._local(self._best[1]).rough:
            found = self._fine(BRIEF)
        rough = self._local(self._best[1]).rough
        sure = found.converged and not rough
        if sure and self._describes():
            return found
        count = len(self._asked)
        self._search = Search(self.residuals, self._best[1], self._comparison.when, self._known_sigma)
        if sure and not self._known_sigma and not self._search.better_elsewhere():
            return found
        self._oscillates = rough
        kept = int(KEPT * self._most)
        self._search.refine(self._most - kept - len(self._asked))
        how = f"after a search by {len(self._asked) - count} runs"
        found = self._fine()
        local = self._local(self._best[1])
        if local.rough or not self._describes():
            found = self._by_simplices(np.fmax(self._search.spread, local.steps))
            how = f"simplex, {how} and least squares"
        return found._replace(message=f"{found.message} ({how})")

    def _fine(self, most: int | None = None) -> Found:
        """Return the minimum by least squares near the best point, by differences over about one standard error."""
        steps = self._local(self._best[1]).steps
        return least_squares(self.residuals, self._best[1], self._fit.file.tables.tolerance, steps, most)

    def _local(self, u: Array) -> _Local:
        """Return the linear model at a point, by steps over which the residuals change by about one standard error."""
        here = self.residuals(u)
        assert here is not None
        deviation = np.sqrt(self._variance(self._best[0]))
        steps, smooth = own_steps(self.residuals, u, self._fit.file.tables.difference, float(deviation))
        J = jacobian(self.residuals, u, steps)
        gain = expected_gain(J, here, u) / u.size
        # short differences may be too short where residuals jump, long ones are too long at a narrow minimum
        short, long = standard_errors(J), self._long_errors(u)
        narrow = long > NARROW * short
        many = any(self._falls_again(u, int(k), float(steps[k])) for k in np.flatnonzero(narrow))
        errors = np.where(narrow & (not many), short, np.maximum(short, long))
        return _Local(steps, errors, not smooth or many or gain > 0.5 * self._variance(self._best[0]))

    def _falls_again(self, u: Array, k: int, step: float) -> bool:
        """Return whether the cost along a parameter falls again, by more than noise, beyond a short step from u."""
        lengths = np.fmax(step, self._fit.file.tables.difference * GOLDEN ** np.arange(BETWEEN)[::-1])
        for sign in (-1.0, 1.0):
            most = 0.0
            for length in lengths.tolist():
                moved = u.copy()
                moved[k] = min(max(u[k] + sign * length, 0.0), 1.0)
                size = cost(self.residuals(moved))
                if size < most - 0.5 * self._variance(self._best[0]):
                    return True
                most = max(most, size)
        return False

    def _long_errors(self, u: Array) -> Array:
        """Return standard errors for unit scatter from the longest differences, (p,)."""
        return standard_errors(jacobian(self.residuals, u, self._fit.file.tables.difference))

    def _by_simplices(self, edges: Array) -> Found:
        """Return the best point by a simplex around the best point so far, repeated while that helps and is needed."""
        tolerance = max(self._fit.file.tables.tolerance, ROUGH)
        while True:
            before = self._best[0]
            found = nelder_mead(self.residuals, self._best[1], tolerance, edges)
            done = self._describes() or not self._known_sigma
            if done or self._best[0] > before * (1.0 - GAIN):
                return found

    @property
    def _known_sigma(self) -> bool:
        return all(objective.sigma is not None for objective in self._fit.file.tables.objective)

    def _describes(self) -> bool:
        """Return whether the best values describe the data within their standard deviations, if these are given."""
        return bool(np.sqrt(2.0 * self._best[0] / self._comparison.count) <= self._far) and self._known_sigma

    def _rough(self, gain: float) -> bool:
        """Return whether least squares expect a gain at their end that is not due to noise."""
        return gain > ROUGH_COST * 0.5 * self._variance(self._best[0])

    def _variance(self, least: float) -> float:
        """Return the factor of the variances of the parameters; residuals with more scatter than sigma increase it."""
        parameters = len(self._fit.file.tables.parameter)
        return variance(least, self._comparison.count, parameters, self._known_sigma)

    @property
    def _far(self) -> float:
        points = self._comparison.count
        return far_from_data(points, len(self._fit.file.tables.parameter)) if self._known_sigma else float("inf")

    def result(self, u: Array, converged: bool, message: str) -> FitResult:
        """Return the result at the best point, with standard errors from the curvature of the cost."""
        file, count = self._fit.file, len(self._asked)
        self._limited = False
        here = self.residuals(u)
        assert here is not None
        local = self._local(u)
        slope = np.array([self._slope(k, u) for k in range(u.size)])
        correlated = correlation(self._comparison.by_objective(here))
        scatter = self._variance(cost(here) * correlated)
        errors = np.sqrt(scatter) * local.errors * slope
        doubtful = self._oscillates or local.rough or (correlated > 1.0 and not self._describes())
        if self._search is not None and self._search.described and doubtful:
            errors = np.fmax(errors, self._search.spread * slope)
        errors = np.maximum(errors, self._extent(u, cost(here) + DEVIATIONS_SEEN**2 / 2.0 * scatter))
        return FitResult(
            tuple(p.label for p in file.tables.parameter),
            self._fit.values(u),
            errors,
            cost(here),
            float(np.sqrt(np.mean(here**2))),
            count,
            self._computed,
            converged,
            message,
            self._far,
            local.rough,
        )

    def _extent(self, u: Array, most: float) -> Array:
        """Return the largest distances of the runs up to a cost from the best one, in standard deviations, (p,)."""
        near = [key for key, size in self._asked.items() if size <= most]
        away = np.abs(np.array(near) - self._fit.values(u)).max(axis=0) if near else np.zeros(u.size)
        return np.asarray(away / DEVIATIONS_SEEN)

    def _slope(self, k: int, u: Array) -> float:
        """Return d value / du of a parameter."""
        p = self._fit.file.tables.parameter[k]
        span = float(self._fit._high[k] - self._fit._low[k])
        return span * float(self._fit.values(u)[k]) * float(np.log(10.0)) if p.log else span


def _scaled(value: float, log: bool) -> float:
    return float(np.log10(value)) if log else float(value)


def load_fit(source: str | Path) -> Fit:
    """Read a fit file, or a shipped fit by its name."""
    return Fit(read_fit(source))
