"""Figures of a result: energy, contact, signals, space-time, phase, Poincare, moment; for rotors orbit, spectrum."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

KINDS = {
    "energy": "the energy ledger over time",
    "contact": "a contact over time, or its friction cone",
    "signals": "signals over time",
    "xt": "space-time diagrams of stress and velocity of a bar or beam",
    "phase": "phase portrait of a signal and its rate",
    "poincare": "Poincare section, once per period or where a signal rises through a value",
    "moment": "bending-moment line of a beam or frame, at a time or its envelope",
    "bifurcation": "a signal at the points of the section over a key of a study",
    "orbit": "orbits of nodes of a rotor, contacts marked",
    "spectrum": "spectrum of a rotor's nodes, forward and backward whirl separated",
    "waterfall": "that spectrum over time",
    "forces": "bearing and contact forces of a rotor",
}
OF_KIND = {
    "start": tuple(kind for kind in KINDS if kind not in ("moment", "forces")),
    "end": tuple(kind for kind in KINDS if kind not in ("moment", "forces", "bifurcation")),
    "window": ("waterfall",),
    "contact": ("contact",),
    "cone": ("contact",),
    "signals": ("signals", "bifurcation"),
    "x": ("phase", "poincare"),
    "y": ("phase", "poincare"),
    "period": ("poincare", "bifurcation"),
    "section": ("poincare", "bifurcation"),
    "field": ("xt",),
    "body": ("xt", "moment"),
    "time": ("moment",),
    "envelope": ("moment",),
    "key": ("bifurcation",),
    "nodes": ("orbit", "spectrum", "waterfall"),
    "top": ("spectrum", "waterfall"),
}
"""Options and the kinds of plots they apply to."""
MOST_NAMED = 8
"""Number of other contacts that a note lists."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``flexmb plot``."""
    parser.add_argument("folder", metavar="DIR", type=Path, help="a result folder; for bifurcation a study folder")
    parser.add_argument("kind", choices=KINDS, help="; ".join(f"{kind}: {words}" for kind, words in KINDS.items()))
    out_help = "picture: pdf, svg or png; may be repeated (default: KIND.pdf in the folder)"
    parser.add_argument("-o", "--out", metavar="F.pdf", type=Path, action="append", default=[], help=out_help)
    parser.add_argument("--from", metavar="T", type=float, dest="start", help="start of the time interval, s")
    parser.add_argument("--to", metavar="T", type=float, dest="end", help="end of the time interval, s")
    signal_help = "signals, bifurcation: a signal, such as rod.last.velocity; may be repeated (default: the first)"
    parser.add_argument("--signal", metavar="NAME", action="append", default=[], dest="signals", help=signal_help)
    for axis in "xy":
        axis_help = f"phase, poincare: the signal along {axis} (default: a signal and its rate)"
        parser.add_argument(f"--{axis}", metavar="NAME", help=axis_help)
    period_help = (
        "poincare, bifurcation: time between points, s (default: that of the harmonic load or of the rotation)"
    )
    parser.add_argument("--period", metavar="T", type=float, help=period_help)
    section_help = "poincare, bifurcation: points where a signal rises through a value"
    parser.add_argument("--section", metavar="SIGNAL=VALUE", help=section_help)
    parser.add_argument("--key", metavar="AXIS", help="bifurcation: the axis of the study (default: the first)")
    field_help = "xt: stress, velocity, displacement, axial_force, bending_moment, or a component such as velocity.x"
    parser.add_argument("--field", metavar="NAME", help=field_help)
    parser.add_argument("--body", metavar="NAME", help="xt, moment: the bar or beam (default: the first)")
    parser.add_argument("--time", metavar="T", type=float, help="moment: time, s (default: that of the largest moment)")
    parser.add_argument("--envelope", action="store_true", help="moment: minimum and maximum over the run")
    name_help = "contact: NAME, or NAME[3] of a group (default: the contact with the largest impulses)"
    parser.add_argument("--contact", "--name", metavar="NAME", dest="contact", help=name_help)
    cone_help = "contact: draw the friction cone, tangential against normal impulses"
    parser.add_argument("--cone", action="store_true", help=cone_help)
    node_help = (
        "orbit, spectrum, waterfall: a recorded node, such as rotor.mid; may be repeated (default: the first four)"
    )
    parser.add_argument("--node", metavar="NODE", action="append", default=[], dest="nodes", help=node_help)
    parser.add_argument("--top", metavar="F", type=float, help="spectrum, waterfall: highest frequency shown, Hz")
    window_help = "waterfall: window length of a spectrum (default: about eight revolutions, shorter in a run-up)"
    parser.add_argument("--window", metavar="SECONDS", type=float, help=window_help)


def main(args: argparse.Namespace) -> int:
    """Draw the figure and write it to a file."""
    from flexmb.checks.extras import require

    require("plot", "flexmb plot")
    from flexmb.postproc.figure_file import save_figure, usable_figure
    from flexmb.record.result import load

    if not args.folder.is_dir() and args.kind != "bifurcation":
        load(args.folder)  # raises the error that names the folder, before one about the figure in it
    args.out = args.out or [args.folder / f"{args.kind}.pdf"]
    _check_options(args)
    for path in args.out:
        usable_figure(path)
    figure = _figure(args)
    for path in args.out:
        save_figure(figure, path, dpi=150)
        print(f"written: {path}")
    return 0


def _check_options(args: argparse.Namespace) -> None:
    from flexmb.errors import InputError

    for key, kinds in OF_KIND.items():
        given = getattr(args, key)
        if given not in (None, False, []) and args.kind not in kinds:
            option = {"start": "from", "end": "to"}.get(key, key)
            raise InputError(f"belongs to the kind {' or '.join(kinds)}", key=option, value=given)


def _figure(args: argparse.Namespace) -> Any:
    """Return the figure of the requested kind."""
    if args.kind == "bifurcation":
        return _bifurcation(args)
    from flexmb.postproc.open_folder import open_folder
    from flexmb.postproc.time_stretch import stretch_of

    opened = open_folder(args.folder)
    for note in opened.notes:
        print(f"note: {note}", file=sys.stderr)
    stretch = (args.start, args.end)
    if args.kind in ("orbit", "spectrum", "waterfall", "forces"):
        return _of_rotor(args, opened)
    if args.kind == "contact":
        return _contact(stretch_of(opened.result, *stretch), args.contact, args.cone)
    if args.kind == "energy":
        from flexmb.postproc.plots import plot_energy

        return plot_energy(stretch_of(opened.result, *stretch))
    if args.kind == "signals":
        from flexmb.postproc.named_curves import Curves
        from flexmb.postproc.plots import plot_signals
        from flexmb.postproc.plotted import shown_signals

        result = stretch_of(opened.result, *stretch)
        return plot_signals(result, shown_signals(Curves(result), args.signals), apart=not args.signals)
    if args.kind == "xt":
        from flexmb.postproc.space_time_plot import plot_space_time

        return plot_space_time(opened, args.field, args.body, *stretch)
    if args.kind == "moment":
        from flexmb.postproc.moment_plot import plot_moment

        return plot_moment(opened, args.time, args.body, envelope=args.envelope)
    from flexmb.postproc.phase_plot import plot_phase, plot_poincare

    if args.kind == "phase":
        return plot_phase(opened, args.x, args.y, *stretch)
    return plot_poincare(opened, args.x, args.y, *stretch, _section(args))


def _of_rotor(args: argparse.Namespace, opened: Any) -> Any:
    """Return a figure of a rotor."""
    from flexmb.postproc.orbit_plot import plot_orbits
    from flexmb.postproc.rotor_forces_plot import plot_rotor_forces
    from flexmb.postproc.rotor_spectrum_plot import plot_spectrum, plot_waterfall

    if args.kind == "forces":
        return plot_rotor_forces(opened)
    stretch = (args.nodes or None, args.start, args.end)
    if args.kind == "orbit":
        return plot_orbits(opened, *stretch)
    if args.kind == "spectrum":
        return plot_spectrum(opened, *stretch, args.top)
    return plot_waterfall(opened, *stretch, args.top, args.window)


def _contact(result: Any, name: str | None, cone: bool) -> Any:
    """Return the figure of a contact."""
    from flexmb.postproc.cone_plot import plot_cone
    from flexmb.postproc.plots import plot_contact, strongest_contacts

    draw = plot_cone if cone else plot_contact
    if name is None:
        name, *others = strongest_contacts(result, rough=cone)
        if others:
            words = f"the contact with the largest impulses, '{name}', is drawn; --contact NAME chooses another"
            more = f", and {len(others) - MOST_NAMED} more" if len(others) > MOST_NAMED else ""
            print(f"note: {words}: {', '.join(others[:MOST_NAMED])}{more}", file=sys.stderr)
    return draw(result, name)


def _section(args: argparse.Namespace) -> Any:
    """Return the definition of the Poincare section; None for the period of the case."""
    from flexmb.errors import InputError
    from flexmb.postproc.phase_plot import Section

    if args.period is not None and args.section is not None:
        raise InputError("give either --period or --section", key="section", value=args.section)
    if args.section is None:
        return None if args.period is None else Section(args.period)
    name, sign, value = args.section.rpartition("=")
    try:
        if not sign:
            raise ValueError
        return Section(None, name.strip(), float(value))
    except ValueError:
        message = "must be SIGNAL=VALUE, such as ball.position.x=0.1"
        raise InputError(message, key="section", value=args.section) from None


def _bifurcation(args: argparse.Namespace) -> Any:
    from flexmb.postproc.phase_plot import plot_bifurcation
    from flexmb.postproc.study.kept_runs import kept_runs

    key, runs = kept_runs(args.folder, args.key)
    signal = args.signals[0] if args.signals else None
    return plot_bifurcation(runs, key, signal, _section(args), args.start)
