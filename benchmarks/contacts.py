"""Many contacts: a beam dropped flat on a plane, 10 to 10,000 node contacts; time per step by phase.

Phases: in flight (no contact pressed), at the impact (the steps in which contacts are first pressed), in contact. The
yardstick is one solve with the factored bordered matrix of all contacts, the least that a step in contact can cost.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass

import numpy as np

import flexmb as fm
from flexmb.drive.compiled import CompiledEngine
from flexmb.drive.engine import Plan
from flexmb.kernels.algebra.envelope import solve_envelope
from flexmb.nonsmooth import ContactSolver
from flexmb.schemes.many_contacts import Level, ManyContactsProblem, StepNumbers
from flexmb.system.linear_system import LinearSystem

Array = np.ndarray
LENGTH, HEIGHT, GAP = 1.0, 0.01, 2e-6
SIZES = [10, 100, 1000, 10_000]
SCHEMES = {
    "moreau-jean": fm.MoreauJean(),
    "generalized-alpha": fm.GeneralizedAlpha(ggl=False),
    "generalized-alpha, ggl": fm.GeneralizedAlpha(ggl=True),
}


def flat_beam(contacts: int, restitution: float, damped: bool) -> LinearSystem:
    """Return a steel beam, 1 m long, above a plane that all its nodes reach at once."""
    model = fm.Model(gravity=(0.0, -9.81, 0.0))
    section = {"shape": "rectangle", "width": HEIGHT, "height": HEIGHT}
    damping = (1.0, 1e-6) if damped else None
    model.add(
        fm.Beam(
            "beam",
            length=LENGTH,
            elements=contacts - 1,
            section=section,
            young=2.1e11,
            density=7800.0,
            damping=damping,
        )
    )
    plane = {"point": (0.0, -GAP, 0.0), "normal": (0.0, 1.0, 0.0), "restitution": restitution}
    model.add(fm.NodePlane("floor", nodes="beam.all", **plane))
    system = model.assemble()
    assert isinstance(system, LinearSystem)
    return system


def bordered_solve(system: LinearSystem, h: float) -> float:
    """Return the time of one solve with S bordered by all contacts, factored before, s."""
    problem = ManyContactsProblem(system, StepNumbers(Level.ONE, 0.5 * h, 0.25 * h * h, False))
    nc = system.contacts.nc
    problem.solve(-np.ones(nc), np.ones(nc, dtype=bool), np.zeros(nc), None, 1e-3)
    B = problem.room.many.border
    n = B.low.size + int((B.place[B.low.size :] >= 0).sum())
    x, best = np.ones(n), np.inf
    for _ in range(20):
        x[:] = 1.0
        begin = time.perf_counter()
        solve_envelope(n, B.first, B.start, B.lower, B.upper, B.dinv, x)
        best = min(best, time.perf_counter() - begin)
    return best


@dataclass(frozen=True)
class Phases:
    """Median times per step, s, and how the contact steps were solved."""

    flight: float
    impact: float
    contact: float
    slowest: float
    sets: float
    pressed: int


def measure(system: LinearSystem, scheme: object, h: float, steps: int) -> Phases:
    """Take steps one by one and sort their times by phase."""
    plan = Plan(system=system, scheme=scheme, solver=ContactSolver(), h=h, t0=0.0, steps=steps, every=steps,
                fields_every=steps)  # fmt: skip
    engine = CompiledEngine(plan)
    engine.start()
    if engine.many is not None:
        engine.many.solve(*(np.zeros(engine.many.own.size) for _ in range(3)), None, 1e-10)  # compiles it
    spent, pressed, sets = np.zeros(steps), np.zeros(steps, dtype=int), np.zeros(steps)
    for k in range(steps):
        before = engine.tally().iterations
        begin = time.perf_counter()
        engine.advance(1)
        spent[k] = time.perf_counter() - begin
        if engine.failure is not None:
            raise engine.failure
        pressed[k], sets[k] = (engine.live.P > 0.0).sum(), engine.tally().iterations - before
    touching = pressed > 0
    landing = touching & np.concatenate([[True], ~touching[:-1]])
    rest = touching & ~landing
    return Phases(*(float(np.median(spent[w])) if w.any() else float("nan") for w in (~touching, landing, rest)),
                  float(np.sort(spent[touching])[-2]), float(sets[touching].mean()), int(pressed.max()))  # fmt: skip


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="numbers of contacts")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--h", type=float, default=1e-5, help="step, s")
    parser.add_argument("--restitution", type=float, default=0.0)
    parser.add_argument("--damped", action="store_true", help="Rayleigh damping, (1, 1e-6)")
    args = parser.parse_args()
    print(f"{'contacts':>8}  {'scheme':<24}{'flight':>9}{'impact':>9}{'contact':>9}{'slowest':>9}  ms  "
          f"{'solves':>7}{'sets':>6}{'pressed':>9}")  # fmt: skip
    for size in args.sizes:
        system = flat_beam(size, args.restitution, args.damped)
        yard = bordered_solve(system, args.h)
        for name, scheme in SCHEMES.items():
            p = measure(system, scheme, args.h, args.steps)
            ms = "".join(f"{1e3 * t:9.3f}" for t in (p.flight, p.impact, p.contact, p.slowest))
            print(f"{size:>8}  {name:<24}{ms}      {p.contact / yard:>7.1f}{p.sets:>6.1f}{p.pressed:>9}", flush=True)


if __name__ == "__main__":
    main()
