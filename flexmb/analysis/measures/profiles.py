"""Performance profiles of solvers on a set of problems (Dolan and More 2002).

With the cost t_ps of solver s on problem p, its ratio to the best is r_ps = t_ps / min_s t_ps, infinite where the
solver failed, and

    rho_s(tau) = (number of problems with r_ps <= tau) / (number of problems)

is the probability that s is within a factor tau of the best: rho_s(1) is how often it is the best, the limit for large
tau how often it succeeds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.errors import InputError
from flexmb.state import Array


@dataclass(frozen=True)
class PerformanceProfile:
    """Ratios of costs to the best one.

    Parameters
    ----------
    ratios : (problems, solvers) array
        At least 1; inf where a solver failed. An unsolved problem is a row of inf, and is counted.
    """

    ratios: Array

    def rho(self, tau: Array) -> Array:
        """Return the fractions of problems solved within ``tau`` times the best cost, (len(tau), solvers)."""
        return np.asarray((self.ratios[None] <= np.asarray(tau)[:, None, None]).mean(axis=1))

    def steps(self, solver: int) -> tuple[Array, Array]:
        """Return the tau at which rho of a solver changes, from tau = 1 on, and its values from there on."""
        finite = self.ratios[np.isfinite(self.ratios[:, solver]), solver]
        tau = np.unique(np.append(finite, 1.0))
        return tau, self.rho(tau)[:, solver]


def performance_profile(costs: Array) -> PerformanceProfile:
    """Return the profile of costs.

    Parameters
    ----------
    costs : (problems, solvers) array_like
        Not negative; nan or inf where a solver failed. Where the best cost is 0, only those as good have ratio 1.
    """
    t = np.asarray(costs, dtype=np.float64)
    if t.ndim != 2 or not t.size:
        raise InputError("must be a table of problems and solvers", where="performance_profile", value=t.shape)
    if (t < 0.0).any():
        raise InputError("must not be negative", where="performance_profile", key="costs", value=float(np.nanmin(t)))
    t = np.where(np.isnan(t), np.inf, t)
    best = t.min(axis=1, keepdims=True)
    ratios = np.full(t.shape, np.inf)
    np.divide(t, best, out=ratios, where=(best > 0.0) & np.isfinite(t))
    ratios[(t == best) & np.isfinite(t)] = 1.0
    return PerformanceProfile(ratios)
