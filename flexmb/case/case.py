"""``Case``: a checked case file, ready to run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from flexmb.case.analyses import Analyses
from flexmb.case.expectations import can_be_reached, evaluate, probe_names, problems_of, recorded_in
from flexmb.case.part_tables import TOO_LARGE, defaults_of, file_keys
from flexmb.case.problems import Problem
from flexmb.case.read import CaseValues, read_case
from flexmb.case.schema import ExpectTable, InitialTable
from flexmb.case.toml_comments import with_comments
from flexmb.case.toml_writer import to_toml
from flexmb.drive.check_plan import check_plan, early_notes
from flexmb.drive.engine import Plan
from flexmb.drive.time_grid import time_grid
from flexmb.errors import InputError
from flexmb.record.result import Result
from flexmb.shipped_data import mesh_name
from flexmb.state import Array
from flexmb.system.linear_system import LinearSystem
from flexmb.system.model import Model
from flexmb.system.multibody_system import MultibodySystem

Progress = Callable[[int, int], None]
INLINE = frozenset(
    {"section", "material", "damping", "points", "function", "motion", "drive", "supports"}
    | {"shape", "stiffness", "inertia"}
)
"""Small tables that are written on one line in a case file."""
STATES_BYTES = 400_000_000
"""Disk space that full states may take unless the case sets ``fields_every``."""


@dataclass(frozen=True)
class Case:
    """A case file, read and checked.

    Parameters
    ----------
    values : CaseValues
        Checked content of the file.
    """

    values: CaseValues

    def __repr__(self) -> str:
        scheme = getattr(self.scheme, "name", type(self.scheme).__name__)
        return f"<Case {self.name!r}: {self.title!r}, {scheme}, {len(self.expects)} expectations>"

    @property
    def file(self) -> Path:
        """The case file."""
        return self.values.origin.file

    @property
    def name(self) -> str:
        """Name of the file without its ending."""
        return self.file.stem

    @property
    def title(self) -> str:
        """Title of the case."""
        return self.values.tables.title

    @property
    def scheme(self) -> Any:
        """The time-stepping scheme."""
        return self.values.scheme

    @property
    def expects(self) -> list[ExpectTable]:
        """Expectations about the result."""
        return self.values.tables.expect

    def model(self) -> Model:
        """Return the model of named parts."""
        model, tables = Model(), self.values.tables
        try:
            for part in self.values.parts:
                model.add(part)
            if tables.gravity is not None:
                model.gravity = tuple(tables.gravity.acceleration)
            model.initial_static = tuple(tables.initial.static)
            model.initial_steady = tables.initial.steady
            model.project = tables.initial.project
            model.initial_penetration = tables.initial.penetration
        except InputError as err:
            raise self.values.origin.wrap(err) from err
        return model

    @cached_property
    def analyses(self) -> Analyses:
        """The linear analyses of its rotors."""
        return Analyses(self.model())

    @cached_property
    def recorded(self) -> dict[str, int]:
        """Quantities that expectations and measures can refer to, with their number of columns."""
        return recorded_in(self.plan.system, self.analyses)

    @property
    def grid(self) -> tuple[int, float]:
        """Number and size of the steps (with a tolerance, of the intervals between samples)."""
        time, interval = self.values.tables.time, self.values.tables.output.interval
        try:
            return time_grid(time.start, time.end, time.step, time.steps, time.tolerance, interval)
        except InputError as err:
            raise self.values.origin.wrap(err) from err

    @cached_property
    def plan(self) -> Plan:
        """The assembled system with scheme, steps and samples; physics that cannot be is an InputError."""
        tables = self.values.tables
        time, output = tables.time, tables.output
        steps, h = self.grid
        try:
            model = self.model()
            with np.errstate(all="ignore"):  # what overflows is found below
                system = model.assemble(output.signals, time.start, also=probe_names(self.expects))
            _check_finite(system)
            fields_every = output.fields_every or max(1, steps // _states(system))
            samples = (output.every, fields_every, time.tolerance or 0.0, time.events)
            plan = Plan(system, self.scheme, self.values.solver, h, time.start, steps, *samples)
            check_plan(plan)
        except InputError as err:
            raise self._placed(err) from err
        except (ArithmeticError, np.linalg.LinAlgError) as err:
            raise self.values.origin.wrap(InputError(TOO_LARGE)) from err
        asked = any(path[0] == "time" for path in self.values.origin.overridden)
        if problems := problems_of(self.expects, recorded_in(system, self.analyses), time, asked):
            raise self.values.origin.error(problems)
        return plan

    @cached_property
    def rotor_notes(self) -> tuple[str, ...]:
        """Notes on steps per revolution of rotors, and on bearings and rings at an axial distance."""
        from flexmb.case.rotor_notes import place_notes, step_notes

        return place_notes(self) + step_notes(self)

    @cached_property
    def whirl_notes(self) -> tuple[str, ...]:
        """Notes on self-excited whirl, before a run."""
        from flexmb.case.rotor_notes import whirl_notes

        return whirl_notes(self)

    @property
    def plan_notes(self) -> tuple[str, ...]:
        """Notes of the assembly, of the scheme and of the step size."""
        return early_notes(self.plan)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes that are known before a run."""
        return (*self.values.notes, *self.plan_notes, *self.rotor_notes, *self.whirl_notes)

    @cached_property
    def expectation_notes(self) -> tuple[str, ...]:
        """Notes that an override has changed the scheme or time grid that the expectations were written for."""
        from flexmb.case.expectations import expectation_notes

        return expectation_notes(self)

    def _placed(self, err: InputError) -> InputError:
        """Return an assembly error with file and line; an invalid signal is attributed to its expectation."""
        listed = self.values.tables.output.signals or []
        if (err.where, err.key) == ("output", "signals") and not any(str(err.value) in name for name in listed):
            for k, expect in enumerate(self.expects):
                if str(err.value) in expect.signal:
                    return self.values.origin.error([Problem(("expect", k, "signal"), err.message, expect.signal)])
        return self.values.origin.wrap(err)

    def to_toml(self) -> str:
        """Return the case as run: overrides applied, defaults filled in, with the comments of the file."""
        values, tables, data = self.values, self.values.tables, self.values.data
        out: dict[str, Any] = tables.model_dump(include={"title", "description", "time"})
        out["scheme"] = {"name": self.scheme.name} | defaults_of(self.scheme)
        out["solver"] = tables.solver.model_dump()
        out["output"] = tables.output.model_dump() | {"fields_every": self.plan.fields_every}
        if self.plan.tolerance:
            out["output"]["interval"] = self.plan.h
        if tables.gravity is not None:
            out["gravity"] = tables.gravity.model_dump()
        if tables.initial != InitialTable():
            out["initial"] = tables.initial.model_dump()
        for part in values.parts:
            given = {key: item for key, item in data[part.role][part.name].items() if key != "kind"}
            own = {key: getattr(part, key) for key in file_keys(type(part)) if isinstance(given.get(key), str)}
            files = {key: mesh_name(path) for key, path in own.items()}
            table = {"kind": part.kind} | defaults_of(part) | given | files
            out.setdefault(part.role, {})[part.name] = table
        if tables.exact is not None:
            out["exact"] = tables.exact.model_dump()
        # an override may have shortened the run: the written case must not refer to times after its end
        expects = [expect.model_dump() for expect in self.expects if can_be_reached(expect, tables.time)]
        out["expect"] = [{k: v for k, v in e.items() if v not in (None, "")} for e in expects]
        return with_comments(to_toml(out, INLINE), values.origin.text)

    def check(self, result: Result) -> list[dict[str, Any]]:
        """Return the expectations with their results."""
        return evaluate(self.expects, result, self.recorded, self.analyses)

    def run(
        self,
        out: str | Path | None = None,
        *,
        overwrite: bool = False,
        resume: bool = False,
        progress: Progress | None = None,
        engine: str = "auto",
    ) -> Result:
        """Run the case.

        Parameters
        ----------
        out : path, optional
            Result folder; without it the result is held in memory.
        overwrite, resume : bool
            Treatment of an existing run; at most one of them.
        progress : callable, optional
            Called with (steps done, total steps).
        engine : str
            "auto", "compiled" or "general".
        """
        from flexmb.case.run import run_in_folder, run_in_memory

        if overwrite and resume:
            raise InputError("overwrite and resume exclude each other")
        try:
            if out is None:
                return run_in_memory(self, progress, engine)
            return run_in_folder(self, Path(out), overwrite, resume, progress, engine)
        except InputError as err:  # the engine detects what the assembly cannot: accelerations that violate the joints
            raise self.values.origin.wrap(err) if err.where else err from err.__cause__


def _check_finite(system: LinearSystem | MultibodySystem) -> None:
    """Raise InputError if individually valid numbers overflow in combination."""
    arrays = _linear_arrays(system) if isinstance(system, LinearSystem) else _multibody_arrays(system)
    for name, numbers in arrays.items():
        if not np.isfinite(numbers).all():
            raise InputError(f"{TOO_LARGE}: {name} not finite")


def _linear_arrays(system: LinearSystem) -> dict[str, Array]:
    contacts = system.contacts
    matrices = {"mass": system.M, "damping": system.C, "stiffness": system.K, "contact": contacts.G}
    arrays = {f"{name} matrix": matrix.data for name, matrix in matrices.items()}
    arrays |= {"constant forces": system.F0, "initial displacement": system.q0, "initial velocity": system.v0}
    return arrays | {"gaps": contacts.g0} | {f"load '{load.name}'": load.B for load in system.loads}


def _multibody_arrays(system: MultibodySystem) -> dict[str, Array]:
    arrays = {"initial position": system.q0, "initial velocity": system.v0, "points": system.layout.points}
    return arrays | _floats(system.tables, "")


def _floats(table: Any, name: str) -> dict[str, Array]:
    """Return the arrays of numbers in a tree of named tuples."""
    if not isinstance(table, tuple):
        return {name: table} if np.asarray(table).dtype.kind == "f" else {}
    entries = zip(getattr(table, "_fields", ()), table, strict=True)
    return {k: v for key, entry in entries for k, v in _floats(entry, f"{name} {key}".strip()).items()}


def _states(system: LinearSystem | MultibodySystem) -> int:
    """Return the default number of full states to store: 200, fewer if they would fill the disk."""
    size = 8 * (system.nq + system.nv) + 72 * len(system.layout.points)
    return int(np.clip(STATES_BYTES // size, 10, 200))


def load_case(source: str | Path, overrides: Iterable[str] = ()) -> Case:
    """Read a case.

    Parameters
    ----------
    source : path or str
        A case file, or the name of a shipped case.
    overrides : iterable of str
        ``"time.step=1e-4"`` and the like; any key by its dotted name.
    """
    return Case(read_case(source, overrides))
