"""Compiled loops: arrays in, arrays out. Nothing here knows a body, a scheme or a file.

numba's cache of a function is renewed when *its* file changes, not when a function it calls does. So that an edited
or updated kernel is never run in its old form, the compiled files of a module are dropped on import when its source, or
that of a kernel module it imports, directly or through others, is not what it was when they were made. Modules that
do not depend on the change keep theirs.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from pathlib import Path

STAMP = "kernels.json"
"""File beside the compiled ones: for every module the digest of the sources its compiled files were made from."""

IMPORTED = re.compile(rb"^from flexmb\.kernels(?:\.(\w+))? import (.*)$", re.MULTILINE)


def _source_digests(folder: Path) -> dict[str, str]:
    """Return, for every module, a digest of its source and of the sources of all kernel modules it builds on."""
    sources = {path.stem: path.read_bytes() for path in sorted(folder.glob("*.py"))}
    imports: dict[str, set[str]] = {}
    for name, text in sources.items():
        found = set()
        for module, names in IMPORTED.findall(text):
            found |= {module.decode()} if module else set(re.findall(r"\w+", names.decode()))
        imports[name] = found & sources.keys()
    digests = {}
    for name in sources:
        closure, fresh = {name}, {name}
        while fresh:
            fresh = set().union(*(imports[module] for module in fresh)) - closure
            closure |= fresh
        parts = (module.encode() + b"\0" + sources[module] for module in sorted(closure))
        digests[name] = hashlib.sha256(b"\0".join(parts)).hexdigest()
    return digests


def _read_stamp(stamp: Path) -> dict[str, str]:
    """Return the digests that were written beside the compiled files; none when they cannot be read."""
    try:
        read = json.loads(stamp.read_text())
    except (OSError, ValueError):
        return {}
    return read if isinstance(read, dict) else {}


def _drop_stale_cache(folder: Path) -> int:
    """Remove the compiled files of ``folder`` unless they were made from the sources as they are; return how many."""
    cache, dropped = folder / "__pycache__", 0
    now = _source_digests(folder)
    with contextlib.suppress(OSError):
        before = _read_stamp(cache / STAMP)
        for compiled in cache.glob("*.nb?"):
            module = compiled.name.split(".", 1)[0]
            if module not in now or before.get(module) != now[module]:
                compiled.unlink(missing_ok=True)
                dropped += 1
        if (
            before != now
        ):  # where Python writes no bytecode the folder is not there yet, and comes with the first kernel
            cache.mkdir(exist_ok=True)
            (cache / STAMP).write_text(json.dumps(now))
    return dropped


_drop_stale_cache(Path(__file__).parent)
