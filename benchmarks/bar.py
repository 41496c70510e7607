"""Microseconds per step of every scheme on the impacting bar, beside a bare tridiagonal solve and exudyn.

    python benchmarks/bar.py [--sizes 200 1000 ...] [--schemes NAME ...] [--repeats N] [--steps N] [--csv FILE]

All contenders of a size are measured in turn, again and again, so that a busy moment of the machine meets all of them;
the figures are the least of the repeats, and ratios to the bare solve of the same run.
"""

from __future__ import annotations

import argparse
import csv
import math
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Protocol

import numpy as np
from bare_solve import BareSolve
from exudyn_bar import ExudynBar, installed
from flexmb_bar import FlexmbBar, variants
from impacting_bar import Problem, assemble, problem

SIZES = (200, 1_000, 10_000, 100_000)


class Contender(Protocol):
    """Something that takes steps (or solves) and says how long one takes."""

    name: str

    def seconds_of_one(self) -> float:
        """Return the seconds of one step."""
        ...


@dataclass(frozen=True)
class Row:
    """Figures of a contender at a size; times per step, ratios to the bare solve of the same run."""

    elements: int
    steps: int
    name: str
    us_min: float
    us_median: float
    ratio_min: float
    ratio_median: float
    exudyn_ratio: float = math.nan
    """How many times as long exudyn takes; nan when it was not measured."""
    contact_steps: int = 0
    prepare_ms: float = math.nan
    summary_ms: float = math.nan


def contenders_of(bar: Problem, schemes: list[str] | None, exudyn: bool) -> list[Contender]:
    """Return who is measured at a size, the bare solve first."""
    system = assemble(bar)
    found: list[Contender] = [BareSolve(bar)]
    found += [FlexmbBar(name, scheme, bar, system) for name, scheme in variants(schemes).items()]
    if exudyn:
        try:
            found.append(ExudynBar(bar))
        except AttributeError as err:
            print(f"exudyn is left out, its interface is another one than that of 1.13: {err}")
    return found


def measure(bar: Problem, repeats: int, schemes: list[str] | None = None, exudyn: bool = True) -> list[Row]:
    """Return the figures of all contenders at a size, measured in turn ``repeats`` times."""
    contenders = contenders_of(bar, schemes, exudyn)
    us = np.array([[1e6 * c.seconds_of_one() for c in contenders] for _ in range(repeats)])
    rival = next((us[:, i].min() for i, c in enumerate(contenders) if isinstance(c, ExudynBar)), math.nan)
    return [_row(bar, c, mine, us[:, 0], rival) for c, mine in zip(contenders, us.T, strict=True)]


def _row(bar: Problem, contender: Contender, us: np.ndarray, bare: np.ndarray, rival: float) -> Row:
    """Return the figures of a contender from its times and those of the bare solve, each (repeats,), us."""
    least, ratio = float(us.min()), float(us.min() / bare.min())
    row = Row(bar.elements, bar.steps, contender.name, least, float(np.median(us)), ratio, float(np.median(us / bare)))
    if not isinstance(contender, FlexmbBar):
        return row
    return replace(
        row,
        exudyn_ratio=float(rival / least),
        contact_steps=contender.tally.contact_steps,
        prepare_ms=1e3 * contender.prepare_s,
        summary_ms=1e3 * contender.summary_s,
    )


def size_table(rows: list[Row]) -> str:
    """Return the figures of a size as text."""
    ours = [row for row in rows if row.contact_steps]
    contact = max((row.contact_steps for row in ours), default=0)
    lines = [
        f"{rows[0].elements} elements, {rows[0].steps} steps, {contact} of them in contact",
        f"  {'':34s}{'us/step':>10s}{'median':>10s}{'x bare':>9s}{'median':>9s}{'exudyn':>9s}",
    ]
    for row in rows:
        rival = f"{row.exudyn_ratio:8.1f}x" if math.isfinite(row.exudyn_ratio) else ""
        figures = f"{row.us_min:10.2f}{row.us_median:10.2f}{row.ratio_min:9.2f}{row.ratio_median:9.2f}{rival}"
        lines.append(f"  {row.name:34s}{figures}")
    if ours:
        prepare, summary = (max(getattr(row, name) for row in ours) for name in ("prepare_ms", "summary_ms"))
        lines.append(f"  once per run: at most {prepare:.1f} ms to prepare, {summary:.1f} ms for the summary")
    return "\n".join(lines)


def slope(sizes: Sequence[float], times: Sequence[float]) -> float:
    """Return the exponent p of the fit time ~ size^p."""
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def growth_table(rows: list[Row]) -> str:
    """Return how the time per step grows with the number of elements: 1 is linear."""
    sizes = sorted({row.elements for row in rows})
    lines = [
        "time per step and element, ns; exponent p of time ~ elements^p (1 is linear)",
        f"  {'':34s}" + "".join(f"{n:>10d}" for n in sizes) + f"{'p':>8s}",
    ]
    for name in dict.fromkeys(row.name for row in rows):
        own = sorted((row.elements, row.us_min) for row in rows if row.name == name)
        each = "".join(f"{1e3 * us / n:10.2f}" for n, us in own)
        p = f"{slope(*zip(*own, strict=True)):8.2f}" if len(own) > 1 else ""
        lines.append(f"  {name:34s}{each}{p}")
    return "\n".join(lines)


def write_csv(path: Path, rows: list[Row]) -> None:
    """Write all figures."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(asdict(rows[0])))
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)


def machine() -> str:
    """Return what the figures were taken on, and how busy it was."""
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores{load}, Python {platform.python_version()}"


def main(argv: Sequence[str] | None = None) -> list[Row]:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="numbers of elements")
    parser.add_argument("--schemes", nargs="+", help="names as in 'flexmb schemes' (default: all)")
    parser.add_argument("--repeats", type=int, default=25)
    parser.add_argument("--steps", type=int, help="steps per measurement (default: by size, 60 to 1000)")
    parser.add_argument("--no-exudyn", action="store_true", help="leave exudyn out even if it is installed")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write all figures there too")
    args = parser.parse_args(argv)
    if unknown := set(args.schemes or ()) - {name.removesuffix(" + GGL") for name in variants()}:
        parser.error(f"no such scheme: {', '.join(sorted(unknown))}")
    print(machine())
    exudyn = installed() and not args.no_exudyn
    if not exudyn:
        print("exudyn is not measured (pip install exudyn)")
    rows: list[Row] = []
    for n in args.sizes:
        rows += measure(problem(n, args.steps), args.repeats, args.schemes, exudyn)
        print("\n" + size_table([row for row in rows if row.elements == n]), flush=True)
    if len(args.sizes) > 1:
        print("\n" + growth_table(rows))
    print("\n" + machine())
    if args.csv is not None:
        write_csv(args.csv, rows)
    return rows


if __name__ == "__main__":
    main()
