"""Integrators of flexmb and DOP853 of scipy: processor time at a given error, on a linkage and through impacts.

Four-bar linkage to t = 2, double pendulum with a wall (five impacts) to t = 2.5. Of each program the loosest tolerance
that meets the error is found, and its run is repeated; the shortest processor time counts. Loading and compilation are
excluded by a first run. ``--siconos PYTHON`` also compares the bouncing ball with Siconos' event-driven simulation in
that interpreter.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy_mechanisms as scipy_side

import flexmb as fm

TOLERANCES = [10.0 ** (-0.5 * k) for k in range(8, 25)]
"""Tolerances that are tried, the loosest first."""
EVENTS = ("dopri5", "phem56", "hem5")
SIGNALS = {
    "four_bar_half_explicit": ["crank.rotation", "coupler.rotation", "rocker.rotation"],
    "double_pendulum_events": ["upper.position", "lower.position"],
}
BALL_END = 2.9
"""End of the run of the ball: its impacts accumulate at t = 3."""


class Program(NamedTuple):
    """A program: its name, and a run by tolerance that returns the final positions and the evaluations."""

    name: str
    run: Callable[[float], scipy_side.Ends]


class Row(NamedTuple):
    """A line of a table."""

    name: str
    tolerance: float
    error: float
    evaluations: int
    seconds: float


def of_flexmb(name: str, scheme: str, end: float) -> Program:
    """Return an integrator of flexmb on a shipped case, with one sample at the end."""

    def run(tolerance: float) -> scipy_side.Ends:
        sets = [f"scheme.name={scheme}", f"time.tolerance={tolerance!r}", f"output.interval={end}", "output.every=1"]
        result = fm.load_case(name, [*sets, f"output.signals={json.dumps(SIGNALS[name])}"]).run()
        last = [np.asarray(result.signals[signal])[-1] for signal in SIGNALS[name]]
        if name == "four_bar_half_explicit":
            q = np.array(scipy_side.START[:3]) + [turned[2] for turned in last]
        else:
            q = np.concatenate([position[:2] for position in last])
        seconds[0] = result.summary["cpu_time_s"]
        return q, int(result.summary["evaluations"])

    return Program(f"flexmb {scheme}", run)


seconds = [0.0]
"""Processor time of the loop of the last run of flexmb; preparation of the model is not part of a comparison."""


def four_bar() -> list[Program]:
    """Return the programs that integrate the linkage."""
    ours = [of_flexmb("four_bar_half_explicit", scheme, 2.0) for scheme in EVENTS]
    return [
        *ours,
        Program("DOP853, accelerations of flexmb", scipy_side.four_bar_of_flexmb),
        Program("DOP853, three angles, numpy", lambda tol: scipy_side.four_bar(scipy_side.array_rates, tol)),
        Program("DOP853, three angles, scalar", lambda tol: scipy_side.four_bar(scipy_side.scalar_rates, tol)),
        Program("... projected", lambda tol: scipy_side.four_bar(scipy_side.scalar_rates, tol, project=True)),
    ]


def pendulum() -> list[Program]:
    """Return the programs that integrate the pendulum."""
    ours = [of_flexmb("double_pendulum_events", scheme, 2.5) for scheme in EVENTS]
    return [*ours, Program("DOP853 with events, two angles, scalar", scipy_side.pendulum)]


def measured(program: Program, exact: np.ndarray, error: float, repeats: int) -> Row:
    """Return the shortest time at the loosest tolerance that meets the error; ValueError if none does."""
    program.run(TOLERANCES[0])
    for tolerance in TOLERANCES:
        q, evaluations = program.run(tolerance)
        found = float(np.abs(q - exact).max())
        if found <= error:
            break
    else:
        raise ValueError(f"{program.name}: no tolerance down to {TOLERANCES[-1]:g} gives an error of {error:g}")
    times = []
    for _ in range(repeats):
        seconds[0], began = 0.0, time.process_time()
        program.run(tolerance)
        times.append(seconds[0] or time.process_time() - began)
    return Row(program.name, tolerance, found, evaluations, min(times))


def table(title: str, rows: list[Row]) -> None:
    """Print a table with ratios to the last row."""
    print(f"\n{title}\n")
    print(f"{'':40}{'tolerance':>10}{'error':>10}{'evaluations':>13}{'ms':>9}{'ratio':>8}{'us/evaluation':>15}")
    for row in rows:
        per, ratio = 1e6 * row.seconds / row.evaluations, row.seconds / rows[-1].seconds
        left = f"{row.name:40}{row.tolerance:10.1e}{row.error:10.1e}{row.evaluations:13}{1e3 * row.seconds:9.1f}"
        print(f"{left}{ratio:8.1f}{per:15.1f}")


def ball(python: str, repeats: int) -> tuple[float, float]:
    """Return processor seconds of the bouncing ball, five impacts, with flexmb (DOPRI5) and with Siconos."""
    script = Path(__file__).parent / "siconos_ball.py"
    ours, theirs = [], []
    sets = ["scheme.name=dopri5", f"time.end={BALL_END}", "time.tolerance=1e-8", f"output.interval={BALL_END}"]
    for _ in range(repeats + 1):
        summary = fm.load_case("event_ball", sets).run().summary
        ours.append(summary["cpu_time_s"])
        out = subprocess.run([python, str(script), "0.1"], capture_output=True, text=True, check=True).stdout
        found = json.loads(out.splitlines()[-1])
        theirs.append(found["seconds"])
        if summary["events"]["impacts"] != len(found["impacts"]):
            raise ValueError(f"flexmb has {summary['events']['impacts']} impacts, Siconos {len(found['impacts'])}")
    return min(ours[1:]), min(theirs)


def main(arguments: list[str] | None = None) -> dict[str, list[Row]]:
    """Measure, print the tables, and return them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="error 1e-6, one repeat")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--siconos", metavar="PYTHON", help="an interpreter that has Siconos")
    given = parser.parse_args(arguments)
    error, repeats = (1e-6, 1) if given.quick else (1e-8, given.repeats)
    warnings.simplefilter("ignore", fm.RunWarning)
    out = {}
    problems = (
        ("four-bar linkage", four_bar(), scipy_side.FOUR_BAR),
        ("double pendulum", pendulum(), scipy_side.PENDULUM),
    )
    for title, programs, exact in problems:
        out[title] = [measured(program, exact, error, repeats) for program in programs]
        table(f"{title}, error {error:g}; ratio to the last row", out[title])
    if given.siconos:
        ours, theirs = ball(given.siconos, repeats)
        words = f"flexmb dopri5 {1e3 * ours:.2f} ms, Siconos {1e3 * theirs:.2f} ms, ratio {ours / theirs:.1f}"
        print(f"\nbouncing ball, five impacts, to t = {BALL_END}: {words}")
    return out


if __name__ == "__main__":
    main()
