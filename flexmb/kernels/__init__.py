"""Compiled loops: arrays in, arrays out. Nothing here knows a body, a scheme or a file.

numba's cache of a function is renewed when *its* file changes, not when a function it calls does. So that an edited
or updated kernel is never run in its old form, all compiled files are dropped on import when any kernel source is not
what it was when they were made.
"""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path

STAMP = "kernels.sha256"
"""File beside the compiled ones: the sources they were made from."""


def _drop_stale_cache(folder: Path) -> int:
    """Remove the compiled files of ``folder`` unless they were made from the sources as they are; return how many."""
    sources = sorted(folder.glob("*.py"))
    now = hashlib.sha256(b"".join(source.name.encode() + source.read_bytes() for source in sources)).hexdigest()
    newest = max((source.stat().st_mtime_ns for source in sources), default=0)
    cache = folder / "__pycache__"
    dropped = 0
    with contextlib.suppress(OSError):
        stamp = cache / STAMP
        same = stamp.exists() and stamp.read_text() == now
        for compiled in cache.glob("*.nb?"):
            if not same or compiled.stat().st_mtime_ns < newest:
                compiled.unlink(missing_ok=True)
                dropped += 1
        if not same:  # where Python writes no bytecode the folder is not there yet, and comes with the first kernel
            cache.mkdir(exist_ok=True)
            stamp.write_text(now)
    return dropped


_drop_stale_cache(Path(__file__).parent)
