"""Tables of analyses as CSV: one column per name, numbers in full, words as they are."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from flexmb.io.whole_file import whole_file


def write_table(path: Path, columns: Mapping[str, Any]) -> Path:
    """Write columns of one length, with their names (and units) as the first line; nan becomes an empty cell."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as fresh, fresh.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([_cell(item) for item in row] for row in zip(*columns.values(), strict=True))
    return path


def _cell(item: object) -> str:
    if isinstance(item, float | np.floating):
        return "" if np.isnan(item) else f"{float(item):.17g}"
    return str(item)
