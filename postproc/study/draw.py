"""Drawing the figures of a study and saving them reproducibly: the same study gives identical files."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib

from flexmb.errors import InputError
from flexmb.postproc.study.bars import draw_bars
from flexmb.postproc.study.canvas import Drawing, behead_figure
from flexmb.postproc.study.columns import Columns
from flexmb.postproc.study.curves import draw_curves
from flexmb.postproc.study.folder import Opened
from flexmb.postproc.study.lines import draw_lines
from flexmb.postproc.study.modes import draw_modes
from flexmb.postproc.study.order import draw_order
from flexmb.postproc.study.profile import draw_profile
from flexmb.postproc.study.spec import Asked, Spec
from flexmb.postproc.study.work_precision import draw_work_precision
from flexmb.postproc.style import STYLE
from flexmb.record.io.whole_file import whole_file
from flexmb.study.table import Table

KINDS: dict[str, Callable[[Asked], Drawing]] = {
    "lines": draw_lines,
    "bars": draw_bars,
    "curves": draw_curves,
    "order": draw_order,
    "work-precision": draw_work_precision,
    "profile": draw_profile,
    "modes": draw_modes,
}
"""Kinds of figures."""
FIGURES = "figures"


@dataclass(frozen=True)
class Figured:
    """A figure that was drawn.

    Parameters
    ----------
    spec : Spec
    svg : str
        Picture without its title, which is on the page.
    notes : tuple of str
        Notes for its caption, such as runs and values that are missing.
    files : tuple of Path
        SVG, PDF and CSV; empty when it was not saved.
    """

    spec: Spec
    svg: str
    notes: tuple[str, ...]
    files: tuple[Path, ...] = ()


def draw_figure(spec: Spec, table: Table, columns: Columns) -> tuple[Drawing, tuple[str, ...]]:
    """Return a figure of a table, and its notes.

    Parameters
    ----------
    spec : Spec
    table : Table
        The whole study, including failed runs.
    columns : Columns
    """
    if spec.kind not in KINDS:
        message = f"must be one of {', '.join(KINDS)}"
        raise InputError(message, where=f"figure '{spec.name}'", key="kind", value=spec.kind)
    asked = Asked(spec, table, columns)
    with matplotlib.rc_context(STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Data has no positive values")  # the notes say it
        drawing = KINDS[spec.kind](asked)
    return drawing, tuple(dict.fromkeys(asked.notes))


def save_figure(opened: Opened, spec: Spec) -> Figured:
    """Draw a figure into ``figures/NAME.svg``, ``.pdf`` and ``.csv``."""
    drawing, notes = draw_figure(spec, opened.table, Columns(opened.tables))
    folder = opened.folder / FIGURES
    folder.mkdir(exist_ok=True)
    saved = {suffix: rendered(drawing, spec, suffix) for suffix in ("svg", "pdf")}
    saved["csv"] = drawing.to_csv().encode()
    files = []
    for suffix, data in saved.items():
        path = folder / f"{spec.name}.{suffix}"
        with whole_file(path) as fresh:
            fresh.write_bytes(data)
        files.append(path)
    picture = saved["svg"]
    if spec.title:
        behead_figure(drawing.figure)
        picture = rendered(drawing, spec, "svg")
    return Figured(spec, picture.decode(), notes, tuple(files))


def rendered(drawing: Drawing, spec: Spec, suffix: str) -> bytes:
    """Return a figure as the bytes of a file, without date and with identifiers derived from its name."""
    said: dict[str, Any] = {
        "svg": {"Date": None, "Title": spec.title or spec.name},
        "pdf": {"CreationDate": None, "Title": spec.title or spec.name},
    }
    out = BytesIO()
    with matplotlib.rc_context(STYLE | {"svg.hashsalt": spec.name}):
        drawing.figure.savefig(out, format=suffix, dpi=200, metadata=said.get(suffix))
    drawing.figure.set_layout_engine("none")  # the next file has the same layout, so it is not computed again
    return out.getvalue()
