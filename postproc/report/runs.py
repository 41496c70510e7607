"""The runs a report is about, opened and labelled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from flexmb.postproc.folder_labels import folder_labels
from flexmb.postproc.ledger import Ledger, ledger_of
from flexmb.postproc.named_curves import Curves
from flexmb.postproc.open_folder import Opened, open_folder
from flexmb.postproc.report.labels import labels_of
from flexmb.record.result import Result
from flexmb.record.summary_text import energy_warnings


@dataclass(frozen=True)
class Run:
    """One run of a report.

    Parameters
    ----------
    opened : Opened
    folder : Path
        As the user named it.
    name : str
        Of the folder, without the way to it.
    label : str
        What tells it from the others.
    colour : str
    dashed : bool
        Whether its curves are dashed: another run has the same colour.
    """

    opened: Opened
    folder: Path
    name: str
    label: str
    colour: str
    dashed: bool = False

    @property
    def result(self) -> Result:
        """The result."""
        return self.opened.result

    @property
    def notes(self) -> tuple[str, ...]:
        """What the run was told, and what is wrong with its folder, whose place on the disk is nobody's business."""
        told = [str(note) for note in self.result.summary.get("notes") or ()]
        told += energy_warnings(self.result.summary.get("energy") or {})  # runs of before did not note them
        wrong = [_without_place(note, self.folder, self.name) for note in self.opened.notes]
        gaps = self.ledger.gaps if self.ledger is not None else ""
        return (*dict.fromkeys(told), *wrong, *([gaps] if gaps else []))

    @property
    def drawable(self) -> bool:
        """Whether there are states to draw."""
        return len(self.result.tree["/state/step"]) > 0

    @cached_property
    def curves(self) -> Curves:
        """Recorded curves over time."""
        return Curves(self.result)

    @cached_property
    def ledger(self) -> Ledger | None:
        """The energy ledger, if there is one."""
        return ledger_of(self.result)


def open_runs(folders: Sequence[str | Path], colours: Callable[[int], str]) -> list[Run]:
    """Open result folders; each must hold something of a run. Runs with the colour of another one are dashed."""
    places = [Path(folder) for folder in folders]
    opened, names = [open_folder(place, undrawn=True) for place in places], folder_labels(places)
    own = [colours(k) for k in range(len(places))]
    labels = labels_of(opened, names)
    return [
        Run(one, place, name, label, own[k], dashed=own[k] in own[:k])
        for k, (one, place, name, label) in enumerate(zip(opened, places, names, labels, strict=True))
    ]


def _without_place(note: str, folder: Path, name: str) -> str:
    """Return a note in which the folder has its name only."""
    for place in sorted({str(folder.absolute()), str(folder.resolve())}, key=len, reverse=True):
        note = note.replace(place, name)
    for after in ("'", "/"):  # a relative path, such as ".", may be part of other words
        note = note.replace(f"'{folder}{after}", f"'{name}{after}")
    return note
