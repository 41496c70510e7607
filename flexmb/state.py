"""``State`` and ``StepReport``: what goes into a step and what comes out of it, frozen; functions of time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
IntArray = NDArray[np.int64]


class TimeFunction(Protocol):
    """A scalar function of time given as data."""

    def value(self, t: Array | float) -> Array:
        """Return the function at time(s) ``t``."""
        ...

    def rate(self, t: Array | float) -> Array:
        """Return its right-sided time derivative at ``t``."""
        ...

    def second(self, t: Array | float) -> Array:
        """Return its right-sided second time derivative at ``t``."""
        ...


def frozen(x: Array) -> Array:
    """Return ``x`` marked read-only (no copy)."""
    x.flags.writeable = False
    return x


@dataclass(frozen=True)
class State:
    """Position and velocity at one instant.

    Parameters
    ----------
    t : float
        Time, s.
    q : (nv,) array
        Generalized displacements.
    v : (nv,) array
        Generalized velocities (right limit across impacts).
    """

    t: float
    q: Array
    v: Array


@dataclass(frozen=True)
class StepReport:
    """What a step did: impulses, and the terms of the scheme's own energy identity.

    ``E_n1 - E_n = external + drive + cross + damping + sum(contact) + sum(sliding + rolling + cohesion) + projection
    + numerical`` holds to round-off.

    Parameters
    ----------
    P : (nc,) array
        Contact impulses of the step, N s.
    external : float
        Work of the time-dependent loads, J.
    drive : float
        Work of the prescribed motion of planes and of the spin of rotors, J (booked as external work, and apart).
    damping : float
        Work of the viscous forces, J.
    contact : (nc,) array
        Impulse times mean relative velocity of each contact, J; positive entries are energy gains.
    numerical : float
        What the scheme itself adds (usually negative), J.
    iterations : int
        Pivots or sweeps of the contact solver.
    projection : float
        Work of the position-level multipliers (GGL), J; booked as contact work.
    cross : float
        Work of cross-coupling forces of rotors, J (booked as external work, and apart).
    Lam : (nj,) array
        Impulses of the rows of joints in the step, N s or N m s (alpha family: those of impacts); empty where there are
        none.
    lam : (nj,) array
        Forces of the rows of joints at the end of the step, N or N m; empty where a scheme has impulses only.
    R : (nt,) array
        Impulses of the rows beside the normals (friction, rolling, spinning), N s or N m s; empty where there are none.
    sliding, rolling, cohesion : (nc,) arrays
        Work of the tangential impulses, of those of rolling and spinning, and of cohesion, of each contact, J; empty
        where there are none.
    laws : (k, nc) array
        State of the laws after the step (``flexmb.laws``); empty where they have none.
    mu : (nc,) array
        Coefficients of friction in the step, for the status of the contacts; empty: those of Coulomb's law.
    bonds : (nc + nt,) array
        The parts of P and R that are impulses of bonds (cohesion); empty where there are none.
    """

    P: Array
    external: float
    drive: float
    damping: float
    contact: Array
    numerical: float
    iterations: int
    projection: float = 0.0
    cross: float = 0.0
    Lam: Array = field(default_factory=lambda: np.zeros(0))
    lam: Array = field(default_factory=lambda: np.zeros(0))
    R: Array = field(default_factory=lambda: np.zeros(0))
    sliding: Array = field(default_factory=lambda: np.zeros(0))
    rolling: Array = field(default_factory=lambda: np.zeros(0))
    cohesion: Array = field(default_factory=lambda: np.zeros(0))
    laws: Array = field(default_factory=lambda: np.zeros((0, 0)))
    mu: Array = field(default_factory=lambda: np.zeros(0))
    bonds: Array = field(default_factory=lambda: np.zeros(0))
