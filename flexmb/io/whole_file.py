"""Files that are there in full or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Give a name beside ``path`` to write to; the file takes its place when the block has ended, and is removed else.

    It ends as ``path`` does, and no two are alike: several processes may write the same file. An OSError
    (a full disk above all) has the name of the file.
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
