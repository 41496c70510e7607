"""Natural frequencies and mode shapes of a case; for rotors with whirl and damping, at a speed."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from flexmb.commands.rotor_options import add_rotor_options

if TYPE_CHECKING:
    from pathlib import Path

    from flexmb.analysis.modes import Modes
    from flexmb.case import Case
    from flexmb.state import Array
    from flexmb.system.layout import Layout


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``flexmb modes``."""
    add_rotor_options(parser, speeds=False)
    parser.add_argument("-n", "--count", metavar="COUNT", type=int, help="number of modes (default: 10)")


def main(args: argparse.Namespace) -> int:
    """Print the table of frequencies; rigid-body modes have frequency 0."""
    from flexmb.case import load_case
    from flexmb.commands.rotor_modes import print_rotor_modes
    from flexmb.errors import InputError
    from flexmb.system.rotating import has_rotor

    case = load_case(args.case, args.overrides)
    if has_rotor(case.model()):
        return print_rotor_modes(args)
    if args.speed is not None:
        raise InputError("there is no rotor in this case, so it has no speed", key="speed", value=args.speed)
    return _print_modes(case, args)


def _print_modes(case: Case, args: argparse.Namespace) -> int:
    from flexmb.analysis.modes import modes
    from flexmb.commands.notes import print_notes
    from flexmb.errors import InputError
    from flexmb.record.io.mode_files import write_modes
    from flexmb.record.summary_text import counted
    from flexmb.system.multibody_system import MultibodySystem

    print_notes(case)
    system = case.plan.system
    try:
        found = modes(system, args.count, time=case.plan.t0)
    except InputError as err:
        raise case.values.origin.wrap(err) if err.where else err from None
    large = isinstance(system, MultibodySystem)
    how = "linearized at the start, taken at rest; " if large else ""
    print(f"{case.title or case.name}: {counted(system.nv, 'unknown')}, {how}without damping and contact")
    if found.acceleration:
        words = f"accelerations up to {found.acceleration:.3g} m/s^2 or rad/s^2"
        print(f"note: the start is no equilibrium ({words}); frequencies are those of its stiffness", file=sys.stderr)
    print(f"{'mode':>4}  {'frequency [Hz]':>18}  {'omega [rad/s]':>18}")
    for k, (f, omega, growth) in enumerate(zip(found.frequency, found.omega, found.growth, strict=True), start=1):
        word = f"  unstable, grows with {growth:.9g} 1/s" if growth else "  rigid" if omega == 0.0 else ""
        print(f"{k:>4}  {f:>18.9g}  {omega:>18.9g}{word}")
    if args.out is not None:
        q = system.q0 if large else None
        paths = write_modes(found.omega, found.shapes, system.layout, args.out, q)
        paths += _draw(found, system.layout, case.title or case.name, q, args)
        print(f"written: {', '.join(str(path) for path in paths)}")
    return 0


def _draw(found: Modes, layout: Layout, title: str, q: Array | None, args: argparse.Namespace) -> list[Path]:
    """Write the figure of the mode shapes if there are bars or beams and matplotlib is installed."""
    from flexmb.commands.needed_extras import missing_extra
    from flexmb.commands.rotor_options import save_figure

    try:
        from flexmb.postproc.mode_plot import plot_modes
    except ImportError as err:
        print(f"note: no figure is drawn: {missing_extra(err)}", file=sys.stderr)
        return []
    figure = plot_modes(found, layout, title, q)
    return [] if figure is None else save_figure(figure, args.out, "modes")
