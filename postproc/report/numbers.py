"""Arrays of a page: packed into one row of bytes, written as base64, asked for by number."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from flexmb.postproc.arrays import Array


class Numbers:
    """Collects arrays; ``chart.js`` and ``viewer.js`` read them back as ``base + factor * stored``."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0
        self.index: list[list[Any]] = []
        """Kind, first byte, count, base and factor of each array."""

    def add(self, values: Array) -> int:
        """Add numbers to about seven digits of their spread; return their number on the page."""
        values = np.asarray(values, dtype=np.float64).ravel()
        finite = values[np.isfinite(values)]
        base = 0.5 * float(finite.min()) + 0.5 * float(finite.max()) if finite.size else 0.0
        return self._append("f4", np.where(np.isfinite(values), values - base, np.nan), base, 1.0)

    def add_coarse(self, values: Array) -> int:
        """Add numbers to 1/65535 of their spread, in half the room."""
        values = np.nan_to_num(np.asarray(values, dtype=np.float64).ravel())
        low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 0.0)
        factor = (high - low) / 65535.0
        return self._append("u2", np.rint((values - low) / (factor or 1.0)), low, factor)

    def add_whole(self, values: Any) -> int:
        """Add whole numbers."""
        return self._append("i4", np.asarray(values, dtype=np.int64).ravel(), 0.0, 1.0)

    def base64(self) -> str:
        """Return everything added so far."""
        return base64.b64encode(b"".join(self._parts)).decode("ascii")

    def _append(self, kind: str, stored: Any, base: float, factor: float) -> int:
        with np.errstate(over="ignore"):  # what is too large for a float32 is drawn as no number
            raw = np.asarray(stored).astype("<" + kind).tobytes()
        self.index.append([kind, self._size, len(stored), base, factor])
        raw += b"\0" * (-len(raw) % 4)
        self._parts.append(raw)
        self._size += len(raw)
        return len(self.index) - 1
