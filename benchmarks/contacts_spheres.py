"""What many spheres cost, to build and per step: a column that stands on the ground, and a pile that falls together.

    python benchmarks/contacts_spheres.py [--sizes 10 100 1000] [--piles 10 100 ...] [--steps N] [--rigid] [--no-steps]

Processor time of one thread. In the column each sphere is listed with its neighbour; all of them touch from the start
and carry the weight of those above. In the pile the pairs are found by search (kind ``spheres``), searches included.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from bar import machine, slope

from flexmb.drive import Plan, choose_engine
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.parts.bodies.particle import Particle
from flexmb.parts.bodies.rigid import Rigid
from flexmb.parts.contacts import NodePlane, Spheres, SphereSphere
from flexmb.schemes import MoreauJean
from flexmb.system.model import Model

SIZES, PILES = (10, 100, 1000), (10, 100, 500)
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


def pile(n: int, rigid: bool = False) -> Model:
    """Return n spheres that fall into a corner of three planes, layer by layer."""
    model, side = Model(gravity=(0.0, 0.0, -9.81)), max(2, round((n / 2) ** (1 / 3)))
    rng = np.random.default_rng(0)
    for k in range(n):
        cell = np.array([k % side, k // side % side, k // side**2])
        place = tuple(RADIUS * (1.05 + 2.1 * cell + 0.04 * rng.random(3)))
        inertia = (0.4 * MASS * RADIUS**2,) * 3
        start = {"position": place, "velocity": (0.0, 0.0, -1.0)}
        body = Rigid(f"s{k}", mass=MASS, inertia=inertia, **start) if rigid else None
        model.add(Particle(f"s{k}", mass=MASS, **start) if body is None else body)
    nodes, far = [f"s{k}" for k in range(n)], 2.1 * RADIUS * side + 0.1 * RADIUS
    for axis, name in enumerate("xyz"):
        normal = np.eye(3)[axis]
        model.add(NodePlane(f"{name}_low", nodes=nodes, normal=normal, radius=RADIUS))
        if name != "z":
            model.add(NodePlane(f"{name}_high", nodes=nodes, normal=-normal, point=far * normal, radius=RADIUS))
    model.add(Spheres("pairs", bodies="*", radius=RADIUS))
    return model


@dataclass(frozen=True)
class Row:
    """Figures of a size: seconds to build the system and to begin a run, milliseconds and index sets of a step."""

    size: int
    build: float
    begin: float
    step: float = float("nan")
    sets: float = float("nan")


def measure(make: Callable[[int, bool], Model], n: int, steps: int, rigid: bool = False) -> Row:
    """Return the figures of n spheres; no steps are measured when ``steps`` is 0."""
    began = time.process_time()
    system = make(n, rigid).assemble(signals=[])
    built = time.process_time()
    engine = choose_engine(Plan(system, MoreauJean(), ContactSolver(), H, 0.0, steps + 1, 1, steps + 1))
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
    parser.add_argument("--piles", type=int, nargs="*", default=PILES, help="spheres of the piles")
    parser.add_argument("--steps", type=int, default=20, help="steps after the first one")
    parser.add_argument("--rigid", action="store_true", help="rigid bodies instead of particles")
    parser.add_argument("--no-steps", action="store_true", help="build them only")
    args = parser.parse_args(argv)
    print(machine())
    rows = []
    for name, make, sizes in (("column", column, args.sizes), ("pile", pile, args.piles)):
        head = "".join(f"{word:>11s}" for word in ("build, s", "begin, s", "step, ms", "sets/step"))
        print(f"\n{name} of spheres\n{'spheres':>9s}{head}")
        measure(make, 3, 1, args.rigid)  # imports, compiled files
        own = []
        for n in sizes:
            own.append(row := measure(make, n, 0 if args.no_steps else args.steps, args.rigid))
            words = f"{row.size:9d}{row.build:11.3f}{row.begin:11.3f}{row.step:11.3f}{row.sets:11.1f}"
            print(words.replace("nan", "  -"), flush=True)
        if len(own) > 1:
            print(f"build time ~ spheres^{slope([row.size for row in own], [row.build for row in own]):.2f}")
        rows += own
    return rows


if __name__ == "__main__":
    main()
