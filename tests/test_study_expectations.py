"""Whole studies of integrators with events against what their files expect.

They take minutes, and run on demand: ``FLEXMB_STUDIES=1 pytest tests/test_study_expectations.py``, or ``make studies``.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from flexmb.cli import main
from flexmb.study.read import read_study

STUDIES = ("orders_event_capturing", "thesis_tables")
ASKED = bool(int(os.environ.get("FLEXMB_STUDIES", "0")))


@pytest.mark.slow
@pytest.mark.skipif(not ASKED, reason="takes minutes: FLEXMB_STUDIES=1 asks for it")
@pytest.mark.parametrize("name", STUDIES)
def test_all_runs_of_a_study_give_what_it_expects(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["study", name, "-o", str(tmp_path / name), "--check", "--no-figures", "--jobs", "1"])
    said = capsys.readouterr()
    assert code == 0, said.out + said.err
    met = [line for line in said.out.splitlines() if line.startswith("  ok ")]
    assert len(met) == len(read_study(name).tables.expect)


def test_an_expectation_that_is_not_met_is_told_by_the_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the test above relies on: one run of a study whose order cannot come out."""
    text = """
title = "An order that cannot be"
case = "event_ball"

[[axis]]
name = "tolerance"
key = "time.tolerance"
values = [1e-6]

[[measure]]
name = "residual"
signal = "summary.energy.residual_max"
label = "largest residual"
unit = "J"

[[expect]]
measure = "residual"
reduce = "max"
at_most = -1.0
source = "none"
"""
    (tmp_path / "study.toml").write_text(text)
    given = ["--set", "time.end=0.1", "--check", "--no-figures", "--jobs", "1", "-o", str(tmp_path / "out")]
    assert main(["study", str(tmp_path / "study.toml"), *given]) == 1
    assert "FAIL" in capsys.readouterr().out
