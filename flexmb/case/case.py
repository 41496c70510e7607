"""``Case``: a checked case file, ready to run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from flexmb.case.expectations import evaluate, probe_names, problems_of, recorded_in
from flexmb.case.part_tables import TOO_LARGE, defaults_of
from flexmb.case.problems import Problem
from flexmb.case.read import CaseValues, read_case
from flexmb.case.schema import ExpectTable
from flexmb.case.toml_writer import to_toml
from flexmb.errors import InputError
from flexmb.model import Model
from flexmb.result import Result
from flexmb.simulate import Plan, count_steps
from flexmb.system import LinearSystem, TimeFunction

Progress = Callable[[int, int], None]
INLINE = frozenset({"section", "material", "damping", "points", "function", "motion", "supports"})
"""Small tables that stand on one line in a written case."""
STATES_BYTES = 400_000_000
"""What the whole states may take on the disk, unless the case says ``fields_every``."""


@dataclass(frozen=True)
class Case:
    """A case file, read and checked.

    Parameters
    ----------
    values : CaseValues
        What the file says.
    """

    values: CaseValues

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
        """What it calls itself."""
        return self.values.tables.title

    @property
    def scheme(self) -> Any:
        """The time-stepping scheme."""
        return self.values.scheme

    @property
    def expects(self) -> list[ExpectTable]:
        """What it expects of its result."""
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
        except InputError as err:
            raise self.values.origin.wrap(err) from err
        return model

    @cached_property
    def plan(self) -> Plan:
        """The assembled system with scheme, steps and samples; physics that cannot be is an InputError."""
        tables = self.values.tables
        time, output = tables.time, tables.output
        try:
            steps, h = count_steps(time.start, time.end, time.step, time.steps)
            model = self.model()
            with np.errstate(all="ignore"):  # what overflows is found below
                system = self._assemble(model)
            _check_finite(system)
            for function, where in _time_functions(system):
                function.check_span(time.start, time.end, where)  # type: ignore[attr-defined]
        except InputError as err:
            raise self._placed(err) from err
        except (ArithmeticError, np.linalg.LinAlgError) as err:
            raise self.values.origin.wrap(InputError(TOO_LARGE)) from err
        if problems := problems_of(self.expects, system, time):
            raise self.values.origin.error(problems)
        fields_every = output.fields_every or max(1, steps // _states(system))
        solver = self.values.solver
        return Plan(system, self.scheme, solver, h, time.start, steps, output.every, fields_every)

    def _assemble(self, model: Model) -> LinearSystem:
        """Return the system with the signals asked for, and those the expectations look at."""
        needed, t0 = probe_names(self.expects), self.values.tables.time.start
        signals = self.values.tables.output.signals
        if signals is None:
            system = model.assemble(t0=t0)
            signals = [probe.name for probe in system.probes]
            if set(needed) <= set(signals):
                return system
        return model.assemble(signals=[*signals, *(name for name in needed if name not in signals)], t0=t0)

    def _placed(self, err: InputError) -> InputError:
        """Return an error of the assembly with file and line; a signal asked for by an expectation is its error."""
        listed = self.values.tables.output.signals or []
        if (err.where, err.key) == ("output", "signals") and not any(str(err.value) in name for name in listed):
            for k, expect in enumerate(self.expects):
                if str(err.value) in expect.signal:
                    return self.values.origin.error([Problem(("expect", k, "signal"), err.message, expect.signal)])
        return self.values.origin.wrap(err)

    def to_toml(self) -> str:
        """Return the case as run: overrides applied and defaults filled in."""
        values, tables, data = self.values, self.values.tables, self.values.data
        out: dict[str, Any] = tables.model_dump(include={"title", "description", "time"})
        out["scheme"] = {"name": self.scheme.name} | defaults_of(self.scheme)
        out["solver"] = tables.solver.model_dump()
        out["output"] = tables.output.model_dump() | {"fields_every": self.plan.fields_every}
        if tables.gravity is not None:
            out["gravity"] = tables.gravity.model_dump()
        if tables.initial.static:
            out["initial"] = tables.initial.model_dump()
        for part in values.parts:
            given = {key: item for key, item in data[part.role][part.name].items() if key not in ("kind", "mesh")}
            table = {"kind": part.kind} | defaults_of(part) | given
            out.setdefault(part.role, {})[part.name] = table
        out["expect"] = [{k: v for k, v in e.model_dump().items() if v not in (None, "")} for e in self.expects]
        return to_toml(out, INLINE)

    def check(self, result: Result) -> list[dict[str, Any]]:
        """Return the expectations with what came out."""
        return evaluate(self.expects, result, recorded_in(self.plan.system))

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
            What to do with a run that is there already.
        progress : callable, optional
            Called with (steps done, steps in all).
        engine : str
            "auto", "compiled" or "general".
        """
        from flexmb.case.run import run_in_folder, run_in_memory

        if out is None:
            return run_in_memory(self, progress, engine)
        return run_in_folder(self, Path(out), overwrite, resume, progress, engine)


def _time_functions(system: LinearSystem) -> list[tuple[TimeFunction, str]]:
    """Return the functions of time of a system and where they stand in the file."""
    contacts = system.contacts
    found = [(load.phi, f"loads.{load.name}.function") for load in system.loads]
    for m, motion in enumerate(contacts.motions):
        row = int(np.flatnonzero(contacts.motion_of == m)[0])
        group = contacts.names[int(np.searchsorted(contacts.start, row, side="right")) - 1]
        found.append((motion, f"contacts.{group}.motion"))
    return found


def _check_finite(system: LinearSystem) -> None:
    """Raise if numbers, each of them allowed, overflow where they meet."""
    contacts = system.contacts
    matrices = {"mass": system.M, "damping": system.C, "stiffness": system.K, "contact": contacts.G}
    arrays = {f"{name} matrix": matrix.data for name, matrix in matrices.items()}
    arrays |= {"constant forces": system.F0, "initial displacement": system.q0, "initial velocity": system.v0}
    arrays |= {"gaps": contacts.g0} | {f"load '{load.name}'": load.B for load in system.loads}
    for name, numbers in arrays.items():
        if not np.isfinite(numbers).all():
            raise InputError(f"{TOO_LARGE}: {name} not finite")


def _states(system: LinearSystem) -> int:
    """Return how many whole states are kept by default: 200, fewer when they would fill the disk."""
    size = 16 * system.nv + 72 * len(system.layout.points)
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
