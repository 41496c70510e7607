"""Look at a result: a window with a time slider, or a picture."""

from __future__ import annotations

import argparse
from pathlib import Path


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``flexmb view``."""
    parser.add_argument("folders", metavar="DIR", nargs="+", type=Path, help="result folders")
    parser.add_argument("--screenshot", metavar="F.png", type=Path, help="write a picture and open no window")
    parser.add_argument("--time", metavar="T", type=float, help="the time to show, s (default: the last)")


def main(args: argparse.Namespace) -> int:
    """Hand the folders to the viewer."""
    from flexmb.postproc.view import view

    view(args.folders, screenshot=args.screenshot, time=args.time)
    return 0
