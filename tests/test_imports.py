"""Imports go one way: no module imports one that stands further along the way of the data."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

LEVELS = [
    {"errors", "state", "shipped_data", "terminal", "doc_line"},
    {"instant"},
    {"telling"},
    {"kernels", "measures"},
    {"linalg"},
    {"fem"},
    {"assembly", "exact"},
    {"layout"},
    {"section_forces", "sphere_pairs"},
    {"bodies", "contacts", "joints", "loads"},
    {"system", "step_matrix", "linear_instant"},
    {"probes"},
    {"multibody_system", "multibody_instant", "row_groups", "bordered_factor"},
    {"consistency", "linearized"},
    {"large_motion", "small_contacts", "spinning", "initial_state"},
    {"model", "modes"},
    {"rotating"},
    {"rotor_analysis"},
    {"nonsmooth"},
    {"schemes"},
    {"spectrum"},
    {"record"},
    {"plan_notes"},
    {"engines"},
    {"io"},
    {"words"},
    {"run_notes"},
    {"summary", "series"},
    {"data_frames"},
    {"result"},
    {"modal_energy"},
    {"simulate"},
    {"case"},
    {"study"},
    {"commands"},
    {"cli"},
    {"__main__"},
]
"""Rooms from the cellar to the roof; a room may import from itself and from below."""
LEVEL = {room: level for level, rooms in enumerate(LEVELS) for room in rooms}

NOT_FROM = {
    "nonsmooth": {
        *("fem", "assembly", "layout", "bodies", "contacts", "joints", "loads", "system", "probes"),
        *("multibody_system", "consistency", "linearized", "large_motion", "model", "modes"),
        *("rotating", "rotor_analysis"),
    },
    "kernels": {"errors"},
    "schemes": {
        *("bodies", "contacts", "joints", "loads", "probes", "consistency", "linearized", "large_motion"),
        *("model", "modes", "rotating", "rotor_analysis"),
    },
    "io": {"schemes", "engines", "nonsmooth", "model"},
}
"""Rooms that must not hear of some rooms below them: the contact problem never hears of a body."""


def modules() -> list[Path]:
    return sorted((ROOT / "flexmb").rglob("*.py"))


def room_of(path: Path) -> str:
    parts = path.relative_to(ROOT / "flexmb").parts
    return parts[0] if len(parts) > 1 else path.stem


def imported_rooms(source: str) -> set[str]:
    """Return the rooms of flexmb that a module imports, also inside functions."""
    rooms = set()
    for node in ast.walk(ast.parse(source)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide their direction"
            names = [
                f"{node.module}.{alias.name}" if node.module == "flexmb" else str(node.module) for alias in node.names
            ]
        rooms |= {name.split(".")[1] for name in names if name.startswith("flexmb.")}
    return rooms


def backward(room: str, source: str) -> set[str]:
    """Return the imports of a module that go back."""
    found = imported_rooms(source) - {"postproc"}
    return {r for r in found if LEVEL[r] > LEVEL[room] or r in NOT_FROM.get(room, set())}


@pytest.mark.parametrize(
    "path", [p for p in modules() if p.name != "__init__.py" or p.parent.name != "flexmb"], ids=str
)
def test_no_arrow_goes_back(path: Path) -> None:
    assert backward(room_of(path), path.read_text()) == set()


def test_the_walk_finds_an_arrow_that_goes_back() -> None:
    assert backward("schemes", "from flexmb.simulate import run") == {"simulate"}
    assert backward("nonsmooth", "def f():\n    import flexmb.bodies.bar") == {"bodies"}
    assert backward("result", "from flexmb import cli") == {"cli"}
    assert backward("case", "from flexmb.model import Model\nimport numpy") == set()


def test_only_commands_and_results_know_postproc() -> None:
    users = [p for p in modules() if "postproc" in imported_rooms(p.read_text())]
    assert {room_of(p) for p in users} <= {"commands", "result"}  # a result draws itself when asked


def test_only_fem_imports_scikit_fem() -> None:
    users = [p for p in modules() if "import skfem" in p.read_text() or "from skfem" in p.read_text()]
    assert users
    assert {room_of(p) for p in users} == {"fem"}


RESULTS = {
    *(
        "errors",
        "exact",
        "io",
        "measures",
        "postproc",
        "result",
        "rotor_analysis",
        "series",
        "spectrum",
        "study",
        "words",
    ),
}
"""What pictures may be made of."""


def test_postproc_reads_results_only() -> None:
    for path in sorted((ROOT / "postproc").rglob("*.py")):
        assert imported_rooms(path.read_text()) <= RESULTS, path


@pytest.mark.parametrize(
    ("statement", "heavy"),
    [
        ("import flexmb", ["numpy", "scipy", "numba", "h5py", "pydantic"]),
        ("import flexmb.cli; flexmb.cli.build_parser()", ["numpy", "scipy", "numba", "rich"]),
        ("import flexmb.case", ["skfem", "meshio", "pyvista", "vtkmodules", "matplotlib", "rich"]),
    ],
)
def test_heavy_packages_are_imported_when_needed(statement: str, heavy: list[str]) -> None:
    code = f"import sys; {statement}; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"


def test_public_names_are_functions_even_after_their_modules_are_imported() -> None:
    import flexmb.modes
    import flexmb.simulate  # noqa: F401

    assert callable(flexmb.simulate)
    assert callable(flexmb.modes)
    assert set(flexmb.__all__) <= {name for name in flexmb.__all__ if getattr(flexmb, name) is not None}
    with pytest.raises(AttributeError, match="no attribute 'Wheel'"):
        _ = flexmb.Wheel  # type: ignore[attr-defined]
