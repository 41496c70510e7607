"""From the text of a case file to checked values; all errors are reported at once."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from flexmb.analysis.exact import SOLUTIONS
from flexmb.case.overrides import apply_overrides, parse_override
from flexmb.case.part_tables import KINDS, read_parts, read_scheme
from flexmb.case.problems import Origin, Problem, problem_of
from flexmb.case.read_tables import read_tables
from flexmb.case.schema import CaseTables
from flexmb.case.shipped import find_case
from flexmb.case.toml_lines import Path as KeyPath
from flexmb.checks.values import nearest
from flexmb.errors import InputError
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.record.io.toml_text import TooMuch, toml_tree
from flexmb.schemes import SCHEMES

TABLES = ("scheme", *KINDS)
"""Tables whose keys depend on their kind."""


@dataclass(frozen=True)
class CaseValues:
    """A case file, read and checked key by key (the physics is checked when it is assembled)."""

    origin: Origin
    data: dict[str, Any]
    tables: CaseTables
    parts: tuple[Any, ...]
    scheme: Any
    solver: ContactSolver
    notes: tuple[str, ...]


def read_case(source: str | Path, overrides: Iterable[str] = ()) -> CaseValues:
    """Read a case file or a shipped case, with ``KEY=VALUE`` overrides."""
    file = find_case(source)
    text = read_text(file)
    return check_values(file, text, parsed(file, text), [parse_override(item) for item in overrides])


def read_text(file: Path) -> str:
    """Return the text of a file that should hold TOML."""
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as err:
        raise InputError(f"'{file}' is not a case file: it is not UTF-8 text") from err
    except OSError as err:
        raise InputError(f"'{file}' cannot be read: {err.strerror}") from err


def parsed(file: Path, text: str) -> dict[str, Any]:
    """Return the tree of a TOML text."""
    try:
        return toml_tree(text)
    except TooMuch as err:
        raise InputError(f"{file}, {err}") from err
    except ValueError as err:
        raise InputError(f"'{file}' is not valid TOML: {err}") from err


def with_overrides(
    data: dict[str, Any], overrides: list[tuple[KeyPath, Any]]
) -> tuple[dict[str, Any], tuple[str, ...], list[Problem]]:
    """Return the tree of a case with overrides, the notes on dropped keys, and the overrides that do not exist."""
    data = copy.deepcopy(data)
    notes = (*_change_scheme(data, overrides), *_change_step(data, overrides))
    return data, notes, apply_overrides(data, overrides)


def check_values(
    file: Path,
    text: str,
    data: dict[str, Any],
    overrides: list[tuple[KeyPath, Any]],
    said: Mapping[KeyPath, str] | None = None,
) -> CaseValues:
    """Check every key of a case and build its parts; ``said`` is the origin of the overrides, for errors."""
    data, notes, problems = with_overrides(data, overrides)
    origin = Origin(file, text, dict.fromkeys((path for path, _ in overrides), "--set") | dict(said or {}))
    problems = problems or _too_large(data)
    if problems:
        raise origin.error(problems)
    tables = read_tables(CaseTables, {key: item for key, item in data.items() if key not in TABLES}, problems, TABLES)
    with np.errstate(all="ignore"):  # numbers that overflow are found when the system is assembled
        scheme = read_scheme(data.get("scheme", {}), problems)
        parts = read_parts(data, file.parent, problems)
    solver = _solver(tables, problems)
    problems += _claim(tables, data)
    if problems or tables is None or scheme is None or solver is None:
        raise origin.error(problems)
    notes += _idle_options(scheme, overrides)
    return CaseValues(origin, data, tables, tuple(parts), scheme, solver, notes)


def _change_scheme(data: dict[str, Any], overrides: list[tuple[KeyPath, Any]]) -> tuple[str, ...]:
    """Change the scheme by ``--set scheme.name=...``: options that the new one lacks are dropped, with a note.

    Only options of the file are dropped; those given on the command line must be valid.
    """
    table = data.get("scheme")
    name = dict(overrides).get(("scheme", "name"))
    if not isinstance(table, dict) or name not in SCHEMES or table.get("name") == name:
        return ()
    known = {"name", *(field.name for field in dataclasses.fields(SCHEMES[str(name)]))}
    lost = [key for key in table if key not in known]
    for key in lost:
        del table[key]
    return tuple(f"scheme.{key} of the case file is not an option of '{name}' and is left out" for key in lost)


def _idle_options(scheme: Any, overrides: list[tuple[KeyPath, Any]]) -> tuple[str, ...]:
    """Return a note if an option has no effect because of another one."""
    asked = ("scheme", "theta") in dict(overrides) or getattr(scheme, "theta", 0.5) != 0.5
    if asked and getattr(scheme, "weighting", "theta") != "theta":
        return (f'scheme.theta has an effect with weighting = "theta" only; here it is "{scheme.weighting}"',)
    return ()


def _change_step(data: dict[str, Any], overrides: list[tuple[KeyPath, Any]]) -> tuple[str, ...]:
    """Replace the step size of the file by ``--set`` of ``time.step``, ``time.steps`` or ``time.tolerance``."""
    ways, table, given = ("step", "steps", "tolerance"), data.get("time"), dict(overrides)
    new = [way for way in ways if ("time", way) in given]
    if not new or not isinstance(table, dict):
        return ()
    lost = [f"time.{old}" for old in ways if old in table and old not in new]
    for old in lost:
        del table[old.removeprefix("time.")]
    output = data.get("output")
    if "time.tolerance" in lost and ("output", "interval") not in given and isinstance(output, dict):
        lost += ["output.interval"] if output.pop("interval", None) is not None else []
    return tuple(f"{old} of the case file is left out, because --set gives time.{new[0]}" for old in lost)


def _too_large(item: Any, path: KeyPath = ()) -> list[Problem]:
    """Return the integers of a tree that do not fit into the 64 bits TOML allows them; tomllib reads them."""
    if isinstance(item, int) and not -(2**63) <= item < 2**63:
        return [Problem(path, "is too large: an integer has at most 64 bits", item)]
    entries = item.items() if isinstance(item, dict) else enumerate(item) if isinstance(item, list) else ()
    return [problem for key, inner in entries for problem in _too_large(inner, (*path, key))]


def _solver(tables: CaseTables | None, problems: list[Problem]) -> ContactSolver | None:
    if tables is None:
        return None
    try:
        return ContactSolver(**tables.solver.model_dump())
    except InputError as err:
        problems.append(problem_of(InputError(err.message, where="solver", key=err.key, value=err.value)))
        return None


def _claim(tables: CaseTables | None, data: Mapping[str, Any]) -> list[Problem]:
    """Return the errors of ``[exact]``: it must name an existing solution, body and contact.

    Whether the solution applies is not checked here: a run with other parameters is not an error.
    """
    exact = None if tables is None else tables.exact
    if exact is None:
        return []
    out = []
    named = (("solution", SOLUTIONS), ("body", data.get("bodies", {})), ("contact", data.get("contacts", {})))
    for key, known in named:
        name = getattr(exact, key)
        if isinstance(known, Mapping) and name not in known:
            message = f"there is no {key} of this name{nearest(name, known)}; allowed: {', '.join(known) or 'none'}"
            out.append(Problem(("exact", key), message, name))
    return out
