"""``summary.json``: plain JSON; NaN and infinity become null."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import numpy as np

from flexmb.errors import InputError


def write_summary(path: Path, summary: dict[str, Any]) -> None:
    """Write the summary to a temporary name and rename it, so that it is complete or missing."""
    fresh = path.with_name(path.name + ".part")
    with fresh.open("w", encoding="utf-8") as handle:
        json.dump(plain(summary), handle, indent=2, allow_nan=False)
        handle.write("\n")
        handle.flush()
        os.fsync(handle.fileno())
    os.replace(fresh, path)


def read_summary(path: Path) -> dict[str, Any]:
    """Read a summary."""
    try:
        summary = writable(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, RecursionError) as err:
        raise InputError(f"'{path}' cannot be read as a summary: {err}") from err
    if not isinstance(summary, dict):
        raise InputError(f"'{path}' is not a summary of a run")
    return summary


def writable(value: Any) -> Any:
    """Return JSON data with encodable strings: lone surrogates become ?."""
    if isinstance(value, dict):
        return {writable(key): writable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [writable(item) for item in value]
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else value


def plain(value: Any) -> Any:
    """Return ``value`` with numpy scalars and arrays converted to JSON types."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
