"""Figures and the page of a study folder."""

from __future__ import annotations

from pathlib import Path

from flexmb.postproc.study.write import Drawn, draw_all

__all__ = ["Drawn", "draw_all", "draw_study"]


def draw_study(folder: Path) -> list[Path]:
    """Draw all figures of a study folder and write its page.

    Parameters
    ----------
    folder : Path
        As written by ``flexmb study``.

    Returns
    -------
    list of Path
        ``figures/NAME.svg``, ``.pdf`` and ``.csv`` of each figure, and ``report.html``.
    """
    return list(draw_all(folder).files)
