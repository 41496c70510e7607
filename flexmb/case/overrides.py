"""``--set a.b.c=VALUE``: keys of a case given on the command line."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from typing import Any

from flexmb.case.toml_lines import Path, words
from flexmb.errors import InputError


def parse_override(text: str) -> tuple[Path, Any]:
    """Return (path, value) of one ``KEY=VALUE``; VALUE is read as TOML, or else taken as a string."""
    key, equals, shown = text.partition("=")
    names = words(key)
    if not equals or not names or ".".join(names) != key.replace('"', "").replace("'", "").replace(" ", ""):
        raise InputError("must read KEY=VALUE, for example time.step=1e-4", where="--set", value=text)
    return tuple(int(name) if name.isdigit() else name for name in names), _value(shown.strip())


def _value(shown: str) -> Any:
    try:
        parsed = tomllib.loads(f"v = {shown}")
    except tomllib.TOMLDecodeError:
        return shown
    # a line break in the value could smuggle in further keys; then it is just a string
    return parsed["v"] if set(parsed) == {"v"} else shown


def apply_overrides(data: dict[str, Any], overrides: Iterable[tuple[Path, Any]]) -> None:
    """Set the given keys in the tree of a case, in place; tables that are missing are made."""
    for path, item in overrides:
        node: Any = data
        for depth, part in enumerate(path[:-1]):
            node = _child(node, part, path[: depth + 1])
        _child(node, path[-1], path, item)


_NOTHING = object()


def _child(node: Any, part: str | int, path: Path, item: Any = _NOTHING) -> Any:
    """Return ``node[part]``, or set it to ``item``; names look into tables, indices into arrays."""
    place = ".".join(str(p) for p in path)
    if isinstance(node, list):
        if not isinstance(part, int) or part >= len(node):
            raise InputError(f"there is no such entry; the array has {len(node)} of them, counted from 0", where=place)
    elif isinstance(node, dict):
        part = str(part)
        node.setdefault(part, {})
    else:
        raise InputError("does not stand in a table", where=place)
    if item is not _NOTHING:
        node[part] = item
    return node[part]
