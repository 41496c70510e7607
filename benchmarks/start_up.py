"""Wall-clock of ``flexmb run impacting_bar`` from the second start on, imports included, and where the imports go.

    python benchmarks/start_up.py [--repeats N] [--first]

The numba cache is filled by a run that is not counted; ``--first`` also times a start with an empty cache.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

LISTED = 10
"""Imports listed."""


def command(folder: Path, *, options: Sequence[str] = ()) -> list[str]:
    """Return the command line of the run."""
    result = str(folder / "result")
    return [sys.executable, *options, "-m", "flexmb", "run", "impacting_bar", "-o", result, "--overwrite", "--quiet"]


class Start(NamedTuple):
    """What a start took: wall-clock, processor time (which a busy machine stretches less), and its stderr."""

    seconds: float
    cpu: float
    log: str


def start(folder: Path, *, options: Sequence[str] = (), cache: Path | None = None) -> Start:
    """Run the case in a new process."""
    environment = dict(os.environ) | ({"NUMBA_CACHE_DIR": str(cache)} if cache is not None else {})
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # a user's second start finds byte code
    used, began = children_cpu(), time.perf_counter()
    done = subprocess.run(
        command(folder, options=options), cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    seconds = time.perf_counter() - began
    if done.returncode != 0:
        raise RuntimeError(f"flexmb ended with exit code {done.returncode}: {done.stderr.strip()[-500:]}")
    return Start(seconds, children_cpu() - used, done.stderr)


def children_cpu() -> float:
    """Return the processor time of all child processes that have ended, s."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def module_times(log: str) -> dict[str, float]:
    """Return the seconds each module took without what it imports, the slowest first.

    Parameters
    ----------
    log : str
        Output of ``-X importtime``; its lines read ``import time: self [us] | cumulative | name``.
    """
    found: dict[str, float] = {}
    for line in log.splitlines():
        parts = [part.strip() for part in line.removeprefix("import time:").split("|")]
        if line.startswith("import time:") and parts[0].isdigit():
            found[parts[2]] = found.get(parts[2], 0.0) + 1e-6 * float(parts[0])
    return slowest_first(found)


def package_times(modules: dict[str, float]) -> dict[str, float]:
    """Return the seconds of the modules added up by top-level package, the slowest first."""
    total: dict[str, float] = defaultdict(float)
    for name, seconds in modules.items():
        total[name.split(".")[0]] += seconds
    return slowest_first(total)


def slowest_first(seconds: dict[str, float]) -> dict[str, float]:
    """Return the entries in the order of their values."""
    return dict(sorted(seconds.items(), key=lambda item: -item[1]))


def main(argv: Sequence[str] | None = None) -> dict[str, float]:
    """Measure and print; return the seconds."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--first", action="store_true", help="time a start with an empty numba cache too (minutes)")
    args = parser.parse_args(argv)
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if args.first:
            first = start(folder, cache=folder / "cache")
            figures["first"] = first.seconds
            print(f"first start, nothing compiled: {first.seconds:.1f} s ({first.cpu:.1f} s of processor time)")
        start(folder)
        starts = [start(folder) for _ in range(args.repeats)]
        figures |= {"min": min(s.seconds for s in starts), "median": statistics.median(s.seconds for s in starts)}
        figures["cpu"] = min(s.cpu for s in starts)
        print(
            f"from the second start on: {figures['min']:.2f} s at least, {figures['median']:.2f} s median, "
            f"{figures['cpu']:.2f} s of processor time"
        )
        log = start(folder, options=("-X", "importtime")).log
    modules = module_times(log)
    print(f"imports: {sum(modules.values()):.2f} s (with -X importtime, which slows them down)")
    for title, table in (("by package", package_times(modules)), ("by module, without what it imports", modules)):
        print(title)
        for entry, own in list(table.items())[:LISTED]:
            print(f"  {entry:48s}{1e3 * own:8.1f} ms")
    return figures


if __name__ == "__main__":
    main()
