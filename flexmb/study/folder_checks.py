"""Checks of study.toml and summary.json of a study folder: edited or damaged files are refused.

Names of figures become names of files and identifiers of a page, so they are checked as strictly as before a run.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from flexmb.case.problems import Origin, Problem
from flexmb.case.read_tables import read_tables
from flexmb.case.schema import Number, Text
from flexmb.errors import InputError
from flexmb.record.io.toml_text import toml_tree
from flexmb.study.study_schema import ExpectTable, StudyTables, Switch
from flexmb.study.table import Kept, checked_json


class Outcome(ExpectTable):
    """An expectation with its result."""

    got: Number | None = None
    ok: Switch
    why: Text = ""


class Summary(Kept):
    """Content of summary.json."""

    name: Text = ""
    wall_time_s: Number | None = None
    expectations: list[Outcome] = []
    versions: dict[str, Text] = {}


def checked_study(file: Path, text: str) -> dict[str, Any]:
    """Return the tables of study.toml."""
    try:
        data = toml_tree(text)
    except ValueError as err:
        raise InputError(f"'{file}' cannot be read: {err}") from err
    problems: list[Problem] = []
    tables = read_tables(StudyTables, data, problems)
    names = [figure.name for figure in tables.figure] if tables is not None else []
    twice = (k for k, name in enumerate(names) if name in names[:k])
    problems += [Problem(("figure", k, "name"), "is the name of another figure already", names[k]) for k in twice]
    if problems:
        raise Origin(file, text).error(problems)
    return data


def checked_summary(file: Path) -> dict[str, Any]:
    """Return summary.json; empty if there is none."""
    return checked_json(Summary, file)[1] if file.is_file() else {}
