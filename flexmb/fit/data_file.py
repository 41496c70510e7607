"""Columns of a CSV file with which a signal is compared."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np

from flexmb.checks.values import nearest
from flexmb.errors import InputError
from flexmb.state import Array

TIMES = ("t", "time", "time_s", "t_s")
"""Names of the column of times if none is given."""


def read_columns(path: Path, text: str, time: str | None, column: str) -> tuple[Array, Array]:
    """Return times and values; empty cells of the column are left out. Lines that begin with # are comments.

    Parameters
    ----------
    path : Path
        For messages.
    text : str
        Its content: a line of names, then numbers, separated by commas or semicolons.
    time, column : str
        Names of columns, with or without a unit in brackets; without ``time`` the one called t or time.
    """
    lines = [(k, line) for k, line in enumerate(text.splitlines(), start=1) if line.strip() and line.lstrip()[0] != "#"]
    if len(lines) < 2:
        raise InputError(f"the data file '{path}' has no rows of numbers after a line of names")
    separator = ";" if ";" in lines[0][1] else ","
    rows = list(csv.reader(io.StringIO("\n".join(line for _, line in lines)), delimiter=separator))
    names = [name.strip() for name in rows[0]]
    if time is None:
        time = next((name for name in names if _bare(name).lower() in TIMES), None)
        if time is None:
            message = f"the data file '{path}' has no column t or time; name it by time = ...; columns: "
            raise InputError(message + ", ".join(names))
    places = [_place(path, names, name) for name in (time, column)]
    out: list[tuple[float, float]] = []
    for (line, _), row in zip(lines[1:], rows[1:], strict=True):
        if len(row) != len(names):
            raise InputError(f"the data file '{path}', line {line}: {len(row)} entries for {len(names)} names")
        cells = [row[k].strip() for k in places]
        if cells[1] == "":
            continue
        try:
            t, y = (float(cell) for cell in cells)
        except ValueError:
            raise InputError(f"the data file '{path}', line {line}: {cells} are not two numbers") from None
        if not (np.isfinite(t) and np.isfinite(y)):
            raise InputError(f"the data file '{path}', line {line}: {cells} are not finite")
        if out and t <= out[-1][0]:
            raise InputError(f"the data file '{path}', line {line}: the time {t:g} is not later than {out[-1][0]:g}")
        out.append((t, y))
    if not out:
        raise InputError(f"the data file '{path}' has no numbers in the column '{column}'")
    found = np.array(out)
    return found[:, 0].copy(), found[:, 1].copy()


def _place(path: Path, names: list[str], name: str) -> int:
    if name in names:
        return names.index(name)
    same = [k for k, other in enumerate(names) if _bare(other) == _bare(name)]
    if len(same) > 1:
        several = ", ".join(names[k] for k in same)
        raise InputError(f"the data file '{path}' has several columns '{name}': {several}; give the unit, too")
    if not same or _bare(name) != name:  # another unit than the one asked for is another column
        hint = nearest(name, names, 2, 0.5)
        raise InputError(f"the data file '{path}' has no column '{name}'{hint}; columns: {', '.join(names)}")
    return same[0]


def _bare(name: str) -> str:
    """Return the name of a column without its unit: ``time`` for ``time [s]``, as ``flexmb export`` writes."""
    words, bracket, _ = name.partition("[")
    return words.strip() if bracket and name.endswith("]") else name
