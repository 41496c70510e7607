"""From the text of a study file to its axes, references and measures; all errors are listed at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from flexmb.case.overrides import parse_override
from flexmb.case.problems import Origin, Problem, dotted
from flexmb.case.read import parsed, read_text
from flexmb.case.read_tables import read_tables
from flexmb.case.shipped import find_file, find_study, shipped_cases
from flexmb.case.toml_lines import Path as KeyPath
from flexmb.case.toml_lines import line_numbers, line_of
from flexmb.case.toml_writer import to_toml
from flexmb.checks.values import nearest
from flexmb.errors import InputError
from flexmb.study.axes import STEP_KEYS, Axis, Grid, Setting, Wrong, axis_name, layered, make_axis, settings
from flexmb.study.study_schema import EXACT, LEDGER, MODES_OVER, MODES_SHOWN, RESERVED, StudyTables
from flexmb.study.table import Value, same

GIVEN = "--set"
"""Origin of keys that the command line sets for all runs."""


@dataclass(frozen=True)
class StudyFile:
    """A study file, read and checked.

    Parameters
    ----------
    origin : Origin
        Origin of the text.
    tables : StudyTables
        Tables of the file.
    case_file : Path
    case_text : str
        The case it varies.
    cases : mapping of str to (Path, str)
        File and text of the cases of choices, by their names in the study.
    common : tuple of Setting
        Changes of the case in all runs.
    grid : Grid
        Its axes.
    references : mapping of str to tuple of Setting
        Additional changes in the reference runs.
    """

    origin: Origin
    tables: StudyTables
    case_file: Path
    case_text: str
    common: tuple[Setting, ...]
    grid: Grid
    references: Mapping[str, tuple[Setting, ...]]
    cases: Mapping[str, tuple[Path, str]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Name of the file without its ending."""
        return self.origin.file.stem


def read_study(source: str | Path, overrides: Iterable[str] = ()) -> StudyFile:
    """Read a study file or a shipped study; the overrides are ``KEY=VALUE`` of its case, for all runs."""
    file = find_study(source)
    text = read_text(file)
    data = parsed(file, text)
    given = [parse_override(item) for item in overrides]
    if given:
        data = dict(data) | {"set": _overridden(data.get("set", {}), given)}
        text = to_toml(data, frozenset({"choices", "where"}))
    return checked(file, text, data, frozenset(path for path, _ in given))


def _overridden(table: Any, given: Iterable[tuple[KeyPath, Any]]) -> Any:
    """Return a ``set`` table with overrides, which also replace alternative keys of the step."""
    try:
        before = tuple(settings(table, "", ""))
    except (Wrong, AttributeError):  # not a table, or invalid keys: reported when the tables are checked
        return table
    later = tuple(Setting(path, value, "") for path, value in given)
    return {dotted_key(setting.path): setting.value for setting in layered(before, later)}


def dotted_key(path: Iterable[str | int]) -> str:
    """Return a path as a dotted key, with quoted names where necessary."""
    words = [str(part) for part in path]
    return ".".join(word if word.replace("_", "").replace("-", "").isalnum() else f"'{word}'" for word in words)


def checked(file: Path, text: str, data: dict[str, Any], given: frozenset[Any] = frozenset()) -> StudyFile:
    """Check every entry of a study."""
    origin = Origin(file, text)
    problems: list[Problem] = []
    tables = read_tables(StudyTables, data, problems)
    if tables is None:
        raise origin.error(problems)
    lines = line_numbers(text)

    def place(*path: str | int) -> str:
        return f"{file.name}, line {line_of(lines, path)}"

    axes: list[Axis] = []
    for k, table in enumerate(tables.axis):
        try:
            axes.append(make_axis(table, place("axis", k)))
        except Wrong as wrong:
            problems.append(wrong.at("axis", k))
    common = _settings(tables.set, f"[set] ({place('set')})", ("set",), problems)
    common = tuple(Setting(s.path, s.value, GIVEN) if s.path in given else s for s in common)
    references = {
        name: _settings(table.set, f"reference '{name}' ({place('reference', name)})", ("reference", name), problems)
        for name, table in tables.reference.items()
    }
    if not problems:
        problems += _wrong_axes(axes, common) + _wrong_names(tables, axes)
    case_file = _case_file(tables.case, file, ("case",), problems)
    cases = _other_cases(tables, file, problems)
    if problems or case_file is None:
        raise origin.error(problems)
    return StudyFile(origin, tables, case_file, read_text(case_file), common, Grid(axes), references, cases)


def _settings(
    table: Mapping[str, Any], said: str, path: tuple[str, ...], problems: list[Problem]
) -> tuple[Setting, ...]:
    try:
        return tuple(settings(table, said, ""))
    except Wrong as wrong:
        problems.append(wrong.at(*path))
        return ()


def _other_cases(tables: StudyTables, study: Path, problems: list[Problem]) -> dict[str, tuple[Path, str]]:
    """Return the cases of choices; at most one axis may have some."""
    out: dict[str, tuple[Path, str]] = {}
    first = -1
    for k, axis in enumerate(tables.axis):
        for j, choice in enumerate(axis.choices or []):
            if choice.case is None:
                continue
            path = ("axis", k, "choices", j, "case")
            if first not in (-1, k):
                words = f"another axis, '{axis_name(tables.axis[first])}', already chooses the case"
                problems.append(Problem(path, words, choice.case))
                break
            first = k
            found = _case_file(choice.case, study, path, problems)
            if found is not None:
                out[choice.case] = (found, read_text(found))
    return out


def _case_file(name: str, study: Path, path: tuple[str | int, ...], problems: list[Problem]) -> Path | None:
    """Return the case: a path relative to the study file, or a shipped one."""
    beside = study.parent / name
    try:
        return beside if beside.is_file() else find_file(name, shipped_cases(), "case")
    except (InputError, OSError, ValueError) as err:
        problems.append(Problem(path, err.message if isinstance(err, InputError) else str(err), name))
        return None


def _wrong_axes(axes: list[Axis], common: tuple[Setting, ...]) -> list[Problem]:
    """Return axes that are not compatible."""
    out: list[Problem] = []
    firsts: dict[str, Axis] = {}
    setters: dict[Any, str] = {}
    for k, axis in enumerate(axes):
        first = firsts.setdefault(axis.zip, axis) if axis.zip else axis
        if len(first) != len(axis):
            words = f"axis '{axis.name}' has {len(axis)} values and axis '{first.name}' {len(first)}; zipped axes have"
            out.append(Problem(("axis", k, "zip"), f"{words} as many each", axis.zip))
        if axis.zip and first is axis:
            twice = _repeated([other for other in axes if other.zip == axis.zip])
            if twice:
                words = f"{', '.join(map(repr, twice))} occur twice, and the combinations of zipped axes must differ"
                out.append(Problem(("axis", k, "zip"), words, axis.zip))
        for path in {setting.path for own in axis.settings for setting in own}:
            if path in setters:
                words = f"axis '{axis.name}' and axis '{setters[path]}' both change it"
                out.append(Problem(("axis", k), f"{dotted(path)}: {words}", has_value=False))
            setters.setdefault(path, axis.name)
    always = {path for axis in axes for path in setters if all(path in {s.path for s in own} for own in axis.settings)}
    steps = [path for path in STEP_KEYS if path in always]
    for setting in common:
        # some choices may leave it unchanged for all runs; a step of the command line must not be ignored silently
        instead = steps if setting.path in STEP_KEYS and setting.said == GIVEN else []
        changed = [setting.path] if setting.path in always else instead
        if changed:
            words = f"axis '{setters[changed[0]]}' changes it, so that it has no one value for all runs"
            path = ("set", dotted(setting.path))
            out.append(Problem(path, f"{words}; it comes from {setting.said}", setting.value))
    return out


def _repeated(group: Sequence[Axis]) -> tuple[Value, ...]:
    """Return the first repeated combination of values of zipped axes, empty if all differ."""
    seen: set[tuple[Value, ...]] = set()
    for combination in zip(*(axis.values for axis in group), strict=False):
        if combination in seen:
            return combination
        seen.add(combination)
    return ()


def _wrong_names(tables: StudyTables, axes: list[Axis]) -> list[Problem]:
    """Return names that are repeated or refer to nothing."""
    out: list[Problem] = []
    seen = dict.fromkeys(RESERVED, "a column of every table")
    entries = [(("axis", k), axis.name, f"axis '{axis.name}'") for k, axis in enumerate(axes)]
    entries += [(("measure", k), m.name, f"measure '{m.name}'") for k, m in enumerate(tables.measure)]
    if tables.ledger:
        seen |= dict.fromkeys(LEDGER, "a column of the ledger")
    for path, name, words in entries:
        if name in seen:
            out.append(Problem((*path, "name"), f"is the name of {seen[name]} already", name))
        seen.setdefault(name, words)
    if not tables.measure and not tables.ledger:
        out.append(
            Problem(("measure",), "there are no measures: add [[measure]] entries or ledger = true", None, False)
        )
    if EXACT in tables.reference:
        out.append(Problem(("reference", EXACT), "denotes the exact solution; choose another name", None, False))
    out += _unknown_in_measures(tables) + _unknown_in_references(tables, axes)
    return out + _unknown_in_figures(tables, axes) + _unknown_in_expects(tables, axes)


def _unknown_in_measures(tables: StudyTables) -> list[Problem]:
    known = [EXACT, *tables.reference]
    return [
        unknown(("measure", k, "against"), m.against, known, "reference")
        for k, m in enumerate(tables.measure)
        if m.kind == "error" and m.against not in known
    ]


def _unknown_in_references(tables: StudyTables, axes: list[Axis]) -> list[Problem]:
    names = [axis.name for axis in axes]
    return [
        unknown(("reference", name, "follow"), followed, names, "axis")
        for name, table in tables.reference.items()
        for followed in table.follow
        if followed not in names
    ]


def _unknown_in_figures(tables: StudyTables, axes: list[Axis]) -> list[Problem]:
    out: list[Problem] = []
    columns = [*(axis.name for axis in axes), *tables.numbers]
    files: set[str] = set()
    for k, figure in enumerate(tables.figure):
        if figure.name in files:
            out.append(Problem(("figure", k, "name"), "is the name of another figure already", figure.name))
        files.add(figure.name)
        named = [("x", figure.x)] if figure.x is not None else []
        named += [("y", name) for name in figure.y] + [("by", name) for name in figure.by]
        known = {"x": columns, "y": [*columns, *tables.arrays], "by": columns}
        words = dict.fromkeys(known, "axis or measure")
        if figure.kind == "modes":
            spectra = [m.name for m in tables.measure if m.kind == "modes"]
            parts = [f"{name}.{part}" for name in spectra for part in MODES_SHOWN]
            known |= {"x": list(MODES_OVER), "y": [*spectra, *parts]}
            words |= {"x": "axis of spectra", "y": "measure of modes"}
        out += [
            unknown(("figure", k, key), name, known[key], words[key]) for key, name in named if name not in known[key]
        ]
        out += _wrong_where(("figure", k), figure.where, axes)
    return out


def _unknown_in_expects(tables: StudyTables, axes: list[Axis]) -> list[Problem]:
    out: list[Problem] = []
    numbers = tables.numbers
    for k, expect in enumerate(tables.expect):
        columns = [*(axis.name for axis in axes), *numbers]
        named = (("order", expect.order, numbers), ("measure", expect.measure, numbers), ("over", expect.over, columns))
        out += [
            unknown(("expect", k, key), name, known, "column of numbers")
            for key, name, known in named
            if name is not None and name not in known
        ]
        out += _wrong_where(("expect", k), expect.where, axes)
    return out


def _wrong_where(path: tuple[str, int], where: Mapping[str, Any], axes: list[Axis]) -> list[Problem]:
    """Return unknown names in ``where``: axes, or values of them."""
    out = []
    by_name = {axis.name: axis for axis in axes}
    for name, wanted in where.items():
        if name not in by_name:
            out.append(unknown((*path, "where"), name, list(by_name), "axis"))
            continue
        for one in wanted if isinstance(wanted, list) else [wanted]:
            values = by_name[name].values
            if not any(same(one, value) for value in values):
                shown = ", ".join(str(value) for value in values[:20]) + (", ..." if len(values) > 20 else "")
                out.append(Problem((*path, "where", name), f"axis '{name}' has no such value; it has {shown}", one))
    return out


def unknown(path: tuple[str | int, ...], name: str, known: Iterable[str], what: str) -> Problem:
    """Return the problem of a name that refers to nothing."""
    names = list(known)
    return Problem(path, f"does not name a {what}{nearest(name, names)}; known: {', '.join(names) or 'none'}", name)
