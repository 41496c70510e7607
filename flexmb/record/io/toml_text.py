"""From TOML text to its tree, within bounds: input that would exhaust stack or time is rejected with its line.

``tomllib`` is recursive in the nesting levels, has quadratic cost in the number of parts of a dotted key, and passes
integers of thousands of digits to Python, which refuses them without a line number.
"""

from __future__ import annotations

import re
import tomllib
from typing import Any

from flexmb.errors import readable

MOST_LEVELS = 32
"""Maximum number of levels of tables and lists; a case has five or six."""
_STRINGS = re.compile(r"""\"{3}(?:[^\\]|\\.)*?\"{3}|'{3}.*?'{3}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|\#[^\n]*""", re.DOTALL)
_KEY = re.compile(rf"(?<![\w-])[\w-]++(?:[ \t]*+\.[ \t]*+[\w-]++){{{MOST_LEVELS},}}")
_BRACKET = re.compile(r"[][{}\n]")
_NUMBER = re.compile(r"(?<![\w.])[+-]?+\d(?:_?\d){4299,}+")


def without_strings(text: str) -> str:
    """Return TOML text with strings and comments emptied; every line keeps its number."""

    def empty(match: re.Match[str]) -> str:
        return "\n" * match.group().count("\n") or "_" * (not match.group().startswith("#"))

    return _STRINGS.sub(empty, text)


def comments_of(text: str) -> dict[int, tuple[int, str]]:
    """Return the comments of a TOML text by line, from 1: the column of the start, and the text."""
    out: dict[int, tuple[int, str]] = {}
    for match in _STRINGS.finditer(text):
        if match.group().startswith("#"):
            first = text.rfind("\n", 0, match.start()) + 1
            out[text.count("\n", 0, match.start()) + 1] = (match.start() - first, match.group().rstrip())
    return out


class TooMuch(ValueError):
    """TOML that is nested too deep, or has a number that is too long."""


def toml_tree(text: str) -> dict[str, Any]:
    """Return the tree of a TOML text.

    Raises
    ------
    TooMuch
        If it has too many levels or a number that is too long; the message gives the line.
    tomllib.TOMLDecodeError
        If it is not valid TOML. Both are subclasses of ValueError.
    """
    bare = without_strings(text)
    _check_levels(bare)
    try:
        tree = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except ValueError as err:  # raised by int()
        raise _too_long(bare, err) from None
    if path := _too_deep(tree):
        raise TooMuch(f"{readable('.'.join(path))} has more than {MOST_LEVELS} levels of tables and lists")
    return tree


def _check_levels(bare: str) -> None:
    """Refuse long dotted keys and deep brackets before they are parsed."""
    if key := _KEY.search(bare):
        count = len(re.findall(r"\.", key.group())) + 1
        line = bare.count("\n", 0, key.start()) + 1
        words = f"line {line}: the key {readable(key.group())} has {count} parts; at most {MOST_LEVELS} are possible"
        raise TooMuch(words)
    depth, line = 0, 1
    for sign in _BRACKET.findall(bare):
        if sign == "\n":
            line += 1
        depth = max(0, depth + (sign in "[{") - (sign in "]}"))
        if depth > MOST_LEVELS:
            raise TooMuch(f"line {line}: tables and lists are nested more than {MOST_LEVELS} levels deep")


def _too_long(bare: str, err: ValueError) -> TooMuch:
    found = _NUMBER.search(bare)
    if found is None:
        return TooMuch(str(err))
    line, digits = bare.count("\n", 0, found.start()) + 1, sum(c.isdigit() for c in found.group())
    number = readable(found.group()).strip("'")
    return TooMuch(f"line {line}: the number {number} has {digits} digits; an integer has at most 64 bits")


def _too_deep(tree: dict[str, Any]) -> list[str]:
    """Return the first path with too many levels; empty if there is none."""
    left: list[tuple[list[str], Any]] = [([], tree)]
    while left:
        path, node = left.pop()
        entries = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
        for key, inner in entries:
            if isinstance(inner, dict | list):
                if len(path) >= MOST_LEVELS:
                    return [*path, str(key)]
                left.append(([*path, str(key)], inner))
    return []
