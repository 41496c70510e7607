"""Writing the report of result folders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from flexmb.errors import InputError
from flexmb.postproc.out_file import require_place, writing
from flexmb.postproc.report.charts import cycle
from flexmb.postproc.report.exact_curves import exact_of
from flexmb.postproc.report.page import Page
from flexmb.postproc.report.runs import open_runs
from flexmb.record.io.run_folder import REPORT

COMPARISON = "comparison.html"


@dataclass(frozen=True)
class Written:
    """The written report.

    Parameters
    ----------
    path : Path
    size : int
        Bytes.
    notes : tuple of str
        Problems of the results, also stated on the page.
    """

    path: Path
    size: int
    notes: tuple[str, ...]


def write_report(folders: Sequence[str | Path], out: str | Path | None = None, signals: Sequence[str] = ()) -> Written:
    """Write one HTML file about one result, or about several compared.

    Parameters
    ----------
    folders : sequence of paths
        Result folders; of an unfinished, failed or damaged run the available part is shown, and the page says so.
    out : path, optional
        The file; by default ``report.html`` in the folder, of several ``comparison.html`` here.
    signals : sequence of str
        Signals to show, e.g. ``rod.first.position.x``; by default those that move.
    """
    if not folders:
        raise InputError("a report needs at least one result folder")
    path = usable(Path(out)) if out is not None else None
    runs = open_runs(folders, cycle)
    exact, notes = exact_of(runs)
    page = Page(runs, exact, notes, list(signals), path.name if path is not None else "")
    text = page.html()
    if path is None:
        path = Path(folders[0]) / REPORT if len(runs) == 1 else Path(COMPARISON)
    with writing(path, "report") as fresh:
        fresh.write_text(text, encoding="utf-8")
    said = [note if len(runs) == 1 else f"{run.label}: {note}" for run in runs for note in run.notes]
    return Written(path, path.stat().st_size, (*said, *page.notes))


def usable(path: Path) -> Path:
    """Return the path of a page; InputError if it cannot be written."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"a report is an HTML file; '{path}' must end in .html")
    return require_place(path, "report")
