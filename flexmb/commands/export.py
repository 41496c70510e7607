"""Write a result in another format, for tables or for ParaView."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from flexmb.io.formats import FORMATS

if TYPE_CHECKING:
    from flexmb.io.structure import Tree


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``flexmb export``."""
    words = "; ".join(f"{name}: {form.words}" for name, form in FORMATS.items())
    parser.add_argument("folder", metavar="DIR", type=Path, help="a result folder")
    parser.add_argument("--format", required=True, choices=tuple(FORMATS), help=f"what to write ({words})")
    also = "write this into the same folder too; may be given several times"
    parser.add_argument("--also", action="append", default=[], choices=tuple(FORMATS), help=also)
    parser.add_argument("-o", "--out", metavar="DIR", type=Path, help="where to write (default: DIR/FORMAT)")


def main(args: argparse.Namespace) -> int:
    """Export a result folder."""
    from flexmb.errors import InputError
    from flexmb.io.export import export

    tree, joint_rows, notes = _opened(args.folder)
    out = args.out if args.out is not None else args.folder / args.format
    try:
        paths = export(tree, args.format, out, args.also, joint_rows)
    except OSError as err:
        name = f" ({Path(err.filename).name})" if err.filename else ""
        raise InputError(f"cannot write to '{out}'{name}: {err.strerror or err}") from err
    for note in notes:
        print(f"note: {note}", file=sys.stderr)
    print("written: " + ", ".join(str(path) for path in paths))
    return 0


def _opened(folder: Path) -> tuple[Tree, dict[str, list[str]], list[str]]:
    """Return a result as ``view`` opens it, what the rows of its joints hold, and notes.

    Where nothing can be drawn all that is in the file is returned: tables need less.
    """
    from flexmb.errors import InputError
    from flexmb.io.result_h5 import H5Tree
    from flexmb.io.run_folder import FIELDS, RESULT
    from flexmb.io.tree_check import damage
    from flexmb.postproc.open_folder import open_folder

    try:
        opened = open_folder(folder)
    except InputError:
        if not (folder / RESULT).is_file():
            raise
        tree = H5Tree(folder / RESULT)
        odd = damage(tree)[1]
        return tree, {}, [f"the result file is damaged, and {', '.join(odd)} left out"] if odd else []
    notes = [note for note in opened.notes if not note.startswith(FIELDS)]  # they would send the reader here
    return opened.result.tree, dict(opened.result.summary.get("joint_rows") or {}), notes
