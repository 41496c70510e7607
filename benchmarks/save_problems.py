"""Save contact problems that steps of cases solve, e.g. for ``flexmb solve`` and ``benchmarks/contact_problems.py``.

    python benchmarks/save_problems.py FOLDER CASE ... [--steps 2000] [--count 2] [--set KEY=VALUE ...] [--name NAME]
    python benchmarks/save_problems.py FOLDER --wall LAYERS BRICKS

Each case runs in the general engine; of every number of contacts that occurs, the problem with the most sweeps and
linear systems is kept, and of these the largest ``count``. A wall of bricks, each with its lower corners on two
others, is pushed on one side: a problem with as many contacts as one likes, W sparse. Entries of W below 1e-16 of its
diagonal are left out.
"""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

import flexmb as fm
from flexmb.case import load_case
from flexmb.drive import Plan
from flexmb.drive.simulate import run
from flexmb.nonsmooth import ContactProblem, ContactSolution, ContactSolver, write_problem
from flexmb.nonsmooth.reduce import thinned
from flexmb.record.result import MemorySink

ROUND_OFF = 1e-16
kept: dict[int, tuple[int, ContactProblem]] = {}
"""The hardest problem so far of each number of contacts, with its iterations."""


class Keeping(ContactSolver):
    """The default solver, which keeps hard problems."""

    @property
    def compiled(self) -> bool:
        """Not to be gone around."""
        return False

    def solve(self, problem: ContactProblem, z0: ArrayLike | None = None) -> ContactSolution:
        """Solve a problem, and keep it where it is the hardest of its size."""
        problem = dataclasses.replace(problem, W=thinned(without_round_off(problem.W)))
        cold = super().solve(problem)
        if problem.nc and cold.iterations > kept.get(problem.nc, (-1, problem))[0]:
            kept[problem.nc] = cold.iterations, problem
        return super().solve(problem, z0)


def without_round_off(W: Any) -> Any:
    """Return W without the entries that are nothing beside its diagonal."""
    W = W.toarray() if sparse.issparse(W) else np.array(W)
    d = np.sqrt(np.abs(np.diag(W)))
    W[np.abs(W) < ROUND_OFF * np.outer(d, d)] = 0.0
    return W


def wall(layers: int, bricks: int) -> Any:
    """Return layers of bricks in a plane, 0.2 m x 0.1 m, each by half a brick beside the one below; the first move."""
    model = fm.Model(gravity=(0.0, -9.81, 0.0))
    corners = {"a": (-0.1, -0.05), "b": (0.1, -0.05)}
    for i in range(layers):
        for k in range(bricks):
            place = (0.2 * k + 0.1 * (i % 2), 0.1 * i + 0.05)
            keys = {"mass": 4.0, "inertia": 4.0 * 0.05 / 12.0, "position": place, "points": corners}
            model.add(fm.RigidPlanar(f"b{i}_{k}", **keys, velocity=(0.3 * (k == 0), 0.0)))
            for corner, side in (("a", -1 + i % 2), ("b", i % 2)):
                below = f"b{i - 1}_{min(max(k + side, 0), bricks - 1)}" if i else None
                on = {"body": below, "point": (0.0, 0.1 * i, 0.0)} if below else {"point": (0.0, 0.0, 0.0)}
                model.add(
                    fm.NodePlane(f"c{i}_{k}{corner}", node=f"b{i}_{k}.{corner}", normal=(0, 1, 0), friction=0.4, **on)
                )
    return model.assemble()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--wall", type=int, nargs=2, metavar=("LAYERS", "BRICKS"))
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--count", type=int, default=2)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--name", help="in the place of the case's name")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    for case in args.cases:
        kept.clear()
        plan = load_case(case, args.set).plan
        plan = dataclasses.replace(plan, solver=Keeping(), steps=min(plan.steps, args.steps))
        run(plan, MemorySink(), engine="general")
        for nc in sorted(kept)[-args.count :]:
            k, problem = kept[nc]
            write_problem(problem, args.folder / f"{args.name or Path(case).stem}_{nc}.npz")
            print(f"{case}: {nc} contacts, {k} iterations")
    if args.wall:
        kept.clear()
        plan = Plan(wall(*args.wall), fm.MoreauJean(), Keeping(), 1e-3, 0.0, 2, 1, 1)
        run(plan, MemorySink(), engine="general")
        nc = max(kept)
        write_problem(kept[nc][1], args.folder / f"wall_of_bricks_{nc}.npz")
        print(f"wall: {nc} contacts, {kept[nc][0]} iterations")


if __name__ == "__main__":
    main()
