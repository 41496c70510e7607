"""Imports go one way: a whitelist per room, lazy imports, names in strings and imports for types included."""

from __future__ import annotations

import ast
import graphlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

GROUND = {"errors", "state", "checks"}
"""What every room above may use."""
PARTS = {*GROUND, "kernels", "linalg", "fem", "assembly", "parts"}
"""What every kind of part may be made of."""

MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "state": set(),
    "shipped_data": set(),
    "kernels": {"state"},  # names of array types
    "linalg": {"errors", "state", "kernels"},
    "checks": {"errors", "state"},
    "laws": {*GROUND, "kernels"},
    "fem": {*GROUND, "linalg"},
    "assembly": {*GROUND, "kernels", "laws", "linalg", "fem"},
    "parts": {*GROUND, "kernels"},
    "parts.bodies": PARTS,
    "parts.joints": {*PARTS, "laws"} - {"linalg", "fem"},
    "parts.loads": PARTS - {"linalg"},
    "parts.contacts": {*PARTS, "laws"} - {"linalg", "fem"},
    "system": {*PARTS, "laws", "parts.bodies", "parts.loads", "parts.contacts"},
    "nonsmooth": {"errors", "state", "kernels"},
    "smooth": {*GROUND, "kernels", "system"},
    "schemes.compiled": {"state", "kernels"},  # what is compiled is made from kernels only
    "schemes": {*GROUND, "schemes.compiled", "kernels", "linalg", "nonsmooth", "system", "smooth"},
    "record": {*GROUND, "kernels", "linalg", "fem", "assembly", "system"},
    "drive": {*GROUND, "kernels", "linalg", "nonsmooth", "system", "smooth", "schemes", "record"},
    "analysis": {
        *PARTS,
        *("parts.bodies", "parts.loads", "shipped_data", "system", "schemes", "record"),
    }
    - {"kernels"},
    "case": {
        *GROUND,
        *("shipped_data", "assembly", "parts", "parts.bodies", "parts.joints", "parts.loads"),
        *("parts.contacts", "system", "nonsmooth", "schemes", "record", "drive", "analysis"),
    },
    "study": {*GROUND, "parts.bodies", "system", "record", "drive", "analysis", "case"},
    "fit": {*GROUND, "record", "case", "study"},
    "commands": {
        *GROUND,
        "fit",
        *("kernels", "nonsmooth", "system", "schemes", "record", "drive", "analysis", "case", "study", "postproc"),
        "shipped_data",
    },
    "cli": {"errors", "record", "commands"},
    "__main__": {"cli"},
}
"""Which rooms a room may import besides itself; ``parts.bodies`` and its like are rooms of their own."""

EXCEPTIONS = {
    ("record", "postproc"): "a result draws itself when asked (fm.Result.show, fm.Result.plot)",
}
"""Arrows that go back, and why."""

PICTURES = {*GROUND, "linalg", "fem", "assembly", "system", "record", "analysis", "study"}
"""What pictures may be made of: results and what explains them; nothing that steps."""

OUTSIDE = {
    "skfem": {"fem"},
    "meshio": {"fem", "record"},
    "numba": {"kernels"},
    "llvmlite": {"kernels"},
    "clarabel": {"nonsmooth"},
    "h5py": {"nonsmooth", "record"},
    "pydantic": {"case", "fit", "study"},
    "optuna": {"fit"},
    "distributed": {"study"},
    "pandas": {"record", "study"},
    "xarray": {"record", "study"},
    "pyvista": {"record"},
    "matplotlib": {"record", "commands"},
}
"""Packages of others, and the rooms that may know them (postproc knows what it draws with)."""

MODULE_NAME = re.compile(r"flexmb(\.[A-Za-z_]\w*)+")


def modules() -> list[Path]:
    """Return the modules of the library but its face, which knows all public names."""
    found = sorted((ROOT / "flexmb").rglob("*.py"))
    return [p for p in found if p != ROOT / "flexmb/__init__.py" and "postproc" not in p.relative_to(ROOT).parts]


def room_of_name(name: str) -> str:
    """Return the room of a dotted name: ``flexmb.parts.bodies.bar`` is in ``parts.bodies``."""
    words = name.split(".")[1:]
    if not words:
        return "flexmb"
    inner = ".".join(words[:2])
    return inner if inner in MAY_IMPORT else words[0]


def room_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return room_of_name(".".join(part for part in parts if part != "__init__"))


def docstrings(tree: ast.AST) -> set[int]:
    """Return the strings of a module that are statements by themselves: they name modules, but import none."""
    return {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}


def imported_names(source: str) -> set[str]:
    """Return the modules that a source names in imports, at the top and inside functions, and in strings.

    A string that is a dotted name of flexmb counts as an import, as does an f-string that begins with one: this is
    what ``importlib.import_module`` gets.
    """
    tree = ast.parse(source)
    prose = docstrings(tree)
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide their direction"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            names |= {node.value} if MODULE_NAME.fullmatch(node.value.rstrip(".")) else set()
    return names


def imported_rooms(source: str) -> set[str]:
    """Return the rooms of flexmb that a source imports."""
    return {room_of_name(name) for name in imported_names(source) if name.split(".")[0] == "flexmb"}


def wrong_arrows(room: str, source: str) -> set[str]:
    """Return the rooms that a module of a room imports and may not."""
    excused = {there for here, there in EXCEPTIONS if here == room}
    return imported_rooms(source) - MAY_IMPORT[room] - {room} - excused


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(ROOT)))
def test_no_module_imports_what_its_room_may_not(path: Path) -> None:
    assert room_of(path) in MAY_IMPORT, "a new room needs a line in MAY_IMPORT"
    assert wrong_arrows(room_of(path), path.read_text()) == set()


WAYS = {
    "at the top": "from flexmb.{room} import anything",
    "whole": "import flexmb.{room}.anything",
    "from its parent": "from flexmb import {room}",
    "inside a function": "def f():\n    from flexmb.{room}.anything import thing\n    return thing",
    "for types": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from flexmb.{room} import Thing",
    "by its name": 'thing = importlib.import_module("flexmb.{room}.anything")',
    "by a part of its name": 'def f(name):\n    return importlib.import_module(f"flexmb.{room}.{{name}}")',
}


@pytest.mark.parametrize("way", WAYS)
def test_every_wrong_arrow_is_found(way: str) -> None:
    """A module that imports what its room may not, in any form of an import, is named."""
    missed = []
    for room, allowed in MAY_IMPORT.items():
        for other in {*MAY_IMPORT, "postproc"} - allowed - {room}:
            if "." in other and way == "from its parent":
                continue
            if (room, other) not in EXCEPTIONS and other not in wrong_arrows(room, WAYS[way].format(room=other)):
                missed.append((room, other))
    assert missed == []


def test_allowed_arrows_and_prose_are_let_through() -> None:
    assert wrong_arrows("case", "from flexmb.system.model import Model\nimport numpy") == set()
    assert wrong_arrows("kernels", '"""See ``flexmb.schemes``."""\n\n"""flexmb.schemes"""\n') == set()
    assert wrong_arrows("schemes", "from flexmb import load") == {"load"}  # nor the face of the library


def test_no_arrow_goes_back() -> None:
    """The whitelist itself has no circle: rooms can be built one after the other."""
    order = list(graphlib.TopologicalSorter(MAY_IMPORT).static_order())
    assert order.index("kernels") < order.index("system") < order.index("schemes") < order.index("drive")


KERNEL_LAYERS = (
    *("compilation", "algebra", "geometry", "laws", "lcp", "cones", "index_sets", "small_motion"),
    *("multibody", "multibody_contacts", "multibody_steps", "smooth"),
)
"""The packages of ``flexmb.kernels``; a module imports from its own and from those before it."""


@pytest.mark.parametrize("path", sorted((ROOT / "flexmb/kernels").rglob("*.py")), ids=lambda p: p.stem)
def test_kernels_import_only_from_layers_below(path: Path) -> None:
    words = path.relative_to(ROOT / "flexmb/kernels").parts
    if len(words) == 1:
        assert path.stem == "__init__", "a kernel belongs to one of the packages"
        return
    kernels = (name.split(".")[2:] for name in imported_names(path.read_text()) if name.startswith("flexmb.kernels."))
    above = KERNEL_LAYERS[KERNEL_LAYERS.index(words[0]) + 1 :]
    assert {name[0] for name in kernels} & set(above) == set()


def test_every_arrow_of_the_table_is_used() -> None:
    """What no module needs is not allowed either."""
    used: dict[str, set[str]] = {room: set() for room in MAY_IMPORT}
    for path in modules():
        used[room_of(path)] |= imported_rooms(path.read_text())
    spare = {room: sorted(allowed - used[room] - GROUND) for room, allowed in MAY_IMPORT.items()}
    assert not any(spare.values()), spare
    assert all(there in used[here] for here, there in EXCEPTIONS)


@pytest.mark.parametrize("package", OUTSIDE)
def test_packages_of_others_are_known_to_their_rooms_only(package: str) -> None:
    users = {room_of(p) for p in modules() if any(n.split(".")[0] == package for n in imported_names(p.read_text()))}
    assert users <= OUTSIDE[package]


def test_postproc_reads_results_only() -> None:
    for path in sorted((ROOT / "postproc").rglob("*.py")):
        assert imported_rooms(path.read_text()) <= PICTURES | {"postproc"}, path


def test_no_file_name_occurs_four_times() -> None:
    names = [path.name for path in modules() if path.name != "__init__.py"]
    assert max(map(names.count, names)) <= 3


@pytest.mark.parametrize(
    ("statement", "heavy"),
    [
        ("import flexmb", ["numpy", "scipy", "numba", "h5py", "pydantic"]),
        ("import flexmb.cli; flexmb.cli.build_parser()", ["numpy", "scipy", "numba", "rich"]),
        ("import flexmb.case", ["skfem", "meshio", "pyvista", "vtkmodules", "matplotlib", "rich", "scipy.interpolate"]),
    ],
)
def test_heavy_packages_are_imported_when_needed(statement: str, heavy: list[str]) -> None:
    code = f"import sys; {statement}; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"


def test_public_names_are_there() -> None:
    import flexmb

    assert callable(flexmb.simulate)
    assert callable(flexmb.modes)
    assert all(getattr(flexmb, name) is not None for name in flexmb.__all__)
    with pytest.raises(AttributeError, match="Wheel"):
        _ = flexmb.Wheel  # type: ignore[attr-defined]
