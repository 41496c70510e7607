"""Opening a result folder to look at it: also one whose run failed, is not finished, or lost a file."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmb.errors import InputError
from flexmb.io.checkpoint import read_checkpoint
from flexmb.io.result_h5 import H5Tree
from flexmb.io.run_folder import CASE, CHECKPOINT, PART, RESULT, SUMMARY
from flexmb.io.structure import Tree
from flexmb.io.summary_json import read_summary
from flexmb.result import Result, load

if TYPE_CHECKING:
    from flexmb.rotor_analysis.as_run import AsRun

NEEDED = ("/time", "/step", "/state/step", "/state/time", "/state/q", "/state/v", "/state/impulse", "/layout/points")
"""Without these there is nothing to draw."""


@dataclass(frozen=True)
class Opened:
    """A result to look at.

    Parameters
    ----------
    result : Result
    case : dict
        The tables of case.toml, empty when there is none.
    notes : tuple of str
        What is wrong with the folder, for the reader of the picture.
    """

    result: Result
    case: dict[str, Any]
    notes: tuple[str, ...]

    @property
    def title(self) -> str:
        """What the case calls itself."""
        return str(self.result.summary.get("title") or self.case.get("title") or "")

    @property
    def scheme(self) -> str:
        """The scheme and its parameters in words, e.g. ``generalized-alpha (rho_inf = 0.8, ggl = true)``."""
        scheme = dict(self.result.summary.get("scheme") or self.case.get("scheme") or {})
        name = str(scheme.pop("name", ""))
        words = ", ".join(f"{key} = {_word(value)}" for key, value in scheme.items() if value not in (None, "auto"))
        return f"{name} ({words})" if words else name

    @cached_property
    def rotors(self) -> AsRun:
        """The rotors of the case with their bearings and clearances."""
        from flexmb.rotor_analysis.as_run import AsRun

        return AsRun(self.case)

    @property
    def h(self) -> float:
        """Time step, s."""
        return float(self.result.summary["h"])


def open_folder(folder: str | Path) -> Opened:
    """Open a result folder; what is missing or unfinished is said in the notes.

    Parameters
    ----------
    folder : str or Path
        As written by ``flexmb run`` or ``Result.save``.
    """
    folder = Path(folder)
    notes: list[str] = []
    if (folder / RESULT).is_file():
        tree: Tree = H5Tree(folder / RESULT)
    elif (folder / (RESULT + PART)).is_file():
        tree = WrittenRows(H5Tree(folder / (RESULT + PART)), folder / CHECKPOINT)
        notes.append("the run is not finished")
    else:
        load(folder)  # raises the error that says what is missing
        raise InputError(f"'{folder}' is not a result folder")
    if missing := [name for name in NEEDED if name not in tree]:
        raise InputError(f"the result file in '{folder}' is damaged: it lacks {', '.join(missing)}")
    if not len(tree["/state/step"]):
        raise InputError(f"the run in '{folder}' has not written a state yet")
    case, text = read_case(folder, notes)
    result = Result(tree, _read_summary(folder, tree, notes), text, folder)
    if result.summary.get("status") == "failed":
        notes.append("the run failed: " + str((result.summary.get("failure") or {}).get("error", "see summary.json")))
    if "/energy/kinetic" not in tree:
        notes.append("the result file has no energies")
    return Opened(result, case, tuple(notes))


def opened(result: Result) -> Opened:
    """Return a result that is at hand, from memory or from a folder, to look at."""
    case = tomllib.loads(result.case_text) if result.case_text else {}
    return Opened(result, case, ())


class WrittenRows(Mapping[str, Any]):
    """The rows an unfinished run has written; its datasets have their final length, with zeros to come.

    Parameters
    ----------
    tree : H5Tree
        The unfinished file.
    checkpoint : Path
        Says how many rows are surely on the disk, when it is there.
    """

    def __init__(self, tree: H5Tree, checkpoint: Path) -> None:
        self._tree = tree
        if checkpoint.is_file():
            point = read_checkpoint(checkpoint)
            self._rows = {"sample": point.samples, "field": point.fields}
        else:
            self._rows = {"sample": _written(tree, "/step"), "field": _written(tree, "/state/step")}

    def __getitem__(self, name: str) -> Any:
        values = self._tree[name]
        if name.startswith("/layout/") or name in ("/state/q", "/state/v", "/state/impulse"):
            return values  # whole states are large and only looked up one by one, below len(/state/step)
        return np.asarray(values[: self._rows["field" if name.startswith("/state/") else "sample"]])

    def __iter__(self) -> Iterator[str]:
        return iter(self._tree)

    def __len__(self) -> int:
        return len(self._tree)


def _written(tree: Tree, name: str) -> int:
    """Return the number of rows before the first that is still zero (row 0 is step 0)."""
    if name not in tree or not len(tree[name]):
        return 0
    steps = np.asarray(tree[name][()])
    empty = np.flatnonzero(steps[1:] == 0)
    return int(empty[0]) + 1 if empty.size else len(steps)


def read_case(folder: Path, notes: list[str]) -> tuple[dict[str, Any], str]:
    """Return the tables and the text of case.toml, both empty when there is none; what is wrong goes to the notes."""
    path = next((p for p in (folder / CASE, folder / (CASE + PART)) if p.is_file()), None)
    if path is None:
        return {}, ""  # a result saved from Python has no case file
    try:
        text = path.read_text(encoding="utf-8")
        return tomllib.loads(text), text
    except (OSError, ValueError) as err:
        notes.append(f"{path.name} cannot be read ({err})")
        return {}, ""


def _read_summary(folder: Path, tree: Tree, notes: list[str]) -> dict[str, Any]:
    """Return the summary, or the little that the samples tell when there is none."""
    path = folder / SUMMARY
    summary: dict[str, Any] = {}
    if path.is_file():
        try:
            summary = read_summary(path)
        except InputError as err:
            notes.append(str(err))
    elif (folder / RESULT).is_file():
        notes.append(f"there is no {SUMMARY}")
    time, step = np.asarray(tree["/time"][()]), np.asarray(tree["/step"][()])
    h = float((time[-1] - time[0]) / (step[-1] - step[0])) if len(step) > 1 and step[-1] > step[0] else 1.0
    return {"h": h} | summary


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
