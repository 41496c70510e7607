"""Fixed tables of a file, checked by pydantic, with flexmb error messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from flexmb.case.problems import Problem, dotted
from flexmb.case.toml_lines import Path as KeyPath
from flexmb.checks.values import unknown_key
from flexmb.errors import InputError, readable

M = TypeVar("M", bound=BaseModel)

_WORDS = {
    "model_type": "must be a table",
    "string_type": "must be a text",
    "list_type": "must be a list",
    "float_type": "must be a number",
    "int_type": "must be an integer",
    "bool_type": "must be true or false",
    "greater_than_equal": "must be at least {ge}",
    "greater_than": "must be greater than {gt}",
}
"""Messages by the error type of pydantic."""


def read_tables(model: type[M], data: Mapping[str, Any], problems: list[Problem], also: Sequence[str] = ()) -> M | None:
    """Return the tables of a file, or None; errors are added to ``problems``.

    Parameters
    ----------
    model : class
        The allowed tables of the file.
    data : mapping
    problems : list of Problem
    also : sequence of str
        Tables of the file that are read elsewhere; they are listed among the allowed ones.
    """
    try:
        return model.model_validate(data)
    except ValidationError as err:
        problems.extend(_problem(dict(item), model, also) for item in err.errors(include_url=False))
        return None


def require_tables(model: type[M], data: Any, name: str) -> M:
    """Return the tables of a file written by flexmb; InputError, which refers to it as ``name``, if it was damaged."""
    problems: list[Problem] = []
    tables = read_tables(model, data, problems)
    if tables is None:
        first = problems[0]
        place, value = dotted(first.path) or "it", f" = {readable(first.value)}" if first.has_value else ""
        raise InputError(f"{name} is damaged: {place}{value}: {first.message}")
    return tables


def _problem(item: dict[str, Any], model: type[BaseModel], also: Sequence[str]) -> Problem:
    """Return an error of pydantic as a flexmb problem."""
    path: KeyPath = tuple(item["loc"])
    if item["type"] == "extra_forbidden":
        return Problem(path, unknown_key(path[-1], _allowed(path[:-1], model, also)), item["input"])
    if item["type"] == "missing":
        return Problem(path, "is missing", has_value=False)
    words = str(item["msg"]).removeprefix("Value error, ").replace("Input should be", "must be")
    if item["type"] in _WORDS:
        words = _WORDS[item["type"]].format(**item.get("ctx", {}))
    if item["type"] in ("too_short", "too_long"):
        wanted = item["ctx"].get("min_length", item["ctx"].get("max_length"))
        words = f"must have {wanted} entries, not {len(item['input'])}"
    whole_table = isinstance(item["input"], Mapping)
    return Problem(path, words, item["input"], has_value=not whole_table)


def _allowed(path: KeyPath, whole: type[BaseModel], also: Sequence[str]) -> list[str]:
    """Return the keys allowed in a fixed table."""
    model = whole
    for part in path:
        if isinstance(part, str) and part in (names := _names(model)):
            found = next(iter(_models(names[part].annotation)), None)
            model = found or model
    return [*_names(model), *(also if model is whole else ())]


def _names(model: type[BaseModel]) -> dict[str, Any]:
    """Return the fields of a table by their keys in the file."""
    return {field.alias or name: field for name, field in model.model_fields.items()}


def _models(annotation: Any) -> list[type[BaseModel]]:
    """Return the table classes in an annotation such as ``GravityTable | None`` or ``list[ExpectTable]``."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for inner in getattr(annotation, "__args__", ()) for model in _models(inner)]
