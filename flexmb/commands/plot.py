"""Charts of a result: of rotors orbits, spectrum, waterfall or forces; of a contact its course or friction cone."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

KINDS = ("orbit", "spectrum", "waterfall", "forces", "contact")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``flexmb plot``."""
    parser.add_argument("folder", metavar="DIR", type=Path, help="a result folder")
    words = (
        "orbits of nodes; spectrum, forward and backward apart; spectrum over time; bearing and contact forces; "
        "a contact over time"
    )
    parser.add_argument("kind", choices=KINDS, help=words)
    parser.add_argument("-o", "--out", metavar="F.png", type=Path, required=True, help="picture: png, svg or pdf")
    node_help = "a recorded node, such as rotor.mid; may be repeated (default: the first four)"
    parser.add_argument("--node", metavar="NODE", action="append", default=[], dest="nodes", help=node_help)
    parser.add_argument("--from", metavar="T", type=float, dest="start", help="start of the stretch of time, s")
    parser.add_argument("--to", metavar="T", type=float, dest="end", help="end of the stretch of time, s")
    parser.add_argument("--top", metavar="F", type=float, help="highest frequency shown, Hz")
    window_help = "of a waterfall: time that a spectrum is made of (default: about eight turns, shorter in a run-up)"
    name_help = "of contact: which one (default: the one with the largest impulses)"
    parser.add_argument("--contact", metavar="NAME", dest="contact", help=name_help)
    cone_help = "of contact: its friction cone, tangential against normal impulses"
    parser.add_argument("--cone", action="store_true", help=cone_help)
    parser.add_argument("--window", metavar="SECONDS", type=float, help=window_help)


def main(args: argparse.Namespace) -> int:
    """Draw and write a picture."""
    import matplotlib

    from flexmb.postproc.figure_file import save_figure, usable_figure
    from flexmb.postproc.open_folder import open_folder
    from flexmb.postproc.style import STYLE

    usable_figure(args.out)
    opened = open_folder(args.folder)
    for note in opened.notes:
        print(f"note: {note}", file=sys.stderr)
    with matplotlib.rc_context({"pdf.fonttype": STYLE["pdf.fonttype"]}):
        save_figure(_figure(args, opened), args.out, dpi=150)
    print(f"written: {args.out}")
    return 0


def _figure(args: argparse.Namespace, opened: Any) -> Any:
    """Return the figure asked for."""
    from flexmb.errors import InputError
    from flexmb.postproc.orbit_plot import plot_orbits
    from flexmb.postproc.rotor_forces_plot import plot_rotor_forces
    from flexmb.postproc.rotor_spectrum_plot import plot_spectrum, plot_waterfall

    if args.window is not None and args.kind != "waterfall":
        raise InputError("belongs to a waterfall", key="window", value=args.window)
    for key, given in (("contact", args.contact), ("cone", args.cone or None)):
        if given is not None and args.kind != "contact":
            raise InputError("belongs to the kind contact", key=key, value=given)
    if args.kind == "contact":
        return _contact(opened.result, args.contact, args.cone)
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
    from flexmb.postproc.plots import plot_contact, strongest_contact

    draw = plot_cone if cone else plot_contact
    return draw(result, strongest_contact(result, rough=cone) if name is None else name)
