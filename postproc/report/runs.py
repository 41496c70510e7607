"""The runs a report is about: opened as far as they can be, labelled, with the exact solution beside them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from flexmb.errors import InputError
from flexmb.exact import Exact, exact_solution
from flexmb.io.result_h5 import H5Tree
from flexmb.io.run_folder import RESULT, SUMMARY
from flexmb.io.structure import Tree
from flexmb.io.summary_json import read_summary
from flexmb.io.tree_check import sound_samples
from flexmb.postproc.arrays import Array
from flexmb.postproc.folder_words import usable_summary
from flexmb.postproc.ledger import Ledger, ledger_of
from flexmb.postproc.named import Curves
from flexmb.postproc.open_folder import Opened, open_folder, read_case
from flexmb.result import Result


@dataclass(frozen=True)
class Run:
    """One run of a report.

    Parameters
    ----------
    opened : Opened
    folder : Path
        As the user named it.
    label : str
        What tells it from the others.
    colour : str
    """

    opened: Opened
    folder: Path
    label: str
    colour: str

    @property
    def result(self) -> Result:
        """The result."""
        return self.opened.result

    @property
    def notes(self) -> tuple[str, ...]:
        """What is wrong with the folder, whose place on the disk is nobody's business, and what the run was told."""
        places = {str(self.folder), str(self.folder.absolute()), str(self.folder.resolve())}
        out = [str(note) for note in self.result.summary.get("notes") or ()]
        for note in self.opened.notes:
            for place in sorted(places, key=len, reverse=True):
                note = note.replace(place, self.name)
            out.append(note)
        return tuple(out)

    @property
    def name(self) -> str:
        """Name of the folder, without the way to it."""
        return self.folder.resolve().name

    @cached_property
    def curves(self) -> Curves:
        """What was recorded over time."""
        return Curves(self.result)

    @cached_property
    def ledger(self) -> Ledger | None:
        """The energy ledger, if there is one."""
        return ledger_of(self.result) if self.sampled else None

    @property
    def sampled(self) -> bool:
        """Whether there are samples at all."""
        return "/time" in self.result.tree and len(self.result.tree["/time"]) > 0

    @property
    def drawable(self) -> bool:
        """Whether there are states to draw."""
        return "/state/step" in self.result.tree


def open_runs(folders: Sequence[str | Path], colours: Callable[[int], str]) -> list[Run]:
    """Open result folders; each must hold something of a run."""
    opened = [open_what_is_there(Path(folder)) for folder in folders]
    labels = _labels(opened, [Path(folder) for folder in folders])
    return [
        Run(one, Path(folder), label, colours(k))
        for k, (one, folder, label) in enumerate(zip(opened, folders, labels, strict=True))
    ]


def open_what_is_there(folder: Path) -> Opened:
    """Open a folder also when its result file is damaged: then what can be read, and a note that says so."""
    try:
        return open_folder(folder)
    except InputError as err:
        if not (folder / SUMMARY).is_file():
            raise
        notes = [str(err)]
    tree: Tree = {}
    if (folder / RESULT).is_file():
        try:
            tree = sound_samples(H5Tree(folder / RESULT))
        except InputError:
            tree = {}  # the note above says so
    case, text = read_case(folder, notes)
    try:
        known = read_summary(folder / SUMMARY)
    except InputError:
        raise InputError(f"{notes[0]}; its {SUMMARY} cannot be read either") from None
    summary, odd = usable_summary(known, 1.0)
    if odd:
        notes.append(f"{SUMMARY} is damaged, and {', '.join(odd)} left out")
    return Opened(Result(tree, summary, text, folder), case, tuple(notes))


def exact_of(runs: list[Run]) -> tuple[Exact | None, list[str]]:
    """Return the exact solution the runs have in common, and notes on why there is none although one is claimed."""
    notes: list[str] = []
    found: list[Exact] = []
    for run in runs:
        try:
            exact = exact_solution(run.opened.case)
        except (InputError, KeyError, TypeError, ValueError) as err:
            words = str(err) if isinstance(err, InputError) else "the exact solution cannot be read from case.toml"
            notes.append(words if len(runs) == 1 else f"{run.label}: {words}")
            continue
        found += [exact] if exact is not None else []
    if len(found) < len(runs):
        return (None, notes)
    if not all(_same(found[0], other, _times(runs[0])) for other in found[1:]):
        return None, ["the runs have different exact solutions, so none is drawn"]
    return found[0], notes


def exact_times(exact: Exact, time: Array) -> Array:
    """Return times to draw exact curves at: even ones, and both sides of every jump."""
    span = float(time[-1] - time[0])
    near = [exact.breaks - 1e-9 * span, exact.breaks + 1e-9 * span]
    out = np.unique(np.concatenate([np.linspace(time[0], time[-1], 1001), *near]))
    return np.asarray(out[(out >= time[0]) & (out <= time[-1])])


def _times(run: Run) -> Array:
    return run.curves.time if run.sampled else np.zeros(2)


def _same(a: Exact, b: Exact, time: Array) -> bool:
    t = np.linspace(float(time[0]), float(time[-1]), 23)
    return a.curves.keys() == b.curves.keys() and all(
        np.allclose(a.curves[name](t), b.curves[name](t), rtol=1e-9, atol=1e-12) for name in a.curves
    )


def _labels(opened: list[Opened], folders: list[Path]) -> list[str]:
    """Return short words that tell the runs apart: their scheme, their step, their folder, whichever does."""
    schemes = [one.scheme.partition(" (")[0] for one in opened]
    steps = [f"h = {one.h:.4g} s" for one in opened]
    names = [folder.resolve().name for folder in folders]
    choices = [
        schemes,
        steps,
        [one.scheme for one in opened],
        [f"{a}, {b}" for a, b in zip(schemes, steps, strict=True)],
        names,
        [f"{name} ({k + 1})" for k, name in enumerate(names)],
    ]
    return next(words for words in choices if len(set(words)) == len(words) and all(words))
