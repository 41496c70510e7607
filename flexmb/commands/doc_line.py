"""The first line of a docstring, which is the help of a command or a scheme: also where Python dropped it (``-OO``)."""

from __future__ import annotations

import ast
import inspect
import sys
from textwrap import dedent
from types import ModuleType


def doc_line(thing: ModuleType | type) -> str:
    """Return the first line of the docstring of a module or class; empty if there is none."""
    dropped = sys.flags.optimize > 1  # dataclasses without one get a docstring generated from their fields
    text = (_from_source(thing) if dropped else thing.__doc__) or ""
    return text.strip().partition("\n")[0].strip()


def _from_source(thing: ModuleType | type) -> str:
    """Return the docstring read from the source file."""
    try:
        node: ast.AST = ast.parse(dedent(inspect.getsource(thing)))
    except (OSError, TypeError, SyntaxError):  # the source is not available
        return ""
    if isinstance(thing, type) and isinstance(node, ast.Module):
        node = node.body[0]
    return ast.get_docstring(node) or "" if isinstance(node, ast.Module | ast.ClassDef) else ""
