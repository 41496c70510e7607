"""Write a new case file from a template with comments."""

from __future__ import annotations

import argparse


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``flexmb init``."""
    parser.add_argument("template", nargs="?", help="name of a template or of a shipped case; without it: a list")
    parser.add_argument("-o", "--output", metavar="FILE", help="file to write (default: TEMPLATE.toml)")


def main(args: argparse.Namespace) -> int:
    """Copy a template to a new file; without a name, list the templates."""
    from pathlib import Path

    from flexmb.case.shipped import find_template, shipped_templates
    from flexmb.commands.cases import print_titles
    from flexmb.errors import InputError
    from flexmb.record.io.whole_file import whole_file

    if args.template is None:
        print_titles(shipped_templates())
        return 0
    source = find_template(args.template)
    target = Path(args.output or f"{source.stem}.toml")
    try:
        target.open("x").close()  # the file now exists, so no one else can create it
    except FileExistsError:
        raise InputError(f"'{target}' exists already; choose another file with -o") from None
    try:
        with whole_file(target) as fresh:
            fresh.write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
    except BaseException:
        target.unlink(missing_ok=True)
        raise
    verb = "study" if source.parent.name == "studies" or source.stem == "study" else "run"
    print(f"wrote {target}; edit it, then: flexmb {verb} {target}")
    return 0
