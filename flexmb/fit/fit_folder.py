"""Output of a fit: the result, all evaluations as a table, the best case, and the compared curves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmb.fit.evaluations import Evaluations
from flexmb.fit.fit_file import FitFile
from flexmb.fit.methods import cost
from flexmb.fit.residuals import Comparison
from flexmb.record.io.run_folder import FIT
from flexmb.record.io.structure import unit
from flexmb.record.io.whole_file import whole_file, write_table
from flexmb.record.summary import versions

if TYPE_CHECKING:
    from flexmb.fit.fit import FitResult

TABLE, BEST = "table.csv", "best.toml"


def write_fit(file: FitFile, comparison: Comparison, known: Evaluations, result: FitResult, folder: Path) -> None:
    """Write the files of a finished fit."""
    names = list(result.names)
    rows = known.items()
    columns: dict[str, Any] = {name: np.array([values[k] for values, _ in rows]) for k, name in enumerate(names)}
    columns["cost"] = np.array([cost(found) for _, found in rows])
    columns["rms"] = np.array([np.nan if found is None else np.sqrt(np.mean(found**2)) for _, found in rows])
    write_table(folder / TABLE, columns)
    curves = []
    for k, (target, t, y, there) in enumerate(comparison.curves(result.values.tolist())):
        compared = {"t": target.t, "data": target.y, "fit": there, "residual": there - target.y}
        write_table(folder / f"objective_{k}.csv", compared)
        write_table(folder / f"curve_{k}.csv", {"t": t, target.table.label: y})
        curves.append(
            {
                "name": target.table.label,
                "sigma": target.sigma,
                "points": target.y.size,
                "unit": _unit(target.table.signal),
            }
        )
    best = file.case(result.values.tolist(), whole=True)
    with whole_file(folder / BEST) as fresh:
        Path(fresh).write_text(best.to_toml(), encoding="utf-8")
    parameters = zip(file.tables.parameter, result.values.tolist(), result.errors.tolist(), strict=True)
    summary = {
        "title": file.tables.title,
        "name": file.name,
        "case": file.tables.case,
        "method": file.tables.method,
        "converged": result.converged,
        "message": result.message,
        "parameters": [
            {"name": p.label, "key": p.key, "value": v, "error": None if np.isnan(e) else e, "unit": p.unit}
            for p, v, e in parameters
        ],
        "objectives": curves,
        "cost": result.cost,
        "rms": result.rms,
        "rms_limit": result.far if np.isfinite(result.far) else None,
        "cost_oscillates": result.rough,
        "evaluations": result.evaluations,
        "versions": versions(),
    }
    with whole_file(folder / FIT) as fresh:
        Path(fresh).write_text(json.dumps(summary, indent=2, allow_nan=False) + "\n", encoding="utf-8")


def _unit(signal: str) -> str:
    """Return the unit of a signal or of its component."""
    whole, _, component = signal.rpartition(".")
    return unit(whole) if component in ("x", "y", "z") else unit(signal)
