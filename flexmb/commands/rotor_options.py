"""Common parts of the rotor commands: options, speeds and tables as text."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from flexmb.analysis.rotors.speeds import RPM
from flexmb.commands.written_out import add_out, ready_out

if TYPE_CHECKING:
    from flexmb.case import Case
    from flexmb.state import Array
    from flexmb.system.rotating import RotatingSystem


def add_rotor_options(parser: argparse.ArgumentParser, speeds: bool) -> None:
    """Add the options common to all rotor commands; ``speeds``: a range of speeds, otherwise a single one."""
    parser.add_argument("case", metavar="CASE", help="a case file or the name of a shipped case")
    if speeds:
        words = "speeds, rad/s (default: from 0 to 1.5 times the case's highest, or past its first critical speeds)"
        parser.add_argument("--speeds", metavar="FROM:TO:N", help=words)
    else:
        words = "speed of the rotor, rad/s (default: the initial speed of the case)"
        parser.add_argument("--speed", metavar="W", type=float, help=words)
    parser.add_argument("--rpm", action="store_true", help="speeds on the command line are in revolutions per minute")
    parser.add_argument("--same-speed", action="store_true", help=SAME_SPEED)
    add_out(parser)
    set_help = "override a key by its dotted name, e.g. bodies.rotor.internal_damping=1e-5"
    parser.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], dest="overrides", help=set_help)
    parser.add_argument("--quiet", action="store_true", help="show no progress and no notes")


ROUND_OFF = 1e-12
"""Fraction of the largest number of a table below which numbers are printed as 0."""
SAME_SPEED = "all rotors have the same speed (default: the speed ratios of the case)"


def load_rotors(args: argparse.Namespace) -> tuple[Case, RotatingSystem]:
    """Return the case and its linear system; print the speed ratios of several rotors."""
    from flexmb.case import load_case
    from flexmb.commands.notes import print_notes
    from flexmb.errors import InputError
    from flexmb.system.rotating import rotating_system

    ready_out(args.out, args.command)
    case = load_case(args.case, args.overrides)
    print_notes(case)
    try:
        system = rotating_system(case, same_speed=args.same_speed)
    except InputError as err:
        raise case.values.origin.wrap(err) if err.where else err from None
    if len(system.rotors) > 1 and not args.quiet:
        words = ", ".join(f"'{r.name}' at {r.ratio:g} times it" for r in system.rotors[1:])
        print(f"note: speeds are those of rotor '{system.rotors[0].name}'; {words}", file=sys.stderr)
    return case, system


def note_tables(system: RotatingSystem, speeds: Sequence[float] | Array, quiet: bool) -> None:
    """Print to stderr which bearing tables do not cover the speeds of the analysis."""
    for words in [] if quiet else system.beyond_tables(speeds):
        print(f"note: {words}", file=sys.stderr)


def one_speed(args: argparse.Namespace) -> float | None:
    """Return the requested speed, rad/s; None for that of the case."""
    return None if args.speed is None else float(args.speed) / (RPM if args.rpm else 1.0)


def speed_range(args: argparse.Namespace) -> Array | None:
    """Return the requested speeds, rad/s; None for the default."""
    import numpy as np

    from flexmb.errors import InputError

    if args.speeds is None:
        return None
    words = args.speeds.split(":")
    try:
        first, last, count = float(words[0]), float(words[1]), int(words[2])
        if len(words) != 3 or count < 2 or not -math.inf < first < last < math.inf:
            raise ValueError
    except (ValueError, IndexError):
        message = "must be FROM:TO:N with FROM < TO and N >= 2, such as 0:500:51"
        raise InputError(message, key="speeds", value=args.speeds) from None
    return np.linspace(first, last, count) / (RPM if args.rpm else 1.0)


def table_lines(titles: list[str], rows: list[list[Any]]) -> list[str]:
    """Return a table as lines: numbers right-aligned with six digits, text left-aligned.

    Round-off relative to the largest number of the same unit is printed as 0; numbers without unit are compared with 1.
    """
    rows = _without_round_off(titles, rows)
    words = [titles, *([_word(item) for item in row] for row in rows)]
    widths = [max(len(row[k]) for row in words) for k in range(len(titles))]
    texts = [bool(rows) and all(isinstance(row[k], str) for row in rows) for k in range(len(titles))]
    out = []
    for row in words:
        cells = [w.ljust(n) if text else w.rjust(n) for w, n, text in zip(row, widths, texts, strict=True)]
        out.append("  ".join(cells).rstrip())
    return out


def left_out(shown: int, count: int, what: str, file: str) -> list[str]:
    """Return the line that says how many of the rows are printed; empty if all are."""
    return [f"  {shown} of {count} {what}; -o DIR writes them all to {file}"] if shown < count else []


def _without_round_off(titles: list[str], rows: list[list[Any]]) -> list[list[Any]]:
    units = [title[title.find("[") :] if "[" in title else "" for title in titles]
    scale = {"": 1.0}
    for row in rows:
        for unit, item in zip(units, row, strict=True):
            if isinstance(item, float) and math.isfinite(item):
                scale[unit] = max(scale.get(unit, 0.0), abs(item))

    def kept(item: Any, unit: str) -> Any:
        small = isinstance(item, float) and abs(item) < ROUND_OFF * scale.get(unit, 0.0)
        return 0.0 if small else item

    return [[kept(item, unit) for unit, item in zip(units, row, strict=True)] for row in rows]


def _word(item: object) -> str:
    return f"{item:.6g}" if isinstance(item, float) else str(item)  # numpy floats are floats, too
