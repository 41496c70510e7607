"""The first line of a docstring, which is the help of a command or a scheme: also where Python dropped it (``-OO``)."""

from __future__ import annotations

import ast
import inspect
import sys
from textwrap import dedent
from types import ModuleType


def doc_line(thing: ModuleType | type) -> str:
    """Return the first line of the docstring of a module or a class; empty when there is none."""
    dropped = sys.flags.optimize > 1  # dataclasses then have one made up from their fields
    text = (_from_source(thing) if dropped else thing.__doc__) or ""
    return text.strip().partition("\n")[0].strip()


def _from_source(thing: ModuleType | type) -> str:
    """Return the docstring as the source file has it."""
    try:
        node: ast.AST = ast.parse(dedent(inspect.getsource(thing)))
    except (OSError, TypeError, SyntaxError):  # no source at hand
        return ""
    if isinstance(thing, type) and isinstance(node, ast.Module):
        node = node.body[0]
    return ast.get_docstring(node) or "" if isinstance(node, ast.Module | ast.ClassDef) else ""
