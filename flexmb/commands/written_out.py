"""Output of the analyses: ``-o DIR`` for tables and figures, ``-o F.pdf`` for the figure alone."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

FIGURES = (".pdf", ".svg", ".png")
"""File extensions of figures; a folder gets all of them."""
OTHER_PICTURES = (".eps", ".gif", ".jpeg", ".jpg", ".ps", ".tif", ".tiff", ".webp")
"""Extensions of pictures that are not written; a name with one of them is an error, not a folder."""


def add_out(parser: argparse.ArgumentParser, action: str = "store") -> None:
    """Add the option ``-o``."""
    words = "also write tables (CSV) and the figure (pdf, svg, png) to a folder, or the figure alone to a file"
    parser.add_argument("-o", "--out", metavar="DIR|F.pdf", type=Path, action=action, help=words)


def is_figure(out: Path | None) -> bool:
    """Return whether ``-o`` names a file of a figure."""
    return out is not None and out.suffix.lower() in (*FIGURES, *OTHER_PICTURES) and not out.is_dir()


def ready_out(out: Path | None, command: str) -> None:
    """Raise, before anything is computed, if the figure named by ``-o`` cannot be drawn or written."""
    if out is not None and is_figure(out):
        from flexmb.checks.extras import require

        require("plot", f"flexmb {command} -o {out.name}")
        from flexmb.postproc.figure_file import usable_figure

        usable_figure(out)


def write_out(out: Path, name: str, tables: Callable[[Path], list[Path]], draw: Callable[[], Any]) -> None:
    """Write tables and figure of an analysis, and print the paths.

    Parameters
    ----------
    out : Path
        A folder, or the file of the figure.
    name : str
        Name of the figures in the folder.
    tables : callable
        Writes the tables to a folder, and returns their paths.
    draw : callable
        Returns the figure, None if there is nothing to draw.
    """
    from flexmb.errors import InputError

    if not is_figure(out):
        written = tables(out)
        figure = draw()
        written += [] if figure is None else save_figures(figure, [out / f"{name}{ending}" for ending in FIGURES])
    else:
        figure = draw()
        if figure is None:
            raise InputError("there are no bars or beams to draw; -o DIR writes the tables", key="out", value=str(out))
        written = save_figures(figure, [out])
    print("written: " + ", ".join(str(path) for path in written))


def save_figures(figure: Any, paths: list[Path]) -> list[Path]:
    """Write a figure to files, and return their paths."""
    from flexmb.postproc.figure_file import save_figure

    for path in paths:
        save_figure(figure, path, dpi=150)
    return paths
