"""Kinds of parts found by the files that hold them: a new kind is known because its file exists."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable
from typing import Any


def kinds_of(package: str, path: Iterable[str], role: str) -> dict[str, type[Any]]:
    """Return the parts of a package by the word that case files use for them.

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
    # parts of small motion first
    return dict(sorted(found.items(), key=lambda item: (getattr(item[1], "large_motion", False) is True, item[0])))
