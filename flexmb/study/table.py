"""Table of a study: one row per run."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator

from flexmb.case.read_tables import require_tables
from flexmb.case.schema import Number, Text
from flexmb.errors import InputError
from flexmb.record.data_frames import table_to_pandas, table_to_xarray

if TYPE_CHECKING:
    import pandas
    import xarray

M = TypeVar("M", bound=BaseModel)
Value = float | int | str | bool
DONE, FAILED = "done", "failed"
STUDY, RUNS = "study.toml", "runs"
"""Files of a study folder: the study as run, and the results of its runs. References have the index -1."""


@dataclass(frozen=True)
class Row:
    """One run.

    Parameters
    ----------
    index : int
        Its index in the study, from 0.
    key : str
        Its identifier: a digest of the case as run and of the measures.
    axes : mapping of str to value
        Its values on the axes; a choice by its label.
    status : str
        "done" or "failed".
    error : str
        Reason of a failure.
    numbers : mapping of str to float
        Measured numbers; nan if missing.
    arrays : mapping of str to mapping of str to list
        Curves (``t``, ``y``) and spectra.
    notes : sequence of str
        Notes of the run, as in its summary.
    """

    index: int
    key: str
    axes: Mapping[str, Value]
    status: str
    error: str = ""
    numbers: Mapping[str, float] = field(default_factory=dict)
    arrays: Mapping[str, Mapping[str, list[float]]] = field(default_factory=dict)
    notes: Sequence[str] = ()

    @property
    def done(self) -> bool:
        """Whether it has numbers."""
        return self.status == DONE

    def value(self, name: str) -> Value:
        """Return an axis value or a number; nan if missing."""
        return self.axes[name] if name in self.axes else self.numbers.get(name, math.nan)


@dataclass(frozen=True)
class Table:
    """The rows of a study, in the order of its runs."""

    rows: tuple[Row, ...]

    def __str__(self) -> str:
        return self.to_csv()

    @property
    def axes(self) -> list[str]:
        """Names of the axes."""
        return list(dict.fromkeys(name for row in self.rows for name in row.axes))

    @property
    def numbers(self) -> list[str]:
        """Names of the numbers."""
        return list(dict.fromkeys(name for row in self.rows for name in row.numbers))

    def numbers_without_zeros(self, optional: Collection[str]) -> list[str]:
        """Return the names of the numbers, without those of ``optional`` that are zero in all runs."""
        return [
            name for name in self.numbers if name not in optional or any(row.numbers.get(name) for row in self.rows)
        ]

    @property
    def done(self) -> Table:
        """The rows that have numbers."""
        return Table(tuple(row for row in self.rows if row.done))

    def column(self, name: str) -> list[Value]:
        """Return an axis or a number of all rows."""
        if name not in (*self.axes, *self.numbers):
            known = ", ".join((*self.axes, *self.numbers))
            raise InputError(f"the study has no column of this name; it has {known}", where="table", value=name)
        return [row.value(name) for row in self.rows]

    def values(self, axis: str) -> list[Value]:
        """Return the different values of an axis, in order of appearance."""
        return list(dict.fromkeys(self.column(axis)))

    def where(self, choice: Mapping[str, Any]) -> Table:
        """Return the rows with these values of axes; a list of values means any of them."""
        rows = self.rows
        for name, wanted in choice.items():
            known = self.values(name)
            allowed = wanted if isinstance(wanted, list) else [wanted]
            for one in allowed:
                if not any(same(one, value) for value in known):
                    shown = ", ".join(str(value) for value in known)
                    raise InputError(f"no run has this value; values: {shown}", where="table", key=name, value=one)
            rows = tuple(row for row in rows if any(same(one, row.value(name)) for one in allowed))
        return Table(rows)

    @property
    def error_column(self) -> str:
        """Name of the column with the reasons of failures, different from all axes and numbers."""
        names = chain(("error", "failure"), (f"failure_{k}" for k in count(2)))
        return next(name for name in names if name not in (*self.axes, *self.numbers))

    def to_pandas(self) -> pandas.DataFrame:
        """Return the table as a pandas one, indexed by run."""
        return table_to_pandas(self)

    def to_xarray(self) -> xarray.Dataset:
        """Return the numbers over the axes of the study; nan for missing runs."""
        return table_to_xarray(self)

    def to_csv(self) -> str:
        """Return the table as CSV: index, axes, status, numbers, and the reason of a failure (``error_column``)."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        axes, numbers = self.axes, self.numbers
        writer.writerow(["index", *axes, "status", *numbers, self.error_column])
        for row in self.rows:
            cells = [row.axes.get(name, "") for name in axes]
            found = [_shown(row.numbers.get(name, math.nan)) for name in numbers]
            writer.writerow([row.index, *(_shown(cell) for cell in cells), row.status, *found, row.error])
        return out.getvalue()


def row_to_json(row: Row, **more: Any) -> str:
    """Return a row as JSON; numbers that are not finite become null. ``more`` is stored beside it."""
    data = {
        "index": row.index,
        "key": row.key,
        "axes": dict(row.axes),
        "status": row.status,
        "error": row.error,
        "numbers": {name: _plain(x) for name, x in row.numbers.items()},
        "arrays": {name: {k: [_plain(x) for x in v] for k, v in a.items()} for name, a in row.arrays.items()},
        "notes": list(row.notes),
        **more,
    }
    return json.dumps(data, allow_nan=False, indent=1)


def _nan(x: Any) -> Any:
    return math.nan if x is None else x


Measured = Annotated[float, BeforeValidator(_nan), Field(strict=True)]
"""Null represents NaN."""


class Kept(BaseModel):
    """A file of a study; unused entries are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class KeptRow(Kept):
    """A file of ``runs``."""

    index: Annotated[int, Field(strict=True)]
    key: Text
    axes: dict[str, Text | Annotated[bool, Field(strict=True)] | Annotated[int, Field(strict=True)] | Number]
    status: Literal["done", "failed"]
    error: Text
    numbers: dict[str, Measured]
    arrays: dict[str, dict[str, list[Measured]]]
    notes: tuple[Text, ...] = ()

    @field_validator("arrays")
    @classmethod
    def _as_long(cls, arrays: dict[str, dict[str, list[float]]]) -> dict[str, dict[str, list[float]]]:
        for name, own in arrays.items():
            sizes = {len(values) for key, values in own.items() if not key.startswith("theory_")}
            if len(sizes) > 1 or ("t" in own) != ("y" in own):
                raise ValueError(f"the columns of '{name}' have different lengths")
        return arrays


def row_of(data: Mapping[str, Any], name: str = "the row of a run") -> Row:
    """Return the row of ``row_to_json``; InputError, which refers to its file as ``name``, if it was damaged."""
    return Row(**require_tables(KeptRow, data, name).model_dump())


def checked_json(model: type[M], file: Path) -> tuple[M, dict[str, Any]]:
    """Return the content of a JSON file of a study, checked and unchecked; InputError if it was damaged."""
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as err:
        raise InputError(f"'{file}' cannot be read: {err}") from err
    return require_tables(model, data, f"'{file}'"), data


def load_table(folder: str | Path) -> Table:
    """Read the available runs of a study folder, in the order of the study.

    Parameters
    ----------
    folder : path
        Folder written by ``flexmb study``, finished or not.
    """
    runs = Path(folder) / RUNS
    if not runs.is_dir():
        raise InputError(f"'{folder}' is not the folder of a study: it has no {RUNS}")
    rows = (Row(**checked_json(KeptRow, path)[0].model_dump()) for path in runs.glob("*.json"))
    return Table(tuple(sorted((row for row in rows if row.index >= 0), key=lambda row: row.index)))


def same(wanted: Any, value: Any) -> bool:
    """Return whether two axis values are equal; numbers up to round-off."""
    if not isinstance(wanted, int | float) or not isinstance(value, int | float):
        return bool(wanted == value)
    return math.isclose(float(wanted), float(value), rel_tol=1e-12, abs_tol=0.0)


def _plain(x: float) -> float | None:
    return float(x) if math.isfinite(x) else None


def _shown(x: Any) -> str:
    return ("" if math.isnan(x) else repr(x)) if isinstance(x, float) else str(x)
