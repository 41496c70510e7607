"""A table of numbers as CSV: columns by title, one row per entry."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def write_table(path: Path, columns: Mapping[str, Any]) -> Path:
    """Write columns of one length (numbers with all their digits, or words) and return the path."""
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(columns)
        for row in zip(*columns.values(), strict=True):
            writer.writerow([f"{x:.17g}" if isinstance(x, float) else x for x in row])
    return path
