"""``--set a.b.c=VALUE``: keys of a case given on the command line."""

from __future__ import annotations

import copy
import dataclasses
import tomllib
from collections.abc import Iterable
from typing import Any

from flexmb.case.part_tables import KINDS
from flexmb.case.problems import Problem, dotted
from flexmb.case.schema import CaseTables, OutputTable, SolverTable, Table, TimeTable
from flexmb.case.toml_lines import Path, words
from flexmb.checks.values import unknown_key
from flexmb.errors import InputError, shortened
from flexmb.record.io.toml_text import MOST_LEVELS, TooMuch, toml_tree
from flexmb.schemes import SCHEMES

LONGEST_INDEX = 10
"""Number of digits beyond which a text is no list index."""


def parse_override(text: str) -> tuple[Path, Any]:
    """Return (path, value) of one ``KEY=VALUE``; VALUE is read as TOML, or else taken as a string."""
    key, equals, shown = text.partition("=")
    path = key_path(key)
    if not equals or not path:
        raise InputError("must read KEY=VALUE, for example time.step=1e-4", where="--set", value=text)
    if len(path) > MOST_LEVELS:
        words = f"the key has {len(path)} parts; at most {MOST_LEVELS} are possible"
        raise InputError(words, where="--set", value=text)
    return path, _value(shown.strip())


def key_path(key: str) -> Path:
    """Return the path of a dotted key, with indices of lists as numbers; empty if it is not a key."""
    names = words(key)
    if ".".join(names) != key.replace('"', "").replace("'", "").replace(" ", ""):
        return ()
    return tuple(int(name) if name.isdecimal() and len(name) < LONGEST_INDEX else name for name in names)


def _value(shown: str) -> Any:
    try:
        parsed = toml_tree(f"v = {shown}")
    except TooMuch as err:
        raise InputError(str(err).removeprefix("line 1: "), where="--set", value=shown) from None
    except tomllib.TOMLDecodeError:
        return shown
    # a line break in the value could add further keys; it is then read as a string
    return parsed["v"] if set(parsed) == {"v"} else shown


def apply_overrides(data: dict[str, Any], overrides: Iterable[tuple[Path, Any]]) -> list[Problem]:
    """Set the given keys in the tree of a case, in place, and return those that do not exist in it.

    Missing tables are created.
    """
    problems = []
    overrides = list(overrides)
    made = {path[:2] for path, _ in overrides if len(path) == 2 or path[2:] == ("kind",)}
    for path, item in overrides:
        if words := _unknown(data, path, made):
            problems.append(Problem(path, words, item))
            continue
        if places := _meant(data, path):
            problems.append(Problem(path, f"unknown key (did you mean {' or '.join(places)}?)", item))
            continue
        node: Any = data
        try:
            for depth, part in enumerate(path):
                key = _key_in(node, part, path[:depth])
                if depth == len(path) - 1:
                    node[key] = copy.deepcopy(item)
                else:
                    node = node.setdefault(key, {}) if isinstance(node, dict) else node[key]
        except InputError as err:
            problems.append(Problem(path, err.message, item))
    return problems


def _unknown(data: dict[str, Any], path: Path, made: set[Path]) -> str:
    """Return the message for a key below a table or part that the case lacks, unless it is in ``made``."""
    tables = [*CaseTables.model_fields, "scheme", *KINDS]
    if len(path) > 1 and path[0] not in tables:
        return unknown_key(path[0], tables)
    parts = data.get(str(path[0])) or {}
    if len(path) > 2 and path[0] in KINDS and isinstance(parts, dict) and path[1] not in parts and path[:2] not in made:
        return unknown_key(path[1], parts).replace(
            "unknown key", f"there is no '{shortened(str(path[1]))}' in {path[0]}"
        )
    return ""


def _meant(data: dict[str, Any], path: Path) -> list[str]:
    """Return the full keys that a single word may refer to: ``rho_inf`` is ``scheme.rho_inf``."""
    word = path[0]
    if len(path) > 1 or word in (*CaseTables.model_fields, "scheme", *KINDS):
        return []
    fixed: dict[str, type[Table]] = {"time": TimeTable, "solver": SolverTable, "output": OutputTable}
    places = [f"{table}.{word}" for table, model in fixed.items() if word in model.model_fields]
    options = {field.name for cls in SCHEMES.values() for field in dataclasses.fields(cls) if field.init}
    if word in options | {"name"}:
        places.append(f"scheme.{word}")
    for role in KINDS:
        parts = data.get(role)
        named = parts.items() if isinstance(parts, dict) else ()
        places += [f"{role}.{name}.{word}" for name, part in named if isinstance(part, dict) and word in part]
    return places


def _key_in(node: Any, part: str | int, path: Path) -> Any:
    """Return ``part`` as a key of ``node``, which is at ``path``: names of tables, indices of lists."""
    place = dotted(path)
    if isinstance(node, dict):
        return str(part)
    if not isinstance(node, list):
        raise InputError(f"{place} is not a table, so it has no key '{part}'")
    if not isinstance(part, int) or part >= len(node):
        raise InputError(f"{place} is a list of {len(node)} entries, counted from 0: there is no entry '{part}'")
    return part
