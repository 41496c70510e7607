"""The reference of the Python interface: every public name of ``flexmb``, from its docstring, in groups."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import flexmb as fm

GROUPS = {
    "Model and runs": ("system.model", "drive", "case"),
    "Results": ("record",),
    "Bodies": ("parts.bodies", "fem"),
    "Joints": ("parts.joints",),
    "Loads and functions of time": ("parts.loads", "parts.time_functions", "parts"),
    "Contacts": ("parts.contacts", "laws"),
    "Schemes": ("schemes",),
    "Contact problems": ("nonsmooth",),
    "Analyses": ("analysis", "system"),
    "Studies and calibration": ("study", "fit"),
    "Errors and warnings": ("errors",),
}
"""Headings, and the rooms whose names stand below them; the room with the longest name that fits counts."""
OPTIONS = """    options:
      show_root_heading: true
      show_root_full_path: false
      heading_level: 3
      show_source: false
      members_order: source
      docstring_style: numpy
      show_signature_annotations: true
      separate_signature: true
      filters: ["!^_"]
"""
INHERITED = "      inherited_members: true\n"
WHOLE = ("Result",)
"""Classes that are told with what they take from others."""
WORDS = """# Python interface

Every public name of `flexmb`, made from the docstrings. Names, keys and defaults are those of
[case files](case_file.md); [the tutorial](tutorial.md) shows them at work. `import flexmb as fm` gives all of them.
"""


def public() -> Iterator[tuple[str, str, str]]:
    """Yield public names, the places where they are defined, and their groups."""
    for name in sorted(set(fm.__all__), key=str.lower):
        value = getattr(fm, name)
        if not (inspect.isclass(value) or inspect.isfunction(value)):
            continue
        yield name, f"{value.__module__}.{value.__qualname__}", group_of(value.__module__)


def group_of(module: str) -> str:
    """Return the heading that the names of a module stand below."""
    room = module.removeprefix("flexmb.")
    fitting = [
        (len(one), group)
        for group, rooms in GROUPS.items()
        for one in rooms
        if room == one or room.startswith(f"{one}.")
    ]
    if not fitting:
        raise ValueError(f"docs/api_page.py: no group has the names of {module}")
    return max(fitting)[1]


def values() -> list[str]:
    """Return public names that are neither classes nor functions."""
    both = {name for name, _, _ in public()}
    return [name for name in sorted(set(fm.__all__)) if name not in both]


def api_page() -> str:
    """Return the page in Markdown, for mkdocstrings to fill."""
    parts = [WORDS]
    found = list(public())
    for group in GROUPS:
        members = [(name, place) for name, place, own in found if own == group]
        if members:
            parts.append(f"## {group}\n")
            parts += [f"::: {place}\n{OPTIONS}{INHERITED if name in WHOLE else ''}" for name, place in members]
    if values():
        parts.append("## Values\n")
        parts += [f"* `fm.{name}`" for name in values()]
    return "\n".join(parts) + "\n"
