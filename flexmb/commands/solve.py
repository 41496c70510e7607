"""Solve contact problems saved in files (.npz, FCLIB's .hdf5, Siconos' .dat); print residual, iterations and time."""

from __future__ import annotations

import argparse
import time


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``flexmb solve``."""
    parser.add_argument("problems", metavar="PROBLEM", nargs="+", help="files of contact problems")
    words = "auto (default), exact, nsgs, psor, newton, proximal-newton, apgd, barzilai-borwein, admm, lemke, clarabel"
    parser.add_argument("--solver", metavar="NAME", default="auto", help=words)
    words = "largest accepted residual (default 1e-10)"
    parser.add_argument("--tolerance", metavar="R", type=float, default=1e-10, help=words)
    words = "most sweeps, pivots or linear systems (default 0: automatic)"
    parser.add_argument("--iterations", metavar="N", type=int, default=0, help=words)
    words = "also write the problem to FILE, in the format of its ending (.npz, .hdf5, .dat); one PROBLEM only"
    parser.add_argument("--write", metavar="FILE", help=words)


def main(args: argparse.Namespace) -> int:
    """Solve every problem, going on after one that is not solved (exit 3 at the end)."""
    from flexmb.errors import InputError
    from flexmb.nonsmooth import ContactNotConverged, ContactSolver, read_problem, write_problem

    solver = ContactSolver(args.solver, args.tolerance, args.iterations)
    if args.write and len(args.problems) > 1:
        raise InputError("takes one PROBLEM", where="flexmb solve", key="--write", value=args.write)
    code = 0
    for path in args.problems:
        problem = read_problem(path)
        if args.write:
            write_problem(problem, args.write)
        began = time.perf_counter()
        try:
            solution, words = solver.solve(problem), "solved"
        except ContactNotConverged as err:
            solution, words, code = err.solution, f"NOT SOLVED (worst: contact {err.block})", 3
        passed = time.perf_counter() - began
        size = f"{problem.nc} contacts, {problem.n} rows"
        figures = f"residual {solution.residual:.3g}, {solution.iterations} iterations, {passed:.3g} s"
        print(f"{path}: {words} by {solution.solver}: {size}, {figures}")
    return code
