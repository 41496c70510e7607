"""Export a result to CSV tables, to ParaView, or to PVD or XDMF files."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from flexmb.record.io.formats import FORMATS


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``flexmb export``."""
    words = "; ".join(f"{name}: {form.words}" for name, form in FORMATS.items())
    parser.add_argument("folder", metavar="DIR", type=Path, help="a result folder")
    parser.add_argument("--format", required=True, choices=tuple(FORMATS), help=f"format ({words})")
    also = "also write this format into the same folder; may be repeated"
    parser.add_argument("--also", action="append", default=[], choices=tuple(FORMATS), help=also)
    parser.add_argument("-o", "--out", metavar="DIR", type=Path, help="output folder (default: DIR/FORMAT)")


def main(args: argparse.Namespace) -> int:
    """Export a result folder."""
    from flexmb.errors import InputError
    from flexmb.postproc.open_folder import open_folder
    from flexmb.record.io.export import export
    from flexmb.record.io.run_folder import FIELDS

    opened = open_folder(args.folder)
    out = args.out if args.out is not None else args.folder / args.format
    try:
        paths = export(opened.result.tree, args.format, out, args.also, opened.result.summary.get("joint_rows"))
    except OSError as err:
        name = f" ({Path(err.filename).name})" if err.filename else ""
        raise InputError(f"cannot write to '{out}'{name}: {err.strerror or err}") from err
    for note in opened.notes:
        if not note.startswith(FIELDS):  # the warning would recommend this command
            print(f"note: {note}", file=sys.stderr)
    print("written: " + ", ".join(str(path) for path in paths))
    return 0
