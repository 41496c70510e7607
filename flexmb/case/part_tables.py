"""Tables whose keys depend on their kind: bodies, joints, loads, contacts, and the scheme.

The parts are dataclasses that check their own values, and their arguments are the keys of the file; so nothing is
defined twice, and a new kind is available as soon as its module exists.
"""

from __future__ import annotations

import copy
import dataclasses
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

from pydantic import ConfigDict, create_model

from flexmb.case.problems import Problem, problem_of
from flexmb.case.read_tables import read_tables
from flexmb.case.schema import Table
from flexmb.case.shipped import find_mesh, missing_mesh
from flexmb.case.toml_lines import Path as KeyPath
from flexmb.checks.foreign_keys import in_our_words
from flexmb.checks.values import meant_key, unknown_key
from flexmb.errors import InputError, PluginError
from flexmb.parts.bodies import KINDS as BODIES
from flexmb.parts.contacts import KINDS as CONTACTS
from flexmb.parts.joints import KINDS as JOINTS
from flexmb.parts.loads import KINDS as LOADS
from flexmb.schemes import SCHEMES

KINDS: dict[str, Mapping[str, type]] = {"bodies": BODIES, "joints": JOINTS, "loads": LOADS, "contacts": CONTACTS}
"""Kinds of parts by the table that holds them; parts are added to the model in this order."""

TOO_LARGE = "holds numbers too large or too small to compute with"


def read_parts(data: Mapping[str, Any], folder: Path, problems: list[Problem]) -> list[Any]:
    """Return all parts of a case; errors are added to ``problems``.

    Parameters
    ----------
    data : mapping
        The complete case.
    folder : Path
        Folder in which mesh files are looked up first.
    """
    parts = []
    for role, kinds in KINDS.items():
        tables = data.get(role, {})
        if not isinstance(tables, Mapping):
            problems.append(Problem((role,), f"must be tables [{role}.NAME]", tables))
            continue
        for name, table in tables.items():
            try:
                own = _with_files(table, folder, (role, name))
                parts.append(_made(own, "kind", (role, name), kinds, {"name": name}))
            except CaseProblems as wrong:
                problems.extend(wrong.problems)
            except PluginError:
                raise
            except InputError as err:
                about_name = (err.where, err.key) == (role, "name")
                problems.append(Problem((role, name), err.message, has_value=False) if about_name else problem_of(err))
            except ArithmeticError:
                problems.append(Problem((role, name), TOO_LARGE, has_value=False))
    return parts


def read_scheme(table: Any, problems: list[Problem]) -> Any:
    """Return the scheme of a case, or None if it has errors."""
    try:
        return _made(table, "name", ("scheme",), SCHEMES, {})
    except CaseProblems as wrong:
        problems.extend(wrong.problems)
    except PluginError:
        raise
    except InputError as err:
        problems.append(problem_of(err))
    except ArithmeticError:
        problems.append(Problem(("scheme",), TOO_LARGE, has_value=False))
    return None


def defaults_of(part: Any) -> dict[str, Any]:
    """Return the arguments of a part or scheme that are plain values: numbers, strings, and lists of them."""
    values = {f.name: getattr(part, f.name) for f in dataclasses.fields(part) if f.init and f.name != "name"}
    return {key: list(v) if isinstance(v, tuple) else v for key, v in values.items() if _is_plain(v)}


def _is_plain(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return bool(value) and all(_is_plain(item) for item in value)
    return isinstance(value, bool | int | float | str)


def file_keys(kind: type | None) -> tuple[str, ...]:
    """Return the keys of a kind of part whose texts are the names of files."""
    return ("mesh", *getattr(kind, "files", ()))


def _with_files(table: Any, folder: Path, path: KeyPath) -> Any:
    """Return a table with the paths of its files, if it has any."""
    if not isinstance(table, Mapping):
        return table
    found = _files(str(path[0]), table, folder)
    if "mesh" in found and (words := missing_mesh(Path(found["mesh"]))):
        raise CaseProblems(Problem((*path, "mesh"), words, found["mesh"]))
    return {**table, **found}


def _files(role: str, table: Mapping[str, Any], folder: Path) -> dict[str, str]:
    """Return the paths of the files of a part by their keys."""
    kind = table.get("kind")
    keys = file_keys(KINDS[role].get(kind) if isinstance(kind, str) else None)
    return {key: os.path.abspath(find_mesh(table[key], folder)) for key in keys if isinstance(table.get(key), str)}


def case_files(data: Mapping[str, Any], folder: Path) -> list[Path]:
    """Return the paths of all files that the parts of a case are read from: meshes and matrices."""
    roles = [(role, data.get(role)) for role in KINDS]
    tables = [(role, table) for role, named in roles if isinstance(named, Mapping) for table in named.values()]
    found = [_files(role, table, folder) for role, table in tables if isinstance(table, Mapping)]
    return [Path(path) for paths in found for path in paths.values()]


class CaseProblems(Exception):  # noqa: N818
    """Errors of one table."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__()
        self.problems = problems


def _made(table: Any, chooser: str, path: KeyPath, kinds: Mapping[str, type], more: Mapping[str, Any]) -> Any:
    """Return the part or scheme described by a table; ``more`` are arguments that are not keys of the table."""
    if not isinstance(table, Mapping):
        raise CaseProblems(Problem(path, "must be a table", table))
    if chooser not in table:
        typed = next((key for key in table if in_our_words(key, (chooser,))), None)
        meant = "" if typed is None else f": write {chooser} = .. in place of {typed}"
        raise CaseProblems(Problem(path, f"{chooser} is missing{meant}; allowed: {', '.join(kinds)}", has_value=False))
    kind = table[chooser]
    if not isinstance(kind, str) or kind not in kinds:
        message = unknown_key(kind, kinds).replace("unknown key", f"unknown {chooser}")
        raise CaseProblems(Problem((*path, chooser), message, kind))
    wrong: list[Problem] = []
    keys = {key: value for key, value in table.items() if key != chooser}

    def make() -> Any:
        return kinds[kind](**more, **keys)

    if read_tables(_keys(kinds[kind], chooser), table, wrong) is None:
        what = f"{'kind' if chooser == 'kind' else 'scheme'} '{kind}'"
        wrong = [_of_another(one, kinds, chooser) for one in wrong]
        found = [replace(one, path=(*path, *one.path), message=f"{one.message} ({what})") for one in wrong]
        keys = copy.deepcopy(keys)
        known = [field.name for field in dataclasses.fields(kinds[kind])]
        complete = [
            _read_as(keys, one.path, meant_key(one.path[-1], known))
            or (one.message.startswith("unknown key") and _drop(keys, one.path))
            for one in wrong
        ]
        raise CaseProblems(*found, *(_inner_problems(make, table, keys, path) if all(complete) else ()))
    try:
        return make()
    except InputError as err:
        first = problem_of(err)
        if isinstance(err, PluginError) or not _inside(table, first.path, path):
            raise
        keys = copy.deepcopy(keys)
        raise CaseProblems(*_inner_problems(make, table, keys, path)) from err


def _inner_problems(
    make: Callable[[], Any], table: Mapping[str, Any], keys: dict[str, Any], path: KeyPath
) -> list[Problem]:
    """Return the problems of the values of a part, and of its tables.

    The part is made until its first error; this is repeated with a misspelt key read as the one that is meant, and
    without a key that is none; further errors of a table without it are consequences.

    Parameters
    ----------
    make : callable
        Makes the part of ``keys``.
    table : mapping
        As in the file; errors about anything else are consequences of others.
    keys : dict
        Is changed.
    path : tuple
        Place of the table in the file.
    """
    found: list[Problem] = []
    incomplete: set[KeyPath] = set()
    while True:
        try:
            make()
        except InputError as err:
            one = problem_of(err)
            unknown = one.message.startswith("unknown key")
            follows = not unknown and (one.path in incomplete or one.path[:-1] in incomplete)
            if not _inside(table, one.path, path) or one in found or follows:
                return found
            found.append(one)
            place = one.path[len(path) :]
            if _read_as(keys, place, err.meant):
                continue
            if unknown and _drop(keys, place):
                incomplete.add(one.path[:-1])
                continue
        except ArithmeticError:
            pass
        return found


def _inside(table: Mapping[str, Any], place: KeyPath, path: KeyPath) -> bool:
    """Return whether a place in the file is one in a table at ``path``."""
    try:
        _item(table, place[len(path) :])
    except (KeyError, IndexError, TypeError):
        return False
    return len(place) > len(path) and place[: len(path)] == path


def _item(table: Any, place: KeyPath) -> Any:
    for key in place:
        table = table[key]
    return table


def _read_as(table: Any, place: KeyPath, meant: str) -> bool:
    """Rename a key to the one that is meant, if that is known and free; return whether it could be."""
    *above, key = place
    try:
        holder = _item(table, tuple(above))
        if not meant or meant in holder or key not in holder:
            return False
        holder[meant] = holder.pop(key)
    except (KeyError, IndexError, TypeError, AttributeError):
        return False
    return True


def _drop(table: Any, place: KeyPath) -> bool:
    """Remove a key; return whether it could be."""
    *above, key = place
    try:
        del _item(table, tuple(above))[key]
    except (KeyError, IndexError, TypeError):
        return False
    return True


def _of_another(wrong: Problem, kinds: Mapping[str, type], chooser: str) -> Problem:
    """Return the problem of an unknown key; one that other schemes know is named as their option."""
    key = wrong.path[-1] if wrong.path else None
    known = [name for name, cls in kinds.items() if any(field.name == key for field in dataclasses.fields(cls))]
    if chooser != "name" or not known or not wrong.message.startswith("unknown key"):
        return wrong
    message = f"is an option of {', '.join(known)} only; remove it"
    return replace(wrong, message=message)


class _Keys(Table):
    model_config = ConfigDict(strict=True)


@cache
def _keys(cls: Any, chooser: str) -> type[Table]:
    """Return the keys of a table with pydantic's types; for a scheme with its own types, since parts check values."""
    hints = get_type_hints(cls) if chooser == "name" else {}
    keys: dict[str, Any] = {chooser: (Any, ...)}
    for key in dataclasses.fields(cls):
        if key.init and key.name != "name":
            needed = key.default is key.default_factory is dataclasses.MISSING
            keys[key.name] = (hints.get(key.name, Any), ... if needed else None)
    return create_model(cls.__name__, __base__=_Keys, **keys)
