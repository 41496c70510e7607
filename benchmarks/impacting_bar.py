"""The bar of the benchmarks: thrown against a wall, at a fixed ratio of step to element length."""

from __future__ import annotations

from dataclasses import dataclass

import flexmb as fm
from flexmb.system.linear_system import LinearSystem

YOUNG, DENSITY, AREA, LENGTH, SPEED = 900.0, 1.0, 1.0, 10.0, 10.0
"""Pa, kg/m^3, m^2, m, m/s: the case ``impacting_bar``."""
ELEMENT_STEPS = 6_000_000
"""Elements times steps a measurement should take, within the two limits below."""
FEWEST_STEPS, MOST_STEPS = 60, 1000


@dataclass(frozen=True)
class Problem:
    """A number of elements and of steps, and what follows from them.

    The step is 2e-3 s at 200 elements and scales with the element, so that waves cross 1.2 elements per step at every
    size. The gap is the case's 5 m when the steps last long enough for the bar to bounce back (at 200 elements: all of
    the case, 335 of its 1000 steps in contact); otherwise it is so small that the last third of the steps are in
    contact. Either way a third of what is timed is contact.
    """

    elements: int
    steps: int

    @property
    def h(self) -> float:
        """Step, s."""
        return 2e-3 * 200 / self.elements

    @property
    def gap(self) -> float:
        """Distance of the first node to the wall at the start, m."""
        return min(5.0, SPEED * self.h * (2 * self.steps / 3))


def problem(elements: int, steps: int | None = None) -> Problem:
    """Return the problem of a size, with fewer steps for larger sizes unless ``steps`` says how many."""
    chosen = min(MOST_STEPS, max(FEWEST_STEPS, ELEMENT_STEPS // elements))
    return Problem(elements, chosen if steps is None else steps)


def assemble(bar: Problem) -> LinearSystem:
    """Return the bar and its wall as a system of flexmb."""
    model = fm.Model()
    rod = model.add(
        fm.Bar(
            "rod",
            length=LENGTH,
            elements=bar.elements,
            area=AREA,
            young=YOUNG,
            density=DENSITY,
            position=(bar.gap, 0, 0),
            direction=(1, 0, 0),
            velocity=(-SPEED, 0, 0),
        )
    )
    model.add(fm.NodePlane("wall", node=rod.first, normal=(1, 0, 0), restitution=0.0))
    return model.assemble()
