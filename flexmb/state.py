"""``State`` and ``StepReport``: input and output of a step (immutable), and the protocol of functions of time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
IntArray = NDArray[np.int64]
Array2 = Array
Array3 = Array
IntArray2 = IntArray
"""Arrays of two and three axes; ``kernels.compilation.arrays_at`` reads the number of axes from these names."""


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
    """Result of a step in addition to the new state: impulses and the terms of the energy identity of the scheme.

    ``E_n1 - E_n = external + drive + cross + damping + sum(contact) + sum(sliding + rolling + cohesion) + projection
    + numerical + drift + closing`` holds to round-off.

    Parameters
    ----------
    P : (nc,) array
        Contact impulses of the step, N s.
    external : float
        Work of the time-dependent loads, J.
    drive : float
        Work of the prescribed motion of planes and of the spin of rotors, J (part of the external work, also recorded
        separately).
    damping : float
        Work of the viscous forces, J.
    contact : (nc,) array
        Impulse times mean relative velocity of each contact, J; positive entries are energy gains.
    numerical : float
        Energy added by the scheme itself (usually negative), J.
    iterations : int
        Pivots or sweeps of the contact solver.
    evaluations : int
        How often the forces were evaluated, where a scheme counts that.
    projection : float
        Work of the position-level multipliers (GGL), J; counted as contact work.
    spin : float
        The part of ``drive`` that acts through forces of the spin of rotors (unbalance, skewed disks, a changing speed;
        the torque of a free spin), J.
    drift, closing : float
        Works of the projection onto joints and closed contacts, and of the normal impulses that end an accumulation of
        impacts, J: in runs with located events.
    cross : float
        Work of cross-coupling forces of rotors, J (part of the external work, also recorded separately).
    Lam : (nj,) array
        Impulses of the rows of joints in the step, N s or N m s (alpha family: those of impacts); empty where there are
        none.
    lam : (nj,) array
        Forces of the rows of joints at the end of the step, N or N m; empty where a scheme has impulses only.
    R : (nt,) array
        Impulses of the tangential rows (friction, rolling, spinning), N s or N m s; empty where there are none.
    sliding, rolling, cohesion : (nc,) arrays
        Work of the tangential impulses, of those of rolling and spinning, and of cohesion, of each contact, J; empty
        where there are none.
    surface : (nc,) array
        Work of the impulses of each contact on the motion of a prescribed surface, J: part of ``drive``; empty where
        there is none.
    laws : (k, nc) array
        Internal variables of the contact laws after the step (``flexmb.laws``); empty where they have none.
    mu : (nc,) array
        Friction coefficients in the step, for the status of the contacts; empty: those of Coulomb's law.
    bonds : (nc + nt,) array
        The parts of P and R that are cohesion impulses; empty where there are none.
    """

    P: Array
    external: float
    drive: float
    damping: float
    contact: Array
    numerical: float
    iterations: int
    projection: float = 0.0
    spin: float = 0.0
    drift: float = 0.0
    closing: float = 0.0
    cross: float = 0.0
    Lam: Array = field(default_factory=lambda: np.zeros(0))
    lam: Array = field(default_factory=lambda: np.zeros(0))
    R: Array = field(default_factory=lambda: np.zeros(0))
    sliding: Array = field(default_factory=lambda: np.zeros(0))
    rolling: Array = field(default_factory=lambda: np.zeros(0))
    cohesion: Array = field(default_factory=lambda: np.zeros(0))
    surface: Array = field(default_factory=lambda: np.zeros(0))
    laws: Array = field(default_factory=lambda: np.zeros((0, 0)))
    mu: Array = field(default_factory=lambda: np.zeros(0))
    bonds: Array = field(default_factory=lambda: np.zeros(0))
    evaluations: int = 0
