"""Write a new case file from a template, with every line explained."""

from __future__ import annotations

import argparse


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which template, and where to write it."""
    parser.add_argument("template", nargs="?", help="name of a template or of a shipped case; without it: a list")
    parser.add_argument("-o", "--output", metavar="FILE", help="file to write (default: TEMPLATE.toml)")


def main(args: argparse.Namespace) -> int:
    """Copy a template to a new file; without a name, list the templates."""
    from pathlib import Path

    from flexmb.case.shipped import find_template, shipped_templates
    from flexmb.commands.cases import print_titles
    from flexmb.errors import InputError

    if args.template is None:
        print_titles(shipped_templates())
        return 0
    source = find_template(args.template)
    target = Path(args.output or f"{source.stem}.toml")
    try:
        with target.open("x", encoding="utf-8") as file:
            file.write(source.read_text(encoding="utf-8"))
    except FileExistsError:
        raise InputError(f"'{target}' exists already; choose another file with -o") from None
    verb = "study" if "studies" in source.parts or source.stem == "study" else "run"
    print(f"wrote {target}; edit it, then: flexmb {verb} {target}")
    return 0
