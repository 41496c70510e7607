"""List the shipped cases."""

from __future__ import annotations

import argparse


def arguments(parser: argparse.ArgumentParser) -> None:
    """``flexmb cases`` has no options."""


def main(args: argparse.Namespace) -> int:
    """Print one line per shipped case: name and title."""
    import tomllib

    from flexmb.case.shipped import shipped_cases

    cases = shipped_cases()
    width = max((len(name) for name in cases), default=0)
    for name, path in cases.items():
        print(f"{name:<{width}}  {tomllib.loads(path.read_text(encoding='utf-8')).get('title', '')}")
    return 0
