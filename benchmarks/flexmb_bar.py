"""flexmb on the bar: every scheme, as ``flexmb.simulate`` runs it."""

from __future__ import annotations

import dataclasses
import math
import time

from impacting_bar import Problem, assemble

from flexmb.drive import Plan
from flexmb.drive.simulate import run
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.record.result import MemorySink
from flexmb.record.samples import Tally
from flexmb.schemes import SCHEMES
from flexmb.schemes.scheme import Scheme
from flexmb.system.linear_system import LinearSystem


def variants(names: list[str] | None = None) -> dict[str, Scheme]:
    """Return the schemes to measure by what the table calls them: the alpha family with and without GGL.

    Explicit schemes refuse the step of the bar, and schemes without a compiled step are slow: both are left out.
    """
    found: dict[str, Scheme] = {}
    for name, cls in SCHEMES.items():
        compiled = cls.compiled_step is not Scheme.compiled_step
        if (names is not None and name not in names) or math.isfinite(cls.stability) or not compiled:
            continue
        if any(field.name == "ggl" for field in dataclasses.fields(cls)):
            found[f"{name} + GGL"] = cls(ggl=True)
            found[name] = cls(ggl=False)
        else:
            found[name] = cls()
    return found


class FlexmbBar:
    """One scheme on the bar; each measurement is a whole run with every sample kept in memory."""

    def __init__(self, name: str, scheme: Scheme, bar: Problem, system: LinearSystem | None = None) -> None:
        self.name = name
        system = assemble(bar) if system is None else system
        self.plan = Plan(system, scheme, ContactSolver(), bar.h, 0.0, bar.steps, 1, bar.steps)
        self.prepare_s = self.summary_s = float("inf")
        self.tally = Tally()
        self.seconds_of_one()  # compiles or loads the compiled loop

    def seconds_of_one(self) -> float:
        """Return the seconds of a step: contacts, ledger, tally and samples included (``us_per_step`` of a summary).

        What a run does once is kept apart: ``prepare_s`` (factorization) and ``summary_s``.
        """
        began = time.perf_counter()
        sink = MemorySink()
        outcome = run(self.plan, sink)
        ended = time.perf_counter()
        sink.result(outcome)
        self.summary_s = min(self.summary_s, time.perf_counter() - ended)
        self.prepare_s = min(self.prepare_s, ended - began - outcome.wall_time_s)
        self.tally = outcome.tally
        if outcome.engine != "compiled":
            raise RuntimeError(f"{self.name} ran on the {outcome.engine} engine")
        return outcome.wall_time_s / outcome.steps
