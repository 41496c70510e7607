"""The mechanisms of the benchmarks: a chain of rigid links in space, a four-bar linkage, a geometrically exact beam."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

GRAVITY = (0.0, -9.81, 0.0)
"""m/s^2."""
RHO_INF = 0.8
"""Of generalized-alpha."""

LINK_LENGTH, LINK_MASS, LINK_INERTIA = 0.1, 1.0, (1e-3, 1e-2, 1e-2)
"""m, kg, kg m^2 about the centre; links start along x, at rest."""

TORQUE = 6.0
"""On the crank of the four-bar, N m."""

BEAM_LENGTH, BEAM_SPIN = 1.0, 3.0
"""m; rad/s about y at the start, about the hinge at the first node."""


@dataclass(frozen=True)
class Mechanism:
    """A mechanism of some size, the steps to take, and how many times as long as exudyn they may take."""

    kind: str
    """chain, four-bar, beam or planar beam."""
    size: int
    """Links, bars or elements."""
    steps: int
    limit: float
    """Times exudyn's time per step that issue 3 allows; nan where it says nothing."""
    h: float = 1e-3

    @property
    def name(self) -> str:
        """What the tables call it."""
        if self.kind == "four-bar":
            return "four-bar linkage, planar"
        if self.kind.endswith("beam"):
            return f"exact beam of {self.size} elements" + (", moving in a plane" if self.kind == "planar beam" else "")
        return f"chain of {self.size} link{'s' if self.size > 1 else ''}"


def chain(links: int, steps: int | None = None) -> Mechanism:
    """Return a chain; the more links, the fewer steps unless ``steps`` says how many."""
    most = max(100, min(2000, 10_000 // links))
    return Mechanism("chain", links, most if steps is None else steps, 10.0 if links == 20 else math.nan)


def four_bar(steps: int | None = None) -> Mechanism:
    """Return the four-bar linkage of the case ``four_bar``."""
    return Mechanism("four-bar", 3, 2000 if steps is None else steps, 20.0)


def beam(elements: int = 50, steps: int | None = None, planar: bool = False) -> Mechanism:
    """Return a beam, soft as rubber, that swings on a joint at its first node.

    In space it starts with a turn about y on a spherical joint, in the plane it falls from rest on a revolute joint.
    flexmb takes its beam in space both times; exudyn has one in the plane.
    """
    kind, limit = ("planar beam", math.nan) if planar else ("beam", 5.0)
    return Mechanism(kind, elements, 300 if steps is None else steps, limit)


def joint_axis(i: int) -> np.ndarray:
    """Return the axis of joint i of the chain, (3,): tilted to one side and the other, so that it leaves the plane."""
    axis = np.array([0.0, 0.5 if i % 2 == 0 else -0.5, 1.0])
    return axis / np.linalg.norm(axis)


@dataclass(frozen=True)
class Bar:
    """A bar of the four-bar linkage; 1 kg, slender."""

    name: str
    length: float
    first: tuple[float, float]
    """Where its first end starts, m."""
    angle: float

    @property
    def inertia(self) -> float:
        """About its centre, kg m^2."""
        return self.length**2 / 12.0

    @property
    def center(self) -> tuple[float, float]:
        """Where its centre starts, m."""
        x, y = self.first
        return x + 0.5 * self.length * math.cos(self.angle), y + 0.5 * self.length * math.sin(self.angle)


BARS: Sequence[Bar] = (
    Bar("crank", 0.3, (0.0, 0.0), math.pi / 3),
    Bar("coupler", math.sqrt(0.13), (0.15, 0.15 * math.sqrt(3)), math.atan2(math.sqrt(3) / 20, 0.35)),
    Bar("rocker", 0.4, (0.7, 0.0), 2 * math.pi / 3),
)


@dataclass(frozen=True)
class BeamNumbers:
    """Stiffness and inertia of the beam's cross-section, a circle."""

    diameter: float = 0.01
    young: float = 1e8
    poisson: float = 0.3
    density: float = 1000.0

    @property
    def area(self) -> float:
        """m^2."""
        return math.pi * self.diameter**2 / 4

    @property
    def second_moment(self) -> float:
        """m^4."""
        return math.pi * self.diameter**4 / 64

    @property
    def EA(self) -> float:
        """N."""
        return self.young * self.area

    @property
    def GA(self) -> float:
        """N; shear factor 6/7."""
        return 6 / 7 * self.young / (2 + 2 * self.poisson) * self.area

    @property
    def EI(self) -> float:
        """N m^2."""
        return self.young * self.second_moment

    @property
    def GJ(self) -> float:
        """N m^2."""
        return self.young / (1 + self.poisson) * self.second_moment

    @property
    def mass_per_length(self) -> float:
        """kg/m."""
        return self.density * self.area

    @property
    def rotary(self) -> float:
        """About y and z, kg m; twice as much about the axis."""
        return self.density * self.second_moment


BEAM = BeamNumbers()
