"""The folder of a study: finished runs are stored completely or not at all, even if processes are killed."""

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
    """The folder in which a study stores its runs.

    Parameters
    ----------
    folder : Path
        Folder, created if necessary.
    study : StudyFile
        A folder of another study is refused.
    """

    def __init__(self, folder: Path, study: StudyFile) -> None:
        self.folder, self._study = folder, study
        self.runs, self.old = folder / RUNS, folder / RUNS / "old"
        self._refuse_others()
        try:
            self.runs.mkdir(parents=True, exist_ok=True)
        except OSError as err:
            raise InputError(f"the folder '{folder}' cannot be created: {err.strerror}") from err

    def _refuse_others(self) -> None:
        other = "choose another folder with -o, or remove this one"
        path = self.folder / STUDY
        if not path.is_file():
            if found := taken_by(self.folder):
                raise InputError(
                    f"the folder '{self.folder}' contains a run ({', '.join(found)}), not a study; {other}"
                )
            return
        try:
            there = toml_tree(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as err:
            raise InputError(f"'{path}' cannot be read: {err}; {other}") from err
        tables = self._study.tables
        for key, mine in (("title", tables.title), ("case", tables.case)):
            if there.get(key, "") != mine:
                words = f"its {key} is {there.get(key, '')!r}, not {mine!r}"
                raise InputError(f"the folder '{self.folder}' contains another study ({words}); {other}")

    def begin(self) -> None:
        """Write the study as run."""
        text = self._study.origin.text
        path = self.folder / STUDY
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            write_whole(path, text)

    @contextmanager
    def locked(self, name: str = LOCK, *, wait: bool = False) -> Iterator[None]:
        """Hold a lock against other processes, until the end of the block or of this process.

        Parameters
        ----------
        name : str
            Name of the lock.
        wait : bool
            Whether to wait for a process that holds the lock; otherwise raise InputError.
        """
        with sole_writer(self.folder, name, wait=wait, what="runs the study in"):
            yield

    def read(self, key: str) -> dict[str, Any] | None:
        """Return a finished run, None if there is no valid one."""
        path = self.runs / f"{key}.json"
        if not path.is_file() and (self.old / path.name).is_file():
            self._move(key, self.old, self.runs)
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return data if isinstance(data, dict) and data.get("final") and data.get("key") == key else None

    def write(self, data: dict[str, Any]) -> None:
        """Store a finished run; first the curves of a reference, in a separate file."""
        data = dict(data)
        if curves := data.pop("curves", ""):
            write_whole(self.curves(data["key"]), base64.b64decode(curves))
        write_whole(self.runs / f"{data['key']}.json", json.dumps(data, indent=1, allow_nan=False) + "\n")

    def curves(self, key: str) -> Path:
        """Return the file with the curves of a reference run."""
        return self.runs / f"{key}.npz"

    def put_aside(self, keys: set[str]) -> None:
        """Move runs that are no longer part of the study aside; if they become part of it again, they are reused."""
        for path in list(self.runs.glob("*.json")):
            if path.stem not in keys:
                self.old.mkdir(exist_ok=True)
                self._move(path.stem, self.runs, self.old)

    def _move(self, key: str, source: Path, target: Path) -> None:
        for ending in (".npz", "", ".json"):  # the row is last: it indicates that the other files exist
            if (source / f"{key}{ending}").exists() and not (ending == "" and (target / key).exists()):
                os.replace(source / f"{key}{ending}", target / f"{key}{ending}")

    def finish(self, table: Table, summary: dict[str, Any]) -> None:
        """Write the table and the summary."""
        write_whole(self.folder / TABLE, table.to_csv())
        write_whole(self.folder / SUMMARY, json.dumps(summary, indent=2, allow_nan=False) + "\n")


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file under a temporary name and rename it; safe with several processes."""
    fresh = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")  # processes of two machines may have the same id
    try:
        fresh.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        os.replace(fresh, path)
    except OSError as err:
        fresh.unlink(missing_ok=True)
        message = (
            f"'{path}' cannot be written ({reason(err)}); finished runs are kept, and the study continues when "
            f"started again"
        )
        raise FlexmbError(message) from err
