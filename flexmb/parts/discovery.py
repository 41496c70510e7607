"""Kinds of parts found as modules of their package, or by entry points of other packages."""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
from collections.abc import Iterable
from typing import Any

from flexmb.checks.plugins import Registry, part_word
from flexmb.checks.values import unknown_key
from flexmb.errors import InputError


def kinds_of(package: str, path: Iterable[str], role: str) -> Registry:
    """Return the parts of a package, and those of plug-ins, by their names in case files.

    Parameters
    ----------
    package : str
        Its dotted name.
    path : iterable of str
        Its ``__path__``.
    role : str
        A part is a class with this ``role`` and a ``kind``.
    """
    found: dict[str, type[Any]] = {}
    for module in pkgutil.iter_modules(path):
        name = f"{package}.{module.name}"
        for cls in vars(importlib.import_module(name)).values():
            if not isinstance(cls, type) or cls.__module__ != name or getattr(cls, "role", None) != role:
                continue
            if isinstance(kind := getattr(cls, "kind", None), str):
                assert kind not in found, f"{cls} and {found[kind]} are both of kind {kind}"
                found[kind] = cls
                _answer_unknown_keys(cls)
    # parts of small motion first
    return Registry(found, role, part_word(role), _order)


def _answer_unknown_keys(cls: type[Any]) -> None:
    """Let a part report an unknown keyword in Python like one in a case file: with the suggested key."""
    made = cls.__init__
    known = [name for name in inspect.signature(cls).parameters if name != "name"]

    @functools.wraps(made)
    def checked(self: Any, *args: Any, **keys: Any) -> None:
        for key in keys:
            if key != "name" and key not in known:
                raise InputError(unknown_key(key, known), where=f"{cls.__name__}(..)", key=key)
        made(self, *args, **keys)

    cls.__init__ = checked


def _order(item: tuple[str, Any]) -> tuple[bool, str]:
    return getattr(item[1], "large_motion", False) is True, item[0]
