"""The API reference: every public name of ``flexmb``, from its docstring, in groups."""

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
"""Headings, and the modules whose names they have; the module with the longest name that fits counts."""
LINES, JOINTS, LINKS, LAWS = "parts.bodies.line", "parts.joints", "parts.loads.link", "parts.contacts.law_keys"
BASES = {
    "Bodies": (f"{LINES}.LineKeys", f"{LINES}.LineBody"),
    "Joints": (
        *(f"{JOINTS}.joint.Joint", f"{JOINTS}.hinge.Hinge"),
        *(f"{JOINTS}.joint_friction.FrictionKeys", f"{JOINTS}.joint_friction.BearingKeys"),
    ),
    "Loads and functions of time": (f"{LINKS}.LinkLoad",),
    "Contacts": (f"{LAWS}.LawKeys",),
}
"""Classes with the parameters that the kinds of a group have in common."""
COMMON = {
    "Bodies": "`Bar`, `Beam`, `ExactBeam` have the parameters of `LineKeys`, the first two also of `LineBody`.",
    "Joints": "All joints except `Gear` have the parameters of `Joint`.",
    "Contacts": "All contacts have the parameters of `LawKeys`; a `Rope` has `restitution` only.",
}
"""Sentences below the headings."""
REFERENCES = ("first", "mid", "last", "all", "node", "point")
"""Members of bodies that return references to nodes."""
MEMBERS: dict[str, list[str]] = {"Bodies": [*REFERENCES]} | dict.fromkeys(
    ("Joints", "Loads and functions of time", "Contacts", "Schemes"), []
)
"""Members shown, where the others are called by flexmb only; all members in other groups."""
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
"""Classes shown with their inherited members."""
WORDS = """# API reference

Every public name of `flexmb`, generated from the docstrings. Names, keys and defaults are those of
[case files](case_file.md); the [tutorial](tutorial.md) shows them in use. `import flexmb as fm` provides all of them.
"""


def public() -> Iterator[tuple[str, str, str]]:
    """Yield public names, the places where they are defined, and their groups."""
    for name in sorted(set(fm.__all__), key=str.lower):
        value = getattr(fm, name)
        if not (inspect.isclass(value) or inspect.isfunction(value)):
            continue
        yield name, f"{value.__module__}.{value.__qualname__}", group_of(value.__module__)


def group_of(module: str) -> str:
    """Return the heading of the names of a module."""
    inner = module.removeprefix("flexmb.")
    fitting = [
        (len(one), group)
        for group, modules in GROUPS.items()
        for one in modules
        if inner == one or inner.startswith(f"{one}.")
    ]
    if not fitting:
        raise ValueError(f"docs/api_page.py: no group has the names of {module}")
    return max(fitting)[1]


def shown(name: str, group: str) -> str:
    """Return the options that select the members of a class."""
    if group in MEMBERS:
        return f"      inherited_members: {MEMBERS[group]}\n      members: {MEMBERS[group]}\n"
    return INHERITED if name in WHOLE else ""


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
            parts.append(f"## {group}\n\n{COMMON.get(group, '')}\n")
            parts += [f"::: flexmb.{base}\n{OPTIONS}      members: []\n" for base in BASES.get(group, ())]
            parts += [f"::: {place}\n{OPTIONS}{shown(name, group)}" for name, place in members]
    if values():
        parts.append("## Values\n")
        parts += [f"* `fm.{name}`" for name in values()]
    return "\n".join(parts) + "\n"
