"""Files of figures: permitted names, and the error if a file cannot be written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

from flexmb.errors import InputError
from flexmb.postproc.out_file import writing
from flexmb.postproc.style import STYLE

SUFFIXES = (".svg", ".pdf", ".png")
"""File extensions of figures."""


def usable_figure(path: Path) -> Path:
    """Return the path of a figure; raise in advance if it is known that it cannot be written."""
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(f"a figure cannot be saved as '{path}'; allowed: {', '.join(SUFFIXES)}")
    if path.is_dir():
        raise InputError(f"the figure '{path}' cannot be saved: it is a folder")
    if not path.parent.is_dir():
        raise InputError(f"the figure '{path}' cannot be saved: there is no folder '{path.parent}'")
    return path


def save_figure(figure: Any, path: Path, dpi: float) -> None:
    """Write a figure of matplotlib."""
    fonts: Any = {key: STYLE[key] for key in ("pdf.fonttype", "svg.fonttype")}
    with matplotlib.rc_context(fonts), writing(path, "figure", "saved") as fresh:
        figure.savefig(fresh, dpi=dpi)
