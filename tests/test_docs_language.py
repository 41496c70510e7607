"""Texts use the terms of the field: phrases that were once private idiom do not come back."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PHRASES = (
    "when it is home", "from a feeling", "the way of a step", "sinks in by up", "turns per minute",
    "times the way", "goes along", "goes round", "gets past", "turns round", "stand still", "changed hands",
    "room for all", "what there must be", "tell the room", "is told to", "as it is told", "what the run said",
    "knows nothing", "has no say", "nobody's business", "is none of its", "whose business", "of its own accord",
    "nothing but errors", "to go on:", "goes on with", "starts anew", "written anew", "in the way:", "hand in hand",
    "what is said", "what came out", "what comes out", "what it has done", "how far off", "how it went",
    "blown up", "has blown", "to and fro", "good-bye", "holds nothing", "nothing happens", "comes twice",
    "the first of by", "run of yesterday", "lets go", "does not reckon", "by the words of", "steps per turn",
    "so many times as large", "are no numbers", "no finite numbers", "could not be told",
    "places stay together", "turn freely", "the energy goes", "energy taken", "taken its share",
)  # fmt: skip
"""Phrases that no document, case file, message, comment or docstring contains."""
EMPTY = {"what others call.", "see above.", "all of them.", "all of it."}
"""Docstrings that say nothing."""
FEWEST_WORDS = 3
"""Docstrings with fewer words do not say what they are about."""
PACKAGES = ("flexmb", "postproc", "docs/validation", "docs/gallery")
"""Folders whose docstrings are checked."""
UNCHECKED = {"flexmb/kernels/compilation/arrays_at.py"}
"""Modules with short docstrings that are not rewritten: an edit would compile every kernel anew."""


def python_files(folder: str) -> list[Path]:
    """Return the modules of a package; ``flexmb/postproc`` is a link to ``postproc``."""
    found = sorted((ROOT / folder).rglob("*.py"))
    return [path for path in found if not path.relative_to(ROOT).as_posix().startswith("flexmb/postproc/")]


def texts() -> list[Path]:
    """Return the files whose words are checked."""
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    for folder, suffix in (("docs", "md"), ("cases", "toml")):
        found += sorted((ROOT / folder).rglob(f"*.{suffix}"))
    return [*found, *(path for folder in PACKAGES for path in python_files(folder))]


def phrases_in(text: str) -> list[str]:
    """Return the banned phrases of a text, also those broken over two lines or two comments."""
    words = " ".join(re.sub(r"\n\s*#", " ", text.lower()).split())
    return [phrase for phrase in PHRASES if phrase in words]


def poor_docstrings(source: str) -> list[int]:
    """Return the lines of definitions whose docstrings are too short or say nothing."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text is not None and (len(text.split()) < FEWEST_WORDS or text.strip().lower() in EMPTY):
                found.append(getattr(node, "lineno", 1))
    return found


def test_no_private_idiom() -> None:
    files = texts()
    for folder in ("cases", "docs/validation", "docs/gallery", "flexmb/kernels", "postproc"):
        assert any(path.relative_to(ROOT).as_posix().startswith(folder) for path in files), folder
    bad = {path.relative_to(ROOT).as_posix(): phrases_in(path.read_text(encoding="utf-8")) for path in files}
    assert {path: phrases for path, phrases in bad.items() if phrases} == {}


@pytest.mark.parametrize("folder", PACKAGES)
def test_docstrings_say_something(folder: str) -> None:
    bad = []
    for path in python_files(folder):
        name = path.relative_to(ROOT).as_posix()
        if name not in UNCHECKED:
            bad += [f"{name}:{line}" for line in poor_docstrings(path.read_text(encoding="utf-8"))]
    assert bad == []


def test_the_checks_find_what_they_are_for() -> None:
    assert phrases_in('"""It is none\n    of its business."""') == ["is none of its"]
    assert phrases_in("a = 1\n# the foot goes\n# along") == ["goes along"]
    assert poor_docstrings(
        '"""All of them."""\n\ndef f():\n    """How."""\n\ndef g():\n    """Return the gap."""\n'
    ) == [1, 3]
