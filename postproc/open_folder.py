"""Opening a result folder, also one whose run failed or is not finished, which its notes state.

A folder with a summary is complete as its ``status`` says; one without is that of a run that has not come to its end.
What was altered, cut or lost since is refused with the name of the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmb.errors import InputError
from flexmb.postproc.finite_states import SomeStates, finite_impulses, finite_states
from flexmb.postproc.folder_contents import CaseAsDrawn, SummaryAsShown, failure_notes, require_shown
from flexmb.postproc.written_rows import WrittenRows
from flexmb.record.io.result_h5 import H5Tree
from flexmb.record.io.run_folder import CASE, CHECKPOINT, FIELDS, PART, RESULT, SUMMARY
from flexmb.record.io.structure import Tree
from flexmb.record.io.summary_json import read_summary
from flexmb.record.io.toml_text import toml_tree
from flexmb.record.io.tree_check import require_sound
from flexmb.record.result import Result, load

if TYPE_CHECKING:
    from flexmb.analysis.rotors.run_parts import RunParts


@dataclass(frozen=True)
class Opened:
    """A result to be shown.

    Parameters
    ----------
    result : Result
    case : dict
        The tables of case.toml, empty when there is none.
    notes : tuple of str
        Problems of the folder, for the reader of the picture.
    """

    result: Result
    case: dict[str, Any]
    notes: tuple[str, ...]

    @property
    def title(self) -> str:
        """Title of the case."""
        return str(self.result.summary.get("title") or self.case.get("title") or "")

    @property
    def scheme(self) -> str:
        """The scheme and its parameters in words, e.g. ``generalized-alpha (rho_inf = 0.8, ggl = true)``."""
        scheme = dict(self.result.summary.get("scheme") or self.case.get("scheme") or {})
        name = str(scheme.pop("name", ""))
        words = ", ".join(f"{key} = {_word(value)}" for key, value in scheme.items() if value not in (None, "auto"))
        return f"{name} ({words})" if words else name

    @cached_property
    def rotors(self) -> RunParts:
        """The rotors of the case with their bearings and clearances."""
        from flexmb.analysis.rotors.run_parts import RunParts

        return RunParts(self.case)

    @property
    def h(self) -> float:
        """Time step, s."""
        return float(self.result.summary["h"])


def open_folder(folder: str | Path, *, undrawn: bool = False) -> Opened:
    """Open a result folder; the notes state whether its run failed or is not finished.

    Parameters
    ----------
    folder : str or Path
        As written by ``flexmb run`` or ``Result.save``.
    undrawn : bool
        Accept a run without any state that can be drawn, which failed at its start.
    """
    folder = Path(folder)
    notes: list[str] = []
    tree = _drawable(_tree_of(folder, notes), f"the result file in '{folder}'", notes, undrawn)
    _look_at_fields(folder, notes)
    path = next((p for p in (folder / CASE, folder / (CASE + PART)) if p.is_file()), None)
    text = (
        "" if path is None else path.read_text(encoding="utf-8", errors="replace")
    )  # results saved from Python have none
    case = drawn_case(text, path or folder / CASE)
    summary = read_summary(folder / SUMMARY) if (folder / SUMMARY).is_file() else {"h": step_of(tree, case)}
    return _opened(Result(tree, summary, text, folder), case, notes)


def opened(result: Result) -> Opened:
    """Return an existing result, from memory or from a folder, to be shown; with notes, as ``open_folder``."""
    notes: list[str] = []
    name = "the result" if result.folder is None else f"the result file in '{result.folder}'"
    tree = _drawable(result.tree, name, notes)
    case = drawn_case(result.case_text, Path(CASE))
    return _opened(Result(tree, result.summary, result.case_text, result.folder), case, notes)


def _opened(result: Result, case: dict[str, Any], notes: list[str]) -> Opened:
    name = "the summary" if result.folder is None else f"'{result.folder / SUMMARY}'"
    require_shown(SummaryAsShown, result.summary, name)
    notes[:0] = failure_notes(result.summary)
    if "/energy/kinetic" not in result.tree:
        notes.append("the result file has no energies")
    return Opened(result, case, tuple(notes))


def _tree_of(folder: Path, notes: list[str]) -> Tree:
    """Return the arrays of a folder, of an unfinished run those written so far."""
    if (folder / RESULT).is_file():
        if not (folder / SUMMARY).is_file():
            notes.append(f"the run has not reached its end: there is no {SUMMARY}")
        return H5Tree(folder / RESULT)
    if not (folder / (RESULT + PART)).is_file():
        load(folder)  # raises the error that names the missing file
        raise InputError(f"'{folder}' is not a result folder")
    notes.append("the run is not finished")
    tree = WrittenRows(H5Tree(folder / (RESULT + PART)), folder / CHECKPOINT)
    if not tree.begun:
        raise InputError(f"the run in '{folder}' has not yet written a state")
    return tree


def _drawable(tree: Tree, name: str, notes: list[str], undrawn: bool = False) -> Tree:
    """Return the finite part of a tree; omissions are added to the notes.

    Parameters
    ----------
    tree : Tree
    name : str
        What to call it.
    notes : list of str
    """
    require_sound(tree, name)
    if not len(tree["/state/step"]) or not len(tree["/step"]):
        raise InputError(f"{name} holds no state")
    good = finite_states(tree)
    if not good.any() and not undrawn:
        raise InputError(f"{name} cannot be drawn: no state in it is a finite number")
    if not good.all():
        first = float(tree["/state/time"][int(np.argmin(good))])
        words = f"{int(np.sum(~good))} of {len(good)} states are not finite and left out"
        notes.append(f"{words}, the first at t = {first:.6g} s")
        tree = SomeStates(tree, good)
    return finite_impulses(tree, notes)


def _look_at_fields(folder: Path, notes: list[str]) -> None:
    """Add a note if the ParaView file is missing or damaged; pictures do not need it."""
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


def drawn_case(text: str, file: Path) -> dict[str, Any]:
    """Return the tables of a case as run; InputError if they are not those of a case."""
    try:
        case = toml_tree(text)
    except ValueError as err:
        raise InputError(f"'{file}' cannot be read: {err}") from err
    require_shown(CaseAsDrawn, case, f"'{file}'")
    return case


def step_of(tree: Tree, case: dict[str, Any]) -> float:
    """Return the time step from the samples, s; with fewer than two that of the case, or nan."""
    if "/time" not in tree or len(tree["/time"]) < 2:
        return float(case.get("time", {}).get("step") or "nan")
    time, step = np.asarray(tree["/time"][()]), np.asarray(tree["/step"][()])
    return float((time[-1] - time[0]) / (step[-1] - step[0]))


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
