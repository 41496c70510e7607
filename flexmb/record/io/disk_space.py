"""Check of the free disk space before a run is written."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

from flexmb.errors import InputError

_RESERVE = 16 * 1024**2  # space for headers, checkpoints, summary, and a reserve


def require_space(folder: Path, nbytes: int) -> None:
    """Raise InputError if the disk of ``folder`` has fewer than ``nbytes`` free."""
    free = shutil.disk_usage(existing_parent(folder)).free
    if nbytes + _RESERVE > free:
        raise InputError(
            f"not enough disk space for the results in '{folder}': the run writes about {readable(nbytes)}, "
            f"{readable(free)} are free; raise output.every or output.fields_every, or choose another disk with -o"
        )


def existing_parent(folder: Path) -> Path:
    """Return the nearest existing parent folder."""
    for candidate in (folder, *folder.resolve().parents):
        if candidate.is_dir():
            return candidate
    return Path("/")


def is_full(err: BaseException) -> bool:
    """Return whether an error means that the disk (or a quota) is full; HDF5 reports it in its message only."""
    codes = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    if isinstance(err, OSError) and err.errno in codes:
        return True
    return isinstance(err, OSError | RuntimeError) and any(f"errno = {code}" in str(err).lower() for code in codes)


def full_words(err: BaseException, folder: Path) -> str:
    """Return the message for a failed write into a folder: disk, quota or size limit exceeded."""
    name = getattr(err, "filename", None)
    what = f"'{name}' cannot be written: " if name else ""
    if getattr(err, "errno", None) == errno.EFBIG:
        return f"{what}a file in '{folder}' has reached the size limit of this process or disk ({reason(err)})"
    return f"{what}the disk that holds '{folder}' is full ({reason(err)})"


def reason(err: OSError | BaseException) -> str:
    """Return the message of the operating system, without the text that HDF5 adds."""
    number = getattr(err, "errno", None)
    return os.strerror(number) if number else str(err).split("(")[0].strip()


def readable(nbytes: int) -> str:
    """Return a size as text, e.g. ``1.5 GB``."""
    size = float(nbytes)
    for word in ("bytes", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.3g} {word}"
        size /= 1000
    return f"{size:.3g} TB"
