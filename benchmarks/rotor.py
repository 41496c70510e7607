"""Processor time per step of a rotor in flexmb and in ROSS: the same model, unbalance, step and number of steps.

    python benchmarks/rotor.py [--ross PYTHON] [--quick] [--steps N] [--repeats N] [--parts 1 10 100] [--csv FILE]

ROSS lives in an environment of its own, whose interpreter ``--ross`` names:

    python -m venv ross && ross/bin/pip install ross-rotordynamics "plotly<6"
    python benchmarks/rotor.py --ross ross/bin/python

The rotor is that of the case ``rotor_rub`` (33 elements, two disks, two bearings, 1200 rpm), without its stator where
ROSS takes part. Both programs take turns; the least time of each counts, ratios are taken within a turn.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from bar import machine, slope, write_csv
from rub_rotor import BODY, STEP, RubRotor

import flexmb as fm
from flexmb.analysis.rotors.whirl_modes import rotor_modes
from flexmb.drive import Plan, choose_engine
from flexmb.drive.simulate import run
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.record.result import MemorySink

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
METHODS = ("default", "newmark")
"""Of ROSS: the exact solution for forces linear in time (scipy's lsim), and Newmark's method."""
PARTS = (1, 10, 100)
MODES = 12
SCHEME = fm.GeneralizedAlpha(rho_inf=0.9, ggl=False)
RUB_SCHEME = fm.GeneralizedAlpha(rho_inf=0.8, ggl=True)


@dataclass(frozen=True)
class Row:
    """Figures of a contender."""

    name: str
    nodes: int
    unknowns: int
    steps: int
    us_min: float
    us_median: float
    ratio: float = math.nan
    """How many times as long ROSS takes, by its faster method; nan when it was not measured."""


class FlexmbRotor:
    """flexmb on the rotor: every measurement is a whole run, preparation and samples of all steps included."""

    def __init__(self, rotor: RubRotor, steps: int, rub: bool = False) -> None:
        self.rotor, self.steps = rotor, steps
        self.name = f"flexmb, {rotor.unknowns}{', hard rub' if rub else ''}"
        self.node = f"{BODY}.node({rotor.force[0]}).displacement"
        self.system = rotor.model(rub).assemble([self.node])
        self.plan = Plan(self.system, RUB_SCHEME if rub else SCHEME, ContactSolver(), STEP, 0.0, steps, 1, steps)
        self.last = np.zeros(2)
        self.contact_steps = 0
        self.seconds_of_one()  # compiles or loads the compiled loop

    def seconds_of_one(self) -> float:
        """Return the processor seconds of a run over its number of steps."""
        began = time.process_time()
        sink = MemorySink()
        outcome = run(self.plan, sink)
        seconds = time.process_time() - began
        if outcome.engine == "general":
            raise RuntimeError("the run was not compiled")
        self.last = sink.result(outcome).signals[self.node][-1, 1:]
        self.contact_steps = outcome.tally.contact_steps
        return seconds / self.steps


class SteppingRotor:
    """flexmb without what a run does once: the compiled loop from its start to its end."""

    def __init__(self, rotor: RubRotor, steps: int) -> None:
        system = rotor.model().assemble([])
        self.steps = steps
        plan = Plan(system, SCHEME, ContactSolver(), STEP, 0.0, steps, steps, steps)
        self.engine = choose_engine(plan)
        self.engine.start()
        self.unknowns = system.nv
        self.beginning = self.engine.snapshot()
        self.seconds_of_one()

    def seconds_of_one(self) -> float:
        """Return the processor seconds of a step."""
        self.engine.restore(self.beginning, 0)
        began = time.process_time()
        self.engine.advance(self.steps)
        return (time.process_time() - began) / self.steps


class RossRotor:
    """ROSS on the rotor, in a process of its own."""

    def __init__(self, python: Path, rotor: RubRotor) -> None:
        script = Path(__file__).with_name("ross_rotor.py")
        self.process = subprocess.Popen(
            [str(python), str(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, **ONE_THREAD},
        )
        facts = self.ask(rotor.plain())
        self.version, self.unknowns = facts["version"], facts["dofs"]
        self.frequencies = np.array(facts["frequencies"])
        self.last = {method: np.zeros(2) for method in METHODS}
        for method in METHODS:
            self.seconds_of_one(method, 10)  # imports what it needs

    def __enter__(self) -> RossRotor:
        return self

    def __exit__(self, *about: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()

    def ask(self, values: dict[str, Any]) -> dict[str, Any]:
        """Send a request and return the answer."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps(values), file=self.process.stdin, flush=True)
        for line in self.process.stdout:
            word, _, rest = line.partition(" ")
            if word == "ANSWER":
                return dict(json.loads(rest))
        raise RuntimeError("ROSS ended without an answer; is it installed there? see the head of rotor.py")

    def seconds_of_one(self, method: str, steps: int) -> float:
        """Return the processor seconds of a run over its number of steps."""
        found = self.ask({"method": method, "steps": steps})
        self.last[method] = np.array(found["last"])
        return float(found["seconds"]) / steps


def frequency_table(rotor: RubRotor, ross: RossRotor | None) -> float:
    """Print the lowest lateral frequencies of both; return their largest relative difference.

    ROSS's list also has axial and torsional ones, which have no say in the lateral motion: the nearest are compared.
    """
    ours = rotor_modes(rotor.model(), count=MODES).frequency
    print(f"lowest lateral frequencies at {60.0 * rotor.speed / (2.0 * math.pi):.0f} rpm, Hz")
    print("  flexmb " + "".join(f"{f:10.4f}" for f in ours))
    if ross is None:
        return math.nan
    theirs = ross.frequencies[np.abs(ross.frequencies[None] - ours[:, None]).argmin(axis=1)]
    off = float(np.abs(theirs / ours - 1.0).max())
    print("  ROSS   " + "".join(f"{f:10.4f}" for f in theirs) + f"\n  largest relative difference {off:.1e}")
    return off


def measure(rotor: RubRotor, ross: RossRotor | None, steps: int, repeats: int) -> list[Row]:
    """Print and return the figures of both programs, taken in turn, and how far their last displacements differ."""
    ours = [FlexmbRotor(RubRotor(rotor.parts, unknowns), steps) for unknowns in ("lateral", "all")]
    ours.append(FlexmbRotor(rotor, steps, rub=True))
    methods = METHODS if ross is not None else ()
    times: list[list[float]] = []
    for _ in range(repeats):
        theirs = [ross.seconds_of_one(method, steps) for method in methods] if ross is not None else []
        times.append([1e6 * s for s in (*(c.seconds_of_one() for c in ours), *theirs)])
    us = np.array(times)
    best = us[:, len(ours) :].min(axis=1) if methods else np.full(repeats, math.nan)
    facts = [(c.name, c.system.nv) for c in ours]
    if ross is not None:
        facts += [(f"ROSS {ross.version}, {method}", ross.unknowns) for method in methods]
    rows = [
        Row(name, rotor.nodes, nv, steps, float(t.min()), float(np.median(t)), float(np.median(best / t)))
        for (name, nv), t in zip(facts, us.T, strict=True)
    ]
    print(f"\n{steps} steps of {STEP:g} s, processor time per step of whole runs; how many times as long ROSS takes")
    print(f"  {'':28s}{'unknowns':>10s}{'us/step':>10s}{'median':>10s}{'ROSS':>9s}")
    for row in rows:
        ratio = f"{row.ratio:8.1f}x" if math.isfinite(row.ratio) and row.name.startswith("flexmb") else ""
        print(f"  {row.name:28s}{row.unknowns:10d}{row.us_min:10.2f}{row.us_median:10.2f}{ratio}")
    print(f"  {ours[-1].contact_steps} of the steps of the hard rub are in contact")
    for method in methods:
        assert ross is not None
        size = float(np.linalg.norm(ross.last[method]))
        off = float(np.linalg.norm(ours[1].last - ross.last[method]))
        print(f"  last displacement of the disk: {size:.4g} m, {off / size:.1e} of it from ROSS's {method}")
    return rows


def growth(parts: Sequence[int], repeats: int, quick: bool) -> list[Row]:
    """Print and return the time of a step alone against the number of nodes."""
    sizes = [RubRotor(p) for p in parts]
    runs = [SteppingRotor(rotor, max(20, (4_000 if quick else 40_000) // rotor.parts)) for rotor in sizes]
    us = np.array([[1e6 * one.seconds_of_one() for one in runs] for _ in range(repeats)])
    rows = [
        Row("flexmb, steps alone", rotor.nodes, one.unknowns, one.steps, float(t.min()), float(np.median(t)))
        for rotor, one, t in zip(sizes, runs, us.T, strict=True)
    ]
    print("\ncost against size, lateral unknowns, steps alone")
    for row in rows:
        print(f"  {row.nodes:6d} nodes: {row.us_min:10.2f} us/step, {1e3 * row.us_min / row.nodes:8.1f} ns per node")
    if len(rows) > 1:
        p = slope([row.nodes for row in rows], [row.us_min for row in rows])
        print(f"  time ~ nodes^{p:.2f}")
    return rows


def main(argv: Sequence[str] | None = None) -> list[Row]:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--ross", type=Path, metavar="PYTHON", help="interpreter of an environment with ROSS")
    parser.add_argument("--quick", action="store_true", help="fewer steps and repeats")
    parser.add_argument("--steps", type=int, help="of a run (default: 4000)")
    parser.add_argument("--repeats", type=int, help="turns (default: 5)")
    parser.add_argument("--parts", type=int, nargs="+", default=PARTS, help="each of the 33 elements is split into")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write all figures there too")
    args = parser.parse_args(argv)
    steps = args.steps or (400 if args.quick else 4000)
    repeats = args.repeats or (2 if args.quick else 5)
    print(machine())
    if args.ross is None:
        print("ROSS is not measured (--ross PYTHON; see the head of this file)")
    with ExitStack() as stack:
        rotor = RubRotor()
        ross = None if args.ross is None else stack.enter_context(RossRotor(args.ross, rotor))
        frequency_table(rotor, ross)
        rows = measure(rotor, ross, steps, repeats)
    rows += growth(args.parts, repeats, args.quick)
    print("\n" + machine())
    if args.csv is not None:
        write_csv(args.csv, rows)
    return rows


if __name__ == "__main__":
    main()
