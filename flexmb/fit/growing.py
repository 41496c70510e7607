"""Search over growing parts of the data, for costs that oscillate with the parameters, as impacts make them.

After each impact a motion depends more strongly on the parameters, so that the cost over all data has many narrow
minima, while the cost over the first data is smooth. A population of points is therefore drawn towards the best points
for the first tenth of the data, then for more and more of them, as in sequential Monte Carlo methods (Chopin 2002,
doi:10.1093/biomet/89.3.539). One run serves all parts of the data.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, qmc

from flexmb.fit.methods import Residuals
from flexmb.state import Array

Mask = NDArray[np.bool_]
"""Residuals in use, (m,)."""
PARTS = np.geomspace(0.1, 1.0, 12)
"""Parts of the time of the data, one after the other."""
ROUNDS = 4
"""Largest number of generations for each part; one where its best point describes the data."""
LOWERED = 0.1
"""Relative decrease of the least cost by a generation below which a part ends if sigma is unknown."""
EVEN = 1.0 / np.sqrt(12.0)
"""Standard deviation of the even distribution between 0 and 1."""
KERNEL = 0.8
"""Standard deviation of new points around their parent, relative to that of the population."""
DEVIATIONS = 4.0
"""Standard deviations of the root mean square of residuals over sigma within which parameters describe the data."""
LEAST_FAR = 1.1
"""Least limit of it: sigma itself is hardly known better."""
SIGNIFICANT = 2.0
"""Correlation of residuals, times the root of their number, from which it is counted."""
LEAST_POINTS = 5
"""Number of residuals for each parameter below which a part of the data is skipped, but for the last part."""


def far_from_data(points: int, parameters: int) -> float:
    """Return the root mean square of residuals over sigma above which parameters do not describe the data.

    With n residuals and p parameters the reduced chi-square has the standard deviation sqrt(2 / (n - p)), its root half
    of that.
    """
    return max(LEAST_FAR, 1.0 + DEVIATIONS * float(np.sqrt(0.5 / max(points - parameters, 1))))


def variance(cost: float, count: int, parameters: int, known_sigma: bool) -> float:
    """Return the squared scatter of residuals relative to sigma; not below 1 if sigma is known."""
    scatter = 2.0 * cost / max(count - parameters, 1)
    return max(1.0, scatter) if known_sigma else max(scatter, 1e-300)


def correlation(objectives: Sequence[Array]) -> float:
    """Return the factor by which correlations between neighboring residuals increase the variance of their mean, >= 1.

    It is 1 + 2 sum rho_k, as far as the correlations rho_k are significant; residuals of noise have 1. Neighbors belong
    to one objective. No mean is subtracted: that of noise is zero, a common offset is a correlation.

    Parameters
    ----------
    objectives : sequence of (n,) arrays
        Residuals of each objective.
    """
    size, factor = sum(float(r @ r) for r in objectives), 1.0
    count = sum(r.size for r in objectives)
    for k in range(1, max(r.size for r in objectives) // 2):
        rho = sum(float(r[k:] @ r[:-k]) for r in objectives if r.size > k) / max(size, 1e-300)
        if rho < SIGNIFICANT / np.sqrt(count):
            break
        factor += 2.0 * rho
    return factor


class Search:
    """A population of points with their residuals.

    Parameters
    ----------
    residuals : callable
        Of the parameters between 0 and 1.
    start : (p,) array
        A point of the first generation; the others are evenly distributed.
    when : (m,) array
        Time of each residual, between 0 and 1.
    known_sigma : bool
        The residuals are relative to the standard deviation of the data.
    """

    def __init__(self, residuals: Residuals, start: Array, when: Array, known_sigma: bool) -> None:
        self._residuals, self._when, self._known_sigma = residuals, when, known_sigma
        self._points: list[Array] = []
        self._found: list[Array] = []
        self._numbers = qmc.Halton(start.size + 1, seed=1)
        self._size = 6 + 4 * start.size
        self._elite = 3 + 2 * start.size
        self.spread = np.full(start.size, EVEN)
        """Standard deviations of the population for the longest part of the data that is described, (p,).

        If sigma is unknown, for the last part.
        """
        self.described = False
        """Whether there is such a part."""
        self._add(np.vstack([start, qmc.Halton(start.size, seed=0).random(2 * self._size)]))

    def better_elsewhere(self) -> bool:
        """Return whether a point describes a part of the data better than the first one, by more than noise explains.

        The point that describes all data best describes each part nearly best, if the model is correct. With noise of
        variance s^2, twice the gain of p fitted parameters over s^2 has the mean p and the variance 2 p.
        """
        p = self._points[0].size
        for use in self._parts():
            costs = self._costs(use)
            noise = variance(float(costs.min()), int(use.sum()), p, self._known_sigma)
            if costs[0] - costs.min() > 0.5 * noise * (p + DEVIATIONS * np.sqrt(2.0 * p)):
                return True
        return False

    def refine(self, runs: int) -> None:
        """Draw the population towards the best points for growing parts of the data.

        Parameters
        ----------
        runs : int
            Largest number of runs. A part has more than one generation as long as one is left for each later part.
        """
        parts = self._parts()
        left = runs // self._size
        for k, use in enumerate(parts):
            left -= self._refine_part(use, min(ROUNDS, left - (len(parts) - 1 - k)))

    def _parts(self) -> list[Mask]:
        """Return the residuals of each part of the data; parts with few of them are left out."""
        parts = [self._when <= part * (1.0 + 1e-12) for part in PARTS]
        return [use for use in parts[:-1] if use.sum() >= LEAST_POINTS * (self._points[0].size + 1)] + parts[-1:]

    def _refine_part(self, use: Mask, most: int) -> int:
        """Draw generations for the residuals in use, and return their number."""
        for done in range(1, most + 1):
            before = self._costs(use).min()
            self._add(self._drawn(use))
            lowered = self._costs(use).min() < (1.0 - LOWERED) * before
            if self._described(use) or not (self._known_sigma or (lowered and done < most)):
                self.spread, self.described = self._deviations(use), True
                return done
        return max(most, 0)

    def _deviations(self, use: Mask) -> Array:
        weights, here = self._weights(use), np.array(self._points)
        return np.asarray(np.sqrt(weights @ (here - weights @ here) ** 2))

    def _described(self, use: Mask) -> bool:
        """Return whether the best point describes the residuals in use within sigma."""
        rms = np.sqrt(2.0 * self._costs(use).min() / max(use.sum(), 1))
        return self._known_sigma and bool(rms <= far_from_data(int(use.sum()), self._points[0].size))

    def _add(self, points: Array) -> None:
        """Compute the residuals at points; those of failed runs are left out."""
        for u in points:
            found = self._residuals(u)
            if found is not None:
                self._points.append(u)
                self._found.append(found)

    def _drawn(self, use: Mask) -> Array:
        """Return new points near the best ones for the residuals in use, (n, p)."""
        weights = self._weights(use)
        here = np.array(self._points)
        centred = here - weights @ here
        covariance = centred.T @ (weights[:, None] * centred)
        numbers = self._numbers.random(self._size)
        ladder = (np.arange(self._size) + numbers[0, 0]) / self._size
        parents = np.minimum(np.searchsorted(np.cumsum(weights), ladder), len(here) - 1)
        values, vectors = np.linalg.eigh(covariance)
        spread = vectors * np.sqrt(np.maximum(values, 1e-16))
        moved = here[parents] + KERNEL * norm.ppf(np.clip(numbers[:, 1:], 1e-6, 1.0 - 1e-6)) @ spread.T
        folded = np.abs(moved) % 2.0  # reflected at the bounds
        return np.asarray(np.where(folded > 1.0, 2.0 - folded, folded))

    def _costs(self, use: Mask) -> Array:
        return np.array([0.5 * float(found[use] @ found[use]) for found in self._found])

    def _weights(self, use: Mask) -> Array:
        """Return weights exp(-cost / T) for the residuals in use, with the least T for which several points count."""
        costs = self._costs(use)
        above = costs - costs.min()
        wanted = min(self._elite, 0.5 * costs.size)
        low = np.log(variance(float(costs.min()), int(use.sum()), self._points[0].size, self._known_sigma))
        high = low + 60.0
        weights = _boltzmann(above, low)
        if 1.0 / float(weights @ weights) >= wanted:
            return weights
        while high - low > 0.05:
            middle = 0.5 * (low + high)
            weights = _boltzmann(above, middle)
            low, high = (low, middle) if 1.0 / float(weights @ weights) >= wanted else (middle, high)
        return _boltzmann(above, high)


def _boltzmann(above: Array, logarithm: float) -> Array:
    weights = np.exp(-above / np.exp(logarithm))
    return np.asarray(weights / weights.sum())
