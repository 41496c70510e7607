"""Figures and the page of a study folder."""

from __future__ import annotations

from pathlib import Path

__all__ = ["draw_study"]


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
    from flexmb.postproc.study.write import (
        draw_all,  # importing matplotlib is slow, and not every reader of folders draws
    )

    return list(draw_all(folder).files)
