"""Compiled loops: arrays in, arrays out. Nothing here knows a body, a scheme or a file.

numba's cache of a function is renewed when *its* file changes, not when a function it calls does. So that an edited
or updated kernel is never run in its old form, compiled files older than any kernel source are dropped on import.
"""

from __future__ import annotations

import contextlib
from pathlib import Path


def _drop_stale_cache(folder: Path) -> int:
    """Remove compiled files older than the newest source in ``folder``; return how many."""
    newest = max((source.stat().st_mtime_ns for source in folder.glob("*.py")), default=0)
    dropped = 0
    with contextlib.suppress(OSError):
        for compiled in (folder / "__pycache__").glob("*.nb?"):
            if compiled.stat().st_mtime_ns < newest:
                compiled.unlink(missing_ok=True)
                dropped += 1
    return dropped


_drop_stale_cache(Path(__file__).parent)
