"""Microseconds per step of mechanisms in large motion, beside exudyn with the same model, step and tolerance.

    python benchmarks/multibody.py [--quick] [--repeats N] [--links 1 5 20 ...] [--no-exudyn] [--csv FILE]
    python benchmarks/multibody.py --profile

Processor time of one thread. The contenders on a mechanism are measured in turn, again and again, so that a busy moment
of the machine meets all of them; ratios are taken within a turn. exudyn is tried in all its variants first, and the
fastest of them take part.
"""

from __future__ import annotations

import argparse
import csv
import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from bar import machine, slope
from exudyn_mechanisms import RELATIVE, TIGHT, ExudynMechanism, Variant, installed, variants
from flexmb_mechanisms import OWN_TOLERANCE, SCHEMES, FlexmbMechanism, assemble
from mechanisms import Mechanism, beam, chain, four_bar

LINKS = (1, 5, 20, 100, 200)
FINALISTS = 2
"""Variants of exudyn that are measured together with flexmb."""


@dataclass(frozen=True)
class Row:
    """Figures of a mechanism with joints held on a level: times per step, us; what exudyn lacks is nan."""

    mechanism: str
    size: int
    level: str
    steps: int
    us: float
    """Least time of flexmb with its own tolerance."""
    us_median: float
    us_same: float
    """Least time of flexmb with exudyn's tolerance."""
    iterations: float
    iterations_same: float
    newton_error: float
    """Of the final position with exudyn's tolerance, against the own one, m."""
    limit: float
    exudyn: str = ""
    """The fastest variant."""
    exudyn_us: float = math.nan
    exudyn_us_median: float = math.nan
    exudyn_iterations: float = math.nan
    exudyn_jacobians: float = math.nan
    exudyn_newton_error: float = math.nan
    ratio: float = math.nan
    """How many times as long flexmb takes with its own tolerance: median over the turns."""
    ratio_same: float = math.nan
    """With exudyn's tolerance."""
    difference: float = math.nan
    """Largest difference of the final position of the last body, m."""


def finalists(mechanism: Mechanism, level: str) -> list[ExudynMechanism]:
    """Return exudyn in the variants that are fastest over the first steps and come to the end of all of them."""
    short = replace(mechanism, steps=max(20, mechanism.steps // 4))
    times: dict[Variant, float] = {}
    for variant in variants(mechanism):
        rival = ExudynMechanism(short, variant, level)
        with suppress(RuntimeError):
            times[variant] = min(rival.seconds_of_one() for _ in range(2))
    found: list[ExudynMechanism] = []
    for variant in sorted(times, key=lambda variant: times[variant]):
        rival = ExudynMechanism(mechanism, variant, level)
        with suppress(RuntimeError):  # angles are singular somewhere
            rival.seconds_of_one()
            found.append(rival)
        if len(found) == FINALISTS:
            break
    return found


def measure(mechanism: Mechanism, level: str, repeats: int, exudyn: bool = True) -> Row:
    """Return the figures of a mechanism, measured in turn ``repeats`` times."""
    system = assemble(mechanism)
    ours = [FlexmbMechanism(mechanism, level, tolerance, system) for tolerance in (OWN_TOLERANCE, RELATIVE)]
    # without GGL in exudyn, its joints on the level of positions stand beside ours on both
    rival_level = "index 3" if level == "GGL" else level
    theirs = finalists(mechanism, rival_level) if exudyn else []
    us = np.array([[1e6 * c.seconds_of_one() for c in (*ours, *theirs)] for _ in range(repeats)])
    row = Row(
        mechanism=mechanism.name,
        size=mechanism.size,
        level=level,
        steps=mechanism.steps,
        us=float(us[:, 0].min()),
        us_median=float(np.median(us[:, 0])),
        us_same=float(us[:, 1].min()),
        iterations=ours[0].iterations,
        iterations_same=ours[1].iterations,
        newton_error=float(np.abs(ours[1].position - ours[0].position).max()),
        limit=mechanism.limit,
    )
    if not theirs:
        return row
    best = int(np.argmin(np.median(us[:, 2:], axis=0)))
    return _with_rival(row, us, ours[0], theirs[best], us[:, 2 + best])


def _with_rival(row: Row, us: np.ndarray, ours: FlexmbMechanism, rival: ExudynMechanism, theirs: np.ndarray) -> Row:
    """Return the row with the figures of exudyn, whose times are ``theirs`` (repeats,), us."""
    return replace(
        row,
        exudyn=rival.variant.name,
        exudyn_us=float(theirs.min()),
        exudyn_us_median=float(np.median(theirs)),
        exudyn_iterations=rival.iterations,
        exudyn_jacobians=rival.jacobians / rival.mechanism.steps,
        exudyn_newton_error=_newton_error(rival),
        ratio=float(np.median(us[:, 0] / theirs)),
        ratio_same=float(np.median(us[:, 1] / theirs)),
        difference=float(np.abs(ours.position - rival.position).max()),
    )


def _newton_error(rival: ExudynMechanism) -> float:
    """Return how far the final position is from that with a tighter tolerance, m; nan if none can be reached."""
    for tolerance in TIGHT:
        tight = ExudynMechanism(rival.mechanism, rival.variant, rival.level, tolerance)
        try:
            tight.seconds_of_one()
        except RuntimeError:
            continue
        return float(np.abs(tight.position - rival.position).max())
    return math.nan


HEAD = (
    f"{'':56s}{'flexmb, us/step':>22s}{'it/step':>12s}   {'exudyn':>8s}{'it/step':>9s}{'J/step':>8s}   "
    f"{'ratio':>6s}{'same tol':>9s}{'limit':>7s}{'difference':>12s}{'Newton error':>20s}"
)


def line(row: Row) -> str:
    """Return the figures of a row as text."""
    name = f"{row.mechanism}, {row.level}"
    ours = f"{row.us:10.1f} / {row.us_same:9.1f}{row.iterations:6.2f} /{row.iterations_same:5.2f}"
    theirs = f"{row.exudyn_us:8.1f}{row.exudyn_iterations:9.2f}{row.exudyn_jacobians:8.2f}"
    compared = f"{row.ratio:6.2f}{row.ratio_same:9.2f}{row.limit:7.0f}{row.difference:12.1e}"
    errors = f"{row.newton_error:10.0e}{row.exudyn_newton_error:10.0e}"
    return f"{name:56s}{ours}   {theirs}   {compared}{errors}".replace("nan", "  -") + f"   {row.exudyn}"


def growth_table(rows: Sequence[Row]) -> str:
    """Return how the time per step grows with the number of links: p = 1 is linear."""
    own = sorted((row for row in rows if row.mechanism.startswith("chain")), key=lambda row: row.size)
    own = [row for row in own if row.level == own[0].level]
    sizes = [row.size for row in own]
    lines = [
        "time per step and link, us; exponent p of time ~ links^p, and per iteration (1 is linear)",
        f"  {'':10s}" + "".join(f"{n:>9d}" for n in sizes) + f"{'p':>8s}{'per it.':>9s}",
    ]
    columns = {
        "flexmb": ([row.us for row in own], [row.iterations for row in own]),
        "same tol": ([row.us_same for row in own], [row.iterations_same for row in own]),
        "exudyn": ([row.exudyn_us for row in own], [row.exudyn_iterations for row in own]),
    }
    for name, (us, iterations) in columns.items():
        if math.isfinite(sum(us)):
            each = "".join(f"{t / n:9.2f}" for n, t in zip(sizes, us, strict=True))
            per_iteration = [t / k for t, k in zip(us, iterations, strict=True)]
            lines.append(f"  {name:10s}{each}{slope(sizes, us):8.2f}{slope(sizes, per_iteration):9.2f}")
    return "\n".join(lines)


def problems(links: Sequence[int], quick: bool) -> list[tuple[Mechanism, str]]:
    """Return the mechanisms and the levels their joints are held on."""
    steps = 60 if quick else None
    found = [(chain(n, steps), "index 3") for n in links]
    if not quick:
        found += [(chain(20), level) for level in ("index 2", "GGL") if 20 in links]
    for mechanism in (four_bar(steps), beam(steps=steps)):
        found += [(mechanism, level) for level in (("index 3",) if quick else SCHEMES)]
    return [*found, (beam(steps=steps, planar=True), "index 3")]


def write_csv(path: Path, rows: list[Row]) -> None:
    """Write all figures."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(asdict(rows[0])))
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)


def main(argv: Sequence[str] | None = None) -> list[Row]:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--links", type=int, nargs="+", default=LINKS, help="links of the chains")
    parser.add_argument("--repeats", type=int, default=11)
    parser.add_argument("--quick", action="store_true", help="60 steps of each, joints on positions only, 3 repeats")
    parser.add_argument("--no-exudyn", action="store_true", help="leave exudyn out even if it is installed")
    parser.add_argument("--profile", action="store_true", help="where the time of flexmb goes, nothing else")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write all figures there too")
    args = parser.parse_args(argv)
    print(machine())
    if args.profile:
        from stage_times import profile

        for mechanism in (chain(20), four_bar(), beam()):
            print("\n" + profile(mechanism, list(SCHEMES)), flush=True)
        return []
    exudyn = installed() and not args.no_exudyn
    if not exudyn:
        print("exudyn is not measured (pip install exudyn)")
    print(f"two figures of flexmb: Newton to {OWN_TOLERANCE:g}, as always, and to {RELATIVE:g}, as exudyn\n\n{HEAD}")
    rows: list[Row] = []
    for mechanism, level in problems(args.links, args.quick):
        rows.append(measure(mechanism, level, 3 if args.quick else args.repeats, exudyn))
        print(line(rows[-1]), flush=True)
    if len(args.links) > 1:
        print("\n" + growth_table(rows))
    print("\n" + machine())
    if args.csv is not None:
        write_csv(args.csv, rows)
    return rows


if __name__ == "__main__":
    main()
