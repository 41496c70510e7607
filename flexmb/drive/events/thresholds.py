"""When a contact counts as closed, at rest, or without force: gaps, velocities and forces are scaled separately.

g   <= tau_0 = 1e-12 L                  L: the lengths that a gap is a difference of (``Instant.reach``)
|U| <= tau_1 = 10 sqrt(2 |g''| eps L)   below it the round-off of the gap causes spurious hops
lam <= tau_lam = 1e-9 of the largest force of the closed contacts
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.smooth.phase import Phase
from flexmb.smooth.smooth_step import SmoothState
from flexmb.state import Array
from flexmb.system.linear_system import LinearSystem
from flexmb.system.multibody_system import MultibodySystem

GAP = 1e-12
"""tau_0 over the magnitude of the coordinates whose difference is the gap."""
LANDED = 1e-14
"""|g| relative to that magnitude at which a step has landed."""
FORCE = 1e-9
"""tau_lam over the largest force."""
STILL = 1e-10
"""Smallest tau_1 relative to the largest velocity: residual of the solvers."""


@dataclass(frozen=True)
class Thresholds:
    """The thresholds of a system of a given size, m."""

    length: float

    @classmethod
    def of(cls, system: LinearSystem | MultibodySystem, here: Any) -> Thresholds:
        """Return the thresholds of a system at its start."""
        extent = system.extent if isinstance(system, MultibodySystem) else 0.0
        points = system.layout.points
        spread = float(np.ptp(points, axis=0).max(initial=0.0)) if len(points) else 0.0
        return cls(max(float(here.reach.max(initial=0.0)), extent, spread) or 1.0)

    def reach(self, here: Any) -> Array:
        """Return the magnitudes of the lengths whose differences are the gaps, (nc,), m."""
        return np.asarray(np.maximum(here.reach, self.length))

    def closed(self, here: Any) -> Array:
        """Return tau_0 of each contact, m."""
        return GAP * self.reach(here)

    def landed(self, here: Any) -> Array:
        """Return the gap at which a step has landed, m."""
        return LANDED * self.reach(here)

    def rest(self, here: Any, bend: Array) -> Array:
        """Return tau_1 of each contact, m/s, from the second derivatives of the gaps."""
        noise = 10.0 * np.sqrt(2.0 * np.abs(bend) * np.finfo(float).eps * self.reach(here))
        return np.asarray(noise + STILL * float(np.abs(here.v).max(initial=0.0)))

    @staticmethod
    def no_force(phase: Phase, state: SmoothState) -> float:
        """Return tau_lam, N."""
        largest = float(np.abs(state.lam[phase.normals]).max(initial=0.0))
        return max(FORCE * largest, 1e-13 * float(np.abs(state.here.load).max(initial=0.0)))
