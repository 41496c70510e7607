"""Write a report of results: one HTML file that needs nothing else."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``flexmb report``."""
    folders_help = "result folders; several are compared with each other"
    parser.add_argument("folders", metavar="DIR", type=Path, nargs="+", help=folders_help)
    out_help = "the file (default: DIR/report.html; of several: comparison.html)"
    parser.add_argument("-o", "--out", metavar="FILE.html", type=Path, help=out_help)
    signal_help = "a signal to show, e.g. rod.first.position.x; may be given again (default: those that move)"
    parser.add_argument("--signal", metavar="NAME", action="append", default=[], dest="signals", help=signal_help)


def main(args: argparse.Namespace) -> int:
    """Write the report and say where it is."""
    from flexmb.postproc.report import write_report

    written = write_report(args.folders, args.out, args.signals)
    for note in written.notes:
        print(f"note: {note}", file=sys.stderr)
    print(f"written: {written.path} ({written.size / 1e6:.2g} MB)")
    return 0
