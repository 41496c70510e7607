"""What a run of a study costs besides its steps, and what a second core brings.

    python benchmarks/studies.py [--repeats N] [--runs N] [--steps N]

Overhead: a study of runs of ten steps in one worker; the mean time from one finished run to the next, after the first.
Throughput: runs of many steps, in one worker and in two, in turn; runs per second from the first finished one on. On a
busy machine that says more about the others; the processor time of a run, which should not grow with a second worker,
then tells what two free cores would bring.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from flexmb.study.study import load_study

STUDY = """
title = "runs of an oscillator"
case = "impact_oscillator"
ledger = true

[set]
"time.steps" = {steps}
"output.every" = {every}

[[axis]]
key = "loads.spring.stiffness"
from = 4.0
to = 5.0
count = {runs}

[[measure]]
name = "impulse"
signal = "contacts.stop.impulse"
reduce = "sum"

[[measure]]
name = "energy"
curve = "energy.total"
"""


class Went(NamedTuple):
    """How a study went: when its runs were finished, s from the start, and the median of their processor times, s."""

    times: list[float]
    cpu: float


def finished(folder: Path, runs: int, steps: int, jobs: int) -> Went:
    """Run a study into a new folder."""
    file = folder / "study.toml"
    file.write_text(STUDY.format(steps=steps, every=max(1, steps // 500), runs=runs), encoding="utf-8")
    times: list[float] = []
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(dir=folder) as out:
        load_study(file).run(out, jobs, progress=lambda done, total: times.append(time.perf_counter() - began))
        rows = [json.loads(path.read_text(encoding="utf-8")) for path in (Path(out) / "runs").glob("*.json")]
    return Went(times, statistics.median(row["cpu_time_s"] for row in rows))


def rate(times: Sequence[float], jobs: int) -> float:
    """Return runs per second: those that ended after each worker had its first, over the time since the first end."""
    return (len(times) - jobs) / (times[-1] - times[0])


def main(argv: Sequence[str] | None = None) -> dict[str, float]:
    """Measure and print; return the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument(
        "--runs", type=int, default=24, help="of the study for the throughput; four times for the overhead"
    )
    parser.add_argument("--steps", type=int, default=400_000, help="of each of its runs")
    args = parser.parse_args(argv)
    print(f"load average at the start: {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        overhead = min(1.0 / rate(finished(folder, 4 * args.runs, 10, 1).times, 1) for _ in range(args.repeats))
        print(f"overhead of a run after the first: {1e3 * overhead:.1f} ms")
        rates, cpu = {1: 0.0, 2: 0.0}, {1: math.inf, 2: math.inf}
        for _ in range(args.repeats):
            for jobs in rates:
                went = finished(folder, args.runs, args.steps, jobs)
                rates[jobs], cpu[jobs] = max(rates[jobs], rate(went.times, jobs)), min(cpu[jobs], went.cpu)
    ratio, free = rates[2] / rates[1], 2.0 * cpu[1] / cpu[2]
    print(f"throughput: {rates[1]:.2f} runs a second in one worker, {rates[2]:.2f} in two: {ratio:.2f} times as many")
    print(f"processor time of a run: {cpu[1]:.3f} s and {cpu[2]:.3f} s; two free cores: {free:.2f} times as many")
    return {"overhead": overhead, "one": rates[1], "two": rates[2], "ratio": ratio, "free": free}


if __name__ == "__main__":
    main()
