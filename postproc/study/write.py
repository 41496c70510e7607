"""Drawing a study folder: all its figures and its page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from flexmb.errors import InputError
from flexmb.postproc.report.write import usable
from flexmb.postproc.study.draw import Figured, save_figure
from flexmb.postproc.study.folder import open_study
from flexmb.postproc.study.page import StudyPage
from flexmb.postproc.study.spec import spec_of
from flexmb.record.io.run_folder import REPORT
from flexmb.record.io.whole_file import whole_file


@dataclass(frozen=True)
class Drawn:
    """The written files.

    Parameters
    ----------
    files : tuple of Path
        Figures, and the page last.
    notes : tuple of str
        Figures that could not be drawn, and why; also stated on the page.
    """

    files: tuple[Path, ...]
    notes: tuple[str, ...]

    @property
    def page(self) -> Path:
        """The HTML page of the study."""
        return self.files[-1]


def draw_all(folder: Path, out: Path | None = None) -> Drawn:
    """Draw the figures of a study folder and write its page.

    The other figures are drawn even if all runs of one failed, or it refers to columns that the table does not have.

    Parameters
    ----------
    folder : Path
        As written by ``flexmb study``; of an unfinished study the available part is drawn.
    out : Path, optional
        The page; by default ``report.html`` in the folder.
    """
    page = (folder / REPORT) if out is None else usable(out)
    opened = open_study(folder)
    figures: list[Figured] = []
    notes: list[str] = []
    try:
        for table in opened.tables.get("figure", []):
            try:
                figures.append(save_figure(opened, spec_of(table)))
            except InputError as err:
                notes.append(f"not drawn: {err}")
        with whole_file(page) as fresh:
            fresh.write_text(StudyPage(opened, figures, notes).html(), encoding="utf-8")
    except OSError as err:
        raise InputError(f"figures and page of '{folder}' cannot be written: {err.strerror or err}") from err
    return Drawn((*(path for figure in figures for path in figure.files), page), tuple(notes))
