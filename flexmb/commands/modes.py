"""Natural frequencies and shapes of a case's system; of rotors with whirl and damping, at a speed."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from flexmb.commands.rotor_options import add_rotor_options

if TYPE_CHECKING:
    from flexmb.case import Case


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``flexmb modes``."""
    add_rotor_options(parser, speeds=False)
    parser.add_argument("-n", "--count", metavar="COUNT", type=int, help="how many (default: 10)")


def main(args: argparse.Namespace) -> int:
    """Print the table of frequencies; rigid motions have frequency 0."""
    from flexmb.case import load_case
    from flexmb.commands.rotor_modes import print_rotor_modes
    from flexmb.errors import InputError
    from flexmb.rotating import has_rotor

    case = load_case(args.case, args.overrides)
    if has_rotor(case.model()):
        return print_rotor_modes(args)
    if args.speed is not None:
        raise InputError("there is no rotor in this case, so it has no speed", key="speed", value=args.speed)
    return _print_modes(case, args)


def _print_modes(case: Case, args: argparse.Namespace) -> int:
    from flexmb.commands.notes import print_notes
    from flexmb.errors import InputError
    from flexmb.io.mode_files import write_modes
    from flexmb.modes import modes
    from flexmb.words import counted

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
