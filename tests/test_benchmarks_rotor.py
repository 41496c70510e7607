"""The rotor of the benchmark is that of the case, also with split elements, and the tables say what was measured."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

import rotor as bench
from rub_rotor import RubRotor

from flexmb.analysis.rotors.whirl_modes import rotor_modes

ROSS = [28.89749815, 29.88306779, 85.90783856, 92.60451654, 152.65266388, 157.46593488, 278.19839779, 349.60216201]
"""ROSS 2.3 at 1200 rpm without axial and torsional modes, Hz."""


@pytest.mark.parametrize(("parts", "digits"), [(1, 1e-7), (3, 1e-3)])
def test_split_elements_are_the_same_rotor(parts, digits):
    rotor = RubRotor(parts)
    assert rotor.nodes == 33 * parts + 1
    np.testing.assert_allclose(rotor_modes(rotor.model(), count=8).frequency, ROSS, rtol=digits)
    node, size, _ = rotor.force
    assert rotor.body["stations"][node] == pytest.approx(0.345, abs=1e-15)
    assert size == pytest.approx(5e-4 * rotor.speed**2, rel=1e-14)


def test_axial_and_torsional_unknowns_leave_the_lateral_motion_alone():
    lateral, whole = (bench.FlexmbRotor(RubRotor(1, unknowns), 40) for unknowns in ("lateral", "all"))
    assert whole.system.nv > lateral.system.nv
    np.testing.assert_allclose(whole.last, lateral.last, rtol=1e-9)


def test_rotor_prints_and_writes_all_rows(tmp_path, capsys):
    file = tmp_path / "rotor.csv"
    rows = bench.main(["--quick", "--steps", "40", "--repeats", "1", "--parts", "1", "2", "--csv", str(file)])
    text = capsys.readouterr().out
    assert "ROSS is not measured" in text
    assert "time ~ nodes^" in text
    assert [row.nodes for row in rows if row.name == "flexmb, steps alone"] == [34, 67]
    assert all(0.0 < row.us_min <= row.us_median < np.inf for row in rows)
    with file.open() as lines:
        assert [line["name"] for line in csv.DictReader(lines)] == [row.name for row in rows]
