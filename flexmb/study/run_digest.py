"""The digest that identifies a run by everything its numbers depend on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from flexmb.case.part_tables import case_files
from flexmb.case.read import with_overrides
from flexmb.record.summary import versions
from flexmb.study.axes import Setting

DIGITS = 20
"""Hexadecimal digits of a key."""
_WORDS = ("title", "description", "expect")
"""Entries of a case that do not affect the results."""


def run_key(data: dict[str, Any], folder: Path, settings: Sequence[Setting], asked: Mapping[str, Any]) -> str:
    """Return the key of a run.

    Parameters
    ----------
    data : dict
        The case it varies.
    folder : Path
        Folder of the meshes and matrices of the case.
    settings : sequence of Setting
        Changes of the case.
    asked : mapping
        Measures, keys of references and other options that determine the stored data of the run.
    """
    tree, _, _ = with_overrides(data, [(setting.path, setting.value) for setting in settings])
    for word in _WORDS:
        tree.pop(word, None)
    whole = {"case": tree, "files": file_digests(tree, folder), "asked": asked, "flexmb": versions()["flexmb"]}
    text = json.dumps(whole, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def file_digests(data: Mapping[str, Any], folder: Path) -> list[str]:
    """Return the digests of all files of a case; ``folder`` is that of the case."""
    return [_digest(path) for path in case_files(data, folder)]


def _digest(path: Path) -> str:
    """Return the digest of a file; of a missing one its name (the run then reports the error)."""
    try:
        seen = path.stat()
        return _file_digest(path, seen.st_mtime_ns, seen.st_size)
    except (OSError, ValueError):
        return str(path)


@cache
def _file_digest(path: Path, changed: int, size: int) -> str:
    """Return the digest of a file; ``changed`` and ``size`` detect modifications."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
