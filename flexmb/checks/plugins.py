"""Plug-ins: parts, schemes and laws of other packages, found by their entry points.

A package declares them in its pyproject.toml::

    [project.entry-points."flexmb.contacts"]
    slot = "my_package.slot:Slot"

The groups are ``flexmb.bodies``, ``.joints``, ``.loads``, ``.contacts``, ``.schemes`` and ``.laws``.
"""

from __future__ import annotations

from collections import UserDict
from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from flexmb.errors import InputError, PluginError

GROUPS = ("bodies", "joints", "loads", "contacts", "schemes", "laws")


@cache
def _declared() -> dict[str, tuple[EntryPoint, ...]]:
    """Return the entry points of all groups; the installed packages are searched once."""
    every = entry_points()
    return {group: tuple(every.select(group=f"flexmb.{group}")) for group in GROUPS}


def with_plugins(own: Mapping[str, Any], group: str, word_of: Callable[[str, Any], str]) -> dict[str, Any]:
    """Return the entries of a registry together with those of plug-ins.

    Parameters
    ----------
    own : mapping
        Shipped entries, by their name in case files.
    group : str
        One of ``GROUPS``.
    word_of : callable
        Takes the name and object of an entry point; returns its name in case files, or raises TypeError.

    Raises
    ------
    PluginError
        If a plug-in cannot be imported, does not fit its group, or has a name that is already used (naming both).
    """
    found, makers = dict(own), dict.fromkeys(own, "flexmb")
    for point in _declared()[group]:
        maker = point.dist.name if point.dist is not None else point.value
        here = f"plug-in '{point.name}' of the package {maker} ({point.value}, group flexmb.{group})"
        try:
            thing = point.load()
            word = word_of(point.name, thing)
        except InputError:
            raise
        except Exception as err:
            words = f"{here} cannot be used: {err}; correct its code, or remove it: pip uninstall {maker}"
            raise PluginError(words) from err
        if word in found:
            if found[word] is thing:
                continue
            taken = f"the name '{word}' is taken by {makers[word]} ({_place(found[word])})"
            raise PluginError(f"{here}: {taken}; give the plug-in another name, or remove it: pip uninstall {maker}")
        found[word], makers[word] = thing, f"the package {maker}"
    return found


class Registry(UserDict[str, Any]):
    """Shipped entries and those of plug-ins, by their name in case files; plug-ins are loaded on first access.

    Not earlier, because a plug-in imports from flexmb, whose packages must be loaded by then.

    Parameters
    ----------
    own, group, word_of
        As for ``with_plugins``.
    order : callable, optional
        Sorts the items.
    """

    def __init__(
        self,
        own: Mapping[str, Any],
        group: str,
        word_of: Callable[[str, Any], str],
        order: Callable[[tuple[str, Any]], Any] | None = None,
    ) -> None:
        self._given = (dict(own), group, word_of, order)
        self._data: dict[str, Any] | None = None

    @property
    def data(self) -> dict[str, Any]:  # type: ignore[override]
        """The group's own entries and those of plug-ins."""
        if self._data is None:
            own, group, word_of, order = self._given
            self._data = own  # seen by a plug-in while it is loaded
            try:
                found = with_plugins(own, group, word_of)
            except BaseException:
                self._data = None
                raise
            self._data = dict(sorted(found.items(), key=order)) if order is not None else found
        return self._data


def _place(thing: Any) -> str:
    module, name = getattr(thing, "__module__", ""), getattr(thing, "__qualname__", "")
    return f"{module}.{name}" if name else repr(thing)


def part_word(role: str) -> Callable[[str, Any], str]:
    """Return a function that gives the name of a part: its ``kind``, if it has this role."""

    def word(name: str, cls: Any) -> str:
        if not isinstance(cls, type) or getattr(cls, "role", None) != role or not getattr(cls, "kind", ""):
            raise TypeError(f"it must be a class with role = {role!r} and a kind")
        return str(cls.kind)  # type: ignore[attr-defined]

    return word


def scheme_word(name: str, cls: Any) -> str:
    """Return the name of a scheme."""
    if not isinstance(cls, type) or not getattr(cls, "name", "") or not callable(getattr(cls, "step", None)):
        raise TypeError("it must be a class with a name and a step, derived from flexmb.schemes.scheme.Scheme")
    return str(cls.name)  # type: ignore[attr-defined]


def law_word(name: str, law: Any) -> str:
    """Return the name of a friction law: that of its entry point."""
    if not (isinstance(law, tuple) and len(law) == 3 and callable(law[0])):
        raise TypeError("it must be (make, keys that are needed, other keys), as in flexmb.laws.friction.KINDS")
    return name
