"""Tables whose keys depend on their kind: bodies, joints, loads, contacts, and the scheme.

The parts are dataclasses that check their own values, and their arguments are the keys of the file; so nothing is
written down twice, and a new kind is known here because its file exists.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from flexmb.bodies import KINDS as BODIES
from flexmb.case.problems import Problem, problem_of
from flexmb.case.shipped import find_mesh, missing_mesh
from flexmb.case.toml_lines import Path as KeyPath
from flexmb.contacts import KINDS as CONTACTS
from flexmb.errors import InputError
from flexmb.fem.checks import unknown_key
from flexmb.joints import KINDS as JOINTS
from flexmb.loads import KINDS as LOADS
from flexmb.schemes import SCHEMES

KINDS: dict[str, Mapping[str, type]] = {"bodies": BODIES, "joints": JOINTS, "loads": LOADS, "contacts": CONTACTS}
"""Kinds of parts by the table they stand in; parts are added to the model in this order."""

TOO_LARGE = "holds numbers too large or too small to compute with"

_TYPES: dict[str, tuple[type | tuple[type, ...], str]] = {
    "bool": (bool, "must be true or false"),
    "int": (int, "must be a whole number"),
    "float": ((int, float), "must be a number"),
    "str": (str, "must be a text in quotes"),
}


def read_parts(data: Mapping[str, Any], folder: Path, problems: list[Problem]) -> list[Any]:
    """Return all parts of a case; what is wrong goes to ``problems``.

    Parameters
    ----------
    data : mapping
        The whole case.
    folder : Path
        Where mesh files are looked up first.
    """
    parts = []
    for role, kinds in KINDS.items():
        tables = data.get(role, {})
        if not isinstance(tables, Mapping):
            problems.append(Problem((role,), f"must be tables [{role}.NAME]", tables))
            continue
        for name, table in tables.items():
            try:
                parts.append(_read_part(role, name, table, kinds, folder))
            except _Wrong as wrong:
                problems.extend(wrong.problems)
            except InputError as err:
                about_name = (err.where, err.key) == (role, "name")
                problems.append(Problem((role, name), err.message, has_value=False) if about_name else problem_of(err))
            except ArithmeticError:
                problems.append(Problem((role, name), TOO_LARGE, has_value=False))
    return parts


def read_scheme(table: Any, problems: list[Problem]) -> Any:
    """Return the scheme of a case, or None when something is wrong with it."""
    try:
        name = _kind(table, "name", ("scheme",), SCHEMES)
        cls = SCHEMES[name]
        params = {key: value for key, value in table.items() if key != "name"}
        _check_keys(params, cls, ("scheme",), "name", f"scheme '{name}'")
        _check_types(params, cls)
        return cls(**params)
    except _Wrong as wrong:
        problems.extend(wrong.problems)
    except InputError as err:
        problems.append(problem_of(err))
    except ArithmeticError:
        problems.append(Problem(("scheme",), TOO_LARGE, has_value=False))
    return None


def defaults_of(part: Any) -> dict[str, Any]:
    """Return the arguments of a part or scheme that are plain values: numbers, words, and lists of them."""
    values = {f.name: getattr(part, f.name) for f in dataclasses.fields(part) if f.init and f.name != "name"}
    return {key: list(v) if isinstance(v, tuple) else v for key, v in values.items() if _is_plain(v)}


def _is_plain(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return bool(value) and all(_is_plain(item) for item in value)
    return isinstance(value, bool | int | float | str)


class _Wrong(Exception):  # noqa: N818
    def __init__(self, problems: list[Problem]) -> None:
        super().__init__()
        self.problems = problems


def _read_part(role: str, name: str, table: Any, kinds: Mapping[str, type], folder: Path) -> Any:
    path: KeyPath = (role, name)
    cls = kinds[_kind(table, "kind", path, kinds)]
    values = {key: value for key, value in table.items() if key != "kind"}
    _check_keys(values, cls, path, "kind", f"kind '{table['kind']}'")
    if isinstance(values.get("mesh"), str):
        values["mesh"] = os.path.abspath(find_mesh(values["mesh"], folder))
        if words := missing_mesh(Path(values["mesh"])):
            raise _Wrong([Problem((*path, "mesh"), words, values["mesh"])])
    return cls(name=name, **values)


def _kind(table: Any, key: str, path: KeyPath, kinds: Mapping[str, type]) -> str:
    """Return the word that chooses the class."""
    if not isinstance(table, Mapping):
        raise _Wrong([Problem(path, "must be a table", table)])
    if key not in table:
        message = f"{key} is missing; allowed: {', '.join(kinds)}"
        raise _Wrong([Problem(path, message, has_value=False)])
    value = table[key]
    if not isinstance(value, str) or value not in kinds:
        message = unknown_key(value, kinds).replace("unknown key", f"unknown {key}")
        raise _Wrong([Problem((*path, key), message, value)])
    return value


def _check_keys(values: Mapping[str, Any], cls: Any, path: KeyPath, chooser: str, what: str) -> None:
    fields = [f for f in dataclasses.fields(cls) if f.init and f.name != "name"]
    names = [chooser, *(f.name for f in fields)]
    wrong = [Problem((*path, k), f"{unknown_key(k, names)} ({what})", v) for k, v in values.items() if k not in names]
    needed = [f.name for f in fields if f.default is f.default_factory is dataclasses.MISSING]
    wrong += [Problem((*path, key), f"is missing ({what})", has_value=False) for key in needed if key not in values]
    if wrong:
        raise _Wrong(wrong)


def _check_types(values: Mapping[str, Any], cls: Any) -> None:
    """Check a scheme's parameters against their annotations; ranges are the scheme's own affair."""
    hints = {field.name: str(field.type) for field in dataclasses.fields(cls)}
    wrong = []
    for key, value in values.items():
        allowed, message = _TYPES.get(hints[key].split(" ")[0], (object, ""))
        if not isinstance(value, allowed) or (isinstance(value, bool) and allowed is not bool):
            wrong.append(Problem(("scheme", key), message, value))
    if wrong:
        raise _Wrong(wrong)
