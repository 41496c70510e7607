"""The runs of a study: tasks for its points and for its references."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from flexmb.case import Case
from flexmb.case.read import parsed
from flexmb.drive.compiled_files import WORDS, WORDS_LARGE, family_of, will_compile, will_compile_large
from flexmb.errors import InputError
from flexmb.study.axes import MOST_RUNS, Point, Setting, layered
from flexmb.study.case_checks import check_measures, in_study
from flexmb.study.read import StudyFile
from flexmb.study.run_digest import run_key
from flexmb.study.study_schema import EXACT, LEDGER
from flexmb.study.table import Value
from flexmb.study.task import Task, settings_of

SIGNALS = ("signal", "error", "curve")
"""Keys of a measure that name signals."""


class Runs:
    """The runs of a study.

    Parameters
    ----------
    study : StudyFile
    runs_folder : Path
        Folder of the results, if the study keeps them.
    """

    def __init__(self, study: StudyFile, runs_folder: Path | None = None) -> None:
        self.study, self._folder = study, runs_folder
        self._sources = {"": (study.case_file, study.case_text), **study.cases}
        self._data = {name: parsed(*source) for name, source in self._sources.items()}
        self._measures = [m.model_dump(by_alias=True, exclude_unset=True) for m in study.tables.measure]
        self._known: dict[tuple[Any, ...], Task] = {}

    @cached_property
    def _recorded(self) -> dict[str, list[str]]:
        """The signals compared with each reference; references without comparisons are not run."""
        out: dict[str, list[str]] = {}
        for m in self.study.tables.measure:
            if m.error is not None and m.against != EXACT and m.error not in out.setdefault(m.against, []):
                out[m.against].append(m.error)
        return out

    def _measures_at(self, point: Point) -> list[dict[str, Any]]:
        """Return the measures with the values of the point for names in braces."""
        words = point.words()
        return [
            {key: filled(item, words) if key in SIGNALS else item for key, item in measure.items()}
            for measure in self._measures
        ]

    def task(self, point: Point) -> Task:
        """Return the task of a point."""
        references = {name: self.reference(name, point).key for name in self._recorded}
        measures, ledger = self._measures_at(point), self.study.tables.ledger
        asked = {"measures": [_silent(m) for m in measures], "ledger": ledger and LEDGER, "references": references}
        settings = layered(self.study.common, point.settings())
        task = self._task(point.index, point.axes, point.case(), settings, asked)
        return replace(task, measures=measures, ledger=ledger, references=references)

    def reference(self, name: str, point: Point) -> Task:
        """Return the reference run of a point."""
        follow = self.study.tables.reference[name].follow
        axes = {axis: point.axes[axis] for axis in follow}
        record = [filled(signal, point.words()) for signal in self._recorded[name]]
        place = (name, *axes.values(), *record)
        if place not in self._known:
            settings = layered(self.study.common, point.settings(follow), self.study.references[name])
            task = self._task(-1, axes, point.case(follow), settings, {"record": record})
            self._known[place] = replace(task, record=record)
        return self._known[place]

    def references(self, point: Point) -> dict[str, Task]:
        """Return the reference runs of a point by name."""
        return {name: self.reference(name, point) for name in self._recorded}

    def _task(
        self, index: int, axes: dict[str, Value], case: str, settings: tuple[Setting, ...], asked: dict[str, Any]
    ) -> Task:
        (file, text), keep = self._sources[case], self.study.tables.keep
        key = run_key(self._data[case], file.parent, settings, asked | {"keep": keep})
        kept = str((self._folder / key).resolve()) if keep and self._folder is not None else ""
        return Task(key, index, axes, str(file.resolve()), text, settings_of(settings), keep=kept)

    def check(self, say: Callable[[str], None]) -> list[Task]:
        """Check everything possible before the first run; return tasks whose loops are to be compiled first.

        Parameters
        ----------
        say : callable
            Called with messages on long operations.
        """
        points = list(self.study.grid.corners())
        cases = [self._checked(self.task(point)) for point in points]
        for name in self._recorded:
            self._checked(self.reference(name, points[0]))
        if any(case.model().large_motion for case in cases) and will_compile_large():
            say(WORDS_LARGE)  # already needed for the assembly
        seen: set[str] = set()
        for point, case in zip(points, cases, strict=True):
            if point.case() not in seen:
                seen.add(point.case())
                check_measures(self.study, case, self.task(point).tables)
        missing: dict[str, Task] = {}
        for point, case in zip(points, cases, strict=True):
            if not case.model().large_motion and will_compile(case.scheme):
                missing.setdefault(family_of(case.scheme), self.task(point))
        if missing:
            say(WORDS)
        return list(missing.values())

    def check_first(self) -> None:
        """Check the first run only: whether the keys and signals of the study exist."""
        task = self.task(self.study.grid[0])
        check_measures(self.study, self._checked(task), task.tables)

    def _checked(self, task: Task) -> Case:
        """Return the case of a task; its errors are reported with the axis that causes them."""
        try:
            case = task.case()
            case.grid  # noqa: B018  (a step that does not divide the time comes out here)
        except InputError as err:
            raise in_study(self.study, err) from err
        return case

    def check_count(self, yes: bool) -> None:
        """Raise if the number of runs is probably a mistake."""
        count = self.study.grid.count
        if count > MOST_RUNS and not yes:
            sizes = " x ".join(str(size) for size in self.study.grid.sizes)
            message = f"the axes span {count} runs ({sizes}), more than {MOST_RUNS}; --yes runs them anyway"
            raise in_study(self.study, InputError(message))


def filled(signal: str, words: Mapping[str, str]) -> str:
    """Return a signal with values for its names in braces; an unknown name remains, which is not a valid signal."""
    for name, word in words.items():
        signal = signal.replace("{" + name + "}", word)
    return signal


def _silent(measure: dict[str, Any]) -> dict[str, Any]:
    """Return a measure without the texts for pictures."""
    return {key: value for key, value in measure.items() if key not in ("unit", "label")}
