"""Kinds of parts found as modules of their package, or by entry points of other packages."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable
from typing import Any

from flexmb.checks.keywords import answer_unknown_keywords
from flexmb.checks.plugins import Registry, part_word


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
                answer_unknown_keywords(cls)
    # parts of small motion first
    return Registry(found, role, part_word(role), _order)


def _order(item: tuple[str, Any]) -> tuple[bool, str]:
    return getattr(item[1], "large_motion", False) is True, item[0]
