"""Descriptions of the keys of a part, from its docstring."""

from __future__ import annotations

import inspect
import re

ENTRY = re.compile(r"^(?P<names>\w+(?:, \w+)*) ?:(?P<type>.*)$")


def parameter_docs(cls: type) -> dict[str, str]:
    """Return the descriptions in the "Parameters" sections of a class and its bases, by the name of the parameter."""
    found: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        found |= _entries(inspect.cleandoc(base.__dict__.get("__doc__") or ""))
    return found


def _entries(text: str) -> dict[str, str]:
    """Return the entries of the "Parameters" section of a numpydoc text."""
    lines = text.splitlines()
    starts = [k + 2 for k in range(len(lines) - 1) if lines[k] == "Parameters" and set(lines[k + 1]) == {"-"}]
    found: dict[str, list[str]] = {}
    names: list[str] = []
    for k in range(starts[0] if starts else len(lines), len(lines)):
        if k + 1 < len(lines) and lines[k + 1] and set(lines[k + 1]) == {"-"}:
            break  # the title of the next section
        entry = ENTRY.match(lines[k])
        if entry:
            names = entry["names"].split(", ")
            found |= {name: [] for name in names}
        elif lines[k].startswith("    "):
            for name in names:
                found[name].append(lines[k].strip())
    return {name: " ".join(words).replace("``", "`") for name, words in found.items()}
