"""Files that are written completely or not at all."""

from __future__ import annotations

import csv
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Provide a temporary name next to ``path``; the file replaces ``path`` at the end of the block, or is removed.

    Its name has the same extension and is unique: several processes may write the same file. An OSError (in particular
    a full disk) has the name of the file.
    """
    place = path.resolve() if path.is_symlink() else path
    special = place.exists() and not place.is_file()  # /dev/stdout cannot be replaced
    fresh = path if special else place.with_name(f"{place.stem}.{secrets.token_hex(4)}.part{place.suffix}")
    try:
        yield fresh
        if not special:
            os.replace(fresh, place)
    except OSError as err:
        raise OSError(err.errno, err.strerror or str(err), str(path)) from err
    finally:
        if not special and fresh.is_file():
            fresh.unlink()


def write_table(path: Path, columns: Mapping[str, Any]) -> Path:
    """Write columns of one length, with their names (and units) as the first line; nan becomes an empty cell."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as fresh, fresh.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([_cell(item) for item in row] for row in zip(*columns.values(), strict=True))
    return path


def _cell(item: object) -> str:
    if isinstance(item, float | np.floating):
        return "" if np.isnan(item) else f"{float(item):.17g}"
    return str(item)
