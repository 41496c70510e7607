"""Errors of a case file: file, line, table, key, value and allowed values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from flexmb.case.toml_lines import Path as KeyPath
from flexmb.case.toml_lines import line_numbers, line_of
from flexmb.errors import InputError, PluginError, readable, shortened


class CaseError(InputError):
    """One or more errors of a case file; ``str`` gives the complete message."""

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True)
class Problem:
    """One error: its path in the tree, the value, and the message."""

    path: KeyPath
    message: str
    value: Any = None
    has_value: bool = True


@dataclass(frozen=True)
class Origin:
    """Origin of a case, for error messages.

    Parameters
    ----------
    file : Path
    text : str
        The TOML text.
    overridden : mapping of paths to str
        Keys given elsewhere, and where: ``--set`` for the command line. They have no line number.
    """

    file: Path
    text: str
    overridden: Mapping[KeyPath, str] = field(default_factory=dict)

    def error(self, problems: Iterable[Problem]) -> CaseError:
        """Return the error that lists all problems."""
        found = line_numbers(self.text)
        lines = [self._one(problem, found) for problem in problems]
        if len(lines) == 1:
            return CaseError(f"{self.file}, {lines[0]}")
        return CaseError("\n  ".join([f"{self.file}: {len(lines)} errors", *lines]))

    def wrap(self, err: InputError) -> InputError:
        """Return an error raised by a part, a scheme or the assembly with file and line added; not one of a plug-in."""
        if isinstance(err, PluginError):
            return err
        problem = problem_of(err)
        return self.error([problem]) if problem.path else CaseError(f"{self.file}: {err.message}")

    def _one(self, problem: Problem, found: dict[KeyPath, int]) -> str:
        place = shortened(dotted(problem.path))
        given = next((said for path, said in self.overridden.items() if problem.path[: len(path)] == path), "")
        number = None if given else line_of(found, problem.path)
        words = f"{given}: " if given else f"line {number}: " if number else ""
        shown = f"{place} = {readable(problem.value)}" if problem.has_value else place
        return f"{words}{shown}: {problem.message}"


def problem_of(err: InputError) -> Problem:
    """Return an error raised by a part, a scheme or the assembly as a problem of the file."""
    path: list[str | int] = []
    for part in (*err.where.split("."), err.key):
        name, bracket, index = part.partition("[")
        path += [name] if name else []
        path += [int(index.rstrip("]"))] if bracket and index.rstrip("]").isdecimal() else []
    return Problem(tuple(path), err.message, err.value, err.value is not None)


def dotted(path: KeyPath) -> str:
    """Return a path as users write it."""
    return ".".join(str(part) for part in path)
