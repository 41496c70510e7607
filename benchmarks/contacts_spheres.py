"""What many spheres cost: a column that stands on the ground, to build and per step.

    python benchmarks/contacts_spheres.py [--sizes 10 100 1000] [--steps N] [--rigid] [--no-steps]

Processor time of one thread. Each sphere is listed with its neighbour; all of them touch from the start and carry the
weight of those above.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass

from bar import machine, slope

import flexmb.engines.multibody as engine_module
from flexmb.bodies.particle import Particle
from flexmb.bodies.rigid import Rigid
from flexmb.contacts import NodePlane, SphereSphere
from flexmb.engines import Plan
from flexmb.model import Model
from flexmb.multibody_system import MultibodySystem
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.schemes import MoreauJean

SIZES = (10, 100, 1000)
RADIUS, MASS, H = 0.05, 1.0, 1e-3
"""m, kg, s."""


def column(n: int, rigid: bool = False) -> Model:
    """Return n spheres, one on top of the other, the lowest on the ground."""
    model = Model(gravity=(0.0, 0.0, -9.81))
    for k in range(n):
        place = (0.0, 0.0, RADIUS + 2.0 * RADIUS * k)
        inertia = (0.4 * MASS * RADIUS**2,) * 3
        body = Rigid(f"s{k}", mass=MASS, inertia=inertia, position=place) if rigid else None
        model.add(Particle(f"s{k}", mass=MASS, position=place) if body is None else body)
    model.add(NodePlane("ground", node="s0", normal=(0.0, 0.0, 1.0), point=(0.0, 0.0, RADIUS)))
    if n > 1:
        model.add(SphereSphere("pairs", chain=[f"s{k}" for k in range(n)], radius=RADIUS))
    return model


@dataclass(frozen=True)
class Row:
    """Figures of a size: seconds to build the system and to begin a run, milliseconds and index sets of a step."""

    size: int
    build: float
    begin: float
    step: float = float("nan")
    sets: float = float("nan")


def measure(n: int, steps: int, rigid: bool = False) -> Row:
    """Return the figures of a column of n spheres; no steps are measured when ``steps`` is 0."""
    began = time.process_time()
    system = column(n, rigid).assemble(signals=[])
    built = time.process_time()
    assert isinstance(system, MultibodySystem)
    engine = engine_module.MultibodyEngine(Plan(system, MoreauJean(), ContactSolver(), H, 0.0, steps + 1, 1, steps + 1))
    engine.start()
    begun = time.process_time()
    row = Row(n, built - began, begun - built)
    if not steps:
        return row
    engine.advance(1)  # finds which contacts are closed
    before, start = engine.tally().iterations, time.process_time()
    engine.advance(steps)
    if engine.failure is not None:
        raise engine.failure
    seconds = time.process_time() - start
    return Row(n, row.build, row.begin, 1e3 * seconds / steps, (engine.tally().iterations - before) / steps)


def main(argv: Sequence[str] | None = None) -> list[Row]:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="spheres of the columns")
    parser.add_argument("--steps", type=int, default=5, help="steps after the first one")
    parser.add_argument("--rigid", action="store_true", help="rigid bodies instead of particles")
    parser.add_argument("--no-steps", action="store_true", help="build them only")
    args = parser.parse_args(argv)
    print(machine())
    print(f"\ncolumn of spheres\n{'spheres':>9s}{'build, s':>11s}{'begin, s':>11s}{'step, ms':>11s}{'sets/step':>11s}")
    measure(2, 1, args.rigid)  # imports, compiled files
    rows = []
    for n in args.sizes:
        rows.append(row := measure(n, 0 if args.no_steps else args.steps, args.rigid))
        print(f"{row.size:9d}{row.build:11.3f}{row.begin:11.3f}{row.step:11.3f}{row.sets:11.1f}".replace("nan", "  -"))
    if len(rows) > 1:
        print(f"build time ~ spheres^{slope([row.size for row in rows], [row.build for row in rows]):.2f}")
    return rows


if __name__ == "__main__":
    main()
