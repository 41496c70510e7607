"""Compiled files are kept as long as the sources are what they were, and dropped when one of them is not."""

from __future__ import annotations

import os
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


def test_a_source_that_is_newer_drops_it_too(tmp_path: Path) -> None:
    folder, compiled = folder_with(tmp_path)
    _drop_stale_cache(folder)
    compiled.write_bytes(b"machine code")
    later = compiled.stat().st_mtime + 10.0
    os.utime(folder / "step.py", (later, later))
    assert _drop_stale_cache(folder) == 1
