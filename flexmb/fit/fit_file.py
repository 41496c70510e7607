"""From the text of a fit file to its case, parameters and data; all errors are listed at once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from flexmb.case import Case
from flexmb.case.overrides import key_path
from flexmb.case.problems import Origin, Problem
from flexmb.case.read import parsed, read_text, with_overrides
from flexmb.case.read_tables import read_tables
from flexmb.case.shipped import find_file, shipped_cases, shipped_fits
from flexmb.case.toml_lines import Path as KeyPath
from flexmb.errors import InputError
from flexmb.fit.data_file import read_columns
from flexmb.fit.fit_schema import FitTables
from flexmb.record.summary import versions
from flexmb.state import Array
from flexmb.study.run_digest import file_digests
from flexmb.study.task import Task

Setting = tuple[KeyPath, Any]


@dataclass(frozen=True)
class FitFile:
    """A fit file, read and checked.

    Parameters
    ----------
    origin : Origin
        Origin of the text.
    tables : FitTables
        Tables of the file.
    case_file : Path
    case_text : str
        The case whose parameters are fitted.
    data : tuple of ((n,) array, (n,) array) or None
        Times and values of each objective that has data.
    digest : str
        Digest of everything an evaluation depends on; evaluations with another digest are ignored.
    """

    origin: Origin
    tables: FitTables
    case_file: Path
    case_text: str
    data: tuple[tuple[Array, Array] | None, ...]
    digest: str

    @property
    def name(self) -> str:
        """Name of the file without its ending."""
        return self.origin.file.stem

    @property
    def start(self) -> Array:
        """Start values of the parameters, (p,)."""
        return np.array([p.start for p in self.tables.parameter], dtype=np.float64)

    def case(
        self,
        values: Sequence[float],
        more: Sequence[Setting] = (),
        *,
        whole: bool = False,
        signals: Sequence[str] | None = None,
    ) -> Case:
        """Return the case with values of the parameters, recording the signals of the objectives.

        ``whole`` records also the signals of the case, ``signals`` these.
        """
        settings = [[list(key_path(key)), value, "[set]"] for key, value in self.tables.set.items()]
        for parameter, value in zip(self.tables.parameter, values, strict=True):
            settings.append([list(key_path(parameter.key)), float(value), f"parameter '{parameter.label}'"])
        settings += [[list(path), value, "reference"] for path, value in more]
        if signals is None:
            signals = [objective.signal for objective in self.tables.objective]
        keep = "kept" if whole else ""
        task = Task("", -1, {}, str(self.case_file.resolve()), self.case_text, settings, record=signals, keep=keep)
        return task.case()


def read_fit(source: str | Path) -> FitFile:
    """Read a fit file or a shipped fit."""
    file = find_file(source, shipped_fits(), "fit")
    text = read_text(file)
    origin = Origin(file, text)
    problems: list[Problem] = []
    tables = read_tables(FitTables, parsed(file, text), problems)
    if tables is None:
        raise origin.error(problems)
    case_file = _case_file(tables.case, file, problems)
    data, contents = [], []
    keys = [p.key for p in tables.parameter]
    for k, key in enumerate(keys):
        if key in keys[:k]:
            problems.append(Problem(("parameter", k, "key"), "is already fitted by another parameter", key))
    problems += _no_keys(tables)
    for k, objective in enumerate(tables.objective):
        columns = None
        if objective.data is not None and objective.column is not None:
            path = file.parent / objective.data
            try:
                content = read_text(path)
                time = objective.time if isinstance(objective.time, str) else None
                t, y = read_columns(path, content, time, objective.column)
                columns = (t, y * (1.0 if objective.factor is None else objective.factor))
                contents.append(content)
            except (InputError, OSError) as err:
                words = err.message if isinstance(err, InputError) else str(err)
                problems.append(Problem(("objective", k, "data"), words, objective.data))
        data.append(columns)
    if problems or case_file is None:
        raise origin.error(problems)
    case_text = read_text(case_file)
    asked = tables.model_dump(mode="json", include={"set", "parameter", "objective"})
    files = _files(case_file, case_text, tables)
    parts = [case_text, json.dumps(asked, sort_keys=True), *contents, *files, versions()["flexmb"]]
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
    return FitFile(origin, tables, case_file, case_text, tuple(data), digest)


def _no_keys(tables: FitTables) -> list[Problem]:
    """Return the texts that cannot be keys of a case."""
    given: list[tuple[KeyPath, str]] = [(("parameter", k, "key"), p.key) for k, p in enumerate(tables.parameter)]
    given += [(("set",), key) for key in tables.set]
    given += [(("objective", k, "reference"), key) for k, o in enumerate(tables.objective) for key in o.reference or ()]
    message = "is not a key of a case: it must be of the form time.step"
    return [Problem(path, message, key) for path, key in given if not key_path(key)]


def _files(case_file: Path, case_text: str, tables: FitTables) -> list[str]:
    """Return the digests of the files of the case, and of those of its references."""
    data, found = parsed(case_file, case_text), []
    for more in ({}, *(objective.reference for objective in tables.objective if objective.reference)):
        tree, _, _ = with_overrides(data, [(key_path(key), value) for key, value in {**tables.set, **more}.items()])
        found += file_digests(tree, case_file.parent)
    return found


def _case_file(name: str, fit: Path, problems: list[Problem]) -> Path | None:
    """Return the case: a path relative to the fit file, or a shipped one."""
    beside = fit.parent / name
    try:
        return beside if beside.is_file() else find_file(name, shipped_cases(), "case")
    except (InputError, OSError, ValueError) as err:
        problems.append(Problem(("case",), err.message if isinstance(err, InputError) else str(err), name))
        return None
