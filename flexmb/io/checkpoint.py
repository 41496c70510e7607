"""``checkpoint.npz``: where a run can go on with the same bits; replaced in one piece or not at all."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from flexmb.errors import InputError
from flexmb.io.planned_file import sync
from flexmb.record import Checkpoint

_OWN = ("step", "samples", "fields")


def write_checkpoint(path: Path, point: Checkpoint) -> None:
    """Write a checkpoint beside the old one, then put it in its place."""
    fresh = path.with_name(path.name + ".part")
    with fresh.open("wb") as handle:
        arrays: dict[str, Any] = {f"_{name}": np.array(getattr(point, name), dtype=np.int64) for name in _OWN}
        arrays |= {"_engine": np.array(point.engine)} | point.arrays
        # np.savez knows allow_pickle only since numpy 2.2; before, it would be stored as one more array
        np.savez(handle, **arrays)
        handle.flush()
        os.fsync(handle.fileno())
    os.replace(fresh, path)
    sync(path.parent)


def read_checkpoint(path: Path) -> Checkpoint:
    """Read a checkpoint back."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as err:
        raise InputError(f"the checkpoint '{path}' cannot be read ({err}); start anew with --overwrite") from err
    if missing := [name for name in _OWN if f"_{name}" not in arrays]:
        raise InputError(f"the checkpoint '{path}' lacks {', '.join(missing)}; start anew with --overwrite")
    own = {name: int(arrays.pop(f"_{name}")) for name in _OWN}
    engine = str(arrays.pop("_engine", ""))
    return Checkpoint(arrays=arrays, engine=engine, **own)
