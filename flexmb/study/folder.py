"""The folder of a study: finished runs are there in full or not at all, whoever is killed when."""

from __future__ import annotations

import base64
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from flexmb.errors import FlexmbError, InputError
from flexmb.record.io.disk_space import reason
from flexmb.record.io.folder_lock import LOCK, sole_writer
from flexmb.record.io.run_folder import taken_by
from flexmb.record.io.toml_text import toml_tree
from flexmb.study.read import StudyFile
from flexmb.study.table import RUNS, STUDY, Table

TABLE, SUMMARY = "table.csv", "summary.json"


class StudyFolder:
    """Where a study keeps its runs.

    Parameters
    ----------
    folder : Path
        Need not exist yet.
    study : StudyFile
        Another study that is there is refused.
    """

    def __init__(self, folder: Path, study: StudyFile) -> None:
        self.folder, self._study = folder, study
        self.runs, self.old = folder / RUNS, folder / RUNS / "old"
        self._refuse_others()
        try:
            self.runs.mkdir(parents=True, exist_ok=True)
        except OSError as err:
            raise InputError(f"the folder '{folder}' cannot be made: {err.strerror}") from err

    def _refuse_others(self) -> None:
        other = "choose another folder with -o, or remove this one"
        path = self.folder / STUDY
        if not path.is_file():
            if found := taken_by(self.folder):
                raise InputError(f"the folder '{self.folder}' holds a run ({', '.join(found)}), not a study; {other}")
            return
        try:
            there = toml_tree(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as err:
            raise InputError(f"'{path}' cannot be read: {err}; {other}") from err
        tables = self._study.tables
        for key, mine in (("title", tables.title), ("case", tables.case)):
            if there.get(key, "") != mine:
                words = f"its {key} is {there.get(key, '')!r}, not {mine!r}"
                raise InputError(f"the folder '{self.folder}' holds another study ({words}); {other}")

    def begin(self) -> None:
        """Write the study as it is run."""
        text = self._study.origin.text
        path = self.folder / STUDY
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            write_whole(path, text)

    @contextmanager
    def locked(self, name: str = LOCK, *, wait: bool = False) -> Iterator[None]:
        """Keep other processes out, until the end of the block or of this process.

        Parameters
        ----------
        name : str
            Of the lock.
        wait : bool
            For a process that holds the lock; otherwise it is an InputError.
        """
        with sole_writer(self.folder, name, wait=wait, what="runs the study in"):
            yield

    def read(self, key: str) -> dict[str, Any] | None:
        """Return a finished run, None when there is none that counts."""
        path = self.runs / f"{key}.json"
        if not path.is_file() and (self.old / path.name).is_file():
            self._move(key, self.old, self.runs)
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return data if isinstance(data, dict) and data.get("final") and data.get("key") == key else None

    def write(self, data: dict[str, Any]) -> None:
        """Keep a finished run; the curves of a reference go to a file of their own, first."""
        data = dict(data)
        if curves := data.pop("curves", ""):
            write_whole(self.curves(data["key"]), base64.b64decode(curves))
        write_whole(self.runs / f"{data['key']}.json", json.dumps(data, indent=1, allow_nan=False) + "\n")

    def curves(self, key: str) -> Path:
        """Return the file with the curves of a reference run."""
        return self.runs / f"{key}.npz"

    def put_aside(self, keys: set[str]) -> None:
        """Move runs that the study has no more out of the way of readers; should it have them again, they come back."""
        for path in list(self.runs.glob("*.json")):
            if path.stem not in keys:
                self.old.mkdir(exist_ok=True)
                self._move(path.stem, self.runs, self.old)

    def _move(self, key: str, source: Path, target: Path) -> None:
        for ending in (".npz", "", ".json"):  # the row last: it says that the others are there
            if (source / f"{key}{ending}").exists() and not (ending == "" and (target / key).exists()):
                os.replace(source / f"{key}{ending}", target / f"{key}{ending}")

    def finish(self, table: Table, summary: dict[str, Any]) -> None:
        """Write the table and the summary."""
        write_whole(self.folder / TABLE, table.to_csv())
        write_whole(self.folder / SUMMARY, json.dumps(summary, indent=2, allow_nan=False) + "\n")


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file under a temporary name and rename it; several processes may do so at a time."""
    fresh = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")  # processes of two machines may have one id
    try:
        fresh.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        os.replace(fresh, path)
    except OSError as err:
        fresh.unlink(missing_ok=True)
        message = (
            f"'{path}' cannot be written ({reason(err)}); finished runs are kept, and started again the study goes on"
        )
        raise FlexmbError(message) from err
