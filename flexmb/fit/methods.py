"""Minimization methods over numbers u between 0 and 1: least squares, Nelder-Mead, and Optuna's samplers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import optimize

from flexmb.checks.extras import require
from flexmb.state import Array

Residuals = Callable[[Array], Array | None]
SIMPLEX = 0.1
"""Edges of the initial simplex of Nelder and Mead, relative to the ranges of the parameters."""


AT_BOUND = 1e-6
"""Distance from a bound, relative to the range, at which a parameter is at it."""
REFINED = 4
"""Largest number of times that steps of differences are shortened."""
LEAST_STEP = 1e-6
"""Least step of differences, relative to the range."""


class Found(NamedTuple):
    """The final point of a method, whether it has converged, and the gain that least squares expect from going on."""

    u: Array
    converged: bool
    message: str
    gain: float = 0.0


class Enough(Exception):  # noqa: N818
    """The largest allowed number of evaluations is reached."""


def cost(residuals: Array | None) -> float:
    """Return half the sum of squares; infinite for a failed run."""
    return float("inf") if residuals is None else 0.5 * float(residuals @ residuals)


def jacobian(residuals: Residuals, u: Array, steps: float | Array) -> Array:
    """Return d residuals / du by central differences, one-sided at bounds and next to failed runs, (m, p)."""
    columns, here = [], None
    for k, step in enumerate(np.broadcast_to(steps, u.size).tolist()):
        ends = []
        for sign in (-1.0, 1.0):
            moved = u.copy()
            moved[k] = min(max(u[k] + sign * step, 0.0), 1.0)
            found = residuals(moved) if moved[k] != u[k] else None
            if found is None:
                here = residuals(u) if here is None else here
                moved, found = u, here
            ends.append((moved[k], found))
        (low, before), (high, after) = ends
        assert before is not None
        assert after is not None
        columns.append((after - before) / (high - low) if high > low else np.zeros_like(after))
    return np.column_stack(columns)


def own_steps(residuals: Residuals, u: Array, step: float, deviation: float) -> tuple[Array, bool]:
    """Return steps of differences over which the residuals change by their deviation, at most ``step``, (p,).

    Differences over longer steps do not give the slope at a narrow minimum. The second result is False if there are no
    such steps, since the residuals jump.
    """
    steps = np.full(u.size, step)
    for _ in range(REFINED):
        slopes = np.linalg.norm(jacobian(residuals, u, steps), axis=0)
        finer = np.clip(deviation / np.fmax(slopes, 1e-300), LEAST_STEP, step)
        if np.all(finer > 0.5 * steps):
            return steps, True
        steps = np.fmin(finer, steps)
    return steps, False


def standard_errors(J: Array) -> Array:
    """Return the standard errors of a linear model for unit scatter, nan if the data do not determine them, (p,)."""
    A = J.T @ J
    sure = np.linalg.matrix_rank(A) == len(A)
    return np.sqrt(np.diag(np.linalg.inv(A))) if sure else np.full(len(A), np.nan)


def least_squares(
    residuals: Residuals, u0: Array, tolerance: float, steps: float | Array, most: int | None = None
) -> Found:
    """Return the minimum by scipy's trust-region reflective method, after at most ``most`` steps."""
    first = residuals(u0)
    assert first is not None
    far = np.full(first.size, 10.0 * max(1.0, float(np.abs(first).max())))  # a failed run has a large cost

    def each(u: Array) -> Array:
        found = residuals(u)
        return far if found is None else found

    bounds = (np.zeros(u0.size), np.ones(u0.size))
    inside = np.clip(u0, 1e-9, 1.0 - 1e-9)

    def slopes(u: Array) -> Array:
        return jacobian(residuals, u, steps)

    done = optimize.least_squares(
        each, inside, jac=slopes, bounds=bounds, ftol=tolerance, xtol=tolerance, gtol=tolerance, max_nfev=most
    )
    u = np.asarray(done.x)
    gain = expected_gain(np.asarray(done.jac), np.asarray(done.fun), u)
    return Found(u, bool(done.status > 0), str(done.message), gain)


def expected_gain(J: Array, residuals: Array, u: Array) -> float:
    """Return the decrease of the cost that the linear model expects of one more step.

    It is zero at a minimum of a smooth cost. If steps fail although it is large, the cost oscillates, as with impacts.

    Parameters
    ----------
    J : (m, p) array
        Differences of the residuals.
    residuals : (m,) array
    u : (p,) array
        Parameters between 0 and 1; those at a bound do not move.
    """
    free = J[:, (u > AT_BOUND) & (u < 1.0 - AT_BOUND)]
    step = np.linalg.lstsq(free, -residuals, rcond=None)[0]
    return 0.5 * float(np.sum((free @ step) ** 2))


def nelder_mead(residuals: Residuals, u0: Array, tolerance: float, edges: float | Array = SIMPLEX) -> Found:
    """Return the minimum by Nelder and Mead's simplex, without derivatives; ``edges`` are relative to the ranges."""
    moved = np.diag(edges * np.where(u0 < 0.5, 1.0, -1.0))
    simplex = np.vstack([u0, u0 + moved])
    options = {
        "initial_simplex": simplex,
        "xatol": tolerance,
        "fatol": tolerance * max(cost(residuals(u0)), 1e-300),
        "maxfev": 10**9,
        "maxiter": 10**9,
    }
    bounds = [(0.0, 1.0)] * u0.size
    minimize: Any = optimize.minimize
    done = minimize(lambda u: min(cost(residuals(u)), 1e300), u0, method="Nelder-Mead", bounds=bounds, options=options)
    return Found(np.asarray(done.x), bool(done.success), str(done.message))


def optuna(residuals: Residuals, u0: Array, evaluations: int, seed: int) -> Found:
    """Return the best of a number of trials of Optuna's sampler (TPE), of which the first is the start."""
    require("fit", 'method = "optuna"')
    import optuna as package

    package.logging.set_verbosity(package.logging.WARNING)
    study = package.create_study(sampler=package.samplers.TPESampler(seed=seed))
    names = [f"u{k}" for k in range(u0.size)]
    study.enqueue_trial(dict(zip(names, u0.tolist(), strict=True)))

    def trial_cost(trial: package.Trial) -> float:
        u = np.array([trial.suggest_float(name, 0.0, 1.0) for name in names])
        return min(cost(residuals(u)), 1e300)

    study.optimize(trial_cost, n_trials=evaluations)
    best = np.array([study.best_params[name] for name in names])
    return Found(best, True, f"the best of {evaluations} trials")
