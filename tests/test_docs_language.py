"""Texts use the terms of the field: phrases that were once private idiom do not come back."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PHRASES = (
    "when it is home", "from a feeling", "the way of a step", "sinks in by up", "turns per minute",
)  # fmt: skip
EMPTY = {"how.", "all of it.", "everything.", "what others call.", "it.", "see above."}
"""Docstrings that say nothing."""


def texts() -> list[Path]:
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    for folder, suffix in (("docs", "md"), ("cases", "toml"), ("flexmb", "py"), ("postproc", "py")):
        found += sorted((ROOT / folder).rglob(f"*.{suffix}"))
    return found


def test_no_private_idiom() -> None:
    files = texts()
    assert len(files) > 500
    words = {path: " ".join(path.read_text(encoding="utf-8").lower().split()) for path in files}
    assert [
        (str(path.relative_to(ROOT)), phrase) for path in files for phrase in PHRASES if phrase in words[path]
    ] == []


@pytest.mark.parametrize("folder", ["flexmb", "postproc"])
def test_docstrings_say_something(folder: str) -> None:
    bad = []
    for path in sorted((ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                text = (ast.get_docstring(node) or "").strip().lower()
                if text in EMPTY:
                    bad.append(f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 1)}")
    assert bad == []
