"""Input and output of an integrator of smooth motion: ``SmoothState`` and ``SmoothStep``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from flexmb.state import Array

if TYPE_CHECKING:
    from flexmb.smooth.dense import Inside
    from flexmb.smooth.phase_instant import PhaseInstant


@dataclass(frozen=True)
class SmoothState:
    """A state of a phase.

    Parameters
    ----------
    t : float
    q, v, a : arrays
        Positions, velocities, accelerations (rates of the components of v).
    lam : (nr,) array
        Forces of the rows of the phase.
    here : PhaseInstant
        The phase in (t, q, v).
    memory : tuple of arrays
        Further data of an integrator; empty after a restart. Fixed in number and shapes.
    """

    t: float
    q: Array
    v: Array
    a: Array
    lam: Array
    here: PhaseInstant
    memory: tuple[Array, ...] = ()


@dataclass(frozen=True)
class SmoothWorks:
    """Works of a smooth step, J: dE is the sum of all but the last two.

    ``sliding`` (nc,) is that of friction at each contact, ``surface`` (nc,) the part of ``drive`` that comes from
    prescribed surfaces, ``spin`` the part of it that forces of spins do.
    """

    external: float
    drive: float
    damping: float
    cross: float
    numerical: float
    sliding: Array = field(default_factory=lambda: np.zeros(0))
    surface: Array = field(default_factory=lambda: np.zeros(0))
    spin: float = 0.0


@dataclass(frozen=True)
class SmoothStep:
    """A smooth step, from ``start`` to ``end``.

    Parameters
    ----------
    start, end : SmoothState
    dq : (nv,) array
        The increment: ``end.q`` is ``system.advance(start.q, dq)``.
    impulse : (nr,) array
        Integrals of the forces of the rows in the step, N s: M dv is that of all forces.
    works : SmoothWorks
    errors : tuple of ((nv,) array, (nv,) array)
        Estimates of the local error, in q and v; ``SmoothScheme.local_error`` makes one number of their norms.
    lam_inside : (k, nr) array
        Forces of the rows at some times inside, for a first look at their signs.
    lam_end : (nr,) array, optional
        Forces of the rows at the end in an implicit step. Those of ``end`` are the instantaneous forces, including
        those of fast modes that the step does not resolve.
    evaluations, solves : int
        Numbers of force evaluations and of solved linear systems of the rows.
    inside : Inside, optional
        Dense output of the integrator; without it that of Hermite (``smooth.dense``).
    """

    start: SmoothState
    end: SmoothState
    dq: Array
    impulse: Array
    works: SmoothWorks
    errors: tuple[tuple[Array, Array], ...] = ()
    lam_inside: Array = field(default_factory=lambda: np.zeros((0, 0)))
    lam_end: Array | None = None
    evaluations: int = 0
    solves: int = 0
    inside: Inside | None = None

    @property
    def h(self) -> float:
        """Length of the step, s."""
        return self.end.t - self.start.t
