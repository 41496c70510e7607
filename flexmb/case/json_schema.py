"""The JSON schemas of case files and of other files of tables, for completion and checks in editors.

It is generated from the pydantic tables and the dataclasses of the parts that read the files, so a new kind of part is
included automatically. A schema covers keys and types; the consistency of values is checked by ``flexmb validate``.
"""

from __future__ import annotations

import dataclasses
import inspect
import sys
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any, Literal, get_args, get_origin

import numpy as np

from flexmb.assembly.node_ref import NodeRef
from flexmb.case.parameter_docs import parameter_docs
from flexmb.case.part_tables import KINDS
from flexmb.case.schema import CaseTables, Table
from flexmb.parts.bodies import Beam
from flexmb.parts.called_function import Called
from flexmb.parts.contacts.contact_rows import Motion
from flexmb.parts.contacts.curve_pieces import PIECES, Piece
from flexmb.parts.time_functions import KINDS as FUNCTIONS
from flexmb.schemes import SCHEMES

DRAFT = "http://json-schema.org/draft-07/schema#"
"""Draft 7, the version that taplo and the editors based on it support."""

ROLES = {
    "bodies": "Bodies, [bodies.NAME].",
    "joints": "Joints between bodies, [joints.NAME].",
    "loads": "Loads on bodies, [loads.NAME].",
    "contacts": "Contacts of bodies, [contacts.NAME].",
}

Schema = dict[str, Any]


def file_schema(tables: type[Table], title: str, description: str) -> Schema:
    """Return the schema of a file that is read into these tables."""
    found = tables.model_json_schema(ref_template="#/definitions/{model}")
    return {
        "$schema": DRAFT,
        "title": title,
        "description": description,
        "type": "object",
        "additionalProperties": False,
        "required": sorted(found["required"]),
        "properties": found["properties"],
        "definitions": found.get("$defs", {}),
    }


def case_schema() -> Schema:
    """Return the schema of a case file."""
    words = "Flexible multibody dynamics with hard unilateral contact: one case."
    schema = file_schema(CaseTables, "flexmb case file", words)
    properties, definitions = schema["properties"], schema["definitions"]
    properties["scheme"] = {"description": "Time integration scheme.", **_one_of("name", SCHEMES)}
    for role, kinds in KINDS.items():
        parts = _one_of("kind", kinds)
        properties[role] = {"type": "object", "description": ROLES[role], "additionalProperties": parts}
    definitions["time_function"] = {"anyOf": [{"type": "number"}, _one_of("kind", FUNCTIONS)]}
    schema["required"] = sorted({*schema["required"], "scheme"})
    return schema


def _one_of(chooser: str, kinds: Mapping[str, type]) -> Schema:
    """Return the schema of tables whose keys depend on the value of ``chooser``."""
    return {
        "type": "object",
        "required": [chooser],
        "properties": {chooser: {"enum": list(kinds)}},
        "oneOf": [_table(cls, {chooser: {"const": name}}) for name, cls in kinds.items()],
    }


def _table(cls: type, chooser: Schema) -> Schema:
    """Return a table with the keys of a class, and those that choose it."""
    # other beams inherit the keys of a beam and document only their own
    words, first = parameter_docs(Beam) | parameter_docs(cls), (cls.__doc__ or "").strip().split("\n\n")[0]
    properties: Schema = dict(chooser)
    required = list(chooser)
    for name, annotation, needed in _keys(cls):
        properties[name] = {**_annotated(annotation, cls), "description": words.get(name, "")}
        required += [name] if needed else []
    title = " ".join(first.split()).replace("``", "`")
    return {
        "type": "object",
        "description": title,
        "required": required,
        "properties": properties,
        "additionalProperties": False,
    }


def _keys(cls: type) -> Iterable[tuple[str, Any, bool]]:
    """Yield the keys of a table, their annotations, and whether they must be given."""
    for parameter in inspect.signature(cls).parameters.values():
        if parameter.name != "name":
            yield parameter.name, parameter.annotation, parameter.default is parameter.empty


def _annotated(annotation: Any, cls: type) -> Schema:
    """Return the schema of a key from its annotation, which may be text; one that cannot be read allows everything."""
    if isinstance(annotation, str):
        names: dict[str, Any] = {}
        for base in reversed(cls.__mro__):  # an inherited key is annotated in the module of its class
            names |= vars(sys.modules[base.__module__])
        try:
            annotation = eval(annotation, names)  # our own source, never a case file
        except NameError:
            return {}
    return _any_of(_schemas(annotation))


def _schemas(hint: Any) -> list[Schema]:
    """Return the schemas of the TOML values that a type hint allows, most specific first."""
    plain: dict[Any, Schema] = {
        bool: {"type": "boolean"},
        int: {"type": "integer"},
        float: {"type": "number"},
        str: {"type": "string"},
    }
    origin, args = get_origin(hint), get_args(hint)
    if hint in plain:
        return [plain[hint]]
    if origin in (typing.Union, types.UnionType):
        return _union(args)
    if origin is Literal:
        return [{"enum": list(args)}]
    if isinstance(hint, type) and issubclass(hint, PurePath | NodeRef):
        return [{"type": "string"}]
    if isinstance(hint, type) and (hint in FUNCTIONS.values() or hint is Motion):
        return [{"$ref": "#/definitions/time_function"}]
    if hint is Piece:
        return [_one_of("kind", PIECES)]
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return [_table(hint, {})]
    container = origin or hint
    if isinstance(container, type) and issubclass(container, Mapping):
        values = _any_of(_schemas(args[1])) if args else {}
        return [{"type": "object", **({"additionalProperties": values} if values else {})}]
    if container is np.ndarray:
        return [{"type": "array"}]
    if isinstance(container, type) and issubclass(container, Sequence | tuple):
        items = _any_of(_schemas(args[0])) if args else {}
        return [{"type": "array", **({"items": items} if items else {})}]
    return [{}]


def _union(args: Sequence[Any]) -> list[Schema]:
    """Return the schema of a union of hints; a table with known keys replaces a generic mapping."""
    found: list[Schema] = []
    for schema in (schema for arg in args if not _never_in_files(arg) for schema in _schemas(arg)):
        if schema not in found:
            found.append(schema)
    known = any("properties" in schema or "$ref" in schema for schema in found)
    found = [schema for schema in found if not (known and schema == {"type": "object"})]
    arrays = any(schema.get("type") == "array" and "items" in schema for schema in found)
    return [schema for schema in found if not (arrays and schema == {"type": "array"})]


def _never_in_files(hint: Any) -> bool:
    """Return whether a hint has no TOML equivalent: functions and None."""
    return hint in (type(None), Called) or get_origin(hint) is Callable


def _any_of(schemas: list[Schema]) -> Schema:
    """Return a schema that allows any of these."""
    if not schemas or {} in schemas:
        return {}
    return dict(schemas[0]) if len(schemas) == 1 else {"anyOf": schemas}
