"""What is private to numba is used in one file, so that a new version of numba is met in one place."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import flexmb

LIBRARY = Path(flexmb.__file__).parent
INSIDE = LIBRARY / "kernels" / "compilation" / "numba_inside.py"
PRIVATE = {
    *("_cache", "_sig", "_wrapper_address", "_nrt", "_compile_core", "_final_module", "_dispatcher"),
    *("get_value_type", "get_data_type", "make_array", "magic_tuple", "targetctx", "from_types", "get_overload"),
}
"""Names of attributes and options of numba's objects that its documentation for users does not have."""


def private_uses(source: str) -> list[str]:
    """Return the private imports, attributes and options of a source."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            whole = [f"{node.module}.{alias.name}" for alias in node.names]
            found += [name for name in whole if name.startswith(("numba.core", "numba._"))]
        elif isinstance(node, ast.Import):
            found += [alias.name for alias in node.names if alias.name.startswith(("numba.core", "numba._"))]
        elif isinstance(node, ast.Attribute):
            whole = [ast.unparse(node)]
            found += [name for name in whole if node.attr in PRIVATE or name in ("numba.core", "nb.core")]
        elif isinstance(node, ast.keyword) and node.arg in PRIVATE:
            found.append(node.arg)
        elif isinstance(node, ast.Constant) and node.value in PRIVATE:
            found.append(str(node.value))
    return found


def test_only_one_file_uses_the_inside_of_numba() -> None:
    uses = {str(path.relative_to(LIBRARY)): private_uses(path.read_text()) for path in LIBRARY.rglob("*.py")}
    assert uses.pop(str(INSIDE.relative_to(LIBRARY)))
    assert {name: found for name, found in uses.items() if found} == {}


@pytest.mark.parametrize(
    "source",
    [
        "from numba.core.errors import NumbaError",
        "from numba import core, _helperlib",
        "import numba.core.types as t",
        "numba.core.errors",
        "compiled._cache = 1",
        "hasattr(f, '_wrapper_address')",
        "njit(_nrt=False)",
        "context.get_value_type(ty)",
    ],
)
def test_every_form_of_use_is_found(source: str) -> None:
    assert private_uses(source)


def test_what_numba_documents_is_allowed() -> None:
    assert private_uses("from numba import carray, types\nfrom numba.extending import intrinsic\nf.py_func") == []
