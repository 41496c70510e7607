"""The axes of a study, and their grid."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from flexmb.case.overrides import key_path
from flexmb.case.problems import Problem
from flexmb.case.toml_lines import Path as KeyPath
from flexmb.study.study_schema import AxisTable
from flexmb.study.table import Value

MOST_RUNS = 1_000_000
"""Studies with more runs than this must be confirmed."""
MOST_VALUES = 10_000_000
"""Maximum number of values of an axis: a longer list would fill the memory."""
MOST_CHECKED = 200
"""Number of values of an axis that are checked before the first run."""
STEP_KEYS = (("time", "step"), ("time", "steps"), ("time", "tolerance"))
"""Alternative keys of which a case has one: setting one of them replaces another."""


TOLERANCE, INTERVAL = ("time", "tolerance"), ("output", "interval")


@dataclass(frozen=True)
class Setting:
    """A key of the case, its value, and who set it (for errors)."""

    path: KeyPath
    value: Any
    said: str


@dataclass(frozen=True)
class Axis:
    """One axis.

    Parameters
    ----------
    name : str
        Its column.
    values : tuple
        Values in the column.
    settings : tuple of tuples of Setting
        Changes of the case for each value.
    zip : str
        Axes with the same word vary together.
    cases : tuple of str
        Cases of its choices, "" for that of the study; empty if all use it.
    names : tuple of mappings
        Values of its choices for names in braces; empty if there are none.
    """

    name: str
    values: tuple[Value, ...]
    settings: tuple[tuple[Setting, ...], ...]
    zip: str = ""
    cases: tuple[str, ...] = ()
    names: tuple[Mapping[str, str], ...] = ()

    def __len__(self) -> int:
        return len(self.values)


class Wrong(Exception):  # noqa: N818
    """An error in an entry of the study file."""

    def __init__(self, key: str, message: str, value: Any = None) -> None:
        super().__init__(message)
        self.key, self.message, self.value = key, message, value

    def at(self, *path: str | int) -> Problem:
        """Return the problem with its location in the file."""
        return Problem((*path, self.key) if self.key else path, self.message, self.value, self.value is not None)


def make_axis(table: AxisTable, place: str) -> Axis:
    """Return the axis of a table; ``place`` is its location (file and line)."""
    said = f"axis '{axis_name(table)}' ({place})"
    if table.choices is not None:
        if not table.choices:
            raise Wrong("choices", "the axis is empty: it needs at least one choice", [])
        labels = tuple(choice.label for choice in table.choices)
        if not table.zip:  # for zipped axes the combinations differ
            _check_different(labels, "choices")
        return Axis(
            axis_name(table),
            labels,
            tuple(tuple(settings(choice.set, said, "choices")) for choice in table.choices),
            table.zip or "",
            tuple(choice.case or "" for choice in table.choices) if any(c.case for c in table.choices) else (),
            tuple(choice.names for choice in table.choices) if any(c.names for c in table.choices) else (),
        )
    keys = [table.key] if table.key is not None else table.keys or []
    if not keys:
        raise Wrong("keys", "is empty: name the keys of the case that the axis changes", [])
    paths = [_path(key, "keys" if table.key is None else "key") for key in keys]
    values = tuple(_values(table))
    if not table.zip:
        _check_different(values, "values" if table.values is not None else "count")
    return Axis(
        axis_name(table), values, tuple(tuple(Setting(p, v, said) for p in paths) for v in values), table.zip or ""
    )


def axis_name(table: AxisTable) -> str:
    """Return the name of an axis: the given one, or that of its key."""
    return table.name or table.key or (table.keys or [""])[0]


def settings(table: Mapping[str, Any], said: str, where: str) -> Iterator[Setting]:
    """Yield the keys of a ``set`` table: dotted names in quotes, or tables within tables."""
    for path, value in _flat(table, (), where):
        yield Setting(path, value, said)


def _flat(table: Mapping[str, Any], above: KeyPath, where: str) -> Iterator[tuple[KeyPath, Any]]:
    for key, value in table.items():
        path = (*above, *_path(key, where))
        if isinstance(value, Mapping) and "." not in key:
            yield from _flat(value, path, where)
        else:
            yield path, value


def _path(key: str, where: str) -> KeyPath:
    path = key_path(key)
    if not path:
        raise Wrong(where, "is not a key of a case: it must be of the form time.step or bodies.rod.elements", key)
    return path


def _check_different(values: Sequence[Value], key: str) -> None:
    seen: set[tuple[type, Value]] = set()
    for value in values:
        mark = (str if isinstance(value, str) else float, value)
        if mark in seen:
            raise Wrong(key, f"the value {value!r} is repeated")
        seen.add(mark)


def _values(table: AxisTable) -> list[Value]:
    if table.values is not None:
        if not table.values:
            raise Wrong("values", "the axis is empty: it needs at least one value", [])
        for value in table.values:
            if not isinstance(value, bool | int | float | str) or (
                isinstance(value, float) and not math.isfinite(value)
            ):
                words = "must be numbers, words, true or false; other values belong in choices, with a label"
                raise Wrong("values", words, value)
        return list(table.values)
    assert table.start is not None and table.end is not None and table.count is not None  # noqa: PT018
    return _spaced(table.start, table.end, table.count, table.spacing or "linear")


def _spaced(start: float, end: float, count: int, spacing: str) -> list[Value]:
    """Return values from start to end; integers if both ends are."""
    if count > MOST_VALUES:
        raise Wrong("count", f"must be at most {MOST_VALUES}", count)
    if count > 1 and start == end:
        raise Wrong("to", "must differ from 'from'", end)
    whole = isinstance(start, int) and isinstance(end, int)
    if spacing != "linear" and not (start > 0 and end > 0):
        raise Wrong("from" if start <= 0 else "to", f'must be positive with spacing = "{spacing}"', min(start, end))
    if spacing == "primes":
        found: list[Value] = [nearest_prime(x) for x in _steps(start, end, count, log=True)]
    else:
        exact = _steps(start, end, count, log=spacing == "log")
        found = [round(x) for x in exact] if whole else list(exact)
    if len(set(found)) < len(found):
        kind = "primes" if spacing == "primes" else "integers"
        raise Wrong("count", f"requests more {kind} than there are between {start:g} and {end:g}", count)
    return found


def _steps(start: float, end: float, count: int, *, log: bool) -> list[float]:
    """Return numbers with equal differences or ratios, with exact ends."""
    if count == 1:
        return [float(start)]
    inner = range(1, count - 1)
    if log:
        between = [float(start) * (end / start) ** (k / (count - 1)) for k in inner]
    else:
        between = [start + (end - start) * (k / (count - 1)) for k in inner]
    return [float(start), *between, float(end)]


def nearest_prime(x: float) -> int:
    """Return the prime nearest to a number, the lower of two."""
    middle = max(2, round(x))
    candidates = (middle + sign * k for k in range(middle + 2) for sign in (-1, 1))
    best = next(n for n in candidates if _is_prime(n))
    # the mirror image of the first one found may be nearer to x itself than to its rounding
    other = 2 * middle - best
    return other if _is_prime(other) and abs(other - x) < abs(best - x) else best


def _is_prime(n: int) -> bool:
    return n > 1 and all(n % k for k in range(2, math.isqrt(n) + 1))


@dataclass(frozen=True)
class Point:
    """One point of the grid: its index, its values on the axes, and the changes of the case.

    ``cases`` and ``names`` are those of the axes that define some.
    """

    index: int
    axes: dict[str, Value]
    changes: dict[str, tuple[Setting, ...]]
    cases: dict[str, str] = field(default_factory=dict)
    names: dict[str, Mapping[str, str]] = field(default_factory=dict)

    def settings(self, axes: Iterable[str] | None = None) -> tuple[Setting, ...]:
        """Return the changes by the named axes; by default by all of them."""
        return tuple(setting for name in (self.changes if axes is None else axes) for setting in self.changes[name])

    def case(self, axes: Iterable[str] | None = None) -> str:
        """Return the case chosen by the named axes (by default all); "" for that of the study."""
        return next((self.cases[name] for name in (self.cases if axes is None else axes) if self.cases.get(name)), "")

    def words(self) -> dict[str, str]:
        """Return the values for names in braces."""
        return {key: word for own in self.names.values() for key, word in own.items()}


class Grid:
    """All combinations of the axes, with the first axis slowest; evaluated lazily.

    Parameters
    ----------
    axes : sequence of Axis
        Zipped axes have the same length.
    """

    def __init__(self, axes: Sequence[Axis]) -> None:
        self.axes = tuple(axes)
        groups: dict[object, list[Axis]] = {}
        for k, axis in enumerate(self.axes):
            groups.setdefault(axis.zip or k, []).append(axis)
        self._groups = list(groups.values())

    @property
    def count(self) -> int:
        """Number of points."""
        return math.prod(self.sizes)

    @property
    def sizes(self) -> list[int]:
        """Number of values of each group of axes that vary together."""
        return [len(group[0]) for group in self._groups]

    def __getitem__(self, index: int) -> Point:
        if not 0 <= index < self.count:
            raise IndexError(index)
        place: dict[str, int] = {}
        rest = index
        for group in reversed(self._groups):
            rest, k = divmod(rest, len(group[0]))
            place |= {axis.name: k for axis in group}
        values = {axis.name: axis.values[place[axis.name]] for axis in self.axes}
        return Point(
            index,
            values,
            {axis.name: axis.settings[place[axis.name]] for axis in self.axes},
            {axis.name: axis.cases[place[axis.name]] for axis in self.axes if axis.cases},
            {axis.name: axis.names[place[axis.name]] for axis in self.axes if axis.names},
        )

    def __iter__(self) -> Iterator[Point]:
        return (self[k] for k in range(self.count))

    def corners(self) -> Iterator[Point]:
        """Yield points that cover the values of every axis: one axis at a time, the others at their first value.

        For an axis with more than ``MOST_CHECKED`` values these are the first ones and the last one.
        """
        stride = self.count
        yield self[0]
        for size in self.sizes:
            stride //= size
            shown = [*range(1, min(size, MOST_CHECKED)), *([size - 1] if size > MOST_CHECKED else [])]
            yield from (self[k * stride] for k in shown)


def layered(*layers: Sequence[Setting]) -> tuple[Setting, ...]:
    """Return the settings of all layers; the last setting of a key, or of the alternative keys of the step, counts.

    The interval between samples belongs to a tolerance: a step that is given after it replaces it.
    """
    out: dict[KeyPath, Setting] = {}
    for layer in layers:
        new = {setting.path for setting in layer}
        if any(path in new for path in STEP_KEYS):
            for path in STEP_KEYS:
                out.pop(path, None)
        for setting in layer:
            out.pop(setting.path, None)
            out[setting.path] = setting
    order = list(out)
    fixed = [order.index(path) for path in STEP_KEYS if path in out and path != TOLERANCE]
    if fixed and TOLERANCE not in out and INTERVAL in out and order.index(INTERVAL) < fixed[0]:
        del out[INTERVAL]
    return tuple(out.values())
