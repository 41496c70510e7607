"""Run a case and write a result folder."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flexmb.drive.engine import Plan

Progress = Callable[[int, int], None]


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``flexmb run``."""
    parser.add_argument("case", metavar="CASE", help="a case file or the name of a shipped case")
    parser.add_argument("-o", "--out", metavar="DIR", type=Path, help="result folder (default: results/CASENAME)")
    set_help = "override a key by its dotted name, e.g. time.step=1e-4"
    parser.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], dest="overrides", help=set_help)
    parser.add_argument("--resume", action="store_true", help="continue an unfinished run from its last checkpoint")
    parser.add_argument("--overwrite", action="store_true", help="replace an existing run in the folder")
    parser.add_argument("--quiet", action="store_true", help="print errors only")


def main(args: argparse.Namespace) -> int:
    """Run the case; expectations are reported, but affect the exit code of ``flexmb check`` only."""
    from flexmb.case import load_case
    from flexmb.commands.compiling import announce, announce_large, named
    from flexmb.commands.interrupt import exit_code, stops_between_blocks
    from flexmb.commands.notes import print_notes, print_run_notes, print_scheme_note, print_system_notes
    from flexmb.commands.progress import shown
    from flexmb.errors import InputError, SimulationError
    from flexmb.record.io.run_folder import PROBLEM
    from flexmb.record.io.summary_json import read_summary
    from flexmb.record.summary_text import expectation_lines, summary_lines

    if args.resume and args.overwrite:
        raise InputError("--resume and --overwrite exclude each other")
    case = load_case(args.case, args.overrides)
    out = args.out if args.out is not None else Path("results") / case.name
    if not args.quiet:
        print_notes(case)
    finished = args.resume and _finished(out)
    if args.resume and not finished and not args.quiet:
        _note_fresh_start(out)
    first = announce_large(case, args.quiet or finished)
    with named(args.quiet):
        plan = case.plan  # large motion is compiled during assembly
    first = first or announce(plan, args.quiet or finished)
    if not args.quiet:
        print_system_notes(case)
    try:
        with shown(case.name, args.quiet, first) as bar, stops_between_blocks(bar) as progress:
            if args.resume and not finished and not args.quiet:
                progress = _noting_resumption(out, plan, progress)
            result = case.run(out, overwrite=args.overwrite, resume=args.resume, progress=progress)
    except SimulationError:
        if (out / "summary.json").is_file():
            if not args.quiet:
                print_run_notes(case, read_summary(out / "summary.json"))
            print(f"flexmb: the results up to the failure are kept in '{out}'", file=sys.stderr)
            if (out / PROBLEM).is_file():
                print(f"flexmb: the contact problem is there, too; try: flexmb solve {out / PROBLEM}", file=sys.stderr)
        raise
    except KeyboardInterrupt as stopped:
        sets = [word for item in args.overrides for word in ("--set", item)]
        again = shlex.join(["flexmb", "run", args.case, "-o", str(out), *sets, "--resume"])
        print(f"\nflexmb: interrupted; to continue: {again}", file=sys.stderr)
        return exit_code(stopped)
    if not args.quiet:
        if finished:
            print(f"note: the run in '{out}' is finished already, so nothing was run", file=sys.stderr)
        else:
            print_run_notes(case, result.summary, table=True)
        print(case.title or case.name)
        print("\n".join(summary_lines(result.summary)))
        print_scheme_note(case)
        if entries := result.summary["expectations"]:
            print("\n".join(["expectations", *(f"  {line}" for line in expectation_lines(entries))]))
        print(f"results in {out}: summary.json, result.h5, fields.vtkhdf (ParaView), case.toml")
    return 0


def _finished(out: Path) -> bool:
    """Return whether a folder holds a finished run, even if it was killed before its files got their final names."""
    from flexmb.record.io.finish_run import decided
    from flexmb.record.io.summary_json import read_summary

    path = out / "summary.json"
    summary = decided(out) or (read_summary(path) if path.is_file() else {})
    return summary.get("status") == "complete"


def _noting_resumption(out: Path, plan: Plan, progress: Progress) -> Progress:
    """Return a progress function that says at its first call, when the folder is ours, from when the run is resumed."""
    from flexmb.errors import InputError
    from flexmb.record.io.checkpoint import read_checkpoint
    from flexmb.record.io.run_folder import CHECKPOINT

    try:
        at = plan.time(read_checkpoint(out / CHECKPOINT).step)
    except (OSError, InputError):  # there is none, or the run refuses it
        return progress
    said = False

    def advance(done: int, total: int) -> None:
        nonlocal said
        if not said:
            said = True
            print(f"note: the run in '{out}' is resumed from its checkpoint at t = {at:.6g} s", file=sys.stderr)
        progress(done, total)

    return advance


def _note_fresh_start(out: Path) -> None:
    """Print to stderr that there is nothing to continue, so that ``--resume`` starts from the beginning."""
    from flexmb.record.io.finish_run import decided
    from flexmb.record.io.run_folder import CHECKPOINT, taken_by

    found = taken_by(out)
    if decided(out) is not None:
        return  # it has ended and is not started again
    if not found:
        print(f"note: there is no run in '{out}' to resume, so it starts at the beginning", file=sys.stderr)
    elif all(name.endswith(".part") for name in found):  # killed before its first checkpoint
        print(f"note: the run in '{out}' has no {CHECKPOINT} yet, so it starts at the beginning", file=sys.stderr)
