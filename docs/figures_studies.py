"""Make the pictures of docs/study_figures.md: ``python docs/figures_studies.py`` all of them, or those that are named.

The tables are made here, run by run, as ``flexmb study`` makes them from a file; docs/images holds the pictures.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import matplotlib
import numpy as np

import flexmb as fm
from flexmb.analysis.exact import exact_solution
from flexmb.analysis.measures import graph_distance, grid_norm
from flexmb.analysis.modal_energy import modal_measure
from flexmb.case.case import Case
from flexmb.postproc.study.columns import Columns
from flexmb.postproc.study.draw import draw_figure
from flexmb.postproc.study.spec import spec_of
from flexmb.postproc.style import STYLE
from flexmb.study.table import DONE, Row, Table

IMAGES = Path(__file__).parent / "images"
SCHEMES = {
    "Moreau-Jean, θ = 1/2": ["scheme={name='moreau-jean', theta=0.5}"],
    "Moreau-Jean, θ = 0.6": ["scheme={name='moreau-jean', theta=0.6}"],
    "Moreau-Jean dissipative": ["scheme={name='moreau-jean-dissipative'}"],
    "Schatzman-Paoli": ["scheme={name='schatzman-paoli'}"],
    "Newmark": ["scheme={name='newmark'}"],
    "HHT, α = 0.1": ["scheme={name='hht', alpha=0.1}"],
    "generalized-α, ρ∞ = 0.8": ["scheme={name='generalized-alpha', rho_inf=0.8}"],
    "generalized-α, ρ∞ = 0": ["scheme={name='generalized-alpha', rho_inf=0.0}"],
}
FOUR = ["Moreau-Jean, θ = 1/2", "Schatzman-Paoli", "Newmark", "generalized-α, ρ∞ = 0.8"]
PRIMES = [211, 269, 347, 443, 563, 727, 929, 1187, 1523, 1949, 2503, 3203, 4099, 5237, 6701]
"""Step counts: impacts then fall at all places between two steps."""
ROUNDS = 30
"""Runs for a time."""
NAMES = {
    "axis": [{"name": "scheme"}, {"name": "steps", "label": "number of steps"}, {"name": "h", "unit": "s"}],
    "measure": [
        {"name": "L1", "error": "ball.velocity.x", "label": "error of the velocity, L1 norm"},
        {
            "name": "graph",
            "error": "ball.velocity.x",
            "norm": "graph",
            "label": "distance of graphs of the velocity",
        },
        {"name": "wall", "signal": "summary.wall_time_s", "label": "wall time"},
        {"name": "count", "signal": "summary.steps", "label": "steps"},
        {"name": "energy", "curve": "energy.total", "label": "energy"},
        {"name": "modes", "modes": 30},
    ],
}
BAR, BALL = "impacting_bar", "impact_oscillator"
FIGURES = {
    "study_bars": (BAR, {"kind": "bars", "by": ["scheme"], "where": {"h": 2e-3}}),
    "study_curves": (BAR, {"kind": "curves", "y": ["energy"], "by": ["scheme"], "where": {"h": 2e-3}}),
    "study_lines": (BAR, {"kind": "lines", "x": "h", "y": ["numerical"], "by": ["scheme"], "log": "x"}),
    "study_modes": (
        BAR,
        {"kind": "modes", "x": "omega_h", "y": ["modes.damping", "modes.lost_free"], "by": ["scheme"]}
        | {"where": {"h": 2e-3}},
    ),
    "study_order": (
        BALL,
        {"kind": "order", "x": "h", "y": ["L1", "graph"], "by": ["scheme"]}
        | {"where": {"scheme": [name for name in FOUR if name != "Newmark"]}},
    ),
    "study_work": (BALL, {"kind": "work-precision", "y": ["L1"], "by": ["scheme"], "where": {"scheme": FOUR}}),
    "study_profile": (BALL, {"kind": "profile", "y": ["L1"], "by": ["scheme"]}),
}
"""Pictures: the table they are made of, and what a study file would say."""


@cache
def bar_table() -> Table:
    """Return all schemes with three steps on the impacting bar: ledger, energy over time, modes."""
    rows = []
    for scheme, options in SCHEMES.items():
        for h in (1e-3, 2e-3, 4e-3):
            case = fm.load_case(BAR, [*options, f"time.step={h}", "bodies.rod.elements=100", "output.fields_every=1"])
            result = case.run()
            energy = result.summary["energy"]
            names = ("initial", "final", "external", "damping", "contact", "numerical")
            numbers = {name: float(energy[name]) for name in names}
            curve = {"t": result.time.tolist(), "y": result.energy.total.tolist(), "exact": [500.0] * result.time.size}
            arrays = {"energy": curve, "modes": modal_measure(case, result, 30)}
            rows.append(Row(len(rows), str(len(rows)), {"scheme": scheme, "h": h}, DONE, "", numbers, arrays))
    return Table(tuple(rows))


@cache
def ball_table() -> Table:
    """Return all schemes with fifteen steps on the impacting oscillator: errors of the velocity."""
    runs = [(scheme, n, ball_case(scheme, n)) for scheme in SCHEMES for n in PRIMES]
    times = least_times([case if scheme in FOUR else None for scheme, _, case in runs])
    rows = []
    for (scheme, n, case), wall in zip(runs, times, strict=True):
        result = case.run()
        exact, t, v = exact_solution(case.values.data), result.time, result.signals["ball.velocity"][:, 0]
        assert exact is not None
        curve, h = exact.curves["ball.velocity.x"], 6.0 / n
        fine = np.sort(np.concatenate([t, exact.breaks, exact.breaks - 1e-9]))
        numbers = {
            "L1": grid_norm(v - curve(t), h),
            "graph": graph_distance(t, v, fine, curve(fine)) if scheme in FOUR else np.nan,
            "wall": wall,
            "count": float(n),
        }
        rows.append(Row(len(rows), str(len(rows)), {"scheme": scheme, "h": h}, DONE, "", numbers))
    return Table(tuple(rows))


def ball_case(scheme: str, steps: int) -> Case:
    """Return the impacting oscillator with a scheme and a number of steps."""
    return fm.load_case(BALL, [*SCHEMES[scheme], f"time={{end=6.0, steps={steps}}}"])


def least_times(cases: Sequence[Case | None]) -> list[float]:
    """Return the shortest time of several runs of each case, s; the cases alternate, so that other loads affect all."""

    def taken(case: Case | None) -> float:
        return np.nan if case is None else float(case.run().summary["wall_time_s"])

    return np.min([[taken(case) for case in cases] for _ in range(ROUNDS)], axis=0).tolist()


def main(names: list[str]) -> None:
    """Make the pictures named, or all."""
    tables = {BAR: bar_table, BALL: ball_table}
    for name in names or list(FIGURES):
        table, asked = FIGURES[name]
        drawing, notes = draw_figure(spec_of({"name": name} | asked), tables[table](), Columns(NAMES))
        with matplotlib.rc_context(STYLE):
            drawing.figure.savefig(IMAGES / f"{name}.png", dpi=110)
        print(name, *notes)


if __name__ == "__main__":
    main(sys.argv[1:])
