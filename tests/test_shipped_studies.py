"""The shipped studies: all can run, and parts of them that are quick come out as their files expect."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable

import numpy as np
import pytest

from flexmb.analysis.measures import fitted_order
from flexmb.case.shipped import shipped_studies
from flexmb.study.axes import Point
from flexmb.study.expectations import evaluate
from flexmb.study.plan import Runs
from flexmb.study.read import StudyFile, read_study
from flexmb.study.table import Row, Table, row_of
from flexmb.study.task import run_task


def rows_of(study: StudyFile, chosen: Callable[[Point], bool]) -> Table:
    """Run some points of a study in this process."""
    runs, curves, rows = Runs(study), {}, []
    for point in study.grid:
        if not chosen(point):
            continue
        for reference in runs.references(point).values():
            if reference.key not in curves:
                found = json.loads(run_task(reference.to_json(), {}))
                curves[reference.key] = base64.b64decode(found["curves"])
        task = runs.task(point)
        row: Row = row_of(json.loads(run_task(task.to_json(), {key: curves[key] for key in task.references.values()})))
        assert row.done, row.error
        rows.append(row)
    return Table(tuple(rows))


@pytest.mark.parametrize("name", shipped_studies())
def test_every_study_can_start(name: str) -> None:
    study = read_study(name)
    assert study.tables.title
    assert study.tables.description
    assert study.tables.figure
    assert study.tables.expect
    assert Runs(study).check(lambda words: None) is not None


def test_the_ledger_of_every_scheme_adds_up() -> None:
    table = rows_of(read_study("dissipation_bar"), lambda point: point.axes["h"] == 2e-3)
    assert len(table.rows) == 13
    for row in table.rows:
        n = row.numbers
        lost = n["initial"] - n["final"]
        assert -(n["contact"] + n["damping"] + n["numerical"]) == pytest.approx(lost, abs=1e-10 * max(n["final"], 1.0))
        assert sum(row.arrays["modes"]["energy_last"]) == pytest.approx(n["final"], rel=1e-9)
    naive = table.where({"scheme": "naive HHT"}).rows[0]
    assert naive.numbers["final"] > 2.0 * naive.numbers["initial"]


def test_limits_of_theta() -> None:
    study = read_study("theta_limits")
    table = rows_of(study, lambda point: point.axes["e"] in (0.0, 0.25, 1.0))
    assert [entry["ok"] for entry in evaluate(study.tables.expect, table)] == [True] * len(study.tables.expect)
    for row in table.where({"problem": "impact"}).rows:  # eq 93: (1 - theta (1 + e)) U P, P = -(1 + e) U
        theta, e = float(row.axes["theta"]), float(row.axes["e"])
        U = -2.0  # of the fall from 1 m under 2 m/s^2
        expected = (1.0 - theta * (1.0 + e)) * U * (1.0 + e) * -U
        assert row.numbers["contact"] == pytest.approx(expected, rel=1e-2, abs=1e-9)


def test_order_two_away_from_the_jump_on_a_fixed_mesh() -> None:
    steps = (499, 1171, 2753)
    study = read_study("order_bar_fixed_mesh")
    known = [value for axis in study.grid.axes if axis.name == "steps" for value in axis.values]
    near = [min(known, key=lambda n: abs(float(n) - wanted)) for wanted in steps]
    table = rows_of(study, lambda p: p.axes["scheme"] == "gen.-alpha 0.8" and p.axes["steps"] in near)
    h = np.array(table.column("h"), dtype=float)
    for measure, order in (("touching", 1.0), ("middle", 2.0), ("far", 2.0)):
        assert fitted_order(h, np.array(table.column(measure), dtype=float)) == pytest.approx(order, abs=0.15)


def test_cases_of_an_axis_and_their_names() -> None:
    study = read_study("orders_ball_oscillator")
    table = rows_of(study, lambda p: p.axes["scheme"] == "Newmark" and p.axes["steps"] == study.grid.axes[2].values[0])
    ball, oscillator = table.rows
    assert ball.numbers["h"] * 101 == pytest.approx(4.0)  # the ball flies for 4 s, the oscillator swings for 6 s
    assert oscillator.numbers["h"] * 101 == pytest.approx(6.0)
    assert ball.key != oscillator.key
    assert ball.numbers["velocity_L1"] > 0.0
