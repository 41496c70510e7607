"""Writes a case back as TOML.

Our own writer, because a case is a small tree of numbers, strings and lists: a short module, no further
dependency, numbers written so that they are read back to the same bit, and tables laid out as people write them
(small tables inline).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\b": "\\b", "\f": "\\f"}


def to_toml(data: Mapping[str, Any], inline: frozenset[str] = frozenset()) -> str:
    """Return ``data`` as TOML text.

    Parameters
    ----------
    data : mapping
        Tables, lists, strings, booleans, integers, floats; entries that are None are omitted.
    inline : frozenset of str
        Keys whose tables are written on one line, ``section = { area = 1.0 }``.
    """
    lines: list[str] = []
    _table(data, (), lines, inline)
    return "\n".join(lines).strip("\n") + "\n"


def _table(data: Mapping[str, Any], path: tuple[str, ...], lines: list[str], inline: frozenset[str]) -> None:
    own = {key: item for key, item in data.items() if item is not None and not _is_table(key, item, inline)}
    if path and (own or not data):
        lines += ["", f"[{_dotted(path)}]"]
    lines += [f"{_key(key)} = {value(item)}" for key, item in own.items()]
    for key, item in data.items():
        if isinstance(item, Mapping) and key not in inline:
            _table(item, (*path, key), lines, inline)
        elif _is_table(key, item, inline):
            for entry in item:
                lines += ["", f"[[{_dotted((*path, key))}]]"]
                lines += [f"{_key(k)} = {value(v)}" for k, v in entry.items() if v is not None]


def _is_table(key: str, item: Any, inline: frozenset[str]) -> bool:
    if key in inline:
        return False
    return isinstance(item, Mapping) or (isinstance(item, list) and bool(item) and isinstance(item[0], Mapping))


def value(item: Any) -> str:
    """Return one value as TOML."""
    if isinstance(item, bool):
        return "true" if item else "false"
    if isinstance(item, str):
        return '"' + "".join(_ESCAPES.get(c, c if c.isprintable() else f"\\U{ord(c):08x}") for c in item) + '"'
    if isinstance(item, Mapping):
        pairs = [f"{_key(k)} = {value(v)}" for k, v in item.items() if v is not None]
        return "{ " + ", ".join(pairs) + " }" if pairs else "{}"
    if isinstance(item, list | tuple):
        return "[" + ", ".join(value(v) for v in item) + "]"
    if isinstance(item, int):
        return str(item)
    if isinstance(item, float):
        return repr(item)
    raise TypeError(f"a case cannot contain a {type(item).__name__}: {item!r}")


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else value(key)


def _dotted(path: tuple[str, ...]) -> str:
    return ".".join(_key(part) for part in path)
