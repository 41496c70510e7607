"""Write the JSON schema of case, study or fit files, which editors use for completion and checks."""

from __future__ import annotations

import argparse


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``flexmb schema``."""
    kinds_help = "the kind of file (default: case)"
    parser.add_argument("kind", nargs="?", choices=("case", "study", "fit"), default="case", help=kinds_help)
    parser.add_argument("-o", "--output", metavar="FILE", help="file to write; by default the schema is printed")


def main(args: argparse.Namespace) -> int:
    """Print the schema, or write it to a file."""
    import json
    from pathlib import Path

    from flexmb.case.json_schema import case_schema, file_schema
    from flexmb.fit.fit_schema import FitTables
    from flexmb.record.io.whole_file import whole_file
    from flexmb.study.study_schema import StudyTables

    if args.kind == "study":
        schema = file_schema(StudyTables, "flexmb study file", "A case varied along axes, with measures of every run.")
    elif args.kind == "fit":
        schema = file_schema(FitTables, "flexmb fit file", "Parameters of a case that are fitted to data.")
    else:
        schema = case_schema()
    text = json.dumps(schema, indent=1) + "\n"
    if args.output is None:
        print(text, end="")
        return 0
    with whole_file(Path(args.output)) as fresh:
        fresh.write_text(text, encoding="utf-8")
    print(f"wrote {args.output}")
    return 0
