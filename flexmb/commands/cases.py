"""List the shipped cases and studies, or show one of them."""

from __future__ import annotations

import argparse
from pathlib import Path


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``flexmb cases``."""
    parser.add_argument("--show", metavar="NAME", help="print the file of this case or study")


def main(args: argparse.Namespace) -> int:
    """Print name and title of every shipped case and study, or the file of one of them."""
    from flexmb.case.shipped import find_file, shipped_cases, shipped_studies

    if args.show is not None:
        file = find_file(args.show, shipped_cases() | shipped_studies(), "case")
        print(file.read_text(encoding="utf-8"), end="")
        return 0
    print_titles(shipped_cases())
    if studies := shipped_studies():
        print("\nstudies (flexmb study NAME)")
        print_titles(studies)
    return 0


def print_titles(files: dict[str, Path]) -> None:
    """Print one line per file: name and title."""
    from flexmb.record.io.toml_text import toml_tree

    width = max((len(name) for name in files), default=0)
    for name, path in files.items():
        print(f"{name:<{width}}  {toml_tree(path.read_text(encoding='utf-8')).get('title', '')}")
