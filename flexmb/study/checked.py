"""What study.toml, summary.json and the runs of a study folder may hold: what was edited or damaged is refused.

Names of figures become names of files and identifiers of a page, so they are asked as strictly as before a run.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, field_validator

from flexmb.case.problems import Origin, Problem, dotted
from flexmb.case.read_tables import read_tables
from flexmb.case.schema import Number, Text
from flexmb.errors import InputError, readable
from flexmb.io.toml_text import toml_tree
from flexmb.study.schema import ExpectTable, StudyTables, Switch
from flexmb.study.table import Row, row_from_json

Index = Annotated[int, Field(strict=True)]
AxisValue = Text | Switch | Index | Number
Numbers = list[Number | None]
"""Null stands for what is no number."""
M = TypeVar("M", bound=BaseModel)


class Kept(BaseModel):
    """A file of a study; entries that no picture or page uses are not looked at."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Outcome(ExpectTable):
    """An expectation, and what came out."""

    got: Number | None = None
    ok: Switch
    why: Text = ""


class Summary(Kept):
    """summary.json."""

    name: Text = ""
    wall_time_s: Number | None = None
    expectations: list[Outcome] = []
    versions: dict[str, Text] = {}


class Run(Kept):
    """A file of ``runs``."""

    index: Index
    key: Text
    axes: dict[str, AxisValue]
    status: Literal["done", "failed"]
    error: Text
    numbers: dict[str, Number | None]
    arrays: dict[str, dict[str, Numbers]]

    @field_validator("arrays")
    @classmethod
    def _as_long(cls, arrays: dict[str, dict[str, Numbers]]) -> dict[str, dict[str, Numbers]]:
        for name, own in arrays.items():
            sizes = {len(values) for key, values in own.items() if not key.startswith("theory_")}
            if len(sizes) > 1 or ("t" in own) != ("y" in own):
                raise ValueError(f"the columns of '{name}' are not as long as each other")
        return arrays


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
    """Return summary.json; empty when there is none."""
    return _checked(Summary, file, _text(file)) if file.is_file() else {}


def checked_row(file: Path) -> Row:
    """Return a run."""
    text = _text(file)
    _checked(Run, file, text)
    return row_from_json(text)


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, ValueError) as err:
        raise InputError(f"'{file}' cannot be read: {err}") from err


def _checked(model: type[M], file: Path, text: str) -> dict[str, Any]:
    """Return what is in a JSON file, with what is not of the right kind as an error."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as err:
        raise InputError(f"'{file}' cannot be read: {err}") from err
    problems: list[Problem] = []
    if read_tables(model, data, problems) is None:
        first = problems[0]
        place, value = dotted(first.path) or "it", f" = {readable(first.value)}" if first.has_value else ""
        raise InputError(f"'{file}' is damaged: {place}{value}: {first.message}")
    return dict(data)
