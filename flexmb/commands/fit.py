"""Fit parameters of a case to data: restitution, damping, stiffness, ..."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flexmb.fit.fit import Fit, FitResult


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``flexmb fit``."""
    parser.add_argument("fit", metavar="FIT", nargs="?", help="a fit file or a shipped fit (without it: a list)")
    parser.add_argument("-o", "--out", metavar="DIR", type=Path, help="folder of the fit (default: results/FITNAME)")
    parser.add_argument("--quiet", action="store_true", help="print errors only")
    parser.add_argument("--no-figures", action="store_true", help="draw no figure")


def main(args: argparse.Namespace) -> int:
    """Fit, print the parameters and name the files; runs of an earlier, interrupted call are reused."""
    from flexmb.case.shipped import shipped_fits
    from flexmb.commands.cases import print_titles
    from flexmb.commands.interrupt import exit_code, stops_like_ctrl_c
    from flexmb.commands.progress import shown
    from flexmb.fit.fit import load_fit

    if args.fit is None:
        print_titles(shipped_fits())
        return 0
    fit = load_fit(args.fit)
    out = args.out if args.out is not None else Path("results") / fit.name

    def say(words: str) -> None:
        if not args.quiet:
            print(words, file=sys.stderr, flush=True)

    try:
        with stops_like_ctrl_c(), shown(fit.name, args.quiet, what="run") as progress:
            result = fit.run(out, progress=progress, say=say)
    except KeyboardInterrupt as stopped:
        again = shlex.join(["flexmb", "fit", args.fit, "-o", str(out)])
        print(f"\nflexmb: interrupted; the runs so far are kept; to continue: {again}", file=sys.stderr)
        return exit_code(stopped)
    if not args.quiet:
        _print(fit, result)
        print(f"results in {out}: fit.json, best.toml, table.csv, objective_*.csv")
    if not args.no_figures:
        _draw(fit, out, args.quiet)
    return 0


def _print(fit: Fit, result: FitResult) -> None:
    tables = fit.file.tables
    print(tables.title or fit.name)
    width = max(len(name) for name in result.names)
    numbers = zip(tables.parameter, result.names, result.values, result.errors, strict=True)
    for p, name, value, error in numbers:
        unsure = "+- not known" if error != error else f"+- {error:.2g}"
        at_bound = "  (at a bound)" if value in (p.low, p.high) else ""
        print(f"  {name:<{width}}  {value:.6g} {unsure} {p.unit}".rstrip() + at_bound)
    print(f"  rms of residuals / sigma: {result.rms:.4g}; {result.evaluations} runs; {result.message}")
    if not result.converged:
        print("note: the method has not converged", file=sys.stderr)
    if result.rms > result.far:
        print(_far(result, tables.method), file=sys.stderr)
    elif result.rough:
        print(
            "note: the cost oscillates near these values, as impacts make it: they belong to one of many minima; the "
            "standard errors include the others",
            file=sys.stderr,
        )


def _far(result: FitResult, method: str) -> str:
    others = {
        "least-squares": 'method = "nelder-mead"',
        "nelder-mead": 'method = "optuna"',
        "optuna": "more evaluations",
    }
    return (
        f"note: residuals are {result.rms:.4g} times sigma, more than {result.far:.4g}, the limit for this number of "
        f"data: these values do not describe the data, whatever their standard errors; the method may have stopped "
        f"away from the best values (impacts make the cost irregular): try another start, or {others[method]}; "
        f"else model or sigma are wrong"
    )


def _draw(fit: Fit, out: Path, quiet: bool) -> None:
    from flexmb.checks.extras import install_command, missing

    if missing("plot"):
        later = f"{install_command('plot')}, then the same command again"
        print(f"note: no figure: matplotlib is not installed; {later}", file=sys.stderr)
        return
    from flexmb.commands.written_out import FIGURES, save_figures
    from flexmb.postproc.fit_plot import plot_fit

    paths = save_figures(plot_fit(out), [out / f"fit{ending}" for ending in FIGURES])
    if not quiet:
        print(f"figure: {', '.join(str(path) for path in paths)}")
