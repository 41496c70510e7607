"""List the time-stepping schemes and their options."""

from __future__ import annotations

import argparse
import dataclasses


def arguments(parser: argparse.ArgumentParser) -> None:
    """``flexmb schemes`` has no options."""


def main(args: argparse.Namespace) -> int:
    """Print one line per scheme: name, what it is, options with their defaults."""
    from flexmb.commands.doc_line import doc_line
    from flexmb.schemes import SCHEMES

    width = max(len(name) for name in SCHEMES)
    for name, cls in SCHEMES.items():
        words = doc_line(cls)
        options = ", ".join(_option(f) for f in dataclasses.fields(cls) if f.init)
        print(f"{name:<{width}}  {words}" + (f"  [{options}]" if options else ""))
    return 0


def _option(field: dataclasses.Field[object]) -> str:
    if field.default is dataclasses.MISSING or field.default is None:
        return field.name
    default = str(field.default).lower() if isinstance(field.default, bool) else field.default
    return f"{field.name} = {default}"
