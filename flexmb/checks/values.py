"""Checks of user input shared by all parts: each returns the clean value or raises ``InputError``."""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from fnmatch import fnmatchcase
from typing import Any, TypeVar

import numpy as np

from flexmb.checks.foreign_keys import in_our_words, our_word
from flexmb.errors import InputError, PluginError
from flexmb.state import Array

T = TypeVar("T")


def check_name(name: object, role: str, reserved: tuple[str, ...] = ()) -> str:
    """Return ``name`` if it can be used in dotted names."""
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]*", name):
        message = "a name is letters, digits, '_' and '-', and does not begin with a digit or '-'"
        raise InputError(message, where=role, key="name", value=name)
    if name in reserved:
        raise InputError(f"this name is reserved ({', '.join(reserved)})", where=role, key="name", value=name)
    return name


def check_point_name(name: object, where: str, reserved: tuple[str, ...]) -> None:
    """Raise unless ``name`` can be used for a point of the table ``where``."""
    try:
        check_name(name, where, reserved)
    except InputError as err:
        raise InputError(err.message, where=where, key=str(name)) from None


def finite(value: object, key: str, where: str) -> float:
    """Return ``value`` as a finite float."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        raise InputError("must be a number", where=where, key=key, value=value)
    if not np.isfinite(value):
        raise InputError("must be finite", where=where, key=key, value=value)
    return float(value)


def within_a_turn(value: object, key: str, where: str) -> float:
    """Return ``value``, an orientation angle in rad, as a float; more than a full revolution suggests degrees."""
    x = finite(value, key, where)
    if abs(x) > 2.0 * np.pi * (1.0 + 1e-9):
        message = f"is an angle in rad, and more than a full revolution; {x:g} degrees are {np.radians(x):.12g} rad"
        raise InputError(message, where=where, key=key, value=value)
    return x


def positive(value: object, key: str, where: str) -> float:
    """Return ``value`` as a float > 0."""
    x = finite(value, key, where)
    if x <= 0.0:
        raise InputError("must be positive", where=where, key=key, value=value)
    return x


def nonnegative(value: object, key: str, where: str) -> float:
    """Return ``value`` as a float >= 0."""
    x = finite(value, key, where)
    if x < 0.0:
        raise InputError("must not be negative", where=where, key=key, value=value)
    return x


def whole(value: object, key: str, where: str, *, least: int) -> int:
    """Return ``value`` as an integer >= ``least``."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise InputError("must be an integer", where=where, key=key, value=value)
    if value < least:
        raise InputError(f"must be at least {least}", where=where, key=key, value=value)
    return int(value)


def numbers(value: object, key: str, where: str, words: str, shapes: tuple[tuple[int, ...], ...]) -> Array:
    """Return ``value`` as an array of finite numbers of one of the shapes; ``words`` describe them in messages."""
    try:
        given = np.asarray(value)
        x = given.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"must be {words}", where=where, key=key, value=value) from None
    # strings and booleans would be converted to numbers silently
    if x.shape not in shapes or given.dtype.kind not in "iuf":
        raise InputError(f"must be {words}", where=where, key=key, value=value)
    if not np.all(np.isfinite(x)):
        raise InputError("must be finite", where=where, key=key, value=value)
    return x


COMPONENTS = "three components, e.g. [0.0, 0.0, -9.81]"
"""What an acceleration of gravity must be."""


def acceleration(value: object) -> Array:
    """Return the acceleration of gravity as a finite (3,) array."""
    return numbers(value, "acceleration", "gravity", COMPONENTS, ((3,),))


def vector(value: object, key: str, where: str) -> Array:
    """Return ``value`` as a finite (3,) array."""
    return numbers(value, key, where, "three numbers", ((3,),))


def unit(value: object, key: str, where: str) -> Array:
    """Return ``value`` as a (3,) array of length one."""
    x = vector(value, key, where)
    # scaling by the largest entry first keeps tiny and huge vectors from under- or overflowing in the norm
    size = float(np.max(np.abs(x)))
    if size == 0.0:
        raise InputError("has zero length, so it gives no direction", where=where, key=key, value=value)
    x = x / size
    return np.asarray(x / np.linalg.norm(x))


def choice(value: object, key: str, where: str, allowed: tuple[str, ...]) -> str:
    """Return ``value`` if it is one of ``allowed``."""
    if not isinstance(value, str) or value not in allowed:
        words = ", ".join(f'"{name}"' for name in allowed)
        raise InputError(f"must be one of {words}{nearest(value, allowed)}", where=where, key=key, value=value)
    return value


def nearest(value: object, names: Iterable[str], most: int = 1, cutoff: float = 0.6) -> str:
    """Return ``" (did you mean 'x' or 'y'?)"`` for the names nearest to ``value``, or an empty text."""
    found = difflib.get_close_matches(str(value), list(names), n=most, cutoff=cutoff)
    words = "' or '".join(found)
    return f" (did you mean '{words}'?)" if found else ""


def matching(pattern: str, names: Iterable[str], what: str, where: str, key: str) -> list[str]:
    """Return the names that a pattern such as ``ball*`` means, at least one."""
    known = list(names)
    found = [name for name in known if fnmatchcase(name, pattern)]
    if not found:
        message = f"matches no {what}{nearest(pattern, known)}; these are: {', '.join(known) or 'none'}"
        raise InputError(message, where=where, key=key, value=pattern)
    return found


def unknown_key(key: object, allowed: Iterable[str]) -> str:
    """Return the message for an unknown key: the corresponding or nearest key, and the list of all keys."""
    names = list(allowed)
    return f"unknown key{in_our_words(key, names) or nearest(key, names)}; allowed: {', '.join(names)}"


def meant_key(key: object, allowed: Iterable[str]) -> str:
    """Return the key that an unknown one stands for: the corresponding or nearest one, or an empty text."""
    names = list(allowed)
    return our_word(key, names)[0] or next(iter(difflib.get_close_matches(str(key), names, n=1)), "")


def from_table(cls: type[T], data: Mapping[str, Any], where: str) -> T:
    """Call ``cls`` with the keys of a table, refusing keys it does not take and naming those that are missing."""
    parameters = inspect.signature(cls).parameters
    needed = [name for name, p in parameters.items() if p.default is inspect.Parameter.empty]
    check_keys(data, list(parameters), needed, where)
    with located(where):
        return cls(**data)


def check_keys(data: Mapping[str, Any], allowed: list[str], needed: list[str], where: str) -> None:
    """Refuse keys of a table that are not allowed and name those that are missing."""
    for key, value in data.items():
        if key not in allowed:
            meant = meant_key(key, allowed)
            raise InputError(unknown_key(key, allowed), where=where, key=str(key), value=value, meant=meant)
    missing = [name for name in needed if name not in data]
    if missing:
        raise InputError(f"needs {', '.join(missing)}", where=where, value=dict(data))


@contextmanager
def located(where: str) -> Iterator[None]:
    """Set ``where`` of input errors raised inside the block, in place of a less specific location."""
    try:
        yield
    except PluginError:
        raise
    except InputError as error:
        raise InputError(error.message, where=where, key=error.key, value=error.value, meant=error.meant) from None
