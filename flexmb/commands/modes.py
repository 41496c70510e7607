"""Natural frequencies and mode shapes of a case; for rotors with whirl and damping, at a speed."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from flexmb.commands.rotor_options import add_rotor_options
from flexmb.commands.written_out import ready_out, write_out

if TYPE_CHECKING:
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

    ready_out(args.out, args.command)
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
        q, layout = system.q0 if large else None, system.layout
        write_out(
            args.out,
            "modes",
            lambda out: write_modes(found.omega, found.shapes, layout, out, q),
            lambda: _figure(found, layout, case.title or case.name, q),
        )
    return 0


def _figure(found: Modes, layout: Layout, title: str, q: Array | None) -> Any:
    """Return the figure of the mode shapes; None without bars and beams, or if matplotlib is not installed."""
    from flexmb.commands.needed_extras import missing_extra

    try:
        from flexmb.postproc.mode_plot import plot_modes
    except ImportError as err:
        print(f"note: no figure is drawn: {missing_extra(err)}", file=sys.stderr)
        return None
    return plot_modes(found, layout, title, q)
