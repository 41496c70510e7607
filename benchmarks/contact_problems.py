"""Every solver on every contact problem of a folder: who solves what, in which time, and how the default compares.

    python benchmarks/contact_problems.py FOLDER [--solvers auto,nsgs,...] [--tolerance 1e-10] [--seconds 20]

The time of a solver is the shortest of up to five runs from zero, everything compiled. ``ratio`` is the time of
``auto`` over that of the best single solver.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from scipy import sparse

from flexmb.errors import InputError
from flexmb.nonsmooth import ContactNotConverged, ContactProblem, ContactSolver, read_problem
from flexmb.nonsmooth.formats import SUFFIXES
from flexmb.nonsmooth.methods.registry import NAMES

LIMITS = {"nsgs": 20_000, "psor": 20_000, "apgd": 20_000, "barzilai-borwein": 20_000, "admm": 5_000, "lemke": 0}
"""Iterations after which a solver is given up; 0: its own limit."""
LARGEST = {"lemke": 400, "newton": 6000, "admm": 6000, "clarabel": 3000}
"""Rows of the largest problem that a solver is tried on."""


def timed(name: str, problem: ContactProblem, tolerance: float, seconds: float) -> tuple[float, float, int]:
    """Return residual, shortest time and iterations."""
    solver = ContactSolver(name, tolerance, LIMITS.get(name, 0))
    best, total = np.inf, 0.0
    for _ in range(5):
        began = time.perf_counter()
        try:
            solution = solver.solve(problem)
        except ContactNotConverged as err:
            solution = err.solution
        passed = time.perf_counter() - began
        best, total = min(best, passed), total + passed
        if total > 0.2 * seconds:
            break
    return solution.residual, best, solution.iterations


def warm(solvers: list[str]) -> None:
    """Compile, or load, what the solvers need."""
    G = np.random.default_rng(0).normal(size=(20, 24))
    dense = ContactProblem(G.T @ G, G.T @ np.ones(20), 0.5, 3)
    thin = ContactProblem(sparse.block_diag([dense.W] * 6), np.tile(dense.b, 6), 0.5, 3)
    for problem in (dense, thin):
        for name in solvers:
            try:
                timed(name, problem, 1e-10, 0.0)
            except InputError:
                continue


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--solvers", default=",".join(n for n in NAMES if n not in ("exact", "pgs")))
    parser.add_argument("--tolerance", type=float, default=1e-10)
    parser.add_argument("--seconds", type=float, default=20.0)
    args = parser.parse_args()
    solvers = args.solvers.split(",")
    warm(solvers)
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
                residual, seconds, iterations = timed(name, problem, args.tolerance, args.seconds)
            except InputError:
                continue
            ok = residual <= args.tolerance
            solved[name] += ok
            if ok:
                times[name] = seconds
            words.append(f"{name} {'' if ok else 'FAILS '}{residual:.0e} {iterations} {1e3 * seconds:.3g} ms")
        single = [seconds for name, seconds in times.items() if name != "auto"]
        ratio = times["auto"] / min(single) if "auto" in times and single else np.nan
        if ratio > 2.0 or ("auto" not in times and single):
            slow.append(f"{path.name} {ratio:.2g}")
        print(f"{path.name[:40]}: {problem.nc} contacts, ratio {ratio:.2f} | " + " | ".join(words), flush=True)
    print(f"solved of {tried}: " + ", ".join(f"{name} {count}" for name, count in solved.items()))
    print("auto above twice the best single one, or unsolved: " + (", ".join(slow) or "none"))


if __name__ == "__main__":
    main()
