"""The runs of a report, opened and labelled."""

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
        Name of the folder, without its path.
    label : str
        Label that distinguishes it from the others.
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
        """The opened result."""
        return self.opened.result

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the run and on problems of its folder, without the path of the folder."""
        told = [str(note) for note in self.result.summary.get("notes") or ()]
        told += energy_warnings(self.result.summary.get("energy") or {})  # older runs did not record them
        wrong = [_without_place(note, self.folder, self.name) for note in self.opened.notes]
        gaps = self.ledger.gaps if self.ledger is not None else ""
        return (*dict.fromkeys(told), *wrong, *([gaps] if gaps else []))

    @property
    def drawable(self) -> bool:
        """Whether it has states to draw."""
        return len(self.result.tree["/state/step"]) > 0

    @cached_property
    def curves(self) -> Curves:
        """Recorded curves over time."""
        return Curves(self.result)

    @cached_property
    def ledger(self) -> Ledger | None:
        """The energy ledger, if available."""
        return ledger_of(self.result)


def open_runs(folders: Sequence[str | Path], colours: Callable[[int], str]) -> list[Run]:
    """Open result folders; each must contain something of a run. Curves with a repeated colour are dashed."""
    places = [Path(folder) for folder in folders]
    opened, names = [open_folder(place, undrawn=True) for place in places], folder_labels(places)
    own = [colours(k) for k in range(len(places))]
    labels = labels_of(opened, names)
    return [
        Run(one, place, name, label, own[k], dashed=own[k] in own[:k])
        for k, (one, place, name, label) in enumerate(zip(opened, places, names, labels, strict=True))
    ]


def _without_place(note: str, folder: Path, name: str) -> str:
    """Return a note with the name of the folder instead of its path."""
    for place in sorted({str(folder.absolute()), str(folder.resolve())}, key=len, reverse=True):
        note = note.replace(place, name)
    for after in ("'", "/"):  # a relative path, such as ".", may be part of other words
        note = note.replace(f"'{folder}{after}", f"'{name}{after}")
    return note
