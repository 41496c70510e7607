"""The mechanisms of the benchmarks are the same in flexmb and exudyn, and the tables say what was measured."""

from __future__ import annotations

import csv
import math
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

import contacts_spheres
import exudyn_mechanisms
import flexmb_mechanisms
import mechanisms
import multibody as bench
import stage_times

from flexmb.kernels.compilation.stages import ACCOUNT, ASSEMBLE, PLACE

SHORT = {"chain": mechanisms.chain(4, 400), "four-bar": mechanisms.four_bar(400)}


def final_positions(mechanism, level):
    ours = flexmb_mechanisms.FlexmbMechanism(mechanism, level, 1e-12)
    theirs = exudyn_mechanisms.ExudynMechanism(mechanism, next(exudyn_mechanisms.variants(mechanism)), level)
    assert theirs.seconds_of_one() > 0.0
    assert 1.0 <= theirs.iterations < 10.0
    return ours.position, theirs.position


@pytest.mark.parametrize("kind", SHORT)
@pytest.mark.parametrize("level", ["index 3", "index 2"])
def test_exudyn_moves_the_same_mechanism(kind, level):
    pytest.importorskip("exudyn")
    ours, theirs = final_positions(SHORT[kind], level)
    # the levels are 4e-6 apart from each other; what is left in space is how rotations are advanced
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1.5e-6 if kind == "chain" else 1e-8)
    start = flexmb_mechanisms.FlexmbMechanism(replace(SHORT[kind], steps=1, h=1e-9), level, 1e-12)
    assert np.abs(ours - start.position).max() > 0.1  # it has moved


@pytest.mark.parametrize("planar", [False, True])
def test_beams_of_both_approach_each_other_with_more_elements(planar):
    pytest.importorskip("exudyn")
    apart = []
    for elements in (12, 24, 48):
        ours, theirs = final_positions(mechanisms.beam(elements, 250, planar=planar), "index 3")
        apart.append(np.linalg.norm(ours - theirs))
    assert apart[0] / apart[1] > 3.5
    assert apart[1] / apart[2] > 3.5


def test_tolerance_of_newton_is_that_of_the_contender_only():
    chain = SHORT["chain"]
    tight, loose = (flexmb_mechanisms.FlexmbMechanism(chain, "index 3", tol) for tol in (1e-12, 1e-6))
    assert tight.engine.workspace.machine.numbers.tolerance == 1e-12
    assert loose.engine.workspace.machine.numbers.tolerance == 1e-6
    assert flexmb_mechanisms.engine_module.scheme_numbers is flexmb_mechanisms.scheme_numbers
    assert loose.iterations < tight.iterations
    first = tight.position
    assert tight.seconds_of_one() > 0.0  # from the start again
    np.testing.assert_array_equal(tight.position, first)
    np.testing.assert_allclose(loose.position, first, rtol=0, atol=1e-9)


def test_levels_hold_joints_as_they_say():
    kept = {}
    for level in flexmb_mechanisms.SCHEMES:
        run = flexmb_mechanisms.FlexmbMechanism(SHORT["four-bar"], level, 1e-12)
        kept[level] = np.abs(run.engine.motion.rows[:2]).max(axis=1) < 1e-11
    assert {level: tuple(k) for level, k in kept.items()} == {
        "index 3": (True, False),
        "index 2": (False, True),
        "GGL": (True, True),
    }


def test_stages_are_counted_and_put_back():
    run = flexmb_mechanisms.FlexmbMechanism(SHORT["chain"], "index 3", 1e-12)
    stages = run.engine.workspace.machine.stages
    before = stages.copy()
    total, iterations, shares = stage_times.stage_shares(run)
    np.testing.assert_array_equal(stages, before)
    assert shares[ACCOUNT].calls == 1.0
    assert shares[PLACE].calls == pytest.approx(iterations + 1, abs=1e-12)
    assert 1.0 <= shares[ASSEMBLE].calls <= iterations
    spent = sum(share.calls * share.us for share in shares.values())
    assert 0.3 * total < spent < 1.3 * total


@pytest.mark.slow
def test_every_piece_of_a_step_can_be_timed_alone():
    run = flexmb_mechanisms.FlexmbMechanism(mechanisms.four_bar(20), "index 3", flexmb_mechanisms.OWN_TOLERANCE)
    times = stage_times.piece_times(run)
    assert set(times) == set(stage_times.PIECES)
    assert all(us > 0.0 for us in times.values())


def test_columns_and_piles_of_spheres_are_measured(capsys):
    rows = contacts_spheres.main(["--sizes", "2", "5", "--piles", "9", "--steps", "3"])
    assert [row.size for row in rows] == [2, 5, 9]
    assert all(row.build > 0.0 and row.step > 0.0 for row in rows)
    built = contacts_spheres.main(["--sizes", "3", "--piles", "--no-steps", "--rigid"])
    assert math.isnan(built[0].step)
    assert "spheres" in capsys.readouterr().out


def test_multibody_prints_a_line_each_and_writes_csv(tmp_path, capsys):
    file = tmp_path / "multibody.csv"
    rows = bench.main(["--quick", "--links", "1", "3", "--no-exudyn", "--csv", str(file)])
    text = capsys.readouterr().out
    assert [(row.size, row.limit) for row in rows if not math.isnan(row.limit)] == [(3, 20.0), (50, 5.0)]
    for row in rows:
        assert text.count(f"\n{row.mechanism}, {row.level} ") == 1
        assert 0.0 < row.us <= row.us_median < np.inf
        assert 1.0 <= row.iterations_same <= row.iterations
        assert row.newton_error < 1e-9
        assert math.isnan(row.ratio)
    with file.open() as lines:
        table = list(csv.DictReader(lines))
    assert [float(line["us"]) for line in table] == [row.us for row in rows]


def test_growth_is_that_of_the_chains():
    chain = bench.Row("chain of 1 link", 1, "index 3", 9, 3.0, 3.0, 2.0, 2.0, 2.0, 0.0, math.nan, exudyn_us=5.0)
    rows = [
        replace(chain, size=n, us=3.0 * n, us_same=2.0 * n**1.5, exudyn_us=5.0 * n**2, exudyn_iterations=float(n))
        for n in (1, 10, 100)
    ]
    other = replace(chain, mechanism="four-bar linkage, planar", us=1e9)
    table = bench.growth_table([*rows, other]).splitlines()
    assert [line.split()[-2:] for line in table[2:]] == [["1.00", "1.00"], ["1.50", "1.50"], ["2.00", "1.00"]]


def test_limit_is_that_of_twenty_links():
    assert mechanisms.chain(20).limit == 10.0
    assert math.isnan(mechanisms.chain(100).limit)
    levels = [(m.name, level) for m, level in bench.problems((20,), quick=False)]
    assert len(levels) == len(set(levels)) == 10


def test_dense_solvers_are_tried_on_small_mechanisms_only():
    solvers = {n: {v.solver for v in exudyn_mechanisms.variants(mechanisms.chain(n))} for n in (20, 200)}
    assert solvers[20] == {"EigenSparse", "EXUdense", "EigenDense"}
    assert solvers[200] == {"EigenSparse"}
    assert {v.contractivity for v in exudyn_mechanisms.variants(mechanisms.beam())} == {0.5, 0.2, 0.0}
