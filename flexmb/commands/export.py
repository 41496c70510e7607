"""Write a result in another format: csv, paraview (with a script that opens it well), pvd or xdmf."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``flexmb export``."""
    parser.add_argument("folder", metavar="DIR", type=Path, help="a result folder")
    parser.add_argument("--format", required=True, choices=("csv", "paraview", "pvd", "xdmf"), help="what to write")
    parser.add_argument("-o", "--out", metavar="DIR", type=Path, help="where to write (default: DIR/FORMAT)")


def main(args: argparse.Namespace) -> int:
    """Export a result folder."""
    from flexmb.errors import InputError
    from flexmb.io.export import export
    from flexmb.io.tree_check import damage
    from flexmb.result import load

    result = load(args.folder)
    out = args.out if args.out is not None else args.folder / args.format
    try:
        paths = export(result.tree, args.format, out)
    except OSError as err:
        raise InputError(f"cannot write to '{out}': {err.strerror or err}") from err
    if odd := damage(result.tree)[1]:
        print(f"note: the result file is damaged, and {', '.join(odd)} left out", file=sys.stderr)
    print("written: " + ", ".join(str(path) for path in paths))
    return 0
