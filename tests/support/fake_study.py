"""A study made by hand: rows of runs that never were, with every kind of figure."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from flexmb.study.table import DONE, FAILED, Row, Table, row_to_json

SCHEMES = [
    "Moreau-Jean, θ = 1/2",
    "Moreau-Jean, θ = 0.6",
    "Moreau-Jean, θ = 1",
    "Moreau-Jean dissipative",
    "Schatzman-Paoli",
    "Newmark",
    "Newmark, no GGL",
    "HHT, α = 0.1",
    "HHT, α = 0.3",
    "generalized-α, ρ∞ = 1",
    "generalized-α, ρ∞ = 0.8",
    "generalized-α, ρ∞ = 0",
]
STEPS = [1e-3, 2e-3, 4e-3, 8e-3, 1.6e-2]
FAILED_RUN = (4, 3)
"""Scheme and step of the run that failed."""

STUDY = """title = "What the schemes take & <why>"
description = "A study made by hand."
case = "impacting_bar"
ledger = true

[[axis]]
name = "scheme"
choices = [CHOICES]

[[axis]]
name = "h"
key = "time.step"
values = [1e-3, 2e-3, 4e-3, 8e-3, 1.6e-2]
unit = "s"
label = "step h"

[[measure]]
name = "error"
error = "rod.first.velocity.x"
norm = "L1"

[[measure]]
name = "graph"
error = "rod.first.velocity.x"
norm = "graph"
label = "distance of graphs"

[[measure]]
name = "wall"
signal = "summary.wall_time_s"
label = "wall time"

[[measure]]
name = "steps"
signal = "summary.steps"

[[measure]]
name = "energy"
curve = "energy.total"
label = "energy"

[[measure]]
name = "modes"
modes = 20

[[figure]]
name = "lines"
kind = "lines"
x = "h"
y = ["numerical"]
by = ["scheme"]
log = "x"
title = "Work of the scheme over the step"

[[figure]]
name = "words"
kind = "lines"
x = "scheme"
y = ["contact", "final"]
by = ["h"]

[[figure]]
name = "dissipation"
kind = "bars"
y = ["contact", "damping", "numerical"]
by = ["scheme"]
where = { h = 8e-3 }
caption = "Where the energy goes."

[[figure]]
name = "dissipation_panels"
kind = "bars"
y = ["contact", "damping", "numerical"]
by = ["scheme", "h"]
where = { h = [1e-3, 1.6e-2], scheme = ["Newmark", "Schatzman-Paoli", "Moreau-Jean, θ = 1"] }

[[figure]]
name = "energy"
kind = "curves"
y = ["energy"]
by = ["scheme"]
where = { h = 2e-3 }

[[figure]]
name = "order"
kind = "order"
x = "h"
y = ["error"]
by = ["scheme"]

[[figure]]
name = "order_norms"
kind = "order"
x = "h"
y = ["error", "graph"]
by = ["scheme"]
where = { scheme = ["Moreau-Jean, θ = 1/2", "generalized-α, ρ∞ = 0.8", "HHT, α = 0.1"] }

[[figure]]
name = "work"
kind = "work-precision"
y = ["error"]
by = ["scheme"]

[[figure]]
name = "profile"
kind = "profile"
y = ["wall"]
by = ["scheme"]

[[figure]]
name = "modes"
kind = "modes"
x = "omega_h"
y = ["modes"]
by = ["scheme"]
where = { h = 4e-3 }

[[expect]]
order = "error"
over = "h"
where = { scheme = "Newmark" }
value = 1.0
atol = 0.15
source = "theory"
""".replace("CHOICES", ", ".join(f'{{ label = "{scheme}", set = {{}} }}' for scheme in SCHEMES))


def fake_row(index: int, k: int, j: int) -> Row:
    """Return a run of scheme k with step j; smooth numbers with some scatter."""
    axes = {"scheme": SCHEMES[k], "h": STEPS[j]}
    if (k, j) == FAILED_RUN:
        why = "the contact problem <did> not converge at t = 0.512 s (step 64)"
        return Row(index, f"{index:020x}", axes, FAILED, why)
    h, rng = STEPS[j], np.random.default_rng(1000 * k + j)
    order, size = (2.0, 40.0) if k in (5, 9) else (1.0, 0.5 + 0.4 * k)
    error = size * h**order * float(np.exp(rng.normal(0.0, 0.08)))
    numerical = -float(np.array([0, 30, 90, 40, 1e-9, 0, -6, 18, 40, 0, 12, 60])[k]) * (h / 8e-3) ** 0.6
    contact, damping = -2.0 - 900.0 * h, -(4.0 + k)
    final = 500.0 + numerical + contact + damping
    numbers = {
        "error": error,
        "graph": error**0.7,
        "wall": 2e-4 / h * (1 + 0.1 * k) * float(np.exp(rng.normal(0.0, 0.3))),
        "steps": 2.0 / h,
        "initial": 500.0,
        "final": final,
        "external": 0.0,
        "damping": damping,
        "contact": contact,
        "numerical": numerical,
        "residual": 1e-13,
    }
    t = np.linspace(0.0, 2.0, 200)
    energy = 500.0 + (final - 500.0) / (1.0 + np.exp(-30.0 * (t - 0.5 - 0.02 * k)))
    omega_h = np.arange(20) * 0.15 * h / 4e-3
    damped = 0.02 * k * omega_h / (1.0 + omega_h)
    line = np.geomspace(omega_h[1], omega_h[-1], 31)
    spectra = {
        "frequency_hz": omega_h / h / (2 * np.pi),
        "omega_h": omega_h,
        "energy_first": np.full(20, 10.0),
        "energy_last": 10.0 - 0.3 * k * omega_h / (1 + omega_h**2),
        "lost_free": 0.1 * k * omega_h,
        "damping": np.where(np.arange(20) == 0, np.nan, damped),
        "damping_theory": damped,
        "theory_omega_h": line,
        "theory_damping": 0.02 * k * line / (1.0 + line),
    }
    curve = {"t": t.tolist(), "y": energy.tolist(), "exact": np.full(200, 500.0).tolist()}
    arrays = {"energy": curve, "modes": {name: [float(x) for x in values] for name, values in spectra.items()}}
    return Row(index, f"{index:020x}", axes, DONE, "", numbers, arrays)


def fake_table() -> Table:
    """Return twelve schemes with five steps each; one run failed."""
    places = [(k, j) for k in range(len(SCHEMES)) for j in range(len(STEPS))]
    return Table(tuple(fake_row(index, k, j) for index, (k, j) in enumerate(places)))


def fake_study(folder: Path) -> Path:
    """Write the folder of a study."""
    table = fake_table()
    (folder / "runs").mkdir(parents=True)
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    for row in table.rows:
        (folder / "runs" / f"{row.key}.json").write_text(row_to_json(row), encoding="utf-8")
    (folder / "table.csv").write_text(table.to_csv(), encoding="utf-8")
    expected = {"order": "error", "over": "h", "where": {"scheme": "Newmark"}, "value": 1.0, "atol": 0.15}
    summary = {
        "title": "What the schemes take & <why>",
        "runs": len(table.rows),
        "done": len(table.rows) - 1,
        "failed": 1,
        "expectations": [expected | {"got": 2.01, "ok": False, "source": "theory <b>"}],
        "versions": {"flexmb": "0.1.0", "numpy": "2.0"},
        "wall_time_s": 12.3,
    }
    (folder / "summary.json").write_text(json.dumps(summary), encoding="utf-8")
    return folder
