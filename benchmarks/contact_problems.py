"""Every solver on every contact problem of a folder: who solves what, in which time, and how the default compares.

    python benchmarks/contact_problems.py FOLDER [--solvers auto,nsgs,...] [--tolerance 1e-10] [--seconds 20]
    python benchmarks/contact_problems.py --random [--count 10000] [--first 100000] [--solvers ...]

The time of a solver is the shortest, on the processor, of up to 20 runs from zero, everything compiled. ``ratio`` is
the time of ``auto`` over that of the best single solver. With ``--random`` the problems are those of
``random_problems.py``, of the seeds from ``--first`` on; a solver answers with a residual of at most the tolerance,
raises an error, or refuses.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from random_problems import random_problem
from scipy import sparse

from flexmb.errors import InputError
from flexmb.nonsmooth import ContactNotConverged, ContactProblem, ContactSolver, read_problem, residual
from flexmb.nonsmooth.compare import LARGEST, reach
from flexmb.nonsmooth.formats import SUFFIXES
from flexmb.nonsmooth.methods.registry import NAMES

RANDOM_LIMITS = {"nsgs": 5_000, "psor": 5_000, "apgd": 2_000, "barzilai-borwein": 2_000, "admm": 2_000, "clarabel": 200}
"""Iterations after which a solver is given up on random problems, of which there are many."""


def warm(solvers: list[str]) -> None:
    """Compile, or load, what the solvers need."""
    G = np.random.default_rng(0).normal(size=(20, 24))
    dense = ContactProblem(G.T @ G, G.T @ np.ones(20), 0.5, 3)
    thin = ContactProblem(sparse.block_diag([dense.W] * 20), np.tile(dense.b, 20), 0.5, 3)
    for problem in (dense, thin):
        for name in solvers:
            try:
                reach(name, problem, 1e-10, 0.0)
            except InputError:
                continue


def on_random(solvers: list[str], first: int, count: int, tolerance: float) -> None:
    """Print what each solver does on random problems: solved, not solved (an error), refused, wrong, and the time."""
    print("solver            solved   share  errors  refused  wrong   mean ms   longest s  unsolved seeds")
    for name in solvers:
        solver = ContactSolver(name, tolerance, RANDOM_LIMITS.get(name, 0))
        solved = refused = wrong = 0
        unsolved: list[int] = []
        total = longest = 0.0
        for seed in range(first, first + count):
            problem = random_problem(seed)[1]
            began = time.perf_counter()
            try:
                solution = solver.solve(problem)
            except ContactNotConverged:
                unsolved.append(seed)
            except InputError:
                refused += 1
            else:
                exact = residual(problem, solution.P) <= tolerance
                solved, wrong = solved + exact, wrong + (not exact)
            passed = time.perf_counter() - began
            total, longest = total + passed, max(longest, passed)
        share = 100.0 * solved / max(count - refused, 1)
        words = f"{name:16} {solved:7d} {share:6.2f}% {len(unsolved):7d} {refused:8d} {wrong:6d}"
        few = ", ".join(map(str, unsolved[:12])) + (" ..." if len(unsolved) > 12 else "")
        print(f"{words} {1e3 * total / count:9.3f} {longest:11.2f}  {few}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--random", action="store_true")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=100_000)
    parser.add_argument("--solvers", default=",".join(n for n in NAMES if n not in ("exact", "pgs")))
    parser.add_argument("--tolerance", type=float, default=1e-10)
    parser.add_argument("--seconds", type=float, default=20.0)
    args = parser.parse_args()
    solvers = args.solvers.split(",")
    warm(solvers)
    if args.random:
        on_random(solvers, args.first, args.count, args.tolerance)
        return
    if args.folder is None:
        parser.error("a folder of problems, or --random")
    solved = dict.fromkeys(solvers, 0)
    tried, slow = 0, []
    for path in sorted(p for p in args.folder.iterdir() if p.suffix in SUFFIXES):
        try:
            problem = read_problem(path)
        except InputError as err:
            print(f"{path.name}: {err}")
            continue
        tried += 1
        words, times = [], dict[str, float]()
        for name in solvers:
            if problem.n > LARGEST.get(name, 10**9):
                continue
            try:
                found = reach(name, problem, args.tolerance, args.seconds)
            except InputError:
                continue
            solved[name] += found.solved
            if found.solved:
                times[name] = found.seconds
            figures = f"{found.residual:.0e} {found.iterations} {1e3 * found.seconds:.3g} ms"
            words.append(f"{name} {'' if found.solved else 'FAILS '}{figures}")
        single = [seconds for name, seconds in times.items() if name != "auto"]
        ratio = times["auto"] / min(single) if "auto" in times and single else np.nan
        if ratio > 2.0 or ("auto" not in times and single):
            slow.append(f"{path.name} {ratio:.2g}")
        print(f"{path.name[:40]}: {problem.nc} contacts, ratio {ratio:.2f} | " + " | ".join(words), flush=True)
    print(f"solved of {tried}: " + ", ".join(f"{name} {count}" for name, count in solved.items()))
    print("auto above twice the best single one, or unsolved: " + (", ".join(slow) or "none"))


if __name__ == "__main__":
    main()
