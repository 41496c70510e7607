"""Run cases and compare with their expectations."""

from __future__ import annotations

import argparse
import sys


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``flexmb check``."""
    case_help = "case files or names of shipped cases (default: all shipped cases)"
    parser.add_argument("cases", metavar="CASE", nargs="*", help=case_help)
    set_help = "override a key by its dotted name, e.g. time.step=1e-4"
    parser.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], dest="overrides", help=set_help)
    parser.add_argument("--quiet", action="store_true", help="show no progress and no notes of runs")


def main(args: argparse.Namespace) -> int:
    """Check all cases; the exit code is the largest of theirs (codes are ordered by severity)."""
    from flexmb.case.shipped import shipped_cases
    from flexmb.errors import FlexmbError, InputError

    worst = 0
    for name in args.cases or shipped_cases():
        try:
            code = _check(name, args.overrides, args.quiet)
        except FlexmbError as err:
            if getattr(args, "debug", False):
                raise
            print(f"flexmb: error: {err}", file=sys.stderr)
            code = 2 if isinstance(err, InputError) else 3
        worst = max(worst, code)
    return worst


def _check(name: str, overrides: list[str], quiet: bool) -> int:
    from flexmb.case import load_case
    from flexmb.commands.compiling import announce, announce_large
    from flexmb.commands.notes import print_notes, print_run_notes, print_scheme_note, print_system_notes
    from flexmb.commands.progress import shown
    from flexmb.record.summary_text import counted, energy_warnings, expectation_lines

    case = load_case(name, overrides)
    if not quiet:
        print_notes(case)
    first = announce_large(case, quiet) or announce(case.plan, quiet)
    if not quiet:
        print_system_notes(case)
    with shown(case.name, quiet, first) as progress:
        result = case.run(progress=progress)
    if not quiet:
        print_run_notes(case, result.summary, table=True)
    print_scheme_note(case)  # part of the result: the scheme and grid that the expectations were written for
    entries = result.summary["expectations"]
    words = counted(len(entries), "expectation") if entries else "has no expectations, so nothing was checked"
    print(f"{case.name}: {words}")
    for line, entry in zip(expectation_lines(entries), entries, strict=True):
        print(f"  {line}" + (f"   [{entry['source']}]" if entry.get("source") else ""))
    for line in () if quiet else energy_warnings(result.summary["energy"]):
        print(f"{case.name}: warning: {line}")
    return 0 if all(entry["ok"] for entry in entries) else 1
