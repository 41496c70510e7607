"""Solve contact problems saved in files (.npz, FCLIB's .hdf5, Siconos' .dat), or compare solvers on them."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

REPEATED = 60.0
"""Time of a solution above which it is not repeated, s."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``flexmb solve``."""
    words = "shipped contact problems (--list), files, or folders of files"
    parser.add_argument("problems", metavar="PROBLEM", nargs="*", help=words)
    parser.add_argument("--list", action="store_true", help="list the shipped contact problems")
    words = "auto (default), exact, nsgs, psor, newton, proximal-newton, apgd, barzilai-borwein, admm, lemke, clarabel"
    parser.add_argument("--solver", metavar="NAME", help=f"{words}; with --compare several, separated by commas")
    words = "largest accepted residual (default 1e-10)"
    parser.add_argument("--tolerance", metavar="R", type=float, default=1e-10, help=words)
    words = "largest number of sweeps, pivots or linear systems (default 0: automatic)"
    parser.add_argument("--iterations", metavar="N", type=int, default=0, help=words)
    words = "also write the problem to FILE, in the format of its extension (.npz, .hdf5, .dat); one PROBLEM only"
    parser.add_argument("--write", metavar="FILE", help=words)
    words = "run every solver on every problem (default: those shipped) and print a table of times"
    parser.add_argument("--compare", action="store_true", help=words)
    words = "with --compare: picture of residuals against times, png, svg or pdf"
    parser.add_argument("-o", "--out", metavar="F.png", type=Path, help=words)
    words = "with --compare: once a solver has taken this time for a problem, no smaller tolerance is tried (default 5)"
    parser.add_argument("--seconds", metavar="S", type=float, default=5.0, help=words)


def main(args: argparse.Namespace) -> int:
    """Solve every problem, continuing after one that is not solved (exit code 3 at the end)."""
    import numpy as np

    from flexmb.errors import InputError
    from flexmb.nonsmooth import ContactNotConverged, ContactSolver, read_problem, write_problem
    from flexmb.nonsmooth.compare import files_of

    where = "flexmb solve"
    if args.list:
        return _list()
    if args.compare:
        return _compare(args)
    if args.out:
        raise InputError("belongs to --compare", where=where, key="--out", value=str(args.out))
    if not args.problems:
        raise InputError(
            "needs a contact problem: a file, or a name of --list (or --compare)", where=where, key="PROBLEM"
        )
    solver = ContactSolver(args.solver or "auto", args.tolerance, args.iterations)
    files = list(files_of(_places(args.problems)))
    if args.write and len(files) > 1:
        raise InputError("takes one PROBLEM", where=where, key="--write", value=args.write)
    code = 0
    for path in files:
        problem = read_problem(path)
        if args.write:
            write_problem(problem, args.write)
        passed = np.inf
        for _ in range(2):  # the first time may include compilation
            began = time.perf_counter()
            try:
                solution, words = solver.solve(problem), "solved"
            except ContactNotConverged as err:
                solution, words, code = err.solution, f"NOT SOLVED (worst: contact {err.block})", 3
            passed = min(passed, time.perf_counter() - began)
            if passed > REPEATED:
                break
        size = f"{problem.nc} contacts, {problem.n} rows"
        figures = f"residual {solution.residual:.3g}, {solution.iterations} iterations, {passed:.3g} s"
        print(f"{path}: {words} by {solution.solver}: {size}, {figures}")
    return code


def _list() -> int:
    """Print the names and sizes of the shipped problems."""
    from flexmb.nonsmooth import read_problem
    from flexmb.shipped_data import shipped_problems

    for name, path in shipped_problems().items():
        problem = read_problem(path)
        print(f"{name:32} {problem.nc:5} contacts  {problem.n:5} rows")
    return 0


def _places(given: list[str]) -> list[Path]:
    """Return paths as given, and those of shipped problems given by name; a path that exists precedes a name."""
    import difflib

    from flexmb.errors import InputError
    from flexmb.shipped_data import shipped_problems

    shipped, out = shipped_problems(), []
    for name in given:
        path = Path(name)
        if not path.exists() and not path.suffix and name not in shipped:
            near = difflib.get_close_matches(name, shipped, n=1)
            hint = f"did you mean '{near[0]}'? " if near else ""
            words = f"is neither a file nor a shipped contact problem; {hint}shipped: {', '.join(shipped)}"
            raise InputError(words, where="flexmb solve", key="PROBLEM", value=name)
        out.append(path if path.exists() else shipped.get(name, path))
    return out


def _compare(args: argparse.Namespace) -> int:
    """Print the residual and time of every solver on every problem; draw the figure if requested."""
    from flexmb.errors import InputError
    from flexmb.nonsmooth import ContactSolver, read_problem
    from flexmb.nonsmooth.compare import SOLVERS, course, files_of, reach
    from flexmb.shipped_data import shipped_problems

    where = "flexmb solve --compare"
    for key, given in (("--write", args.write), ("--iterations", args.iterations or None)):
        if given is not None:
            raise InputError("cannot be combined with --compare", where=where, key=key, value=given)
    if not args.seconds > 0.0:
        raise InputError("must be above 0", where=where, key="--seconds", value=args.seconds)
    solvers = args.solver.split(",") if args.solver else list(SOLVERS)
    for name in solvers:
        ContactSolver(name)
    if args.out:
        from flexmb.postproc.figure_file import usable_figure

        usable_figure(args.out)
    problems = {path: read_problem(path) for path in files_of(_places(args.problems) or shipped_problems().values())}
    for name in solvers:  # compiled before it is timed
        for problem in (min(problems.values(), key=lambda p: p.n), max(problems.values(), key=lambda p: p.n)):
            if course(name, problem, 1e-9):
                reach(name, problem, 1e-2, 0.0)
    courses: dict[str, Any] = {}
    solved, lost = dict.fromkeys(solvers, 0), 0
    for path, problem in problems.items():
        found = {name: course(name, problem, args.seconds) for name in solvers}
        courses[path.stem] = found
        times = {name: c[-1].seconds for name, c in found.items() if c and c[-1].residual <= args.tolerance}
        for name in times:
            solved[name] += 1
        others = [seconds for name, seconds in times.items() if name != "auto"]
        ratio = f", auto over the best {times['auto'] / min(others):.2f}" if "auto" in times and others else ""
        lost += "auto" in solvers and "auto" not in times and bool(others)
        print(f"{path.stem}: {problem.nc} contacts, {problem.n} rows{ratio}")
        for name, c in found.items():
            if c:
                figures = (
                    f"residual {c[-1].residual:8.1e}  {c[-1].iterations:6d} iterations  {1e3 * c[-1].seconds:9.4g} ms"
                )
                print(f"    {name:17} {figures}{'' if name in times else '  not solved'}")
    print(f"solved of {len(problems)} to {args.tolerance:g}: " + ", ".join(f"{n} {k}" for n, k in solved.items()))
    if args.out:
        from flexmb.postproc.figure_file import save_figure
        from flexmb.postproc.solvers_plot import plot_solvers

        sizes = {path.stem: problem.nc for path, problem in problems.items()}
        save_figure(plot_solvers(courses, sizes, args.tolerance), args.out, dpi=150)
        print(f"written: {args.out}")
    return 3 if lost else 0
