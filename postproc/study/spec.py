"""Specification of a figure of a study, and its rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from flexmb.errors import InputError
from flexmb.postproc.study.columns import Columns
from flexmb.study.table import Row, Table, Value


@dataclass(frozen=True)
class Spec:
    """One ``[[figure]]`` of a study file; see docs/study_figures.md."""

    name: str
    kind: str
    title: str = ""
    x: str = ""
    y: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    where: Mapping[str, Any] = field(default_factory=dict)
    log: str | None = None
    caption: str = ""


def spec_of(table: Mapping[str, Any]) -> Spec:
    """Return the figure defined by a table of the study file."""
    name, kind, title, x, caption = (str(table.get(key) or "") for key in ("name", "kind", "title", "x", "caption"))
    y, by = (tuple(_listed(table.get(key, []))) for key in ("y", "by"))
    return Spec(name, kind, title, x, y, by, dict(table.get("where", {})), table.get("log"), caption)


def _listed(value: Any) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else [str(value)]


@dataclass(frozen=True)
class Series:
    """Rows with a common style: one line, one group of bars.

    Parameters
    ----------
    label : str
    place : int
        Index of its style, the same in all figures of a study.
    rows : tuple of Row
        Runs that succeeded, in the order of the table.
    """

    label: str
    place: int
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Panel:
    """Series that share a frame; ``title`` is their value of the second ``by``."""

    title: str
    series: tuple[Series, ...]


class Asked:
    """The rows of a figure, in panels and series.

    Parameters
    ----------
    spec : Spec
    table : Table
        The whole study.
    columns : Columns
    """

    def __init__(self, spec: Spec, table: Table, columns: Columns) -> None:
        self.spec, self.whole, self.columns = spec, table, columns
        self.known(*spec.by, *((spec.x,) if spec.x and spec.kind != "modes" else ()))
        self.table = table.where(spec.where)
        self.notes: list[str] = []
        """Notes for the reader: runs and values that are not drawn."""
        failed = [row for row in self.table.rows if not row.done]
        if failed:
            one = len(failed) == 1
            words = f"{len(failed)} of {len(self.table.rows)} runs failed and {'is' if one else 'are'} left out"
            self.notes.append(f"{words}: {'; '.join(self.words_of(row) for row in failed[:6])}{_more(failed)}")
        if not any(row.done for row in self.table.rows):
            raise self.error("none of its runs has succeeded")

    def error(self, message: str, **more: Any) -> InputError:
        """Return an error message that names the figure."""
        return InputError(message, where=f"figure '{self.spec.name}'", **more)

    def known(self, *names: str) -> None:
        """Raise unless all are columns of the table."""
        for name in names:
            try:
                self.whole.column(name)
            except InputError as err:
                raise self.error(err.message, value=name) from err

    def numeric(self, *names: str) -> None:
        """Raise unless all are columns of numbers."""
        self.known(*names)
        for name in names:
            words = [value for value in self.whole.column(name) if isinstance(value, str)]
            if words:
                raise self.error(f"'{name}' is a column of texts; numbers are needed", value=words[0])

    def words_of(self, row: Row) -> str:
        """Return the values of a run on the axes as text."""
        return ", ".join(self.columns.value(name, value) for name, value in row.axes.items()) or f"run {row.index}"

    @property
    def panels(self) -> tuple[Panel, ...]:
        """The first of ``by`` distinguishes series, the second panels; all further ones series, too."""
        first, second, others = self.spec.by[:1], self.spec.by[1:2], self.spec.by[2:]
        out = []
        for value in self.table.values(second[0]) if second else [None]:
            rows = [row for row in self.table.rows if row.done and (not second or row.value(second[0]) == value)]
            title = self.columns.value(second[0], value) if second else ""
            out.append(Panel(title, self._series(rows, (*first, *others))))
        return tuple(panel for panel in out if panel.series)

    def _series(self, rows: list[Row], by: tuple[str, ...]) -> tuple[Series, ...]:
        groups: dict[tuple[Value, ...], list[Row]] = {}
        for row in rows:
            groups.setdefault(tuple(row.value(name) for name in by), []).append(row)
        places = list(dict.fromkeys(tuple(row.value(name) for name in by) for row in self.whole.rows))
        return tuple(
            Series(
                ", ".join(self.columns.value(name, value) for name, value in zip(by, key, strict=True)),
                places.index(key),
                tuple(own),
            )
            for key, own in groups.items()
        )

    def one_per_place(self, series: Series, x: str) -> None:
        """Raise if rows of a series have the same abscissa: the figure would join runs that differ otherwise."""
        if x not in self.whole.axes:
            return
        seen: dict[Value, Row] = {}
        for row in series.rows:
            other = seen.setdefault(row.value(x), row)
            if other is not row:
                raise self._joined(f"have {self.columns.value(x, row.value(x))}", row, other)

    def one_run(self, series: Series) -> None:
        """Raise if a series has several runs but can show only one."""
        if len(series.rows) > 1:
            raise self._joined(f"are '{series.label}'" if series.label else "are drawn alike", *series.rows[:2])

    def _joined(self, words: str, row: Row, other: Row) -> InputError:
        apart = [name for name in row.axes if row.axes[name] != other.axes.get(name)]
        mend = "name it in by, or choose one value in where"
        return self.error(f"several runs {words} and differ in {', '.join(apart) or 'nothing'}: {mend}")

    def positive(self, name: str, series: tuple[Series, ...], what: str = "") -> None:
        """Add a note on the number of values of a column that a logarithmic axis does not show."""
        values = [row.value(name) for one in series for row in one.rows]
        lost = sum(1 for x in values if isinstance(x, (int, float)) and not math.isnan(x) and x <= 0)
        if lost:
            words = f"{lost} value{'s' if lost > 1 else ''} of {what or self.columns.word(name)}"
            self.notes.append(f"{words}, not positive, cannot be shown on a logarithmic axis")

    def missing(self, name: str, series: tuple[Series, ...]) -> None:
        """Add a note on the number of runs without a value in a column."""
        lost = sum(1 for one in series for row in one.rows if is_missing(row.value(name)))
        if lost:
            self.notes.append(f"{lost} run{'s' if lost > 1 else ''} without a value of {self.columns.word(name)}")


def is_missing(value: Value) -> bool:
    """Return whether a run has no number here."""
    return isinstance(value, float) and math.isnan(value)


def _more(rows: list[Row]) -> str:
    return f"; and {len(rows) - 6} more" if len(rows) > 6 else ""
