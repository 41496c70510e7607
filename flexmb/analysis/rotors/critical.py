"""Critical speeds: where a frequency is ``order`` times the speed."""

from __future__ import annotations

import numpy as np

from flexmb.analysis.rotors.campbell import campbell
from flexmb.analysis.rotors.crossings import CriticalSpeed
from flexmb.analysis.rotors.undamped import undamped_critical
from flexmb.analysis.rotors.whirl import AXIAL, TORSION
from flexmb.errors import InputError
from flexmb.system.model import Model
from flexmb.system.rotating import HasModel, RotatingSystem, rotating_system

GRID = 40
"""Number of speeds at which modes are computed to find damped critical speeds."""


def critical_speeds(
    model: Model | HasModel | RotatingSystem,
    count: int = 6,
    *,
    order: float = 1.0,
    damped: bool | None = None,
    top: float | None = None,
) -> tuple[CriticalSpeed, ...]:
    """Return the lowest critical speeds in bending, in increasing order.

    Parameters
    ----------
    model : Model, Case or RotatingSystem
    count : int
        Largest number of critical speeds.
    order : float
        Frequency over speed: 1 for unbalance, 2 for noncircular shafts, ...
    damped : bool, optional
        Whether damping, cross-coupling and speed-dependent bearings are included: |Im lam| = order W is then solved
        along the lines of a Campbell diagram. Otherwise K x = w^2 (M - i G / order) x is solved, with the bearings at
        the speed of the model. Default: damped if the model has any of these.
    top : float, optional
        Highest speed of the search with damping, rad/s; by default that of the undamped ones.
    """
    system = rotating_system(model)
    if not 0.0 < order < np.inf:
        raise InputError("must be a positive number", key="order", value=order)
    if isinstance(count, bool) or count < 1:
        raise InputError("must be 1 or more", key="count", value=count)
    if damped is None:
        damped = top is not None or not conservative(system)
    if not damped:
        return undamped_critical(system, count, order)
    first = undamped_critical(system, count + 2, order)
    if top is None:
        if not first:
            return ()
        top = 1.25 * first[-1].speed
    lines = min(system.nv, 2 * count + 4)
    found = campbell(system, np.linspace(0.0, top, GRID + 1), count=lines, orders=(order,)).critical
    return tuple(c for c in found if c.whirl not in (AXIAL, TORSION))[:count]


def conservative(system: RotatingSystem) -> bool:
    """Return whether there is no damping, cross-coupling or speed-dependent bearing."""
    matrices = [
        system.C,
        *(A for r in system.rotors for A in (r.parts.circulation, r.parts.skew_damping, r.parts.cross)),
    ]
    return not any(abs(A).sum() for A in matrices) and not any(r.parts.tables for r in system.rotors)
