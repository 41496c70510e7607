"""Save contact problems that steps of cases solve, e.g. for ``flexmb solve`` and ``benchmarks/contact_problems.py``.

    python benchmarks/save_problems.py FOLDER CASE ... [--steps 2000] [--count 2]

Each case runs in the general engine; of every number of contacts that occurs, the problem with the most sweeps and
linear systems is kept, and of these the largest ``count``.
"""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path

from numpy.typing import ArrayLike

from flexmb.case import load_case
from flexmb.drive.simulate import run
from flexmb.nonsmooth import ContactProblem, ContactSolution, ContactSolver, write_problem
from flexmb.nonsmooth.reduce import thinned
from flexmb.record.result import MemorySink

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
        cold = super().solve(problem)
        if problem.nc and cold.iterations > kept.get(problem.nc, (-1, problem))[0]:
            kept[problem.nc] = cold.iterations, problem
        return super().solve(problem, z0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("cases", nargs="+")
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--count", type=int, default=2)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    for case in args.cases:
        kept.clear()
        plan = load_case(case).plan
        plan = dataclasses.replace(plan, solver=Keeping(), steps=min(plan.steps, args.steps))
        run(plan, MemorySink(), engine="general")
        for nc in sorted(kept)[-args.count :]:
            k, problem = kept[nc]
            small = dataclasses.replace(problem, W=thinned(problem.W))
            write_problem(small, args.folder / f"{Path(case).stem}_{nc}.npz")
            print(f"{case}: {nc} contacts, {k} iterations")


if __name__ == "__main__":
    main()
