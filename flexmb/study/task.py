"""One run of a study, from text to text: the same function in a local worker and on a cluster."""

from __future__ import annotations

import base64
import io
import json
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from flexmb.case import Case
from flexmb.case.expectations import probe_names, samples
from flexmb.case.read import check_values
from flexmb.drive.compiled_files import family_of
from flexmb.drive.run import run
from flexmb.errors import FlexmbError, InputError, SimulationError
from flexmb.record.io.toml_text import toml_tree
from flexmb.record.result import MemorySink, Result
from flexmb.record.run_warnings import no_run_warnings
from flexmb.record.samples import Tally
from flexmb.record.summary import versions
from flexmb.study.axes import Setting
from flexmb.study.measuring import Curves, Wanted, measured
from flexmb.study.study_schema import MeasureTable
from flexmb.study.table import DONE, FAILED, Row, Value, row_to_json

NO_FIELDS = 2**40
"""Steps between full states if none are requested."""
_WARM: set[tuple[str, bool]] = set()
"""Compiled loops that this process has loaded."""


@dataclass(frozen=True)
class Task:
    """One run, in plain values.

    Parameters
    ----------
    key : str
        See ``keys.run_key``.
    index : int
        Its index in the study; -1 for a reference.
    axes : mapping
        Its values on the axes.
    case_file, case_text : str
        The case; its meshes are searched in the folder of the file.
    settings : list of [path, value, who said it]
        Keys that are changed.
    measures : list of dict
        Tables of ``[[measure]]``.
    ledger : bool
    references : mapping of str to str
        Keys of the reference runs by their names.
    record : list of str
        Signals of a reference whose curves are compared.
    keep : str
        Result folder; empty: the run is held in memory.
    """

    key: str
    index: int
    axes: Mapping[str, Value]
    case_file: str
    case_text: str
    settings: Sequence[Sequence[Any]]
    measures: Sequence[Mapping[str, Any]] = ()
    ledger: bool = False
    references: Mapping[str, str] = field(default_factory=dict)
    record: Sequence[str] = ()
    keep: str = ""

    def to_json(self) -> str:
        """Return the task as one line of JSON."""
        return json.dumps(asdict(self), default=str)

    @property
    def tables(self) -> list[MeasureTable]:
        """The tables of the measures."""
        return [MeasureTable.model_validate(table) for table in self.measures]

    @property
    def wanted(self) -> list[Wanted]:
        """Signals that must be recorded."""
        return [Wanted(name) for name in (*self.record, *(m.of for m in self.tables)) if name]

    def case(self) -> Case:
        """Return the case of this run, recording only requested signals, unless the result is kept."""
        data = toml_tree(self.case_text)
        data.pop("expect", None)
        changes = [(tuple(path), value) for path, value, _ in self.settings]
        said = {tuple(path): words for path, _, words in self.settings}
        output = {path[1] for path, _ in changes if len(path) == 2 and path[0] == "output"} | set(
            data.get("output", {})
        )
        if not self.keep:
            changes.append((("output", "signals"), probe_names(self.wanted)))
            if "fields_every" not in output:
                states = any(m.kind == "modes" for m in self.tables)
                changes.append((("output", "fields_every"), 1 if states else NO_FIELDS))
        return Case(check_values(Path(self.case_file), self.case_text, data, changes, said))


def settings_of(settings: Sequence[Setting]) -> list[list[Any]]:
    """Return settings as plain lists."""
    return [[list(setting.path), setting.value, setting.said] for setting in settings]


def flexmb_version() -> str:
    """Return the version of flexmb; called on workers."""
    return versions()["flexmb"]


def run_task(text: str, curves: Mapping[str, bytes]) -> str:
    """Run a task and return its row as JSON, including any error.

    Parameters
    ----------
    text : str
        ``Task.to_json``.
    curves : mapping of str to bytes
        Curves of reference runs (npz) by their keys.
    """
    task = Task(**json.loads(text))
    began, used = time.perf_counter(), time.process_time()
    numbers: dict[str, float] = {}
    arrays: dict[str, dict[str, list[float]]] = {}
    more: dict[str, Any] = {}
    notes: tuple[str, ...] = ()
    status, error, final = DONE, "", True
    case: Case | None = None
    try:
        case = task.case()
        with no_run_warnings():  # the row has the notes, and the folder of the run if it is kept
            warm(case)
            result = case.run(task.keep or None, overwrite=bool(task.keep))
        notes = _news(case, result.notes)
        known = {name: read_curves(curves[key]) for name, key in task.references.items()}
        numbers, arrays = measured(case, result, task.tables, task.ledger, known)
        if task.record:
            more["curves"] = base64.b64encode(write_curves(case, result, task.record)).decode()
    except FlexmbError as err:
        status, error = FAILED, str(err)
        final = not (task.keep and isinstance(err, InputError))  # a disk that is full now may have space later
        if case is not None:
            notes = notes or _notes_before(case, err)
    except Exception as err:  # a bug of flexmb, or no memory: the study continues, and repeats the run later
        status, error, final = FAILED, f"internal error: {type(err).__name__}: {err}", False
    if status == FAILED:
        numbers, arrays = {}, {}
    row = Row(task.index, task.key, task.axes, status, error, numbers, arrays, notes)
    more |= {"wall_time_s": time.perf_counter() - began, "cpu_time_s": time.process_time() - used}
    return row_to_json(row, final=final, versions=versions(), **more)


def _news(case: Case, notes: Iterable[str]) -> tuple[str, ...]:
    """Return notes except for those on keys that axes replace."""
    return tuple(words for words in dict.fromkeys(notes) if words not in case.values.notes)


def _notes_before(case: Case, err: FlexmbError) -> tuple[str, ...]:
    """Return the notes of a failed run: those of the case, and those of its steps."""
    met = err.tally.notes if isinstance(err, SimulationError) and isinstance(err.tally, Tally) else ()
    try:
        known = case.notes
    except FlexmbError:  # the case itself is invalid
        known = ()
    return _news(case, (*known, *met))


def warm(case: Case) -> None:
    """Load or compile the loop of a case, so that its time is not included in that of the first run."""
    family = (family_of(case.scheme), case.model().large_motion)
    if family in _WARM:
        return
    with suppress(Exception):  # errors of the case are reported when it is run
        fresh = Case(case.values)
        run(replace(fresh.plan, steps=1, every=1, fields_every=1), MemorySink())
    _WARM.add(family)


def warm_task(text: str) -> None:
    """Load or compile the loop of a task."""
    with suppress(FlexmbError), no_run_warnings():  # as in ``warm``
        warm(Task(**json.loads(text)).case())


def write_curves(case: Case, result: Result, signals: Sequence[str]) -> bytes:
    """Return time and signals of a run as npz."""
    out = io.BytesIO()
    arrays = {f"y:{name}": samples(Wanted(name), result, case.recorded) for name in signals}
    np.savez_compressed(out, allow_pickle=False, t=result.time, **arrays)
    return out.getvalue()


def read_curves(data: bytes) -> Curves:
    """Return the curves written by ``write_curves``."""
    with np.load(io.BytesIO(data)) as found:
        return Curves(found["t"], {name[2:]: found[name] for name in found.files if name.startswith("y:")})
