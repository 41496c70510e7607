"""No run of ten identical lines stands in two files of the library: what is said twice is changed once."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import flexmb

LIBRARY = Path(flexmb.__file__).parent
LENGTH = 10
"""Lines of a run that counts as repetition; blank lines, comments and imports are not counted."""


def lines_of(path: Path) -> list[tuple[int, str]]:
    """Return number and text of the lines that say something, without their indentation."""
    text = path.read_text(encoding="utf-8")
    imports = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)]
    passed = {i for node in imports for i in range(node.lineno, (node.end_lineno or node.lineno) + 1)}
    stripped = [(i, line.strip()) for i, line in enumerate(text.splitlines(), 1) if i not in passed]
    return [(i, line) for i, line in stripped if line and not line.startswith("#")]


def repeated(root: Path) -> list[str]:
    """Return where runs of ``LENGTH`` identical lines begin, one entry for each pair of files."""
    places: dict[tuple[str, ...], list[tuple[str, int]]] = defaultdict(list)
    for path in sorted(root.rglob("*.py")):
        name = path.relative_to(root)
        if name.parts[0] == "postproc":
            continue
        lines = lines_of(path)
        for k in range(len(lines) - LENGTH + 1):
            run = tuple(line for _, line in lines[k : k + LENGTH])
            places[run].append((str(name), lines[k][0]))
    found: dict[tuple[str, str], str] = {}
    for spots in places.values():
        for i, (one, at) in enumerate(spots):
            for other, there in spots[i + 1 :]:
                if one != other:
                    found.setdefault((one, other), f"{one}:{at} and {other}:{there}")
    return list(found.values())


def test_no_run_of_ten_lines_stands_in_two_files_of_the_library() -> None:
    assert repeated(LIBRARY) == []


def test_a_planted_copy_is_found_in_spite_of_comments_and_indentation(tmp_path: Path) -> None:
    code = [f"x{i} = {i}" for i in range(LENGTH)]
    (tmp_path / "first.py").write_text("\n".join(code))
    (tmp_path / "second.py").write_text("def f():\n" + "\n\n    # why\n".join(f"    {line}" for line in code))
    (tmp_path / "third.py").write_text("\n".join(code[1:]))
    assert repeated(tmp_path) == ["first.py:1 and second.py:2"]
