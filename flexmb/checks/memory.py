"""Estimated memory requirement of a model, checked against the available memory before assembly."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable

from flexmb.errors import InputError

UNKNOWN = 8_000_000_000
"""Bytes assumed to be free if the system does not report them."""
ALWAYS = 500_000_000
"""Bytes that a model may always use, since reports of free memory are not exact."""
GIVE_WAY = ("inactive_file", "active_file", "slab_reclaimable")
"""Entries of memory.stat for memory that is reclaimed when needed."""


class Size(NamedTuple):
    """Memory requirement of a body.

    Parameters
    ----------
    where : str
        The body in a case file.
    elements : int
    bytes : int
        Peak memory during assembly, measured with many elements.
    """

    where: str
    elements: int
    bytes: int


@runtime_checkable
class Sized(Protocol):
    """A body that can be large."""

    def memory(self, large: bool) -> Size:
        """Return the memory requirement in a model of small or large motion, bytes."""
        ...


def available_bytes() -> int:
    """Return the memory that is free for this process."""
    found = [_meminfo(), _group()]
    known = [size for size in found if size is not None]
    if known:
        return max(min(known), 0)
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # not on Windows
        return UNKNOWN


def _meminfo() -> int | None:
    """Return the available memory as reported by Linux, bytes."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        return next(1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration, ValueError):
        return None


def _group(folder: Path = Path("/sys/fs/cgroup")) -> int | None:
    """Return the memory left within the limit of a container, bytes; None without a limit; caches count as free."""
    try:
        left = int((folder / "memory.max").read_text()) - int((folder / "memory.current").read_text())
    except (OSError, ValueError):  # no such limit: the word is "max"
        return None
    try:
        lines = [line.split() for line in (folder / "memory.stat").read_text().splitlines()]
        return left + sum(int(size) for name, size in lines if name in GIVE_WAY)
    except (OSError, ValueError):
        return left


def check_memory(sizes: Iterable[Size]) -> None:
    """Raise InputError, naming the largest body, if the model exceeds the available memory."""
    sizes = list(sizes)
    needed, free = sum(size.bytes for size in sizes), available_bytes()
    if needed <= max(free, ALWAYS):
        return
    largest = max(sizes, key=lambda size: size.bytes)
    words = f"the model would take about {_gigabytes(needed)} of memory, and {_gigabytes(free)} are available"
    if largest.bytes < needed:
        words += f"; this body, the largest, {_gigabytes(largest.bytes)} of it"
    raise InputError(words, where=largest.where, key="elements", value=largest.elements)


def _gigabytes(size: int) -> str:
    return f"{min(size, 10**30) / 1e9:.3g} GB"
