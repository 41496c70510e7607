"""Keyword arguments in Python, answered as keys of case files are."""

from __future__ import annotations

import functools
import inspect
from typing import Any

from flexmb.checks.values import unknown_key
from flexmb.errors import InputError


@functools.cache
def _parameters(made: Any) -> list[str]:
    """Return the names of the arguments of an ``__init__``."""
    return list(inspect.signature(made).parameters)[1:]


def answer_unknown_keywords(cls: type[Any]) -> None:
    """Make a class report an unknown keyword like a case file: with the nearest known key."""
    made = cls.__init__

    @functools.wraps(made)
    def checked(self: Any, *args: Any, **keys: Any) -> None:
        for key, value in keys.items():
            if key not in _parameters(made):
                known = [name for name in _parameters(made) if name != "name"]
                raise InputError(unknown_key(key, known), where=f"{cls.__name__}(..)", key=key, value=value)
        made(self, *args, **keys)

    cls.__init__ = checked
