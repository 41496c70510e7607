"""Line numbers of keys in a TOML text, for error messages (tomllib does not provide them)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from flexmb.record.io.toml_text import without_strings

Path = tuple[str | int, ...]
_HEADER = re.compile(r"\s*(\[\[?)\s*(.+?)\s*\]\]?\s*(#.*)?$")
_KEY = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
_WORD = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")
LONGEST_HEADER = 2000
"""Longer lines are not treated as table headers: matching them could take long."""


def line_numbers(text: str) -> dict[Path, int]:
    """Return the line (from 1) of every table header and key; keys of inline tables have the line of their table.

    Tables of an array have their index in the path: ``("expect", 0, "value")``.
    """
    found: dict[Path, int] = {}
    counts: dict[Path, int] = {}
    table: Path = ()
    depth = 0  # inside a bracket that runs over several lines there are no keys of tables
    for number, raw, bare in _lines(text):
        if depth == 0 and (header := _header(bare)):
            table = _numbered(tuple(words(header.group(2))), header.group(1) == "[[", counts)
            found.setdefault(table, number)
            continue
        if depth == 0 and bare.strip() and (key := _KEY.match(raw)):
            path = table + tuple(words(key.group(1)))
            for end in range(len(table) + 1, len(path) + 1):
                found.setdefault(path[:end], number)
        depth = max(0, depth + sum(bare.count(c) for c in "[{") - sum(bare.count(c) for c in "]}"))
    return found


def line_of(found: dict[Path, int], path: Path) -> int | None:
    """Return the line of ``path``, or of the nearest table around it."""
    for end in range(len(path), 0, -1):
        if path[:end] in found:
            return found[path[:end]]
    return None


def words(dotted: str) -> list[str]:
    """Return the parts of a dotted key, without quotes."""
    return [word.strip("\"'") for word in _WORD.findall(dotted)]


def _header(line: str) -> re.Match[str] | None:
    return _HEADER.match(line) if len(line) <= LONGEST_HEADER else None


def _lines(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield (number, the line, the line with strings and comments emptied)."""
    # headers may hold quoted names; lines inside a multi-line string come out empty
    bare = without_strings(text).splitlines()
    for number, (raw, line) in enumerate(zip(text.splitlines(), bare, strict=False), start=1):
        yield number, raw, raw if line.strip() and _header(raw) else line


def _numbered(names: tuple[str, ...], is_array: bool, counts: dict[Path, int]) -> Path:
    """Return the path of a table header with the indices of the arrays it contains."""
    path: Path = ()
    for k, name in enumerate(names):
        path = (*path, name)
        if is_array and k == len(names) - 1:
            counts[path] = counts.get(path, -1) + 1
        if path in counts:
            path = (*path, counts[path])
    return path
