"""Show results: a window with a time slider, a picture, a movie, or a page in a browser."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``flexmb view``."""
    parser.add_argument("folders", metavar="DIR", type=Path, nargs="+", help="a result folder; several side by side")
    parser.add_argument("--screenshot", metavar="F.png", type=Path, help="write a picture and open no window")
    parser.add_argument("--movie", metavar="F.mp4", type=Path, help="write a movie (mp4 or gif) and open no window")
    parser.add_argument("--web", action="store_true", help="serve the viewer as a page for a browser")
    host_help = "address on which --web listens (default: 127.0.0.1, this machine only)"
    parser.add_argument("--host", metavar="NAME", default="127.0.0.1", help=host_help)
    parser.add_argument("--port", metavar="N", type=int, default=8765, help="port of --web, 0 for any (8765)")
    parser.add_argument("--fps", metavar="N", type=float, default=30.0, help="frames per second of a movie (30)")
    speed_help = "seconds of the run per second of the movie or window (default: the run takes 10 s)"
    parser.add_argument("--speed", metavar="X", type=float, help=speed_help)
    time_help = "the time to show, s (default: the middle of the contact with the largest impulse, otherwise the end)"
    parser.add_argument("--time", metavar="T", type=float, help=time_help)
    field_help = (
        "displacement, velocity, axial_force, bending_moment or energy_density, or a component such as velocity.x "
        "(default: axial_force for bars, otherwise displacement)"
    )
    parser.add_argument("--field", metavar="NAME", help=field_help)
    range_help = (
        "values at the ends of the color scale (default: for a picture those of its state, otherwise of the entire run)"
    )
    # argparse takes -1e3 for an option, unless its pattern of negative numbers is set
    parser._negative_number_matcher = re.compile(r"-(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$")
    parser.add_argument("--range", metavar=("LOW", "HIGH"), type=float, nargs=2, help=range_help)
    parser.add_argument("--scale", metavar="S", type=float, help="scale factor of displacements (default: 1)")
    parser.add_argument("--size", metavar="WxH", help="pixels (default: 1600x900; of a movie 1280x720)")


def main(args: argparse.Namespace) -> int:
    """Open the viewer for the folders."""
    size = _size(args.size or ("1600x900" if args.movie is None else "1280x720"))

    ends = None if args.range is None else (args.range[0], args.range[1])

    from flexmb.commands.progress import shown as progress_shown
    from flexmb.postproc.view import serve, view

    if args.web:
        _require_no_files(args)
        look = (args.time, args.scale, args.field, size, args.speed)
        serve(args.folders, *look, args.host, args.port, _announce, ends)
        return 0
    with progress_shown("movie", args.movie is None, "drawing") as progress:
        shown = view(
            args.folders,
            args.screenshot,
            args.time,
            args.scale,
            args.field,
            size,
            movie=args.movie,
            fps=args.fps,
            speed=args.speed,
            progress=progress,
            ends=ends,
        )
    for note in (*shown.notes, *_other_time(args.time, shown.time)):
        print(f"note: {note}", file=sys.stderr)
    if shown.picture is not None:
        print(f"written: {shown.picture} (t = {shown.time:.6g} s)")
    if shown.movie is not None:
        print(f"written: {shown.movie} ({shown.frames} pictures)")
    return 0


def _other_time(asked: float | None, shown: float) -> list[str]:
    """Return the note that the nearest stored state is shown instead of the requested time."""
    if asked is None or f"{asked:.6g}" == f"{shown:.6g}":
        return []
    return [f"of the drawable states, the one at t = {shown:.6g} s is the nearest (output.fields_every stores more)"]


def _announce(address: str, notes: tuple[str, ...]) -> None:
    """Print the address of the viewer."""
    for note in notes:
        print(f"note: {note}", file=sys.stderr)
    print(f"open in a browser: {address}", flush=True)
    print("Ctrl-C ends it", file=sys.stderr)


def _require_no_files(args: argparse.Namespace) -> None:
    """Raise InputError if a file is requested together with ``--web``."""
    from flexmb.errors import InputError

    for key in ("screenshot", "movie"):
        if (path := getattr(args, key)) is not None:
            message = f"--web serves a page and writes no files; leave out --{key} or --web"
            raise InputError(message, key=key, value=str(path))


def _size(text: str) -> tuple[int, int]:
    """Return width and height, pixels, from a text such as 1600x900."""
    from flexmb.errors import InputError

    words = text.lower().split("x")
    if len(words) != 2 or not all(word.isdecimal() for word in words):
        raise InputError("must be WIDTHxHEIGHT in pixels, such as 1600x900", key="size", value=text)
    return int(words[0]), int(words[1])
