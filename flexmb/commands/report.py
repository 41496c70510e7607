"""Write a report of results or of a study: one self-contained HTML file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``flexmb report``."""
    folders_help = "result folders (several are compared), or one study folder"
    parser.add_argument("folders", metavar="DIR", type=Path, nargs="+", help=folders_help)
    out_help = "the file (default: DIR/report.html; of several: comparison.html)"
    parser.add_argument("-o", "--out", metavar="FILE.html", type=Path, help=out_help)
    signal_help = "a signal to show, e.g. rod.first.position.x; may be repeated (default: those that vary)"
    parser.add_argument("--signal", metavar="NAME", action="append", default=[], dest="signals", help=signal_help)


def main(args: argparse.Namespace) -> int:
    """Write the report and print its path."""
    from flexmb.postproc.study.folder import is_study

    if any(is_study(folder) for folder in args.folders):
        return _study(args)
    from flexmb.postproc.report import write_report

    written = write_report(args.folders, args.out, args.signals)
    return _said(written.path, written.notes)


def _study(args: argparse.Namespace) -> int:
    from flexmb.errors import InputError
    from flexmb.postproc.study.write import draw_all

    if len(args.folders) > 1:
        raise InputError("a study has its own report: give a single study folder")
    if args.signals:
        raise InputError("--signal is for results; a study shows the figures defined in its file")
    drawn = draw_all(args.folders[0], args.out)
    return _said(drawn.page, drawn.notes)


def _said(path: Path, notes: Sequence[str]) -> int:
    for note in notes:
        print(f"note: {note}", file=sys.stderr)
    print(f"written: {path} ({path.stat().st_size / 1e6:.2g} MB)")
    return 0
