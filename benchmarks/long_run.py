"""Memory and wall-clock of a million steps of the impacting bar, written to disk as ``flexmb run`` writes them.

    python benchmarks/long_run.py [--steps N] [--every N] [--fields-every N]

The run is a process of its own; the memory is its resident size and the peak of it (VmRSS and VmHWM in
``/proc/self/status``; where there is no such file, only the peak, from ``resource.getrusage``).
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

MARKS = (1, 10, 50, 100)
"""Per cent of the steps at which the memory is read; the first follows compilation and the first blocks."""


def memory_mb() -> dict[str, float]:
    """Return the resident memory of this process and its peak so far, MB."""
    status = Path("/proc/self/status")
    if status.is_file():
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
        return {key: int(lines[name].split()[0]) / 1024 for key, name in (("now", "VmRSS"), ("peak", "VmHWM"))}
    unit = 2**20 if sys.platform == "darwin" else 2**10
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    return {"now": peak, "peak": peak}


def watcher(marks: Sequence[int], report: Callable[[int, dict[str, float]], None]) -> Callable[[int, int], None]:
    """Return a progress function that reports the memory when the run passes each mark (per cent of the steps)."""
    left = sorted(marks)

    def progress(done: int, total: int) -> None:
        passed = [mark for mark in left if 100 * done >= mark * total]
        for mark in passed:
            left.remove(mark)
        if passed:
            report(passed[-1], memory_mb())

    return progress


def child(folder: Path, steps: int, every: int, fields_every: int) -> None:
    """Run the case; print the memory at the marks and at the end, one JSON object per line."""
    from flexmb.case import load_case

    overrides = [f"time.end={2e-3 * steps!r}", f"output.every={every}", f"output.fields_every={fields_every}"]
    case = load_case("impacting_bar", overrides)
    began = time.perf_counter()
    result = case.run(folder / "result", progress=watcher(MARKS, lambda mark, memory: show(mark=mark, **memory)))
    wall = time.perf_counter() - began
    disk = sum(file.stat().st_size for file in (folder / "result").iterdir()) / 2**20
    figures = {key: result.summary[key] for key in ("steps", "us_per_step", "engine")}
    show(mark="end", wall_s=wall, disk_mb=disk, **memory_mb(), **figures)


def show(**figures: object) -> None:
    """Print figures for the parent process."""
    print(json.dumps(figures), flush=True)


def measure(steps: int, every: int, fields_every: int) -> list[dict[str, Any]]:
    """Return what the run of a child process reported."""
    with tempfile.TemporaryDirectory() as name:
        numbers = [str(number) for number in (steps, every, fields_every)]
        command = [sys.executable, str(Path(__file__).resolve()), "--child", name, *numbers]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"the run ended with exit code {done.returncode}: {done.stderr.strip()[-500:]}")
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def main(argv: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--steps", type=int, default=1_000_000, help="at least 1000: the case looks at its bounce")
    parser.add_argument("--every", type=int, default=1, help="samples every so many steps")
    parser.add_argument("--fields-every", type=int, default=100_000, help="whole states every so many steps")
    args = parser.parse_args(argv)
    rows = measure(args.steps, args.every, args.fields_every)
    print(f"{args.steps} steps, samples every {args.every}, states every {args.fields_every}; memory in MB")
    print(f"  {'steps':>6s}{'now':>10s}{'peak':>10s}")
    for row in rows:
        label = f"{row['mark']} %" if row["mark"] != "end" else "closed"
        print(f"  {label:>6s}{row['now']:10.1f}{row['peak']:10.1f}")
    end = rows[-1]
    print(f"{end['wall_s']:.1f} s in all, {end['us_per_step']:.2f} us per step, {end['disk_mb']:.0f} MB on disk")
    return rows


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(Path(sys.argv[2]), *map(int, sys.argv[3:6]))
    else:
        main()
