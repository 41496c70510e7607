"""Opening a study folder to draw it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flexmb.errors import InputError
from flexmb.study.folder_checks import checked_study, checked_summary
from flexmb.study.table import RUNS, STUDY, Table, load_table

SUMMARY = "summary.json"


@dataclass(frozen=True)
class Opened:
    """A study to be drawn.

    Parameters
    ----------
    folder : Path
    text : str
        Of study.toml.
    tables : mapping
        The same, read.
    table : Table
        Results of the runs.
    summary : mapping
        Of summary.json; empty while the study has not finished.
    """

    folder: Path
    text: str
    tables: Mapping[str, Any]
    table: Table
    summary: Mapping[str, Any]

    @property
    def title(self) -> str:
        """Title of the study."""
        return str(self.tables.get("title") or self.folder.resolve().name)


def is_study(folder: Path) -> bool:
    """Return whether a folder is a study folder."""
    return (folder / STUDY).is_file()


def open_study(folder: Path) -> Opened:
    """Read a study folder; of an unfinished study the available part.

    Parameters
    ----------
    folder : Path
        As written by ``flexmb study``.
    """
    if not is_study(folder):
        raise InputError(f"'{folder}' is not a study folder: it has no {STUDY}")
    try:
        text = (folder / STUDY).read_text(encoding="utf-8")
    except (OSError, ValueError) as err:
        raise InputError(f"'{folder / STUDY}' cannot be read: {err}") from err
    tables = checked_study(folder / STUDY, text)
    table = load_table(folder) if (folder / RUNS).is_dir() else Table(())
    return Opened(folder, text, tables, table, checked_summary(folder / SUMMARY))
