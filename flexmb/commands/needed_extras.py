"""Optional packages required by commands, checked before a command does any work."""

from __future__ import annotations

import argparse

WITH_FIGURES = ("campbell", "unbalance", "static", "spectrum")
"""Analyses that write figures in addition to tables if an output folder is given."""


def needed_extras(command: str, args: argparse.Namespace) -> list[str]:
    """Return the extras that a command line requires.

    ``study`` and ``fit`` run without them: they print a note that no figures are drawn.
    """
    if command == "view":
        return ["view", *(["movie"] if args.movie is not None else []), *(["web"] if args.web else [])]
    if command == "report":
        return ["view"]
    draws = command == "plot" or (command in WITH_FIGURES and args.out is not None)
    return ["plot"] if draws else []


def require_extras(command: str, args: argparse.Namespace) -> None:
    """Raise MissingExtra, with the installation command, for the first extra that is not installed."""
    wanted = needed_extras(command, args)
    if wanted:  # imported only if something has to be checked
        from flexmb.checks.extras import require

        for extra in wanted:
            option = f" --{extra}" if extra in ("movie", "web") else " -o" if command in WITH_FIGURES else ""
            require(extra, f"flexmb {command}{option}")


def missing_extra(err: ImportError) -> Exception:
    """Return the error that names the extra to install if its package is missing, otherwise the error itself."""
    from flexmb.checks.extras import extra_of

    return extra_of(err) or err
