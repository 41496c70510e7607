"""Arrays of a page: packed into one sequence of bytes in base64, accessed by number."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from flexmb.postproc.arrays import Array

LARGEST = 1e300
"""Larger numbers cannot be drawn: the difference of two of them may overflow."""


class Numbers:
    """Collects arrays; ``numbers.js`` reads them back as ``base + factor * stored``. Equal arrays are kept once."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0
        self._known: dict[tuple[Any, ...], int] = {}
        self.index: list[list[Any]] = []
        """Kind, first byte, count, base and factor of each array."""

    def add(self, values: Array) -> int:
        """Add numbers in double precision, nan if too large to draw; return their number on the page."""
        values = np.asarray(values, dtype=np.float64).ravel()
        return self._append("f8", np.where(np.abs(values) <= LARGEST, values, np.nan), 0.0, 1.0)

    def add_single(self, values: Any) -> int:
        """Add finite numbers with about seven digits of their range, in half the space."""
        values = np.asarray(values, dtype=np.float64).ravel()
        low, high = _ends(values)
        base, factor = 0.5 * (low + high), 0.5 * (high - low) or 1.0
        return self._append("f4", (values - base) / factor, base, factor)

    def add_coarse(self, values: Any) -> int:
        """Add finite numbers with 1/65535 of their range, in a quarter of the space."""
        values = np.asarray(values, dtype=np.float64).ravel()
        low, high = _ends(values)
        factor = (high - low) / 65535.0
        return self._append("u2", np.rint((values - low) / (factor or 1.0)), low, factor)

    def add_whole(self, values: Any) -> int:
        """Add an array of integers."""
        return self._append("i4", np.asarray(values, dtype=np.int64).ravel(), 0.0, 1.0)

    def base64(self) -> str:
        """Return all data added so far."""
        return base64.b64encode(b"".join(self._parts)).decode("ascii")

    def _append(self, kind: str, stored: Any, base: float, factor: float) -> int:
        raw = np.asarray(stored).astype("<" + kind).tobytes()
        key = (kind, raw, base, factor)
        if key not in self._known:
            self._known[key] = len(self.index)
            self.index.append([kind, self._size, len(stored), base, factor])
            raw += b"\0" * (-len(raw) % 8)
            self._parts.append(raw)
            self._size += len(raw)
        return self._known[key]


def _ends(values: Array) -> tuple[float, float]:
    return (float(values.min()), float(values.max())) if values.size else (0.0, 0.0)
