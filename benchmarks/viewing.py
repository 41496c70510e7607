"""Wall-clock of looking at results: opening a million steps, a report, a movie.

    python benchmarks/viewing.py [--steps N] [--frames N] [--repeats N]

Two results are made first: the impact oscillator with N steps, all recorded, and the impacting bar as shipped (1,000
steps). Then each command is a process of its own, from its start to its end, as a user would wait for it. The least of
the repeats counts; beside it stand the processor time, which says more on a busy machine, and the load.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

FPS, BAR_SECONDS = 30, 2.0
"""Pictures a second of the movie; how long the bar is simulated, s."""


def flexmb(*words: str) -> list[str]:
    """Return a command of flexmb with this interpreter."""
    return [sys.executable, "-m", "flexmb", *words]


def make(folder: Path, steps: int) -> tuple[Path, Path]:
    """Run both cases and return their folders: the long one and the bar."""
    long, bar = folder / "long", folder / "bar"
    # the step is that of the case: more steps are a longer time
    ends = [f"time.end={1e-3 * steps!r}", "output.every=1", f"output.fields_every={max(1, steps // 2000)}"]
    options = [word for end in ends for word in ("--set", end)]
    subprocess.run(flexmb("run", "impact_oscillator", "--quiet", "-o", str(long), *options), check=True)
    subprocess.run(flexmb("run", "impacting_bar", "--quiet", "-o", str(bar)), check=True)
    return long, bar


def tasks(long: Path, bar: Path, out: Path, frames: int) -> dict[str, list[str]]:
    """Return what is measured, by its words."""
    load = "import sys, flexmb as fm; r = fm.load(sys.argv[1]); print(r.time[-1], r.contacts['stop'].gap.min())"
    movie = ["--movie", str(out / "bar.mp4"), "--fps", str(FPS), "--speed", f"{BAR_SECONDS * FPS / frames:g}"]
    return {
        "fm.load, long": [sys.executable, "-c", load, str(long)],
        "view --screenshot, long": flexmb("view", str(long), "--screenshot", str(out / "long.png")),
        "report, long": flexmb("report", str(long), "-o", str(out / "long.html")),
        "view --screenshot, bar": flexmb("view", str(bar), "--screenshot", str(out / "bar.png")),
        "report, bar": flexmb("report", str(bar), "-o", str(out / "bar.html")),
        f"view --movie, bar, {frames} pictures": flexmb("view", str(bar), *movie),
    }


def measure(command: Sequence[str], repeats: int) -> tuple[float, float]:
    """Return the least wall-clock and the least processor time of a command, s."""
    walls, works = [], []
    for _ in range(repeats):
        began, worked = time.perf_counter(), _work()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        walls.append(time.perf_counter() - began)
        works.append(_work() - worked)
    return min(walls), min(works)


def _work() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--frames", type=int, default=300)
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        long, bar = make(folder, args.steps)
        print(f"long: {args.steps} steps, {(long / 'result.h5').stat().st_size / 2**20:.0f} MB")
        for words, command in tasks(long, bar, folder, args.frames).items():
            repeats = 1 if "movie" in words else args.repeats
            wall, work = measure(command, repeats)
            print(f"{words:36s} {wall:6.2f} s   processor {work:6.2f} s   load {os.getloadavg()[0]:.1f}", flush=True)
        for page in ("long.html", "bar.html"):
            print(f"{page:36s} {(folder / page).stat().st_size / 1e6:6.2f} MB")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
