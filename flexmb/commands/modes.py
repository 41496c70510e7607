"""Natural frequencies and shapes of a case's system."""

from __future__ import annotations

import argparse
from pathlib import Path


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``flexmb modes``."""
    parser.add_argument("case", metavar="CASE", help="a case file or the name of a shipped case")
    parser.add_argument("-n", "--count", metavar="COUNT", type=int, help="how many (default: 10)")
    parser.add_argument("-o", "--out", metavar="DIR", type=Path, help="also write modes.csv and modes.vtu there")
    set_help = "override a key by its dotted name, e.g. bodies.rod.elements=50"
    parser.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], dest="overrides", help=set_help)


def main(args: argparse.Namespace) -> int:
    """Print the table of frequencies; rigid motions have frequency 0."""
    from flexmb.case import load_case
    from flexmb.commands.notes import print_notes
    from flexmb.commands.report import counted
    from flexmb.errors import InputError
    from flexmb.io.mode_files import write_modes
    from flexmb.modes import modes

    case = load_case(args.case, args.overrides)
    print_notes(case)
    system = case.plan.system
    try:
        found = modes(system, args.count)
    except InputError as err:
        raise case.values.origin.wrap(err) if err.where else err from None
    print(f"{case.title or case.name}: {counted(system.nv, 'unknown')}, without damping and contact")
    print(f"{'mode':>4}  {'frequency [Hz]':>18}  {'omega [rad/s]':>18}")
    for k, (f, omega) in enumerate(zip(found.frequency, found.omega, strict=True), start=1):
        print(f"{k:>4}  {f:>18.9g}  {omega:>18.9g}" + ("  rigid" if omega == 0.0 else ""))
    if args.out is not None:
        paths = write_modes(found.omega, found.shapes, system.layout, args.out)
        print(f"written: {', '.join(str(path) for path in paths)}")
    return 0
