"""Look at a result: a window with a time slider, or a picture."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``flexmb view``."""
    parser.add_argument("folder", metavar="DIR", type=Path, help="a result folder")
    parser.add_argument("--screenshot", metavar="F.png", type=Path, help="write a picture and open no window")
    time_help = "the time to show, s (default: the middle of the contact with the largest impulse, else the end)"
    parser.add_argument("--time", metavar="T", type=float, help=time_help)
    field_help = "displacement or velocity, or a component such as velocity.x (default: displacement)"
    parser.add_argument("--field", metavar="NAME", default="displacement", help=field_help)
    parser.add_argument("--scale", metavar="S", type=float, help="factor on displacements (default: 1)")
    parser.add_argument("--size", metavar="WxH", default="1600x900", help="pixels (default: 1600x900)")


def main(args: argparse.Namespace) -> int:
    """Hand the folder to the viewer."""
    size = _size(args.size)

    from flexmb.postproc.view import view

    shown = view(args.folder, args.screenshot, args.time, args.scale, args.field, size)
    for note in shown.notes:
        print(f"note: {note}", file=sys.stderr)
    if args.screenshot is not None:
        print(f"written: {args.screenshot} (t = {shown.time:.6g} s)")
    return 0


def _size(text: str) -> tuple[int, int]:
    """Return width and height, pixels, from words such as 1600x900."""
    from flexmb.errors import InputError

    words = text.lower().split("x")
    if len(words) != 2 or not all(word.isdecimal() for word in words):
        raise InputError("must be WIDTHxHEIGHT in pixels, such as 1600x900", key="size", value=text)
    return int(words[0]), int(words[1])
