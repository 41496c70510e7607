"""Compiled files are kept as long as the sources are what they were, and dropped when one of them is not."""

from __future__ import annotations

from pathlib import Path

from flexmb.kernels import STAMP, _drop_stale_cache


def folder_with(tmp_path: Path) -> tuple[Path, Path]:
    (tmp_path / "step.py").write_text("x = 1\n")
    return tmp_path, tmp_path / "__pycache__" / "step.f-1.py311.1.nbc"


def test_the_first_process_leaves_its_stamp_also_where_python_writes_no_bytecode(tmp_path: Path) -> None:
    folder, compiled = folder_with(tmp_path)
    assert _drop_stale_cache(folder) == 0
    assert (compiled.parent / STAMP).is_file()
    compiled.write_bytes(b"machine code")
    assert _drop_stale_cache(folder) == 0
    assert compiled.is_file()


def test_an_edited_source_drops_what_was_compiled(tmp_path: Path) -> None:
    folder, compiled = folder_with(tmp_path)
    _drop_stale_cache(folder)
    compiled.write_bytes(b"machine code")
    (folder / "step.py").write_text("x = 2\n")
    assert _drop_stale_cache(folder) == 1
    assert not compiled.exists()


def test_an_edit_drops_what_builds_on_it_and_nothing_else(tmp_path: Path) -> None:
    sources = {
        "vectors": "x = 1\n",
        "step": "from flexmb.kernels.vectors import x\n",
        "march": "from flexmb.kernels import step, jit\n",
        "lcp": "y = 1\n",
    }
    compiled = {}
    for name, text in sources.items():
        (tmp_path / f"{name}.py").write_text(text)
    _drop_stale_cache(tmp_path)
    for name in sources:
        compiled[name] = tmp_path / "__pycache__" / f"{name}.f-1.py311.1.nbc"
        compiled[name].write_bytes(b"machine code")
    (tmp_path / "vectors.py").write_text("x = 2\n")
    assert _drop_stale_cache(tmp_path) == 3
    assert [name for name in sources if compiled[name].exists()] == ["lcp"]
    assert _drop_stale_cache(tmp_path) == 0
