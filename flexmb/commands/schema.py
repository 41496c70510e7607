"""Write the JSON schema of case files, which editors use for completion and checks."""

from __future__ import annotations

import argparse


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``flexmb schema``."""
    parser.add_argument("-o", "--output", metavar="FILE", help="file to write; by default the schema is printed")


def main(args: argparse.Namespace) -> int:
    """Print the schema, or write it to a file."""
    import json
    from pathlib import Path

    from flexmb.case.json_schema import case_schema
    from flexmb.record.io.whole_file import whole_file

    text = json.dumps(case_schema(), indent=1) + "\n"
    if args.output is None:
        print(text, end="")
        return 0
    with whole_file(Path(args.output)) as fresh:
        fresh.write_text(text, encoding="utf-8")
    print(f"wrote {args.output}")
    return 0
