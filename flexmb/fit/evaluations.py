"""Evaluations of a fit on disk: each is stored immediately, so that an interrupted fit can continue."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from flexmb.errors import InputError
from flexmb.record.io.disk_space import reason
from flexmb.state import Array

FILE = "evaluations.jsonl"


class Evaluations:
    """Residuals by the exact values of the parameters; known ones are not recomputed.

    Parameters
    ----------
    folder : Path or None
        Folder of the evaluations; None: in memory.
    digest : str
        Digest of the fit; lines of another one are ignored, and remain until the file is rewritten.
    """

    def __init__(self, folder: Path | None, digest: str) -> None:
        self._known: dict[tuple[float, ...], Array | None] = {}
        self._path = None if folder is None else folder / FILE
        if self._path is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._read(digest)
            whole = "".join(self._line(digest, key, found) for key, found in self._known.items())
            fresh = self._path.with_suffix(".part")
            fresh.write_text(whole, encoding="utf-8")  # an incomplete last line is ignored
            os.replace(fresh, self._path)
        self._digest, self.found = digest, len(self._known)

    def _read(self, digest: str) -> None:
        assert self._path is not None
        if not self._path.is_file():
            return
        for line in self._path.read_text(encoding="utf-8").splitlines():
            try:
                entry = json.loads(line)
                if entry["fit"] == digest:
                    residuals = entry["residuals"]
                    self._known[tuple(entry["values"])] = None if residuals is None else np.array(residuals)
            except (ValueError, KeyError, TypeError):
                continue

    @staticmethod
    def _line(digest: str, values: tuple[float, ...], residuals: Array | None) -> str:
        kept = None if residuals is None else residuals.tolist()
        return json.dumps({"fit": digest, "values": list(values), "residuals": kept}) + "\n"

    def get(self, values: Sequence[float]) -> tuple[bool, Array | None]:
        """Return whether an evaluation is known, and its residuals; None for a run that failed."""
        key = tuple(float(v) for v in values)
        return key in self._known, self._known.get(key)

    def keep(self, values: Sequence[float], residuals: Array | None) -> None:
        """Store an evaluation."""
        key = tuple(float(v) for v in values)
        self._known[key] = residuals
        if self._path is not None:
            try:
                with self._path.open("a", encoding="utf-8") as file:
                    file.write(self._line(self._digest, key, residuals))
            except OSError as err:
                raise InputError(f"'{self._path}' cannot be written: {reason(err)}") from err

    def __len__(self) -> int:
        return len(self._known)

    def items(self) -> list[tuple[tuple[float, ...], Array | None]]:
        """Return all evaluations in the order of their computation."""
        return list(self._known.items())
