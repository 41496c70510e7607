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
from flexmb.io.run_folder import CASE, CHECKPOINT, FIELDS, PART, RESULT, SUMMARY
from flexmb.io.structure import Tree
from flexmb.io.summary_json import read_summary
from flexmb.io.tree_check import Without, damage
from flexmb.postproc.folder_words import failure_notes, usable_case, usable_summary
from flexmb.postproc.sound_states import SomeStates, sound_states
from flexmb.result import Result, load

if TYPE_CHECKING:
    from flexmb.rotor_analysis.as_run import AsRun


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
        notes.append("the run is not finished")
        tree = WrittenRows(H5Tree(folder / (RESULT + PART)), folder / CHECKPOINT, notes)
    else:
        load(folder)  # raises the error that says what is missing
        raise InputError(f"'{folder}' is not a result folder")
    wrong, odd = damage(tree)
    if wrong:
        raise InputError(f"the result file in '{folder}' is damaged: {'; '.join(wrong)}")
    if not len(tree["/state/step"]) or not len(tree["/step"]):
        raise InputError(f"the run in '{folder}' has not written a state yet")
    if odd:
        notes.append(f"the result file is damaged, and {', '.join(odd)} left out")
        tree = Without(tree, odd)
    tree = _with_finite_states(folder, tree, notes)
    _look_at_fields(folder, notes)
    case, text = read_case(folder, notes)
    result = Result(tree, _read_summary(folder, tree, notes), text, folder)
    notes += failure_notes(result.summary)
    if "/energy/kinetic" not in tree:
        notes.append("the result file has no energies")
    return Opened(result, case, tuple(notes))


def _with_finite_states(folder: Path, tree: Tree, notes: list[str]) -> Tree:
    """Return the tree without states that are no finite numbers; what is left out goes to the notes."""
    good = sound_states(tree)
    if good.all():
        return tree
    if not good.any():
        raise InputError(f"the result file in '{folder}' is damaged: no state in it is a finite number")
    first = float(tree["/state/time"][int(np.argmin(good))])
    bad = int(np.sum(~good))
    notes.append(f"{bad} of {len(good)} states are no finite numbers and left out, the first at t = {first:.6g} s")
    return SomeStates(tree, good)


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
    notes : list of str
        Gets a word when it cannot be read.
    """

    def __init__(self, tree: H5Tree, checkpoint: Path, notes: list[str]) -> None:
        self._tree = tree
        self._rows = {"sample": _written(tree, "/step"), "field": _written(tree, "/state/step")}
        if checkpoint.is_file():
            try:
                point = read_checkpoint(checkpoint)
                self._rows = {"sample": point.samples, "field": point.fields}
            except InputError:
                notes.append(f"{checkpoint.name} cannot be read, so what stands in the file is shown")

    def __getitem__(self, name: str) -> Any:
        values = self._tree[name]
        if name.startswith("/layout/"):
            return values
        if name in ("/state/q", "/state/v", "/state/impulse"):  # whole states are large, and looked up one by one
            return FirstRows(values, self._rows["field"])
        return np.asarray(values[: self._rows["field" if name.startswith("/state/") else "sample"]])

    def __iter__(self) -> Iterator[str]:
        return iter(self._tree)

    def __len__(self) -> int:
        return len(self._tree)


class FirstRows:
    """The first rows of a dataset, read when they are sliced.

    Parameters
    ----------
    values : array-like
    count : int
        Number of rows.
    """

    def __init__(self, values: Any, count: int) -> None:
        self._values, self.dtype = values, values.dtype
        self.shape = (min(count, values.shape[0]), *values.shape[1:])

    def __len__(self) -> int:
        return int(self.shape[0])

    def __getitem__(self, part: Any) -> Any:
        rows, *columns = (part if isinstance(part, tuple) else (part,)) or (...,)
        if rows is ...:
            rows = slice(None)
        # the file has its final length: what counts from the end must count from the last row that is written
        own = slice(*rows.indices(len(self))) if isinstance(rows, slice) else np.arange(len(self))[rows]
        return self._values[(own, *columns)]


def _look_at_fields(folder: Path, notes: list[str]) -> None:
    """Note that what ParaView opens is missing or damaged; pictures do not need it."""
    path = next((p for p in (folder / FIELDS, folder / (FIELDS + PART)) if p.is_file()), None)
    state = "is missing" if path is None else "" if _opens(path) else "is damaged"
    if state:
        notes.append(f"{FIELDS}, the file for ParaView, {state}; flexmb export writes the same fields")


def _opens(path: Path) -> bool:
    try:
        H5Tree(path)
    except InputError:
        return False
    return True


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
        case = tomllib.loads(text)
    except (OSError, ValueError) as err:
        notes.append(f"{path.name} cannot be read ({err})")
        return {}, ""
    if problem := usable_case(case):
        notes.append(f"{path.name} is not that of a run: {problem}")
        return {}, text
    return case, text


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
    return sound_summary(summary, tree, notes)


def sound_summary(summary: dict[str, Any], tree: Tree, notes: list[str]) -> dict[str, Any]:
    """Return what of a summary is of the right kind; what is left out goes to the notes."""
    clean, odd = usable_summary(summary, step_of(tree))
    if odd:
        notes.append(f"{SUMMARY} is damaged, and {', '.join(odd)} left out")
    return clean


def step_of(tree: Tree) -> float:
    """Return the time step as the samples tell it, s; nan when there are not two of them."""
    if "/time" not in tree or len(tree["/time"]) < 2:
        return float("nan")
    time, step = np.asarray(tree["/time"][()]), np.asarray(tree["/step"][()])
    return float((time[-1] - time[0]) / (step[-1] - step[0]))


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
